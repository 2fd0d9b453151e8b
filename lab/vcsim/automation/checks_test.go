package automation

import (
	"fmt"
	"testing"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Each check is kept once, the oldest goes first, and a page says whether something went before it was read.
func TestChecks(t *testing.T) {
	c := NewChecks(3)
	add := func(privilege, who string) {
		c.Add(Check{Object: types.ManagedObjectReference{Type: "Folder", Value: "group-d1"}, Principal: directory.Principal{Domain: "d", Name: who}, Privilege: privilege})
	}
	if c.latest() != "" || c.page(&checkFilter{}, 0, 0, 9).Marker != "" {
		t.Error("an empty buffer has a marker")
	}
	for _, privilege := range []string{"A", "B", "A", "C"} {
		add(privilege, "mapi")
	}
	text := func(p checksPage) string {
		all := ""
		for _, item := range p.Items {
			all += item.Privilege
		}
		return fmt.Sprint(all, " ", p.Marker, " ", p.Truncated)
	}
	for _, tt := range []struct {
		after, end, size int
		want             string
	}{
		{0, 0, 9, "ABC 3 false"}, {0, 0, 2, "AB 2 false"}, {2, 0, 2, "C 3 false"}, {3, 0, 2, " 3 false"}, {0, 2, 9, "AB 2 false"},
	} {
		if got := text(c.page(&checkFilter{}, tt.after, tt.end, tt.size)); got != tt.want {
			t.Errorf("after %d to %d, %d: %q, want %q", tt.after, tt.end, tt.size, got, tt.want)
		}
	}
	add("D", "csi")
	add("A", "mapi") // which went out, so it is there anew
	for _, tt := range []struct {
		after int
		want  string
	}{{0, "CDA 5 false"}, {1, "CDA 5 true"}, {2, "CDA 5 false"}, {4, "A 5 false"}} {
		if got := text(c.page(&checkFilter{}, tt.after, 0, 9)); got != tt.want {
			t.Errorf("after %d: %q, want %q", tt.after, got, tt.want)
		}
	}
	for want, f := range map[string]checkFilter{
		"D 5 false":  {Principals: []*checkedPerson{{Name: "CSI", Domain: "D"}}},
		"CA 5 false": {Principals: []*checkedPerson{{Name: "mapi", Domain: "d"}, nil}, Privileges: []string{"A", "B", "C"}},
		" 5 false":   {Objects: []object{{Type: "Folder", ID: "group-v1"}}},
	} {
		if got := text(c.page(&f, 0, 0, 9)); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}
