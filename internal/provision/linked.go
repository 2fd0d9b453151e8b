package provision

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// errNotRead is why nothing is known of a linked vCenter outside the run.
var errNotRead = errors.New("it is not part of this run")

// readDomains finds the vCenters outside the run that share an SSO domain with one of the run and,
// with linkedToo, reads them as the same administrator. It changes nothing there.
func (j *Job) readDomains(ctx context.Context, e *decision.Snapshots, linkedToo bool) {
	seen := map[*snapshot.Domain]bool{}
	var wg crash.Group
	for i, s := range e.All {
		if s.Err != nil || seen[s.Domain] {
			continue
		}
		seen[s.Domain] = true
		for _, host := range s.Domain.Others {
			l := &snapshot.Linked{Server: host, Err: errNotRead}
			s.Domain.Linked = append(s.Domain.Linked, l)
			if linkedToo {
				wg.Go(func() { l.Err = j.readLinked(ctx, e, j.targets[i], l) })
			}
		}
	}
	wg.Wait()
	for d := range seen {
		d.Settle(e.Sharing(d.Key), e.All)
	}
}

func (j *Job) readLinked(ctx context.Context, e *decision.Snapshots, t *target, l *snapshot.Linked) error {
	at := spec.VCenter{Server: l.Server, Port: spec.DefaultPort}
	for _, v := range e.Request.Spec.Whole().VCenters {
		if strings.EqualFold(v.Server, l.Server) {
			at = v
		}
	}
	j.progress(t.at.VCenter.Server, "reading "+l.Server+", in the same SSO domain")
	session, err := vcenter.Connect(ctx, j.o.Config(at))
	if err != nil {
		return err
	}
	defer session.Close(context.WithoutCancel(ctx))
	l.ID = session.Content.About.InstanceUuid
	if slices.ContainsFunc(e.All,
		func(known *snapshot.Snapshot) bool { return known.Err == nil && known.Instance == l.ID }) {
		return nil // registered under another name
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
	held := perms.Of(l.Server, all, t.at.KeyOf)
	if len(held.On(vcenter.Ref(session.Content.RootFolder))) == 0 { // the root folder always has permissions
		return errors.New("the administrator cannot see its permissions")
	}
	l.Perms = held
	return nil
}

// answers limits the wait for a name that may lead nowhere.
const answers = 5 * time.Second

// instances asks servers for instance UUIDs without a login, reached as specified.
func (j *Job) instances(ctx context.Context, servers []string) map[string]string {
	var configs []vcenter.Config
	for _, server := range servers {
		at := spec.VCenter{Server: server, Port: spec.DefaultPort}
		for _, v := range j.Request.Spec.Whole().VCenters {
			if strings.EqualFold(v.Server, server) {
				at = v
			}
		}
		configs = append(configs, j.o.Config(at))
	}
	ctx, stop := context.WithTimeout(ctx, answers)
	defer stop()
	ids, _ := vcenter.Instances(ctx, configs) // no answer, no UUID
	return ids
}

// others are additional names that may lead to the run's vCenters: sections of the credentials file
// and, for a run that writes, vCenters that the run leaves out.
func others(q *snapshot.Request) []string {
	servers := slices.Collect(maps.Keys(q.LeftEntries()))
	for _, v := range q.Spec.Whole().VCenters {
		if !q.Looking && !slices.Contains(q.Servers(), v.Server) {
			servers = append(servers, v.Server)
		}
	}
	return servers
}

// NamesOf returns all names of the run's vCenters: of the specification, of the last plan, and
// those of servers (keys of secrets) that answer as one of them.
func (j *Job) NamesOf(ctx context.Context, servers ...string) []string {
	names := j.Request.Servers()
	for _, t := range j.targets {
		names = append(names, t.at.OtherSections()...)
	}
	asked := slices.DeleteFunc(slices.Clone(servers), func(s string) bool { return slices.Contains(names, s) })
	for server, id := range j.instances(ctx, asked) {
		if slices.ContainsFunc(j.targets, func(t *target) bool { return strings.EqualFold(t.at.Instance, id) }) {
			names = append(names, server)
		}
	}
	return names
}
