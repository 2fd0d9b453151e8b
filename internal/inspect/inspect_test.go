package inspect

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// The state of a permission follows from what was compared; one on all vCenters is told apart whatever is wanted.
func TestPermissionState(t *testing.T) {
	t.Parallel()
	had, global, want := &perms.Permission{}, &perms.Permission{Entity: inventory.Global.Ref}, &perms.Want{}
	step := &perms.Step{Change: &plan.Change{}}
	for name, tt := range map[string]struct {
		of          perms.Compared
		known, ours bool
		want        string
	}{
		"not there":                       {perms.Compared{Want: want, Step: step}, true, false, PermissionMissing},
		"global":                          {perms.Compared{Had: global, Owner: "ocp-c-x"}, true, true, PermissionGlobal},
		"as wanted":                       {perms.Compared{Had: had, Want: want}, true, true, PermissionWanted},
		"to be changed":                   {perms.Compared{Had: had, Want: want, Step: step}, true, true, PermissionDiffers},
		"left alone although wanted":      {perms.Compared{Had: had, Want: want, Stays: true}, true, true, PermissionDiffers},
		"of ours and unwanted":            {perms.Compared{Had: had, Owner: "ocp-c-x"}, true, true, PermissionUnwanted},
		"of ours, not all wanted known":   {perms.Compared{Had: had, Owner: "ocp-c-x"}, false, true, PermissionOurs},
		"with a role of ours, no account": {perms.Compared{Had: had}, true, true, PermissionOurs},
		"of others":                       {perms.Compared{Had: had}, true, false, PermissionForeign},
	} {
		if got := PermissionState(tt.of, tt.known, tt.ours); got != tt.want {
			t.Errorf("%s: %s, not %s", name, got, tt.want)
		}
	}
}

// tree is /, /DC1 and /DC1/vm/f, in this order.
func tree() (root, dc, folder *inventory.Object) {
	root = &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "root"}}
	inventory.NewTree().SetRoot(root)
	dc = &inventory.Object{Ref: inventory.Ref{Type: "Datacenter", Value: "dc"}, Name: "DC1", Parent: root}
	vm := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "vm"}, Name: "vm", Parent: dc}
	return root, dc, &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "f"}, Name: "f", Parent: vm}
}

