package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/contract"
)

// The rules are those of the simulation, R1 to R48 and those with a word for a name: each is tried, or says why it never is.
func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"daily": true, "groups": true, "methods": true, "names": true, "sight": true, "tokens": true}
	for n := 1; n <= 48; n++ {
		known[fmt.Sprintf("R%d", n)] = true
	}
	seen, names := map[string]bool{}, map[string]bool{}
	for _, r := range contract.Rules() {
		if !known[r.ID] {
			t.Errorf("%s is no rule of the simulation", r.Name())
		}
		if names[r.Name()] {
			t.Errorf("%s is there twice", r.Name())
		}
		if sentence := strings.TrimSuffix(r.Says, " (inferred)"); r.Case == "" || !strings.HasSuffix(sentence, ".") {
			t.Errorf("%s does not say in a sentence what it is: %q", r.Name(), r.Says)
		}
		seen[r.ID], names[r.Name()] = true, true
	}
	for id := range known {
		if !seen[id] {
			t.Errorf("%s is neither tried, nor is it said why not", id)
		}
	}
}
