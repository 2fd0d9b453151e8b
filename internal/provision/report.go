package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Report verifies like [Job.Verify] and adds for an auditor: sessions, administrators, logged
// changes and, if recorded, used privileges. The caller completes the report. holders is as in [Job.RotationStatus].
func (j *Job) Report(ctx context.Context, r *report.Report, recorded bool, holders func(server, user string) []component.Ref) {
	read := make([]report.VCenter, len(j.targets))
	users := make([][]inspect.User, len(j.targets))
	q := j.Request.Aging()
	q.Lock = true
	r.Verification = j.verifyAnd(ctx, q, func(ctx context.Context, t *target) error {
		i := slices.Index(j.targets, t)
		v := &read[i]
		var wg crash.Group
		errs := make([]error, 3)
		wg.Go(func() {
			sessions, known, err := t.session.Sessions(ctx)
			if errs[0] = err; err == nil {
				v.Accounts = j.rotatedWith(t.at, sessions, known, holders,
					func(text string) { v.Notes = append(v.Notes, text) })
			}
		})
		wg.Go(func() { users[i], errs[1] = j.listUsers(ctx, t, UserQuery{}) })
		wg.Go(func() { errs[2] = t.history(ctx, v) })
		wg.Wait()
		if err := errors.Join(errs...); err != nil || t.at.Perms == nil {
			return err
		}
		if recorded {
			v.Usage = &usage.VCenter{Result: inspect.Result{Server: t.at.VCenter.Server}, Accounts: []usage.Account{}}
			if err := t.usage(ctx, nil, v.Usage); err != nil {
				v.Usage.Fail(err)
			}
		}
		return t.administrators(ctx, v)
	})
	r.Domains, _ = j.userDomains(users)
	for i, t := range j.targets {
		if t.at.Perms == nil || t.at.SSO == nil {
			r.Add(read[i], t.at, nil)
			continue
		}
		wanted, err := t.at.Bind()
		if err != nil {
			wanted = nil
		}
		r.Add(read[i], t.at, wanted)
	}
}

// history reads the vCenter's events about permissions and roles of ours.
func (t *target) history(ctx context.Context, v *report.VCenter) error {
	events, more, err := t.session.AuthorizationEvents(ctx)
	switch {
	case vcenter.Unanswered(err):
		return err
	case err != nil:
		v.History.Unknown = err.Error()
		return nil //nolint:nilerr // the report says it
	}
	v.History.More, v.History.Events = more, []report.Event{}
	if v.History.RetentionDays, err = t.session.EventRetention(ctx); vcenter.Unanswered(err) {
		return err
	}
	var refs []inventory.Ref
	for _, e := range events {
		if e.Object.Value != "" && t.at.Inventory.Object(e.Object) == nil {
			refs = append(refs, e.Object)
		}
	}
	if err := t.session.Include(ctx, t.at.Inventory, refs); err != nil {
		return err
	}
	for _, e := range events {
		if !t.concerns(e) {
			continue
		}
		out := report.Event{Time: e.Time, What: e.What, By: e.By, Principal: e.Principal, Role: e.Role}
		switch o := t.at.Inventory.Object(e.Object); {
		case o != nil:
			out.Object = o.Path()
		case e.Name != "":
			out.Object = inventory.Written(e.Name)
		}
		v.History.Events = append(v.History.Events, out)
	}
	return nil
}

// concerns reports whether an event is about an account or role of ours, by name if removed.
func (t *target) concerns(e vcenter.AuthorizationEvent) bool {
	same := t.at.SSO.Same(e.Principal)
	if e.Principal != "" && slices.ContainsFunc(t.at.Principals(),
		func(a access.Account) bool { return t.at.SSO.Same(a.Principal.Name) == same }) {
		return true
	}
	if r, there := t.at.Roles.ByName(e.Role); there {
		return t.at.Facts[r.ID].Kind != snapshot.ForeignRole
	}
	return e.Role != "" && strings.HasPrefix(e.Role, t.at.Request.Spec.Privileges.RolePrefix)
}

