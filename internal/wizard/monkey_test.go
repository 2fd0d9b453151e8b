package wizard

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// monkey chooses anything that can be chosen, goes back, loses vCenters, and leaves at some time.
type monkey struct {
	*person
	rt   *rapid.T
	rig  *rig
	left int // questions until it leaves
}

func (m *monkey) begin(message string) error {
	m.asked = append(m.asked, message)
	if m.left--; m.left < 0 {
		return ErrInterrupted
	}
	v := rapid.SampledFrom(m.rig.lab.VCenters).Draw(m.rt, "vCenter")
	switch rapid.IntRange(0, 39).Draw(m.rt, "mood") {
	case 39, 38, 37:
		return errBack
	case 36:
		v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Blocked} })
	case 35, 34, 33, 32:
		v.SetFault(nil)
	}
	return nil
}

func (m *monkey) Select(_ context.Context, q Choice) (int, error) {
	if q.Default < 0 || q.Default >= len(q.Entries) {
		m.rt.Fatalf("%s: default %d of %d", q.Message, q.Default, len(q.Entries))
	}
	if err := m.begin(q.Message); err != nil {
		return 0, err
	}
	i := q.Default
	if rapid.IntRange(0, 3).Draw(m.rt, "other") == 3 {
		i = rapid.IntRange(0, len(q.Entries)-1).Draw(m.rt, q.Message)
	}
	switch {
	case strings.HasPrefix(q.Message, "is this thumbprint"):
		i = 1
	case q.Entries[i].Label == "save and quit" && m.left > 20:
		i = q.Default
	}
	return i, nil
}

func (m *monkey) MultiSelect(_ context.Context, q Choices) ([]int, error) {
	if err := m.begin(q.Message); err != nil {
		return nil, err
	}
	var chosen []int
	for i := range q.Entries {
		if rapid.Bool().Draw(m.rt, q.Entries[i].Label) {
			chosen = append(chosen, i)
		}
	}
	if q.Check != nil && q.Check(chosen) != nil {
		return []int{0}, nil //nolint:nilerr // the first will do
	}
	return chosen, nil
}

func (m *monkey) Input(_ context.Context, q Line) (string, error) {
	if err := m.begin(q.Message); err != nil {
		return "", err
	}
	words := []string{q.Default, "c9", "zone-x", "zone-y", "zone-z", "svc@corp.example.com", m.rig.out()}
	for _, v := range m.rig.lab.VCenters {
		switch {
		case strings.HasSuffix(q.Message, "vCenter"):
			if words[0] == q.Default {
				words = nil
			}
			words = append(words, v.Server())
		case q.Message == "address of "+v.Server():
			words = []string{v.Addr()}
		}
	}
	text := rapid.SampledFrom(words).Draw(m.rt, q.Message)
	if strings.HasPrefix(q.Message, "administrator") {
		text = "administrator@vsphere.local"
	}
	if q.Check != nil && q.Check(text) != nil {
		for _, w := range words {
			if q.Check(w) == nil {
				return w, nil
			}
		}
		return "", ErrInterrupted
	}
	return text, nil
}

func (m *monkey) Password(_ context.Context, q Line) (string, error) {
	if err := m.begin(q.Message); err != nil {
		return "", err
	}
	return m.rig.lab.VCenters[0].AdminPassword(), nil
}

// Whatever is chosen, in whatever order, with vCenters that come and go: nothing breaks, and a file that is written can
// be read. The next run goes on from whatever draft was left.
func TestMonkey(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{VCenters: 3})
	rapid.Check(t, func(rt *rapid.T) {
		for _, v := range r.lab.VCenters {
			v.SetFault(nil)
		}
		_ = os.Remove(r.out())
		m := &monkey{person: &person{t: t}, rt: rt, rig: r, left: rapid.IntRange(1, 200).Draw(rt, "patience")}
		o := r.options(m.person)
		o.Ask = m
		o.Plan = func(_ context.Context, j Job) (string, error) {
			if _, err := spec.Parse("answers", j.Spec.YAML()); err != nil {
				rt.Errorf("planned: %v", err)
			}
			return "", nil
		}
		done, err := Run(context.Background(), o)
		var stopped *StoppedError
		switch {
		case errors.As(err, &stopped):
		case err != nil:
			rt.Fatalf("%v\nasked: %q", err, m.asked)
		default:
			if _, err := spec.Load(done.File); err != nil {
				rt.Errorf("written: %v", err)
			}
			_ = os.Remove(done.File)
		}
	})
}
