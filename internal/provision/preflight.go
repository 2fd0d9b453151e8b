package provision

import (
	"slices"
	"strings"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// invisible reports whether a fault says that the account may not see the object at all.
func invisible(err error) bool {
	return fault.Is(err, &types.ManagedObjectNotFound{}) || len(vcenter.MissingPrivileges(err)) > 0
}

// check is one of openshift-install's own: an account finds an object and holds some privileges on it.
type check struct {
	name    string
	account *account
	object  *inventory.Object
	wanted  []string
}

// checked are the matrices whose groups openshift-install checks.
type checked struct {
	installer  *privileges.Matrix
	components *privileges.Matrix // nil = it checks no other component
}

// checkedBy are those of a profile.
func checkedBy(profile string) checked {
	c := checked{installer: embedded("installer")}
	if p, ok := openshift.FindProfile(profile); ok && p.Preflight != "" {
		c.components = embedded(p.Preflight)
	}
	return c
}

// embedded is a matrix that is part of the tool; tests load each.
func embedded(name string) *privileges.Matrix {
	m, err := privileges.Load(name)
	if err != nil {
		panic(err)
	}
	return m
}

// checks are those of openshift-install before an installation, in its order and with its names: the groups of the installer
// matrix as the account that it works with, the look-up of the template, and in profiles for which it does that the groups of
// the other components. Nothing is checked without the account.
// Source: openshift/installer, pkg/asset/installconfig/vsphere/validation.go and permissions.go; pull request 10895.
func (q *asked) checks(s *snapshot, by checked, accounts []*account) []check {
	p := &preflight{asked: q, snapshot: s}
	of := func(c component.Name) *account {
		i := slices.IndexFunc(accounts, func(a *account) bool { return slices.Contains(a.components, q.Spec.Account(c).Component) })
		if i < 0 || accounts[i].session == nil || accounts[i].result != login.OK {
			return nil
		}
		return accounts[i]
	}
	if a := of(component.Installer); a != nil {
		for _, fd := range s.spec.FailureDomains {
			holds := q.conditions(s, fd)
			for _, g := range by.installer.Preflight {
				if g.Holds(holds) {
					p.add(a, g.Description, p.objects(fd, g.Scope), g.Privileges)
				}
			}
			if fd.Template != "" {
				p.add(a, "template", p.objects(fd, privileges.ScopeTemplate), nil)
			}
		}
	}
	if by.components != nil {
		p.components(by.components, of)
	}
	return p.all
}

// preflight collects the checks on one vCenter.
type preflight struct {
	*asked
	*snapshot
	all []check
}

func (p *preflight) add(a *account, description string, objects []*inventory.Object, wanted []string) {
	for _, o := range objects {
		name := description + " " + o.Path()
		had := slices.ContainsFunc(p.all, func(c check) bool { return c.name == name && c.account == a })
		if !had { // failure domains share objects
			p.all = append(p.all, check{name, a, o, wanted})
		}
	}
}

// components are the groups that openshift-install checks for each component's account. That of the machine API is its own.
func (p *preflight) components(matrix *privileges.Matrix, of func(component.Name) *account) {
	named := p.Spec
	for _, c := range matrix.Components() {
		a := of(c)
		if a == nil || named.Account(c).Component == named.Account(component.Installer).Component { // checked as the installer's
			continue
		}
		for _, fd := range p.spec.FailureDomains {
			for _, g := range matrix.Grants(c, p.conditions(p.snapshot, fd)) {
				ids := slices.DeleteFunc(slices.Clone(g.Privileges), func(id string) bool { return strings.HasPrefix(id, "System.") })
				if len(ids) > 0 {
					p.add(a, matrix.Upstream[c]+" "+string(g.Scope), p.objects(fd, g.Scope), ids)
				}
			}
		}
	}
}

// objects are those of a scope, as openshift-install looks them up.
func (p *preflight) objects(fd spec.FailureDomain, scope privileges.Scope) []*inventory.Object {
	var paths []string
	switch scope {
	case privileges.ScopeVCenter:
		paths = []string{"/"}
	case privileges.ScopeDatacenter:
		paths = []string{fd.DatacenterPath()}
	case privileges.ScopeFolder:
		paths = []string{p.folderPath(p.snapshot, fd)}
	case privileges.ScopeCluster:
		paths = []string{fd.ComputeCluster}
	case privileges.ScopeResourcePool:
		paths = []string{poolPath(fd)}
	case privileges.ScopeDatastore:
		paths = []string{fd.Datastore}
	case privileges.ScopeNetwork:
		paths = fd.Networks
	case privileges.ScopeTemplate:
		paths = []string{fd.Template}
	case privileges.ScopeSwitch:
	}
	var objects []*inventory.Object
	for _, path := range paths {
		if o := p.inventory.At(path); o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}
