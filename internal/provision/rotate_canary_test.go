package provision_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Old and new passwords of rotations, finished and not, are found nowhere but in the credentials file and its journal.
func TestCanaryRotation(t *testing.T) {
	notShort(t, "about what is printed and stored")
	t.Parallel()
	c := newCage(t)
	c.command(command.ExitDone, c.words("apply")...)
	c.command(command.ExitDone, c.words("rotate", "--in-place", "--dry-run")...)
	c.command(command.ExitDone, c.words("rotate", "--in-place")...)
	if !strings.Contains(string(c.outputs["run 3 (rotate) stderr"]), "method=ResetLocalPersonUserPassword") {
		t.Errorf("--debug says nothing:\n%s", c.outputs["run 3 (rotate) stderr"])
	}
	if len(c.passwords) != 3+20 { // ten accounts, two passwords each
		t.Errorf("%d passwords are known", len(c.passwords))
	}

	// Resets are served and their answers lost, and so are the logins that would settle what became of them.
	for _, v := range c.lab.VCenters {
		resets := 0
		v.SetFault(func(_ int, method string) vcsim.Fault {
			switch {
			case method == "ResetLocalPersonUserPassword":
				resets++
				return vcsim.Fault{Kind: vcsim.LostReply}
			case method == "RequestSecurityToken" && resets > 0:
				return vcsim.Fault{Kind: vcsim.ServedUnavailable}
			}
			return vcsim.Fault{}
		})
	}
	c.command(command.ExitFailed, c.words("rotate", "--in-place", "-o", "json")...)
	for _, v := range c.lab.VCenters {
		v.SetFault(nil)
	}
	if len(c.passwords) != 3+30 {
		t.Fatalf("%d passwords are known: is there no journal?", len(c.passwords))
	}
	for _, words := range [][]string{{"plan"}, {"plan", "-o", "yaml"}, {"users", "list"}} {
		c.command(command.ExitDone, c.words(words...)...)
	}
	c.command(command.ExitFailed, c.words("apply")...)
	c.command(command.ExitDifferent, c.words("verify", "-o", "json")...)
	if err := os.Remove(c.path); err != nil {
		t.Fatal(err)
	}
	c.command(command.ExitDone, c.words("rotate", "--in-place", "-o", "yaml")...)
	c.command(command.ExitDone, c.words("verify")...)
	c.resting(t)
	c.check()
}

// The passwords of both generations of accounts are found nowhere but in the credentials file and its journal, whatever step of
// a rotation is done, shown or fails, and an export of them holds none in the clear.
func TestCanaryReplacement(t *testing.T) {
	notShort(t, "about what is printed and stored")
	t.Parallel()
	c := newCage(t)
	c.command(command.ExitDone, c.words("apply")...)
	c.command(command.ExitDone, c.words("rotate", "--dry-run", "-o", "json")...)
	for _, v := range c.lab.VCenters { // made, and not handed over
		v.SetFault(func(_ int, method string) vcsim.Fault {
			if method == "FetchUserPrivilegeOnEntities" {
				return vcsim.Fault{Kind: vcsim.Blocked}
			}
			return vcsim.Fault{}
		})
	}
	c.command(command.ExitFailed, c.words("rotate", "-o", "yaml")...)
	for _, v := range c.lab.VCenters {
		v.SetFault(nil)
	}
	if len(c.passwords) != 3+20 { // ten accounts, two generations
		t.Fatalf("%d passwords are known: is there no journal?", len(c.passwords))
	}
	c.command(command.ExitDone, c.words("plan", "--exit-code")...)
	c.command(command.ExitDone, c.words("rotate")...)
	r := newRecipient(t)
	for _, words := range [][]string{
		{"plan", "-o", "json"}, {"verify", "-o", "json"}, {"users", "list", "-o", "yaml"}, {"rotate", "status", "-o", "json"}, {"rotate", "finish", "--dry-run"},
	} {
		c.command(command.ExitDone, c.words(words...)...)
	}
	c.command(command.ExitDone, "credentials", "export", "-f", c.file, "--recipient", r.public)
	c.command(command.ExitFailed, c.words("rotate", "finish")...)
	c.command(command.ExitDone, c.words("rotate", "undo", "--components", "csi-driver", "-o", "json")...)
	c.command(command.ExitDone, c.words("rotate", "undo", "--applied", "--grace", "0s", "--components", "csi-driver")...)
	c.command(command.ExitDone, c.words("rotate", "finish", "--applied", "--grace", "0s", "-o", "json")...)
	c.command(command.ExitDone, c.words("verify")...)
	c.resting(t)
	c.check()
}
