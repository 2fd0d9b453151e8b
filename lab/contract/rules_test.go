package contract_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// The rules are those of which the simulation says what they rest on: each is tried, or says why it never is.
func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, r := range vcsim.Rules() {
		known[r.ID] = true
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
