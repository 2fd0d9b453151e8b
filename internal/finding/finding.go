// Package finding has the one type of what is wrong or has to be known: each with a code, which `explain` and a page explain.
package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Severity says how bad a finding is.
type Severity string

// The severities. Exit codes follow them: an error is a difference or something that a component stumbles over.
const (
	Error   Severity = "error"
	Warning Severity = "warning" // it works, and may not be meant or not for long
	Note    Severity = "note"
)

// Code names a kind of finding. The table of codes says what each means.
type Code string

// Finding is something that is wrong or has to be known.
type Finding struct {
	Severity Severity  `json:"severity"`
	Code     Code      `json:"code"`
	Subject  string    `json:"subject" redact:"subject"` // what it is about, such as namespace/name of a Secret; "" for the whole, or for the accounts
	Server   string    `json:"server,omitempty" redact:"vcenter"`
	Object   *Object   `json:"object,omitempty"`       // of a plan: what it tells something of; nil = the whole
	Text     string    `json:"text" redact:"text"`     // in one line, without the subject
	Line     int       `json:"line,omitempty"`         // of the file that was read, from 1
	Accounts []Account `json:"accounts"`               // that it is about
	Remedies []string  `json:"remedies" redact:"text"` // commands, the least harmful first
}

// Object is what a finding of a plan is about, with the words of a change that would be about it.
type Object struct {
	Kind      string `json:"kind" redact:"word"`
	Name      string `json:"name,omitempty" redact:"subject"`
	Path      string `json:"path,omitempty" redact:"path"` // in the inventory
	Principal string `json:"principal,omitempty" redact:"principal"`
	Group     bool   `json:"group,omitempty"`
}

// Account is the account of a component on one vCenter.
type Account struct {
	Server    string         `json:"server" redact:"vcenter"`
	Component component.Name `json:"component"`                            // "" = the whole vCenter
	Principal string         `json:"principal" redact:"principal"`         // "" = none is known
	Group     string         `json:"group,omitempty" redact:"principal"`   // that gives it rights
	Role      string         `json:"role,omitempty" redact:"role"`         // that a global permission gives it
	Through   []string       `json:"through,omitempty" redact:"principal"` // groups that it was put into itself, and that make it a member of that one
	Earlier   []string       `json:"earlier,omitempty" redact:"account"`   // accounts that it has replaced and that are still there: its rotation is unfinished
	Undo      bool           `json:"-"`                                    // rotate undo goes back, with a password that a file or its journal has
	Disabled  bool           `json:"disabled,omitempty"`                   // a next account, which rotate cannot put into use
	Secrets   []string       `json:"secrets,omitempty" redact:"secret"`    // of the cluster, namespace/name, that hold an account which is not in use
	InUse     string         `json:"inUse,omitempty" redact:"account"`     // the account that exists in the place of one that is gone
}

// Group is vCenters on which accounts of the same components are meant: one command serves them.
type Group struct {
	Components []component.Name
	Servers    []string
}

// Groups are the groups of accounts, in the order of these vCenters.
func Groups(accounts []Account, servers []string) (groups []Group) {
	for _, server := range servers {
		components := slices.DeleteFunc(component.Names(), func(c component.Name) bool {
			return !slices.ContainsFunc(accounts, func(of Account) bool { return of.Server == server && of.Component == c })
		})
		i := slices.IndexFunc(groups, func(g Group) bool { return slices.Equal(g.Components, components) })
		switch {
		case len(components) == 0:
		case i < 0:
			groups = append(groups, Group{components, []string{server}})
		default:
			groups[i].Servers = append(groups[i].Servers, server)
		}
	}
	return groups
}

// List are the findings of a document, in which none is an empty list.
type List []*Finding

// MarshalJSON writes [] for none.
func (l List) MarshalJSON() ([]byte, error) { return json.Marshal(append([]*Finding{}, l...)) }

// New is a finding with the severity of its code. It panics for a code that the table does not have.
func New(c Code, subject, format string, args ...any) *Finding {
	about, ok := Explain(c)
	if !ok {
		panic("finding: no code " + c)
	}
	return &Finding{
		Severity: about.Severity, Code: c, Subject: subject, Text: fmt.Sprintf(format, args...),
		Accounts: []Account{}, Remedies: []string{},
	}
}

// About adds the account of a component on a vCenter; "" for the component = the whole vCenter.
func (f *Finding) About(server string, c component.Name) *Finding {
	f.Accounts = append(f.Accounts, Account{Server: server, Component: c})
	return f
}

// Concerns reports whether a finding is about an account of a component.
func (f *Finding) Concerns(c component.Name) bool {
	return slices.ContainsFunc(f.Accounts, func(a Account) bool { return a.Component == c })
}

// ConcernsAny reports whether it names components at all.
func (f *Finding) ConcernsAny() bool {
	return slices.ContainsFunc(f.Accounts, func(a Account) bool { return a.Component != "" })
}

// Advice reports whether nothing is wrong yet.
func (f *Finding) Advice() bool { return f.Severity != Error }

// Differing reports whether a finding is among these that is not only advice.
func Differing(all []*Finding) bool {
	return slices.ContainsFunc(all, func(f *Finding) bool { return !f.Advice() })
}

// Remedied gives errors and warnings without a remedy that of their code, and sorts them.
func Remedied(all []*Finding) []*Finding {
	for _, f := range all {
		if about, _ := Explain(f.Code); f.Severity != Note && len(f.Remedies) == 0 {
			f.Remedies = []string{about.Remedy}
		}
	}
	Sort(all)
	return all
}

// Principals names the accounts, each once.
func (f *Finding) Principals() []string {
	var names []string
	for _, a := range f.Accounts {
		if !slices.Contains(names, a.Principal) {
			names = append(names, a.Principal)
		}
	}
	return names
}

// String is a finding in one line, with what it is about.
func (f *Finding) String() string { return strings.TrimPrefix(f.Subject+": "+f.Text, ": ") }

// Sort puts errors first, then warnings, then notes, and keeps their order else.
func Sort(all []*Finding) {
	order := []Severity{Error, Warning, Note}
	slices.SortStableFunc(all, func(a, b *Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
}

// Count gives how many are errors, and how many are not.
func Count(all []*Finding) (errors, others int) {
	for _, f := range all {
		if !f.Advice() {
			errors++
		}
	}
	return errors, len(all) - errors
}
