package snapshot

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// MarkedFor is the cluster whose marked accounts are of interest: to all but roles.
func (q *Request) MarkedFor() string {
	if q.Only == plan.Role {
		return ""
	}
	return q.Spec.Cluster
}

// Dropped are the accounts that bear our mark for this cluster and that the specification has no use for: their component
// is no longer in it, works with somebody else's account, or has one of another name. What --components and --vcenters
// leave out was not dropped.
func (s *Snapshot) Dropped() []OwnAccount {
	whole := s.Request.Spec.Whole()
	var all []OwnAccount
	for _, u := range s.SSO.Marked {
		_, c, _ := sso.ParseMark(u.Description)
		adopted := s.NamesHolder(perms.Permission{Principal: u.Name + "@" + s.SSO.Domain})
		if !adopted && !whole.Makes(u.Name) {
			all = append(all, OwnAccount{Name: u.Name, Component: c})
		}
	}
	return all
}

// DroppedWhileRotating are the accounts of components that the specification dropped while a rotation of theirs was unfinished: there are
// several of one component.
func (s *Snapshot) DroppedWhileRotating() []OwnAccount {
	if !s.Request.Unnarrowed() {
		return nil
	}
	of := map[component.Name]int{}
	all := s.Dropped()
	for _, a := range all {
		of[a.Component]++
	}
	return slices.DeleteFunc(all, func(a OwnAccount) bool { return of[a.Component] < 2 })
}

// Unnarrowed reports whether the run is about all components: only then something can be told to be left over.
func (q *Request) Unnarrowed() bool {
	return len(q.Spec.ComponentNames()) == len(q.Spec.Whole().ComponentNames())
}
