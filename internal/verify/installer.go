package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Check is one of openshift-install's: an account finds an object and holds privileges on it.
type Check struct {
	Key    string // of the account
	Object *inventory.Object
	name   string
	wanted []string
}

// Replay says what the account lacks of it, by what it was seen to have.
func (c Check) Replay(saw Seen) Preflight {
	if saw.Hidden != nil {
		return Preflight{Check: c.name, Missing: []string{fmt.Sprintf("not found: the account cannot see %s", saw.Hidden.Path())}}
	}
	return Preflight{Check: c.name, Missing: append([]string{}, lists.Without(c.wanted, saw.Held)...)} // never nil, because JSON shows it
}

// installer collects the checks on one vCenter.
type installer struct {
	*Expected
	account func(component.Name) string
	checks  []Check
}

// InstallerChecks are openshift-install's checks before an installation, in its order and with its
// names: the installer matrix's groups for its account, the look-up of the template, and in some
// profiles the groups of other components. account is the key of a component's account, "" if it
// did not log in, which skips its checks. Source: openshift/installer,
// pkg/asset/installconfig/vsphere/validation.go and permissions.go; pull request 10895.
func (e *Expected) InstallerChecks(s *spec.Spec, account func(component.Name) string) []Check {
	i := &installer{Expected: e, account: account}
	groups := embedded("installer").Preflight
	for _, w := range e.Works {
		for _, g := range groups {
			if g.Holds(w.Holds) {
				i.add(component.Installer, g.Description, w, g.Scope, g.Privileges)
			}
		}
		i.add(component.Installer, "template", w, privileges.ScopeTemplate, nil)
	}
	p, known := openshift.FindProfile(s.Profile)
	if !known || p.Preflight == "" {
		return i.checks
	}
	matrix := embedded(p.Preflight)
	for _, c := range matrix.Components() {
		if s.Account(c).Component == s.Account(component.Installer).Component { // as the installer's
			continue
		}
		for _, w := range e.Works {
			for _, g := range matrix.Grants(c, w.Holds) {
				ids := slices.DeleteFunc(slices.Clone(g.Privileges),
					func(id string) bool { return strings.HasPrefix(id, "System.") })
				if len(ids) > 0 {
					i.add(c, matrix.Upstream[c]+" "+string(g.Scope), w, g.Scope, ids)
				}
			}
		}
	}
	return i.checks
}

// embedded is a matrix that is part of the tool; tests load each.
func embedded(name string) *privileges.Matrix {
	m, err := privileges.Load(name)
	if err != nil {
		panic(err)
	}
	return m
}

func (i *installer) add(c component.Name, description string, w access.Work, scope privileges.Scope, wanted []string) {
	key := i.account(c)
	if key == "" || scope == privileges.ScopeSwitch { // it looks at no switches
		return
	}
	for _, o := range w.Places(scope) {
		name := description + " " + o.Path()
		had := slices.ContainsFunc(i.checks, func(c Check) bool { return c.name == name && c.Key == key })
		if !had && o.Exists() { // failure domains share objects
			i.checks = append(i.checks, Check{key, o, name, wanted})
		}
	}
}
