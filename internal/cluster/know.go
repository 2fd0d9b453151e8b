package cluster

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Files say whose accounts there are without asking a vCenter: a specification names them, a
// credentials file and its journal have them.
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
	Server     string
	Component  component.Name
	Generation int // by the specification; 0 = it gives no such name
	Phase      Phase
	Current    bool             // the file or its journal has this password of it
	Now        credfile.Account // what the file has for the component; the zero value where it has none
}

// Know says whose an account may be on a vCenter, by component.
func (f Files) Know(server string, held credfile.Account) (all []Known) {
	for _, c := range component.Names() {
		k, now := Known{Server: server, Component: c}, 0
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
		k.Current = slices.ContainsFunc(has, func(a credfile.Account) bool { return is(a) && a.Password.Equal(held.Password) })
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

// Takes reports whether what the file has takes the account's place. The way leads forward: an earlier
// generation is in use again where the journal says so, or for the components of back.
func (k Known) Takes(back []string) bool {
	switch k.Phase {
	case Unstored:
		return false
	case Later:
		return slices.Contains(back, string(k.Component))
	}
	return k.Now.User != ""
}
