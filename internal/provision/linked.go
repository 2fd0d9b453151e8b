package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
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

// domain is what a job knows of one SSO domain.
type domain struct {
	key    string
	sites  []*site   // of the job, read
	linked []*linked // others, as far as they register a host name
	unread []string  // why not all of its vCenters are known, one text each; nil when they are
}

// errNotRead is why nothing is known of a linked vCenter that nobody asked about.
var errNotRead = errors.New("it is not part of this run")

// readDomains sorts the vCenters by SSO domain and, with read, reads those that share one with a vCenter of the job and are
// no part of it. Nothing is changed on them. The administrator of the job is expected to be known there: it is the same
// domain.
func (j *Job) readDomains(ctx context.Context, read bool) {
	j.domains = map[string]*domain{}
	for _, s := range j.sites {
		if s.err != nil {
			continue
		}
		d := j.domains[s.domainKey]
		if d == nil {
			d = &domain{key: s.domainKey}
			j.domains[s.domainKey] = d
			for _, host := range s.others {
				d.linked = append(d.linked, &linked{server: host, err: errNotRead})
			}
		}
		d.sites = append(d.sites, s)
	}
	var wg crash.Group
	for _, d := range j.domains {
		for _, l := range d.linked {
			if read {
				wg.Go(func() { l.err = j.readLinked(ctx, d.sites[0], l) })
			}
		}
	}
	wg.Wait()
	for _, d := range j.domains {
		d.settle(j.sites)
	}
}

func (j *Job) readLinked(ctx context.Context, s *site, l *linked) error {
	target := spec.VCenter{Server: l.server, Port: spec.DefaultPort}
	for _, v := range j.o.Spec.Whole().VCenters {
		if strings.EqualFold(v.Server, l.server) {
			target = v
		}
	}
	j.progress(s.spec.Server, "reading "+l.server+", of the same SSO domain")
	session, err := vcenter.Connect(ctx, j.o.Config(target))
	if err != nil {
		return err
	}
	defer session.Close(context.WithoutCancel(ctx))
	l.id = session.Content.About.InstanceUuid
	if slices.ContainsFunc(j.sites, func(known *site) bool { return known.err == nil && known.instance() == l.id }) {
		return nil // registered under another name than the specification uses
	}
	user, password := s.administrator()
	if err := session.Login(ctx, user, password); err != nil {
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
	held := perms.Of(l.server, all, s.keyOf)
	if len(held.On(vcenter.Ref(session.Content.RootFolder))) == 0 { // somebody always has one there
		return errors.New("the administrator does not see the permissions there")
	}
	l.perms = held
	return nil
}

// settle says what is not known of the domain.
func (d *domain) settle(all []*site) {
	d.linked = slices.DeleteFunc(d.linked, func(l *linked) bool { return l.err == nil && l.perms == nil })
	known := len(d.sites)
	for _, l := range d.linked {
		if l.err != nil {
			d.unread = append(d.unread, fmt.Sprintf("%s, of the same SSO domain, was not read (%v)", l.server, l.err))
		} else {
			known++
		}
	}
	missing := d.sites[0].peers - known
	for _, s := range all {
		if s.err != nil && missing > 0 && !slices.ContainsFunc(d.linked, func(l *linked) bool { return strings.EqualFold(l.server, s.spec.Server) }) {
			d.unread = append(d.unread, s.spec.Server+", which may be of the same SSO domain, could not be read")
		}
	}
	if missing > 0 && len(d.unread) == 0 {
		d.unread = append(d.unread, fmt.Sprintf("%d more vCenters of the same SSO domain are registered without a name that could be reached", missing))
	}
}

// administrator is who works on the vCenter.
func (s *site) administrator() (string, secret.Secret) { return s.user, s.password }

// holds lists what a user still has on the linked vCenters: "vcenter2.example.com (12 permissions)".
func (d *domain) holds(principal string) []string {
	var all []string
	for _, l := range d.linked {
		if l.err != nil {
			continue
		}
		if n := len(l.perms.Held(d.sites[0].userKey(principal))); n > 0 {
			all = append(all, fmt.Sprintf("%s (%s)", l.server, permissionCount(n)))
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
				all = appendNew(all, who+" on "+l.server)
			}
		}
	}
	return all
}

func permissionCount(n int) string {
	if n == 1 {
		return "1 permission"
	}
	return fmt.Sprintf("%d permissions", n)
}
