package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// openshift-install looks at each object once, at a folder that it makes itself never, and at nothing without the account.
func TestInstallerChecks(t *testing.T) {
	t.Parallel()
	l := newLab()
	dc := l.vm.Parent.Parent
	host := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "host"}, Name: "host", Parent: dc}
	cluster := &inventory.Object{Ref: inventory.Ref{Type: "ClusterComputeResource", Value: "c1"}, Name: "C1", Parent: host}
	pool := &inventory.Object{Ref: inventory.Ref{Type: "ResourcePool", Value: "p1"}, Name: "Resources", Parent: cluster}
	template := &inventory.Object{Ref: inventory.Ref{Type: "VirtualMachine", Value: "rhcos"}, Name: "rhcos", Parent: l.vm}
	domain := access.Domain{Holds: map[privileges.Condition]bool{}, Datacenter: dc, Cluster: cluster, Pool: pool, Folder: l.vm, Datastore: l.ds1, Template: template}
	for _, c := range privileges.Conditions() {
		domain.Holds[c] = true
	}
	made := domain
	made.Folder, made.Template = l.vm.Parent, nil
	everybody := func(c component.Name) string { return string(c) }
	for name, c := range map[string]struct {
		domains    []access.Domain
		profile    string
		account    func(component.Name) string
		has, lacks string // "" = none at all
	}{
		"folder":           {[]access.Domain{domain, domain}, openshift.ProfilePassthrough, everybody, " /DC1/vm/cluster1", "storage"},
		"template":         {[]access.Domain{domain}, openshift.ProfilePassthrough, everybody, "template /DC1/vm/cluster1/rhcos", "storage"},
		"folder made":      {[]access.Domain{made}, openshift.ProfilePassthrough, everybody, " /DC1/datastore/ds1", "/DC1/vm"},
		"no account":       {[]access.Domain{domain}, openshift.ProfilePassthrough, func(component.Name) string { return "" }, "", "/"},
		"other components": {[]access.Domain{domain}, openshift.ProfileComponentScoped, everybody, "storage cluster /DC1/host/C1", "*"},
	} {
		s, err := spec.FromServers([]string{"vc1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetProfile(c.profile); err != nil {
			t.Fatal(err)
		}
		l.Works = nil
		for _, d := range c.domains {
			l.Works = append(l.Works, access.WorkIn(d))
		}
		var names []string
		for _, check := range l.InstallerChecks(s, c.account) {
			names = append(names, check.name+" as "+check.Key)
		}
		all := strings.Join(names, "\n")
		if (c.has == "") != (all == "") || !strings.Contains(all, c.has+" as ") && c.has != "" || strings.Contains(all, c.lacks) {
			t.Errorf("%s:\n%s", name, all)
		}
		if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: checked twice:\n%s", name, all)
		}
	}
}

// What the account does not see is not found, whatever it holds there.
func TestReplay(t *testing.T) {
	t.Parallel()
	l := newLab()
	check := Check{name: "datastore /DC1/datastore/ds1", wanted: []string{allocate, browse}}
	for want, saw := range map[string]Seen{
		"":                                       {Held: []string{browse, allocate}},
		browse:                                   {Held: []string{allocate}},
		"not found: the account cannot see /DC1": {Held: []string{browse, allocate}, Hidden: l.ds1.Parent.Parent},
	} {
		got := check.Replay(saw)
		if got.Missing == nil || strings.Join(got.Missing, " ") != want {
			t.Errorf("%q, want %q", got.Missing, want)
		}
	}
}
