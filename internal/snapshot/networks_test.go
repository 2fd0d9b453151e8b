package snapshot_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// OpenShift takes the first network of a name that the compute cluster lists, wherever it lies, and what shares its path is told apart.
func TestNetworksOfTheComputeCluster(t *testing.T) {
	t.Parallel()
	const pg, nsx = "DistributedVirtualPortgroup", "OpaqueNetwork"
	for name, c := range map[string]struct {
		network string   // of the failure domain
		at      string   // by its path
		lists   []string // of the cluster: type, folder and reference
		want    string   // reference
		told    string   // paths
	}{
		"listed nowhere":       {"/DC/network/n", "Network", nil, "/DC/network/n", ""},
		"the only one":         {"/DC/network/x", "", []string{pg + " /DC/network one"}, "one", ""},
		"another of the path":  {"/DC/network/x", pg, []string{nsx + " /DC/network one"}, "one", "/DC/network/x (DistributedVirtualPortgroup), /DC/network/x (OpaqueNetwork), this network is meant: hosts"},
		"both, the opaque one": {"/DC/network/x", "", []string{nsx + " /DC/network one", pg + " /DC/network two"}, "one", "/DC/network/x (DistributedVirtualPortgroup), /DC/network/x (OpaqueNetwork), this network is meant: the compute cluster lists it first"},
		"both, the port group": {"/DC/network/x", "", []string{pg + " /DC/network two", nsx + " /DC/network one"}, "two", "this network is meant: the compute cluster lists it first"},
		"of two switches":      {"/DC/network/x", "", []string{pg + " /DC/network b", pg + " /DC/network a"}, "b", "/DC/network/x (DistributedVirtualPortgroup:a), /DC/network/x (DistributedVirtualPortgroup:b)"},
		"further down":         {"/DC/network/x", "", []string{pg + " /DC/network/f one"}, "one", ""},
		"a path in a folder":   {"/DC/network/f/x", "", []string{pg + " /DC/network two", pg + " /DC/network/f one"}, "one", ""},
		"the path is not its":  {"/DC/network/x", "Network", []string{pg + " /DC/network/f one"}, "one", "/DC/network/f/x, /DC/network/x, this network is meant: hosts"},
	} {
		v := read(t, domain("networks=["+c.network+"]"), nil)
		place(v, "Folder", "/DC/network/f")
		if c.at != "" {
			place(v, c.at, c.network)
		}
		cluster := v.Inventory.At("/DC/host/C")
		for _, l := range c.lists {
			f := strings.Fields(l)
			o := v.Inventory.Node(inventory.Ref{Type: f[0], Value: f[2]})
			o.Name, o.Parent = "x", v.Inventory.At(f[1])
			cluster.Networks = append(cluster.Networks, o)
		}
		v.Inventory.TellApart()
		d, err := v.Bind()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for ref := range d.Named {
			if ref.Network() {
				got = append(got, ref.Value)
			}
		}
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %v is meant, want %s", name, got, c.want)
		}
		var told string
		for _, f := range d.Told {
			if f.Code == finding.PlanNote {
				told += f.Text
			}
		}
		if (c.told == "") != (told == "") || !strings.Contains(told, c.told) {
			t.Errorf("%s: told %q, want %q", name, told, c.told)
		}
	}
}
