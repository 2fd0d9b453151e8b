package vcsim

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/vmware/govmomi/object"
)

// awkward are names as an administrator types them. A vCenter stores slash, backslash and percent sign escaped.
var awkward = []string{
	"production", "open shift", "a/b", "50% done", `win\lin`, "Zürich", "数据中心", "O'Neil & Söhne", `"quoted"`,
	"comma, semi; colon:", "<angle>", "#1", "[rack]", "naïve-ñame", "x=y", "emoji 🚀", "UPPER", "upper", "a%2fb", "dots...",
}

// stored is a name as the inventory keeps it.
func stored(name string) string {
	return strings.NewReplacer("%", "%25", "/", "%2f", `\`, "%5c").Replace(name)
}

// growth makes one estate from a seed.
type growth struct {
	*builder
	rng  *rand.Rand
	used map[string]int
}

// generated makes the estate of a seed: the same seed and the same place in the lab give the same estate.
func (b *builder) generated() (Estate, error) {
	g := &growth{builder: b, rng: rand.New(rand.NewPCG(b.o.Seed, uint64(b.number))), used: map[string]int{}}
	var e Estate
	for range 1 + g.rng.IntN(6)/4 + g.rng.IntN(6)/5 { // mostly one datacenter, at most three
		in := b.root
		if g.rng.IntN(3) == 0 {
			var err error
			if in, err = b.root.CreateFolder(b.ctx, g.fresh("/", "region")); err != nil {
				return Estate{}, err
			}
		}
		dc, err := g.site(in)
		if err != nil {
			return Estate{}, err
		}
		e.Datacenters = append(e.Datacenters, dc)
	}
	return e, nil
}

// fresh is a name that no two objects of one scope share; half of them are awkward.
func (g *growth) fresh(scope, plain string) string {
	name := plain
	if g.rng.IntN(2) == 0 {
		name = awkward[g.rng.IntN(len(awkward))]
	}
	k := scope + "|" + strings.ToLower(name)
	g.used[k]++
	if n := g.used[k]; n > 1 || name == plain {
		name = fmt.Sprintf("%s %d", name, n)
	}
	return name
}

// tame is fresh for what becomes part of a datastore path, where brackets end the datastore's name.
func (g *growth) tame(scope, plain string) string {
	return strings.NewReplacer("[", "(", "]", ")").Replace(stored(g.fresh(scope, plain)))
}

func (g *growth) site(in *object.Folder) (Datacenter, error) {
	s, err := g.datacenter(in, stored(g.fresh("/", "DC")))
	if err != nil {
		return Datacenter{}, err
	}
	pools, err := g.compute(s)
	if err != nil {
		return Datacenter{}, err
	}
	if err := g.storage(s); err != nil {
		return Datacenter{}, err
	}
	if err := g.networks(s); err != nil {
		return Datacenter{}, err
	}
	return s.view, g.machines(s, pools)
}

// compute makes clusters, some in a host folder, with nested pools, and a standalone host now and then.
func (g *growth) compute(s *site) ([]*object.ResourcePool, error) {
	var pools []*object.ResourcePool
	scope := s.view.Path
	for c := range 1 + g.rng.IntN(2) {
		in := s.folders.HostFolder
		if g.rng.IntN(4) == 0 {
			f, err := in.CreateFolder(g.ctx, g.fresh(scope+"host", "row"))
			if err != nil {
				return nil, err
			}
			in = f
		}
		var hosts []string
		for range 1 + g.rng.IntN(2) {
			g.used["esx"]++
			hosts = append(hosts, fmt.Sprintf("esx%02d.vc%d.example.com", g.used["esx"], g.number))
		}
		cluster, err := s.cluster(in, stored(g.fresh(scope+"host", "cluster")), hosts)
		if err != nil {
			return nil, err
		}
		root, err := cluster.ResourcePool(g.ctx)
		if err != nil {
			return nil, err
		}
		family := []*object.ResourcePool{root}
		for range g.rng.IntN(4) {
			parent := family[g.rng.IntN(len(family))]
			p, err := s.pool(c, parent, stored(g.fresh(scope+parent.Reference().Value, "pool")))
			if err != nil {
				return nil, err
			}
			family = append(family, p)
		}
		pools = append(pools, family...)
	}
	if g.rng.IntN(3) == 0 {
		g.used["esx"]++
		root, err := s.standalone(s.folders.HostFolder, fmt.Sprintf("esx%02d.vc%d.example.com", g.used["esx"], g.number))
		if err != nil {
			return nil, err
		}
		pools = append(pools, root)
	}
	return pools, nil
}

// storage makes datastores, some in a folder, some in a datastore cluster.
func (g *growth) storage(s *site) error {
	var homes []*object.Folder
	top := s.folders.DatastoreFolder
	if g.rng.IntN(2) == 0 {
		f, err := top.CreateFolder(g.ctx, g.fresh(s.view.Path+"datastore", "tier"))
		if err != nil {
			return err
		}
		homes = append(homes, f)
	}
	if g.rng.IntN(2) == 0 {
		pod, err := top.CreateStoragePod(g.ctx, stored(g.fresh(s.view.Path+"datastore", "storage pod")))
		if err != nil {
			return err
		}
		homes = append(homes, pod.Folder)
	}
	var into []*object.Folder
	for i := range 1 + g.rng.IntN(4) {
		var home *object.Folder
		if i > 0 && len(homes) > 0 && g.rng.IntN(2) == 0 {
			home = homes[g.rng.IntN(len(homes))]
		}
		into = append(into, home)
	}
	for _, home := range into {
		if err := s.datastore(g.tame(s.view.Path+"datastore", "datastore"), home); err != nil {
			return err
		}
	}
	return nil
}

// networks makes standard networks and distributed switches, some of them in a network folder.
func (g *growth) networks(s *site) error {
	scope := s.view.Path + "network"
	s.view.Networks = append(s.view.Networks, Network{Path: s.view.Path + "/network/VM Network"}) // comes with the hosts
	for range g.rng.IntN(3) {
		if err := s.network(stored(g.fresh(scope, "vlan")), false); err != nil {
			return err
		}
	}
	for range g.rng.IntN(3) {
		in := s.folders.NetworkFolder
		if g.rng.IntN(2) == 0 {
			f, err := in.CreateFolder(g.ctx, g.fresh(scope, "switches"))
			if err != nil {
				return err
			}
			in = f
		}
		var groups []string
		name := stored(g.fresh(scope, "dvs"))
		for range 1 + g.rng.IntN(3) {
			groups = append(groups, stored(g.fresh(scope, "port group")))
		}
		if err := s.dvs(in, name, groups...); err != nil {
			return err
		}
	}
	return nil
}

// machines makes nested VM folders, a template and some virtual machines.
func (g *growth) machines(s *site, pools []*object.ResourcePool) error {
	folders := []*object.Folder{s.folders.VmFolder}
	for range 1 + g.rng.IntN(5) {
		parent := folders[g.rng.IntN(len(folders))]
		f, err := s.folder(parent, g.fresh(s.view.Path+parent.Reference().Value, "folder"))
		if err != nil {
			return err
		}
		folders = append(folders, f)
	}
	for i := range 2 + g.rng.IntN(3) {
		folder, pool := folders[g.rng.IntN(len(folders))], pools[g.rng.IntN(len(pools))]
		path := s.view.Datastores[g.rng.IntN(len(s.view.Datastores))]
		name := g.fresh(s.view.Path+folder.Reference().Value, "machine")
		vm, err := s.vm(folder, pool, name, path[strings.LastIndex(path, "/")+1:])
		if err != nil {
			return err
		}
		if i == 0 {
			if err := s.template(vm); err != nil {
				return err
			}
		}
	}
	return nil
}
