package wizard

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// check compares an install-config with the inventory. What is missing becomes a question.
func (w *wizard) check(ctx context.Context, s step) (step, error) {
	next := step{name: "domain name", vc: s.vc}
	v := w.a.vc(s.vc)
	site, err := w.site(s.vc)
	if err != nil {
		return next, err
	}
	if w.later.name != "" && w.later.vc == s.vc && w.later.fd < len(v.FailureDomains) {
		next, w.later = w.later, step{}
		return next, nil
	}
	var all []string
	for _, fd := range v.FailureDomains {
		if w.a.known(knownDomain(fd.Name)) {
			all = append(all, domainPaths(fd)...)
		}
	}
	if len(all) == 0 {
		return next, nil
	}
	done := w.o.Ask.Busy("reading " + v.Server)
	found, err := site.session.Find(ctx, all)
	done()
	if err != nil {
		return next, &lostError{s.vc, err}
	}
	for _, fd := range v.FailureDomains {
		if !w.a.known(knownDomain(fd.Name)) {
			continue
		}
		for _, p := range domainPaths(fd) {
			if found.At(p) == nil {
				w.o.Ask.Say(fmt.Sprintf("! %s: there is no %s on %s, so you are asked about this failure domain", fd.Name, p, v.Server))
				w.a.Known = lists.Without(w.a.Known, []string{knownDomain(fd.Name)})
			}
		}
	}
	return next, nil
}

func domainPaths(fd spec.FailureDomain) []string {
	all := append([]string{fd.DatacenterPath(), fd.ComputeCluster, fd.Datastore, fd.ResourcePool, fd.Folder, fd.Template}, fd.Networks...)
	return slices.DeleteFunc(all, func(p string) bool { return p == "" })
}

// domainName asks for the name of a failure domain, unless the install-config has it.
func (w *wizard) domainName(ctx context.Context, s step) (step, error) {
	v := w.a.vc(s.vc)
	next := s.to("domain datacenter")
	if s.fd < len(v.FailureDomains) && w.a.known(knownDomain(v.FailureDomains[s.fd].Name)) {
		next.name = "domain more"
		return next, nil
	}
	taken := map[string]bool{}
	for i, v := range w.a.Spec.VCenters {
		for j, fd := range v.FailureDomains {
			if i != s.vc || j != s.fd {
				taken[fd.Name] = true
			}
		}
	}
	fallback := ""
	if s.fd < len(v.FailureDomains) {
		fallback = v.FailureDomains[s.fd].Name
	}
	for c := 'a'; fallback == "" || taken[fallback]; c++ {
		fallback = fmt.Sprintf("zone-%c", c)
	}
	name, err := w.line(ctx, Line{
		Message: "failure domain", Default: fallback,
		Help: "A place for machines of the cluster: a vSphere cluster with its datastore and networks. Use the name from the install-config.",
		Check: func(text string) error {
			switch {
			case text == "":
				return errors.New("a name is required")
			case taken[text]:
				return fmt.Errorf("the name %s is already taken", text)
			}
			return nil
		},
	})
	if err != nil {
		return next, err
	}
	if s.fd == len(v.FailureDomains) {
		v.FailureDomains = append(v.FailureDomains, spec.FailureDomain{})
	}
	v.FailureDomains[s.fd].Name = name
	return next, nil
}

// item asks for an object of the inventory, or one of the extra entries. It returns the index of
// the entry, or the object.
type itemQuestion struct {
	message, help string
	extra         []Entry
	items         []vcenter.Item
	cut           string // what all paths begin with
	current       string // path of the answer before
	chosen        int    // the entry, where current is none of the items
}

func (w *wizard) item(ctx context.Context, q itemQuestion) (extra int, item vcenter.Item, err error) {
	c := Choice{Message: q.message, Help: q.help, Entries: slices.Clone(q.extra), Default: q.chosen}
	for i, it := range q.items {
		c.Entries = append(c.Entries, entry(it, q.cut))
		own := q.current == "" && path.Base(it.Path) == w.a.Spec.Cluster
		if it.Path == q.current || own {
			c.Default = len(q.extra) + i
		}
	}
	i, err := w.choose(ctx, c)
	if err != nil {
		return 0, item, err
	}
	if i < len(q.extra) {
		return i, item, nil
	}
	return -1, q.items[i-len(q.extra)], nil
}

func entry(it vcenter.Item, cut string) Entry {
	return Entry{Label: strings.TrimPrefix(it.Path, cut), Note: it.Note}
}

// none says that there is nothing to choose, and asks what to do about it.
func (w *wizard) none(s step, what, where string) error {
	return &lostError{s.vc, fmt.Errorf("%s: no %s in %s is visible to %s", w.a.vc(s.vc).Server, what, where, w.a.Users[w.a.vc(s.vc).Server])}
}

func (w *wizard) domainDatacenter(ctx context.Context, s step) (step, error) {
	next := s.to("domain cluster")
	site, err := w.site(s.vc)
	if err != nil {
		return next, err
	}
	items, err := w.list(ctx, s.vc, vcenter.Datacenters, site.session.Top())
	if err != nil {
		return next, err
	}
	if len(items) == 0 {
		return next, w.none(s, "datacenter", "the inventory")
	}
	fd := w.a.fd(s)
	_, dc, err := w.item(ctx, itemQuestion{
		message: fd.Name + ": datacenter", items: items, cut: "/", current: fd.DatacenterPath(),
		help: "The datacenter of this failure domain. Type part of a name to filter the list.",
	})
	if err != nil {
		return next, err
	}
	if dc.Path != fd.DatacenterPath() {
		*fd = spec.FailureDomain{Name: fd.Name, HostGroup: fd.HostGroup, Region: fd.Region, Zone: fd.Zone}
		fd.Datacenter = dc.Path
		if path.Dir(dc.Path) == "/" {
			fd.Datacenter = strings.TrimPrefix(dc.Path, "/")
		}
	}
	return next, nil
}

