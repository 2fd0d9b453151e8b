package decision

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// A rotation of an account in an SSO domain of two vCenters: what changes, or why nothing does.
func TestGenerations(t *testing.T) {
	t.Parallel()
	const (
		one, two = "ocp-c1-diagnostics", "ocp-c1-diagnostics-2"
		password = "Passw0rd!-and-more-of-it"
	)
	file := func(slot component.Name, user string) string {
		var text string
		for _, server := range []string{"vc1", "vc2"} {
			text += "[" + server + "]\n" + string(slot) + ".user = " + user + "@vsphere.local\n" + string(slot) + ".password = " + password + "\n"
		}
		return text
	}
	current := func(user string) string { return file(component.Diagnostics, user) }
	for what, c := range map[string]struct {
		op            accounts.Op
		file, journal string
		users         []string // with our mark; a ! before it disables it
		unread        bool     // vc2
		leftOut       bool     // vc2 is not in the run
		changes       string   // of accounts, in order
		handed        string   // from and to, and where
		blocked       string   // part of it
		told          string   // part of it
		failed        string   // part of the error of vc1
	}{
		"replace": {
			op: accounts.Replace, file: current(one), users: []string{one},
			changes: "+ " + two + ", ~ " + two, handed: one + " > " + two + " on vc1 vc2",
		},
		"replace, begun": {
			op: accounts.Replace, file: current(one), journal: current(two), users: []string{one, two},
			changes: "~ " + two, handed: one + " > " + two + " on vc1 vc2",
		},
		"replace, of none":          {op: accounts.Replace, blocked: "does not exist"},
		"replace, without password": {op: accounts.Replace, users: []string{one}, blocked: "the password is not in "},
		"replace, not finished":     {op: accounts.Replace, file: current(two), users: []string{one, two}, blocked: "the last rotation is unfinished: first finish it, or undo it"},
		"replace, an older file":    {op: accounts.Replace, file: current(one), users: []string{one, two}, failed: "is older than " + two},
		"replace, disabled by hand": {op: accounts.Replace, file: current(one), users: []string{"!" + one}, blocked: "is disabled"},
		"replace, the next disabled": {
			op: accounts.Replace, file: current(one), journal: current(two), users: []string{one, "!" + two}, blocked: "its next account is disabled",
		},
		"replace, the other unread":   {op: accounts.Replace, file: current(one), users: []string{one}, unread: true, told: "vc2, in the same SSO domain, could not be planned"},
		"replace, the other left out": {op: accounts.Replace, file: current(one), users: []string{one}, leftOut: true, told: "vc2, in the same SSO domain, uses the account too"},
		"finish": {
			op: accounts.Finish, file: current(two), users: []string{one, two}, changes: "~ " + one + ", - " + one,
		},
		"finish, disabled already":   {op: accounts.Finish, file: current(two), users: []string{"!" + one, two}, changes: "~ " + one + ", - " + one},
		"finish, nothing":            {op: accounts.Finish, file: current(one), users: []string{one}, told: "no rotation to finish"},
		"finish, the wrong file":     {op: accounts.Finish, users: []string{one, two}, blocked: "its password is not in "},
		"finish, the other unread":   {op: accounts.Finish, file: current(two), users: []string{one, two}, unread: true, told: "vc2, in the same SSO domain, could not be planned"},
		"finish, the other left out": {op: accounts.Finish, file: current(two), users: []string{one, two}, leftOut: true, told: "vc2, in the same SSO domain, uses the account too"},
		"undo": {
			op: accounts.Revert, file: current(two), journal: file(credfile.Earlier(component.Diagnostics), one), users: []string{one, two},
			changes: "~ " + one, handed: two + " > " + one + " on vc1 vc2",
		},
		"undo, no way back": {op: accounts.Revert, file: current(two), users: []string{one, two}, blocked: "so you cannot go back"},
		"undo, nothing":     {op: accounts.Revert, file: current(one), users: []string{one}, told: "no rotation to undo"},
		"withdraw": {
			op: accounts.Withdraw, file: current(one), journal: current(two), users: []string{one, two}, changes: "~ " + two + ", - " + two,
		},
		"withdraw, in use": {op: accounts.Withdraw, file: current(two), users: []string{one, two}, blocked: "its next account is in use: first go back, without --applied or --secrets"},
	} {
		q, all := values(t)
		q.Credentials, q.Journal = holding(t, c.file), holding(t, c.journal)
		for _, s := range all {
			s.Domain.Sections, s.Domain.PeerServers = []string{s.VCenter.Server}, []string{"vc1", "vc2"}
			s.Domain.Registered = []snapshot.Registered{{ID: "vc1", Hosts: []string{"vc1"}}, {ID: "vc2", Hosts: []string{"vc2"}}}
			s.Facts = q.Classify(s.Roles)
			for _, name := range c.users {
				name, off := strings.CutPrefix(name, "!")
				u := sso.User{Name: name, Description: sso.Mark(q.Spec.Cluster, component.Diagnostics), Disabled: off}
				s.SSO.Users[name] = u
				s.SSO.Marked = append(s.SSO.Marked, u)
			}
		}
		if c.unread {
			all[1].Err = errors.New("no answer")
		}
		if c.leftOut {
			all = all[:1]
		}
		e := removing(q.Doing(c.op, false), all)
		e.Join()
		d := e.Decide((*Decision).ChangeGenerations)
		var changes, handed, told []string
		for _, p := range d.Plans {
			for _, change := range p.Changes {
				if change.Kind == plan.User {
					name, _, _ := strings.Cut(change.Name, "@")
					changes = append(changes, change.Sign()+" "+name)
				}
			}
			for _, f := range p.Told {
				told = append(told, f.Text)
			}
		}
		for _, h := range d.Handovers {
			from, _, _ := strings.Cut(h.Record.From, "@")
			to, _, _ := strings.Cut(h.Record.To.User, "@")
			handed = append(handed, from+" > "+to+" on "+strings.Join(h.Record.Servers, " "))
		}
		var blocked []string
		for _, f := range d.Blockages() {
			blocked = append(blocked, f.Text)
		}
		if got := strings.Join(changes, ", "); got != c.changes {
			t.Errorf("%s: changes %q, want %q", what, got, c.changes)
		}
		if got := strings.Join(handed, ", "); got != c.handed {
			t.Errorf("%s: hands over %q, want %q", what, got, c.handed)
		}
		if got := strings.Join(blocked, "\n"); (got == "") != (c.blocked == "") || !strings.Contains(got, c.blocked) {
			t.Errorf("%s: blocked %q, want %q", what, got, c.blocked)
		}
		if err := d.Plans[0].Err; err != nil && (c.failed == "" || !strings.Contains(err.Error(), c.failed)) && !c.leftOut || err == nil && c.failed != "" {
			t.Errorf("%s: error %v, want %q", what, err, c.failed)
		}
		if c.told != "" && !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, c.told) }) {
			t.Errorf("%s: told %q, want %q", what, told, c.told)
		}
	}
}
