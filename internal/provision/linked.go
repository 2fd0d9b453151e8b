package provision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// linked is a vCenter of an SSO domain that is no part of a job. The domain's accounts are its accounts too, and its
// roles may be (R40), so that whoever removes one has to know what it has here.
type linked struct {
	server string
	id     string // instance UUID
	roles  *roles.State
	perms  *perms.State
	err    error
}

// held is how many permissions a principal has there; 0 also where nobody read them.
func (l *linked) held(key string) int {
	if l.err != nil {
		return 0
	}
	return len(l.perms.Held(key))
}

// Registered is a vCenter of an SSO domain as the lookup service has it.
type Registered struct {
	ID    string   // of its registration; the instance UUID, but that is documented nowhere
	Hosts []string // sorted
}

// domain is an SSO domain with the accounts of ours in it: one value, which its vCenters share once all of them were read.
type domain struct {
	domainKey   string       // no other domain has it
	registered  []Registered // its vCenters, as the lookup service has them
	peers       int          // how many
	peerServers []string     // names of them: the specification's, else the registered host names
	others      []string     // of peerServers those that are no part of this run

	sections    []string                         // of the credentials file that may have its accounts, those of this run first
	known       []sso.User                       // accounts of ours that a vCenter of it that was read knows
	accounts    map[component.Name]accounts.Line // as they are
	generations map[component.Name]accounts.Step // as this run leaves them

	linked []*linked // vCenters of it that are no part of the run, as far as they register a host name
	unread []string  // why not all of its vCenters are known, one text each; nil when they are
}

// join has the vCenters of each SSO domain that were read share what they know of it.
func (e *snapshots) join() {
	joined := map[string]bool{}
	for _, s := range e.all {
		if s.err != nil || s.sections == nil || joined[s.domainKey] {
			continue
		}
		joined[s.domainKey] = true
		d, sharing := *s.domain, e.sharing(s.domainKey)
		e.recognize(&d, sharing)
		e.generate(&d, sharing)
		for _, other := range sharing {
			other.domain = &d
		}
	}
}

// recognize works out which of the vCenters that an SSO domain registers are part of the run, of which sharing are those in the
// domain that were read. The specification may call one by another name than it registers, and that name may lead nowhere from
// here. A registration with the instance UUID of one is that one; where as many were read as there are, they are those.
func (q *Request) recognize(d *domain, sharing []*snapshot) {
	read := map[string]string{} // instance UUID → server
	for _, other := range sharing {
		read[strings.ToLower(other.instance)] = other.spec.Server
	}
	d.peerServers, d.others = nil, nil
	if len(d.registered) <= len(read) {
		for _, id := range slices.Sorted(maps.Keys(read)) {
			d.peerServers = append(d.peerServers, read[id])
		}
		slices.Sort(d.peerServers)
		return
	}
	for _, r := range d.registered {
		if server, ok := read[strings.ToLower(r.ID)]; ok {
			d.peerServers = lists.AppendNew(d.peerServers, server)
			continue
		}
		for _, host := range r.Hosts {
			d.peerServers = lists.AppendNew(d.peerServers, host)
			if !slices.ContainsFunc(q.Spec.VCenters, func(known spec.VCenter) bool { return strings.EqualFold(known.Server, host) }) {
				d.others = lists.AppendNew(d.others, host)
			}
		}
	}
	slices.Sort(d.peerServers)
	slices.Sort(d.others)
}

// errNotRead is why nothing is known of a linked vCenter that nobody asked about.
var errNotRead = errors.New("it is not part of this run")

// readDomains finds the vCenters that share an SSO domain with one of the run and are no part of it and, with linked, reads them.
// Nothing is changed on them. The administrator of the run is expected to be known there: it is the same domain.
func (j *Job) readDomains(ctx context.Context, e *snapshots, linkedToo bool) {
	seen := map[*domain]bool{}
	var wg crash.Group
	for i, s := range e.all {
		if s.err != nil || seen[s.domain] {
			continue
		}
		seen[s.domain] = true
		for _, host := range s.others {
			l := &linked{server: host, err: errNotRead}
			s.linked = append(s.linked, l)
			if linkedToo {
				wg.Go(func() { l.err = j.readLinked(ctx, e, j.targets[i], l) })
			}
		}
	}
	wg.Wait()
	for d := range seen {
		d.settle(e.sharing(d.domainKey), e.all)
	}
}

func (j *Job) readLinked(ctx context.Context, e *snapshots, t *target, l *linked) error {
	at := spec.VCenter{Server: l.server, Port: spec.DefaultPort}
	for _, v := range e.Spec.Whole().VCenters {
		if strings.EqualFold(v.Server, l.server) {
			at = v
		}
	}
	j.progress(t.spec.Server, "reading "+l.server+", in the same SSO domain")
	session, err := vcenter.Connect(ctx, j.o.Config(at))
	if err != nil {
		return err
	}
	defer session.Close(context.WithoutCancel(ctx))
	l.id = session.Content.About.InstanceUuid
	if slices.ContainsFunc(e.all, func(known *snapshot) bool { return known.err == nil && known.instance == l.id }) {
		return nil // registered under another name than the specification uses
	}
	if err := session.LoginLike(ctx, t.session); err != nil {
		return err
	}
	var wg crash.Group
	var rolesErr error
	wg.Go(func() { l.roles, rolesErr = roles.Read(ctx, session) })
	all, err := perms.Read(ctx, session)
	wg.Wait()
	if err == nil {
		err = rolesErr
	}
	if err != nil {
		return err
	}
	held := perms.Of(l.server, all, t.keyOf)
	if len(held.On(vcenter.Ref(session.Content.RootFolder))) == 0 { // somebody always has one there
		return errors.New("the administrator cannot see its permissions")
	}
	l.perms = held
	return nil
}

// settle says what is not known of the domain, of which some vCenters were read.
func (d *domain) settle(read, all []*snapshot) {
	d.linked = slices.DeleteFunc(d.linked, func(l *linked) bool { return l.err == nil && l.perms == nil })
	known := len(read)
	for _, l := range d.linked {
		if l.err != nil {
			d.unread = append(d.unread, fmt.Sprintf("%s, in the same SSO domain, was not read (%v)", l.server, l.err))
		} else {
			known++
		}
	}
	missing := read[0].peers - known
	for _, s := range all {
		if s.err != nil && missing > 0 && !slices.ContainsFunc(d.linked, func(l *linked) bool { return strings.EqualFold(l.server, s.spec.Server) }) {
			d.unread = append(d.unread, s.spec.Server+", which may be in the same SSO domain, could not be read")
		}
	}
	if missing > 0 && len(d.unread) == 0 {
		d.unread = append(d.unread, "the SSO domain registers "+term.Count(missing, "more vCenter")+" without a reachable name")
	}
}

// holds lists what a principal still has on the linked vCenters: "vcenter2.example.com (12 permissions)".
func (d *domain) holds(key string) []string {
	var all []string
	for _, l := range d.linked {
		if n := l.held(key); n > 0 {
			all = append(all, fmt.Sprintf("%s (%s)", l.server, term.Count(n, "permission")))
		}
	}
	return all
}

// holders are those of a role on the linked vCenters, by the role's name.
func (d *domain) holders(role string) []string {
	var all []string
	for _, l := range d.linked {
		if l.err != nil {
			continue
		}
		if r, ok := l.roles.ByName(role); ok {
			for _, who := range l.perms.Holders(r.ID) {
				all = lists.AppendNew(all, who+" on "+l.server)
			}
		}
	}
	return all
}
