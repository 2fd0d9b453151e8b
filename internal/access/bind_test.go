package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// table is a matrix of a test; ids are real because nothing here asks.
const table = `
apiVersion: ocp-vsphere-admin/v1
kind: PrivilegeMatrix
name: test
description: of a test
source: nobody
components:
  machine-api:
    grants:
      - {scope: vcenter, propagate: false, conditions: [always], source: s, why: w, privileges: [Sessions.ValidateSession, {id: Sessions.Nobody, unknown: true}]}
      - {scope: cluster, propagate: true, conditions: [always], source: s, why: w, privileges: [Resource.AssignVMToPool]}
      - {scope: resource-pool, propagate: false, conditions: [always], source: s, why: w, privileges: [Resource.AssignVAppToPool]}
      - {scope: folder, propagate: false, conditions: [always], source: s, why: w, privileges: [VirtualMachine.Inventory.Create, VirtualMachine.Provisioning.Clone]}
      - {scope: datastore, propagate: false, conditions: [always], source: s, why: w, privileges: [Datastore.AllocateSpace]}
      - {scope: network, propagate: false, conditions: [always], source: s, why: w, privileges: [Network.Assign]}
      - {scope: switch, propagate: false, conditions: [always], source: s, why: w, privileges: [System.Read]}
  csi-driver:
    grants:
      - {scope: datastore, propagate: false, conditions: [always], source: s, why: w, privileges: [Datastore.FileManagement]}
      - {scope: cluster, propagate: false, conditions: [host-group], source: s, why: w, privileges: [Host.Config.Storage]}
`

