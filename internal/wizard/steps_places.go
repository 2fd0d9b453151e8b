package wizard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

func (w *wizard) domainFolder(ctx context.Context, s step) (step, error) {
	next := s.to("domain datastore")
	items, err := w.below(ctx, s, vcenter.Folders, vcenter.Datacenters)
	if err != nil {
		return next, err
	}
	v, fd := w.a.vc(s.vc), w.a.fd(s)
	q := itemQuestion{
		message: fd.Name + ": VM folder", items: items, cut: fd.DatacenterPath() + "/vm/", current: fd.Folder,
		extra: []Entry{
			{"the installer creates one", "the permissions are set on the whole datacenter"},
			{"create one", "apply creates it, and the permissions are set on it only"},
		},
		chosen: rank(w.a.wide(s, fd.DatacenterPath())), // the narrower one, unless the other was answered
		help:   "Where the machines are in the inventory. A folder of their own keeps the permissions narrow: without one, the permissions are set on the whole datacenter, because the installer creates the folder later.",
	}
	extra, folder, err := w.item(ctx, q)
	switch {
	case err != nil:
		return next, err
	case extra == 1:
		w.a.widen(s, fd.DatacenterPath(), false)
		return s.to("domain new folder"), nil
	}
	w.a.make(*v, fd.Folder, false)
	w.a.widen(s, fd.DatacenterPath(), extra == 0)
	fd.Folder = folder.Path
	return next, nil
}

// domainNewFolder names a folder that apply makes.
func (w *wizard) domainNewFolder(ctx context.Context, s step) (step, error) {
	next := s.to("domain datastore")
	v, fd := w.a.vc(s.vc), w.a.fd(s)
	top := fd.DatacenterPath() + "/vm/"
	name, err := w.line(ctx, Line{
		Message: "new folder below " + top, Default: cmp.Or(strings.TrimPrefix(fd.Folder, top), w.a.Spec.Cluster),
		Help: "A name, or a path with slashes; missing folders are created.",
		Check: func(text string) error {
			for part := range strings.SplitSeq(text, "/") {
				switch {
				case strings.TrimSpace(part) == "":
					return errors.New("a name is required, with no slash at either end")
				case len([]rune(part)) > 80:
					return fmt.Errorf("%d characters: at most 80 are allowed", len([]rune(part)))
				case strings.ContainsAny(part, `\%`):
					return errors.New(`\ and % are not allowed`)
				}
			}
			return nil
		},
	})
	if err != nil {
		return next, err
	}
	fd.Folder = top + name
	items, err := w.below(ctx, s, vcenter.Folders, vcenter.Datacenters)
	if err != nil {
		return next, err
	}
	there := slices.ContainsFunc(items, func(it vcenter.Item) bool { return it.Path == fd.Folder })
	w.a.make(*v, fd.Folder, !there)
	return next, nil
}

const unreached = "not available on any host of the cluster"

// reachable is choosable, with objects that the cluster's hosts reach first and the others so
// marked.
func (w *wizard) reachable(ctx context.Context, s step, kind vcenter.Kind, what string) ([]vcenter.Item, error) {
	items, err := w.choosable(ctx, s, kind, what)
	if err != nil {
		return nil, err
	}
	cluster, err := w.at(ctx, s, vcenter.Clusters)
	if err != nil {
		return nil, err
	}
	var near, far []vcenter.Item
	for _, it := range items {
		if cluster.Reaches(&it) {
			near = append(near, it)
			continue
		}
		it.Note = unreached
		far = append(far, it)
	}
	return append(near, far...), nil
}

func (w *wizard) domainDatastore(ctx context.Context, s step) (step, error) {
	next := s.to("domain networks")
	items, err := w.reachable(ctx, s, vcenter.Datastores, "datastore")
	if err != nil {
		return next, err
	}
	fd := w.a.fd(s)
	_, ds, err := w.item(ctx, itemQuestion{
		message: fd.Name + ": datastore", items: items, cut: fd.DatacenterPath() + "/datastore/", current: fd.Datastore,
		help: "The datastore for the disks of the machines and for volumes.",
	})
	if err == nil {
		fd.Datastore = ds.Path
	}
	return next, err
}

