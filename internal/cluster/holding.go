package cluster

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Holding is an account in a secret.
type Holding struct {
	At     component.Ref
	Form   Form
	Server string // "" = the secret does not say it
	credfile.Account
}

// Copied reports whether cluster-capi-operator may have made the secret, without a vCenter.
func (h Holding) Copied() bool {
	bootstrap := openshift.SecretOf(component.ClusterAPI)
	return h.Server == "" && h.Form == FormFlat && h.At.Namespace == bootstrap.Namespace && h.At != bootstrap
}

// For reports whether the account is for a vCenter, as far as its secret says so.
func (h Holding) For(server string) bool {
	return h.Server == "" || strings.EqualFold(h.Server, server)
}

// Meant selects accounts. Text is searched only for Names, name@domain.
type Meant struct {
	Servers []string // nil = of every vCenter
	Names   []string
	User    func(user string) bool // beside Names; may be nil
}

func (m Meant) user(user string) bool {
	return m.User != nil && m.User(user) ||
		slices.ContainsFunc(m.Names, func(name string) bool { return SameAccount(name, user) })
}

// SameAccount reports whether user, in any spelling, may be account, name@domain.
func SameAccount(account, user string) bool {
	if strings.Contains(user, "@") {
		return strings.EqualFold(account, user)
	}
	name, _, _ := strings.Cut(account, "@")
	return strings.EqualFold(name, user[strings.Index(user, `\`)+1:])
}

// Spelling is equal for the two ways to write a user: user@domain and domain\user, in any case.
func Spelling(user string) string {
	if domain, name, ok := strings.Cut(user, `\`); ok {
		user = name + "@" + domain
	}
	return strings.ToLower(user)
}

// Holding lists the selected accounts by secret, vCenter and user; unknown forms by names in text.
func (c *Cluster) Holding(m Meant) []Holding {
	var all []Holding
	for _, o := range c.order {
		held := slices.DeleteFunc(o.Holdings(), func(h Holding) bool { return !m.user(h.User) })
		for _, name := range m.Names {
			known := func(h Holding) bool { return SameAccount(name, h.User) }
			if !slices.ContainsFunc(held, known) && o.mentions(name) {
				held = append(held, Holding{o.At(), FormText, "", credfile.Account{User: name}})
			}
		}
		for _, h := range held {
			if m.Servers == nil || slices.ContainsFunc(m.Servers, h.For) {
				all = append(all, h)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Holding) int {
		return cmp.Or(cmp.Compare(a.At.String(), b.At.String()), cmp.Compare(a.Server, b.Server),
			cmp.Compare(a.User, b.User))
	})
	return all
}

// Holders are the secrets that hold an account, name@domain, for a vCenter.
func (c *Cluster) Holders(server, account string) []component.Ref {
	return Places(c.Holding(Meant{Servers: []string{server}, Names: []string{account}}))
}

// Holdings are the accounts of a secret in the forms that are known.
func (o *Object) Holdings() []Holding { return slices.Clone(o.held()) }

func holdingsOf(at component.Ref, data map[string][]byte) (all []Holding) {
	for _, f := range forms() {
		for _, a := range f.read(data) {
			all = append(all, Holding{at, f.Form, a.server, a.Account})
		}
	}
	return all
}

// Serves reports whether any secret has an account for a vCenter that it names.
func (c *Cluster) Serves(server string) bool {
	return slices.ContainsFunc(c.Serving(), func(named string) bool { return strings.EqualFold(named, server) })
}

// Serving are the vCenters that secrets name and have accounts for, sorted.
func (c *Cluster) Serving() []string {
	in := map[string]bool{}
	for _, o := range c.order {
		for _, h := range o.Holdings() {
			in[h.Server] = true
		}
	}
	delete(in, "")
	return sorted(in)
}

// Without drops secrets without a vCenter whose account is another vCenter's.
func (c *Cluster) Without(elsewhere func(credfile.Account) bool) *Cluster {
	return c.with(slices.DeleteFunc(c.Objects(), func(o *Object) bool {
		a, ok := o.Flat()
		return ok && elsewhere(a)
	}))
}

// Places are the secrets of holdings, each once, sorted.
func Places(holdings []Holding) []component.Ref {
	var all []component.Ref
	for _, h := range holdings {
		all = append(all, h.At)
	}
	slices.SortFunc(all, func(a, b component.Ref) int { return cmp.Compare(a.String(), b.String()) })
	return slices.Compact(all)
}

// isRead reports whether OpenShift, Hive, or a controller of Cluster API reads a secret.
func (o *Object) isRead() bool {
	_, flat := o.Flat()
	return flat || o.Data[openshift.HiveKey] != nil || openshift.AtHome(o.At()) != "" || o.Namespace == root.Namespace ||
		strings.HasPrefix(o.Namespace, "openshift-")
}

// Files say whose accounts there are: a specification, a credentials file and its journal.
type Files struct {
	Spec          *spec.Spec     // nil = nothing says how they are called
	File, Journal *credfile.File // a journal that is nil has nothing
}

// Phase is where an account is in its life, as far as files tell.
type Phase int

// The phases.
const (
	Unstored  Phase = iota // the specification names it, and the file does not say what replaced it
	Stored                 // the file has it
	Journaled              // the journal has it: a rotation replaced it, or makes it
	Former                 // the file has a later generation
	Later                  // the file has an earlier generation, and the journal does not have this one
)

// Known is what files know of an account: of which component it is on a vCenter.
type Known struct {
	Component  component.Name
	Generation int // by the specification; 0 = it gives no such name
	Phase      Phase
	current    bool             // see IsCurrent
	Now        credfile.Account // the component's in the file, or zero
}

// Know says whose an account may be on a vCenter, by component.
func (f Files) Know(server string, held credfile.Account) (all []Known) {
	for _, c := range component.Names() {
		k, now := Known{Component: c}, 0
		k.Now, _ = f.File.Get(server, c)
		has := []credfile.Account{k.Now}
		for _, slot := range credfile.Slots(c) {
			if f.Journal != nil {
				a, _ := f.Journal.Get(server, slot)
				has = append(has, a)
			}
		}
		if f.Spec != nil {
			if a := f.Spec.Whole().Account(c); a.Ours() {
				k.Generation, now = a.Generation(held.User), a.Generation(k.Now.User)
			}
		}
		is := func(a credfile.Account) bool { return strings.EqualFold(a.User, held.User) }
		k.current = slices.ContainsFunc(has,
			func(a credfile.Account) bool { return is(a) && a.Password.Equal(held.Password) })
		i := slices.IndexFunc(has, is)
		switch {
		case i > 0:
			k.Phase = Journaled
		case i == 0:
			k.Phase = Stored
		case k.Generation == 0:
			continue
		case now == 0 || !strings.EqualFold(domainOf(k.Now.User), domainOf(held.User)):
			k.Phase = Unstored
		case k.Generation < now:
			k.Phase = Former
		default:
			k.Phase = Later
		}
		all = append(all, k)
	}
	return all
}

func domainOf(user string) string {
	_, domain, _ := strings.Cut(user, "@")
	return domain
}

// IsCurrent reports whether the file or its journal has this password of the account.
func (k Known) IsCurrent() bool { return k.current }

// Takes reports whether the file's account replaces this one. An earlier generation replaces a
// later one only by the journal, or for the components of back.
func (k Known) Takes(back []string) bool {
	switch k.Phase {
	case Unstored:
		return false
	case Later:
		return slices.Contains(back, string(k.Component))
	}
	return k.Now.User != ""
}
