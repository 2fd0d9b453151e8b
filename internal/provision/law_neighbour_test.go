package provision_test

import (
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// neighbour provisions another cluster on the same vCenters, now and then: its conditions, matrix, layout and adopted
// accounts are drawn like those of the first one, whose roles it may share. nil = there is none.
func neighbour(t *rapid.T, lab *vcsim.Lab, dir string) *house {
	if rapid.IntRange(0, 2).Draw(t, "neighbour") > 0 {
		return nil
	}
	s := parse(t, drawSpec(t, lab, "n"))
	drawGroups(t, lab, s)
	h := open(t, lab, dir, s)
	h.supply(lawMembers("n"))
	if _, err := h.apply(t); err != nil {
		t.Fatalf("the neighbour: %v", err)
	}
	return h
}

// unharmed: what one cluster does takes nothing from another one and gives it nothing.
func (h *house) unharmed(t *rapid.T, by string) {
	if h == nil {
		return
	}
	h.proved(t, by+" of the other cluster", h.verify(t))
	if p := h.plan(t); p.Err() != nil || p.Differs() {
		t.Fatalf("%s of the other cluster changed what this one needs (%v):\n%s", by, p.Err(), text(p))
	}
}

// lines are those of a snapshot. A role that a neighbour uses on one of two linked vCenters stays on the other one as well,
// because linked vCenters may share their roles: where there is a neighbour, unused roles of these names do not count.
func (h *house) lines(snapshot string) []string {
	return slices.DeleteFunc(strings.Split(snapshot, "\n"), func(line string) bool {
		return h != nil && strings.HasPrefix(line, "role ") && undigested(line) != line
	})
}

// dropAndReturn takes a component out of the specification, now and then. Its account is named and stays; with --prune it
// goes, with everything of it; and when the component returns, so does all of it.
func (h *house) dropAndReturn(t *rapid.T) {
	if h.spec.Profile != spec.DefaultProfile || !rapid.Bool().Draw(t, "dropped") {
		return
	}
	whole := h.spec.Components
	const dropped = component.CloudController
	h.spec.Components = map[component.Name]spec.Component{}
	for _, c := range component.Default() {
		if of, named := whole[c]; c != dropped && (named || whole == nil) {
			h.spec.Components[c] = of
		}
	}
	before := h.snapshot()
	p, err := h.apply(t)
	if err != nil || !p.Empty() || !p.Differs() || h.snapshot() != before {
		t.Fatalf("a dropped component is not named, or does not stay (%v):\n%s", err, text(p))
	}
	stop, _ := disturb(t, h.lab)
	h.o.Request.Prune = true
	h.until(t, "apply --prune", h.apply)
	h.o.Request.Prune = false
	stop()
	if p := h.plan(t); p.Err() != nil || p.Differs() {
		t.Fatalf("--prune leaves something (%v):\n%s", p.Err(), text(p))
	}
	if data, err := os.ReadFile(h.path); err != nil || strings.Contains(string(data), h.spec.Account(dropped).Name) {
		t.Fatalf("the account of the dropped component is in the credentials file (%v)", err)
	}
	h.spec.Components = whole
	h.until(t, "apply after the component returned", h.apply)
	h.proved(t, "the component's return", h.verify(t))
}
