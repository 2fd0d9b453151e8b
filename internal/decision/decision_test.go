package decision

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

const handmade = `
apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: c1
components: {diagnostics: {}}
vcenters:
- server: vc1
  failureDomains: [{name: fd, datacenter: /DC, computeCluster: /DC/host/C, datastore: /DC/datastore/ds, networks: [/DC/network/n], folder: /DC/vm/f}]
- server: vc2
  failureDomains: [{name: fd2, datacenter: /DC, computeCluster: /DC/host/C, datastore: /DC/datastore/ds, networks: [/DC/network/n], folder: /DC/vm/f}]
`

// values are a request and two vCenters of one SSO domain, without any server.
func values(t *testing.T) (*snapshot.Request, []*snapshot.Snapshot) {
	t.Helper()
	s, err := spec.Parse("handmade", []byte(handmade))
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := privileges.Load("enhancement")
	if err != nil {
		t.Fatal(err)
	}
	file, err := credfile.Open(t.TempDir() + "/credentials")
	if err != nil {
		t.Fatal(err)
	}
	q := snapshot.NewRequest(snapshot.Request{Spec: s, Matrix: matrix, Credentials: file})
	var all []*snapshot.Snapshot
	for _, v := range s.VCenters {
		tree := inventory.NewTree()
		root := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "root"}}
		tree.SetRoot(root)
		at := map[string]*inventory.Object{"": root}
		for _, o := range []string{
			"Datacenter /DC", "Folder /DC/vm", "Folder /DC/vm/f", "Folder /DC/host", "ClusterComputeResource /DC/host/C", "ResourcePool /DC/host/C/Resources",
			"Folder /DC/datastore", "Datastore /DC/datastore/ds", "Folder /DC/network", "Network /DC/network/n",
		} {
			kind, path, _ := strings.Cut(o, " ")
			i := strings.LastIndex(path, "/")
			node := tree.Node(inventory.Ref{Type: kind, Value: path})
			node.Name, node.Parent = path[i+1:], at[path[:i]]
			at[path] = node
			tree.SetPath(path, node)
		}
		tree.SetPath("/", root)
		all = append(all, &snapshot.Snapshot{
			Request: q, VCenter: v, Version: "8.0.3", Instance: v.Server, Root: root.Ref, Inventory: tree, Domain: &snapshot.Domain{Key: "sso", Peers: 2},
			Roles: roles.Of(v.Server, []roles.Role{{ID: -1, Name: "Admin", System: true}, {ID: -2, Name: "ReadOnly", System: true}}, privileges.Catalogue()),
			Perms: perms.Of(v.Server, nil, func(string, bool) string { return "" }),
			SSO:   &sso.State{Names: sso.Names{Domain: "vsphere.local"}, Users: map[string]sso.User{}, Policy: sso.Policy{MinLength: 8, MaxLength: 20}},
		})
	}
	return q, all
}

// holding is a credentials file, or a journal, with a text.
func holding(t *testing.T, text string) *credfile.File {
	t.Helper()
	path := t.TempDir() + "/credentials"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := credfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func removing(q *snapshot.Request, all []*snapshot.Snapshot) *Snapshots {
	e := SnapshotsOf(q, all)
	e.Removes = true
	return e
}

// settled is what a vCenter is after the changes of a part.
func settled(t *testing.T, q *snapshot.Request, p *VCenterPlan, ids int32) *snapshot.Snapshot {
	t.Helper()
	now := *p.At
	all := now.Roles.All()
	id := map[string]int32{"ReadOnly": -2}
	var held []perms.Permission
	for _, c := range p.Changes {
		switch after := c.After.(type) {
		case plan.RoleState:
			ids++
			id[c.Name] = ids
			all = append(all, roles.Role{ID: ids, Name: c.Name, Privileges: after.Privileges})
		case plan.PermissionState:
			held = append(held, perms.Permission{
				Entity: now.Inventory.At(c.Object).Ref, Principal: c.Principal, RoleID: id[after.Role], Propagate: after.Propagate,
			})
		}
	}
	now.Roles = roles.Of(now.VCenter.Server, all, now.Roles.Catalogue())
	now.Perms = perms.Of(now.VCenter.Server, held, now.KeyOf)
	now.Facts = q.Classify(now.Roles)
	name := q.Spec.Account(component.Diagnostics).Name
	user := sso.User{Name: name, Description: sso.Mark(q.Spec.Cluster, component.Diagnostics)}
	now.SSO = &sso.State{Names: now.SSO.Names, Policy: now.SSO.Policy, Users: map[string]sso.User{name: user}, Marked: []sso.User{user}}
	return &now
}

func signed(changes []*plan.Change) []string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Sign()+" "+c.Subject())
	}
	return all
}

