// Package snapshot is what was read of vCenters for a request, as plain values, and what follows from it at once: whose each account,
// permission and role is, which generations an account has, and what is wanted on which object. What is done about it is a decision's.
package snapshot

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// Snapshot is one vCenter as it was read for a request: plain values, without a session and without a way to fetch more.
type Snapshot struct {
	Request       *Request
	VCenter       spec.VCenter
	Version       string
	Instance      string   // instance UUID; "" where the vCenter was not reached
	Names         []string // other names of it that the credentials file has accounts of this cluster for
	Former        []string // names of which nobody answers, and of which the credentials file has its accounts: it may have had them
	Root          inventory.Ref
	Administrator string          // who read it
	Reads         bool            // that login may change nothing: it is a reader's, who need not have the accounts' passwords
	Inventory     *inventory.Tree // of the paths of the specification, and of the objects of concerned permissions
	Roles         *roles.State
	Perms         *perms.State
	SSO           *sso.State
	Tags          *tags.State // nil where nobody asked for them
	TagsErr       error       // why a verification could not read them
	*Domain
	Facts   map[int32]RoleFacts // what its roles are to the request, by id
	Through map[string][]string // of administrators among the accounts: the groups that they were put into for that
	// LoginGroups are the groups of the administrator, where a group among the accounts administers the vCenter; else nobody asks.
	LoginGroups []string
	Needing     Needing // of a run that may remove accounts
	Err         error   // why it was not read; what is above is incomplete then

	standing map[component.Name]spec.Settled // of the users that the specification names here; nil until SSO was read, see SettleUsers
}

// New is that of a vCenter of which nothing was read yet.
func New(q *Request, v spec.VCenter) *Snapshot {
	s := &Snapshot{VCenter: v, Domain: &Domain{}}
	s.Request = q.On(s)
	return s
}

// Path names an object; its reference where it is gone.
func (s *Snapshot) Path(ref inventory.Ref) string {
	if ref == inventory.Global.Ref {
		return inventory.GlobalPath
	}
	if o := s.Inventory.Object(ref); o != nil {
		return o.Path()
	}
	return ref.String()
}

// Place is the path of an object, and that of the datacenter that it is below; "" = none, or nobody knows.
func (s *Snapshot) Place(ref inventory.Ref) (at, datacenter string) {
	if o := s.Inventory.Object(ref); o != nil {
		return o.Path(), o.Datacenter()
	}
	return ref.String(), ""
}

// Concerned are the objects of the permissions that a plan may be about: those of accounts of the specification or with our mark,
// and those with roles of ours or of other clusters. Those that the specification names are known already.
func (s *Snapshot) Concerned() []inventory.Ref {
	mine := map[string]bool{}
	for _, a := range s.Principals() {
		mine[a.Key] = true
		if s.vanished(a.Principal) {
			mine[s.KeyOf(a.Principal.Name, !a.Principal.Group)] = true
		}
	}
	for _, u := range s.SSO.Marked {
		mine[s.UserKey(u.Name+"@"+s.SSO.Domain)] = true
	}
	var refs []inventory.Ref
	for _, p := range s.Perms.All {
		if facts := s.Facts[p.RoleID]; mine[p.Key] || facts.Kind != ForeignRole || facts.Owner != "" {
			refs = append(refs, p.Entity)
		}
	}
	return refs
}
