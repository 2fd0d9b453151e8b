package estate

import (
	"cmp"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// place is an object of the inventory, a listed one or one that comes with it.
type place struct {
	*inventory.Object
	path    string
	section string // of a folder: what it is for, "root" or one of ownFolders
	dc      *place // the datacenter that it is in; nil above
	line    int    // 0 = it comes with another
}

// places reads the inventory of one vCenter.
type places struct {
	*reader
	v      *VCenter
	at     map[string]*place
	of     map[*inventory.Object]*place
	hosts  map[*place]int // of datacenters and clusters
	stores map[*place]int // datastores of datacenters
	found  []source
}

// source is an object of the file with where its fields stand.
type source struct {
	Object
	path, kind, sw, pool yamldoc.Text
	hosts                []yamldoc.Text
	given                yamldoc.Object
}

func newPlaces(r *reader, v *VCenter) *places {
	p := &places{
		reader: r, v: v, at: map[string]*place{}, of: map[*inventory.Object]*place{}, hosts: map[*place]int{}, stores: map[*place]int{},
	}
	p.put(&place{Object: &inventory.Object{Ref: inventory.Ref{Type: folder, Value: "/"}}, path: "/", section: "root"})
	return p
}

func (p *places) put(at *place) { p.at[at.path], p.of[at.Object] = at, at }

// below is what a place with a name below another would be.
func below(parent *place, name, kind string) *place {
	at := &place{path: path.Join(parent.path, name), dc: parent.dc}
	at.Object = &inventory.Object{Ref: inventory.Ref{Type: kind, Value: at.path}, Name: name, Parent: parent.Object}
	if kind == folder {
		at.section = parent.section
	}
	return at
}

// objects reads the list, then sets up what there is from above, whatever the order of the file.
func (p *places) objects(o yamldoc.Object) {
	items, _ := o.List("objects")
	for _, item := range items {
		f := item.Object("path", "type", "hosts", "switch", "pool", "template", "encrypted", "hostName", "addresses")
		s := source{path: f.Text("path"), kind: f.Text("type"), sw: f.Text("switch"), pool: f.Text("pool"), given: f}
		s.hosts, _ = f.Texts("hosts")
		s.Object = Object{
			Path: s.path.Value, Type: s.kind.Value, Switch: s.sw.Value, Pool: s.pool.Value,
			Template: f.Truth("template"), Encrypted: f.Truth("encrypted"),
		}
		for _, h := range s.hosts {
			s.Hosts = append(s.Hosts, h.Value)
		}
		p.guest(f, &s.Object)
		p.v.Objects = append(p.v.Objects, s.Object)
		if p.wellFormed(s) {
			p.found = append(p.found, s)
		}
	}
	slices.SortStableFunc(p.found, func(a, b source) int {
		after := map[string]int{opaque: 1} // the networks whose paths they share are there then
		return cmp.Or(strings.Count(a.Path, "/")-strings.Count(b.Path, "/"), after[a.Type]-after[b.Type])
	})
	for _, s := range p.found {
		p.settle(s)
	}
	for _, s := range p.found {
		if at := p.at[s.Path]; at != nil && at.line == s.path.Line { // else it is reported
			p.complete(s, at)
		}
	}
}

// guest reads what the guest of a machine tells.
func (p *places) guest(f yamldoc.Object, o *Object) {
	o.HostName = f.Text("hostName").Value
	addresses, _ := f.Texts("addresses")
	for _, t := range addresses {
		if _, err := netip.ParseAddr(t.Value); err != nil {
			p.At(t.Place, "%s is not an IP address", hint.Quote(t.Value))
		}
		o.Addresses = append(o.Addresses, t.Value)
	}
	if o.Template && (f.Has("hostName") || f.Has("addresses")) {
		p.At(f.Where("template"),
			"a template does not run, so it has no hostName and no addresses: omit them")
	}
}

// wellFormed checks what can be told of an object alone.
func (p *places) wellFormed(s source) bool {
	p.missing(s.path)
	p.missing(s.kind)
	if s.Path == "" || s.Type == "" {
		return false
	}
	ok := true
	if !slices.Contains(Types(), s.Type) {
		p.At(s.kind.Place, "unknown type %s%s", hint.Quote(s.Type), p.instead(s.Type))
		ok = false
	}
	if s.Path == "/" || !strings.HasPrefix(s.Path, "/") || path.Clean(s.Path) != s.Path {
		p.At(s.path.Place, "%s is not an inventory path: they look like /DC1/host/Cluster1, with %%2f for a slash in a name", hint.Quote(s.Path))
		ok = false
	}
	for field, kinds := range map[string][]string{
		"hosts": {cluster}, "switch": {dvPortgroup}, "pool": {machine}, "template": {machine},
		"encrypted": {machine},
		"hostName":  {machine}, "addresses": {machine},
	} {
		if s.given.Has(field) && ok && !slices.Contains(kinds, s.Type) {
			p.At(s.given.Where(field), "only a %s has this: omit it", kinds[0])
		}
	}
	return ok
}

// instead is the remedy for a type that is not known.
func (p *places) instead(kind string) string {
	switch kind {
	case host:
		return ": list it in the hosts of its ClusterComputeResource, or a standalone one as ComputeResource"
	case realDVSwitch:
		return ": write " + dvSwitch
	}
	return hint.Suggest(kind, Types())
}

// settle puts an object where it belongs, with all that comes with it.
func (p *places) settle(s source) {
	at := s.Path
	if there := p.at[at]; there != nil && s.Type == opaque && (there.Ref.Type == network || there.Ref.Type == dvPortgroup) {
		at += besideOther // NSX makes both in one folder
	}
	if there := p.at[at]; there != nil {
		switch {
		case there.line > 0:
			p.At(s.path.Place, "%s is listed twice, first on line %d: remove one", hint.Quote(s.Path), there.line)
		default:
			p.At(s.path.Place, "%s exists automatically below its parent: omit it", hint.Quote(s.Path))
		}
		return
	}
	parent := p.at[path.Dir(s.Path)]
	if parent == nil {
		p.At(s.path.Place, "its parent %s is not listed: list it too", hint.Quote(path.Dir(s.Path)))
		return
	}
	if home := homes(s.Type); !fits(s.Type, parent) {
		p.At(s.path.Place, "a %s cannot be below %s: it belongs %s", s.Type, hint.Quote(parent.path), home)
		return
	}
	made := below(parent, path.Base(s.Path), s.Type)
	made.path, made.line = at, s.path.Line
	p.put(made)
	add := func(to *place, name, kind, section string) {
		child := below(to, name, kind)
		child.section = section
		p.put(child)
	}
	switch s.Type {
	case datacenter:
		made.dc = made
		for _, name := range ownFolders() {
			add(made, name, folder, name)
		}
	case cluster:
		add(made, rootPool, pool, "")
		for _, t := range s.hosts {
			if p.at[path.Join(s.Path, t.Value)] != nil || strings.Contains(t.Value, "/") {
				p.At(t.Place, "%s is listed twice, or is not a host name", hint.Quote(t.Value))
				continue
			}
			add(made, t.Value, host, "")
			p.hosts[made]++
			p.hosts[made.dc]++
		}
	case compute:
		add(made, rootPool, pool, "")
		if p.at[path.Join(s.Path, made.Name)] == nil {
			add(made, made.Name, host, "")
		}
		p.hosts[made]++
		p.hosts[made.dc]++
	case datastore:
		p.stores[made.dc]++
	}
}

// fits reports whether an object can be directly below another.
func fits(kind string, parent *place) bool {
	in := parent.Ref.Type
	switch kind {
	case datacenter:
		return parent.section == "root"
	case folder:
		return in == folder
	case cluster, compute:
		return parent.section == "host"
	case pool, vApp:
		return in == pool || in == vApp
	case datastore:
		return parent.section == "datastore" || in == pod
	case pod:
		return parent.section == "datastore"
	case machine:
		return parent.section == "vm" || in == vApp
	}
	return parent.section == "network"
}

// homes says where objects of a type belong.
func homes(kind string) string {
	switch kind {
	case datacenter:
		return "below / or a folder of datacenters"
	case folder:
		return "below / or in a datacenter's vm, host, datastore or network folder"
	case cluster, compute:
		return "in a datacenter's host folder"
	case pool, vApp:
		return "below the Resources of a cluster or host, or below another pool"
	case datastore, pod:
		return "in a datacenter's datastore folder"
	case machine:
		return "in a datacenter's vm folder"
	}
	return "in a datacenter's network folder"
}

// complete checks what an object needs elsewhere.
func (p *places) complete(s source, at *place) {
	switch s.Type {
	case datastore:
		if p.hosts[at.dc] == 0 {
			p.At(s.path.Place, "no host in %s could mount it: list one, in a ClusterComputeResource or as ComputeResource", hint.Quote(at.dc.path))
		}
	case dvPortgroup:
		sw := p.at[s.Switch]
		switch {
		case s.Switch == "":
			p.missing(s.sw)
		case sw == nil || sw.Ref.Type != dvSwitch || sw.dc != at.dc:
			p.At(s.sw.Place, "no %s of its datacenter is listed at %s: list it", dvSwitch, hint.Quote(s.Switch))
		}
	case machine:
		p.machine(s, at)
	}
}

func (p *places) machine(s source, at *place) {
	if p.stores[at.dc] == 0 {
		p.At(s.path.Place, "no datastore in %s could hold it: list one", hint.Quote(at.dc.path))
	}
	in := p.at[s.Pool]
	switch {
	case at.Parent.Ref.Type == vApp && s.Pool != "":
		p.At(s.pool.Place, "a machine in a vApp has no other pool: omit it")
	case at.Parent.Ref.Type == vApp:
		in = p.of[at.Parent]
	case s.Pool == "" && p.hosts[at.dc] == 0:
		p.At(s.path.Place, "no host in %s could run it: list one", hint.Quote(at.dc.path))
	case s.Pool != "" && (in == nil || in.dc != at.dc || in.Ref.Type != pool && in.Ref.Type != vApp):
		p.At(s.pool.Place, "no pool of its datacenter is listed at %s: list it, or omit this for a root pool", hint.Quote(s.Pool))
		in = nil
	}
	for ; in != nil; in = p.of[in.Parent] {
		if in.Ref.Type == cluster && p.hosts[in] == 0 {
			p.At(s.path.Place, "cluster %s has no host that could run it: list one", hint.Quote(in.path))
		}
	}
}

// assignable reports an object of a permission that is not there or takes none.
func (p *places) assignable(t yamldoc.Text) {
	p.missing(t)
	if t.Value == "" || t.Value == inventory.GlobalPath {
		return
	}
	at := p.at[t.Value]
	if at == nil {
		p.At(t.Place, "nothing is listed at %s: list it under objects; global permissions have the object "+inventory.GlobalPath, hint.Quote(t.Value))
		return
	}
	if instead, why := at.Unassignable(); instead != nil {
		p.At(t.Place, "permissions cannot be set on %s, because %s: use %s", hint.Quote(t.Value), why, hint.Quote(p.of[instead].path))
	}
}
