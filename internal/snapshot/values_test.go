package snapshot_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// tree has two datacenters' worth of objects, one a line: type and path.
const tree = `Datacenter /DC
Folder /DC/vm
Folder /DC/vm/f
Folder /DC/host
ClusterComputeResource /DC/host/C
ResourcePool /DC/host/C/Resources
ResourcePool /DC/host/C/Resources/p
Folder /DC/datastore
Datastore /DC/datastore/ds
Folder /DC/network
Network /DC/network/n
VirtualMachine /DC/vm/t
`

const head = "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\n"

// domain is a failure domain with some of its fields replaced; an empty value leaves one out.
func domain(fields ...string) string {
	is := map[string]string{
		"name": "fd", "datacenter": "/DC", "computeCluster": "/DC/host/C",
		"datastore": "/DC/datastore/ds", "networks": "[/DC/network/n]", "folder": "/DC/vm/f",
	}
	for _, f := range fields {
		key, value, _ := strings.Cut(f, "=")
		is[key] = value
	}
	text := "vcenters:\n- server: vc1\n  failureDomains:\n  -"
	for _, key := range []string{
		"name", "datacenter", "computeCluster", "datastore", "networks", "folder", "resourcePool",
		"template", "region", "zone", "hostGroup",
	} {
		if is[key] != "" {
			text += " " + key + ": " + is[key] + "\n   "
		}
	}
	return strings.TrimRight(text, " ")
}

// read is a vCenter that was read for a specification, without any server.
func read(t *testing.T, text string, change func(*snapshot.Request)) *snapshot.Snapshot {
	t.Helper()
	s, err := spec.Parse("handmade", []byte(head+text))
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := privileges.Load("enhancement")
	if err != nil {
		t.Fatal(err)
	}
	file, err := credfile.Open(filepath.Join(t.TempDir(), "credentials"))
	if err != nil {
		t.Fatal(err)
	}
	r := snapshot.Request{Spec: s, Matrix: matrix, Credentials: file}
	if change != nil {
		change(&r)
	}
	v := snapshot.New(snapshot.NewRequest(r), s.VCenters[0])
	v.Version, v.Instance, v.Administrator = "8.0.3", "uuid-1", `VSPHERE.LOCAL\Administrator`
	v.Inventory = inventory.NewTree()
	root := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "root"}}
	v.Inventory.SetRoot(root)
	v.Inventory.SetPath("/", root)
	v.Root = root.Ref
	for line := range strings.Lines(tree) {
		kind, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		place(v, kind, path)
	}
	v.Roles = roles.Of("vc1", []roles.Role{
		{ID: -1, Name: "Admin", System: true},
		{ID: -2, Name: "ReadOnly", System: true},
		{ID: 7, Name: "theirs", Privileges: []string{"VirtualMachine.Config.AddNewDisk"}},
	}, privileges.Catalogue())
	v.SSO = &sso.State{Names: sso.Names{Domain: "vsphere.local"}, Users: map[string]sso.User{}}
	v.Alone()
	v.Perms = perms.Of("vc1", nil, v.KeyOf)
	v.Facts = v.Request.Classify(v.Roles)
	return v
}

// place puts an object at a path, whose parent is there.
func place(v *snapshot.Snapshot, kind, path string) {
	i := strings.LastIndex(path, "/")
	node := v.Inventory.Node(inventory.Ref{Type: kind, Value: path})
	node.Name, node.Parent = path[i+1:], v.Inventory.At(path[:i])
	if i == 0 {
		node.Parent = v.Inventory.At("/")
	}
	v.Inventory.SetPath(path, node)
}

// on is the reference of an object of the tree.
func on(v *snapshot.Snapshot, path string) inventory.Ref { return v.Inventory.At(path).Ref }

// rolesWith are a vCenter's roles and one more.
func rolesWith(v *snapshot.Snapshot, id int32, name string, holds []string) *roles.State {
	return roles.Of("vc1", append(v.Roles.All(), roles.Role{ID: id, Name: name, Privileges: holds}), v.Roles.Catalogue())
}

// rolesOf are its roles where it knows these privileges alone.
func rolesOf(v *snapshot.Snapshot, known []string) *roles.State {
	return roles.Of("vc1", v.Roles.All(), known)
}
