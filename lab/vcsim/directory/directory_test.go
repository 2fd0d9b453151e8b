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

// The characters that the SSO domain refuses, in names and in details.
func TestRefusedNames(t *testing.T) {
	d, _ := domain(t)
	for _, c := range "^<>&%`@\\" {
		name := "a" + string(c) + "b"
		if err := d.CreatePerson(`vsphere.local\`+name, goodPassword, Details{}); !errors.Is(err, ErrName) {
			t.Errorf("account %q: %v", name, err)
		}
		if err := d.CreateGroup(`vsphere.local\`+name, ""); !errors.Is(err, ErrName) {
			t.Errorf("group %q: %v", name, err)
		}
	}
	for _, c := range "^<>&%`" {
		text := "a" + string(c) + "b"
		for _, details := range []Details{{Description: text}, {FirstName: text}, {LastName: text}} {
			if err := d.CreatePerson("x", goodPassword, details); !errors.Is(err, ErrDetails) {
				t.Errorf("details %+v: %v", details, err)
			}
			if err := d.SetDetails("user", details); !errors.Is(err, ErrDetails) {
				t.Errorf("new details %+v: %v", details, err)
			}
		}
	}
	if err := d.CreatePerson(`a "quoted" name`, goodPassword, Details{Description: `a@b\c "d"`, Email: "x@example.com"}); err != nil {
		t.Errorf("characters that nothing is known against: %v", err)
	}
}

// Everyone is implicit: it has no members to list, and everything is in it.
func TestEveryone(t *testing.T) {
	d, _ := domain(t)
	for _, name := range []string{"user", "alice@corp", "Administrators"} {
		isGroup := name == "Administrators"
		p, err := d.Lookup(name, isGroup)
		if err != nil {
			t.Fatal(err)
		}
		if !d.IsMember(p, Everyone) {
			t.Errorf("%s is not in Everyone", name)
		}
		if fresh, err := d.Join(Everyone, name, isGroup); fresh || err != nil {
			t.Errorf("%s joins Everyone: %v, %v", name, fresh, err)
		}
		if _, err := d.Leave(Everyone, name, isGroup); !errors.Is(err, ErrAbsent) {
			t.Errorf("%s leaves Everyone: %v", name, err)
		}
	}
	if g, ok := d.Group(Everyone); !ok || len(g.Members) > 0 || !d.Implicit(g.Principal) {
		t.Errorf("%+v", g)
	}
	if err := d.DescribeGroup("everyone", "x"); !errors.Is(err, ErrAbsent) {
		t.Errorf("description: %v", err)
	}
}

// Persons are members of Users, the created ones too; services are not.
func TestUsersAreInUsers(t *testing.T) {
	d, _ := domain(t)
	if err := d.CreatePerson("new", goodPassword, Details{}); err != nil {
		t.Fatal(err)
	}
	g, _ := d.Group("Users")
	var got []string
	for _, m := range g.Members {
		got = append(got, m.Name)
	}
	if diff := cmp.Diff([]string{"Administrator", "new", "user"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRolesOfTheDomain(t *testing.T) {
	d, _ := domain(t)
	p, err := d.Lookup("user", false)
	if err != nil {
		t.Fatal(err)
	}
	if r := d.RoleOf(p); r != GuestUser {
		t.Errorf("a new account has role %d", r)
	}
	for _, step := range []struct {
		role    Role
		changed bool
	}{{RegularUser, true}, {RegularUser, false}, {AdministratorUser, true}, {AdministratorUser, false}, {GuestUser, true}, {GuestUser, false}} {
		changed, err := d.SetRole("USER", step.role)
		if err != nil || changed != step.changed || d.RoleOf(p) != step.role {
			t.Errorf("role %d: changed %v, %v; is %d", step.role, changed, err, d.RoleOf(p))
		}
	}
	if _, err := d.SetRole("nobody", RegularUser); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
}

// A source without an alias is not meant by a domain without a name.
func TestNoDomainIsNoSource(t *testing.T) {
	d, _ := domain(t)
	for _, name := range []string{"corp.example.com", "localos"} {
		if err := d.SetReachable(name, false); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 { // the sources have no order
		if !d.Reachable("") {
			t.Fatal("the domain without a name cannot be reached")
		}
	}
}
