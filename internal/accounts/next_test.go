package accounts

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

var update = flag.Bool("update", false, "write testdata/next.txt")

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

const mark = "OpenShift c1 csi-driver"

func accountNamed(username string) spec.Account {
	s := &spec.Spec{Cluster: "c1", Accounts: spec.Accounts{Username: username}, Components: map[component.Name]spec.Component{component.CSIDriver: {}}}
	return s.Account(component.CSIDriver)
}

// state is an account in words: the generations that the files have, and those that exist.
type state struct {
	file, journal, earlier int
	reset                  bool // the journal has another password of the same generation
	second                 int  // the credentials file's, under another vCenter
	exist, foreign         []int
	byHand                 bool // the current one is disabled in SSO
	nextByHand             bool // the one that the journal has is
	long                   bool // the name is as long as a name may be
	adopted                bool
}

func (s state) line() Line {
	account := accountNamed("ocp-{component}")
	if s.long {
		account = accountNamed("ocp-{component}" + strings.Repeat("x", 64-len("ocp-csi-driver")))
	}
	if s.adopted {
		account.Principal = "CORP\\svc"
	}
	of := func(n int, password string) credfile.Account {
		if n == 0 {
			return credfile.Account{}
		}
		return credfile.Account{User: account.Of(n).Name + "@vsphere.local", Password: secret.New(fmt.Sprint(password, n))}
	}
	next := "Passw0rd!"
	if s.reset {
		next = "An0ther!!"
	}
	sections := []Section{{File: of(s.file, "Passw0rd!"), Journal: of(s.journal, next), Earlier: of(s.earlier, "Passw0rd!")}}
	if s.second > 0 {
		sections = append(sections, Section{File: of(s.second, "Passw0rd!")})
	}
	var users []sso.User
	for _, n := range s.exist {
		users = append(users, sso.User{Name: account.Of(n).Name, Description: mark, Disabled: s.byHand && n == s.file || s.nextByHand && n == s.journal, PasswordSet: day(1)})
	}
	for _, n := range s.foreign {
		users = append(users, sso.User{Name: account.Of(n).Name, Description: "a person"})
	}
	return Classify(account, mark, sections, users)
}

// The states that operations are tried on.
var states = map[string]state{
	"never made":             {},
	"announced":              {file: 1, journal: 1},
	"made":                   {file: 1, exist: []int{1}},
	"lost":                   {exist: []int{1}},
	"removed":                {file: 1},
	"adopted":                {adopted: true},
	"somebody has its name":  {file: 1, foreign: []int{1}},
	"disputed":               {file: 1, second: 2, earlier: 1, exist: []int{1, 2}},
	"long name":              {file: 1, exist: []int{1}, long: true},
	"disabled by hand":       {file: 1, exist: []int{1}, byHand: true},
	"being reset":            {file: 1, journal: 1, reset: true, exist: []int{1}},
	"being reset, lost":      {journal: 1, reset: true, exist: []int{1}},
	"being reset, removed":   {file: 1, journal: 1, reset: true},
	"next announced":         {file: 1, journal: 2, earlier: 1, exist: []int{1}},
	"next made":              {file: 1, journal: 2, earlier: 1, exist: []int{1, 2}},
	"next made, lost here":   {file: 1, exist: []int{1, 2}},
	"next made, old removed": {file: 1, journal: 2, exist: []int{2}},
	"next made, both lost":   {journal: 2, exist: []int{1, 2}},
	"next made, by hand":     {file: 1, journal: 2, exist: []int{1, 2}, byHand: true},
	"next disabled":          {file: 1, journal: 2, earlier: 1, exist: []int{1, 2}, nextByHand: true},
	"replaced":               {file: 2, earlier: 1, exist: []int{1, 2}},
	"replaced, no way back":  {file: 2, exist: []int{1, 2}},
	"replaced, removed":      {file: 2, earlier: 1, exist: []int{1}},
	"replaced, lost":         {exist: []int{1, 2}},
	"replaced, by hand":      {file: 2, earlier: 1, exist: []int{1, 2}, byHand: true},
	"replaced and begun":     {file: 2, journal: 3, earlier: 1, exist: []int{1, 2}},
}

