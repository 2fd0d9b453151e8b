package estate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// full has every field, and names that are awkward in YAML.
const full = `apiVersion: ocp-vsphere-admin/v1
kind: Estate
linked: true
vcenters:
- server: vc1.example.com
  ssoDomain: sso.corp
  identitySources:
  - {name: corp.example.com, alias: CORP}
  - {name: ldap.example.com, type: OpenLdap}
  privileges: {knows: [com.example.Do], without: [Cns.Searchable]}
  guests: 192.0.2.0/24
  users:
  - {name: svc@sso.corp, disabled: true}
  - {name: ocp@sso.corp, mark: "OpenShift cluster prod, component csi-driver; made by ocp-vsphere-admin; password set 2026-11-25"}
  groups:
  - {name: ops@sso.corp, users: [svc@sso.corp, 'CORP\eve'], groups: [team@corp.example.com]}
  roles:
  - {name: "yes", privileges: [Datastore.Browse, com.example.Do]}
  - {name: empty}
  objects:
  - {path: /DC/vm/a/m, type: VirtualMachine, pool: /DC/host/C/Resources/p, hostName: m.example.com, addresses: [192.0.2.7, 2001:db8::7]}
  - {path: /DC/vm/a/t, type: VirtualMachine, template: true, encrypted: true}
  - {path: /DC/vm/a, type: Folder}
  - {path: /DC, type: Datacenter}
  - {path: /DC/host/C, type: ClusterComputeResource, hosts: [esx1, esx2]}
  - {path: /DC/host/esx3, type: ComputeResource}
  - {path: /DC/host/C/Resources/p, type: ResourcePool}
  - {path: /DC/host/C/Resources/p/app, type: VirtualApp}
  - {path: /DC/host/C/Resources/p/app/in, type: VirtualMachine}
  - {path: /DC/datastore/pod, type: StoragePod}
  - {path: /DC/datastore/pod/ds 1%2f2, type: Datastore}
  - {path: /DC/network/n, type: Network}
  - {path: /DC/network/o, type: OpaqueNetwork}
  - {path: /DC/network/s, type: DistributedVirtualSwitch}
  - {path: /DC/network/g, type: DistributedVirtualPortgroup, switch: /DC/network/s}
  permissions:
  - {object: /, principal: ops@sso.corp, group: true, role: Admin, propagate: true}
  - {object: /DC/host/C/esx1, principal: 'CORP\eve', role: "yes"}
  - {object: global, principal: 'CORP\eve', role: ReadOnly, propagate: true}
- server: vc2.example.com
  ssoDomain: sso.corp
  tags:
  - {category: openshift-region, name: eu, objects: [/]}
  - {category: openshift-region, name: "no"}
  - {category: openshift-zone}
`

func TestParseAndWrite(t *testing.T) {
	t.Parallel()
	e, err := Parse("x.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.VCenters) != 2 || len(e.VCenters[0].Objects) != 15 || e.VCenters[1].LinkedWith != e.VCenters[0].Server || e.VCenters[0].Groups[0].Users[1] != `CORP\eve` {
		t.Errorf("%+v", e)
	}
	again, err := Parse("again.yaml", e.YAML())
	if err != nil {
		t.Fatalf("%v in\n%s", err, e.YAML())
	}
	if diff := cmp.Diff(e, again); diff != "" {
		t.Errorf("(-read +written and read)\n%s", diff)
	}
}

