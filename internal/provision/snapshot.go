package provision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// snapshot is one vCenter as it was read for a request: plain values, without a session and without a way to fetch more.
type snapshot struct {
	request       *Request
	spec          spec.VCenter
	version       string
	instance      string // instance UUID; "" where the vCenter was not reached
	root          inventory.Ref
	administrator string          // who read it
	inventory     *inventory.Tree // of the paths of the specification, and of the objects of concerned permissions
	roles         *roles.State
	perms         *perms.State
	sso           *sso.State
	*domain
	facts   map[int32]roleFacts // what its roles are to the request, by id
	through map[string][]string // of administrators among the accounts: the groups that they were put into for that
	needing needing             // of a run that may remove accounts
	err     error               // why it was not read; what is above is incomplete then
}

// path names an object; its reference where it is gone.
func (s *snapshot) path(ref inventory.Ref) string {
	if o := s.inventory.Object(ref); o != nil {
		return o.Path()
	}
	return ref.String()
}

// place is the path of an object, and that of the datacenter that it is below; "" = none, or nobody knows.
func (s *snapshot) place(ref inventory.Ref) (at, datacenter string) {
	if o := s.inventory.Object(ref); o != nil {
		return o.Path(), o.Datacenter()
	}
	return ref.String(), ""
}

// snapshots is everything that was read for a request.
type snapshots struct {
	*Request
	all     []*snapshot // in the order of the specification
	removes bool        // what linked vCenters have was looked up, as far as it can be: accounts and roles may be removed

	displaced    *credfile.Displaced // what others gave before us; nil where no permission could have displaced anything
	displacedErr error               // why that could not be read
}

// snapshotsOf are these, each for the request from now on.
func snapshotsOf(q *Request, all []*snapshot) *snapshots {
	for _, s := range all {
		s.request = q
	}
	return &snapshots{Request: q, all: all}
}

// sharing are the vCenters of one SSO domain that were read.
func (e *snapshots) sharing(domainKey string) []*snapshot {
	return slices.DeleteFunc(slices.Clone(e.all), func(s *snapshot) bool { return s.err != nil || s.domainKey != domainKey })
}
