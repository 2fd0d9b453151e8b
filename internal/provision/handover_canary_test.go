package provision_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// learnFrom takes note of the passwords in an encrypted file.
func (c *cage) learnFrom(r *recipient, path string) (n int) {
	c.Helper()
	f := r.open(c.T, path)
	if f == nil {
		c.Fatalf("there is no %s", path)
	}
	for _, server := range f.Servers() {
		for _, component := range c.spec.ComponentNames() {
			if a, ok := f.Get(server, component); ok {
				n++
				if !slices.Contains(c.passwords, a.Password.Reveal()) {
					c.passwords = append(c.passwords, a.Password.Reveal())
				}
			}
		}
	}
	return n
}

// Passwords that are handed over are found nowhere but encrypted: by an apply that keeps none, with failures in between, by
// exports, by secrets, and by who takes them in, who has them in the credentials file alone then.
func TestCanaryHandover(t *testing.T) {
	notShort(t, "about what is printed and stored")
	t.Parallel()
	c, r := newCage(t), newRecipient(t)
	out := func(name string) string { return filepath.Join(c.dir, name) }
	emitted := func(words ...string) string {
		text := c.command(command.ExitDone, words...)
		c.outputs["encrypted "+strings.Join(words[:2], " ")] = []byte(text) // of the secrets, too: they are encrypted
		path := out("emitted.age")
		c.write(t, path, text)
		if plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Split(text, "\n")[1:3], "")); err != nil || !strings.HasPrefix(string(plain), "age-encryption.org/v1\n-> X25519 ") {
			t.Errorf("not encrypted: %v\n%s", err, text)
		}
		return path
	}

	// One vCenter takes no account; the next run makes them, with another file.
	v := c.lab.VCenters[1]
	v.SetFault(func(_ int, method string) vcsim.Fault {
		if method == "CreateLocalPersonUser" {
			return vcsim.Fault{Kind: vcsim.Refused}
		}
		return vcsim.Fault{}
	})
	c.command(command.ExitPartly, c.handover(r, out("first.age"))...)
	v.SetFault(nil)
	if !strings.Contains(string(c.outputs["run 1 (apply) stderr"]), "method=CreateLocalPersonUser") {
		t.Errorf("--debug says nothing:\n%s", c.outputs["run 1 (apply) stderr"])
	}
	c.command(command.ExitFailed, c.handover(r, out("first.age"))...)
	c.command(command.ExitDone, append(c.handover(r, out("second.age")), "-o", "json")...)
	if n := c.learnFrom(r, out("first.age")) + c.learnFrom(r, out("second.age")); n != 10+5 || len(c.passwords) != 3+15 {
		t.Fatalf("%d accounts, %d passwords are known", n, len(c.passwords))
	}
	c.opened(t, r, out("first.age"), out("second.age"))
	if _, err := os.Stat(filepath.Dir(c.path)); !os.IsNotExist(err) {
		t.Errorf("a credentials file, or something beside it: %v", err)
	}
	c.files("hand-over")

	// The other side, with a wrong key first.
	other := newRecipient(t)
	c.command(command.ExitFailed, "credentials", "import", "--identity", other.key, out("first.age"))
	c.command(command.ExitDone, "credentials", "import", "--identity", r.key, out("first.age"), "-o", "yaml")
	c.command(command.ExitFailed, "credentials", "import", "--identity", r.key, out("second.age"))
	c.command(command.ExitDone, "credentials", "import", "--identity", r.key, out("second.age"), "--replace")
	c.command(command.ExitDone, c.words("verify")...)

	// And on: exports and secrets for others.
	if n := c.learnFrom(other, emitted("credentials", "export", "--recipient", other.public)); n != 10 {
		t.Errorf("%d accounts are exported", n)
	}
	c.command(command.ExitDone, "credentials", "export", "--recipient", other.public, "--out", out("export.age"))
	c.command(command.ExitFailed, "credentials", "export", "--recipient", other.public, "--out", out("export.age"))
	emitted("secrets", "emit", "--recipient", other.public)
	c.command(command.ExitDone, "secrets", "emit", "--recipient", other.public, "--output-dir", out("secrets"))
	c.command(command.ExitDone, "credentials", "import", "--identity", other.key, out("emitted.age"), "--dry-run")
	c.check()
}