// A bad file is answered with its line and a remedy. Each case is put in place of a line of the full file.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, bad, want string }{
		{"kind: Estate", "kind: Provisioning", `x.yaml:2: kind: "Provisioning" is not valid: use Estate`},
		{"linked: true", "linkd: true", `x.yaml:3: unknown field "linkd"; did you mean "linked"?`},
		{"- server: vc2.example.com", "- server: VC1.example.com", `x.yaml:40: vcenters[1].server: "VC1.example.com" is listed twice`},
		{"- server: vc2.example.com", "- server: a b", `is not the name of a server`},
		{"- server: vc2.example.com\n  ssoDomain: sso.corp", "- server: vc2.example.com\n  ssoDomain: other", "linked vCenters share one SSO domain"},
		{"- server: vc2.example.com\n  ssoDomain: sso.corp", "- server: vc2.example.com\n  ssoDomain: sso.corp\n  linkedWith: vc1.example.com", "all vCenters are linked already"},
		{"alias: CORP}", "alias: sso.corp}", `"sso.corp" is an identity source already`},
		{"type: OpenLdap", "type: OpenLDAP", `"OpenLDAP" is unknown; did you mean "OpenLdap"?`},
		{"made by ocp-vsphere-admin; pass", "made by hand; pass", "is not how this tool marks an account; omit it"},
		{"disabled: true}", "password: x}", "unknown field \"password\": an estate contains no passwords"},
		{"knows: [com.example.Do]", "knows: [Datastore.Browse]", "is in the catalogue of this tool"},
		{"without: [Cns.Searchable]", "without: [System.Read]", "cannot be omitted: every role has it"},
		{"without: [Cns.Searchable]", "without: [Cns.Serchable]", `did you mean "Cns.Searchable"?`},
		{"svc@sso.corp, disabled", "svc, disabled", `"svc" is not a principal: write name@domain`},
		{"svc@sso.corp, disabled", "svc@nowhere, disabled", `no identity source has the domain "nowhere": add it under identitySources`},
		{"groups: [team@corp.example.com]", "groups: [OPS@sso.corp]", "a group cannot be a member of itself"},
		{"users: [svc@sso.corp, ", `users: [svc@sso.corp, 'SSO.CORP\SVC', `, "is listed twice, first on line 16"},
		{"{name: empty}", "{name: YES}", `x.yaml:19: vcenters[0].roles[1].name: "YES" is listed twice, first on line 18`},
		{"{name: empty}", "{name: admin}", "is a system role, which every vCenter has: omit it"},
		{"privileges: [Datastore.Browse,", "privileges: [Datastore.Browze,", `did you mean "Datastore.Browse"?; list it under privileges.knows if it does`},
		{"privileges: [Datastore.Browse,", "privileges: [Cns.Searchable,", `"Cns.Searchable" is a privilege that this vCenter does not know`},
		{"type: Datacenter", "type: DataCenter", `x.yaml:24: vcenters[0].objects[3].type: unknown type "DataCenter"; did you mean "Datacenter"?`},
		{"type: Datacenter", "type: HostSystem", "list it in the hosts of its ClusterComputeResource"},
		{"path: /DC/vm/a, type: Folder", "path: DC/vm/a, type: Folder", `"DC/vm/a" is not an inventory path`},
		{"path: /DC/vm/a, type: Folder", "path: /DC/vm, type: Folder", `"/DC/vm" exists automatically below its parent: omit it`},
		{"path: /DC/vm/a, type: Folder", "path: /DC/a, type: Folder", `a Folder cannot be below "/DC": it belongs`},
		{"path: /DC/vm/a, type: Folder", "path: /DC/vm/b/c, type: Folder", `its parent "/DC/vm/b" is not listed: list it too`},
		{"path: /DC/vm/a/t, type", "path: /DC/vm/a/m, type", `x.yaml:22: vcenters[0].objects[1].path: "/DC/vm/a/m" is listed twice, first on line 21: remove one`},
		{"hosts: [esx1, esx2]", "pool: /x", "only a VirtualMachine has this: omit it"},
		{"hosts: [esx1, esx2]", "hosts: [esx1, esx1]", `"esx1" is listed twice`},
		{"hosts: [esx1, esx2]", "hosts: []", `cluster "/DC/host/C" has no host that could run it: list one`},
		{"switch: /DC/network/s", "switch: /DC/network/n", `no DistributedVirtualSwitch of its datacenter is listed at "/DC/network/n"`},
		{"pool: /DC/host/C/Resources/p,", "pool: /DC/host/C/p,", `no pool of its datacenter is listed at "/DC/host/C/p"`},
		{"/DC/datastore/pod/ds 1%2f2, type: Datastore", "/DC/datastore/x, type: Folder", `no datastore in "/DC" could hold it: list one`},
		{"object: /DC/host/C/esx1", "object: /DC/host/C/esx9", `x.yaml:38: vcenters[0].permissions[1].object: nothing is listed at "/DC/host/C/esx9"`},
		{"object: /DC/host/C/esx1", "object: /DC/vm", `permissions cannot be set on "/DC/vm", because it is a datacenter's own vm, host, datastore or network folder: use "/DC"`},
		{"object: /DC/host/C/esx1", "object: /DC/host/C/Resources", `it is the root pool of a cluster: use "/DC/host/C"`},
		{"object: /DC/host/C/esx1", "object: /DC/network/s", `it is a switch: use "/DC"`},
		{"object: /DC/host/C/esx1", "object: /DC/host/esx3/esx3", `it is a standalone host: use "/DC/host/esx3"`},
		{"name: eu, objects: [/]", "name: eu, objects: [/DC]", `x.yaml:43: vcenters[1].tags[0].objects[0]: nothing is listed at "/DC"`},
		{`name: "no"`, "name: eu", `"eu" is listed twice in category "openshift-region", first on line 43`},
		{"192.0.2.0/24", "192.0.2.0", `vcenters[0].guests: "192.0.2.0" is not a network`},
		{"192.0.2.7,", "192.0.2.777,", `vcenters[0].objects[0].addresses[0]: "192.0.2.777" is not an IP address`},
		{"template: true", "template: true, hostName: t", "a template does not run, so it has no hostName and no addresses: omit them"},
		{"type: StoragePod", "type: StoragePod, hostName: t", "only a VirtualMachine has this: omit it"},
		{`name: "no"`, "objects: [/]", `vcenters[1].tags[1].name: is missing`},
		{`'CORP\eve', role: "yes"`, `'CORP\eve', role: "yess"`, `role "yess" does not exist: list it under roles`},
		{`'CORP\eve', role: "yes"`, `'CORP\eve', role: View`, "role View cannot be used in a permission"},
		{"{object: /DC/host/C/esx1, principal: 'CORP\\eve'", `{object: /, group: true, principal: 'sso.corp\OPS'`, `already has a permission on "/", on line 37`},
	} {
		if !strings.Contains(full, c.old) {
			t.Fatalf("%q is not in the file", c.old)
		}
		_, err := Parse("x.yaml", []byte(strings.Replace(full, c.old, c.bad, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, got %v", c.bad, c.want, err)
			continue
		}
		for line := range strings.Lines(err.Error()) {
			if !strings.HasPrefix(line, "x.yaml:") {
				t.Errorf("%s: no line in %q", c.bad, line)
			}
		}
	}
}

// FuzzEstate: no text makes the parser panic, and what it takes for an estate is the same one after it was written.
func FuzzEstate(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("apiVersion: ocp-vsphere-admin/v1\nkind: Estate\nvcenters: [{server: a, objects: [&a {path: /a, type: Folder}, *a, {path: /.., type: Folder}]}]"))
	f.Add([]byte("vcenters: [{server: x, permissions: [{object: /}], objects: [{path: /h/h, type: ComputeResource}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse("fuzz", data)
		if err != nil {
			return
		}
		again, err := Parse("again", e.YAML())
		if err != nil {
			t.Fatalf("%v in\n%s", err, e.YAML())
		}
		if diff := cmp.Diff(e, again); diff != "" {
			t.Errorf("(-read +written and read)\n%s", diff)
		}
	})
}

