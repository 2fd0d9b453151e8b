package resolution_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// The first source that takes is used, even with no user; the others are overridden, in their order.
func TestTheFirstThatTakesIsUsed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		takes := rapid.SliceOfN(rapid.Bool(), 0, 6).Draw(t, "takes")
		var sources []resolution.Source
		first := -1
		for i, take := range takes {
			sources = append(sources, resolution.Source{Candidate: resolution.Candidate{Step: string(rune('a' + i)), User: rapid.SampledFrom([]string{"", "u@d"}).Draw(t, "user")}, Takes: take})
			if take && first < 0 {
				first = i
			}
		}
		r := resolution.Resolve("c", "vc", sources...)
		want, rest := resolution.Candidate{Step: resolution.None}, sources
		if first >= 0 {
			want = sources[first].Candidate
			rest = append(append([]resolution.Source{}, sources[:first]...), sources[first+1:]...)
		}
		if r.Candidate != want || len(r.Overridden) != len(rest) || r.Consumer != "c" || r.Server != "vc" {
			t.Fatalf("%+v, want %+v", r, want)
		}
		for i, o := range r.Overridden {
			if o != rest[i].Candidate {
				t.Errorf("overridden %d: %+v, want %+v", i, o, rest[i].Candidate)
			}
		}
	})
}

func TestWhoIsRefusedGetsNothing(t *testing.T) {
	t.Parallel()
	r := resolution.Resolve("c", "vc", resolution.Source{Candidate: resolution.Candidate{Step: "identity", User: "u@d"}, Takes: true})
	if r.Gets() != "u@d" {
		t.Errorf("gets %q", r.Gets())
	}
	if r.Refusal = "not allowed"; r.Gets() != "" {
		t.Errorf("gets %q though refused", r.Gets())
	}
}
