package sso_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// on is a session of the administrator on the only vCenter of a lab.
func on(t *testing.T) (*vcsim.VCenter, *vcenter.Session) {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v, ctx := lab.VCenters[0], context.Background()
	s, err := vcenter.Connect(ctx, vcenter.Config{
		Server: v.Server(), Address: v.Addr(), RootCAs: lab.CA,
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(ctx) })
	if err := s.Login(ctx, v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	return v, s
}

// A group's own groups are climbed, because the nested ones are told of users only, and the climb does not fail at Everyone,
// who is above all of them and whose own groups are refused.
func TestGroupsOfGroups(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	d := v.Directory()
	for _, f := range []func() error{
		func() error { return d.AddGroup("inner", "") },
		func() error { return d.AddGroup("outer", "") },
		func() error { return d.AddMember("outer", "inner", true) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	client, state, err := sso.Read(context.Background(), s, sso.Query{Principals: []string{"inner@vsphere.local", "everyone@vsphere.local", "nobody@vsphere.local"}})
	if err != nil {
		t.Fatal(err)
	}
	inner, _ := state.Principal("inner@vsphere.local")
	if diff := cmp.Diff([]string{"Everyone@vsphere.local", "outer@vsphere.local"}, inner.Groups); diff != "" || inner.User || !inner.Group || inner.GroupsErr != nil {
		t.Errorf("%+v\n%s", inner, diff)
	}
	if everyone, _ := state.Principal("everyone@vsphere.local"); !everyone.Group || everyone.User || everyone.Err != nil || everyone.GroupsErr != nil || len(everyone.Groups) > 0 {
		t.Errorf("%+v", everyone)
	}
	if nobody, _ := state.Principal("nobody@vsphere.local"); nobody.Group || nobody.User || nobody.Err != nil || nobody.GroupsErr != nil {
		t.Errorf("%+v", nobody)
	}
	for _, name := range []string{"Everyone", `VSPHERE.LOCAL\everyone`} {
		id, err := client.Resolve(context.Background(), name, true)
		if err != nil || id == nil || !id.Group || id.Name != `VSPHERE.LOCAL\Everyone` {
			t.Fatalf("%s: %+v, %v", name, id, err)
		}
		if groups, err := client.Groups(context.Background(), id); err != nil || len(groups) > 0 {
			t.Errorf("groups of %s: %v, %v", name, groups, err)
		}
	}
}

// The climb does not ask for the groups of Everyone, and a group that is deleted on the way has none.
func TestGroupThatGoesAway(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	d := v.Directory()
	for _, f := range []func() error{
		func() error { return d.AddGroup("inner", "") },
		func() error { return d.AddGroup("outer", "") },
		func() error { return d.AddMember("outer", "inner", true) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	client, _, err := sso.Read(context.Background(), s, sso.Query{})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := client.Resolve(context.Background(), "inner", true)
	if err != nil || inner == nil {
		t.Fatal(inner, err)
	}
	asked := 0
	v.SetFault(func(_ int, method string) vcsim.Fault {
		if method == "FindDirectParentGroups" {
			if asked++; asked == 2 {
				if err := d.RemoveGroup("outer"); err != nil {
					t.Error(err)
				}
			}
		}
		return vcsim.Fault{}
	})
	groups, err := client.Groups(context.Background(), inner)
	if diff := cmp.Diff([]string{"Everyone@vsphere.local", "outer@vsphere.local"}, groups); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if asked != 2 { // inner and outer
		t.Errorf("%d groups were asked for theirs", asked)
	}
}

// A look-up that is refused with InvalidPrincipal, which the source of vCenter SSO allows of an id that cannot be, finds nobody.
func TestLookupsThatRefuseThePrincipal(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	v.SetAnswer(func(a *vcsim.Answer) {
		switch a.Method {
		case "FindPersonUser", "FindUser", "FindGroup":
			a.Status = http.StatusInternalServerError
			a.Body = []byte(`<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e:Body>` +
				`<e:Fault><faultcode>ServerFaultCode</faultcode><faultstring>x</faultstring><detail><SsoFaultInvalidPrincipalFaultFault xmlns="urn:sso"` +
				` xsi:type="SsoFaultInvalidPrincipalFault"><principal>svc</principal></SsoFaultInvalidPrincipalFaultFault></detail></e:Fault></e:Body></e:Envelope>`)
		}
	})
	client, state, err := sso.Read(context.Background(), s, sso.Query{Names: []string{"svc"}, Principals: []string{"svc@vsphere.local"}})
	if err != nil {
		t.Fatal(err)
	}
	if found, asked := state.Principal("svc@vsphere.local"); !asked || found.User || found.Group || found.Err != nil || found.GroupsErr != nil {
		t.Errorf("%+v", found)
	}
	if len(state.Users) > 0 {
		t.Errorf("%+v", state.Users)
	}
	if id, err := client.Resolve(context.Background(), "svc", false); id != nil || err != nil {
		t.Errorf("%+v, %v", id, err)
	}
	if u, err := client.Person(context.Background(), "svc"); u != nil || err != nil {
		t.Errorf("%+v, %v", u, err)
	}
	if _, _, err := client.Reset(context.Background(), "svc", "mark", secret.New("Str0ng.password-x")); !errors.Is(err, sso.ErrNotOurs) {
		t.Error(err)
	}
}

// An account that somebody deletes between our look and our change is gone, in our words and not in those of a fault.
func TestGoneMeanwhile(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	mark := sso.Mark("c1", "csi-driver")
	client, _, err := sso.Read(context.Background(), s, sso.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for method, change := range map[string]func() error{
		"ResetLocalPersonUserPassword": func() error {
			_, perhaps, err := client.Reset(context.Background(), "svc", mark, secret.New("Str0ng.password-x"))
			if perhaps {
				t.Error("the password may have been set, of an account that is not there")
			}
			return err
		},
		"UpdateLocalPersonUserDetails": func() error {
			note, _, err := client.Reset(context.Background(), "svc", mark, secret.New("Str0ng.password-x"))
			if err != nil {
				return fmt.Errorf("before the account was gone: %w", err)
			}
			return note(context.Background(), time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC))
		},
	} {
		if err := v.Directory().AddUser("svc", "F0reign!pass", directory.Details{Description: mark}); err != nil {
			t.Fatal(err)
		}
		v.SetFault(func(_ int, asked string) vcsim.Fault {
			if asked == method {
				if err := v.Directory().RemoveUser("svc"); err != nil {
					t.Error(err)
				}
			}
			return vcsim.Fault{}
		})
		if err := change(); !errors.Is(err, sso.ErrNotOurs) || !strings.Contains(err.Error(), "it does not exist") {
			t.Errorf("%s: %v", method, err)
		}
		v.SetFault(nil)
	}
}

// crowd adds so many accounts of others, whose names come before those of ours.
func crowd(t *testing.T, d *directory.Directory, n int) {
	t.Helper()
	for i := range n {
		if err := d.AddUser(fmt.Sprintf("aaa%05d", i), "", directory.Details{}); err != nil {
			t.Fatal(err)
		}
	}
}

// A domain tells of 5,000 accounts and not that there are more: ours behind them are found by their mark.
func TestMarkedAmongMoreThanAnAnswerHolds(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	d := v.Directory()
	mark := sso.Mark("c1", "csi-driver")
	for _, name := range []string{"aaa", "ours-1", "ours-2"} { // the first is among the first 5,000
		if err := d.AddUser(name, "", directory.Details{Description: mark + "; password set 2026-02-03"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.SetDisabled("ours-2", true); err != nil {
		t.Fatal(err)
	}
	crowd(t, d, 5100)
	client, _, err := sso.Read(context.Background(), s, sso.Query{})
	if err != nil {
		t.Fatal(err)
	}
	users, err := client.AllMarked(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range users {
		got = append(got, fmt.Sprintf("%s %v %v", u.Name, u.Disabled, u.Description == mark))
	}
	if diff := cmp.Diff([]string{"aaa false true", "ours-1 false true", "ours-2 true true"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// A server whose search does not look at descriptions cannot be asked, and the list is no list.
	v.SetAnswer(func(a *vcsim.Answer) {
		if a.Method == "FindUsers" {
			a.Body = []byte(strings.ReplaceAll(string(a.Body), mark, ""))
		}
	})
	if _, err := client.AllMarked(context.Background()); err == nil || !strings.Contains(err.Error(), "more than the 4999 accounts") {
		t.Errorf("a search that does not find what is there: %v", err)
	}
	v.SetAnswer(nil)
	for _, name := range []string{"aaa", "ours-1", "ours-2"} {
		if err := d.RemoveUser(name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.AllMarked(context.Background()); err == nil {
		t.Error("nothing proves that the search looks at descriptions, and it is believed")
	}
}

// A password that has expired is a reason of its own, where the server tells how long it lasts.
func TestBarredAndDaysLeft(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	d := v.Directory()
	for _, name := range []string{"fresh", "old", "disabled", "locked"} {
		if err := d.AddUser(name, "F0reign!pass", directory.Details{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.Expire("old"), d.SetDisabled("disabled", true), d.SetLocked("locked", true)); err != nil {
		t.Fatal(err)
	}
	client, _, err := sso.Read(context.Background(), s, sso.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"fresh": "", "old": "expired", "disabled": "disabled", "locked": "locked", "nobody": ""} {
		if why, err := client.Barred(context.Background(), name); err != nil || why != want {
			t.Errorf("%s: %q, %v; want %q", name, why, err, want)
		}
	}
	for name, want := range map[string]int{"fresh": 90, "old": 0} {
		if days, known, err := client.DaysLeft(context.Background(), name); err != nil || !known || days != want {
			t.Errorf("%s: %d, %v, %v", name, days, known, err)
		}
	}
	if days, known, err := client.DaysLeft(context.Background(), "nobody"); err != nil || known {
		t.Errorf("nobody: %d, %v, %v", days, known, err)
	}
}

// The members of groups are asked for beside the identity sources: under -race, the names of one are not read while the
// other writes them.
func TestMembersBesideTheIdentitySources(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	d := v.Directory()
	if err := errors.Join(d.AddGroup("made", sso.Mark("c1", "group")), d.AddGroup("theirs", ""), d.AddUser("a", "F0reign!pass", directory.Details{}),
		d.AddMember("made", "a", false), d.AddMember("theirs", "a", false)); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_, state, err := sso.Read(context.Background(), s, sso.Query{Cluster: "c1", Made: true, Groups: []string{"theirs"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range []string{"made", "theirs"} {
			if diff := cmp.Diff([]string{"a@vsphere.local"}, state.Members(group)); diff != "" {
				t.Fatalf("%s: %s", group, diff)
			}
		}
	}
}

// Accounts whose names begin alike are read by one search, with all that is told of each alone; those that it does not tell of
// are asked for by name, because a search is no evidence that an account is missing.
func TestNamesThatBeginAlike(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	d := v.Directory()
	names := []string{"ocp-c1-a", "OCP-C1-B", "ocp-c1-locked", "ocp-c1-nobody"}
	for _, name := range append(names[:3:3], "ocp-c1-a-2", "x-ocp-c1-nobody", "ocp-c1-nobody@corp.example.com") {
		if err := d.AddUser(name, "F0reign!pass", directory.Details{Description: sso.Mark("c1", "csi-driver")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.SetDisabled("ocp-c1-b", true), d.SetLocked("ocp-c1-locked", true)); err != nil {
		t.Fatal(err)
	}
	alone := map[string]sso.User{}
	for _, name := range names {
		_, state, err := sso.Read(t.Context(), s, sso.Query{Names: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(alone, state.Users)
	}
	names[1] = "ocp-c1-b"
	for _, c := range []struct {
		filed           []string // by no file: they hardly exist
		fails           bool
		searches, finds int
	}{{names, false, 1, 1}, {names, true, 1, 4}, {names[:2], false, 1, 2}, {nil, false, 0, 4}} {
		v.SetFault(func(_ int, m string) vcsim.Fault {
			if c.fails && m == "FindPersonUsers" {
				return vcsim.Fault{Kind: vcsim.Worded, Text: "no search today"}
			}
			return vcsim.Fault{}
		})
		v.ResetRequests()
		_, state, err := sso.Read(t.Context(), s, sso.Query{Names: names, Filed: c.filed})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(alone, state.Users); diff != "" {
			t.Error(diff)
		}
		if got := v.Requests(); got["FindPersonUsers"] != c.searches || got["FindPersonUser"] != c.finds {
			t.Errorf("%v, want %d searches and %d by name", got, c.searches, c.finds)
		}
	}
}
