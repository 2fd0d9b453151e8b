package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Desired is what must be on one vCenter.
type Desired struct {
	Wanted  *access.Wanted
	Roles   []roles.Want
	Folders []NewFolder
	Tags    []tags.Step
	Told    []*finding.Finding     // of failure domains, and unknown privileges
	Named   map[inventory.Ref]bool // objects of the failure domains
	works   []access.Work          // what the specification needs
}

// Bind returns what must be on a vCenter. Failure domains in its error are left out.
func (s *Snapshot) Bind() (*Desired, error) { return s.BindTo(s.Principals()) }

// BindTo is Bind for the given accounts.
func (s *Snapshot) BindTo(principals []access.Account) (*Desired, error) {
	t := s.topology()
	return s.satisfy(t, access.Bind(s.Request.Matrix, principals, t.domains))
}

// assumed returns the roles for a failure domain of the assumed topology.
func (s *Snapshot) assumed() (*Desired, error) {
	o := s.Request.Assumed
	o.Holds = s.Request.Spec.Conditions(s.Request.Assumed.Holds)
	needs := access.Bind(s.Request.Matrix, s.Principals(), []access.Domain{access.Assumed(o)})
	return s.satisfy(&topology{read: s}, needs)
}

// Principals returns the accounts of all components on a vCenter, in all generations that stay.
func (s *Snapshot) Principals() []access.Account {
	var all []access.Account
	for _, c := range s.Request.Spec.ComponentNames() {
		p := s.Holder(c)
		all = append(all, access.Account{Component: c, Principal: p, Key: s.Key(p), Adopted: s.adopts(c)})
	}
	for _, a := range s.OwnAccounts() {
		if !s.InUse(a) && !s.Leaves(a) && s.Request.OwnsHolder(a.Component) {
			p := access.Principal{Name: a.Principal(s)}
			all = append(all, access.Account{Component: a.Component, Principal: p, Key: s.Key(p)})
		}
	}
	return all
}

// adopts reports whether others made the holder of a component's permissions, or are to make it.
func (s *Snapshot) adopts(c component.Name) bool {
	if !s.Request.OwnsHolder(c) {
		return true
	}
	_, exists := s.SSO.Own(s.Account(c).Name)
	return s.Request.Ordering && !exists
}

// satisfy returns what satisfies needs; privileges that the vCenter does not know are reported.
func (s *Snapshot) satisfy(t *topology, needs []access.Need) (*Desired, error) {
	steps, stays := t.tags()
	d := &Desired{Wanted: access.Permissions(needs), Folders: t.folders, Tags: steps, Told: append(t.told, stays...), Named: named(t.domains)}
	for _, domain := range t.domains {
		d.works = append(d.works, access.WorkIn(domain))
	}
	unknown := d.Wanted.Know(s.Roles.Catalogue())
	for _, id := range slices.Sorted(maps.Keys(unknown)) {
		text := fmt.Sprintf("unknown to this vCenter (%s); without it %s cannot %s",
			s.Version, strings.Join(component.Words(unknown[id]), ", "), cmp.Or(privileges.Operation(id), "do what needs it"))
		if s.Request.Strict {
			t.fail(fmt.Errorf("%s: privilege %s is %s", s.VCenter.Server, id, text))
			continue
		}
		d.Told = append(d.Told, plan.Change{Kind: plan.Privilege, Name: id}.Tell(finding.OmittedPrivilege, text+"; omitted"))
	}
	if s.Request.Additive {
		s.keep(d)
	}
	p := s.Request.Spec.Privileges
	d.Wanted.Name(access.Naming{Matrix: s.Request.Matrix, Prefix: p.RolePrefix, Layout: p.RoleLayout, Cluster: s.Request.Spec.Cluster})
	for _, w := range d.Wanted.All {
		i := slices.IndexFunc(d.Roles, func(r roles.Want) bool { return r.Name == w.Role })
		switch {
		case w.Role == privileges.ReadOnly:
		case i < 0:
			if n := utf8.RuneCountInString(w.Role); n > privileges.MaxRoleName {
				t.fail(hint.Errorf("shorten privileges.rolePrefix or the name of the cluster, which is in the roles of accounts that are not made here",
					"%s: role name %s has %d characters, more than %d", s.VCenter.Server, w.Role, n, privileges.MaxRoleName))
			}
			d.Roles = append(d.Roles, roles.Want{Name: w.Role, Privileges: w.Holds, Serves: Serves(w)})
		default:
			d.Roles[i].Serves = append(d.Roles[i].Serves, Serves(w)...)
		}
	}
	slices.SortFunc(d.Roles, func(x, y roles.Want) int { return strings.Compare(x.Name, y.Name) })
	return d, errors.Join(t.errs...)
}