// A global permission keeps its place when objects are renamed, also where one has the name global.
func TestReplaceKeepsGlobal(t *testing.T) {
	t.Parallel()
	e, err := Parse("x.yaml", []byte(strings.ReplaceAll(full, "/DC/host/C", "/DC/host/global")))
	if err != nil {
		t.Fatal(err)
	}
	other := e.Replace(func(int, func(int, int)) {})
	if !slices.ContainsFunc(other.VCenters[0].Permissions, func(p Permission) bool { return p.Object == inventory.GlobalPath && p.Role == "ReadOnly" }) {
		t.Errorf("%+v", other.VCenters[0].Permissions)
	}
}

// vCenters may be linked in part: each names one before it.
func TestLinkedInPart(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: ocp-vsphere-admin/v1\nkind: Estate\nvcenters:\n- server: a\n- server: b\n  ssoDomain: sso.b\n- server: c\n  linkedWith: A\n"
	e, err := Parse("x.yaml", []byte(head+"- server: d\n  linkedWith: c\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "", "a", "a"} {
		if got := e.VCenters[i].LinkedWith; got != want {
			t.Errorf("%s is linked with %q, want %q", e.VCenters[i].Server, got, want)
		}
	}
	again, err := Parse("again.yaml", e.YAML())
	if diff := cmp.Diff(e, again); err != nil || diff != "" {
		t.Errorf("%v (-read +written and read)\n%s", err, diff)
	}
	for tail, want := range map[string]string{
		"- server: d\n  linkedWith: e\n": `"e" is none of the vCenters before this one`,
		"- server: d\n  linkedWith: b\n": "linked vCenters share one SSO domain, and b has sso.b",
	} {
		if _, err := Parse("x.yaml", []byte(head+tail)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", tail, err)
		}
	}
}

// NSX makes opaque networks and port groups of one name in one folder. The type tells the opaque network apart, under other names too.
func TestNetworksOfOnePath(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: ocp-vsphere-admin/v1\nkind: Estate\nvcenters:\n- server: vc1.example.com\n  users: [{name: a@vsphere.local}]\n  objects:\n" +
		"  - {path: /DC, type: Datacenter}\n  - {path: /DC/network/n, type: OpaqueNetwork}\n  - {path: /DC/network/dvs, type: DistributedVirtualSwitch}\n" +
		"  - {path: /DC/network/n, type: DistributedVirtualPortgroup, switch: /DC/network/dvs}\n"
	const permission = "  permissions:\n  - {object: /DC/network/n (OpaqueNetwork), principal: a@vsphere.local, role: ReadOnly}\n"
	e, err := Parse("x.yaml", []byte(head+permission))
	if err != nil {
		t.Fatal(err)
	}
	other := e.Replace(func(int, func(i, j int)) {})
	if got := other.VCenters[0].Permissions[0].Object; !strings.HasSuffix(got, "/network/name-3 (OpaqueNetwork)") {
		t.Errorf("the permission is on %s", got)
	}
	if _, err := Parse("y.yaml", other.YAML()); err != nil {
		t.Errorf("%v in\n%s", err, other.YAML())
	}
	for _, more := range []string{"{path: /DC/network/n, type: OpaqueNetwork}", "{path: /DC/network/n, type: Network}"} {
		if _, err := Parse("x.yaml", []byte(head+"  - "+more+"\n")); err == nil || !strings.Contains(err.Error(), "is listed twice, first on line") {
			t.Errorf("%s: %v", more, err)
		}
	}
}
