package decision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// Snapshots is everything that was read for a request.
type Snapshots struct {
	*snapshot.Request
	All     []*snapshot.Snapshot // in the order of the specification
	Removes bool                 // what linked vCenters have was looked up, as far as it can be: accounts and roles may be removed

	Displaced    *credfile.Displaced // what others gave before us; nil where no permission could have displaced anything
	DisplacedErr error               // why that could not be read
}

// SnapshotsOf are these, each for the request from now on.
func SnapshotsOf(q *snapshot.Request, all []*snapshot.Snapshot) *Snapshots {
	for _, s := range all {
		s.Request = q.On(s)
	}
	return &Snapshots{Request: q, All: all}
}

// Sharing are the vCenters of one SSO domain that were read.
func (e *Snapshots) Sharing(domainKey string) []*snapshot.Snapshot {
	return slices.DeleteFunc(slices.Clone(e.All), func(s *snapshot.Snapshot) bool { return s.Err != nil || s.DomainKey != domainKey })
}

// Join has the vCenters of each SSO domain that were read share what they know of it.
func (e *Snapshots) Join() {
	joined := map[string]bool{}
	for _, s := range e.All {
		if s.Err != nil || s.Sections == nil || joined[s.DomainKey] {
			continue
		}
		joined[s.DomainKey] = true
		d, sharing := *s.Domain, e.Sharing(s.DomainKey)
		e.Recognize(&d, sharing)
		sharing[0].Request.Generate(&d, sharing)
		for _, other := range sharing {
			other.Domain = &d
		}
	}
}
