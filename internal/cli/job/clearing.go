package job

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// clearing takes the list of releases that the accounts are ready for out of the specification, whatever the plan is: before their rights
// go, no file may call them ready. Where another write has cleared it already, it only says so.
func (w *Run) clearing() *State {
	s := w.State((*spec.Spec).Unprepared)
	var recorded []string // as far as is known: without a file somebody may have kept the list elsewhere
	for _, r := range w.Wanted.ReconciledUpdates {
		recorded = append(recorded, r.Version)
	}
	versions := strings.Join(recorded, ", ")
	s.Tell = func(done bool) {
		switch {
		case s.Why == "" && versions == "":
			return
		case !done:
			if versions != "" {
				s.Infof("the specification would no longer record %s as reconciled", versions)
			}
			return
		case s.Why == "":
			s.Infof("%s no longer records %s as reconciled", s.Path, versions)
		case versions != "":
			s.Infof("%s: remove reconciledAvailableUpdates (%s) from your provisioning file", s.Why, versions)
		default:
			s.Infof("%s: remove reconciledAvailableUpdates from your provisioning file", s.Why)
		}
		s.Infof("if the cluster was told that it may upgrade, take that back too:")
		s.Next(release.NoUpgradeableTo())
		s.Next(release.ReconciledPatch(nil))
	}
	return s
}