// administrators lists who has the role Admin on the root folder, and who administers SSO.
func (t *target) administrators(ctx context.Context, v *report.VCenter) error {
	v.Administrators = []report.Administrator{}
	for _, p := range t.at.Perms.On(t.at.Root) {
		if t.at.Administers(p) {
			how := "role Admin on the root folder"
			if !p.Propagate {
				how += ", without propagation: not below it"
			}
			v.Administrators = append(v.Administrators, report.Administrator{Principal: p.Principal, Group: p.Group, How: how})
		}
	}
	group := t.at.SSOAdministrators()
	i := slices.IndexFunc(v.Administrators, func(a report.Administrator) bool {
		return a.Group && t.at.SSO.Same(a.Principal) == t.at.SSO.Same(group)
	})
	if i < 0 {
		v.Administrators = append(v.Administrators,
			report.Administrator{Principal: group, Group: true, How: "administers SSO"})
	} else {
		v.Administrators[i].How += ", and administers SSO"
	}
	for n := range v.Administrators {
		a := &v.Administrators[n]
		if !a.Group {
			continue
		}
		if !t.at.SSO.Within(a.Principal) {
			a.Unknown = "its members are kept in another directory"
			continue
		}
		members, err := t.directory.Members(ctx, a.Principal)
		switch {
		case vcenter.Unanswered(err):
			return err
		case err != nil:
			a.Unknown = "this login may not read them"
		default:
			a.Members = members
		}
	}
	return nil
}

// Marks notes where the records of privilege checks end now.
func (j *Job) Marks(ctx context.Context) *usage.Marks {
	m := &usage.Marks{Report: inspect.NewReport(usage.KindMarks), Taken: j.Request.Now.UTC(), VCenters: make([]usage.Mark, len(j.targets))}
	j.inspect(ctx, j.Request, func(i int) *inspect.Result { return &m.VCenters[i].Result },
		func(ctx context.Context, t *target, i int) (err error) {
			if err := j.connect(ctx, t); err != nil {
				return err
			}
			m.VCenters[i].InstanceUUID = t.at.Instance
			m.VCenters[i].Marker, err = usage.Latest(ctx, t.session)
			return err
		})
	return m
}

// Usage compares privileges with the records of their use. marks are earlier ones; nil = none.
func (j *Job) Usage(ctx context.Context, marks *usage.Marks) *usage.Usage {
	u := usage.New(j.Request.Servers(), j.Request.Now)
	if marks != nil {
		u.Since = &marks.Taken
	}
	j.inspect(ctx, j.Request, func(i int) *inspect.Result { return &u.VCenters[i].Result }, func(ctx context.Context, t *target, i int) error {
		if err := j.gather(ctx, t); err != nil {
			return err
		}
		return t.usage(ctx, marks, &u.VCenters[i])
	})
	return u
}

func (t *target) usage(ctx context.Context, marks *usage.Marks, out *usage.VCenter) error {
	wanted, err := t.at.Bind()
	if err != nil {
		return t.nearby(ctx, err)
	}
	marker, of := "", marks.Of(t.at.VCenter.Server)
	switch {
	case marks != nil && of == nil:
		out.Note("there is no mark of it: what was recorded before is counted as well")
	case of != nil && of.InstanceUUID != t.at.Instance:
		return fmt.Errorf("%s: the mark is of another vCenter: it was instance UUID %s, and is %s",
			t.at.VCenter.Server, of.InstanceUUID, t.at.Instance)
	case of != nil:
		marker = of.Marker
	}
	var who []usage.Who
	for _, a := range t.at.Principals() {
		name, domain := t.at.SSO.Split(a.Principal.Name)
		if source := t.at.SSO.Source(domain).Name; source != "" {
			domain = source
		}
		who = lists.AppendNew(who, usage.Who{Name: name, Domain: domain})
		if a.Principal.Group {
			out.Note("what the members of group " + a.Principal.Name + " used is recorded of them, not of the group")
		}
	}
	checks, lost, err := usage.Read(ctx, t.session, who, marker)
	if err != nil {
		return err
	}
	if lost {
		out.Note("the record does not reach back to the mark: the buffer has overflowed, or the vCenter was restarted, and what was used in between may be missing")
	}
	var refs []inventory.Ref
	for _, c := range checks {
		refs = lists.AppendNew(refs, c.Object)
	}
	if err := t.session.Include(ctx, t.at.Inventory, refs); err != nil {
		return err
	}
	out.Accounts = usage.Compare(t.at, wanted, checks)
	for _, a := range out.Accounts {
		out.Checks += a.Checks
	}
	return nil
}