// at finds a chosen object again.
func (w *wizard) at(ctx context.Context, s step, kind vcenter.Kind) (vcenter.Item, error) {
	site, err := w.site(s.vc)
	if err != nil {
		return vcenter.Item{}, err
	}
	fd := w.a.fd(s)
	below, p := site.session.Top(), fd.DatacenterPath()
	if kind == vcenter.Clusters {
		dc, err := w.at(ctx, s, vcenter.Datacenters)
		if err != nil {
			return dc, err
		}
		below, p = dc, fd.ComputeCluster
	}
	items, err := w.list(ctx, s.vc, kind, below)
	if err != nil {
		return vcenter.Item{}, err
	}
	i := slices.IndexFunc(items, func(it vcenter.Item) bool { return it.Path == p })
	if i < 0 {
		return vcenter.Item{}, &lostError{s.vc, fmt.Errorf("%s: %s no longer exists", w.a.vc(s.vc).Server, p)}
	}
	return items[i], nil
}

// below reads the objects of a kind in the datacenter, or the cluster, of a step.
func (w *wizard) below(ctx context.Context, s step, kind, place vcenter.Kind) ([]vcenter.Item, error) {
	at, err := w.at(ctx, s, place)
	if err != nil {
		return nil, err
	}
	return w.list(ctx, s.vc, kind, at)
}

// choosable is below a datacenter where there has to be something to choose.
func (w *wizard) choosable(ctx context.Context, s step, kind vcenter.Kind, what string) ([]vcenter.Item, error) {
	items, err := w.below(ctx, s, kind, vcenter.Datacenters)
	if err == nil && len(items) == 0 {
		err = w.none(s, what, w.a.fd(s).DatacenterPath())
	}
	return items, err
}

func (w *wizard) domainCluster(ctx context.Context, s step) (step, error) {
	next := s.to("domain pool")
	items, err := w.choosable(ctx, s, vcenter.Clusters, "cluster")
	if err != nil {
		return next, err
	}
	fd := w.a.fd(s)
	_, cluster, err := w.item(ctx, itemQuestion{
		message: fd.Name + ": cluster", items: items, cut: fd.DatacenterPath() + "/host/", current: fd.ComputeCluster,
		help: "The vSphere cluster whose hosts run the machines.",
	})
	if err != nil {
		return next, err
	}
	if cluster.Path != fd.ComputeCluster {
		fd.ComputeCluster, fd.ResourcePool = cluster.Path, ""
	}
	return next, nil
}

func (w *wizard) domainPool(ctx context.Context, s step) (step, error) {
	next := s.to("domain folder")
	items, err := w.below(ctx, s, vcenter.Pools, vcenter.Clusters)
	if err != nil {
		return next, err
	}
	fd := w.a.fd(s)
	if len(items) == 0 {
		if fd.ResourcePool = ""; !w.backing {
			w.o.Ask.Say(fd.ComputeCluster + " has no resource pool of its own, so the permissions are set on the cluster")
		}
		return next, nil
	}
	_, pool, err := w.item(ctx, itemQuestion{
		message: fd.Name + ": resource pool", items: items, cut: fd.ComputeCluster + "/Resources/", current: fd.ResourcePool,
		extra:  []Entry{{"the cluster's root pool", "the permissions are set on the cluster"}},
		chosen: rank(w.a.wide(s, fd.ComputeCluster)), // the narrower one, unless the other was answered
		help:   "The resource pool of the machines. If they have their own, the accounts need no permissions on the other pools of the cluster.",
	})
	if err == nil {
		fd.ResourcePool = pool.Path // none of the extra entry
		w.a.widen(s, fd.ComputeCluster, pool.Path == "")
	}
	return next, err
}

// another asks a question to which yes is the second answer; yes if the next one has a name
// already.
func (w *wizard) another(ctx context.Context, q Choice, before string) (bool, error) {
	if before != "" {
		q.Entries[1].Note, q.Default = "previous answer: "+before, 1
	}
	i, err := w.choose(ctx, q)
	return i == 1, err
}

// more asks whether there is another vCenter.
func (w *wizard) more(ctx context.Context, s step) (step, error) {
	next := step{name: "profile"}
	answered := s.vc+1 < len(w.a.Spec.VCenters)
	if answered && w.a.known(knownServer(w.a.vc(s.vc+1).Server)) {
		return step{name: "server", vc: s.vc + 1}, nil
	}
	if w.a.Config != "" && !answered {
		return next, nil
	}
	before := ""
	if answered {
		before = w.a.vc(s.vc + 1).Server
	}
	yes, err := w.another(ctx, Choice{
		Message: "another vCenter?", Entries: simple("no, that is all", "yes"), Default: rank(s.vc+1 >= len(w.o.Servers)),
		Help: "A cluster can span vCenters, with failure domains on each.",
	}, before)
	if err != nil {
		return next, err
	}
	if yes {
		return step{name: "server", vc: s.vc + 1}, nil
	}
	w.a.Spec.VCenters = w.a.Spec.VCenters[:s.vc+1]
	return next, nil
}
