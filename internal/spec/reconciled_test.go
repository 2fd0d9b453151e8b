package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

const twoAdded = `privileges: # which rights
  added: # by reconcile
  # for the images
  - component: machine-api
    scope: folder
    propagate: true
    privileges: [VirtualMachine.Config.DiskLease, VirtualMachine.State.RenameSnapshot]
    release: 4.23.0
    reason: "it's asked for: #1" # kept
  - component: csi-driver # volumes
    scope: cluster
    conditions: [pool-root]
    privileges: [Host.Config.Storage]
  matrix: documented
`

func drawAdded(t *rapid.T) []privileges.Added {
	var all []privileges.Added
	seen := map[addedKey]bool{}
	for range rapid.IntRange(0, 3).Draw(t, "added") {
		a := privileges.Added{
			Component:  rapid.SampledFrom(component.Names()).Draw(t, "component"),
			Scope:      rapid.SampledFrom(privileges.Scopes()).Draw(t, "scope"),
			Propagate:  rapid.Bool().Draw(t, "propagate"),
			Conditions: rapid.SliceOfNDistinct(rapid.SampledFrom(privileges.Conditions()), 0, 2, rapid.ID).Draw(t, "conditions"),
			Release:    rapid.SampledFrom([]string{"", "4.23", "4.23.0-rc.1", "5.0.10"}).Draw(t, "release"),
			Reason:     rapid.OneOf(rapid.Just(""), inventoryName()).Draw(t, "reason"),
		}
		if len(a.Conditions) == 0 {
			a.Conditions = nil
		}
		for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(privileges.Catalogue()[:20]), 1, 3, rapid.ID).Draw(t, "privileges") {
			if key := (addedKey{a.Component, a.Scope, a.Propagate, id}); !seen[key] {
				seen[key] = true
				a.Privileges = append(a.Privileges, id)
			}
		}
		if a.Privileges != nil {
			all = append(all, a)
		}
	}
	return all
}

func TestAddedIsChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{scope: folder, privileges: [A.B]}":                                                    "privileges.added[0].component is missing",
		"{component: csi, scope: folder, privileges: [A.B]}":                                    `privileges.added[0].component: "csi" is unknown`,
		"{component: csi-driver, privileges: [A.B]}":                                            "privileges.added[0].scope is missing",
		"{component: csi-driver, scope: folders, privileges: [A.B]}":                            `privileges.added[0].scope: "folders" is unknown; did you mean "folder"?`,
		"{component: csi-driver, scope: folder}":                                                "privileges.added[0].privileges is missing",
		"{component: csi-driver, scope: folder, privileges: []}":                                "privileges.added[0].privileges is missing",
		"{component: csi-driver, scope: folder, privileges: [A B]}":                             `privileges.added[0].privileges[0]: privilege "A B" has the character ' '`,
		"{component: csi-driver, scope: folder, privileges: [A.B, A.B]}":                        "privileges.added[0].privileges[1]: A.B of csi-driver on scope folder is already in line",
		"{component: csi-driver, scope: folder, privileges: [A.B], release: next}":              `privileges.added[0].release: "next" is not a release version`,
		"{component: csi-driver, scope: folder, privileges: [A.B], conditions: [sometimes]}":    `privileges.added[0].conditions[0]: "sometimes" is unknown`,
		"{component: csi-driver, scope: folder, privilege: [A.B], privileges: [A.B]}":           `unknown field "privilege"`,
		"{component: csi-driver, scope: folder, privileges: [A.B], propagate: sometimes}":       "privileges.added[0].propagate: must be true or false",
		"{component: csi-driver, scope: folder, privileges: [A.B], release: 4.23.0, reason: 7}": "privileges.added[0].reason: must be text",
	} {
		data := []byte(head + ok + "privileges:\n  added:\n  - " + text + "\n")
		_, err := Parse("spec.yaml", data)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
			continue
		}
		checkError(t, data, err)
		if line := fmt.Sprintf("spec.yaml:%d: ", strings.Count(string(data), "\n")); !strings.HasPrefix(err.Error(), line) {
			t.Errorf("%s: got %v, want it at %s", text, err, line)
		}
	}
}

// The lines for somebody who writes them say the same as the state file.
func TestBeside(t *testing.T) {
	t.Parallel()
	added := []privileges.Added{{Component: component.CSIDriver, Scope: privileges.ScopeFolder, Privileges: []string{"A.B"}, Reason: "#1: it's asked for"}}
	const entry = "privileges:\n  added:\n    - component: csi-driver\n      scope: folder\n      privileges: [A.B]\n      reason: '#1: it''s asked for'\n"
	const five = "components:\n  machine-api: {}\n  csi-driver: {}\n  cloud-controller: {}\n  diagnostics: {}\n  installer: {}\n"
	for name, c := range map[string]struct {
		before string
		to     Reconciled
		want   string
	}{
		"nothing":           {head + ok, Reconciled{}, ""},
		"a privilege":       {head + ok, Reconciled{Added: added}, entry},
		"a matrix":          {head + ok, Reconciled{Matrix: "./my #1.yaml"}, "privileges:\n  matrix: './my #1.yaml'\n"},
		"one more":          {head + ok, Reconciled{Name: []component.Name{component.ClusterAPI}}, five + "  cluster-api: {}\n"},
		"one of all":        {head + ok, Reconciled{Name: []component.Name{component.CSIDriver}}, ""},
		"one less":          {head + ok, Reconciled{Drop: []component.Name{component.Installer}}, strings.TrimSuffix(five, "  installer: {}\n")},
		"some, with fields": {head + "components:\n  diagnostics: {principal: d@lab, group: false}\n  csi-driver: {principal: 'LAB\\csi'}\n" + ok, Reconciled{Added: added, Name: []component.Name{component.ClusterAPI}}, entry + "components:\n  csi-driver:\n    principal: LAB\\csi\n  diagnostics:\n    principal: d@lab\n    group: false\n  cluster-api: {}\n"},
	} {
		s, err := Parse("spec.yaml", []byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		want := s.Reconcile(c.to)
		got := want.Beside(s)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.Contains(c.before, "components") || strings.Contains(c.before, "privileges") {
			continue
		}
		if pasted, err := Parse("pasted.yaml", []byte(c.before+got)); err != nil || cmp.Diff(want, pasted) != "" {
			t.Errorf("%s: %v, %s", name, err, cmp.Diff(want, pasted))
		}
	}
}
