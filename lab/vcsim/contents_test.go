package vcsim

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// fullContents has an object of every type, names that the simulator would change or refuse, and rights.
func fullContents() Contents {
	return Contents{
		Domain:  "sso.corp",
		Sources: []directory.IdentitySource{{Name: "corp.example.com", Alias: "CORP", Type: "ActiveDirectory"}},
		Users:   []Account{{Name: "svc@sso.corp", Disabled: true}},
		Groups:  []Group{{Name: "ops@sso.corp", Users: []string{"svc@sso.corp", `CORP\eve`}, Groups: []string{"Team@corp.example.com"}}},
		Roles:   []Role{{"Plug-in", []string{"Datastore.Browse", "com.example.Do"}}},
		Knows:   []string{"com.example.Do"}, Without: []string{"Cns.Searchable"},
		Objects: []Object{ // the wrong way round: order does not matter
			{Path: "/north/DC%2f1/vm/50%25/old.vm", Type: "VirtualMachine", Pool: "/north/DC%2f1/host/row/C1/Resources/p[1]/q"},
			{Path: "/north/DC%2f1/vm/50%25/rhcos", Type: "VirtualMachine", Template: true},
			{Path: "/north/DC%2f1/host/row/C1/Resources/p[1]/app/inside", Type: "VirtualMachine"},
			{Path: "/north/DC%2f1/vm/50%25", Type: "Folder"},
			{Path: "/north/DC%2f1/network/sw/pg %2f 1", Type: "DistributedVirtualPortgroup", Switch: "/north/DC%2f1/network/sw/dvs"},
			{Path: "/north/DC%2f1/network/pg2", Type: "DistributedVirtualPortgroup", Switch: "/north/DC%2f1/network/sw/dvs"},
			{Path: "/north/DC%2f1/network/sw/dvs", Type: "DistributedVirtualSwitch"},
			{Path: "/north/DC%2f1/network/sw", Type: "Folder"},
			{Path: "/north/DC%2f1/network/sw/VLAN 7", Type: "Network"},
			{Path: "/north/DC%2f1/network/nsx", Type: "OpaqueNetwork"},
			{Path: "/north/DC%2f1/datastore/tier", Type: "Folder"},
			{Path: "/north/DC%2f1/datastore/tier/pod", Type: "StoragePod"},
			{Path: "/north/DC%2f1/datastore/tier/pod/[ds]1", Type: "Datastore"},
			{Path: "/north/DC%2f1/datastore/tier/ds2", Type: "Datastore"},
			{Path: "/north/DC%2f1/datastore/ds3", Type: "Datastore"},
			{Path: "/north/DC%2f1/host/row/C1/Resources/p[1]/app", Type: "VirtualApp"},
			{Path: "/north/DC%2f1/host/row/C1/Resources/p[1]/q", Type: "ResourcePool"},
			{Path: "/north/DC%2f1/host/row/C1/Resources/p[1]", Type: "ResourcePool"},
			{Path: "/north/DC%2f1/host/row/C1", Type: "ClusterComputeResource", Hosts: []string{"esx1.example.com", "esx2.example.com"}},
			{Path: "/north/DC%2f1/host/row/empty", Type: "ClusterComputeResource"},
			{Path: "/north/DC%2f1/host/row", Type: "Folder"},
			{Path: "/north/DC%2f1/host/esx3.example.com", Type: "ComputeResource"},
			{Path: "/north/DC%2f1", Type: "Datacenter"},
			{Path: "/north/bare", Type: "Datacenter"},
			{Path: "/north", Type: "Folder"},
		},
		Permissions: []Permission{
			{Path: "/north/DC%2f1/datastore/tier/pod/[ds]1", Principal: "Team@corp.example.com", Group: true, Role: "Plug-in"},
			{Path: "/north/DC%2f1/host/row/C1/esx2.example.com", Principal: "bob@corp.example.com", Role: "ReadOnly", Propagate: true},
			{Path: "/north/DC%2f1/host/row/C1/Resources/p[1]/app/inside", Principal: "svc@sso.corp", Role: "NoAccess"},
			{Path: "/", Principal: "ops@sso.corp", Group: true, Role: "Admin", Propagate: true},
		},
	}
}

