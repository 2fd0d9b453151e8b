package accounts_test

import (
	"fmt"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Where each generation is follows from what the files have and from what exists.
func TestClassify(t *testing.T) {
	t.Parallel()
	s := &spec.Spec{Cluster: "c1", Accounts: spec.Accounts{Username: "ocp-{cluster}-{component}"}, Components: map[component.Name]spec.Component{component.CSIDriver: {}}}
	account, mark := s.Account(component.CSIDriver), sso.Mark("c1", component.CSIDriver)
	const absent, announced, current, former, next, elsewhere = accounts.Absent, accounts.Announced, accounts.Current, accounts.Former, accounts.Next, accounts.Elsewhere
	type section struct{ file, journal, earlier int } // generations
	for _, tt := range []struct {
		name     string
		sections []section
		exist    []int
		foreign  []int
		want     []accounts.Phase // of the first generations
		next     int
	}{
		{"nothing", []section{{}}, nil, nil, []accounts.Phase{absent}, 2},
		{"in the file, not there", []section{{file: 1}}, nil, nil, []accounts.Phase{absent}, 2},
		{"in the file and announced", []section{{file: 1, journal: 1}}, nil, nil, []accounts.Phase{announced}, 2},
		{"announced under another vCenter", []section{{}, {file: 1, journal: 1}}, nil, nil, []accounts.Phase{announced}, 2},
		{"made", []section{{file: 1}}, []int{1}, nil, []accounts.Phase{current, absent}, 2},
		{"lost", []section{{}}, []int{1}, nil, []accounts.Phase{current, absent}, 2},
		{"lost after a rotation", []section{{}}, []int{1, 2}, nil, []accounts.Phase{former, current}, 3},
		{"lost during a rotation", []section{{journal: 2}}, []int{1, 2}, nil, []accounts.Phase{current, next}, 2},
		{"a rotation begins", []section{{file: 1, journal: 2, earlier: 1}}, []int{1}, nil, []accounts.Phase{current, announced}, 2},
		{"its account is there", []section{{file: 1, journal: 2, earlier: 1}}, []int{1, 2}, nil, []accounts.Phase{current, next}, 2},
		{"and took over", []section{{file: 2, earlier: 1}}, []int{1, 2}, nil, []accounts.Phase{former, current}, 3},
		{"and is finished", []section{{file: 2}}, []int{2}, nil, []accounts.Phase{absent, current}, 3},
		{"an older file", []section{{file: 1}}, []int{1, 2}, nil, []accounts.Phase{current, elsewhere}, 3},
		{"an older file, and it was finished", []section{{file: 1}}, []int{2}, nil, []accounts.Phase{absent, elsewhere}, 3},
		{"one section is older", []section{{file: 1}, {file: 2}}, []int{1, 2}, nil, []accounts.Phase{current, next}, 3},
		{"somebody has the next name", []section{{file: 1}}, []int{1}, []int{2}, []accounts.Phase{current, absent}, 3},
		{"somebody took the name that was begun", []section{{file: 1, journal: 2}}, []int{1}, []int{2}, []accounts.Phase{current, absent}, 3},
		{"as often as vCenters tell of it", []section{{file: 1}}, []int{1, 1, 2, 2}, nil, []accounts.Phase{current, elsewhere}, 3},
	} {
		of := func(n int) credfile.Account {
			if n == 0 {
				return credfile.Account{}
			}
			return credfile.Account{User: account.Of(n).Name + "@vsphere.local", Password: secret.New(fmt.Sprint("Passw0rd!", n))}
		}
		var sections []accounts.Section
		for _, s := range tt.sections {
			sections = append(sections, accounts.Section{File: of(s.file), Journal: of(s.journal), Earlier: of(s.earlier)})
		}
		var users []sso.User
		for _, n := range tt.exist {
			users = append(users, sso.User{Name: account.Of(n).Name, Description: mark})
		}
		for _, n := range tt.foreign {
			users = append(users, sso.User{Name: account.Of(n).Name, Description: "a person"})
		}
		l := accounts.Classify(account, mark, sections, users)
		for i, want := range tt.want {
			if got := l.Phase(i + 1); got != want {
				t.Errorf("%s: generation %d is in phase %d, not %d: %+v", tt.name, i+1, got, want, l)
			}
		}
		if l.Following() != tt.next {
			t.Errorf("%s: generation %d is next, not %d", tt.name, l.Following(), tt.next)
		}
	}
}

// A password of the journal that is not that of the credentials file announces nothing: it is of a rotation in place.
func TestAnnouncedPassword(t *testing.T) {
	t.Parallel()
	account := (&spec.Spec{Cluster: "c1", Accounts: spec.Accounts{Username: "{cluster}-{component}"}}).Account(component.CSIDriver)
	had, other := credfile.Account{User: account.Name, Password: secret.New("one")}, credfile.Account{User: account.Name, Password: secret.New("two")}
	if l := accounts.Classify(account, "mark", []accounts.Section{{File: had, Journal: other}}, nil); l.Phase(1) != accounts.Absent {
		t.Errorf("%+v", l)
	}
}

// A password is outdated where SSO bears the tag of another one, and only there.
func TestOutdated(t *testing.T) {
	t.Parallel()
	account := (&spec.Spec{Cluster: "c1", Accounts: spec.Accounts{Username: "{cluster}-{component}"}}).Account(component.CSIDriver)
	const first, second, third = "Passw0rd-of-the-first-day", "Passw0rd-of-the-second-day", "Passw0rd-of-the-third-day"
	file := func(password string) accounts.Section {
		return accounts.Section{File: credfile.Account{User: account.Name + "@vsphere.local", Password: secret.New(password)}}
	}
	journal := file(first)
	journal.Journal = credfile.Account{User: account.Name, Password: secret.New(second)}
	tag := func(password string) string { return secret.Random(password).Tag() }
	for _, tt := range []struct {
		name     string
		sections []accounts.Section
		tags     []string // of each vCenter of the domain
		want     bool
	}{
		{"it is the one", []accounts.Section{file(first)}, []string{tag(first)}, false},
		{"another was set", []accounts.Section{file(first)}, []string{tag(second)}, true},
		{"another was set, and one section has it", []accounts.Section{file(second), file(first)}, []string{tag(second)}, true},
		{"a section has none", []accounts.Section{file(second), {}}, []string{tag(second)}, false},
		{"one vCenter has not heard of it", []accounts.Section{file(second)}, []string{tag(first), tag(second)}, false},
		{"nothing is recorded", []accounts.Section{file(first)}, []string{""}, false},
		{"one vCenter has nothing recorded", []accounts.Section{file(first)}, []string{tag(second), ""}, false},
		{"it is being set", []accounts.Section{journal}, []string{tag(second)}, false},
		{"it is lost", []accounts.Section{{}}, []string{tag(second)}, false},
		{"somebody else set it", []accounts.Section{journal}, []string{tag(third)}, true},
		{"somebody else set it, and the file is lost", []accounts.Section{{Journal: journal.Journal}}, []string{tag(third)}, true},
		{"it is not set yet", []accounts.Section{journal}, []string{tag(first)}, false},
		{"it is lost and being set", []accounts.Section{{Journal: journal.Journal}}, []string{tag(second)}, false},
		{"somebody else was faster", []accounts.Section{{File: journal.Journal, Journal: journal.Journal}}, []string{tag(third)}, true},
		{"the account is not there", []accounts.Section{file(first)}, nil, false},
	} {
		var users []sso.User
		for _, tag := range tt.tags {
			users = append(users, sso.User{Name: account.Name, Description: "mark", PasswordTag: tag})
		}
		if l := accounts.Classify(account, "mark", tt.sections, users); l.Outdated != tt.want {
			t.Errorf("%s: %v", tt.name, l.Outdated)
		}
	}
	others := []sso.User{{Name: account.Name, Description: "a person", PasswordTag: tag(second)}}
	if accounts.Classify(account, "mark", []accounts.Section{file(first)}, others).Outdated {
		t.Error("somebody else's account is held against the file")
	}
}
