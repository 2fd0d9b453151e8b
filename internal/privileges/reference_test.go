package privileges

import (
	"os"
	"strings"
	"testing"
)

// APIReference is the release that the recorded methods and the matrix of an auditor name.
func TestAPIReferenceIsTheOneRecorded(t *testing.T) {
	t.Parallel()
	for path, says := range map[string]string{
		"data/methods.tsv":    "# Source: VMware vSphere Web Services API reference " + APIReference + ",",
		"matrix/auditor.yaml": "source: vSphere Web Services API reference " + APIReference + ";",
	} {
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), says) {
			t.Errorf("%v: %s does not say %q", err, path, says)
		}
	}
}
