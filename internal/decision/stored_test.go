package decision

import (
	"errors"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// What the files have of an account, and what SSO has, is one code, or nothing at all.
func TestStoredAccounts(t *testing.T) {
	t.Parallel()
	const (
		name  = "ocp-c1-diagnostics"
		first = "Passw0rd!-and-more-of-it"
		other = "0ther!Pass-and-more-of-it"
	)
	section := func(user, password string) string {
		return "[vc1]\ndiagnostics.user = " + user + "@vsphere.local\ndiagnostics.password = " + password + "\n"
	}
	for what, c := range map[string]struct {
		file, journal string
		users         []sso.User // with our mark, if they have none
		unread        bool
		want          finding.Code
		who, earlier  string
		disabled      bool
	}{
		"nothing":                        {},
		"stored":                         {file: section(name, first), users: []sso.User{{Name: name}}},
		"stored, and not made yet":       {file: section(name, first)},
		"no password":                    {users: []sso.User{{Name: name}}, want: finding.LostPassword, who: name},
		"another's account":              {users: []sso.User{{Name: name, Description: "a person"}}},
		"another password was set last":  {file: section(name, first), users: []sso.User{{Name: name, PasswordTag: secret.New(other).Drawn().Tag()}}, want: finding.OutdatedPassword, who: name},
		"this password was set last":     {file: section(name, first), users: []sso.User{{Name: name, PasswordTag: secret.New(first).Drawn().Tag()}}},
		"a reset was begun":              {file: section(name, first), journal: section(name, other), users: []sso.User{{Name: name}}, want: finding.UnfinishedRotation, who: name},
		"a reset is complete":            {file: section(name, first), journal: section(name, first), users: []sso.User{{Name: name}}},
		"a reset was overtaken":          {journal: section(name, first), users: []sso.User{{Name: name, PasswordTag: secret.New(other).Drawn().Tag()}}, want: finding.LostPassword, who: name},
		"a next one was announced":       {file: section(name, first), journal: section(name+"-2", other), users: []sso.User{{Name: name}}, want: finding.AnnouncedRotation, who: name + "-2"},
		"a next one was made":            {file: section(name, first), journal: section(name+"-2", other), users: []sso.User{{Name: name}, {Name: name + "-2"}}, want: finding.BegunRotation, who: name + "-2"},
		"the next one is disabled":       {file: section(name, first), journal: section(name+"-2", other), users: []sso.User{{Name: name}, {Name: name + "-2", Disabled: true}}, want: finding.BegunRotation, who: name + "-2", disabled: true},
		"outdated beside one before":     {file: section(name+"-2", first), users: []sso.User{{Name: name}, {Name: name + "-2", PasswordTag: secret.New(other).Drawn().Tag()}}, want: finding.OutdatedPassword, who: name + "-2", earlier: name},
		"unread, and nothing is pending": {unread: true, file: section(name, first)},
		"unread, and a reset was begun":  {unread: true, file: section(name, first), journal: section(name, other), want: finding.UnfinishedRotation, who: name},
	} {
		q, all := values(t)
		q.Credentials, q.Journal = holding(t, c.file), holding(t, c.journal)
		s := all[0]
		for _, u := range c.users {
			if u.Description == "" {
				u.Description = sso.Mark(q.Spec.Cluster, component.Diagnostics)
				s.SSO.Marked = append(s.SSO.Marked, u)
			}
			s.SSO.Users[u.Name] = u
		}
		s.Domain.Sections = []string{"vc1"}
		e := SnapshotsOf(q, all[:1])
		e.Join()
		if c.unread {
			s.Err = errors.New("no answer")
		}
		code, a := e.stored(s, component.Diagnostics)
		if code != c.want || code != "" && (a.Principal != c.who+"@vsphere.local" || a.Disabled != c.disabled) {
			t.Errorf("%s: %q of %+v, want %q of %s", what, code, a, c.want, c.who)
		}
		if c.earlier != "" && (len(a.Earlier) != 1 || a.Earlier[0] != c.earlier+"@vsphere.local") {
			t.Errorf("%s: earlier %q", what, a.Earlier)
		}
		if f := e.Findings(); (len(f) > 0) != (code != "") || len(f) > 0 && (f[0].Code != code || f[0].Text == "") {
			t.Errorf("%s: findings %+v", what, f)
		}
	}
}
