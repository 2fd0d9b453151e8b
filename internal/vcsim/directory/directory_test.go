package directory

import (
	"errors"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// clock is a settable time.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

const (
	goodPassword  = "Secret!pass1"
	adminPassword = "Adm1n!simulated"
)

// domain is an SSO domain with one account, user@vsphere.local, and an Active Directory.
func domain(t *testing.T) (*Directory, *clock) {
	t.Helper()
	c := &clock{t: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	d := New("vsphere.local", adminPassword, 0, c.now)
	for _, err := range []error{
		d.AddUser("user", goodPassword, Details{}),
		d.AddIdentitySource(IdentitySource{Name: "corp.example.com", Alias: "CORP", Type: "ActiveDirectory"}),
		d.AddUser("alice@corp.example.com", "", Details{}),
		d.AddGroup("Team@corp.example.com", ""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return d, c
}

func TestR28NameForms(t *testing.T) {
	d, _ := domain(t)
	for _, c := range []struct{ name, want string }{
		{"user", `VSPHERE.LOCAL\user`},
		{"USER@VSPHERE.local", `VSPHERE.LOCAL\user`},
		{`vsphere.LOCAL\User`, `VSPHERE.LOCAL\user`},
		{"alice@corp.example.com", `CORP.EXAMPLE.COM\alice`},
		{`corp\Alice`, `CORP.EXAMPLE.COM\alice`},
		{"alice", ""}, // a bare name is of the default domain
		{"user@corp", ""},
		{"", ""},
		{"@", ""},
		{`\`, ""},
	} {
		p, err := d.Lookup(c.name, false)
		if (err == nil) != (c.want != "") || err == nil && p.String() != c.want {
			t.Errorf("%q is %s (%v), want %q", c.name, p, err, c.want)
		}
	}
	if err := d.SetDefaultDomain("corp.example.com"); err != nil {
		t.Fatal(err)
	}
	if p, err := d.Lookup("alice", false); err != nil || p.Domain != "corp.example.com" {
		t.Errorf("alice of the default domain is %s, %v", p, err)
	}
	if _, err := d.Lookup("Team@corp", false); err == nil {
		t.Error("a group is found as a user")
	}
}

func TestR28AnySpellingIsTheSamePrincipal(t *testing.T) {
	d, _ := domain(t)
	want, err := d.Lookup("user", false)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		mix := func(s string) string {
			out := []rune(s)
			for i := range out {
				if rapid.Bool().Draw(r, "upper") {
					out[i] = unicode.ToUpper(out[i])
				}
			}
			return string(out)
		}
		for _, name := range []string{mix("user@vsphere.local"), mix(`vsphere.local\user`), mix("user")} {
			if got, err := d.Lookup(name, false); err != nil || got != want {
				r.Errorf("%s is %s, %v", name, got, err)
			}
		}
	})
}

func TestR32UserDelay(t *testing.T) {
	d, c := domain(t)
	d.delay = 3 * time.Second
	if err := d.CreatePerson("late", goodPassword, Details{}); err != nil {
		t.Fatal(err)
	}
	_, err := d.Lookup("late", false)
	var unknown *UnknownPrincipal
	if !errors.As(err, &unknown) || unknown.Unresolved {
		t.Errorf("a new account is %v, want unknown and not unresolved", err)
	}
	if _, err := d.CheckPassword("late", goodPassword); err != nil {
		t.Errorf("the SSO domain itself knows it at once: %v", err)
	}
	c.advance(3 * time.Second)
	if _, err := d.Lookup("late", false); err != nil {
		t.Errorf("after the delay: %v", err)
	}
}

func TestR32Unresolved(t *testing.T) {
	d, _ := domain(t)
	if err := d.SetReachable("corp.example.com", false); err != nil {
		t.Fatal(err)
	}
	var unknown *UnknownPrincipal
	if _, err := d.Lookup("alice@corp.example.com", false); !errors.As(err, &unknown) || !unknown.Unresolved {
		t.Errorf("alice of an unreachable directory: %v", err)
	}
	if _, err := d.Lookup("nobody", false); !errors.As(err, &unknown) || unknown.Unresolved {
		t.Errorf("nobody of a reachable directory: %v", err)
	}
}

func TestDisabledAccount(t *testing.T) {
	d, _ := domain(t)
	if err := d.SetDisabled("user", true); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Authenticate("user", goodPassword); !errors.Is(err, ErrDisabled) {
		t.Errorf("disabled: %v", err)
	}
	for _, name := range []string{"nobody", "vpxd", "alice@corp", "root@localos"} {
		if _, err := d.Authenticate(name, ""); !errors.Is(err, ErrCredentials) {
			t.Errorf("%s without a password: %v", name, err)
		}
	}
}

func TestNestedGroups(t *testing.T) {
	d, _ := domain(t)
	for _, err := range []error{
		d.AddGroup("inner", ""), d.AddGroup("outer", ""),
		d.AddMember("inner", "user", false), d.AddMember("outer", "inner", true),
		d.AddMember("outer", "Team@corp.example.com", true), d.AddMember("Team@corp", "alice@corp", false),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]string{
		"user":       {`VSPHERE.LOCAL\Everyone`, `VSPHERE.LOCAL\inner`, `VSPHERE.LOCAL\outer`, `VSPHERE.LOCAL\Users`},
		"alice@corp": {`CORP.EXAMPLE.COM\Team`, `VSPHERE.LOCAL\Everyone`, `VSPHERE.LOCAL\outer`},
	} {
		p, err := d.Lookup(name, false)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range d.GroupsOf(p) {
			got = append(got, g.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("groups of %s (-want +got):\n%s", name, diff)
		}
	}
	if err := d.AddMember("inner", "outer", true); !errors.Is(err, ErrSelf) {
		t.Errorf("a circle of groups: %v", err)
	}
	if err := d.RemoveUser("user"); err != nil {
		t.Fatal(err)
	}
	for _, g := range d.Groups() {
		if g.Name == "inner" && len(g.Members) > 0 {
			t.Error("a deleted account is still a member")
		}
	}
}

func TestR39NamesAreTakenOnce(t *testing.T) {
	d, _ := domain(t)
	for _, name := range []string{"user", "USER", "Administrators"} {
		if err := d.AddUser(name, "", Details{}); !errors.Is(err, ErrDuplicate) {
			t.Errorf("%s a second time: %v", name, err)
		}
	}
	if err := d.AddGroup("User", ""); !errors.Is(err, ErrDuplicate) {
		t.Errorf("a group with a user's name: %v", err)
	}
	if err := d.AddUser("x@nowhere.example", "", Details{}); !errors.Is(err, ErrName) {
		t.Errorf("an account of no identity source: %v", err)
	}
}