// matrix is table, and where asked for with a rule for ancestors.
func matrix(t *testing.T, ancestors bool) *privileges.Matrix {
	t.Helper()
	text := table
	if ancestors {
		text = strings.Replace(text, "components:\n", "ancestors: {components: [machine-api, csi-driver], privileges: [System.Read], why: w, source: s}\ncomponents:\n", 1)
	}
	m, err := privileges.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func account(c component.Name) Account {
	return Account{Component: c, Principal: Principal{Name: string(c) + "@vsphere.local"}, Key: string(c)}
}

// domain is an assumed failure domain with some conditions.
func domain(template bool, holds ...privileges.Condition) Domain {
	o := privileges.RoleSetOptions{Holds: map[privileges.Condition]bool{}, Template: template}
	for _, c := range holds {
		o.Holds[c] = true
	}
	return Assumed(o)
}

// said are needs in words.
func said(needs []Need) []string {
	var all []string
	for _, n := range needs {
		text := fmt.Sprintf("%s %s on %s for %s", n.Account.Component, n.Row.Privilege, n.Place.Path(), n.Scope)
		if n.Propagate {
			text += ", below"
		}
		if n.Variant {
			text += ", variant"
		}
		all = append(all, text)
	}
	return all
}

func TestBind(t *testing.T) {
	t.Parallel()
	existing := []privileges.Condition{privileges.FolderExisting, privileges.PoolExisting}
	both := []Account{account(component.MachineAPI), account(component.CSIDriver)}
	pair := domain(true, existing...)
	other := pair
	other.Datastore = &inventory.Object{Ref: inventory.Ref{Type: "Datastore", Value: "ds2"}, Name: "ds2", Parent: pair.Datastore.Parent}
	for name, c := range map[string]struct {
		ancestors bool
		accounts  []Account
		domains   []Domain
		want      []string
	}{
		"every scope has its object, and a template elsewhere what a clone asks for": {
			accounts: both[:1], domains: []Domain{pair},
			want: []string{
				"machine-api Sessions.ValidateSession on / for vcenter",
				"machine-api Resource.AssignVMToPool on /datacenter/host/cluster for cluster, below",
				"machine-api Resource.AssignVAppToPool on /datacenter/host/cluster/Resources/pool for resource-pool",
				"machine-api VirtualMachine.Inventory.Create on /datacenter/vm/folder for folder",
				"machine-api VirtualMachine.Provisioning.Clone on /datacenter/vm/folder for folder",
				"machine-api VirtualMachine.Provisioning.Clone on /datacenter/vm/templates for template, below",
				"machine-api Datastore.AllocateSpace on /datacenter/datastore/ds for datastore",
				"machine-api Network.Assign on /datacenter/network/pg for network",
				"machine-api System.Read on /datacenter/network/dvs for switch",
			},
		},
		"the installer makes a folder below the datacenter's own, and the pool is the cluster's root": {
			accounts: both[:1], domains: []Domain{domain(true)},
			want: []string{
				"machine-api Sessions.ValidateSession on / for vcenter",
				"machine-api Resource.AssignVMToPool on /datacenter/host/cluster for cluster, below",
				"machine-api Resource.AssignVAppToPool on /datacenter/host/cluster/Resources for resource-pool",
				"machine-api VirtualMachine.Inventory.Create on /datacenter/vm for folder, below",
				"machine-api VirtualMachine.Provisioning.Clone on /datacenter/vm for folder, below",
				"machine-api Datastore.AllocateSpace on /datacenter/datastore/ds for datastore",
				"machine-api Network.Assign on /datacenter/network/pg for network",
				"machine-api System.Read on /datacenter/network/dvs for switch",
			},
		},
		"domains share needs, and host groups make a variant": {
			accounts: both[1:], domains: []Domain{domain(false, append(existing, privileges.HostGroup)...)},
			want: []string{
				"csi-driver Host.Config.Storage on /datacenter/host/cluster for cluster, variant",
				"csi-driver Datastore.FileManagement on /datacenter/datastore/ds for datastore",
			},
		},
		"what two domains ask for is asked for once": {
			accounts: both[1:], domains: []Domain{pair, pair, other},
			want: []string{
				"csi-driver Datastore.FileManagement on /datacenter/datastore/ds for datastore",
				"csi-driver Datastore.FileManagement on /datacenter/datastore/ds2 for datastore",
			},
		},
		"everything on the way has to be readable": {
			ancestors: true, accounts: both[1:], domains: []Domain{pair},
			want: []string{
				"csi-driver Datastore.FileManagement on /datacenter/datastore/ds for datastore",
				"csi-driver System.Read on /datacenter/datastore for ancestor",
				"csi-driver System.Read on /datacenter for ancestor",
				"csi-driver System.Read on / for ancestor",
			},
		},
	} {
		got := said(Bind(matrix(t, c.ancestors), c.accounts, c.domains))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// A template in the folder, or below it, is reached from there; one that stands in the datacenter's own folder takes the privileges
// itself, because that folder takes none.
func TestCloneFrom(t *testing.T) {
	t.Parallel()
	d := domain(true, privileges.FolderExisting)
	if got := d.cloneFrom(); got != d.Template.Parent {
		t.Errorf("elsewhere: %v", got)
	}
	d.Template = &inventory.Object{Ref: inventory.Ref{Type: "VirtualMachine", Value: "in"}, Name: "in", Parent: d.Folder}
	if got := d.cloneFrom(); got != nil {
		t.Errorf("in the folder: %v", got)
	}
	d.Template = &inventory.Object{Ref: inventory.Ref{Type: "VirtualMachine", Value: "out"}, Name: "out", Parent: d.Folder.Parent}
	if got := d.cloneFrom(); got != d.Template {
		t.Errorf("in the datacenter's own folder: %v", got)
	}
	d.Template = nil
	if got := d.cloneFrom(); got != nil {
		t.Errorf("no template: %v", got)
	}
}

// granted are wanted permissions in words.
func granted(w *Wanted) []string {
	var all []string
	for _, p := range w.All {
		text := fmt.Sprintf("%s on %s: %s", p.Account.Component, p.At.Path(), strings.Join(p.Privileges, " "))
		if p.Propagate {
			text += ", propagates"
		}
		if len(p.Further) > 0 {
			text += ", and " + strings.Join(p.Further, " ") + " with it"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	machineAPI := []Account{account(component.MachineAPI)}
	for name, c := range map[string]struct {
		ancestors bool
		domain    Domain
		want      []string
	}{
		"where objects take permissions": {
			domain: domain(false, privileges.FolderExisting, privileges.PoolExisting),
			want: []string{
				"machine-api on /: Sessions.ValidateSession",
				"machine-api on /datacenter/datastore/ds: Datastore.AllocateSpace",
				"machine-api on /datacenter/host/cluster/Resources/pool: Resource.AssignVAppToPool",
				"machine-api on /datacenter/host/cluster: Resource.AssignVMToPool, propagates",
				"machine-api on /datacenter/network/pg: Network.Assign",
				"machine-api on /datacenter/vm/folder: VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone",
				"machine-api on /datacenter: , propagates", // for the switch
			},
		},
		"where they do not": {
			domain: domain(false),
			want: []string{
				"machine-api on /: Sessions.ValidateSession",
				"machine-api on /datacenter/datastore/ds: Datastore.AllocateSpace",
				"machine-api on /datacenter/host/cluster: Resource.AssignVAppToPool Resource.AssignVMToPool, propagates, and Resource.AssignVAppToPool with it",
				"machine-api on /datacenter/network/pg: Network.Assign",
				"machine-api on /datacenter: VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone, propagates",
			},
		},
		"read access on the way, where nothing above gives it": {
			ancestors: true, domain: func() Domain {
				d := domain(false, privileges.FolderExisting, privileges.PoolExisting)
				d.Networks[0].Switch = nil // nothing propagates from the datacenter then
				return d
			}(),
			want: []string{
				"machine-api on /: Sessions.ValidateSession",
				"machine-api on /datacenter/datastore/ds: Datastore.AllocateSpace",
				"machine-api on /datacenter/host/cluster/Resources/pool: Resource.AssignVAppToPool",
				"machine-api on /datacenter/host/cluster: Resource.AssignVMToPool, propagates",
				"machine-api on /datacenter/network/pg: Network.Assign",
				"machine-api on /datacenter/vm/folder: VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone",
				"machine-api on /datacenter: ",
			},
		},
	} {
		got := granted(Permissions(Bind(matrix(t, c.ancestors), machineAPI, []Domain{c.domain})))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// Where only reading would propagate, and something above hands that down, nothing propagates.
func TestPropagationOfReading(t *testing.T) {
	t.Parallel()
	d := domain(false, privileges.FolderExisting)
	need := func(o *inventory.Object, id string, propagate bool) Need {
		return Need{Account: account(component.MachineAPI), Scope: privileges.ScopeFolder, Place: o, Propagate: propagate, Row: &privileges.Row{Privilege: id}}
	}
	for _, c := range []struct {
		above, want bool
	}{{true, false}, {false, true}} {
		w := Permissions([]Need{need(d.Datacenter, "System.Read", c.above), need(d.Folder, "System.Read", true), need(d.Folder, "Folder.Create", false)})
		if got := w.At("machine-api", d.Folder).Propagate; got != c.want {
			t.Errorf("above propagates %t: the folder's propagates %t", c.above, got)
		}
	}
}

// A scope without a place would be granted nowhere, without a word.
func TestEveryScopeHasAPlace(t *testing.T) {
	t.Parallel()
	for _, s := range privileges.Scopes() {
		if len(domain(true).places(s)) == 0 {
			t.Errorf("no object has the scope %s", s)
		}
	}
}
