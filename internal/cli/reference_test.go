package cli

import (
	"flag"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/reference"
)

var update = flag.Bool("update", false, "write docs/reference and man from the commands")

func referenced() reference.Program {
	return reference.Program{
		NewRoot: NewCmdRoot, Pages: "../../docs/reference", Man: "../../man",
		More: map[string]string{"findings.md": reference.Findings()},
	}
}

// TestReference fails when a command, a flag or a help text is not what docs/reference and man say.
func TestReference(t *testing.T) {
	t.Parallel()
	referenced().Check(t, *update)
}

func TestReferenceNamesEveryCommandOnce(t *testing.T) {
	t.Parallel()
	referenced().NamesEveryCommandOnce(t)
}