// A query chooses what stands on its objects and, with what is above them, what reaches them; without objects and principals it
// chooses what is ours, or everything.
func TestChooses(t *testing.T) {
	t.Parallel()
	root, dc, folder := tree()
	on := func(o *inventory.Object, who string, propagate bool) perms.Permission {
		return perms.Permission{Entity: o.Ref, Principal: who, Propagate: propagate}
	}
	objects := []string{"/DC1/vm/f"}
	for name, tt := range map[string]struct {
		q    PermissionQuery
		p    perms.Permission
		ours bool
		want bool
	}{
		"ours":                            {PermissionQuery{}, on(dc, "a", false), true, true},
		"others'":                         {PermissionQuery{}, on(dc, "a", false), false, false},
		"others', all asked for":          {PermissionQuery{All: true}, on(dc, "a", false), false, true},
		"a principal in another spelling": {PermissionQuery{Principals: []string{"A"}}, on(dc, "a", false), false, true},
		"another principal":               {PermissionQuery{Principals: []string{"b"}}, on(dc, "a", false), true, false},
		"on the object":                   {PermissionQuery{Objects: objects}, on(folder, "a", false), false, true},
		"elsewhere":                       {PermissionQuery{Objects: objects}, on(dc, "a", true), false, false},
		"from above":                      {PermissionQuery{Objects: objects, Inherited: true}, on(root, "a", true), false, true},
		"above, for itself":               {PermissionQuery{Objects: objects, Inherited: true}, on(root, "a", false), false, false},
		"global":                          {PermissionQuery{Objects: objects, Inherited: true}, on(inventory.Global, "a", true), false, true},
		"of another principal there":      {PermissionQuery{Objects: objects, Principals: []string{"b"}}, on(folder, "a", false), true, false},
	} {
		at := Places{}
		if len(tt.q.Objects) > 0 {
			at.Add(folder, "/DC1/vm/f", tt.q.Inherited)
		}
		if got := tt.q.Chooses(tt.p, at, strings.ToLower, tt.ours); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	at := Places{}
	at.Add(folder, "/DC1/vm/f", true)
	at.Add(dc, "/DC1", true)
	for o, want := range map[*inventory.Object]string{folder: "", dc: "", root: "/DC1/vm/f, /DC1", inventory.Global: "/DC1/vm/f, /DC1"} {
		if got := at.Reached(o.Ref); got != want {
			t.Errorf("%s reaches %q, not %q", o.Ref, got, want)
		}
	}
}

// Whatever is left of a list, a vCenter where it is not known whose a permission is makes it incomplete.
func TestKeepNotesUnknown(t *testing.T) {
	t.Parallel()
	l := &PermissionList{VCenters: []PermissionsVCenter{
		{Result: Result{Server: "vc1"}, Permissions: []Permission{{Component: "a", State: PermissionUnknown}, {Component: "b", State: PermissionWanted}}},
		{Result: Result{Server: "vc2"}, Permissions: []Permission{{Component: "b", State: PermissionUnknown}}},
	}}
	l.Keep(func(component string) bool { return component == "a" })
	if len(l.VCenters[0].Permissions) != 1 || len(l.VCenters[1].Permissions) != 0 || !slices.Equal(l.Incomplete, []string{"vc1"}) {
		t.Errorf("%+v", l)
	}
}

// What permissions explain is held against the vCenter's own answer, which counts, and against what a component needs.
func TestCheckedObject(t *testing.T) {
	t.Parallel()
	root, _, folder := tree()
	live := roles.Of("vc1", []roles.Role{{ID: 1, Name: "one", Privileges: []string{"A"}}, {ID: 2, Name: "two", Privileges: []string{"A", "B"}}}, nil)
	by := []access.Evidence[perms.Permission]{
		{Permission: perms.Permission{Principal: "me", RoleID: 1}, At: folder, Counts: true, Why: "here"},
		{Permission: perms.Permission{Principal: "group", Group: true, RoleID: 2, Propagate: true}, At: root, Counts: false, Why: "displaced"},
	}
	for name, tt := range map[string]struct {
		answer, need, allowed                           []string
		state                                           string
		onlyExplained, onlyServer, held, missing, spare []string
	}{
		"agreed":            {answer: []string{"A"}, need: []string{"A"}, state: AnswerAgreed, held: []string{"A"}},
		"the vCenter more":  {answer: []string{"A", "C"}, need: []string{"A"}, state: AnswerDisagreed, onlyServer: []string{"C"}, held: []string{"A", "C"}, spare: []string{"C"}},
		"the vCenter less":  {need: []string{"A"}, state: AnswerDisagreed, onlyExplained: []string{"A"}, missing: []string{"A"}},
		"more is allowed":   {answer: []string{"A"}, allowed: []string{"A"}, state: AnswerAgreed, held: []string{"A"}},
		"more is not":       {answer: []string{"A"}, state: AnswerAgreed, held: []string{"A"}, spare: []string{"A"}},
		"something missing": {answer: []string{"A"}, need: []string{"A", "B"}, state: AnswerAgreed, held: []string{"A"}, missing: []string{"B"}},
	} {
		implicit := roles.Role{Privileges: []string{"A"}}.Implicit()
		c := Explained(folder, by, live)
		if c.Answer != AnswerExplained || len(c.Grants) != 2 || c.Grants[0].Role != "one" || c.Grants[1].Counts || c.Path != "/DC1/vm/f" {
			t.Fatalf("%s: %+v", name, c)
		}
		c.Answered(append(slices.Clone(implicit), tt.answer...))
		c.Against("folder", append(slices.Clone(implicit), tt.need...), tt.allowed)
		got := [][]string{c.OnlyExplained, c.OnlyServer, slices.DeleteFunc(c.held(), func(id string) bool { return slices.Contains(implicit, id) }), c.Missing, c.Excess}
		want := [][]string{tt.onlyExplained, tt.onlyServer, tt.held, tt.missing, tt.spare}
		for i := range want {
			if !slices.Equal(got[i], want[i]) || c.Answer != tt.state {
				t.Errorf("%s: %s, %d: %q, not %q", name, c.Answer, i, got[i], want[i])
			}
		}
		for _, p := range c.Privileges {
			if explained := p.ID != "C"; explained != (len(p.Through) > 0) {
				t.Errorf("%s: %s is given by %v", name, p.ID, p.Through)
			}
		}
		check := &PermissionCheck{VCenters: []CheckedVCenter{{Objects: []CheckedObject{c, c}}}}
		check.Count()
		if s := check.Summary; s.Objects != 2 || s.Missing != 2*len(tt.missing) || s.Excess != 2*len(tt.spare) || (s.Disagreements == 2) != (tt.state == AnswerDisagreed) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Roles are compared with the matrix, and vCenters with each other where the same is wanted of them.
func TestDiffRoles(t *testing.T) {
	t.Parallel()
	want := func(privileges ...string) *roles.Want { return &roles.Want{Name: "r", Privileges: privileges} }
	live := func(privileges ...string) *roles.Role { return &roles.Role{ID: 1, Name: "r", Privileges: privileges} }
	changed := &plan.Change{}
	foreign := func(roles.Role) string { return RoleForeign }
	for name, tt := range map[string]struct {
		compared  []roles.Compared // of each vCenter, one role
		all       bool
		different int
		states    []string
		lacks     []string
		apart     bool
	}{
		"the same":              {[]roles.Compared{{Live: live("A"), Want: want("A")}, {Live: live("A"), Want: want("A")}}, false, 0, nil, nil, false},
		"changed on one":        {[]roles.Compared{{Live: live("A"), Want: want("A", "B"), Change: changed}, {Live: live("A", "B"), Want: want("A", "B")}}, false, 1, []string{RoleDiffers, RoleSame}, []string{"B", ""}, true},
		"missing on one":        {[]roles.Compared{{Want: want("A")}, {Live: live("A"), Want: want("A")}}, false, 1, []string{RoleAbsent, RoleSame}, []string{"A", ""}, true},
		"something else wanted": {[]roles.Compared{{Live: live("A"), Want: want("A")}, {Live: live("A", "B"), Want: want("A", "B")}}, false, 0, nil, nil, false},
		"others', not asked":    {[]roles.Compared{{Live: live("A")}, {Live: live("B")}}, false, 0, nil, nil, false},
		"others', asked":        {[]roles.Compared{{Live: live("A")}, {Live: live("B")}}, true, 1, []string{RoleForeign, RoleForeign}, []string{"B", "A"}, true},
	} {
		var read [][]Role
		for _, c := range tt.compared {
			read = append(read, Roles([]roles.Compared{c}, func(int32) []string { return nil }, foreign))
		}
		d := DiffRoles([]Result{{Server: "vc1"}, {Server: "vc2"}, {Server: "vc3", Error: "down"}}, append(read, nil), tt.all)
		if d.Summary.Different != tt.different || d.Same() != (tt.different == 0) {
			t.Errorf("%s: %+v", name, d.Summary)
			continue
		}
		if tt.different == 0 {
			continue
		}
		var states, lacks []string
		for _, v := range d.Roles[0].VCenters {
			states, lacks = append(states, v.State), append(lacks, strings.Join(v.Lacks, " "))
			if v.Apart != tt.apart {
				t.Errorf("%s: %s is apart: %t", name, v.Server, v.Apart)
			}
		}
		if diff := cmp.Diff([][]string{tt.states, tt.lacks}, [][]string{states, lacks}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A rotation is open while there is more of an account than the one in use, or a password is lost; what cannot be known is not open.
func TestOpen(t *testing.T) {
	t.Parallel()
	for stage, want := range map[string]bool{
		StageInUse: false, StageMissing: false, StageUnknown: false, StageNext: true, StageReplaced: true, StageDropped: true,
	} {
		l := &RotationStatus{VCenters: []RotatedVCenter{{Accounts: []RotatedAccount{{Stage: StageInUse}, {Stage: stage}}}}}
		if l.Open() != want {
			t.Errorf("%s: %t", stage, l.Open())
		}
	}
	for code, want := range map[finding.Code]bool{finding.LostPassword: true, finding.ExpiringPassword: false} {
		if l := (&RotationStatus{Findings: []*finding.Finding{finding.New(code, "", "x")}}); l.Open() != want {
			t.Errorf("%s: %t", code, l.Open())
		}
	}
}

// A report is partial where some vCenters failed and others did not; their errors are joined, and a note is said once.
func TestResults(t *testing.T) {
	t.Parallel()
	ok, down := Result{Server: "vc1"}, Result{Server: "vc2"}
	cause := errors.New("down")
	down.Fail(cause)
	for _, tt := range []struct {
		all     []UserVCenter
		partial bool
		err     error
	}{
		{[]UserVCenter{{Result: ok}}, false, nil},
		{[]UserVCenter{{Result: ok}, {Result: down}}, true, cause},
		{[]UserVCenter{{Result: down}, {Result: down}}, false, cause},
	} {
		r := ResultsOf(tt.all)
		if r.Partial() != tt.partial || !errors.Is(r.Err(), tt.err) || (r.Err() == nil) != (tt.err == nil) {
			t.Errorf("%+v: partial %t, %v", tt.all, r.Partial(), r.Err())
		}
	}
	ok.Note("a")
	ok.Note("a")
	if !slices.Equal(ok.Notes, []string{"a"}) {
		t.Errorf("%q", ok.Notes)
	}
}
