package provision_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	tagging "github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// duties are the operations that each component has to be able to do with the matrix default, whatever the topology; the
// names are those of the table in operations_table_test.go. The recorded tables can be recorded anew, these cannot.
var duties = map[component.Name][]string{
	component.MachineAPI: {
		"check session", "list datacenters", "find cluster", "find folder", "find pool", "find datastore", "find network", "plug into network", "find template",
		"find machine by uuid", "read above machine", "clone template", "change cpu and memory", "add disk", "power on", "power off",
		"destroy machine", "read tags of machine", "tag machine", "read region and zone", "add data disks", "take disks from machine",
	},
	component.CSIDriver: {
		"list datacenters", "find folder", "find datastore", "find datastore, driver", "find machine by uuid", "read above machine",
		"read machine", "read hosts", "read datastore", "browse datastore", "make directory", "create disk file", "create first class disk",
		"choose datastores", "create volume", "create volume with a policy", "query volumes", "change metadata of volume", "attach volume",
		"detach volume", "snapshot volume",
		"create category and tag", "tag datastore", "create storage policy",
	},
	component.CloudController: {
		"list datacenters", "find machine by uuid", "read above machine", "read machine", "read hosts", "read datastore", "find folder",
		"find cluster", "find datastore", "log in, cloud controller", "read region and zone",
	},
	component.Diagnostics: {
		"list datacenters", "find machine by uuid", "read machine", "read hosts", "read datastore", "browse datastore", "find folder",
		"find cluster", "find datastore", "find datastore, driver", "check zone tags",
	},
	component.Installer: {
		"list datacenters", "find cluster", "find folder", "find pool", "find datastore", "find datastore, installer", "find network",
		"plug into network", "import machine", "mark as template", "clone template", "change cpu and memory", "add disk", "power on",
		"power off", "destroy machine", "create cluster tag", "tag machine", "find by cluster tag", "delete cluster tag", "delete volumes",
		"delete storage policy",
	},
	component.ClusterAPI: {
		"list datacenters", "find cluster", "find folder", "find pool", "find datastore", "find network", "plug into network", "find template",
		"read machine", "read hosts", "clone, Cluster API", "change metadata", "extend disk", "set policy of disk", "power on", "power off", "destroy machine",
	},
	component.MachineConfig: {
		"list datacenters", "find cluster", "find folder", "find pool", "find datastore", "find network", "read machine", "read hosts",
		"import boot image", "make boot image a template", "tag boot image", "destroy boot image",
	},
}

// placed are the components that work on the stage with a matrix, as they are recorded.
func placed(matrix string) []component.Name {
	switch matrix {
	case "default":
		return append(component.Default(), component.ClusterAPI, component.MachineConfig, component.Auditor)
	case "minimal":
		return append(component.Default(), component.ClusterAPI, component.MachineConfig)
	}
	return component.Default()
}

// forbidden are operations that nobody is able to do, whatever the topology and the matrix.
var forbidden = []string{"clone onto other datastore", "add role", "set permission"}