// What is decided needs no vCenter: a plan from values made by hand, the empty plan after it, what follows when the request
// changes, and the way back.
func TestDecideWithoutAServer(t *testing.T) {
	t.Parallel()
	q, found := values(t)
	e := removing(q, found)
	first := e.Decide((*Decision).Change)
	if p := first.Show(); p.Err() != nil || p.Summary.Create == 0 || p.Summary.Update+p.Summary.Delete != 0 {
		t.Fatalf("%+v, %v", p.Summary, p.Err())
	}
	created := 0
	for i, p := range first.Plans {
		for _, c := range p.Changes {
			if c.Kind == plan.User && c.Verb == plan.Create {
				created++
				if i > 0 {
					t.Errorf("vCenter %d creates the account that the first one shares with it", i)
				}
			}
			if c.Kind != plan.User && len(c.Serves) == 0 {
				t.Errorf("%s serves nothing", c.Line())
			}
		}
	}
	if created != 1 || len(first.domains) != 1 || len(first.domains[0].VCenters) != 2 || len(first.domains[0].Passwords) != 1 {
		t.Errorf("%d accounts, SSO domains %+v", created, first.domains)
	}

	// What was decided leaves nothing to decide.
	for _, s := range found {
		if err := q.Credentials.Set(s.VCenter.Server, component.Diagnostics, credfile.Account{
			User: s.Principal(component.Diagnostics), Password: secret.New("Xy7!aaaaaaaaaa"),
		}); err != nil {
			t.Fatal(err)
		}
	}
	after := removing(q, []*snapshot.Snapshot{settled(t, q, first.Plans[0], 10), settled(t, q, first.Plans[1], 10)})
	if p := after.Decide((*Decision).Change).Show(); p.Err() != nil || !p.Empty() {
		t.Errorf("the second plan: %v %q", p.Err(), signed(p.VCenters[0].Changes))
	}

	// A vCenter that was not read is no reason to take anything from the others, and nothing shared goes.
	read, lost := *after.All[0], *after.All[1]
	read.Domain = &snapshot.Domain{Key: "sso", Peers: 2, Unread: []string{"vc2 was not read"}}
	lost.Domain, lost.Err = read.Domain, errors.New("vc2: out of reach")
	back := removing(q.Undo(), []*snapshot.Snapshot{&read, &lost})
	p := back.Decide((*Decision).Undo).Show()
	if deleted := slices.ContainsFunc(p.VCenters[0].Changes, func(c *plan.Change) bool { return c.Kind == plan.User }); deleted || p.Summary.Delete == 0 || p.VCenters[1].Error == "" {
		t.Errorf("%q, %q", signed(p.VCenters[0].Changes), p.VCenters[1].Error)
	}
	whole := removing(q.Undo(), after.All)
	for i, v := range whole.Decide((*Decision).Undo).Show().VCenters {
		users := 0
		for _, c := range v.Changes {
			if c.Kind == plan.User && c.Verb == plan.Delete {
				users++
				if len(c.Needs) != len(after.All[0].Perms.All)+len(after.All[1].Perms.All) {
					t.Errorf("the account goes after %d changes, want all permissions of both vCenters", len(c.Needs))
				}
			}
		}
		if users != 1-i {
			t.Errorf("%s deletes %d accounts", v.Server, users)
		}
	}
}

// Deciding twice comes to the same, and what a vCenter does not know changes what it is given, not what is needed.
func TestDecidingChangesNothing(t *testing.T) {
	t.Parallel()
	q, found := values(t)
	e := removing(q, found)
	one, two := e.Decide((*Decision).Change).Show(), e.Decide((*Decision).Change).Show()
	if d := plan.Differences(one, two); len(d) > 0 {
		t.Errorf("%+v", d)
	}
	needs, err := found[0].Bind()
	if err != nil {
		t.Fatal(err)
	}
	before := len(needs.Wanted.Needs)
	unknown := *found[0]
	unknown.Roles = roles.Of("vc1", unknown.Roles.All(), []string{"System.Read"})
	less, err := (&unknown).Bind()
	if err != nil {
		t.Fatal(err)
	}
	if len(less.Wanted.Needs) != before || !slices.ContainsFunc(less.Wanted.All, func(p *access.Permission) bool { return len(p.Holds) < len(p.Privileges) }) {
		t.Errorf("%d needs on a vCenter that knows nothing, %d on one that knows all", len(less.Wanted.Needs), before)
	}
}
