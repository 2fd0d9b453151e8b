package credfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Many accounts at once are the same text, the same changes and the same warnings as one after the other, whatever the file.
func TestSetAllIsSetOfEach(t *testing.T) {
	t.Parallel()
	added, changed := 0, 0 // accounts that were set together, in new sections and where they are
	rapid.Check(t, func(t *rapid.T) {
		before := drawn(t)
		if last := strings.TrimRight(before, "\r\n"); strings.HasSuffix(last, "\\") { // it would go on in what is set
			before = last + "\nend\n"
		}
		var entries []Entry
		for _, s := range slots(t) {
			entries = append(entries, Entry{Server: s.server, Component: s.component, Account: account(users.Draw(t, "user"), passwords.Draw(t, "password"))})
		}
		one, all := inMemory(t, before), inMemory(t, before)
		var err error
		for _, e := range entries {
			if err = one.Set(e.Server, e.Component, e.Account); err != nil {
				break
			}
		}
		added += len(inMemory(t, before).together(entries))
		if got := all.SetAll(entries); (got == nil) != (err == nil) {
			t.Fatalf("at once: %v, one by one: %v", got, err)
		}
		if err != nil {
			return
		}
		same := func(what string) {
			if diff := cmp.Diff(one.text, all.text); diff != "" {
				t.Fatalf("%s: (-one by one +at once)\n%s", what, diff)
			}
			if diff := cmp.Diff(one.warnings, all.warnings); diff != "" {
				t.Fatalf("%s: (-one by one +at once)\n%s", what, diff)
			}
		}
		same("set")
		var next []Entry // a new password for each, and for some a user that replaces the one that is there
		for i, e := range entries {
			user := e.Account.User
			if i%2 == 0 {
				user += "-2"
			}
			next = append(next, Entry{e.Server, e.Component, account(user, passwords.Draw(t, "next")), e.Account.User})
		}
		changed += len(inMemory(t, all.text).together(next))
		for _, e := range next {
			if err = one.put(e); err != nil {
				break
			}
		}
		if got := all.SetAll(next); (got == nil) != (err == nil) {
			t.Fatalf("again at once: %v, one by one: %v", got, err)
		}
		if err != nil {
			return
		}
		same("set again")
		if diff := cmp.Diff(one.now.values, all.now.values, cmp.AllowUnexported(value{})); diff != "" {
			t.Fatalf("set: (-one by one +at once)\n%s", diff)
		}
		if diff := cmp.Diff(one.changes, all.changes, cmp.AllowUnexported(change{})); diff != "" {
			t.Fatalf("set: (-one by one +at once)\n%s", diff)
		}
		if err := all.Check(); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			one.Remove(e.Server, e.Component)
		}
		all.RemoveAll(entries)
		same("removed")
		if all.text != before {
			t.Fatalf("removing what was set leaves\n%q, not\n%q", all.text, before)
		}
	})
	if added == 0 || changed == 0 {
		t.Errorf("%d accounts were set together in new sections, %d where they were", added, changed)
	}
}

// The accounts of a thousand vCenters are one reading of the file, not five thousand.
func BenchmarkSetAll(b *testing.B) {
	var entries []Entry
	for i := range 1000 {
		for _, c := range component.Names() {
			entries = append(entries, Entry{Server: fmt.Sprintf("vcenter%d.example.com", i), Component: c, Account: account("ocp-"+string(c)+"@vsphere.local", fmt.Sprintf("Passw0rd-%d", i))})
		}
	}
	for b.Loop() {
		f := opened(b, "")
		if err := f.SetAll(entries); err != nil {
			b.Fatal(err)
		}
		f.RemoveAll(entries)
		if f.Changed() {
			b.Fatal("not everything that was set is gone")
		}
	}
}
