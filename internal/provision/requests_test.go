package provision_test

import "testing"

// A vCenter is asked as often as docs/scale.md says, and three times more for the tags of region and zone.
func TestRequests(t *testing.T) {
	t.Parallel()
	h := demo(t)
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	v := h.lab.VCenters[0]
	for name, c := range map[string]struct {
		run  func()
		most int
	}{
		"plan, nothing to do": {func() { h.plan(t) }, 29 + 3},
		"verify":              {func() { h.verify(t) }, 100 + 3},
	} {
		v.ResetRequests()
		if c.run(); v.Total() > c.most {
			t.Errorf("%s: %d requests, want at most %d: %v", name, v.Total(), c.most, v.Requests())
		}
	}
}
