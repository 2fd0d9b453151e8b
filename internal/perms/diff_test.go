package perms

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// held are roles of a test: id → name and privileges; 9 is one that lets nobody in.
type held map[int32][]string

func (h held) Name(id int32) string {
	if r, ok := h[id]; ok {
		return r[0]
	}
	return fmt.Sprintf("role %d", id)
}

func (h held) Privileges(name string) []string {
	for _, r := range h {
		if r[0] == name {
			return r[1:]
		}
	}
	return nil
}

func (h held) Known(name string) bool {
	for _, r := range h {
		if r[0] == name {
			return true
		}
	}
	return false
}

func (h held) Reads(id int32) bool { return id != 9 }

func said(steps []Step) []string {
	var all []string
	for _, s := range steps {
		text := fmt.Sprintf("%s %s on %s: %v -> %v", s.Verb, s.Principal, s.Object, s.Before, s.After)
		if s.Note != "" {
			text += " (" + s.Note + ")"
		}
		if s.Displaces {
			text += " displaces"
		}
		if s.Restores {
			text += " restores"
		}
		all = append(all, text)
	}
	return all
}

func TestDiff(t *testing.T) {
	t.Parallel()
	object := func(name string) *inventory.Object {
		return &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: name}, Name: name}
	}
	a, b, future := object("a"), object("b"), &inventory.Object{Ref: inventory.Ref{Type: "Folder"}, Name: "new"}
	roles := held{1: {"ours", "A", "B"}, 2: {"other", "A"}, 3: {"twin", "A", "B"}, -2: {"ReadOnly"}, 9: {"NoAccess"}}
	path := func(r inventory.Ref) string { return "/" + r.Value }
	mine := map[string]string{"me@d": "me@d"}
	want := func(o *inventory.Object, change ...func(*Want)) Want {
		w := Want{At: o, Principal: "me@d", Key: "me@d", Role: "ours", Holds: []string{"A", "B"}}
		for _, f := range change {
			f(&w)
		}
		return w
	}
	adopted := func(w *Want) { w.Adopted = true }
	propagates := func(w *Want) { w.Propagate = true }
	on := func(o *inventory.Object, role int32, propagate bool) Permission {
		return Permission{Entity: o.Ref, Principal: `D\ME`, RoleID: role, Propagate: propagate}
	}
	keyOf := func(principal string, group bool) string {
		if principal == `D\ME` {
			principal = "me@d"
		}
		return named(principal, group)
	}
	for name, c := range map[string]struct {
		want    []Want
		live    []Permission
		options Options
		steps   []string
		told    string // instead of a step
	}{
		"there is none":             {want: []Want{want(a)}, steps: []string{"create me@d on Folder:a: <nil> -> ours"}},
		"in a folder that is to be": {want: []Want{want(future)}, live: []Permission{on(a, 2, false)}, steps: []string{"create me@d on Folder:: <nil> -> ours"}},
		"it is there":               {want: []Want{want(a)}, live: []Permission{on(a, 1, false)}, options: Options{Owned: mine}},
		"another role":              {want: []Want{want(a)}, live: []Permission{on(a, 2, false)}, steps: []string{"update me@d on Folder:a: other -> ours (displaces other)"}},
		"propagation alone":         {want: []Want{want(a, propagates)}, live: []Permission{on(a, 1, false)}, steps: []string{"update me@d on Folder:a: ours -> ours, propagates"}},
		"of another name that holds the same": {
			want: []Want{want(a)}, live: []Permission{on(a, 3, false)}, steps: []string{"update me@d on Folder:a: twin -> ours"},
		},
		"what others gave an adopted one stays where it is what is wanted": {want: []Want{want(a, adopted)}, live: []Permission{on(a, 3, false)}},
		"and is displaced where it is not": {
			want: []Want{want(a, adopted)}, live: []Permission{on(a, 2, false)},
			steps: []string{"update me@d on Folder:a: other -> ours (displaces other) displaces"},
		},
		"no access is not reading": {
			want: []Want{want(a, adopted, func(w *Want) { w.Role, w.Holds = "read", nil })}, live: []Permission{on(a, 9, false)},
			steps: []string{"update me@d on Folder:a: NoAccess -> read (displaces NoAccess) displaces"},
		},
		"what is not wanted goes": {
			want: []Want{want(a)}, live: []Permission{on(a, 1, false), on(b, 2, true)}, options: Options{Owned: mine},
			steps: []string{"delete me@d on /b: other, propagates -> <nil>"},
		},
		"but not another's":              {live: []Permission{{Entity: b.Ref, Principal: "you@d", RoleID: 1}}, options: Options{Owned: mine}},
		"nor a group's of the same name": {live: []Permission{{Entity: b.Ref, Principal: "me@d", Group: true, RoleID: 1}}, options: Options{Owned: mine}},
		"nor when nothing is taken away": {
			want: []Want{want(a)}, live: []Permission{on(a, 2, false), on(b, 2, false)}, options: Options{Owned: mine, Additive: true},
			steps: []string{"update me@d on Folder:a: other -> ours (displaces other)"},
		},
		"which says what it leaves": {
			want: []Want{want(a, func(w *Want) { w.Role, w.Holds = "small", []string{"A"} })}, live: []Permission{on(a, 1, false)}, options: Options{Additive: true},
			told: "stays ours; small would remove something",
		},
		"nor that it no longer propagates": {
			want: []Want{want(a)}, live: []Permission{on(a, 1, true)}, options: Options{Additive: true},
			told: "stays ours, propagates; ours would remove something",
		},
		"what counts further up is displaced by a change, too": {
			want: []Want{want(a, adopted, propagates, func(w *Want) { w.Displaces = true })}, live: []Permission{on(a, 1, false)},
			steps: []string{"update me@d on Folder:a: ours -> ours, propagates displaces"},
		},
		"what was there before us comes back": {
			live: []Permission{on(b, 1, false)},
			options: Options{
				Made:   func(Permission) bool { return true },
				Former: func(Permission) (plan.PermissionState, bool) { return plan.PermissionState{Role: "other"}, true },
			},
			steps: []string{`update D\ME on /b: ours -> other (restores what it had before) restores`},
		},
		"unless its role is gone": {
			live: []Permission{on(b, 1, false)},
			options: Options{
				Made:   func(Permission) bool { return true },
				Former: func(Permission) (plan.PermissionState, bool) { return plan.PermissionState{Role: "gone"}, true },
			},
			steps: []string{`delete D\ME on /b: ours -> <nil> (role gone, which it had here before, no longer exists and cannot be restored)`},
		},
	} {
		c.options.Place = func(at inventory.Ref) (string, string) { return path(at), "" }
		live := Of("vc1", c.live, keyOf)
		steps := Diff(c.want, live, roles, c.options)
		for _, p := range Compare(c.want, live, roles, c.options) {
			if told := p.Told != nil; told != (c.told != "") && p.Want != nil || told && (p.Told.Text != c.told || !p.Stays) {
				t.Errorf("%s: %+v", name, p.Told)
			}
		}
		if d := cmp.Diff(c.steps, said(steps)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		for _, s := range steps {
			if s.want != nil && !slices.Contains(s.Needs, plan.Key("vc1", plan.Role, s.want.Role)) {
				t.Errorf("%s: %s does not wait for its role: %q", name, s.Subject(), s.Needs)
			}
		}
	}
}