// keep adds to each permission what its account already has there by a role of ours, so that
// nothing is taken away. An edited role keeps its name and contents; roles.Diff adds what it lacks.
func (s *Snapshot) keep(d *Desired) {
	add := func(w *access.Permission, p *perms.Permission) {
		role, _ := s.Roles.ByID(p.RoleID)
		w.Holds = privileges.Strip(append(w.Holds, role.Privileges...))
		w.Asked = privileges.Strip(append(w.Asked, role.Privileges...))
	}
	for _, w := range d.Wanted.All {
		p := s.Exactly(w)
		if above := s.inherited(w); above != nil && (p == nil || w.Propagate && !p.Propagate) &&
			!(w.Account.Adopted && !s.Made(nil, *above)) {
			add(w, above) // a permission replaces what comes from above, here and below
		}
		if p == nil || w.Account.Adopted && !s.Made(nil, *p) {
			continue
		}
		if kind := s.Facts[p.RoleID].Kind; kind != ForeignRole && kind != changedRole {
			add(w, p)
		}
		w.Propagate = w.Propagate || p.Propagate
	}
}

// inherited returns the principal's nearest permission that reaches a wanted place; nil if none.
func (s *Snapshot) inherited(w *access.Permission) *perms.Permission {
	above := w.At.Ancestors()
	for _, o := range above {
		for _, p := range s.Perms.Held(w.Account.Key) {
			if o.Exists() && p.Entity == o.Ref && p.Propagate {
				return &p
			}
		}
	}
	return nil
}

// conditions returns those of a failure domain, as if its folders were made, and the chosen ones.
func (s *Snapshot) conditions(fd spec.FailureDomain) map[privileges.Condition]bool {
	fd.Folder = s.FolderPath(fd)
	return s.Request.Spec.Conditions(fd.Holds())
}

// On returns a principal's wanted permission on an object; nil if none.
func (d *Desired) On(ref inventory.Ref, key string) *access.Permission {
	if d == nil {
		return nil
	}
	i := slices.IndexFunc(d.Wanted.All, func(e *access.Permission) bool { return e.At.Exists() && e.At.Ref == ref && e.Account.Key == key })
	if i < 0 {
		return nil
	}
	return d.Wanted.All[i]
}

// Expected is what verification compares accounts with.
func (s *Snapshot) Expected(d *Desired) *verify.Expected {
	return &verify.Expected{
		Wanted: d.Wanted, Works: d.works, Named: d.Named, Version: s.Version, Inventory: s.Inventory,
		Roles: s.Roles, Perms: s.Perms,
		Explain: s.Explain, Standing: s.Exactly, Administers: s.Administers,
	}
}

// Serves returns the rows whose needs a permission satisfies. Thousands of permissions share them.
func Serves(p *access.Permission) []*privileges.Row {
	all := make([]*privileges.Row, len(p.Needs))
	for i, n := range p.Needs {
		if all[i] = n.Row; n.Row.Scope != n.Scope {
			all[i] = new(*n.Row)
			all[i].Scope = n.Scope
		}
	}
	return all
}

// Tagged returns the failure domains' clusters, whose tags are regions and zones.
func (s *Snapshot) Tagged() (all []*inventory.Object) {
	for _, fd := range s.VCenter.FailureDomains {
		for _, p := range []string{fd.DatacenterPath(), fd.ComputeCluster} {
			if o := s.Inventory.At(p); o != nil && !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// Wants are the tags of the failure domains that name a region and a zone: a region is a datacenter and a zone is a cluster or,
// where the zone is a host group, a cluster and some of its hosts. Which hosts those are the specification does not say.
// Source: openshift/installer, pkg/asset/installconfig/vsphere/validation.go (validateTagAttachment) and pkg/types/vsphere.
func (s *Snapshot) Wants() (all []tags.Want) {
	for _, fd := range s.VCenter.FailureDomains {
		region, zone := s.Inventory.At(fd.DatacenterPath()), s.Inventory.At(fd.ComputeCluster)
		if fd.Region == "" || fd.Zone == "" || region == nil || zone == nil {
			continue
		}
		from := zone
		if fd.HostGroup {
			region, zone = zone, nil
		}
		all = append(all, tags.Want{Tag: tags.Tag{Category: tags.Region, Name: fd.Region}, Object: region, From: from, For: fd.Name},
			tags.Want{Tag: tags.Tag{Category: tags.Zone, Name: fd.Zone}, Object: zone, For: fd.Name})
	}
	return all
}

func (t *topology) tags() ([]tags.Step, []*finding.Finding) {
	if !t.read.Request.CreateTags || t.read.Tags == nil {
		return nil, nil
	}
	for _, fd := range t.read.VCenter.FailureDomains {
		if fd.Region == "" || fd.Zone == "" {
			t.fail(hint.Errorf("write region and zone of each failure domain, as in install-config.yaml, into the provisioning file",
				"%s: --create-tags: failure domain %s has no region or no zone", t.read.VCenter.Server, hint.Quote(fd.Name)))
		} else if fd.HostGroup {
			t.told = append(t.told, plan.Change{Kind: plan.FailureDomain, Name: fd.Name, Object: fd.ComputeCluster}.Tell(
				finding.UncheckedTags, "the zone is a host group: attach tag "+tags.Zone+"/"+fd.Zone+" to the hosts of the group in the vSphere Client"))
		}
	}
	wants := t.read.Wants()
	for _, c := range tags.Contradictions(wants) {
		t.fail(hint.Errorf(c.Remedy, "%s: --create-tags: %s", t.read.VCenter.Server, c.Text))
	}
	return tags.Diff(wants, t.read.Tags)
}
