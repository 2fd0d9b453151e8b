package installconfig

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// printable is any password that a person can type, and those that YAML would read as something else.
var printable = rapid.OneOf(
	rapid.StringOfN(rapid.RuneFrom(nil, unicode.PrintRanges...), 1, 24, -1),
	rapid.StringOfN(rapid.RuneFrom([]rune(`'"\#:;&*!|>%@{}[],?- `+"`")), 1, 24, -1),
	rapid.SampledFrom([]string{"yes", "null", "~", "1234", "0x1F", "2001-01-01", "<<", "*a", "&a b", "- x", "a: b", "a #b", "'", "''", "\"", " x ", "{", "---", "... a", "%TAG", "1e3", "=", "!!str x"}),
).Filter(func(s string) bool { return !strings.ContainsFunc(s, yamldoc.Unprintable) && !credfile.Placeholder(s) })

var userNames = rapid.StringMatching(`([a-z0-9._-]{1,8}@[a-z0-9.-]{1,8}|[A-Z]{1,5}\\[a-z0-9._-]{1,8})`).
	Filter(func(user string) bool { return len(credfile.Account{User: user}.Unfilled()) == 0 })

func accounts(servers []string, form AccountFormat) *rapid.Generator[openshift.Accounts] {
	return rapid.Custom(func(t *rapid.T) openshift.Accounts {
		all := openshift.Accounts{}
		for _, s := range servers {
			all[s] = map[component.Name]credfile.Account{}
			draw := func(c component.Name) {
				all[s][c] = rapid.Custom(func(t *rapid.T) credfile.Account {
					return credfile.Account{User: userNames.Draw(t, "user"), Password: secret.New(printable.Draw(t, "password"))}
				}).Filter(func(a credfile.Account) bool { return len(a.Unfilled()) == 0 }).Draw(t, "account")
			}
			if form != ComponentScoped {
				draw(component.Installer)
			}
			for _, m := range form.members() {
				if form == ComponentScoped || rapid.Bool().Draw(t, string(m.component)) {
					draw(m.component)
				}
			}
		}
		return all
	})
}

// config generates install-configs as people write them. Lines that hold no account end in "#~kept", so that a test can
// find each of them again.
func config(servers []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line break")
		noise := rapid.SampledFrom([]string{"", "", "", "\n", "# a comment #~kept\n", "   # user: password: #~kept\n", "\n\n# ü ☃ #~kept\n"})
		line := func(depth int, text string) {
			b.WriteString(noise.Draw(t, "noise"))
			b.WriteString(strings.Repeat(" ", depth) + text + "\n")
		}
		step := rapid.IntRange(1, 5).Draw(t, "indent")
		line(0, `apiVersion: "v1"   #~kept`)
		line(0, "baseDomain: &dom example.com #~kept")
		line(0, "metadata: {name: c1, x: *dom} #~kept")
		line(0, "platform: #~kept")
		line(step, "vsphere: #~kept")
		line(2*step, "vcenters: #~kept")
		depth := 2*step + rapid.IntRange(0, 3).Draw(t, "list indent")
		for _, s := range servers {
			fields := []string{"server: " + s + "   #~kept"}
			if rapid.Bool().Draw(t, "has an account") {
				fields = append(fields, "user: a@b"+rapid.SampledFrom([]string{"", " # who"}).Draw(t, "tail"),
					"password: "+rapid.SampledFrom([]string{"old", "'o # ld' # x", `"o\"l # d"`, "|-\n" + strings.Repeat(" ", depth+9) + "# old", "old\n" + strings.Repeat(" ", depth+9) + "more"}).Draw(t, "old password"))
			}
			if rapid.Bool().Draw(t, "has datacenters") {
				fields = append(fields, "datacenters: [ 'a', \"b\" ] #~kept")
			}
			if rapid.Bool().Draw(t, "has a list") {
				fields = append(fields, "datacenters2: #~kept\n"+strings.Repeat(" ", depth+2)+"- x #~kept")
			}
			fields = rapid.Permutation(fields).Draw(t, "order")
			for i, f := range fields {
				if i == 0 {
					line(depth, "- "+f)
				} else {
					line(depth+2, f)
				}
			}
		}
		if rapid.Bool().Draw(t, "has domains") {
			line(2*step, "failureDomains: [] #~kept")
		}
		line(0, "sshKey: | #~kept")
		b.WriteString("  key    # no comment #~kept\n  y: 'z' #~kept")
		text := b.String()
		if rapid.Bool().Draw(t, "ends in a line break") {
			text += "\n"
		}
		return strings.ReplaceAll(text, "\n", nl)
	})
}

func kept(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return !strings.Contains(l, "#~kept") })
}

