package plan_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// planned is a plan for vCenter vc1, whose instance UUID is u1.
func planned(changes ...*plan.Change) *plan.Plan {
	p := plan.New("c")
	p.Add("vc1", changes, nil)
	p.VCenters[0].InstanceUUID = "u1"
	return p
}

// reread is a plan after it was in a file.
func reread(t interface {
	Helper()
	Fatal(args ...any)
}, p *plan.Plan,
) *plan.Plan {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var out plan.Plan
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

func update(name string, before, after []string) *plan.Change {
	return &plan.Change{
		Verb: plan.Update, Kind: plan.Role, Name: name, Before: plan.RoleState{Privileges: before}, After: plan.RoleState{Privileges: after},
	}
}

// told is a plan with something told beside its changes.
func told(p *plan.Plan, text string) *plan.Plan {
	p.Findings = append(p.Findings, plan.Change{Kind: plan.Permission}.Tell(finding.PlanNote, text))
	return p
}

func TestDifferences(t *testing.T) {
	a, b := role("a"), role("b")
	other := role("a")
	other.After = plan.RoleState{Privileges: []string{"Host.Config.Storage"}}
	noted := permission("p@d", "a")
	noted.Note, noted.Displaced, noted.Remark = "harmless\x1b[2K\x0a\u202e", &plan.PermissionState{Role: "ReadOnly"}, "harmless"
	displacing := permission("p@d", "a")
	displacing.Displaces = true
	grouped := permission("p@d", "a")
	grouped.Group = true
	goes := func(disabled bool) *plan.Change {
		return &plan.Change{Verb: plan.Delete, Kind: plan.User, Name: "u@d", Before: plan.UserState{Description: "m", Disabled: disabled}}
	}
	renamed := planned(a)
	renamed.VCenters[0].Server = "vc2"
	moved := planned(a)
	moved.VCenters[0].InstanceUUID = "u2"
	two := planned(a)
	two.Add("vc2", nil, nil)
	failing := plan.New("c")
	failing.Add("vc1", nil, errors.New("refused"))
	failing.VCenters[0].InstanceUUID = "u1"
	elsewhere := planned(a)
	elsewhere.Cluster = "d"

	for name, c := range map[string]struct {
		file, live *plan.Plan
		want       []plan.Difference
	}{
		"equal": {told(planned(a, b), "n"), told(planned(a, b), "n"), nil},
		"only in the file": {
			planned(a, b), planned(a), []plan.Difference{{Server: "vc1", File: "+ role b: 1 privilege"}},
		},
		"only live": {planned(a), planned(a, b), []plan.Difference{{Server: "vc1", Live: "+ role b: 1 privilege"}}},
		"as many privileges, but others": {planned(a), planned(other), []plan.Difference{{
			Server: "vc1", File: "+ role a: 1 privilege, with Datastore.Browse", Live: "+ role a: 1 privilege, with Host.Config.Storage",
		}}},
		"another verb": {planned(a), planned(update("a", []string{"X"}, []string{"Datastore.Browse"})), []plan.Difference{{
			Server: "vc1", File: "+ role a: 1 privilege", Live: "~ role a: +Datastore.Browse -X",
		}}},
		"another state before, hidden by the line": {
			planned(update("a", []string{"X"}, []string{"X", "Y"})), planned(update("a", []string{"Z"}, []string{"Z", "Y"})), []plan.Difference{{
				Server: "vc1", File: "~ role a: +Y, with X", Live: "~ role a: +Y, with Z",
			}},
		},
		"privileges in another order": {
			planned(update("a", nil, []string{"X", "Y"})), planned(update("a", nil, []string{"Y", "X"})), []plan.Difference{{
				Server: "vc1", File: "~ role a: +X +Y", Live: "~ role a: +Y +X",
			}},
		},
		"a note of a change": {planned(noted), planned(permission("p@d", "a")), nil},
		"what is told alone": {told(planned(a), "n"), told(told(planned(a), "m"), "o"), nil},
		"control characters": {planned(noted), planned(), []plan.Difference{
			{Server: "vc1", File: `~ permission of p@d on /DC1: ReadOnly, propagates -> a (harmless\x1b[2K\x0a\u202e)`},
		}},
		"what is displaced": {planned(displacing), planned(permission("p@d", "a")), []plan.Difference{{
			Server: "vc1", File: "~ permission of p@d on /DC1: ReadOnly, propagates -> a (displaces ReadOnly), with displaces true",
			Live: "~ permission of p@d on /DC1: ReadOnly, propagates -> a (displaces ReadOnly)",
		}}},
		"an account that was disabled": {planned(goes(false)), planned(goes(true)), []plan.Difference{{
			Server: "vc1", File: "- user u@d", Live: "- user u@d, with before disabled true",
		}}},
		"a group": {planned(grouped), planned(permission("p@d", "a")), []plan.Difference{
			{Server: "vc1", File: "~ permission of group p@d on /DC1: ReadOnly, propagates -> a (displaces ReadOnly)"},
			{Server: "vc1", Live: "~ permission of p@d on /DC1: ReadOnly, propagates -> a (displaces ReadOnly)"},
		}},
		"the order": {planned(a, b), planned(b, a), []plan.Difference{
			{Server: "vc1", File: "first + role a: 1 privilege", Live: "first + role b: 1 privilege"},
		}},
		"twice": {planned(a, a), planned(a), []plan.Difference{{Server: "vc1", File: "+ role a: 1 privilege"}}},
		"another vCenter": {planned(a), moved, []plan.Difference{
			{Server: "vc1", File: "instance UUID u1", Live: "instance UUID u2"},
		}},
		"another name":       {planned(a), renamed, []plan.Difference{{Server: "vc1", File: "this vCenter"}}},
		"a vCenter more":     {planned(a), two, []plan.Difference{{Server: "vc2", Live: "this vCenter"}}},
		"a vCenter less":     {two, planned(a), []plan.Difference{{Server: "vc2", File: "this vCenter"}}},
		"an error":           {planned(), failing, []plan.Difference{{Server: "vc1", File: "error ", Live: "error refused"}}},
		"of another cluster": {planned(a), elsewhere, []plan.Difference{{File: "cluster c", Live: "cluster d"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, plan.Differences(reread(t, c.file), c.live)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMade(t *testing.T) {
	a, b := role("a"), role("b")
	changed := update("b", []string{"X"}, []string{"Datastore.Browse"})
	two := planned(a)
	two.Add("vc2", nil, nil)
	// linked is a plan of two vCenters of one SSO domain, of which the first may be unread.
	linked := func(read bool, first []*plan.Change, second ...*plan.Change) *plan.Plan {
		p := plan.New("c")
		p.Add("vc1", first, nil)
		if !read {
			p.VCenters[0].Error = "refused"
		}
		p.Add("vc2", second, nil)
		p.Domains = []plan.Domain{{Name: "d", VCenters: []string{"vc1", "vc2"}}}
		return p
	}
	domain := []*plan.Change{
		{Verb: plan.Create, Kind: plan.Group, Name: "g@d", After: plan.UserState{Description: "m"}},
		{Verb: plan.Create, Kind: plan.User, Name: "u@d", After: plan.UserState{Description: "m", MemberOf: "g@d"}},
	}
	for name, c := range map[string]struct {
		file, live *plan.Plan
		want       []string
		ok         bool
	}{
		"all left":              {planned(a, b), planned(a, b), nil, true},
		"one made":              {told(planned(a, b), "n"), told(planned(b), "m"), []string{"role a"}, true},
		"all made":              {planned(a, b), told(planned(), "m"), []string{"role a", "role b"}, true},
		"something else needed": {planned(a), planned(b), nil, false},
		"another verb needed":   {planned(a, b), planned(changed), nil, false},
		"another vCenter":       {planned(a), two, nil, false},
		"the domain's by the other vCenter, as the first cannot be read": {linked(true, domain, a), linked(false, nil, append(domain, a)...), nil, true},
		"the domain's by the other vCenter, although the first is read":  {linked(true, domain, a), linked(true, nil, append(domain, a)...), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			made, ok := plan.Made(reread(t, c.file), c.live)
			var got []string
			for _, g := range made["vc1"] {
				got = append(got, g.Subject())
			}
			if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
				t.Errorf("ok is %t, want %t: %s", ok, c.ok, diff)
			}
		})
	}
}

// Any edit of one word or flag that says what a change does is a difference and another digest; nothing is, if nothing was edited,
// nor what notes say.
func TestDifferencesSeeEveryEdit(t *testing.T) {
	words := rapid.SampledFrom([]string{"", "a", "b", "Datastore.Browse", "/DC1", "x\ny"})
	states := map[plan.Kind]func(*rapid.T) plan.State{
		plan.Role: func(t *rapid.T) plan.State {
			return plan.RoleState{Privileges: rapid.SliceOfN(words, 0, 3).Draw(t, "ids")}
		},
		plan.User: func(t *rapid.T) plan.State {
			return plan.UserState{Description: words.Draw(t, "description"), Disabled: rapid.Bool().Draw(t, "disabled")}
		},
		plan.Permission: func(t *rapid.T) plan.State {
			return plan.PermissionState{Role: words.Draw(t, "role"), Propagate: rapid.Bool().Draw(t, "propagate")}
		},
		plan.Folder: func(*rapid.T) plan.State { return nil },
	}
	change := rapid.Custom(func(t *rapid.T) *plan.Change {
		c := &plan.Change{
			Verb: rapid.SampledFrom([]plan.Verb{plan.Create, plan.Update, plan.Delete}).Draw(t, "verb"),
			Kind: rapid.SampledFrom([]plan.Kind{plan.Role, plan.User, plan.Permission, plan.Folder}).Draw(t, "kind"),
			Name: words.Draw(t, "name"), Object: words.Draw(t, "object"), Principal: words.Draw(t, "principal"),
			Group: rapid.Bool().Draw(t, "group"), Note: words.Draw(t, "note"),
		}
		if rapid.Bool().Draw(t, "has before") {
			c.Before = states[c.Kind](t)
		}
		if rapid.Bool().Draw(t, "has after") {
			c.After = states[c.Kind](t)
		}
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(change, 0, 6).Draw(t, "changes")
		b := rapid.SliceOfN(change, 0, 6).Draw(t, "others")
		if rapid.Bool().Draw(t, "same") {
			b = rapid.Permutation(a).Draw(t, "order")
		}
		p, q := planned(a...), planned(b...)
		p.Seal("x")
		q.Seal("x")
		same := cmp.Equal(a, b, cmpopts.IgnoreUnexported(plan.Change{}), cmpopts.IgnoreFields(plan.Change{}, "Note"), cmpopts.EquateEmpty())
		read := reread(t, p)
		if read.Check() != nil {
			t.Fatal("a plan of ours is refused:", read.Check())
		}
		read.Seal("x")
		switch {
		case read.Digest != p.Digest:
			t.Fatal("the file has another digest")
		case len(plan.Differences(read, p)) > 0:
			t.Fatal("the file differs from what was saved:", plan.Differences(read, p))
		case same != (len(plan.Differences(read, q)) == 0):
			t.Fatalf("same is %t, and the differences are %v", same, plan.Differences(read, q))
		case same != (p.Digest == q.Digest):
			t.Fatalf("same is %t, and the digests are %s and %s", same, p.Digest, q.Digest)
		}
	})
}

func TestSealCoversWhatIsDoneAndDecided(t *testing.T) {
	build := func(edit func(*plan.Plan), decided any) string {
		p := told(planned(role("a"), role("b")), "n")
		edit(p)
		p.Seal(decided)
		return p.Digest
	}
	base := build(func(*plan.Plan) {}, "spec")
	if plan.CheckDigest(base) != nil || build(func(*plan.Plan) {}, "spec") != base {
		t.Fatal("the digest of one plan is not one digest:", base)
	}
	for name, other := range map[string]string{
		"what decided":  build(func(*plan.Plan) {}, "other spec"),
		"cluster":       build(func(p *plan.Plan) { p.Cluster = "d" }, "spec"),
		"server":        build(func(p *plan.Plan) { p.VCenters[0].Server = "vc2" }, "spec"),
		"instance UUID": build(func(p *plan.Plan) { p.VCenters[0].InstanceUUID = "u2" }, "spec"),
		"state":         build(func(p *plan.Plan) { p.VCenters[0].Changes[0].After = plan.RoleState{} }, "spec"),
		"order": build(func(p *plan.Plan) {
			c := p.VCenters[0].Changes
			c[0], c[1] = c[1], c[0]
		}, "spec"),
	} {
		if other == base {
			t.Errorf("another %s has the same digest", name)
		}
	}
	if build(func(p *plan.Plan) { p.Findings[0].Text, p.VCenters[0].Changes[1].Note = "m", "m" }, "spec") != base {
		t.Error("what is told makes another digest")
	}
	if d := build(func(p *plan.Plan) { p.VCenters[0].Error = "refused" }, "spec"); d != "" {
		t.Error("what could not be read has a digest:", d)
	}
	for _, wrong := range []string{"", base[7:], strings.ToUpper(base), base + " ", base[:70], "sha512:" + base[7:]} {
		if plan.CheckDigest(wrong) == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, edit := range map[string]func(*plan.Plan){
		"a report":         func(p *plan.Plan) { p.Kind = plan.KindApplied },
		"another version":  func(p *plan.Plan) { p.APIVersion = "v0" },
		"no vCenter":       func(p *plan.Plan) { p.VCenters[0] = nil },
		"no changes":       func(p *plan.Plan) { p.VCenters[0].Changes = nil },
		"no change":        func(p *plan.Plan) { p.VCenters[0].Changes[0] = nil },
		"an error":         func(p *plan.Plan) { p.VCenters[0].Error = "refused" },
		"no instance UUID": func(p *plan.Plan) { p.VCenters[0].InstanceUUID = "" },
		"a wrong sum":      func(p *plan.Plan) { p.Summary.Create = 0 },
	} {
		p := planned(role("a"))
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if edit(p); p.Check() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	var p plan.Plan
	for _, text := range []string{`{"kind":"folder","before":{"a":1}}`, `{"kind":"role","after":5}`, `{"kind":"role","name":5}`} {
		if json.Unmarshal([]byte(`{"vcenters":[{"changes":[`+text+`]}]}`), &p) == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
