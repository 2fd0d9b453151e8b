package perms

import (
	"context"
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
	NewWriter(&vcenter.Session{Server: "vcenter1.example.com"}, unknown{}, key).Attach(changes) // never connected: its content is nil
	p := plan.New("cluster1")
	p.Add("vcenter1.example.com", Changes(changes), nil)
	p.Execute(context.Background(), plan.ExecuteOptions{})
	for _, c := range changes {
		if c.Status != plan.Failed || !strings.Contains(c.Error, "internal error: ") {
			t.Errorf("%s is %s: %s", c.Subject(), c.Status, c.Error)
		}
	}
	if len(changes) != 3 {
		t.Errorf("%d changes", len(changes))
	}
}
