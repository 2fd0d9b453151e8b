package snapshot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// A failure domain leads to objects, or to an error that names the place and the object.
func TestTopology(t *testing.T) {
	t.Parallel()
	creates := func(r *snapshot.Request) { r.CreateFolders = true }
	for name, c := range map[string]struct {
		fields  []string
		change  func(*snapshot.Request)
		more    string // objects of the tree, by type and path
		err     string // what its lines contain, in order; "" = none
		named   string // an object that is one of the failure domain's
		folders string // to be made
		told    finding.Code
	}{
		"all there":                    {named: "/DC/host/C/Resources"},
		"a pool":                       {fields: []string{"resourcePool=/DC/host/C/Resources/p"}, named: "/DC/host/C/Resources/p"},
		"a vApp as pool":               {fields: []string{"resourcePool=/DC/host/C/Resources/a"}, more: "VirtualApp /DC/host/C/Resources/a", err: "/DC/host/C/Resources/a is a VirtualApp, not a ResourcePool"},
		"a template":                   {fields: []string{"template=/DC/vm/t"}, named: "/DC/vm/t"},
		"a port group":                 {fields: []string{"networks=[/DC/network/pg]"}, more: "DistributedVirtualPortgroup /DC/network/pg", named: "/DC/network/pg"},
		"NSX's network":                {fields: []string{"networks=[/DC/network/o]"}, more: "OpaqueNetwork /DC/network/o", named: "/DC/network/o"},
		"no such network":              {fields: []string{"networks=[/DC/network/x]"}, err: "vc1: there is no /DC/network/x"},
		"no such datacenter":           {fields: []string{"datacenter=/DX", "computeCluster=/DX/host/C", "datastore=/DX/datastore/ds", "networks=[/DX/network/n]", "folder=/DX/vm/f"}, err: "vc1: there is no /DX"},
		"a folder as cluster":          {fields: []string{"computeCluster=/DC/host/g"}, more: "Folder /DC/host/g", err: "/DC/host/g is a Folder, not a ClusterComputeResource"},
		"a datastore cluster":          {fields: []string{"datastore=/DC/datastore/pod"}, more: "StoragePod /DC/datastore/pod", err: "/DC/datastore/pod is a StoragePod, not a Datastore"},
		"a switch as network":          {fields: []string{"networks=[/DC/network/s]"}, more: "VmwareDistributedVirtualSwitch /DC/network/s", err: "/DC/network/s is a VmwareDistributedVirtualSwitch, not a Network"},
		"a machine as folder":          {fields: []string{"folder=/DC/vm/t"}, err: "/DC/vm/t is a VirtualMachine, not a Folder"},
		"no folder":                    {fields: []string{"folder="}, named: "/DC/vm", told: finding.WholeDatacenter},
		"no folder, to be made":        {fields: []string{"folder="}, change: creates, folders: "/DC/vm/c1"},
		"no such folder":               {fields: []string{"folder=/DC/vm/x/y"}, err: "vc1: there is no /DC/vm/x/y"},
		"no such folder, to be made":   {fields: []string{"folder=/DC/vm/x/y"}, change: creates, folders: "/DC/vm/x /DC/vm/x/y"},
		"below a machine":              {fields: []string{"folder=/DC/vm/t/y"}, change: creates, err: "/DC/vm/t is a VirtualMachine, not a Folder"},
		"tags without a region":        {change: func(r *snapshot.Request) { r.CreateTags = true }, err: "--create-tags: failure domain \"fd\" has no region or no zone"},
		"tags with a region and zone":  {fields: []string{"region=r", "zone=z"}, change: func(r *snapshot.Request) { r.CreateTags = true }},
		"two missing, one below other": {fields: []string{"computeCluster=/DC/host/X", "resourcePool=/DC/host/X/Resources/p"}, err: "vc1: there is no /DC/host/X"},
	} {
		v := read(t, domain(c.fields...), c.change)
		for line := range strings.Lines(c.more) {
			kind, path, _ := strings.Cut(strings.TrimSpace(line), " ")
			place(v, kind, path)
		}
		v.Tags = &tags.State{}
		d, err := v.Bind()
		if (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
			continue
		}
		if c.named != "" && !d.Named[on(v, c.named)] {
			t.Errorf("%s: %s is not among %v", name, c.named, d.Named)
		}
		var made []string
		for _, change := range d.FolderChanges() {
			made = append(made, change.Name)
		}
		if got := strings.Join(made, " "); err == nil && got != c.folders {
			t.Errorf("%s: makes %q, want %q", name, got, c.folders)
		}
		if told := slices.ContainsFunc(d.Told, func(f *finding.Finding) bool { return f.Code == c.told }); told != (c.told != "") {
			t.Errorf("%s: told %+v", name, d.Told)
		}
		for _, fd := range v.VCenter.FailureDomains { // what is looked up is what is looked at
			for _, path := range []string{fd.DatacenterPath(), fd.ComputeCluster, fd.Datastore, fd.Networks[0], fd.Folder, fd.Template, fd.ResourcePool} {
				if path != "" && !slices.Contains(v.Request.Paths(v.VCenter), path) {
					t.Errorf("%s: %s is not looked up", name, path)
				}
			}
		}
	}
}

