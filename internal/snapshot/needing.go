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

// An account's machines and sessions are named before it goes, as they still need it.

// Needing is what still needs accounts on a vCenter.
type Needing struct {
	Below    []MachinesBelow
	Left     []MachinesBelow // below what left the specification
	Sessions []string        // users, as the vCenter spells them
}

// MachinesBelow are the virtual machines below a folder of a failure domain.
type MachinesBelow struct {
	Ref    inventory.Ref
	Folder string // inventory path
	Whole  bool   // the datacenter's own, which may have machines of others
	Names  []string
	More   bool   // the list is incomplete
	Why    string // why they are unknown; "" = known
}

const mostNamed = 3

// Keeper is a component whose account removes machines, and the name of what does so.
type Keeper struct {
	Component component.Name
	Who       string
}

// MachineKeepers returns those of the cluster's and Cluster API's machines; one if shared.
func (q *Request) MachineKeepers() []Keeper {
	all := []Keeper{{q.Spec.Account(component.MachineAPI).Component, "the cluster"}}
	if c := q.Spec.Account(component.ClusterAPI).Component; c != all[0].Component {
		all = append(all, Keeper{c, "Cluster API"})
	}
	return all
}

// Orphans reports whether a run can remove the account that removes the cluster's machines.
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

// known reports whether a component's account is stored: others are never pruned.
func (q *Request) known(c component.Name) bool {
	return slices.ContainsFunc(q.Spec.VCenters, func(v spec.VCenter) bool {
		has := q.Files().Section(v.Server, c)
		return has.File.User != "" || has.Journal.User != "" || has.Earlier.User != ""
	})
}

// MachineFolders returns the existing folders of the failure domains.
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

// SessionsOf counts the sessions of an account.
func (s *Snapshot) SessionsOf(principal string) int {
	n := 0
	for _, user := range s.Needing.Sessions {
		if s.SSO.Same(user) == s.SSO.Same(principal) {
			n++
		}
	}
	return n
}

// Text says what is below a folder and who removes it; "" if nothing is.
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

// Some returns the first of many names.
func Some(names []string) string {
	if len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
