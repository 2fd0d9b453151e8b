package reconcile

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

type updates struct {
	add  []release.Ref // whose image is known, in order
	part string        // why the run was not about all that a release needs; "" = it was
}

func (r *reconciling) updates() (u updates) {
	for _, n := range r.next {
		if n.Image != "" {
			u.add = append(u.add, n.Ref)
		}
	}
	switch source := r.Connection.Source; {
	case len(source.VCenters) > 0 && source.NamesCluster():
		u.part = "--vcenters"
	case len(source.Components) > 0:
		u.part = "--components"
	}
	return u
}

// subject are the releases as the subject of a sentence, with its verb for one or for several.
func (u updates) subject(one, several string) string {
	if len(u.add) == 1 {
		return u.add[0].Version + " " + one
	}
	var all []string
	for _, r := range u.add {
		all = append(all, r.Version)
	}
	return strings.Join(all, ", ") + " " + several
}

// record records the prepared releases, all or none, and prints it.
func (r *reconciling) record(u updates) error {
	switch {
	case len(u.add) == 0:
		return nil
	case r.pasted:
		r.Warnf("%s not recorded as reconciled: add the lines above to the provisioning file first, or the next apply removes what was added", u.subject("is", "are"))
		return nil
	case u.part != "":
		r.Warnf("%s not recorded as reconciled: %s limited this run", u.subject("is", "are"), u.part)
		return nil
	}
	for _, n := range u.add {
		if !n.Digested() {
			r.Warnf("--image is a tag, which can be moved to another image: 'oc adm release info %s' shows the digest", n.Image)
		}
	}
	s := r.State(func(s *spec.Spec) *spec.Spec {
		for _, n := range u.add {
			s = s.Prepare(n)
		}
		return s
	})
	s.Tell = func(bool) {
		if s.Paste(r.Spec.Whole(), ": keep these lines, 'reconcile status' reads them"); s.Why != "" {
			return
		}
		for _, n := range u.add {
			had := slices.Contains(r.Spec.ReconciledUpdates, n)
			records := map[bool]string{true: "already records", false: "records"}[had]
			r.Infof("%s %s %s as reconciled", s.Path, records, n.Version)
		}
	}
	return s.Record()
}
