package reconcile

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// --matrix-to counts for those of several releases that it is for, and is refused where it is for none of them.
func TestMatrixOfEachRelease(t *testing.T) {
	t.Parallel()
	of := func(name, releases string) *privileges.Matrix {
		m, err := privileges.Parse(name+".yaml", []byte(releases+"components:\n  machine-api: {grants: [{scope: folder, propagate: true, privileges: [VirtualMachine.Inventory.Create]}]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	base, later := of("base", ""), of("later", "releases: \">=4.21\"\n")
	for words, tt := range map[string]struct{ with, says, err string }{
		"4.21.0":               {"4.21.0", "", ""},
		"4.20.5 4.21.0 4.22.0": {"4.21.0 4.22.0", "that of the specification, base, counts for 4.20.5", ""},
		"4.20.5 4.20.6":        {"", "", "not for 4.20.5, 4.20.6"},
		"4.20.5":               {"", "", "not for 4.20.5"},
	} {
		c := &compared{}
		for version := range strings.FieldsSeq(words) {
			c.next = append(c.next, &next{Ref: release.Ref{Version: version}})
		}
		fake := termtest.NewFake()
		err := c.setMatrices(command.NewFactory(fake.Streams, command.Build{}), base, later)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v", words, err)
		}
		var with []string
		for _, n := range c.next {
			if n.matrix == later {
				with = append(with, n.Version)
			}
		}
		if got := strings.Join(with, " "); got != tt.with || !strings.Contains(fake.Stderr.String(), tt.says) {
			t.Errorf("%s: %s, %s", words, got, fake.Stderr.String())
		}
	}
}
