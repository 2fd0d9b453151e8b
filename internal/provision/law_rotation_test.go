package provision_test

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// rotateAtRandom takes steps of rotations, each of some components and under disturbance. Whatever was done, verify finds nothing
// and plan is empty; it may leave off in the middle.
func (h *house) rotateAtRandom(t *rapid.T) {
	for range rapid.IntRange(0, 3).Draw(t, "steps of rotations") {
		step := rapid.SampledFrom([]string{"replace", "replace", "finish", "undo", "in place"}).Draw(t, "step")
		var components []string
		for _, c := range h.spec.ComponentNames() {
			if h.spec.Account(c).Ours() && rapid.Bool().Draw(t, "rotates "+string(c)) {
				components = append(components, string(c))
			}
		}
		if len(components) == 0 {
			continue
		}
		slices.Sort(components)
		stop, _ := disturb(t, h.lab)
		h.until(t, step, func(t fatalT) (p *plan.Plan, err error) {
			h.narrowed(t, nil, components, func() {
				switch step {
				case "in place":
					p, _, err = h.rotate(t)
				case "undo":
					if p, err = h.turnIn(t, context.Background(), "revert", false); err == nil {
						p, err = h.turnIn(t, context.Background(), "withdraw", false)
					}
				default:
					p, err = h.turnIn(t, context.Background(), step, false)
				}
			})
			return p, err
		})
		stop()
		h.allOpen(t, step)
		h.proved(t, step, h.verify(t))
		if p := h.plan(t); p.Err() != nil || p.Differs() {
			t.Fatalf("the plan after %s is not empty (%v):\n%s", step, p.Err(), text(p))
		}
	}
}
