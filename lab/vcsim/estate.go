package vcsim

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
)

// EstateOptions say what is in the inventory of each vCenter.
type EstateOptions struct {
	Seed    uint64 // 0 is the small fixed estate of the demo; anything else generates one from it
	Objects int    // about so many virtual machines more
	Suffix  string // behind the names of the demo estate: a vCenter takes almost any sign in a name
	Foreign bool   // foreign roles, users, groups and permissions; the demo estate has some anyway

	Contents []Contents // instead of all that: what the vCenters hold, one after the other
}

// Estate is what a vCenter has to provision on. All paths are inventory paths with names as they are stored.
type Estate struct{ Datacenters []Datacenter }

// Datacenter is one datacenter. Its lists hold nothing of other datacenters.
type Datacenter struct {
	Path       string
	Clusters   []Cluster
	Hosts      []string // compute resources of standalone hosts: /DC/host/name
	Folders    []string // VM folders below /DC/vm
	Datastores []string
	Networks   []Network
	Templates  []string
	VMs        []string // without those of EstateOptions.Objects
}

// Cluster is one cluster. Pools are those below its root pool.
type Cluster struct {
	Path  string
	Pools []string
	Hosts []string
}

// Network is a port group (Switch is the path of its distributed switch) or a standard network (Switch is "").
type Network struct{ Path, Switch string }

// builder fills an inventory through the simulator's own API, in process and without HTTP.
type builder struct {
	ctx    context.Context
	number int // of the vCenter in its lab, from 1
	o      EstateOptions
	given  *Contents // instead of what o makes; nil = nothing is given
	known  func(privilege string) bool
	reg    *simulator.Registry
	client *vim25.Client
	root   *object.Folder
	files  string // directory for the datastores
	tasks  *taskWatch
	ids    completer
}

func newBuilder(m *simulator.Model, number int, o Options, ids completer) (*builder, error) {
	ctx := context.Background()
	client, err := vim25.NewClient(ctx, m.Service)
	if err != nil {
		return nil, err
	}
	b := &builder{
		ctx: ctx, number: number, o: o.Estate, given: o.contents(number - 1), reg: m.Map(), client: client,
		root: object.NewRootFolder(client), ids: ids,
	}
	b.tasks = newTaskWatch(*client.ServiceContent.TaskManager)
	b.known = func(id string) bool { return !slices.Contains(o.Without, id) }
	for _, s := range m.Map().OptionManager().Setting {
		if v := s.GetOptionValue(); v.Key == "vcsim.home" {
			b.files, _ = v.Value.(string)
		}
	}
	if b.files == "" {
		return nil, fmt.Errorf("the simulator has no directory for datastores")
	}
	return b, nil
}

func (b *builder) build() (Estate, error) {
	b.reg.AddHandler(b.tasks)
	if manager, ok := b.reg.Get(b.tasks.self).(simulator.RegisterObject); ok {
		defer b.reg.AddHandler(manager)
	}
	if b.given != nil {
		return b.filled(b.given)
	}
	build := b.generated
	if b.o.Seed == 0 {
		build = b.demo
	}
	estate, err := build()
	if err == nil && b.o.Objects > 0 {
		err = b.scale(estate, b.o.Objects)
	}
	return estate, err
}

// locked runs f while nobody else changes an object.
func (b *builder) locked(obj mo.Reference, f func()) {
	b.reg.WithLock(&simulator.Context{Context: b.ctx, Map: b.reg}, obj, f)
}

// directory makes one for a datastore.
func (b *builder) directory() (string, error) { return os.MkdirTemp(b.files, "datastore-") }

// path is the inventory path of an object.
func (b *builder) path(obj mo.Reference) string { return inventoryPath(b.reg, obj.Reference()) }
