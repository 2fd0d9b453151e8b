package diagnosis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// ReadAccounts reads the accounts in secrets of any profile, printed by `oc get secrets -o yaml` or
// made by [Secrets]. A component's secret in kube-system (by annotation or name) precedes that in
// its own namespace; kube-system/vsphere-creds is the main account, "installer", else Hive's. A
// copy is no account of its own: the main account in a component's secret, or machine-api's as main
// account while others differ. Warnings list what is ignored; they and the error hold no password.
func ReadAccounts(name string, data []byte) (openshift.Accounts, []string, error) {
	c, faults, err := cluster.Read(name, data)
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, nil, err
	}
	s := sources{dedicated: openshift.Accounts{}, target: openshift.Accounts{}, root: openshift.Accounts{}, hive: openshift.Accounts{}}
	secrets := c.Objects()
	slices.SortStableFunc(secrets, func(a, b *cluster.Object) int { // an annotation goes before a name
		return strings.Compare(b.Annotations[openshift.RequestKey], a.Annotations[openshift.RequestKey])
	})
	for _, from := range secrets {
		s.take(from, c.Again(from.At()))
	}
	if len(s.dedicated)+len(s.target)+len(s.root)+len(s.hive) == 0 {
		return nil, s.warnings, fmt.Errorf("%s: no secret has a vCenter account (keys <server>.username and <server>.password, or Hive's %s)", name, openshift.HiveKey)
	}
	return s.accounts(), s.warnings, nil
}

// sources are the accounts of a dump by where they stand.
type sources struct {
	dedicated openshift.Accounts // in kube-system, per component
	target    openshift.Accounts // in the components' own namespaces
	root      openshift.Accounts // of the installer alone
	hive      openshift.Accounts // that Hive removes the cluster with: the installer's
	warnings  []string
}

func (s *sources) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

func (s *sources) take(from *cluster.Object, again bool) {
	at := from.At()
	c, into := s.belongs(from)
	if c == "" {
		if len(from.Accounts) > 0 {
			s.warn("%s: has accounts of %s, but of no known component: ignored", at,
				strings.Join(from.Keys.Servers(), ", "))
		}
		of, err := from.Hive()
		if err != nil {
			s.warn("%s: %v: ignored", at, err)
		}
		for _, server := range slices.Sorted(maps.Keys(of)) {
			s.put(at, s.hive, server, component.Installer, of[server])
		}
		return
	}
	if again {
		s.warn("%s: is in the dump more than once: the last one is used", at)
	}
	for _, key := range slices.Concat(from.Half, from.Unknown) {
		s.warn("%s: key %q is not part of an account: ignored", at, key)
	}
	for _, server := range from.Left {
		s.warn("%s: %s is a placeholder of the Assisted Installer: ignored", at, server)
	}
	if len(from.Foreign) > 0 {
		s.warn("%s: %s: only the cloud controller manager reads such keys: ignored", at,
			strings.Join(from.Foreign, ", "))
	}
	for _, server := range from.Keys.Servers() {
		s.put(at, into, server, c, from.Accounts[server])
	}
}

// put takes the account of a component for a vCenter from a secret, unless an earlier one has it.
func (s *sources) put(at component.Ref, into openshift.Accounts, server string, c component.Name, a credfile.Account) {
	reason := a.Unusable()
	if len(a.Unfilled()) > 0 {
		reason = "" // the caller refuses it: a blank to fill in
	}
	if server == "" {
		reason = "the vCenter is missing"
	}
	before, again := into[server][c]
	switch {
	case reason != "":
		s.warn("%s: %s: %s: ignored", at, cmp.Or(server, openshift.HiveKey), reason)
	case again && !before.Same(a):
		s.warn("%s: %s: ignored, because another account of %s in another secret is used", at, server, c)
	case !again:
		if into[server] == nil {
			into[server] = map[component.Name]credfile.Account{}
		}
		into[server][c] = a
	}
}

// belongs tells whose accounts a secret holds; the root secret has the installer's.
func (s *sources) belongs(from *cluster.Object) (component.Name, openshift.Accounts) {
	at := from.At()
	switch {
	case at == root:
		return component.Installer, s.root
	case at.Namespace == root.Namespace:
		return from.Component(), s.dedicated
	}
	return from.Component(), s.target
}

// accounts decides which source counts.
func (s *sources) accounts() openshift.Accounts {
	out := openshift.Accounts{}
	for _, from := range []openshift.Accounts{s.dedicated, s.target, s.root, s.hive} {
		for server := range from {
			out[server] = map[component.Name]credfile.Account{}
		}
	}
	for _, server := range slices.Sorted(maps.Keys(out)) {
		s.settle(server, out[server])
	}
	return out
}

// borrowed reports whether an account on a server may be a copy of another source's.
func (s *sources) borrowed(server string, a credfile.Account) bool {
	for _, from := range []openshift.Accounts{s.dedicated, s.target, s.root} {
		for c, other := range from[server] {
			if !c.OptIn() && a.Same(other) {
				return true
			}
		}
	}
	return false
}

func (s *sources) settle(server string, own map[component.Name]credfile.Account) {
	main, hasMain := s.root[server][component.Installer]
	ofHive, inHive := s.hive[server][component.Installer]
	if inHive {
		own[component.Installer] = ofHive
	}
	differs := false
	for _, c := range component.Names() {
		a, ok := s.dedicated[server][c]
		target, inTarget := s.target[server][c]
		switch {
		case !ok && inTarget:
			a, ok = target, true
		case ok && inTarget && !a.Same(target):
			s.warn("%s: %s: the secret that it reads now has another account than kube-system, whose account is used", server, c)
		}
		if ok && c.OptIn() && s.borrowed(server, a) {
			continue
		}
		if ok {
			own[c] = a
			differs = differs || !hasMain || !a.Same(main)
		}
	}
	if !hasMain {
		return
	}
	machine, hasMachine := own[component.MachineAPI]
	_, given := s.dedicated[server][component.MachineAPI]
	switch { // the root secret is for those who read it themselves
	case hasMachine && machine.Same(main) && (differs || given):
		return
	case component.OfUser(main.User) == component.MachineConfig:
		own[component.MachineConfig] = main
		return
	}
	for _, c := range component.Names() {
		_, given := s.dedicated[server][c]
		if a, ok := own[c]; ok && !given && a.Same(main) {
			delete(own, c) // a copy that cloud-credential-operator made
		}
	}
	if inHive && !ofHive.Same(main) {
		s.warn("%s: Hive has another account than %s, whose account is used", server, root)
	}
	own[component.Installer] = main
}
