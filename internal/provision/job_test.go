package provision_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The law: after apply, verify finds nothing and a second plan is empty; after destroy, everything is as it was.
func TestTheWholeJob(t *testing.T) {
	t.Parallel()
	h := demo(t)
	before := h.snapshot()
	report, err := h.apply(t)
	if err != nil {
		t.Fatalf("%+v\n%s", err, text(report))
	}
	t.Log(text(report))
	v := h.verify(t)
	if !v.Meets(byDefault) {
		t.Errorf("verify: %+v", v)
	}
	if v.Summary.Accounts != 10 || v.Summary.Unverified != 0 {
		t.Errorf("accounts: %+v", v.Summary)
	}
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("the second plan is not empty (%v):\n%s", p.Err(), text(p))
	}
	if report, err = h.destroy(t); err != nil {
		t.Fatalf("%+v\n%s", err, text(report))
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
		t.Errorf("destroy left or took something:\n%s", diff)
	}
}
