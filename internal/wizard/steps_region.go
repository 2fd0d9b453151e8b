package wizard

import (
	"cmp"
	"context"
	"errors"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// noRegion is the answer that leaves region and zone out.
const noRegion = "none"

// domainRegion asks for the region, and offers region and zone of the tags.
func (w *wizard) domainRegion(ctx context.Context, s step) (step, error) {
	next := s.to("domain zone")
	fd := w.a.fd(s)
	if fd.Region == "" && fd.Zone == "" {
		err := w.readTags(ctx, s)
		if lost := (*lostError)(nil); errors.As(err, &lost) {
			return next, err
		}
		if err != nil { // who may not read tags types the names
			w.explain(err)
		}
	}
	text, err := w.line(ctx, Line{
		Message: fd.Name + ": region", Default: cmp.Or(fd.Region, noRegion),
		Help: "The region of the install-config: a tag of category openshift-region on the datacenter. " +
			"With a region you are asked for the zone. openshift-install requires both of several failure domains; " +
			"apply --create-tags makes the tags. To leave both out: " + noRegion + ".",
	})
	switch {
	case err != nil:
		return next, err
	case text == noRegion:
		fd.Region, fd.Zone = "", ""
		return s.to("domain more"), nil
	}
	fd.Region = text
	return next, nil
}

func (w *wizard) domainZone(ctx context.Context, s step) (step, error) {
	next := s.to("domain more")
	fd := w.a.fd(s)
	text, err := w.line(ctx, Line{
		Message: fd.Name + ": zone", Default: fd.Zone,
		Help: "The zone of the install-config: a tag of category openshift-zone on the cluster, or on the hosts of a host group.",
		Check: func(text string) error {
			if text == "" {
				return errors.New("a zone is required, because there is a region")
			}
			return nil
		},
	})
	if err == nil {
		fd.Zone = text
	}
	return next, err
}

// readTags takes region and zone of a failure domain from the tags of its cluster, or above it. They
// are read once for each cluster. A lostError is a vCenter that does not answer.
func (w *wizard) readTags(ctx context.Context, s step) error {
	fd := w.a.fd(s)
	site, err := w.site(s.vc)
	if err != nil {
		return err
	}
	found, read := site.tags[fd.ComputeCluster]
	if !read {
		done := w.o.Ask.Busy("reading the tags of " + site.v.Server)
		found, err = site.tagsOf(ctx, s.vc, fd.ComputeCluster)
		done()
		if err != nil {
			return err
		}
		site.tags[fd.ComputeCluster] = found
	}
	fd.Region, fd.Zone = found[tags.Region], found[tags.Zone]
	return nil
}

func (s *site) tagsOf(ctx context.Context, vc int, path string) (map[string]string, error) {
	inv, err := s.session.Find(ctx, []string{path})
	if err != nil {
		return nil, &lostError{vc, err}
	}
	if inv.At(path) == nil {
		return nil, nil //nolint:nilnil // it has no tags
	}
	state, err := tags.Read(ctx, s.session, []*inventory.Object{inv.At(path)})
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, category := range tags.Categories() {
		if on := state.At(inv.At(path), category); len(on) > 0 {
			found[category] = on[0].Name
		}
	}
	return found, nil
}
