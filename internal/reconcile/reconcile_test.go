package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

func specOf(t interface{ Fatal(...any) }, more string) *spec.Spec {
	s, err := spec.Parse("spec.yaml", []byte("apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters: [{server: vc1.example.com}]\n"+more))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func matrix(t interface{ Fatal(...any) }, name, text string) *privileges.Matrix {
	m, err := privileges.Parse(name+".yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	base = `
components:
  machine-api: {grants: [{scope: folder, propagate: true, privileges: [VirtualMachine.Inventory.Create]}, {scope: datastore, propagate: false, conditions: [vsan-file], privileges: [Datastore.FileManagement]}, {scope: cluster, propagate: false, conditions: [host-group], privileges: [Host.Inventory.EditCluster]}, {scope: cluster, propagate: true, conditions: [pool-root], privileges: [Host.Local.CreateVM]}, {scope: resource-pool, propagate: true, conditions: [pool-existing], privileges: [Host.Local.CreateVM]}]}
  csi-driver: {grants: [{scope: datastore, propagate: false, privileges: [Datastore.Browse]}]}
`
	next = `
components:
  machine-api: {grants: [{scope: folder, propagate: true, privileges: [VirtualMachine.Inventory.Create, VirtualMachine.Inventory.Delete]}, {scope: cluster, propagate: false, conditions: [host-group], privileges: [Host.Inventory.EditCluster]}, {scope: cluster, propagate: true, conditions: [pool-root], privileges: [Host.Local.CreateVM]}, {scope: resource-pool, propagate: true, conditions: [pool-existing], privileges: [Host.Local.CreateVM]}]}
  csi-driver: {grants: [{scope: datastore, propagate: false, conditions: [vsan-file], privileges: [Datastore.AllocateSpace]}]}
`
)

// shown is what a result says, a line each.
func shown(r *reconcile.Result) []string {
	var out []string
	entry := func(sign string, a privileges.Added) {
		text := fmt.Sprintf("%s %s %s %s", sign, a.Component, a.Scope, strings.Join(a.Privileges, ","))
		if a.Propagate {
			text += " below"
		}
		if len(a.Conditions) > 0 {
			text += fmt.Sprintf(" %v", a.Conditions)
		}
		out = append(out, strings.TrimSpace(text))
	}
	for _, a := range r.Add {
		entry("+", a)
	}
	for _, u := range r.Unneeded {
		out = append(out, strings.TrimSpace(fmt.Sprintf("? %s %s %s", u.Component, u.Scope, strings.Join(u.Privileges, ","))))
	}
	for _, a := range r.Spec.Privileges.Added {
		entry("=", a)
	}
	for _, c := range r.Write.Name {
		out = append(out, "named "+string(c))
	}
	for _, c := range r.Write.Drop {
		out = append(out, "dropped "+string(c))
	}
	if r.Write.Matrix != "" {
		out = append(out, "matrix "+r.Write.Matrix)
	}
	return out
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	const had = "privileges: {added: [{component: machine-api, scope: folder, propagate: true, privileges: [A.Old, A.New], release: 4.22.0, reason: CredentialsRequest machine-api asks for it}]}\n"
	mapi := func(ids ...string) release.Request {
		return request(component.MachineAPI, "machine-api", asking(ids...))
	}
	for name, tt := range map[string]struct {
		spec  string
		from  *release.Requests
		to    *release.Requests
		next  string // matrix
		place map[string][]privileges.Scope
		prune bool
		want  []string

		assigned []component.Name
		domains  []bool // failure domains, with a host group or without
	}{
		"the matrix has it":            {to: requests(mapi("VirtualMachine.Inventory.Create")), want: nil},
		"another matrix has it":        {to: requests(mapi("Host.Config.Storage")), want: []string{"+ machine-api cluster Host.Config.Storage below [pool-root]", "+ machine-api resource-pool Host.Config.Storage below [pool-existing]", "= machine-api cluster Host.Config.Storage below [pool-root]", "= machine-api resource-pool Host.Config.Storage below [pool-existing]"}},
		"a condition was not chosen":   {to: requests(mapi("Datastore.FileManagement")), want: []string{"+ machine-api datastore Datastore.FileManagement", "= machine-api datastore Datastore.FileManagement"}},
		"a condition was chosen":       {spec: "privileges: {conditions: [vsan-file]}\n", to: requests(mapi("Datastore.FileManagement")), want: nil},
		"methods say where":            {to: requests(mapi("VirtualMachine.Interact.Suspend")), want: []string{"+ machine-api folder VirtualMachine.Interact.Suspend below", "= machine-api folder VirtualMachine.Interact.Suspend below"}},
		"placed by hand":               {to: requests(mapi("A.New")), place: map[string][]privileges.Scope{"A.New": {privileges.ScopeVCenter, privileges.ScopeCluster}}, want: []string{"+ machine-api vcenter A.New", "+ machine-api cluster A.New below", "= machine-api vcenter A.New", "= machine-api cluster A.New below"}},
		"placed elsewhere than it was": {to: requests(mapi("VirtualMachine.Inventory.Create")), place: map[string][]privileges.Scope{"VirtualMachine.Inventory.Create": {privileges.ScopeDatacenter}}, want: []string{"+ machine-api datacenter VirtualMachine.Inventory.Create", "= machine-api datacenter VirtualMachine.Inventory.Create"}},
		"two requests of one component": {
			to:   requests(mapi("VirtualMachine.Interact.Suspend"), request(component.MachineAPI, "mine", asking("VirtualMachine.Interact.Suspend", "VirtualMachine.Interact.Reset"))),
			want: []string{"+ machine-api folder VirtualMachine.Interact.Suspend below", "+ machine-api folder VirtualMachine.Interact.Reset below", "= machine-api folder VirtualMachine.Interact.Suspend below", "= machine-api folder VirtualMachine.Interact.Reset below"},
		},
		"additively nothing goes": {
			spec: had, to: requests(mapi("A.New")),
			want: []string{"? machine-api folder A.Old", "= machine-api folder A.Old,A.New below"},
		},
		"prune takes what is not asked for": {
			spec: had, to: requests(mapi("A.New")), prune: true,
			want: []string{"? machine-api folder A.Old", "= machine-api folder A.New below"},
		},
		"prune takes what the matrix has by now": {
			spec: "privileges: {added: [{component: machine-api, scope: folder, propagate: true, privileges: [VirtualMachine.Inventory.Create], reason: CredentialsRequest machine-api asks for it}]}\n",
			to:   requests(mapi("VirtualMachine.Inventory.Create")), prune: true,
			want: []string{"? machine-api folder VirtualMachine.Inventory.Create"},
		},
		"prune keeps what somebody wrote by hand": {
			spec: "privileges: {added: [{component: machine-api, scope: folder, propagate: true, privileges: [A.Old], release: 4.22.0, reason: we want it}, {component: machine-api, scope: vcenter, privileges: [A.New]}]}\n",
			to:   requests(mapi()), prune: true,
			want: []string{"= machine-api folder A.Old below", "= machine-api vcenter A.New"},
		},
		"prune without requests keeps what requests asked for": {
			spec: "privileges: {added: [{component: machine-api, scope: folder, propagate: true, privileges: [A.Old, VirtualMachine.Inventory.Delete], reason: CredentialsRequest x asks for it}, {component: csi-driver, scope: vcenter, privileges: [Alarm.Create], reason: \"matrix base has it: so\"}]}\n",
			next: next, prune: true,
			want: []string{"? machine-api folder VirtualMachine.Inventory.Delete", "? csi-driver vcenter Alarm.Create", "? machine-api datastore Datastore.FileManagement", "? csi-driver datastore Datastore.Browse", "= machine-api folder A.Old below", "matrix ./next.yaml"},
		},
		"the matrix has it in another topology": {
			to: requests(mapi("Host.Inventory.EditCluster")), want: []string{"+ machine-api cluster Host.Inventory.EditCluster", "= machine-api cluster Host.Inventory.EditCluster"},
		},
		"the matrix has it in the topology of the failure domains": {domains: []bool{true}, to: requests(mapi("Host.Inventory.EditCluster")), want: nil},
		"the matrix has it in the topology of one of two": {
			domains: []bool{true, false}, to: requests(mapi("Host.Inventory.EditCluster")), want: []string{"+ machine-api cluster Host.Inventory.EditCluster", "= machine-api cluster Host.Inventory.EditCluster"},
		},
		"the matrix has it in every topology": {to: requests(mapi("Host.Local.CreateVM")), want: nil},
		"an entry has it in another topology": {
			spec: "privileges: {added: [{component: machine-api, scope: cluster, privileges: [A.New], conditions: [host-group]}]}\n", place: map[string][]privileges.Scope{"A.New": {privileges.ScopeCluster}},
			to: requests(mapi("A.New")), want: []string{"+ machine-api cluster A.New below", "= machine-api cluster A.New [host-group]", "= machine-api cluster A.New below"},
		},
		"prune adds what is missing": {
			to: requests(mapi("VirtualMachine.Interact.Suspend")), prune: true,
			want: []string{"+ machine-api folder VirtualMachine.Interact.Suspend below", "= machine-api folder VirtualMachine.Interact.Suspend below"},
		},
		"two matrices, additively": {
			to: requests(mapi()), next: next,
			want: []string{
				"+ machine-api folder VirtualMachine.Inventory.Delete below", "+ csi-driver datastore Datastore.AllocateSpace [vsan-file]",
				"? machine-api datastore Datastore.FileManagement", "? csi-driver datastore Datastore.Browse",
				"= machine-api folder VirtualMachine.Inventory.Delete below", "= csi-driver datastore Datastore.AllocateSpace [vsan-file]",
			},
		},
		"two matrices, pruned": {
			spec: "privileges: {added: [{component: machine-api, scope: folder, propagate: true, privileges: [VirtualMachine.Inventory.Delete], reason: \"matrix next has it: moves\"}]}\n",
			to:   requests(mapi()), next: next, prune: true,
			want: []string{"? machine-api folder VirtualMachine.Inventory.Delete", "? machine-api datastore Datastore.FileManagement", "? csi-driver datastore Datastore.Browse", "matrix ./next.yaml"},
		},
		"asked for always, there under a condition": {
			spec: "privileges: {added: [{component: csi-driver, scope: vcenter, privileges: [Alarm.Create, Alarm.Edit], conditions: [vsan-file]}]}\n",
			to:   requests(request(component.CSIDriver, "csi", asking("Alarm.Create", "Alarm.Edit"))), place: map[string][]privileges.Scope{"Alarm.Edit": {privileges.ScopeVCenter}},
			want: []string{"+ csi-driver vcenter Alarm.Create", "+ csi-driver vcenter Alarm.Edit", "= csi-driver vcenter Alarm.Create", "= csi-driver vcenter Alarm.Edit"},
		},
		"a new component": {
			spec: "components: {machine-api: {}}\n", from: requests(mapi()), to: requests(mapi(), request(component.CSIDriver, "csi", asking("Alarm.Create"))),
			want: []string{"+ csi-driver vcenter Alarm.Create", "= csi-driver vcenter Alarm.Create", "named csi-driver"},
		},
		"a component that the specification leaves out on purpose": {
			spec: "components: {machine-api: {}}\n", from: requests(mapi(), request(component.CSIDriver, "csi")), to: requests(mapi(), request(component.CSIDriver, "csi", asking("Alarm.Create"))),
			want: nil,
		},
		"a component that a request of both releases is assigned to": {
			spec: "components: {machine-api: {}}\n", from: requests(request(component.CSIDriver, "csi")), to: requests(mapi(), request(component.CSIDriver, "csi", asking("Alarm.Create"))),
			assigned: []component.Name{component.CSIDriver, component.MachineAPI},
			want:     []string{"+ csi-driver vcenter Alarm.Create", "= csi-driver vcenter Alarm.Create", "named csi-driver"},
		},
		"a component without a request": {
			from: requests(mapi(), request(component.CSIDriver, "csi")), to: requests(mapi()),
			want: []string{"? csi-driver"},
		},
		"a component without a request, pruned": {
			from: requests(mapi(), request(component.CSIDriver, "csi")), to: requests(mapi()), prune: true,
			want: []string{"? csi-driver", "dropped csi-driver"},
		},
		"a request that only waits for its feature set": {
			from: requests(mapi(), request(component.CSIDriver, "csi")),
			to:   &release.Requests{List: []release.Request{mapi()}, Skipped: []release.Skipped{{Request: request(component.CSIDriver, "csi"), Reason: "belongs to feature set X"}}}, prune: true,
			want: nil,
		},
	} {
		o := reconcile.Options{
			Spec: specOf(t, tt.spec), Matrix: matrix(t, "base", base), From: tt.from, To: tt.to, Release: "4.23.0", Place: tt.place, Prune: tt.prune, Assigned: tt.assigned,
		}
		for i, group := range tt.domains {
			o.Spec.VCenters[0].FailureDomains = append(o.Spec.VCenters[0].FailureDomains, spec.FailureDomain{
				Name: fmt.Sprint("fd", i), Datacenter: "DC1", ComputeCluster: fmt.Sprint("/DC1/host/C", i), Datastore: "/DC1/datastore/ds1", Networks: []string{"/DC1/network/n1"}, HostGroup: group,
			})
		}
		if tt.to == nil {
			o.To, o.NoRequests = &release.Requests{}, true
		}
		if tt.next != "" {
			o.MatrixTo, o.MatrixAs = matrix(t, "next", tt.next), "./next.yaml"
		}
		r, err := reconcile.Reconcile(o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, shown(r)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if _, err := spec.Parse("spec.yaml", r.Spec.YAML()); err != nil {
			t.Errorf("%s: what comes of it is no specification: %v", name, err)
		}
	}
}

// An account that a request of the release asks for is not taken away because not in the specification.
func TestPruneKeepsAccountsThatRequestsAskFor(t *testing.T) {
	t.Parallel()
	o := reconcile.Options{
		Spec: specOf(t, ""), Matrix: matrix(t, "base", base), Prune: true,
		To: requests(request(component.ClusterAPI, "capi")),
	}
	_, err := reconcile.Reconcile(o)
	if want := "CredentialsRequest capi needs an account of cluster-api, which is not in the specification"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	o.Prune = false
	if r, err := reconcile.Reconcile(o); err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "has no account for cluster-api") {
		t.Errorf("without a prune it is a note: %+v, %v", r, err)
	}
}

func TestReconcileRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		asks  []string
		place map[string][]privileges.Scope
		want  []string
	}{
		"nobody places it":          {[]string{"Made.Up", "Also.Made.Up"}, nil, []string{"release/mapi.yaml: CredentialsRequest mapi requires privilege \"Made.Up\", but its scope is not known: no matrix has it", "\"Also.Made.Up\""}},
		"methods name several":      {[]string{"VApp.Export"}, nil, []string{"the methods that need it are called on several kinds of objects"}},
		"placed, but not asked for": {[]string{"A.B"}, map[string][]privileges.Scope{"A.B": {privileges.ScopeFolder}, "A.C": {privileges.ScopeFolder}}, []string{`no CredentialsRequest in release requires privilege "A.C"`}},
	} {
		_, err := reconcile.Reconcile(reconcile.Options{
			Spec: specOf(t, ""), Matrix: matrix(t, "base", base), To: requests(request(component.MachineAPI, "mapi", asking(tt.asks...))), Place: tt.place,
		})
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
}

// A prune for one release says which others that are recorded it undoes: the later ones, or where the release is not said those that
// something was added for that it takes away.
func TestUndoes(t *testing.T) {
	t.Parallel()
	const (
		image = "quay.io/a/b@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		added = "privileges: {added: [{component: machine-api, scope: folder, propagate: true, privileges: [VirtualMachine.Interact.Suspend], release: 4.21.0, reason: CredentialsRequest machine-api requires it}]}\n"
		both  = "reconciledAvailableUpdates: [{version: 4.21.0, image: " + image + "}, {version: 4.20.4, image: " + image + "}, {version: 4.21.0, image: quay.io/a/b:c}]\n"
		plain = "no CredentialsRequest of the release requires it beyond its matrix"
		named = plain + "; it was added for 4.21.0, which is recorded as reconciled"
	)
	asks := request(component.MachineAPI, "machine-api", asking("VirtualMachine.Interact.Suspend"))
	for name, tt := range map[string]struct {
		spec, release string
		to            *release.Requests
		want          []string
		why           string // of what is not needed; "" = all is
	}{
		"a patch release before it":      {added + both, "4.20.4", requests(), []string{"4.21.0"}, named},
		"that release itself":            {added + both, "4.21.0", requests(asks), nil, ""},
		"a later one":                    {added + both, "4.21.3", requests(), nil, plain},
		"none is recorded":               {added, "4.20.4", requests(), nil, plain},
		"a release that is not said":     {added + both, "", requests(), []string{"4.21.0"}, named},
		"one that needs it, not said":    {added + both, "", requests(asks), nil, ""},
		"nothing is taken, but the list": {both, "4.20.3", requests(), []string{"4.20.4", "4.21.0"}, ""},
		"nothing is taken, and not said": {both, "", requests(), nil, ""},
	} {
		for _, prune := range []bool{false, true} {
			r, err := reconcile.Reconcile(reconcile.Options{Spec: specOf(t, tt.spec), Matrix: matrix(t, "base", base), To: tt.to, Release: tt.release, Prune: prune})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(tt.want, r.Undoes); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			why := ""
			for _, u := range r.Unneeded {
				why += u.Why
			}
			if why != tt.why {
				t.Errorf("%s: %q, want %q", name, why, tt.why)
			}
		}
	}
}
