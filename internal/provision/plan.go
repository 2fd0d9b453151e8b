package provision

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/workorder"
)

// Plan reads every vCenter and returns what has to change. A vCenter's error stops no other.
func (j *Job) Plan(ctx context.Context) *plan.Plan {
	e := j.read(ctx, j.Request)
	p := j.propose(ctx, e.Decide((*decision.Decision).Change))
	p.Incomplete = e.Unseen()
	p.Findings = slices.Concat(e.Findings(), e.Passwordless(), e.UnseenGlobal(func(int) bool { return false }),
		j.decided.decision.Unable(), e.Encrypted(), e.Left(), p.Findings)
	if !j.Request.CreateTags && !j.o.Offline { // else they are changes, or unknown
		p.Findings = append(p.Findings, e.Untagged()...)
	}
	if j.o.Offline {
		p.Findings = append(p.Findings, finding.New(finding.PlanNote, "", "no vCenter was asked: this is for vCenters that have the objects of the "+
			"specification, with port groups of a distributed switch as networks, and the SSO domain %s, and nothing of this tool", e.All[0].SSO.Domain))
	}
	return p
}

// Consumers returns what components will report. The error joins why vCenters were not read.
func (j *Job) Consumers(ctx context.Context) ([]decision.Consumer, error) {
	return j.read(ctx, j.Request).Consumers()
}

// WorkOrder returns a plan of this job as work for other teams.
func (j *Job) WorkOrder(p *plan.Plan, again workorder.Again) *workorder.Order {
	order := j.decided.decision.WorkOrder(p, again)
	order.Unread = j.o.Offline
	return order
}

// propose sets what a decision's changes do. Failed runs look up names near a missing one.
func (j *Job) propose(ctx context.Context, dec *decision.Decision) *plan.Plan {
	j.decided = &execution{decision: dec, work: plan.Steps{}}
	var group crash.Group
	group.Limit(j.o.Parallel)
	for i, p := range dec.Plans {
		t := j.targets[i]
		switch {
		case j.o.Offline: // there is nobody to do it
		case p.Err == nil:
			t.attach(j.decided, p)
		case t.session != nil:
			group.Go(func() { p.Err = t.nearby(ctx, p.Err) })
		}
	}
	group.Wait()
	return dec.Show()
}

func (t *target) attach(dec *execution, p *decision.VCenterPlan) {
	t.directory.Attach(dec.work, p.Changes, p.DomainPlan.Passwords)
	if t.at.Roles == nil { // a rotation reads only accounts
		return
	}
	if p.Wanted != nil {
		for _, f := range p.Wanted.Folders { // what needs one is done afterwards
			dec.work.Do(f.Change, func(ctx context.Context) (err error) {
				f.Object.Ref, err = createFolder(ctx, t.session, f.Object.Parent.Ref, f.Object.Name)
				return err
			})
		}
		tags.Attach(dec.work, t.session, t.at.Tags, p.Wanted.Tags)
	}
	w := roles.NewWriter(t.session, t.at.Roles)
	w.Attach(dec.work, p.Changes)
	perms.NewWriter(t.session, w, t.at.KeyOf).Attach(dec.work, p.Steps)
}

// PlanDestroy plans to undo an Apply: the permissions of our accounts anywhere, those that this
// cluster gave adopted ones, the accounts, and roles without other holders.
func (j *Job) PlanDestroy(ctx context.Context) *plan.Plan {
	e := j.read(ctx, j.Request.Undo())
	p := j.propose(ctx, e.Decide((*decision.Decision).Undo))
	p.Findings = slices.Concat(e.LeftGlobal(), e.Left(), p.Findings,
		j.decided.decision.Unrecorded(), j.decided.decision.Unrestored())
	return p
}

// Destroy makes PlanDestroy's changes. A stored entry goes once its account is gone everywhere.
func (j *Job) Destroy(ctx context.Context, p *plan.Plan) error {
	j.execute(ctx, p, nil)
	return errors.Join(j.decided.forgetDisplaced(), j.decided.forgetRemoved(p))
}

// Stored reports whether any of the vCenters has a stored account: ours, dropped, or of others.
func (j *Job) Stored() bool {
	for _, v := range j.Request.Spec.VCenters {
		for _, c := range j.Request.Spec.ComponentNames() {
			if a, ok := j.Request.Credentials.Get(v.Server, c); ok && !j.target(v.Server).at.Owns(c) && a.User != "" {
				return true
			}
		}
	}
	return len(j.decided.decision.Request.LeftEntries()) > 0 ||
		slices.ContainsFunc(j.decided.decision.Planned(), func(p *decision.VCenterPlan) bool {
			return slices.ContainsFunc(append(p.At.OwnAccounts(), p.At.Dropped()...), func(a snapshot.OwnAccount) bool {
				return j.Request.Stored(p.At.VCenter.Server, a.Principal(p.At), a.Component)
			})
		})
}