// What contents name is there, at its very path and of its type, and nothing else is.
func TestContents(t *testing.T) {
	c := fullContents()
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{c}}}).VCenters[0]
	for _, o := range c.Objects {
		ref, ok := v.find(o.Path)
		if want := strings.Replace(o.Type, "DistributedVirtualSwitch", "VmwareDistributedVirtualSwitch", 1); !ok || ref.Type != o.Type && ref.Type != want {
			t.Errorf("%s %s: %v, %t", o.Type, o.Path, ref, ok)
		}
	}
	implied := []string{"Datacenters", "Resources", "vm", "host", "datastore", "network", "esx1.example.com", "esx2.example.com", "esx3.example.com"}
	for _, e := range v.model.Map().All("") {
		p := inventoryPath(v.model.Map(), e.Reference())
		named := slices.ContainsFunc(c.Objects, func(o Object) bool { return o.Path == p })
		if name := entityName(v.model.Map(), e.Reference()); !named && !slices.Contains(implied, name) && !strings.Contains(name, "-DVUplinks-") {
			t.Errorf("nobody asked for %s", p)
		}
	}
	for _, line := range []string{
		`vm "/north/DC%2f1/vm/50%25/rhcos" template true poweredOff`,
		`vm "/north/DC%2f1/host/row/C1/Resources/p[1]/app/inside" template false poweredOff`,
		`role "Plug-in" Datastore.Browse System.Anonymous System.Read System.View com.example.Do`,
		`permission "/north/DC%2f1/datastore/tier/pod/[ds]1" group CORP.EXAMPLE.COM\Team role "Plug-in" propagate false`,
		`permission "/north/DC%2f1/host/row/C1/esx2.example.com" account CORP.EXAMPLE.COM\bob role "ReadOnly" propagate true`,
		`permission "/" account SSO.CORP\Administrator role "Admin" propagate true`,
		`group SSO.CORP\ops description "" members group CORP.EXAMPLE.COM\Team account CORP.EXAMPLE.COM\eve account SSO.CORP\svc`,
		`account SSO.CORP\svc description "" name "" "" mail "" disabled true locked false expired false`,
	} {
		if !strings.Contains(v.Snapshot(), line+"\n") {
			t.Errorf("%s\nis missing in\n%s", line, v.Snapshot())
		}
	}
	if v.authz.catalog.known["Cns.Searchable"] || !v.authz.catalog.known["com.example.Do"] {
		t.Error("the privileges are not those of the contents")
	}
	want := Datacenter{
		Path: "/north/DC%2f1", Hosts: []string{"/north/DC%2f1/host/esx3.example.com"},
		Clusters: []Cluster{
			{
				"/north/DC%2f1/host/row/C1",
				[]string{"/north/DC%2f1/host/row/C1/Resources/p[1]", "/north/DC%2f1/host/row/C1/Resources/p[1]/q"},
				[]string{"/north/DC%2f1/host/row/C1/esx1.example.com", "/north/DC%2f1/host/row/C1/esx2.example.com"},
			},
			{Path: "/north/DC%2f1/host/row/empty"},
		},
		Folders:    []string{"/north/DC%2f1/vm/50%25"},
		Datastores: []string{"/north/DC%2f1/datastore/ds3", "/north/DC%2f1/datastore/tier/ds2", "/north/DC%2f1/datastore/tier/pod/[ds]1"},
		Networks: []Network{
			{Path: "/north/DC%2f1/network/sw/VLAN 7"},
			{"/north/DC%2f1/network/sw/pg %2f 1", "/north/DC%2f1/network/sw/dvs"},
			{"/north/DC%2f1/network/pg2", "/north/DC%2f1/network/sw/dvs"},
			{Path: "/north/DC%2f1/network/nsx"},
		},
		Templates: []string{"/north/DC%2f1/vm/50%25/rhcos"},
		VMs:       []string{"/north/DC%2f1/vm/50%25/old.vm", "/north/DC%2f1/host/row/C1/Resources/p[1]/app/inside"},
	}
	if diff := cmp.Diff(want, v.Estate().Datacenters[0]); diff != "" {
		t.Errorf("estate (-want +got):\n%s", diff)
	}
}

// Linked vCenters share the accounts that each of their contents brings.
func TestContentsOfLinkedVCenters(t *testing.T) {
	c := fullContents()
	lab := start(t, Options{VCenters: 2, Linked: true, Estate: EstateOptions{Contents: []Contents{c, c}}})
	for _, v := range lab.VCenters {
		if !slices.Equal(v.Directory().Users(), lab.VCenters[0].Directory().Users()) || !strings.Contains(v.Snapshot(), `group SSO.CORP\ops`) {
			t.Errorf("%s does not share the accounts", v.Server())
		}
	}
}