// Each account logs in to the enforcing simulation with its password and does every operation of the table: its own
// and those of the others. The recorded answers are "ok", or the privilege that NoPermission names, or that the object is
// not found. OPERATIONS_UPDATE=1 records them anew; duties and forbidden hold nevertheless. The short run takes two topologies
// of the matrix default: the folder and the pool are given, and neither is.
func TestOperations(t *testing.T) {
	notShort(t, "a table of answers, one after the other")
	t.Parallel()
	const recorded = "testdata/operations.txt"
	update := os.Getenv("OPERATIONS_UPDATE") != ""
	file, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	head, tables, _ := strings.Cut(string(file), "\n\n## ")
	want := strings.Split(strings.TrimSuffix(tables, "\n"), "\n\n## ")
	topologies := []string{"folder", "datacenter", "pool", "flat", "deep"}
	matrices := []string{"default", "enhancement"}
	if len(want) != len(matrices)*len(topologies) {
		t.Fatalf("%d tables are recorded", len(want))
	}
	got := slices.Clone(want)
	t.Run("as", func(t *testing.T) {
		for m, matrix := range matrices {
			for n, topology := range topologies {
				if !update && !long() && (matrix != "default" || topology != "pool" && topology != "datacenter") {
					continue
				}
				t.Run(matrix+"/"+topology, func(t *testing.T) {
					t.Parallel()
					got[len(topologies)*m+n] = operate(t, matrix, topology)
				})
			}
		}
	})
	all := head + "\n\n## " + strings.Join(got, "\n\n## ") + "\n"
	if update {
		if err := os.WriteFile(recorded, []byte(all), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(strings.Split(string(file), "\n"), strings.Split(all, "\n")); diff != "" && !t.Failed() {
		t.Errorf("other answers than recorded:\n%s", diff)
	}
}

// operate does all operations with all accounts and returns the table of the answers.
func operate(t *testing.T, matrix, topology string) string {
	t.Helper()
	s := newStage(t, matrix, topology)
	titles := map[string]string{
		"folder": "folder given, root pool", "datacenter": "no folder given: the datacenter carries", "pool": "folder and pool given",
		"flat": "standard network: the datacenter hands nothing down",
		"deep": "the same, datastore and network in folders of their own",
	}
	lines := []string{"matrix " + matrix + ", " + titles[topology]}
	verified := s.h.verify(t)
	head := fmt.Sprintf("%-27s", "")
	for _, c := range placed(matrix) {
		head += fmt.Sprintf(" %-42s", c)
	}
	lines = append(lines, head)
	for _, op := range s.operations {
		line := fmt.Sprintf("%-27s", op.name)
		for _, c := range placed(matrix) {
			answer := s.perform(op, s.clients[c])
			s.holdAgainst(verified, c, op.name, answer)
			line += fmt.Sprintf(" %-42s", answer)
			switch {
			case matrix == "default" && slices.Contains(duties[c], op.name) && answer != "ok":
				t.Errorf("%s: %s: %s; it has to be able to", c, op.name, answer)
			case slices.Contains(forbidden, op.name) && answer == "ok":
				t.Errorf("%s: %s is not refused", c, op.name)
			}
		}
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// stage is a vCenter with the accounts of a cluster, and clients that have logged in as them.
type stage struct {
	*testing.T
	ctx     context.Context
	h       *house
	v       *vcsim.VCenter
	admin   *vim25.Client
	clients map[component.Name]*vim25.Client
	users   map[*vim25.Client]*url.Userinfo
	tagging map[*vim25.Client]*tagging.Manager
	holding map[privileges.Condition]bool // what holds here
	refused refusals

	operations []operation

	datastore, network string
	folder             string // where the machines go
	parent             string // where the installer makes its folder
	pool               string
	count              int
	made               []func() // what tidy removes
	tagOf              *tagging.Tag
	spare              *object.VirtualMachine
}

func newStage(t *testing.T, matrix, topology string, holds ...privileges.Condition) *stage {
	t.Helper()
	s := &stage{
		T: t, ctx: context.Background(), operations: operations(), clients: map[component.Name]*vim25.Client{},
		users: map[*vim25.Client]*url.Userinfo{}, tagging: map[*vim25.Client]*tagging.Manager{},
		datastore: "/DC1/datastore/ds1", network: "/DC1/network/ocp-net",
		folder: "/DC1/vm/openshift/cluster1", parent: "/DC1/vm/openshift/cluster1", pool: "/DC1/host/C1/Resources",
	}
	lab := start(t, vcsim.Options{Record: s.refused.note})
	s.v = lab.VCenters[0]
	s.admin = s.login(s.v.AdminUser(), s.v.AdminPassword())
	text := strings.Split(demoSpec, "- server: vcenter2")[0] + "privileges:\n  matrix: " + matrix + "\n  conditions: [" + strings.Join(component.Words(holds), ", ") + "]\ncomponents:\n"
	for _, c := range placed(matrix) {
		text += "  " + string(c) + ": {}\n"
	}
	const given = "    folder: /DC1/vm/openshift/cluster1\n"
	switch topology {
	case "datacenter":
		text, s.parent = strings.Replace(text, given, "", 1), "/DC1/vm"
	case "pool":
		s.pool = "/DC1/host/C1/Resources/openshift"
		text = strings.Replace(text, given, given+"    resourcePool: openshift\n", 1)
	case "flat", "deep": // what is known by reference needs the same there as elsewhere
		text, s.operations = s.nothingPropagates(text, topology == "deep"), lookups()
	}
	parsed := parse(t, text)
	s.holding = privileges.TopologyOf(parsed.Conditions(map[privileges.Condition]bool{
		privileges.FolderExisting: topology != "datacenter", privileges.PoolExisting: topology == "pool",
	}))
	h := open(t, lab, t.TempDir(), parsed)
	s.h = h
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	f, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range placed(matrix) {
		a, ok := f.Get(s.v.Server(), c)
		if !ok {
			t.Fatalf("%s has no account", c)
		}
		s.clients[c] = s.login(a.User, a.Password.Reveal())
	}
	if topology == "datacenter" { // the installer has made it
		s.folder = "/DC1/vm/cluster1-abcde"
		_, err := object.NewFolder(s.clients[component.Installer], s.ref("/DC1/vm")).CreateFolder(s.ctx, path.Base(s.folder))
		s.need(err)
	}
	return s
}

func (s *stage) login(user, password string) *vim25.Client {
	s.Helper()
	c, err := s.v.Login(s.ctx, user, password)
	if err != nil {
		s.Fatalf("login of %s: %v", user, err)
	}
	s.users[c] = url.UserPassword(user, password)
	return c
}

// refusals keep what a vCenter found missing first by the last call that it refused: a refusal over REST does not say it.
type refusals struct {
	mu   sync.Mutex
	last vcsim.Record
	all  []vcsim.Record
}

func (r *refusals) note(one vcsim.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, one)
	if one.Verdict == vcsim.VerdictMissing && (one.Method != r.last.Method || one.Principal != r.last.Principal) {
		r.last = one
	}
}

func (r *refusals) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = vcsim.Record{}
}

// call is the one that was refused last, as the table of duties calls it.
func (r *refusals) call() (call, privilege string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	call = r.last.Method
	for _, prefix := range []string{"com.vmware.cis.tagging.", "com.vmware.vcenter."} {
		call = strings.TrimPrefix(call, prefix)
	}
	return call, r.last.Privilege
}

// perform does an operation as somebody, and tidies up.
func (s *stage) perform(op operation, c *vim25.Client) (answer string) {
	s.Helper()
	s.refused.forget()
	answer = s.answer(op.do(s, c))
	s.tidy(answer == "ok")
	return answer
}

// named is the operation of a name; none has it where it is not tried.
func (s *stage) named(name string) (operation, bool) {
	i := slices.IndexFunc(s.operations, func(op operation) bool { return op.name == name })
	if i < 0 {
		return operation{}, false
	}
	return s.operations[i], true
}

// answer is what became of an operation, in a word or two.
func (s *stage) answer(err error) string {
	var denied *types.NoPermission
	var gone *types.ManagedObjectNotFound
	var missing *find.NotFoundError
	var unlisted lost
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &missing), errors.As(err, &unlisted):
		return "not found"
	case strings.Contains(err.Error(), "System.Read privilege required"): // govmomi, of a property that it got no answer for
		return "System.Read"
	case strings.Contains(err.Error(), "403 Forbidden"):
		_, id := s.refused.call()
		return id
	}
	if _, ok := fault.As(err, &denied); ok {
		return cmp.Or(denied.PrivilegeId, "NoPermission without a privilege")
	}
	if _, ok := fault.As(err, &gone); ok {
		return "not visible"
	}
	s.Errorf("neither done nor refused: %v (%T)", err, err)
	return err.Error()
}