// forgetRemoved removes accounts that are gone from the credentials file.
func (e *execution) forgetRemoved(done *plan.Plan) error {
	if !e.decision.Request.Does(plan.User) {
		return nil
	}
	kept := map[string]bool{} // existing accounts, with the server that was to delete them
	for _, f := range done.Findings {
		if f.Object != nil && f.Object.Kind == string(plan.User) {
			kept[strings.ToLower(f.Object.Name)+"\x00"+f.Server] = true
		}
	}
	for v, c := range done.Changes() {
		if c.Kind == plan.User {
			kept[strings.ToLower(c.Name)+"\x00"+v.Server] = v.Status(c) != plan.Done
		}
	}
	// keeps reports whether an account still exists in a vCenter's SSO domain.
	keeps := func(p *decision.VCenterPlan, principal string) bool {
		return slices.ContainsFunc(e.decision.Plans, func(other *decision.VCenterPlan) bool {
			return other.At.Domain.Key == p.At.Domain.Key &&
				(other.Err != nil || kept[strings.ToLower(principal)+"\x00"+other.At.VCenter.Server])
		})
	}
	var gone []credfile.Entry
	for _, p := range e.decision.Planned() {
		for _, a := range e.gone(p.At) {
			principal := a.Principal(p.At)
			if e.decision.Request.Stored(p.At.VCenter.Server, principal, a.Component) &&
				(!keeps(p, principal) || e.departed(p, a)) {
				gone = append(gone, credfile.Entry{Server: p.At.VCenter.Server, Component: a.Component})
			}
		}
	}
	e.decision.Request.Credentials.RemoveAll(gone)
	return errors.Join(e.decision.Request.Credentials.Save(),
		e.forget(func(p *decision.VCenterPlan, principal string) bool { return !keeps(p, principal) }))
}

// departed reports whether a destroy removed all of an account's rights on one of several linked
// vCenters whose others have its password, so that its entry may go unless a rotation needs it.
func (e *execution) departed(p *decision.VCenterPlan, a snapshot.OwnAccount) bool {
	if _, used := e.decision.WhyKept(p, a); !e.decision.Request.Undoing || !used ||
		e.decision.Request.Files().Section(p.At.VCenter.Server, a.Component).Journal.User != "" {
		return false
	}
	for _, had := range p.At.Perms.Held(p.At.UserKey(a.Principal(p.At))) {
		if !slices.ContainsFunc(p.Steps, func(step perms.Step) bool {
			return step.Had != nil && *step.Had == had && step.Verb == plan.Delete && e.work.Status(step.Change) == plan.Done
		}) {
			return false
		}
	}
	here, _ := e.decision.Request.Credentials.Get(p.At.VCenter.Server, a.Component)
	return slices.ContainsFunc(p.At.Domain.Sections, func(server string) bool {
		there, ok := e.decision.Request.Credentials.Get(server, a.Component)
		return ok && e.decision.VCenter(server) == nil &&
			strings.EqualFold(there.User, here.User) && there.Password.Equal(here.Password)
	})
}

// gone returns the accounts whose entries may be removed; for a destroy also those gone before.
func (e *execution) gone(s *snapshot.Snapshot) []snapshot.OwnAccount {
	if e.decision.Request.Undoing {
		return s.OwnAccounts()
	}
	return e.decision.Read.Prunable(s)
}

// InPlace reports whether a vCenter, as read, already is as a change of another plan makes it.
func (j *Job) InPlace(ctx context.Context, server string, c *plan.Change) bool {
	t := j.target(server)
	if t == nil || t.at.Err != nil ||
		c.Kind != plan.Folder && c.Kind != plan.Tag && (c.After == nil) != (c.Verb == plan.Delete) {
		return false
	}
	switch c.Kind {
	case plan.Folder:
		return c.Verb == plan.Create && t.at.Inventory.At(c.Name) != nil
	case plan.Tag:
		return c.Verb == plan.Create && t.at.Tags != nil && t.at.Tags.InPlace(c, t.at.Inventory.At(c.Object))
	case plan.Role:
		role, exists := t.at.Roles.ByName(c.Name)
		after, kept := c.After.(plan.RoleState)
		return exists == kept && (!kept || slices.Equal(role.Privileges, lists.Union(after.Privileges, nil)))
	case plan.Group:
		found, _ := t.at.SSO.Principal(c.Name)
		name, _ := t.at.SSO.Split(c.Name)
		return c.After != nil == (found.Group || slices.ContainsFunc(t.at.SSO.Made, func(g sso.User) bool { return g.Name == name }))
	case plan.User:
		return t.userInPlace(ctx, c)
	case plan.Permission:
		return t.permissionInPlace(c)
	case plan.Privilege:
	}
	return false
}

func (t *target) userInPlace(ctx context.Context, c *plan.Change) bool {
	name, domain := t.at.SSO.Split(c.Name)
	before, _ := c.Before.(plan.UserState)
	after, kept := c.After.(plan.UserState)
	switch {
	case t.at.SSO.Users == nil || !strings.EqualFold(domain, t.at.SSO.Domain):
		return false
	case after.InsteadOf != "":
		return slices.ContainsFunc(t.at.Request.Spec.ComponentNames(), func(of component.Name) bool {
			a, _ := t.at.Request.Credentials.Get(t.at.VCenter.Server, of)
			return strings.EqualFold(a.User, c.Name)
		})
	case kept:
		user, exists := t.at.SSO.Users[strings.ToLower(name)]
		return exists && user.Description == after.Description && user.Disabled == after.Disabled &&
			t.at.SSO.Joined(user, after.MemberOf) && (before.MemberOf == "" || !t.at.SSO.Joined(user, before.MemberOf))
	}
	ours, err := t.directory.AllMarked(ctx) // a removed one may not be in the specification
	return err == nil && !slices.ContainsFunc(ours, func(u sso.User) bool { return strings.EqualFold(u.Name, name) })
}

func (t *target) permissionInPlace(c *plan.Change) bool {
	who := access.Principal{Name: c.Principal, Group: c.Group}
	after, kept := c.After.(plan.PermissionState)
	for _, p := range t.at.PermissionsOf(who) {
		if t.at.Path(p.Entity) == c.Object {
			return kept && after == plan.PermissionState{Role: t.at.Roles.Name(p.RoleID), Propagate: p.Propagate}
		}
	}
	return !kept
}
