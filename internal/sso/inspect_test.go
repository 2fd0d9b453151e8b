package sso_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// live reads a simulated SSO domain with accounts of ours, of others, and groups in groups.
func live(t *testing.T) (*sso.Client, *sso.State, *directory.Directory) {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v := lab.VCenters[0]
	d := v.Directory()
	err = errors.Join(
		d.AddUser("b", "F0reign!pass", directory.Details{Description: sso.Mark("c1", "csi-driver")}),
		d.AddUser("a", "F0reign!pass", directory.Details{Description: sso.Mark("my, cluster", "machine-api") + "; password set 2026-02-03, tag 0a1b2c"}),
		d.AddUser("like-ours", "F0reign!pass", directory.Details{Description: "see " + sso.Mark("c1", "csi-driver")}),
		d.AddUser("undated", "F0reign!pass", directory.Details{Description: "mine; password set yesterday"}),
		d.AddUser("ours@corp.example.com", "F0reign!pass", directory.Details{Description: sso.Mark("c1", "csi-driver")}),
		d.AddGroup("leaf@corp.example.com", ""), d.AddGroup("middle", ""), d.AddGroup("top", ""),
		d.AddMember("leaf@corp.example.com", "alice@corp.example.com", false),
		d.AddMember("middle", "leaf@corp.example.com", true), d.AddMember("top", "middle", true),
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s, err := vcenter.Connect(ctx, vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: lab.CA})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(ctx) })
	if err := s.Login(ctx, v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	client, state, err := sso.Read(ctx, s, sso.Query{Names: []string{"a", "b", "undated", "new"}})
	if err != nil {
		t.Fatal(err)
	}
	return client, state, d
}

func TestMarked(t *testing.T) {
	client, state, _ := live(t)
	users, err := client.AllMarked(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(users) != 2 || users[0].Name != "a" || users[1].Name != "b" {
		t.Fatalf("%+v", users)
	}
	cluster, component, ok := sso.ParseMark(users[0].Description)
	if !ok || cluster != "my, cluster" || component != "machine-api" {
		t.Errorf("%q, %q, %v", cluster, component, ok)
	}
	if got := users[0].PasswordSet; !got.Equal(time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)) || !users[1].PasswordSet.IsZero() {
		t.Errorf("set on %v and %v", got, users[1].PasswordSet)
	}
	if users[0].PasswordTag != "0a1b2c" || users[1].PasswordTag != "" {
		t.Errorf("tags %q and %q", users[0].PasswordTag, users[1].PasswordTag)
	}
	if u := state.Users["undated"]; u.Description != "mine; password set yesterday" || !u.PasswordSet.IsZero() {
		t.Errorf("somebody else's words are taken for a record: %+v", u)
	}
}

// An account is ours whether or not the day of its password stands behind its mark, and a new one carries the day.
func TestPasswordDayIsNoPartOfTheMark(t *testing.T) {
	client, state, d := live(t)
	password := secret.New("Str0ng.password-x")
	wants := []sso.Want{
		{Name: "a", Component: "machine-api", Description: sso.Mark("my, cluster", "machine-api")},
		{Name: "b", Component: "csi-driver", Description: sso.Mark("c1", "csi-driver")},
		{Name: "new", Component: "csi-driver", Description: sso.Mark("c1", "csi-driver")},
	}
	changes, _, err := sso.Diff(wants, state, "domain")
	if err != nil || len(changes) != 1 || changes[0].Verb != plan.Create {
		t.Fatalf("%v, %v", changes, err)
	}
	steps := plan.Steps{}
	client.Attach(steps, changes, map[string]secret.Secret{changes[0].Name: password})
	before := time.Now().UTC().Format(time.DateOnly)
	if err := steps[changes[0]].Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	after := time.Now().UTC().Format(time.DateOnly)
	u, _ := d.User("new")
	if day, ok := strings.CutPrefix(u.Description, sso.Mark("c1", "csi-driver")+"; password set "); !ok || day != before && day != after {
		t.Errorf("description %q", u.Description)
	}
}

func TestResolveAndGroups(t *testing.T) {
	client, _, _ := live(t)
	ctx := context.Background()
	for _, test := range []struct {
		principal string
		asGroup   bool
		name      string
		group     bool
		groups    []string
	}{
		{`CORP\Alice`, false, `CORP.EXAMPLE.COM\alice`, false, []string{"Everyone@vsphere.local", "leaf@corp.example.com", "middle@vsphere.local", "top@vsphere.local"}},
		{"leaf@corp.example.com", false, `CORP.EXAMPLE.COM\leaf`, true, []string{"middle@vsphere.local", "top@vsphere.local"}},
		{"middle", true, `VSPHERE.LOCAL\middle`, true, []string{"top@vsphere.local"}},
		{"alice@corp.example.com", true, "", false, nil},
		{"nobody@vsphere.local", false, "", false, nil},
	} {
		id, err := client.Resolve(ctx, test.principal, test.asGroup)
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.principal, err)
			continue
		case (id == nil) != (test.name == ""):
			t.Errorf("%s: %+v", test.principal, id)
			continue
		case id == nil:
			continue
		case id.Name != test.name || id.Group != test.group:
			t.Errorf("%s: %+v", test.principal, id)
		}
		groups, err := client.Groups(ctx, id)
		if err != nil {
			t.Errorf("%s: %v", test.principal, err)
		}
		for _, g := range test.groups {
			if !slices.Contains(groups, g) {
				t.Errorf("%s: %s is missing in %v", test.principal, g, groups)
			}
		}
	}
}

func TestLockout(t *testing.T) {
	client, _, d := live(t)
	d.SetLockoutPolicy(directory.LockoutPolicy{MaxFailed: 3, Within: time.Minute, UnlockAfter: 0})
	p, err := client.Lockout(context.Background())
	if err != nil || p != (sso.Lockout{MaxFailed: 3, Within: time.Minute}) {
		t.Errorf("%+v, %v", p, err)
	}
}

// What was not read is not guessed.
func TestUnreadKnowsNothing(t *testing.T) {
	why := errors.New("no rights")
	client, _ := sso.Unread(&vcenter.Session{}, "vsphere.local", why)
	if _, err := client.AllMarked(context.Background()); !errors.Is(err, why) {
		t.Errorf("Marked: %v", err)
	}
	if _, err := client.Resolve(context.Background(), "x@vsphere.local", false); !errors.Is(err, why) {
		t.Errorf("Resolve: %v", err)
	}
	silent, _ := sso.Unread(&vcenter.Session{}, "vsphere.local", nil)
	if _, err := silent.Lockout(context.Background()); err == nil {
		t.Error("Lockout without SSO gives no error")
	}
}
