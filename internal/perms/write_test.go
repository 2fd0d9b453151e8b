package perms

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// unknown are no roles.
type unknown struct{}

func (unknown) ID(string) (int32, bool)    { return 0, false }
func (unknown) Name(int32) string          { return "" }
func (unknown) Known(string) bool          { return false }
func (unknown) Reads(int32) bool           { return false }
func (unknown) Privileges(string) []string { return nil }

func key(principal string, group bool) string { return named(strings.ToLower(principal), group) }

// The permissions of one object go in one request. When it panics, none of them counts as done, not the ones either that
// did not send it themselves.
func TestPanicOfABatch(t *testing.T) {
	t.Parallel()
	at := &inventory.Object{Ref: inventory.Ref{Type: "Datacenter", Value: "dc"}, Name: "DC1"}
	live := Of("vcenter1.example.com", nil, key)
	changes := Diff([]Want{
		{At: at, Principal: "a@vsphere.local", Role: "r"},
		{At: at, Principal: "b@vsphere.local", Role: "r"},
		{At: at, Principal: "c@vsphere.local", Role: "r"},
	}, live, unknown{}, Options{})
	steps := plan.Steps{}
	NewWriter(&vcenter.Session{Server: "vcenter1.example.com"}, unknown{}, key).Attach(steps, changes) // never connected: its content is nil
	p := plan.New("cluster1")
	p.Add("vcenter1.example.com", Changes(changes), nil)
	p.Execute(context.Background(), steps, plan.ExecuteOptions{})
	for _, c := range steps {
		if c.Status != plan.Failed || !strings.Contains(c.Error, "internal error: ") {
			t.Errorf("%s is %s: %s", c.Subject(), c.Status, c.Error)
		}
	}
	if len(steps) != 3 {
		t.Errorf("%d steps", len(steps))
	}
}

// The steps of one object become ready together: each waits for what the others need.
func TestStepsOfAnObjectWaitForEachOther(t *testing.T) {
	t.Parallel()
	at := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "a"}, Name: "a"}
	steps := Diff([]Want{
		{At: at, Principal: "a@d", Key: "a@d", Role: "r1", Needs: []string{"user a"}},
		{At: at, Principal: "b@d", Key: "b@d", Role: "r2", Needs: []string{"user b"}},
	}, Of("vc1", nil, key), held{}, Options{})
	acts := plan.Steps{}
	NewWriter(nil, unknown{}, key).Attach(acts, steps)
	for _, s := range acts {
		for _, need := range []string{"user a", "user b", plan.Key("vc1", plan.Role, "r1"), plan.Key("vc1", plan.Role, "r2")} {
			if !slices.Contains(s.Waits, need) {
				t.Errorf("%s does not wait for %q", s.Subject(), need)
			}
		}
	}
	if len(acts) != 2 {
		t.Errorf("%d steps", len(acts))
	}
}