// What no vCenter could hold is an error that says where, never a panic of the simulator.
func TestContentsThatCannotBe(t *testing.T) {
	dc := Object{Path: "/DC", Type: "Datacenter"}
	cluster := Object{Path: "/DC/host/C", Type: "ClusterComputeResource"}
	for want, c := range map[string]Contents{
		`unknown type "Car"`:           {Objects: []Object{{Path: "/x", Type: "Car"}}},
		"its parent /x does not exist": {Objects: []Object{{Path: "/x/y", Type: "Folder"}}},
		"the path exists already":      {Objects: []Object{dc, dc}},
		"it is not below a datacenter": {Objects: []Object{{Path: "/x", Type: "Folder"}, {Path: "/x/C", Type: "ClusterComputeResource"}}},
		"no host to mount it":          {Objects: []Object{dc, {Path: "/DC/datastore/d", Type: "Datastore"}}},
		"no resource pool with a host": {Objects: []Object{dc, cluster, {Path: "/DC/vm/m", Type: "VirtualMachine"}}},
		"there is no switch at":        {Objects: []Object{dc, {Path: "/DC/network/g", Type: "DistributedVirtualPortgroup", Switch: "/DC/network/s"}}},
		"no datastore for it": {Objects: []Object{
			dc, {Path: cluster.Path, Type: cluster.Type, Hosts: []string{"esx"}}, {Path: "/DC/vm/m", Type: "VirtualMachine"},
		}},
		"there is no such object":   {Permissions: []Permission{{Path: "/DC", Principal: "a@vsphere.local", Role: "Admin"}}},
		"role Boss does not exist":  {Permissions: []Permission{{Path: "/", Principal: "a@vsphere.local", Role: "Boss"}}},
		"role R":                    {Roles: []Role{{"R", []string{"No.Such"}}}},
		"user a@corp.example.com":   {Users: []Account{{Name: "a@corp.example.com"}}},
		"permission of s on /DC/vm": {Objects: []Object{dc}, Permissions: []Permission{{Path: "/DC/vm", Principal: "s", Role: "Admin"}}},
	} {
		lab, err := Start(Options{Estate: EstateOptions{Contents: []Contents{c}}})
		if err == nil {
			lab.Close()
			t.Errorf("%s: no error", want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// NSX makes opaque networks and port groups of one name in one folder, whichever comes first; each has permissions of its own.
func TestNetworksOfOnePath(t *testing.T) {
	const p, nsx = "/DC/network/n", "/DC/network/n (OpaqueNetwork)"
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{{
		Objects: []Object{
			{Path: "/DC", Type: "Datacenter"},
			{Path: p, Type: "OpaqueNetwork"},
			{Path: "/DC/network/dvs", Type: "DistributedVirtualSwitch"},
			{Path: p, Type: "DistributedVirtualPortgroup", Switch: "/DC/network/dvs"},
		},
		Users: []Account{{Name: "a@vsphere.local"}, {Name: "b@vsphere.local"}},
		Permissions: []Permission{
			{Path: nsx, Principal: "a@vsphere.local", Role: "ReadOnly"}, {Path: p, Principal: "b@vsphere.local", Role: "ReadOnly"},
		},
	}}}}).VCenters[0]
	for path, kind := range map[string]string{p: "DistributedVirtualPortgroup", nsx: "OpaqueNetwork"} {
		if ref, ok := v.find(path); !ok || ref.Type != kind {
			t.Errorf("%s: %v, %t", path, ref, ok)
		}
	}
	for _, line := range []string{`permission "` + nsx + `" account VSPHERE.LOCAL\a`, `permission "` + p + `" account VSPHERE.LOCAL\b`} {
		if !strings.Contains(v.Snapshot(), line) {
			t.Errorf("no %s in\n%s", line, v.Snapshot())
		}
	}
	if _, err := Start(Options{Estate: EstateOptions{Contents: []Contents{{Objects: []Object{
		{Path: "/DC", Type: "Datacenter"}, {Path: p, Type: "OpaqueNetwork"}, {Path: p, Type: "OpaqueNetwork"},
	}}}}}); err == nil || !strings.Contains(err.Error(), "the path exists already") {
		t.Errorf("two of one type: %v", err)
	}
}
