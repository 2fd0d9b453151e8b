package access

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// A permission that exists, or propagates, only because of what a release adds hides nothing that its account inherits.
func TestAddedRowsHideNothing(t *testing.T) {
	t.Parallel()
	row := func(scope privileges.Scope, propagate bool, id string, conditions ...privileges.Condition) privileges.Added {
		return privileges.Added{Component: component.CSIDriver, Scope: scope, Propagate: propagate, Privileges: []string{id}, Conditions: conditions}
	}
	below := row(privileges.ScopeDatacenter, true, "Host.Inventory.EditCluster")
	for name, c := range map[string]struct {
		added []privileges.Added
		holds []privileges.Condition

		rootPoolRead bool // the matrix lets it read the cluster's root pool and all below
		want         []string
	}{
		"a new permission on the way takes over what it hides, and hands it on": {
			added: []privileges.Added{
				below, row(privileges.ScopeCluster, true, "VApp.Export"), row(privileges.ScopeResourcePool, false, "VApp.Import"),
			},
			want: []string{
				"csi-driver on /datacenter/datastore/ds: Datastore.FileManagement",
				"csi-driver on /datacenter/host/cluster/Resources/pool: Host.Inventory.EditCluster VApp.Export VApp.Import",
				"csi-driver on /datacenter/host/cluster: Host.Inventory.EditCluster VApp.Export, propagates",
				"csi-driver on /datacenter: Host.Inventory.EditCluster, propagates",
			},
		},
		"one that the matrix has itself hides as the matrix wants it": {
			added: []privileges.Added{below, row(privileges.ScopeCluster, false, "VApp.Export")}, holds: []privileges.Condition{privileges.HostGroup},
			want: []string{
				"csi-driver on /datacenter/datastore/ds: Datastore.FileManagement",
				"csi-driver on /datacenter/host/cluster: Host.Config.Storage VApp.Export",
				"csi-driver on /datacenter: Host.Inventory.EditCluster, propagates",
			},
		},
		"one that propagates only because of what is added does not": {
			added: []privileges.Added{below, row(privileges.ScopeCluster, true, "VApp.Export")}, holds: []privileges.Condition{privileges.HostGroup},
			want: []string{
				"csi-driver on /datacenter/datastore/ds: Datastore.FileManagement",
				"csi-driver on /datacenter/host/cluster: Host.Config.Storage Host.Inventory.EditCluster VApp.Export, propagates, and Host.Config.Storage with it",
				"csi-driver on /datacenter: Host.Inventory.EditCluster, propagates",
			},
		},
		"nor does one where the matrix lets only reading propagate, which is inherited anyway": {
			added: []privileges.Added{below, row(privileges.ScopeCluster, true, "VApp.Export")}, rootPoolRead: true,
			holds: []privileges.Condition{privileges.HostGroup},
			want: []string{
				"csi-driver on /datacenter/datastore/ds: Datastore.FileManagement",
				"csi-driver on /datacenter/host/cluster: Host.Config.Storage Host.Inventory.EditCluster VApp.Export, propagates, and Host.Config.Storage with it",
				"csi-driver on /datacenter: Host.Inventory.EditCluster, propagates",
			},
		},
		"nor does one that the matrix has under another condition": {
			added: []privileges.Added{below, row(privileges.ScopeCluster, false, "Host.Config.Storage", privileges.PoolExisting)},
			want: []string{
				"csi-driver on /datacenter/datastore/ds: Datastore.FileManagement",
				"csi-driver on /datacenter/host/cluster: Host.Config.Storage Host.Inventory.EditCluster",
				"csi-driver on /datacenter: Host.Inventory.EditCluster, propagates",
			},
		},
	} {
		holds, m := append([]privileges.Condition{privileges.FolderExisting}, c.holds...), matrix(t, false)
		if c.rootPoolRead {
			m.Rows = append(m.Rows, privileges.Row{
				Component: component.CSIDriver, Scope: privileges.ScopeResourcePool, Propagate: true, Privilege: "System.Read",
				Conditions: []privileges.Condition{privileges.Always},
			})
		} else {
			holds = append(holds, privileges.PoolExisting)
		}
		d := domain(false, holds...)
		got := granted(Permissions(Bind(m.With(c.added), []Account{account(component.CSIDriver)}, []Domain{d})))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
