package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// What still needs an account is named before it goes: machines that nobody could remove any more, and sessions of those who
// work with it now.

// Needing is what a vCenter shows of that.
type Needing struct {
	Below    []MachinesBelow
	Left     []MachinesBelow // below what left the specification
	Sessions []string        // users, as the vCenter spells them
}

// MachinesBelow are the virtual machines below a folder of a failure domain.
type MachinesBelow struct {
	Ref    inventory.Ref
	Folder string // inventory path
	Whole  bool   // it is the datacenter's own: others' machines may be among them
	Names  []string
	More   bool   // these are not all
	Why    string // why they are not known; "" = they are
}

// mostNamed bounds how many machines or volumes are named.
const mostNamed = 3

// Keeper is a component whose account machines are removed with, and who does that.
type Keeper struct {
	Component component.Name
	Who       string
}

// MachineKeepers are those of the cluster's own machines and of the machines of Cluster API. Where both work with one account, it
// is there once.
func (q *Request) MachineKeepers() []Keeper {
	all := []Keeper{{q.Spec.Account(component.MachineAPI).Component, "the cluster"}}
	if c := q.Spec.Account(component.ClusterAPI).Component; c != all[0].Component {
		all = append(all, Keeper{c, "Cluster API"})
	}
	return all
}

// Orphans reports whether a run can leave the cluster without the account that removes its machines.
func (q *Request) Orphans() bool {
	if q.Op != accounts.Keep || q.Only == plan.Role {
		return false
	}
	return slices.ContainsFunc(q.MachineKeepers(), func(k Keeper) bool {
		if q.Undoing {
			return slices.Contains(q.Spec.ComponentNames(), k.Component)
		}
		return q.Prune && !q.Additive && !slices.Contains(q.Spec.Whole().ComponentNames(), k.Component) && q.known(k.Component)
	})
}

// known reports whether the credentials file or its journal knows an account of a component: no other one is pruned, and most
// clusters never had one of Cluster API.
func (q *Request) known(c component.Name) bool {
	return slices.ContainsFunc(q.Spec.VCenters, func(v spec.VCenter) bool {
		has := q.Files().Section(v.Server, c)
		return has.File.User != "" || has.Journal.User != "" || has.Earlier.User != ""
	})
}

// MachineFolders are the folders of the failure domains, as far as they are there.
func (s *Snapshot) MachineFolders() (below []MachinesBelow, refs []inventory.Ref) {
	if !s.Request.Orphans() {
		return nil, nil
	}
	for _, fd := range s.VCenter.FailureDomains {
		m := MachinesBelow{Folder: s.FolderPath(fd)}
		if m.Folder == "" {
			m.Folder, m.Whole = OwnVMFolder(fd), true
		}
		if o := s.Inventory.At(m.Folder); o != nil && !slices.Contains(refs, o.Ref) {
			refs, below = append(refs, o.Ref), append(below, m)
		}
	}
	return below, refs
}

// SessionsOf counts the sessions in which somebody works with an account.
func (s *Snapshot) SessionsOf(principal string) int {
	n := 0
	for _, user := range s.Needing.Sessions {
		if s.SSO.Same(user) == s.SSO.Same(principal) {
			n++
		}
	}
	return n
}

// Text says what is below the folder, which is called so, and who removes it; "" where nothing is.
func (m MachinesBelow) Text(folder, who string) string {
	if m.Why != "" {
		return "cannot determine whether virtual machines below " + folder + " still need it: " + m.Why
	}
	if len(m.Names) == 0 && m.More {
		return "cannot determine whether virtual machines below " + folder + " still need it: there are too many to read"
	}
	if len(m.Names) == 0 {
		return ""
	}
	count := term.Count(len(m.Names), "virtual machine")
	if m.More {
		count = "at least " + count
	}
	text := fmt.Sprintf("%s still holds %s (%s): %s changes and removes its machines with this account", folder, count, Some(m.Names), who)
	if m.Whole {
		text += "; it is the folder of the whole datacenter, so some may belong to others"
	}
	return text
}

// Some are the first of many names.
func Some(names []string) string {
	if len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
