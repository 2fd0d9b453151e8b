package provision

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// errNotRead is why nothing is known of a linked vCenter that nobody asked about.
var errNotRead = errors.New("it is not part of this run")

// readDomains finds the vCenters that share an SSO domain with one of the run and are no part of it and, with linked, reads them.
// Nothing is changed on them. The administrator of the run is expected to be known there: it is the same domain.
func (j *Job) readDomains(ctx context.Context, e *decision.Snapshots, linkedToo bool) {
	seen := map[*snapshot.Domain]bool{}
	var wg crash.Group
	for i, s := range e.All {
		if s.Err != nil || seen[s.Domain] {
			continue
		}
		seen[s.Domain] = true
		for _, host := range s.Others {
			l := &snapshot.Linked{Server: host, Err: errNotRead}
			s.Linked = append(s.Linked, l)
			if linkedToo {
				wg.Go(func() { l.Err = j.readLinked(ctx, e, j.targets[i], l) })
			}
		}
	}
	wg.Wait()
	for d := range seen {
		d.Settle(e.Sharing(d.DomainKey), e.All)
	}
}

func (j *Job) readLinked(ctx context.Context, e *decision.Snapshots, t *target, l *snapshot.Linked) error {
	at := spec.VCenter{Server: l.Server, Port: spec.DefaultPort}
	for _, v := range e.Spec.Whole().VCenters {
		if strings.EqualFold(v.Server, l.Server) {
			at = v
		}
	}
	j.progress(t.VCenter.Server, "reading "+l.Server+", in the same SSO domain")
	session, err := vcenter.Connect(ctx, j.o.Config(at))
	if err != nil {
		return err
	}
	defer session.Close(context.WithoutCancel(ctx))
	l.ID = session.Content.About.InstanceUuid
	if slices.ContainsFunc(e.All, func(known *snapshot.Snapshot) bool { return known.Err == nil && known.Instance == l.ID }) {
		return nil // registered under another name than the specification uses
	}
	if err := session.LoginLike(ctx, t.session); err != nil {
		return err
	}
	var wg crash.Group
	var rolesErr error
	wg.Go(func() { l.Roles, rolesErr = roles.Read(ctx, session) })
	all, err := perms.Read(ctx, session)
	wg.Wait()
	if err == nil {
		err = rolesErr
	}
	if err != nil {
		return err
	}
	held := perms.Of(l.Server, all, t.KeyOf)
	if len(held.On(vcenter.Ref(session.Content.RootFolder))) == 0 { // somebody always has one there
		return errors.New("the administrator cannot see its permissions")
	}
	l.Perms = held
	return nil
}
