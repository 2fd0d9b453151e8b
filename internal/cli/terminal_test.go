package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// printing is a lab with everything made, and how each command that prints data is run on it.
type printing struct {
	config, credentials string
	words               map[string]string // command → its words; "" = prints no data of its own, or none that a table has
}

func newPrinting(t *testing.T) *printing {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{VCenters: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	dir := t.TempDir()
	files, err := writeLabFiles(lab, dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &printing{config: files.settings, credentials: filepath.Join(dir, "credentials")}
	spec := " -f " + files.spec
	p.words = map[string]string{
		"plan": spec, "verify": spec, "doctor": spec, "apply": spec + " --yes", "destroy": "",
		"privileges list": " ", "privileges show": " csi-driver", "privileges lint": spec,
		"privileges diff": " enhancement default", "privileges export": "",
		"roles list": spec, "roles diff": spec, "roles create": spec + " --dry-run", "roles delete": spec + " --dry-run",
		"users list": spec, "users create": spec + " --dry-run", "users delete": spec + " --dry-run",
		"permissions list": spec, "permissions grant": spec + " --dry-run", "permissions revoke": spec + " --dry-run",
		"permissions check": spec + " --component csi-driver --object /DC1/datastore/ds1",
		"credentials show":  " ", "credentials validate": spec, "credentials resolve": spec, "credentials import": "",
		"secrets emit": "", "secrets explain": "",
		"install-config render": "", "install-config extract": "",
		"init": "", "demo": "", "simulate": "", "completion": "", "version": " ",
	}
	p.run(t, term.NewFake(), "apply")
	return p
}

func (p *printing) run(t *testing.T, fake *term.Fake, command string, more ...string) (stdout string) {
	t.Helper()
	words := append(strings.Fields(command+p.words[command]), more...)
	fake.Env["OCP_VSPHERE_ADMIN_CONFIG"] = p.config
	fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.credentials
	code, stdout, stderr := runWords(t, fake, words...)
	if code != ExitDone && code != ExitDifferent {
		t.Fatalf("%s: exit code %d: %s", strings.Join(words, " "), code, stderr)
	}
	return stdout
}

// each calls do for every command that prints data. One that the table does not know fails.
func (p *printing) each(t *testing.T, do func(command string)) {
	t.Helper()
	eachCommand(newCmdRoot(NewFactory(term.NewFake().Streams, Build{})), func(cmd *cobra.Command) {
		if cmd.HasSubCommands() || !cmd.IsAvailableCommand() || cmd.Name() == "help" {
			return
		}
		command, known := p.words[words(cmd)]
		if !known {
			t.Logf("%s is in no test of what commands print: say how it is run", cmd.CommandPath())
		}
		if command != "" {
			do(words(cmd))
		}
	})
}

var escapeSequence = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// Colours paint what the text says without them, and end up in no pipe.
func TestColoursCarryNoMeaning(t *testing.T) {
	t.Parallel()
	p, painted := newPrinting(t), 0
	p.each(t, func(command string) {
		colours := p.run(t, term.NewFake().WithTerminal(120, 40), command)
		plain := p.run(t, term.NewFake().WithTerminal(120, 40), command, "--no-color")
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%s --no-color prints escape sequences", command)
		}
		if diff := cmp.Diff(settled1(plain), settled1(escapeSequence.ReplaceAllString(colours, ""))); diff != "" {
			t.Errorf("%s says something else in colours (-without +with):\n%s", command, diff)
		}
		if colours != plain {
			painted++
		}
		if strings.Contains(p.run(t, term.NewFake(), command), "\x1b") {
			t.Errorf("%s paints in a pipe", command)
		}
	})
	if painted == 0 {
		t.Error("nothing was painted: this test proves nothing")
	}
}

// settled1 takes out what differs between two runs: a clock's offset.
func settled1(text string) string {
	return regexp.MustCompile(`differs by \S+`).ReplaceAllString(text, "differs by")
}

// Tables fit the terminal, however narrow, and lose no word on a wide one.
func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPrinting(t)
	notTables := []string{"plan", "apply", "roles create", "roles delete", "users create", "users delete", "permissions grant", "permissions revoke"}
	p.each(t, func(command string) {
		if slices.Contains(notTables, command) { // a line per change, as long as it needs to be
			return
		}
		for _, width := range []int{50, 80, 250} {
			out := p.run(t, term.NewFake().WithTerminal(width, 40), command, "--no-color")
			for line := range strings.Lines(out) {
				columns := strings.Contains(strings.TrimSpace(line), "  ") // a sentence may be longer: a terminal breaks it
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width && columns {
					t.Errorf("%s on %d columns: a line of %d: %s", command, width, n, line)
					break
				}
			}
		}
	})
}

// -o json and -o yaml say the same, with a header, for every command that prints data.
func TestJSONAndYAMLOfEveryCommand(t *testing.T) {
	t.Parallel()
	p := newPrinting(t)
	p.each(t, func(command string) {
		var fromJSON, fromYAML map[string]any
		text := p.run(t, term.NewFake(), command, "-o", "json")
		if err := json.Unmarshal([]byte(text), &fromJSON); err != nil {
			t.Errorf("%s -o json: %v:\n%s", command, err, text)
			return
		}
		text = p.run(t, term.NewFake(), command, "-o", "yaml")
		if err := yaml.Unmarshal([]byte(text), &fromYAML); err != nil {
			t.Errorf("%s -o yaml: %v:\n%s", command, err, text)
			return
		}
		if fromJSON["apiVersion"] != apiVersion || fromJSON["kind"] == "" || fromJSON["kind"] == nil {
			t.Errorf("%s -o json: header is %v, %v", command, fromJSON["apiVersion"], fromJSON["kind"])
		}
		again, err := json.Marshal(fromYAML)
		if err != nil {
			t.Errorf("%s -o yaml: %v", command, err)
			return
		}
		var normal map[string]any
		if err := json.Unmarshal(again, &normal); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fromJSON, normal, cmp.FilterPath(isClock, cmp.Ignore())); diff != "" {
			t.Errorf("%s: -o yaml is not -o json:\n%s", command, diff)
		}
	})
}

// isClock leaves out what two runs measure anew.
func isClock(path cmp.Path) bool {
	last := path.String() + path.Last().String()
	return strings.Contains(last, "found") || strings.Contains(last, "offset")
}