// TestRoundTrip: whatever is rendered comes back as it was, every other line keeps its bytes, the installer's parser
// reads the same passwords, and rendering again changes nothing.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	servers := []string{"vc1.example.com", "10.0.0.2"}
	for _, form := range Forms() {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				text := config(servers).Draw(t, "config")
				a := accounts(servers, form).Draw(t, "accounts")
				f, err := Parse("f", []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				out, _, err := f.Render(form, a)
				if err != nil {
					t.Fatal(err)
				}
				back, err := Parse("f", out)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(a, back.Accounts(), same); diff != "" {
					t.Fatalf("%s\n%s", diff, out)
				}
				// A field that was on the line of a dash and is gone leaves the dash.
				if diff := cmp.Diff(kept(text), slices.DeleteFunc(kept(string(out)), func(l string) bool { return l == "" })); diff != "" {
					t.Fatalf("%s\n%s", diff, out)
				}
				if again, _, err := back.Render(form, a); err != nil || !bytes.Equal(again, out) {
					t.Fatalf("the second time: %v\n%s", err, again)
				}
				installer(t, out, form, a)
				stripped, _, err := back.Strip()
				if err != nil {
					t.Fatal(err)
				}
				for s, own := range mustParse(t, stripped).Accounts() {
					maps.DeleteFunc(own, func(c component.Name, _ credfile.Account) bool { return c == component.Installer })
					if len(own) > 0 {
						t.Fatalf("%s: left: %d", s, len(own))
					}
				}
			})
		})
	}
}

func mustParse(t *rapid.T, text []byte) *File {
	f, err := Parse("f", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// installer reads as openshift-install does: sigs.k8s.io/yaml into Go structs.
func installer(t *rapid.T, text []byte, form AccountFormat, a openshift.Accounts) {
	type login struct{ User, Password string }
	var config struct {
		Platform struct {
			VSphere struct {
				CredentialType string
				VCenters       []struct {
					Server, User, Password string
					ComponentCredentials   map[string]login
				}
			}
		}
	}
	if err := sigsyaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	for _, vc := range config.Platform.VSphere.VCenters {
		want := a[vc.Server]
		if main := want[component.Installer]; vc.User != main.User || vc.Password != main.Password.Reveal() {
			t.Fatalf("%s: the installer reads %q %q", vc.Server, vc.User, vc.Password)
		}
		for _, m := range form.members() {
			got, w := vc.ComponentCredentials[m.name], want[m.component]
			if got.User != w.User || got.Password != w.Password.Reveal() {
				t.Fatalf("%s: %s: the installer reads %s", vc.Server, m.name, fmt.Sprint(got))
			}
		}
	}
	if (config.Platform.VSphere.CredentialType == typeScoped) != (form == ComponentScoped) {
		t.Fatalf("credentialType is %q", config.Platform.VSphere.CredentialType)
	}
}

// FuzzEdit: no text makes Parse, Render or Strip panic, and what comes out holds the accounts that went in.
func FuzzEdit(f *testing.F) {
	f.Add(plainConfig, "user@domain", "pw", uint8(0))
	f.Add("platform:\n  vsphere:\n    vcenters: [{server: a}]\n", `D\u`, "'", uint8(1))
	f.Add("platform: {vsphere: &v {vcenters: [*v]}}", "", "", uint8(2))
	f.Add("a: &a\n  <<: *a\nplatform:\n  vsphere:\n    <<: *a\n    vcenters:\n    - <<: *a\n      server: x\n", "a@b", "\n", uint8(0))
	f.Fuzz(func(t *testing.T, text, user, password string, which uint8) {
		file, err := Parse("f", []byte(text))
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error without words")
			}
			return
		}
		form := Forms()[int(which)%3]
		a := openshift.Accounts{}
		for _, s := range file.Servers() {
			a[s] = map[component.Name]credfile.Account{component.Installer: {User: user, Password: secret.New(password)}}
			for _, m := range form.members() {
				a[s][m.component] = credfile.Account{User: user, Password: secret.New(password)}
			}
		}
		if out, _, err := file.Render(form, a); err == nil {
			if again, err := Parse("f", out); err != nil || again.Check() != nil {
				t.Fatalf("does not read back: %v\n%s", err, out)
			}
		}
		if out, _, err := file.Strip(); err == nil {
			if _, err := Parse("f", out); err != nil {
				t.Fatalf("stripped: %v\n%s", err, out)
			}
		}
	})
}

// TestThroughTheCredentialsFile: what an install-config holds goes into a credentials file and comes out of it as it was,
// so that both can be made from each other.
func TestThroughTheCredentialsFile(t *testing.T) {
	t.Parallel()
	servers := []string{"vc1.example.com", "vc2.example.com"}
	for _, form := range Forms() {
		rapid.Check(t, func(t *rapid.T) {
			text := config(servers).Draw(t, "config")
			a := accounts(servers, form).Draw(t, "accounts")
			first, _, err := mustParse(t, []byte(text)).Render(form, a)
			if err != nil {
				t.Fatal(err)
			}
			file, err := credfile.Parse("credentials", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.Merge(mustParse(t, first).Accounts(), credfile.Leave{}); err != nil {
				if strings.Contains(err.Error(), "%(key)s") {
					t.Skip("ini.v1 has no way to write it")
				}
				t.Fatal(err)
			}
			second, _, err := mustParse(t, []byte(text)).Render(form, openshift.FromFile(file, servers))
			if err != nil || !bytes.Equal(first, second) {
				t.Fatalf("%v\n%s\n%s", err, first, second)
			}
			if merged, err := file.Merge(mustParse(t, second).Accounts(), credfile.Leave{}); err != nil ||
				slices.ContainsFunc(merged, func(m credfile.Merged) bool { return m.Outcome != credfile.Kept }) {
				t.Fatalf("the second time: %v, %v", err, merged)
			}
		})
	}
}
