package snapshot

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Linked is a vCenter outside the job that shares accounts, and perhaps roles (R40), with it.
type Linked struct {
	Server string
	ID     string // instance UUID
	Roles  *roles.State
	Perms  *perms.State
	Err    error
}

// Held is how many permissions a principal has there; 0 also if they were not read.
func (l *Linked) Held(key string) int {
	if l.Err != nil {
		return 0
	}
	return len(l.Perms.Held(key))
}

// Registered is a vCenter of an SSO domain as the lookup service has it.
type Registered struct {
	ID    string   // of its registration: the instance UUID, though undocumented
	Hosts []string // sorted
}

// Domain is an SSO domain with our accounts, shared by its vCenters once all were read.
type Domain struct {
	Key         string       // unique
	Registered  []Registered // its vCenters, by the lookup service
	Peers       int          // number of Registered
	PeerServers []string     // as the specification names them, else by host name
	Others      []string     // PeerServers outside this run

	Sections    []string                         // those with its accounts, of this run first
	known       []sso.User                       // accounts of ours that were read
	Accounts    map[component.Name]accounts.Line // as they are
	Generations map[component.Name]accounts.Step // as this run leaves them

	Linked []*Linked // outside the run, with a registered host name
	Unread []string  // why others are not known, one text each; nil = all are
}

// Recognize finds out which registered vCenters of an SSO domain are the read ones in sharing. The
// specification may use another name than the registration, so the instance UUID decides; if as
// many were read as are registered, they are the same.
func (q *Request) Recognize(d *Domain, sharing []*Snapshot) {
	read := map[string]string{} // instance UUID → server
	for _, other := range sharing {
		read[strings.ToLower(other.Instance)] = other.VCenter.Server
	}
	d.PeerServers, d.Others = nil, nil
	if len(d.Registered) <= len(read) {
		for _, id := range slices.Sorted(maps.Keys(read)) {
			d.PeerServers = append(d.PeerServers, read[id])
		}
		slices.Sort(d.PeerServers)
		return
	}
	for _, r := range d.Registered {
		if server, ok := read[strings.ToLower(r.ID)]; ok {
			d.PeerServers = lists.AppendNew(d.PeerServers, server)
			continue
		}
		for _, host := range r.Hosts {
			d.PeerServers = lists.AppendNew(d.PeerServers, host)
			if !slices.ContainsFunc(q.Spec.VCenters,
				func(known spec.VCenter) bool { return strings.EqualFold(known.Server, host) }) {
				d.Others = lists.AppendNew(d.Others, host)
			}
		}
	}
	slices.Sort(d.PeerServers)
	slices.Sort(d.Others)
}

// Settle notes what is not known of the domain.
func (d *Domain) Settle(read, all []*Snapshot) {
	d.Linked = slices.DeleteFunc(d.Linked, func(l *Linked) bool { return l.Err == nil && l.Perms == nil })
	known := len(read)
	for _, l := range d.Linked {
		if l.Err != nil {
			d.Unread = append(d.Unread, fmt.Sprintf("%s, in the same SSO domain, was not read (%v)", l.Server, l.Err))
		} else {
			known++
		}
	}
	missing := read[0].Domain.Peers - known
	for _, s := range all {
		if s.Err != nil && missing > 0 && !slices.ContainsFunc(d.Linked,
			func(l *Linked) bool { return strings.EqualFold(l.Server, s.VCenter.Server) }) {
			d.Unread = append(d.Unread, s.VCenter.Server+", which may be in the same SSO domain, could not be read")
		}
	}
	if missing > 0 && len(d.Unread) == 0 {
		d.Unread = append(d.Unread, "the SSO domain registers "+term.Count(missing, "more vCenter")+" without a reachable name")
	}
}

// Holds lists a principal's linked permissions: "vcenter2.example.com (12 permissions)".
func (d *Domain) Holds(key string) []string {
	var all []string
	for _, l := range d.Linked {
		if n := l.Held(key); n > 0 {
			all = append(all, fmt.Sprintf("%s (%s)", l.Server, term.Count(n, "permission")))
		}
	}
	return all
}

// Holders returns who holds a role on the linked vCenters, by the role's name.
func (d *Domain) Holders(role string) []string {
	var all []string
	for _, l := range d.Linked {
		if l.Err != nil {
			continue
		}
		if r, ok := l.Roles.ByName(role); ok {
			for _, who := range l.Perms.Holders(r.ID) {
				all = lists.AppendNew(all, who+" on "+l.Server)
			}
		}
	}
	return all
}