// need stops the test for an error of its own preparations.
func (s *stage) need(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// later has something removed by the administrator when the operation is over; it may be gone already.
func (s *stage) later(f func()) { s.made = append(s.made, f) }

// tidy removes what an operation has made. A machine that it was not let near serves the next one.
func (s *stage) tidy(done bool) {
	if done && s.spare != nil {
		s.later(s.discard(s.spare.InventoryPath))
		s.spare = nil
	}
	for _, f := range slices.Backward(s.made) {
		f()
	}
	s.made = nil
}

// ref is an object by its path, as the administrator sees it.
func (s *stage) ref(p string) types.ManagedObjectReference {
	s.Helper()
	o, err := object.NewSearchIndex(s.admin).FindByInventoryPath(s.ctx, p)
	if err != nil || o == nil {
		s.Fatalf("%s: %v", p, err)
	}
	return o.Reference()
}

// name is one that nothing has yet.
func (s *stage) name(kind string) string {
	s.count++
	return fmt.Sprintf("%s-%d", kind, s.count)
}

// done waits for a task as the one who started it.
func (s *stage) done(task *object.Task, err error) error {
	if err != nil {
		return err
	}
	return task.Wait(s.ctx)
}

// machine is one in the cluster's folder that the administrator has made and nothing was done to.
func (s *stage) machine() *object.VirtualMachine {
	s.Helper()
	if s.spare != nil {
		return s.spare
	}
	name := s.name("node")
	template := object.NewVirtualMachine(s.admin, s.ref("/DC1/vm/templates/rhcos"))
	folder := object.NewFolder(s.admin, s.ref(s.folder))
	s.need(s.done(template.Clone(s.ctx, folder, name, s.cloneSpec(s.datastore, s.network))))
	s.spare = object.NewVirtualMachine(s.admin, s.ref(path.Join(s.folder, name)))
	s.spare.InventoryPath = path.Join(s.folder, name)
	return s.spare
}

// throwaway is a machine that is switched off and serves one operation alone, whatever becomes of it.
func (s *stage) throwaway() *object.VirtualMachine {
	s.Helper()
	m := s.machine()
	s.spare = nil
	s.later(s.discard(m.InventoryPath))
	_ = s.done(m.PowerOff(s.ctx))
	return m
}

// discard destroys the machine at a path, if there is one.
func (s *stage) discard(p string) func() {
	return func() {
		o, err := object.NewSearchIndex(s.admin).FindByInventoryPath(s.ctx, p)
		if err != nil || o == nil {
			return
		}
		m := object.NewVirtualMachine(s.admin, o.Reference())
		_ = s.done(m.PowerOff(s.ctx))
		s.need(s.done(m.Destroy(s.ctx)))
	}
}

// as is the same machine for another client.
func as(c *vim25.Client, m *object.VirtualMachine) *object.VirtualMachine {
	return object.NewVirtualMachine(c, m.Reference())
}
