package reconcile

import (
	"bytes"
	"errors"

	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// reconciledRecord is the provisioning file, which keeps what a reconciliation came to.
type reconciledRecord struct {
	*command.Factory
	path    string // "" = there is no file to write
	why     string // why there is none, or why it is not written
	result  *reconcile.Result
	prune   bool // the list of releases that the accounts are ready for is cleared, too
	before  []byte
	changes bool // the file says something else so far
}

func (o *Options) record(result *reconcile.Result) *reconciledRecord {
	r := &reconciledRecord{Factory: o.Factory, path: o.Connection.Source.File, result: result, prune: o.Prune}
	if r.path == "" || r.path == "-" {
		r.path, r.why = "", "no provisioning file is given (-f)"
	}
	return r
}

// look finds out whether the file will change, and whether it can.
func (r *reconciledRecord) look() (err error) {
	if r.path == "" {
		return nil
	}
	if r.before, err = files.Read(r.path, files.Text); err != nil {
		return err
	}
	after, err := r.edited()
	if errors.Is(err, spec.ErrNotEdited) {
		r.why, r.path = r.path+" cannot be edited automatically", ""
		return nil
	}
	r.changes = !bytes.Equal(r.before, after)
	return err
}

// edited is the file as it becomes.
func (r *reconciledRecord) edited() ([]byte, error) {
	after, err := spec.SetReconciled(r.path, r.before, r.result.Write)
	if err != nil || !r.prune {
		return after, err
	}
	return spec.ClearReconciledUpdates(r.path, after)
}

// Pending implements [job.Record].
func (r *reconciledRecord) Pending() string {
	if !r.changes {
		return ""
	}
	return r.path
}

// Write puts it into the file, whole or not at all, before any vCenter is changed: apply keeps what the file says, and
// completes it. A file that somebody has changed since it was read is left alone.
func (r *reconciledRecord) Write() error {
	if !r.changes {
		return nil
	}
	now, err := files.Read(r.path, files.Text)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, r.before) {
		return hint.Errorf("run it again", "%s changed meanwhile; nothing was done", r.path)
	}
	after, err := r.edited()
	if err != nil {
		return err
	}
	return hint.Wrap(command.Rewrite(r.path, after), "nothing was done on the vCenters")
}

// Tell says what the file says now, or has to say.
func (r *reconciledRecord) Tell(done bool) {
	switch {
	case r.path == "" && r.silent():
	case r.path == "":
		r.Infof("%s: set these fields in the provisioning file so that apply keeps the changes:", r.why)
		r.lines()
	case !r.changes:
	case done:
		r.Infof("updated %s; plan, apply and verify now use it", r.path)
	default:
		r.Infof("%s would be updated", r.path)
	}
}

// silent reports whether there is nothing to say.
func (r *reconciledRecord) silent() bool {
	w := r.result.Write
	return len(r.result.Gone)+len(r.result.Add)+len(w.Name)+len(w.Drop) == 0 && w.Matrix == ""
}

// lines are what somebody has to write, as it is pasted: they are not broken, and stand at the beginning of the line.
func (r *reconciledRecord) lines() {
	for _, line := range r.result.Spec.Whole().ReconciledLines(r.result.Write) {
		term.Fprintf(r.Err, "%s\n", line)
	}
	if len(r.result.Gone) > 0 && len(r.result.Write.Added) == 0 {
		r.Infof("nothing below privileges.added")
	}
}

// kept refuses what decides which privileges are missing and does not stand in the provisioning file: the next apply would not
// know it, and take away what was added.
func (o *Options) kept(flags *pflag.FlagSet) error {
	for _, name := range []string{"matrix", "conditions", "profile"} {
		if o.Connection.Source.File != "" && command.LevelOf(flags, name) == command.OfCommandLine {
			return hint.Wrap(command.BadFlag(name, "the provisioning file does not contain this, so the next apply would undo this reconciliation"), "write it to "+o.Connection.Source.File)
		}
	}
	return nil
}
