package provision

import (
	"context"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
)

// Marks notes where the records of privilege checks end now.
func (j *Job) Marks(ctx context.Context) *usage.Marks {
	m := &usage.Marks{Report: inspect.NewReport(usage.KindMarks), Taken: j.Now.UTC(), VCenters: make([]usage.Mark, len(j.targets))}
	j.inspect(ctx, j.Request, func(i int) *inspect.Result { return &m.VCenters[i].Result }, func(ctx context.Context, t *target, i int) (err error) {
		if err = j.connect(ctx, t); err != nil {
			return err
		}
		m.VCenters[i].InstanceUUID = t.Instance
		m.VCenters[i].Marker, err = usage.Latest(ctx, t.session)
		return err
	})
	return m
}

// Usage compares what the accounts hold with what the vCenters recorded of them. marks are of an earlier time; nil = none.
func (j *Job) Usage(ctx context.Context, marks *usage.Marks) *usage.Usage {
	u := usage.New(j.Servers(), j.Now)
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

// usage reads the record of a vCenter that was read.
func (t *target) usage(ctx context.Context, marks *usage.Marks, out *usage.VCenter) error {
	wanted, err := t.Bind()
	if err != nil {
		return t.nearby(ctx, err)
	}
	marker, of := "", marks.Of(t.VCenter.Server)
	switch {
	case marks != nil && of == nil:
		out.Note("there is no mark of it: what was recorded before is counted as well")
	case of != nil && of.InstanceUUID != t.Instance:
		return fmt.Errorf("%s: the mark is of another vCenter: it was instance UUID %s, and is %s", t.VCenter.Server, of.InstanceUUID, t.Instance)
	case of != nil:
		marker = of.Marker
	}
	var who []usage.Who
	for _, a := range t.Principals() {
		name, domain := t.SSO.Split(a.Principal.Name)
		if source := t.SSO.Source(domain).Name; source != "" {
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
	if err := t.session.Include(ctx, t.Inventory, refs); err != nil {
		return err
	}
	out.Accounts = usage.Compare(t.Snapshot, wanted, checks)
	for _, a := range out.Accounts {
		out.Checks += a.Checks
	}
	return nil
}
