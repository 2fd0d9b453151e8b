package privileges

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// literals reads the data of a script, all that stands before the loop: what its strings in single quotes say, and
// what is left without them and without comments. The quotes are those of about_Quoting_Rules, typographic ones included.
func literals(t rapid.TB, script string) (texts []string, rest string) {
	t.Helper()
	data, _, found := strings.Cut(script, "\nforeach ($target in $targets) {")
	if !found {
		t.Fatalf("the script has no loop:\n%s", script)
	}
	quote := func(r rune) bool { return strings.ContainsRune("'‘’‚‛", r) }
	runes := []rune(data)
	var code strings.Builder
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '#':
			for i < len(runes) && runes[i] != '\n' && runes[i] != '\r' {
				i++
			}
			code.WriteByte('\n')
		case quote(r):
			var text strings.Builder
			for i++; ; i++ {
				if i >= len(runes) {
					t.Fatalf("a string does not end:\n%s", script)
				}
				if quote(runes[i]) {
					if i+1 >= len(runes) || !quote(runes[i+1]) {
						break
					}
					i++
				}
				text.WriteRune(runes[i])
			}
			texts = append(texts, text.String())
			code.WriteByte('S')
		default:
			code.WriteRune(r)
		}
	}
	return texts, strings.Join(strings.Fields(code.String()), " ")
}

func TestExportPowerCLI(t *testing.T) {
	plain := exported(t, load(t, "default"), FormatPowerCLI, prefixed("openshift-", "vc1.example.com", "fd00::1"))
	_, shape := literals(t, plain)
	rapid.Check(t, func(t *rapid.T) {
		text := hostileText(t)
		m, o := hostileMatrix(t, text), prefixed(text, "vc1.example.com", "fd00::1")
		texts, rest := literals(t, exported(t, m, FormatPowerCLI, o))
		if d := cmp.Diff(shape, rest); d != "" {
			t.Fatalf("names reach the code:\n%s", d)
		}
		want := []string{"Stop", "vc1.example.com", "fd00::1"}
		for _, d := range RoleSet(m, o.RoleSetOptions) {
			want = append(want, d.Name)
			for _, g := range d.byScope() {
				for _, p := range g.Privileges {
					want = append(want, p.ID)
				}
			}
		}
		if !slices.Equal(want, texts) {
			t.Fatal(cmp.Diff(want, texts))
		}
	})
	if !strings.HasPrefix(shape, "param( [Parameter(Mandatory)][pscredential]$Credential ) Set-StrictMode -Version 3.0 "+
		"$ErrorActionPreference = S $targets = @( @{ Server = S; Port = 443 }, @{ Server = S; Port = 443 } ) $roles = @( @{ Name = S Privileges = @( S, S,") ||
		!strings.HasSuffix(shape, "S ) } )") {
		t.Error(shape)
	}
}

// PowerShell's own parser, where there is one.
func TestExportPowerCLIParses(t *testing.T) {
	pwsh, err := exec.LookPath("pwsh")
	if err != nil {
		t.Skip("no pwsh here: the scripts' syntax is checked by literals only")
	}
	for _, o := range []ExportOptions{prefixed(hostile), prefixed(hostile, "vc1.example.com", "vc2.example.com")} {
		path := filepath.Join(t.TempDir(), "roles.ps1")
		if err := os.WriteFile(path, []byte(exported(t, hostileMatrix(t, hostile), FormatPowerCLI, o)), 0o600); err != nil {
			t.Fatal(err)
		}
		parse := "$errors = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('" + path + "', [ref]$null, [ref]$errors); $errors; exit $errors.Count"
		if out, err := exec.Command(pwsh, "-NoProfile", "-Command", parse).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
