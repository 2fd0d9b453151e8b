package provision

import (
	"context"
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// CheckQuery asks what a principal may do on objects, and through which permission.
type CheckQuery struct {
	Principal string         // name@domain or DOMAIN\name; "" = the component's account
	Group     bool           // Principal is a group, even where a user has the same name
	Objects   []string       // inventory paths; at least one vCenter has each
	Component component.Name // what the rights are held against; "" = nothing

	// With Component and without failure domains:
	Scope    privileges.Scope              // "" = the usual one of the object's type
	Topology map[privileges.Condition]bool // what is assumed
}

// PermissionCheck is the answer, per vCenter.
type PermissionCheck struct {
	Report
	VCenters []CheckedVCenter `json:"vcenters"`
	Summary  CheckSummary     `json:"summary"`
}

// CheckSummary counts over all objects. Disagreements are objects where the vCenter's own answer is another one than
// its permissions explain.
type CheckSummary struct {
	Objects       int `json:"objects"`
	Missing       int `json:"missing"`
	Excess        int `json:"excess"`
	Disagreements int `json:"disagreements"`
}

// CheckedVCenter is what one vCenter says of a principal.
type CheckedVCenter struct {
	Result
	Principal string          `json:"principal"` // as the vCenter spells it
	Group     bool            `json:"group"`
	Groups    []string        `json:"groups"` // that it belongs to, through others too; null = not known
	Objects   []CheckedObject `json:"objects"`

	Administrator string `json:"administrator,omitempty"` // of Groups the one that lets it do everything, which is not excess
}

// Whose answer the privileges of a checked object are.
const (
	AnswerAgreed    = "agreed"    // the vCenter's, and its permissions explain it
	AnswerDisagreed = "disagreed" // the vCenter's; its permissions explain another one
	AnswerExplained = "explained" // the permissions' alone: the vCenter answers for users only
)

// CheckedObject is what may be done on one object. Privileges hold the implicit ones.
type CheckedObject struct {
	Path          string             `json:"path"`
	Type          string             `json:"type"`
	Answer        string             `json:"answer"`
	Privileges    []ThroughPrivilege `json:"privileges"`
	Grants        []CheckedGrant     `json:"grants"`                  // that count, or would if nothing kept them from it
	OnlyExplained []string           `json:"onlyExplained,omitempty"` // disagreed: what permissions give and the vCenter does not
	OnlyServer    []string           `json:"onlyServer,omitempty"`    // and the other way round
	Scope         string             `json:"scope,omitempty"`         // what was compared with; "" = nothing
	Missing       []string           `json:"missing,omitempty"`
	Excess        []string           `json:"excess,omitempty"`
}

// ThroughPrivilege is a privilege and the indexes of the grants that give it; none where nothing explains it.
type ThroughPrivilege struct {
	ID      string `json:"id"`
	Through []int  `json:"through"`
}

// CheckedGrant is one permission on the way from the object to the root folder.
type CheckedGrant struct {
	Object    string `json:"object"`
	Principal string `json:"principal"`
	Group     bool   `json:"group"`
	Role      string `json:"role"`
	Propagate bool   `json:"propagate"`
	Counts    bool   `json:"counts"`
	Why       string `json:"why"`
}

// Results are how reading the vCenters went.
func (c *PermissionCheck) Results() Results {
	all := make(Results, len(c.VCenters))
	for i, v := range c.VCenters {
		all[i] = v.Result
	}
	return all
}

// Check says what a principal may do on objects and through which permission, asks the vCenter itself, and tells where
// the two differ. Without rights in SSO groups stay unknown, which is said. Only has to be Permission.
func (j *Job) Check(ctx context.Context, q CheckQuery) *PermissionCheck {
	if q.Component != "" {
		q.Component = j.Spec.Account(q.Component).Component // whose rows the matrix of the profile has
	}
	c := &PermissionCheck{Report: newReport(KindCheck), VCenters: make([]CheckedVCenter, len(j.targets))}
	found := make([]map[string]bool, len(j.targets))
	j.inspect(ctx, func(i int) *Result { return &c.VCenters[i].Result }, func(ctx context.Context, t *target, i int) (err error) {
		found[i], err = j.check(ctx, t, q, &c.VCenters[i])
		return err
	})
	nowhere := slices.DeleteFunc(slices.Clone(q.Objects), func(p string) bool {
		return slices.ContainsFunc(found, func(on map[string]bool) bool { return on[p] })
	})
	for i, t := range j.targets {
		v := &c.VCenters[i]
		for _, p := range q.Objects {
			if v.Error == "" && !found[i][p] && !slices.Contains(nowhere, p) {
				v.note("there is no " + p + " here")
			}
		}
		if v.Error == "" && len(nowhere) > 0 {
			var errs []error
			for _, p := range nowhere {
				errs = append(errs, t.session.Nearest(ctx, p))
			}
			v.cause = errors.Join(errs...)
			v.Error = v.cause.Error()
		}
		for _, o := range v.Objects {
			c.Summary.Objects++
			c.Summary.Missing += len(o.Missing)
			c.Summary.Excess += len(o.Excess)
			if o.Answer == AnswerDisagreed {
				c.Summary.Disagreements++
			}
		}
	}
	return c
}

func (j *Job) check(ctx context.Context, t *target, q CheckQuery, out *CheckedVCenter) (map[string]bool, error) {
	out.Objects = []CheckedObject{}
	if err := j.gather(ctx, j.asked, t); err != nil {
		return nil, err
	}
	inv, err := t.session.Find(ctx, q.Objects)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	var refs []inventory.Ref
	for _, p := range q.Objects {
		if o := inv.At(p); o != nil {
			found[p], refs = true, append(refs, o.Ref)
		}
	}
	if err := t.session.Include(ctx, t.inventory, refs); err != nil {
		return nil, err
	}
	var objects []*inventory.Object
	for _, ref := range refs {
		objects = append(objects, t.inventory.Object(ref))
	}
	if len(objects) == 0 {
		return found, nil
	}
	principal := q.Principal
	if principal == "" {
		principal = j.principal(t.snapshot, q.Component)
	}
	who, err := t.identify(ctx, principal, q.Group || q.Principal == "" && j.isGroup(t.snapshot, q.Component), out)
	if err != nil {
		return found, err
	}
	expected, err := j.expectation(t.snapshot, q, objects)
	if err != nil {
		return found, t.nearby(ctx, err)
	}
	return found, t.compare(ctx, who, objects, expected, out)
}

// identify finds a principal and its groups. Where SSO cannot be asked it is taken for what the query says, in no group.
func (t *target) identify(ctx context.Context, principal string, group bool, out *CheckedVCenter) (access.Subject, error) {
	who := t.subject(access.Principal{Name: principal, Group: group}, nil)
	spelling, spelled := t.spelled(access.Principal{Name: principal, Group: group})
	out.Principal, out.Group = spelling, group
	if t.blind(&out.Result) {
		out.note("groups of " + principal + " are not known: what they give appears only in vCenter's own answer")
		return who, nil
	}
	id, err := t.directory.Resolve(ctx, principal, group)
	switch {
	case err != nil:
		return who, err
	case id == nil:
		return who, hint.Errorf("check the spelling and the identity sources of this vCenter", "%s: principal %s not found", t.spec.Server, principal)
	}
	out.Group = id.Group
	who = t.subject(access.Principal{Name: principal, Group: id.Group}, nil)
	if !spelled {
		out.Principal = id.Name
	}
	groups, unread := t.directory.Groups(ctx, id)
	if unread != nil {
		out.note("groups of " + principal + " could not be read: " + unread.Error())
		return who, nil //nolint:nilerr // the note says it, and the explanation goes on without them
	}
	out.Groups, out.Administrator = groups, t.administrating(groups)
	return t.subject(access.Principal{Name: principal, Group: id.Group}, groups), nil
}

// spelled is a principal as the vCenter spells it in its permissions, as it was given where it has none.
func (s *snapshot) spelled(who access.Principal) (string, bool) {
	if had := s.perms.Held(s.key(who)); len(had) > 0 {
		return had[0].Principal, true
	}
	return who.Name, false
}