func (w *wizard) domainNetworks(ctx context.Context, s step) (step, error) {
	next := s.to("domain template")
	found, err := w.reachable(ctx, s, vcenter.Networks, "network")
	if err != nil {
		return next, err
	}
	items := distinct(found)
	fd := w.a.fd(s)
	// Those chosen before come first: the filter does not show what is far down.
	slices.SortStableFunc(items, func(a, b vcenter.Item) int {
		return rank(slices.Contains(fd.Networks, a.Path)) - rank(slices.Contains(fd.Networks, b.Path))
	})
	chosen, err := some(ctx, w, Choices{
		Message: fd.Name + ": networks", Check: atLeastOne,
		Help: "Networks of the machines. Press space to select and Enter to continue. The first one has the API and ingress addresses.",
	}, items, func(it vcenter.Item) (Entry, bool) {
		return entry(it, fd.DatacenterPath()+"/network/"), slices.Contains(fd.Networks, it.Path)
	})
	if err != nil {
		return next, err
	}
	var networks []string
	for _, i := range chosen {
		networks = append(networks, items[i].Path)
	}
	// The order of before stays: the first network means something.
	slices.SortStableFunc(networks,
		func(a, b string) int { return before(fd.Networks, a) - before(fd.Networks, b) })
	fd.Networks = networks
	return next, nil
}

// distinct has one entry for networks of one path, of which NSX makes several: only the path is
// chosen.
func distinct(all []vcenter.Item) (items []vcenter.Item) {
	for _, it := range all {
		i := slices.IndexFunc(items, func(o vcenter.Item) bool { return o.Path == it.Path })
		switch {
		case i < 0:
			items = append(items, it)
		case it.Note != unreached:
			items[i].Note = "several of this path: OpenShift takes the first that the cluster lists"
		}
	}
	return items
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

func before(list []string, s string) int {
	if i := slices.Index(list, s); i >= 0 {
		return i
	}
	return len(list)
}

// domainTemplate first asks whether there is one: listing templates reads all virtual machines.
func (w *wizard) domainTemplate(ctx context.Context, s step) (step, error) {
	next := s.to("domain host group")
	fd := w.a.fd(s)
	i, err := w.choose(ctx, Choice{
		Message: fd.Name + ": template", Default: rank(fd.Template == ""),
		Help:    "The RHCOS template that machines are cloned from. Without one, the installer imports it.",
		Entries: simple("the installer imports one", "use an existing one"),
	})
	if err != nil {
		return next, err
	}
	if i == 0 {
		fd.Template = ""
		return next, nil
	}
	return s.to("domain which template"), nil
}

func (w *wizard) domainWhichTemplate(ctx context.Context, s step) (step, error) {
	next := s.to("domain host group")
	fd := w.a.fd(s)
	items, err := w.below(ctx, s, vcenter.Templates, vcenter.Datacenters)
	if err != nil {
		return next, err
	}
	if len(items) == 0 {
		w.o.Ask.Say("there is no template in " + fd.DatacenterPath() + ", so the installer imports one")
		fd.Template = ""
		return next, nil
	}
	_, template, err := w.item(ctx, itemQuestion{
		message: fd.Name + ": which template", items: items, cut: fd.DatacenterPath() + "/vm/", current: fd.Template,
		help: "Type part of a name to filter the list.",
	})
	if err == nil {
		fd.Template = template.Path
	}
	return next, err
}

func (w *wizard) domainHostGroup(ctx context.Context, s step) (step, error) {
	next := s.to("domain region")
	fd := w.a.fd(s)
	yes, err := w.confirm(ctx, Choice{
		Message: fd.Name + ": is the zone a host group?",
		Help:    "zoneType: HostGroup in the install-config. Machines are placed with host groups and affinity rules, which requires more privileges on the cluster.",
	}, fd.HostGroup)
	if err == nil {
		fd.HostGroup = yes
	}
	return next, err
}

// domainMore asks whether there is another failure domain on this vCenter.
func (w *wizard) domainMore(ctx context.Context, s step) (step, error) {
	next := step{name: "more", vc: s.vc}
	again := step{name: "domain name", vc: s.vc, fd: s.fd + 1}
	v := w.a.vc(s.vc)
	answered := s.fd+1 < len(v.FailureDomains)
	if w.a.known(knownServer(v.Server)) {
		if answered {
			return again, nil
		}
		return next, nil
	}
	before := ""
	if answered {
		before = v.FailureDomains[s.fd+1].Name
	}
	yes, err := w.another(ctx, Choice{
		Message: "another failure domain?", Entries: simple("no", "yes"), Help: "On " + v.Server + ". You are asked about other vCenters later.",
	}, before)
	if err != nil {
		return next, err
	}
	if yes {
		return again, nil
	}
	v.FailureDomains = v.FailureDomains[:s.fd+1]
	return next, nil
}