// Two failure domains in one folder that is to be made share it.
func TestFolderIsMadeOnce(t *testing.T) {
	t.Parallel()
	one := domain("folder=/DC/vm/x/y")
	_, second, _ := strings.Cut(domain("name=fd2", "folder=/DC/vm/x/z"), "failureDomains:\n")
	v := read(t, one+second, func(r *snapshot.Request) { r.CreateFolders = true })
	d, err := v.Bind()
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	for _, f := range d.Folders {
		made = append(made, f.Name+" in "+f.Object.Parent.Path())
	}
	if want := []string{"/DC/vm/x in /DC/vm", "/DC/vm/x/y in /DC/vm/x", "/DC/vm/x/z in /DC/vm/x"}; !slices.Equal(made, want) {
		t.Errorf("makes %q, want %q", made, want)
	}
}

// A folder that an earlier run chose stays the failure domain's, so that rights do not move up.
func TestFolderWithOurRightsStays(t *testing.T) {
	t.Parallel()
	v := read(t, "components: {diagnostics: {}, machine-api: {principal: 'CORP\\mapi'}}\n"+domain("folder="), nil)
	place(v, "Folder", "/DC/vm/c1")
	own := v.Account("diagnostics").Name + "@vsphere.local"
	for name, c := range map[string]struct {
		who  string
		id   int32
		want string
	}{
		"nobody's":           {"", 0, ""},
		"another's":          {`CORP\bob`, 7, ""},
		"an account of ours": {own, -2, "/DC/vm/c1"},
		"adopted, own role":  {`CORP\mapi`, 7, ""},
	} {
		var all []perms.Permission
		if c.who != "" {
			all = append(all, perms.Permission{Entity: on(v, "/DC/vm/c1"), Principal: c.who, RoleID: c.id, Propagate: true})
		}
		v.Perms = perms.Of("vc1", all, v.KeyOf)
		if got := v.FolderPath(v.VCenter.FailureDomains[0]); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What an account has by a role of ours stays with --additive, here and from above.
func TestAdditiveKeeps(t *testing.T) {
	t.Parallel()
	const extra = "Datastore.Rename"
	for name, c := range map[string]struct {
		additive  bool
		at        string
		propagate bool
		foreign   bool
		keeps     bool
	}{
		"not additive":     {at: "/DC/datastore/ds"},
		"on the object":    {additive: true, at: "/DC/datastore/ds", keeps: true},
		"from above":       {additive: true, at: "/DC/datastore", propagate: true, keeps: true},
		"above, and alone": {additive: true, at: "/DC/datastore"},
		"of others":        {additive: true, at: "/DC/datastore/ds", foreign: true},
	} {
		v := read(t, "components: {csi-driver: {}}\n"+domain(), func(r *snapshot.Request) { r.Additive = c.additive })
		d, err := v.Bind()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(d.Wanted.All, func(p *access.Permission) bool { return p.At.Ref == on(v, "/DC/datastore/ds") })
		holds := append(slices.Clone(d.Wanted.All[i].Holds), extra)
		id, kind := int32(9), snapshot.SharedRole
		if c.foreign {
			kind = snapshot.ForeignRole
		}
		v.Roles = rolesWith(v, id, "wider", holds)
		v.Facts[id] = snapshot.RoleFacts{Kind: kind}
		v.Perms = perms.Of("vc1", []perms.Permission{{Entity: on(v, c.at), Principal: v.Principal("csi-driver"), RoleID: id, Propagate: c.propagate}}, v.KeyOf)
		if d, err = v.Bind(); err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(d.Wanted.All[i].Holds, extra); got != c.keeps {
			t.Errorf("%s: %v", name, got)
		}
		if w := d.Wanted.All[i]; w.Role == "" || !privileges.Intact(w.Role, "", w.Holds, nil) {
			t.Errorf("%s: role %s of %v", name, w.Role, w.Holds)
		}
	}
}

// A privilege that a vCenter does not know is left out and told; with --strict it is an error.
func TestUnknownPrivileges(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		v := read(t, "components: {csi-driver: {}}\n"+domain(), func(r *snapshot.Request) { r.Strict = strict })
		known := slices.DeleteFunc(privileges.Catalogue(), func(id string) bool { return id == "Datastore.FileManagement" })
		v.Roles = rolesOf(v, known)
		d, err := v.Bind()
		text := fmt.Sprint(err)
		for _, f := range d.Told {
			text += f.String()
		}
		if !strings.Contains(text, "Datastore.FileManagement") || !strings.Contains(text, "unknown to this vCenter (8.0.3); without it csi-driver cannot ") || (err != nil) != strict {
			t.Errorf("strict %v: %v, told %s", strict, err, text)
		}
	}
}

// A role whose name a vCenter refuses is an error of the plan.
func TestLongRoleNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cluster, principal, prefix string
		refused                    bool
	}{
		"a long cluster":                {cluster: strings.Repeat("c", 42), prefix: "openshift-"},
		"a long cluster, adopted":       {cluster: strings.Repeat("c", 42), principal: "{principal: 'CORP\\mapi'}", prefix: "openshift-", refused: true},
		"a short cluster, adopted":      {cluster: "c1", principal: "{principal: 'CORP\\mapi'}", prefix: "openshift-"},
		"a prefix that just fits, ours": {cluster: "c1", prefix: strings.Repeat("p", 80-len("machine-api-datastore-974e63"))},
		"a prefix too long by one":      {cluster: "c1", prefix: strings.Repeat("p", 81-len("machine-api-datastore-974e63")), refused: true},
	} {
		if c.principal == "" {
			c.principal = "{}"
		}
		text := "privileges: {rolePrefix: " + c.prefix + "}\ncomponents: {machine-api: " + c.principal + "}\n" + domain("resourcePool=/DC/host/C/Resources/p")
		v := read(t, text, func(r *snapshot.Request) { r.Spec.Cluster = c.cluster })
		_, err := v.Bind()
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "characters, more than 80") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The tags that are wanted are of a datacenter and a cluster; with a host group, of the cluster.
func TestWantedTags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields []string
		want   string
	}{
		"no zone":    {[]string{"region=r"}, ""},
		"both":       {[]string{"region=r", "zone=z"}, "openshift-region/r /DC openshift-zone/z /DC/host/C"},
		"host group": {[]string{"region=r", "zone=z", "hostGroup=true"}, "openshift-region/r /DC/host/C openshift-zone/z -"},
	} {
		v := read(t, domain(c.fields...), nil)
		var got []string
		for _, w := range v.Wants() {
			path := "-"
			if w.Object != nil {
				path = w.Object.Path()
			}
			got = append(got, w.Category+"/"+w.Name, path)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if all := v.Tagged(); len(all) != 2 || all[0] != v.Inventory.At("/DC") || all[1] != v.Inventory.At("/DC/host/C") {
			t.Errorf("%s: tagged %v", name, all)
		}
	}
}

// The place of an object is known by its path, or else by its reference alone.
func TestPlace(t *testing.T) {
	t.Parallel()
	v := read(t, domain(), nil)
	gone := inventory.Ref{Type: "Folder", Value: "group-v99"}
	for ref, want := range map[inventory.Ref]string{
		on(v, "/DC/vm/f"):    "/DC/vm/f /DC",
		gone:                 gone.String() + " ",
		inventory.Global.Ref: "",
	} {
		if ref == inventory.Global.Ref {
			if v.Path(ref) != inventory.GlobalPath {
				t.Errorf("global: %q", v.Path(ref))
			}
			continue
		}
		if at, datacenter := v.Place(ref); at+" "+datacenter != want || v.Path(ref) != at {
			t.Errorf("%s: %q in %q, want %q", ref, at, datacenter, want)
		}
	}
}
