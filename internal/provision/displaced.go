package provision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// displaces says what a grant to somebody else's principal changes of what others gave it further up or through its groups:
// an entry of a user's own beats all entries of its groups, and the nearest object with an entry decides, so that what is
// inherited from further up no longer counts there (R21, R22). What it has on the object itself is perms.Diff's to say.
// known tells that something is displaced, or may be; where only unread groups could tell it is false.
func (s *vcenterPlan) displaces(d *desired, e *access.Permission) (text string, known bool) {
	if !e.At.Exists() || !e.Account.Adopted || s.request.owns(e.Components[0]) { // one that a work order asks for has nothing yet
		return "", true
	}
	found, asked := s.sso.Principal(e.Account.Principal.Name)
	for _, p := range s.perms.On(e.At.Ref) {
		had := principalOf(p)
		if !asked && p.Key != e.Account.Key && s.bare(had) == s.bare(e.Account.Principal) {
			return fmt.Sprintf("if it is the same as %s, this displaces %s; its groups could not be read", had, s.roles.Name(p.RoleID)), true
		}
	}
	after := lists.Union(privileges.ImplicitIDs(), e.Holds)
	var lost, from, lifted []string
	for _, had := range s.explain(s.subject(e.Account.Principal, found.Groups), e.At) {
		here := had.At.Ref == e.At.Ref
		own := had.Permission.Key == e.Account.Key
		switch {
		case !had.Counts, own && here:
			continue
		case e.Account.Principal.Group && here: // what two groups have on one object is added
			continue
		case own && d.At(e.Account.Key, had.At) != nil: // wanted too
			continue
		}
		what := s.roles.Name(had.Permission.RoleID)
		if !own {
			what += " of group " + had.Permission.Principal
		}
		if !here {
			what += " on " + had.At.Path()
		}
		if !s.roles.Reads(had.Permission.RoleID) {
			lifted = lists.AppendNew(lifted, what)
		}
		if less := lists.Without(s.roles.Privileges(s.roles.Name(had.Permission.RoleID)), after); len(less) > 0 {
			lost, from = lists.Union(lost, less), lists.AppendNew(from, what)
		}
	}
	var parts []string
	if len(lost) > 0 {
		parts = append(parts, fmt.Sprintf("its permission through %s no longer applies here: it loses %s", strings.Join(from, ", "), lists.Few(lost)))
	}
	if len(lifted) > 0 {
		parts = append(parts, "lifts "+strings.Join(lifted, ", ")+", which keeps it out now")
	}
	known = len(parts) > 0
	if found.GroupsErr != nil || !asked {
		parts = append(parts, "its groups could not be read, so what this displaces is not known")
	}
	return strings.Join(parts, "; "), known
}

// former gives what stood where a permission of an adopted principal is taken away, by the record beside the credentials
// file.
func (e *snapshots) former(s *snapshot) func(perms.Permission) (plan.PermissionState, bool) {
	if e.displaced == nil {
		return nil
	}
	return func(p perms.Permission) (plan.PermissionState, bool) {
		e.displaced.Same = s.sso.Same
		f, ok := e.displaced.Get(s.where(p))
		return plan.PermissionState{Role: f.Role, Propagate: f.Propagate}, ok
	}
}

// recordPath is the path that the record of what was displaced is beside; "" where nobody said.
func (q *Request) recordPath() string {
	if q.Credentials == nil {
		return q.Beside
	}
	return q.Credentials.Beside()
}

// where is the place of a permission in the record.
func (s *snapshot) where(p perms.Permission) credfile.Former {
	return credfile.Former{InstanceUUID: s.instance, Server: s.spec.Server, Object: p.Entity.String(), Principal: p.Principal, Group: p.Group}
}

// recordDisplaced writes down what the plan is going to displace, before it is sent to a vCenter.
func (dec *execution) recordDisplaced() error {
	if !dec.does(plan.Permission) || len(dec.adopted()) == 0 {
		return nil
	}
	if dec.displacedErr != nil {
		return dec.displacedErr
	}
	if dec.displaced.Found() || !dec.provisioned() {
		dec.displaced.Begin()
	}
	for _, p := range dec.vcenters {
		if p.err != nil {
			continue
		}
		dec.displaced.Same = p.sso.Same
		if p.wanted != nil {
			for _, e := range p.wanted.All { // whatever stood there once, others have taken it away since
				if e.Account.Adopted && e.At.Exists() && p.exactly(e) == nil {
					dec.displaced.Remove(p.where(perms.Permission{Entity: e.At.Ref, Principal: e.Account.Principal.Name, Group: e.Account.Principal.Group}))
				}
			}
		}
		for _, step := range p.steps {
			before, ok := step.Before.(plan.PermissionState)
			if ok && step.Verb == plan.Update && step.Displaces && step.Had != nil {
				f := p.where(*step.Had)
				f.Path, f.Role, f.Propagate = step.Object, before.Role, before.Propagate
				dec.displaced.Put(f)
			}
		}
	}
	return dec.displaced.Save()
}

// provisioned reports whether an adopted account has permissions of ours: then there was a record, and its absence is not to be
// covered up by an empty one.
func (dec *execution) provisioned() bool {
	return slices.ContainsFunc(dec.vcenters, func(p *vcenterPlan) bool {
		return p.err == nil && slices.ContainsFunc(p.perms.All, func(had perms.Permission) bool { return p.made(p.wanted, had) })
	})
}

// forgetDisplaced drops from the record what was given back, or is gone with our permission.
func (dec *execution) forgetDisplaced() error {
	if dec.displaced == nil || !dec.does(plan.Permission) {
		return nil
	}
	left := false
	for _, p := range dec.vcenters {
		if p.err != nil {
			left = true
			continue
		}
		dec.displaced.Same = p.sso.Same
		for _, step := range p.steps {
			switch removal := step.Verb == plan.Delete || step.Restores; {
			case !removal || step.Had == nil:
			case dec.work.Status(step.Change) == plan.Done:
				dec.displaced.Remove(p.where(*step.Had))
			default:
				left = true
			}
		}
	}
	if dec.undoing && !left && dec.Spec.Before == nil { // nothing of ours is left on these vCenters
		for _, p := range dec.vcenters {
			dec.displaced.Clear(p.instance)
		}
		dec.displaced.End()
	}
	return dec.displaced.Save()
}
