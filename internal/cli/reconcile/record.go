package reconcile

import (
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// becomes is the new specification in place of wanted.
func (r *reconciling) becomes(wanted *spec.Spec) *job.State {
	s := r.State(func(s *spec.Spec) *spec.Spec {
		if r.Prune { // nothing is prepared any more
			s = s.Unprepared()
		}
		return s.Reconcile(r.Write)
	})
	s.Tell = func(done bool) {
		r.pasted = s.Paste(wanted.Whole(),
			": set these fields in the provisioning file so that apply keeps the changes:")
		switch {
		case !s.Changes:
		case done:
			r.Infof("updated %s; plan, apply and verify now use it", s.Path)
		default:
			r.Infof("%s would be updated", s.Path)
		}
	}
	return s
}

// kept refuses flags that decide missing privileges outside the file, which apply would remove.
func (o *Options) kept(flags *pflag.FlagSet) error {
	for _, name := range []string{"matrix", "conditions", "profile"} {
		if o.Connection.Source.File != "" && command.LevelOf(flags, name) == command.OfCommandLine {
			return hint.Wrap(command.BadFlag(name, "the provisioning file does not contain this, so the next apply would undo this reconciliation"), "write it to "+o.Connection.Source.File)
		}
	}
	return nil
}