// What stays as it is, and what is somebody else's, is said as well; it makes no step.
func TestCompareSaysWhatStays(t *testing.T) {
	t.Parallel()
	at := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "a"}, Name: "a"}
	live := Of("vc1", []Permission{
		{Entity: at.Ref, Principal: "me@d", RoleID: 1},
		{Entity: at.Ref, Principal: "them@d", RoleID: 1},
		{Entity: inventory.Ref{Type: "Folder", Value: "b"}, Principal: "me@d", RoleID: 1},
	}, key)
	want := []Want{{At: at, Principal: "me@d", Key: key("me@d", false), Role: "r1"}}
	o := Options{Owned: map[string]string{key("me@d", false): "me@d"}, Stays: func(p Permission) bool { return p.Entity.Value == "b" }}
	var got []string
	for _, c := range Compare(want, live, held{1: {"r1"}}, o) {
		got = append(got, fmt.Sprintf("%s on %s: wanted %v, of %q, changes %v", c.Had.Principal, c.Had.Entity.Value, c.Want != nil, c.Owner, c.Step != nil))
	}
	if d := cmp.Diff([]string{
		`me@d on a: wanted true, of "", changes false`,
		`them@d on a: wanted false, of "", changes false`,
		`me@d on b: wanted false, of "me@d", changes false`,
	}, got); d != "" {
		t.Error(d)
	}
}
