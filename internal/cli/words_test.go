package cli

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
)

// Words of other tools do what they mean there, and no help shows them.
func TestWordsOfOtherTools(t *testing.T) {
	t.Parallel()
	for theirs, ours := range map[string]string{
		"delete -y":                  "destroy",
		"destroy --auto-approve":     "destroy",
		"roles ls":                   "roles list",
		"users ls":                   "users list",
		"privileges ls":              "privileges list",
		"permissions ls":             "permissions list",
		"permissions delete":         "permissions revoke",
		"plan --detailed-exitcode":   "plan",
		"rotate status --exit-code":  "rotate status",
		"apply --auto-approve -y -q": "apply",
		"create-all -yq":             "create-all",
	} {
		run := func(line string) (int, string, string) {
			return program.Run(t, termtest.NewFake(), append(strings.Fields(line), "--help")...)
		}
		code, help, stderr := run(theirs)
		_, want, _ := run(ours)
		if code != 0 || help != want || stderr != "" {
			t.Errorf("%s: exit code %d\n%s%s", theirs, code, help, stderr)
		}
		for _, word := range []string{"Aliases", "auto-approve", "detailed-exitcode", "-y,"} {
			if strings.Contains(help, word) {
				t.Errorf("the help of %s shows %s", ours, word)
			}
		}
	}
}
