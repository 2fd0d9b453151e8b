package spec

import (
	"errors"
	"fmt"
	"slices"
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

// What a release adds is written as an entry of its own, and everything else stays: comments, order, quotes, line ends.
func TestSetReconciled(t *testing.T) {
	t.Parallel()
	one := privileges.Added{
		Component: component.CSIDriver, Scope: privileges.ScopeFolder, Propagate: true, Privileges: []string{"A.B", "C.D"},
		Release: "4.23.0", Reason: "the request openshift-x asks for it",
	}
	const entry = "- component: csi-driver\n  scope: folder\n  propagate: true\n  privileges: [A.B, C.D]\n  release: 4.23.0\n  reason: the request openshift-x asks for it\n"
	deep := func(text string, columns int) string {
		return strings.Join(indented(strings.Split(strings.TrimSuffix(text, "\n"), "\n"), columns), "\n") + "\n"
	}
	has := []privileges.Added{
		{Component: component.MachineAPI, Scope: privileges.ScopeFolder, Propagate: true, Privileges: []string{"VirtualMachine.Config.DiskLease", "VirtualMachine.State.RenameSnapshot"}, Release: "4.23.0", Reason: "it's asked for: #1"},
		{Component: component.CSIDriver, Scope: privileges.ScopeCluster, Conditions: []privileges.Condition{privileges.PoolRoot}, Privileges: []string{"Host.Config.Storage"}},
	}
	for name, c := range map[string]struct {
		before string
		to     Reconciled
		after  string
	}{
		"nothing to say":     {head + ok, Reconciled{}, head + ok},
		"said already":       {head + ok + twoAdded, Reconciled{Added: has}, head + ok + twoAdded},
		"no privileges":      {head + ok, Reconciled{Added: []privileges.Added{one}}, head + ok + "privileges:\n  added:\n" + deep(entry, 2)},
		"no line end":        {head + strings.TrimSuffix(ok, "\n"), Reconciled{Added: []privileges.Added{one}}, head + ok + "privileges:\n  added:\n" + deep(entry, 2)},
		"empty privileges":   {head + "privileges: # none\n" + ok, Reconciled{Added: []privileges.Added{one}}, head + "privileges: # none\n  added:\n" + deep(entry, 2) + ok},
		"a matrix":           {head + "privileges:\n    # ours\n    matrix: documented # so far\n\n" + ok, Reconciled{Added: []privileges.Added{one}}, head + "privileges:\n    # ours\n    matrix: documented # so far\n    added:\n" + deep(entry, 4) + "\n" + ok},
		"behind the others":  {head + ok + twoAdded, Reconciled{Added: append(has[:2:2], one)}, head + ok + strings.Replace(twoAdded, "  matrix", deep(entry, 2)+"  matrix", 1)},
		"the first goes":     {head + ok + twoAdded, Reconciled{Added: has[1:]}, head + ok + upTo(twoAdded, "  - component: machine") + strings.TrimPrefix(twoAdded, upTo(twoAdded, "  - component: csi"))},
		"the last goes":      {head + ok + twoAdded, Reconciled{Added: has[:1]}, head + ok + upTo(twoAdded, "  - component: csi") + "  matrix: documented\n"},
		"all go":             {head + ok + twoAdded, Reconciled{}, head + ok + "privileges: # which rights\n  matrix: documented\n"},
		"nothing is left":    {head + "privileges:\n  added:\n" + deep(entry, 2) + ok, Reconciled{}, head + ok},
		"another matrix":     {head + ok + twoAdded, Reconciled{Added: has, Matrix: "./my matrix.yaml"}, head + ok + strings.Replace(twoAdded, "documented", "./my matrix.yaml", 1)},
		"a matrix in quotes": {head + "privileges: {matrix: \"documented\"} # x\n" + ok, Reconciled{Matrix: "default"}, head + "privileges: {matrix: default} # x\n" + ok},
		"a first matrix":     {head + ok, Reconciled{Matrix: "documented"}, head + ok + "privileges:\n  matrix: documented\n"},
		"windows":            {strings.ReplaceAll(head+ok, "\n", "\r\n"), Reconciled{Added: []privileges.Added{one}}, strings.ReplaceAll(head+ok+"privileges:\n  added:\n"+deep(entry, 2), "\n", "\r\n")},
		"one more component": {
			head + "components:\n  machine-api: {} # once\n  # the end\n" + ok,
			Reconciled{Name: []component.Name{component.CSIDriver}},
			head + "components:\n  machine-api: {} # once\n  csi-driver: {}\n  # the end\n" + ok,
		},
		"one more in braces": {head + "components: {machine-api: {}}\n" + ok, Reconciled{Name: []component.Name{component.CSIDriver}}, head + "components: {csi-driver: {}, machine-api: {}}\n" + ok},
		"one less": {
			head + "components:\n  machine-api: {} # once\n  csi-driver:\n    principal: a@b # theirs\n  installer:\n" + ok,
			Reconciled{Drop: []component.Name{component.CSIDriver}},
			head + "components:\n  machine-api: {} # once\n  installer:\n" + ok,
		},
		"one less of all": {
			head + ok,
			Reconciled{Drop: []component.Name{component.CSIDriver}},
			head + ok + "components:\n  machine-api: {}\n  cloud-controller: {}\n  diagnostics: {}\n  installer: {}\n",
		},
		"one of all": {head + ok, Reconciled{Name: []component.Name{component.CSIDriver}}, head + ok},
	} {
		got, err := SetReconciled("spec.yaml", []byte(c.before), c.to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.after, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What is written otherwise is left to its author, and nothing is written then.
func TestSetReconciledLeavesWhatItCannotEdit(t *testing.T) {
	t.Parallel()
	one := []privileges.Added{{Component: component.CSIDriver, Scope: privileges.ScopeFolder, Privileges: []string{"A.B"}}}
	for name, before := range map[string]string{
		"in braces":       head + ok + "privileges: {matrix: default}\n",
		"list in braces":  head + ok + "privileges:\n  added: [{component: csi-driver, scope: folder, privileges: [X.Y]}]\n",
		"document's end":  head + ok + "...\n",
		"a text of lines": head + ok + "privileges:\n  added:\n  - component: csi-driver\n    scope: folder\n    privileges: [X.Y]\n    reason: a long\n      story\n",
	} {
		if got, err := SetReconciled("spec.yaml", []byte(before), Reconciled{Added: one}); !errors.Is(err, ErrNotEdited) || got != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if _, err := SetReconciled("spec.yaml", []byte("nonsense"), Reconciled{}); err == nil || errors.Is(err, ErrNotEdited) {
		t.Errorf("a file with mistakes: got %v", err)
	}
}

// Of any specification: what SetReconciled writes reads as what Reconcile gives, and going back gives the same file.
func TestSetReconciledReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		before := s.YAML()
		to := Reconciled{Added: append(slices.Clip(s.Privileges.Added), drawAdded(t)...)}
		out, err := SetReconciled("spec.yaml", before, to)
		if errors.Is(err, ErrNotEdited) {
			if _, again := Parse("spec.yaml", s.Reconcile(to).YAML()); again != nil { // a privilege stands there twice
				return
			}
		}
		if err != nil || out == nil {
			t.Fatalf("%v\n%s", err, before)
		}
		after, err := Parse("spec.yaml", out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.Reconcile(to), after); diff != "" {
			t.Fatal(diff)
		}
		back, err := SetReconciled("spec.yaml", out, Reconciled{Added: s.Privileges.Added})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(before), string(back)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// upTo is what stands before a part of a text.
func upTo(text, part string) string {
	before, _, _ := strings.Cut(text, part)
	return before
}

// The lines for somebody who writes them say the same as the file that is edited.
func TestReconciledLines(t *testing.T) {
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
		got := strings.Join(append(want.ReconciledLines(c.to), ""), "\n")
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