var (
	operations = map[string]Op{"replace": Replace, "revert": Revert, "finish": Finish, "withdraw": Withdraw, "reset": Reset}
	conditions = map[string]Conditions{
		"":               {},
		", disabled":     {Disabled: true},
		", not due":      {Limits: sso.Limits{ExpiringWithin: new(24 * time.Hour)}, LifetimeDays: 90, Now: day(11)},
		", without file": {NoFile: true},
	}
	codes = []string{
		"", "adopted", "foreign", "disputed", "disabled", "disabled by hand", "next disabled", "missing", "absent elsewhere", "not stored", "reset unfinished", "unfinished", "not due",
		"awaits finish", "next unused", "next unused yet", "next current", "nothing to undo", "nothing to finish", "bad name", "no way back",
		"kept missing", "kept not stored", "kept disabled", "unplanned", "left out", "unread", "cannot be removed",
	}
)

// outcomes is what each operation makes of each state, a line each. Under other conditions, only what differs is said.
func outcomes() string {
	var lines []string
	for op, of := range operations {
		for name, state := range states {
			plain := outcome(state.line().Next(of, Conditions{}))
			for under, c := range conditions {
				if got := outcome(state.line().Next(of, c)); under == "" || got != plain {
					lines = append(lines, fmt.Sprintf("%s: %s%s: %s\n", op, name, under, got))
				}
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func outcome(step Step, refused *Refusal, wrong bool) string {
	if refused == nil {
		text := fmt.Sprintf("current %d, others %v", step.Current, step.Others)
		if step.Making > 0 {
			text += fmt.Sprintf(", making %d", step.Making)
		}
		if step.Replaced > 0 {
			text += fmt.Sprintf(", replaced %d", step.Replaced)
		}
		if len(step.Leaving) > 0 {
			text += fmt.Sprintf(", leaving %v", step.Leaving)
		}
		return text
	}
	text := "refused: " + codes[refused.Code]
	if wrong {
		text += ", wrong"
	}
	if refused.Text != "" && refused.Code != BadName {
		text += " (" + refused.Text + ")"
	}
	return text
}

// What every operation comes to in every state is written down, and read before it is changed.
func TestNext(t *testing.T) {
	const path = "testdata/next.txt"
	got := outcomes()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-update writes it):\n%s", path, diff)
	}
}

// Each rule of the table, each of its conditions, its code and its severity change an outcome above: none is there for nothing.
func TestEveryRuleDecides(t *testing.T) {
	want, whole := outcomes(), table
	t.Cleanup(func() { table = whole })
	for op, rules := range whole {
		for i := range rules {
			variants := map[string][]rule{"gone": slices.Delete(slices.Clone(rules), i, i+1)}
			changed := func(what string, f func(*rule)) {
				all := slices.Clone(rules)
				all[i].when = slices.Clone(all[i].when)
				f(&all[i])
				variants[what] = all
			}
			for n := range rules[i].when {
				changed(fmt.Sprintf("without condition %d", n), func(r *rule) { r.when = slices.Delete(r.when, n, n+1) })
			}
			if rules[i].code != proceeds {
				changed("with another code", func(r *rule) { r.code = CannotBeRemoved })
				changed("as serious as others", func(r *rule) { r.wrong = !r.wrong })
			}
			for what, all := range variants {
				table = map[Op][]rule{}
				maps.Copy(table, whole)
				table[op] = all
				if outcomes() == want {
					t.Errorf("operation %d, rule %d (%s) %s: nothing differs", op, i, codes[rules[i].code], what)
				}
			}
		}
	}
}
