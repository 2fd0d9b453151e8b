package job

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// clearing takes the list of prepared releases out of the specification: before rights go, no file may
// call the accounts ready. Where another write has cleared it already, it only says so.
func (w *Run) clearing() *State {
	s := w.State((*spec.Spec).Unprepared)
	var recorded []string // as far as is known: without a file the list may be kept elsewhere
	for _, r := range w.Wanted.ReconciledUpdates {
		recorded = append(recorded, r.Version)
	}
	versions := strings.Join(recorded, ", ")
	s.Tell = func(done bool) {
		switch {
		case versions == "" && (s.Why == "" || !done):
			return
		case !done:
			s.Infof("the specification would no longer record %s as reconciled", versions)
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
