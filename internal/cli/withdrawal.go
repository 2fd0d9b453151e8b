package cli

import (
	"bytes"
	"errors"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// withdrawal takes back that the accounts are ready for releases. Before their rights go, no file may call them ready.
type withdrawal struct {
	*Factory
	path     string   // of the provisioning file; "" = there is none to write
	why      string   // why there is none, or why it is not written
	versions []string // that it records; none where there is no file, which does not tell that nobody recorded one
}

func (w *work) withdrawal() *withdrawal {
	x := &withdrawal{Factory: w.Factory, path: w.Connection.Source.File}
	switch x.path {
	case "":
		x.why = "no provisioning file is given (-f)"
	case "-":
		x.path, x.why = "", "the provisioning file is standard input"
	}
	for _, r := range w.wanted.ReconciledUpdates {
		x.versions = append(x.versions, r.Version)
	}
	return x
}

// write clears the list in the file, whole or not at all, and says so. Where another write has cleared it already, it only says so.
func (x *withdrawal) write() error {
	if x.path != "" {
		err := x.clear()
		switch {
		case errors.Is(err, spec.ErrNotEdited):
			x.why, x.path = x.path+" cannot be edited automatically", ""
		case err != nil:
			return hint.Wrap(err, "nothing was done on the vCenters: it has to be written first, to remove reconciledAvailableUpdates")
		}
	}
	x.tell(true)
	return nil
}

func (x *withdrawal) clear() error {
	before, err := files.Read(x.path, files.Text)
	if err != nil {
		return err
	}
	after, err := spec.ClearReconciledUpdates(x.path, before)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	return rewrite(x.path, after)
}

// tell says what the file says now, or has to say, and what the cluster has to be told.
func (x *withdrawal) tell(done bool) {
	versions := strings.Join(x.versions, ", ")
	switch {
	case x.path != "" && versions == "":
		return
	case !done && versions != "":
		x.Infof("the provisioning file would no longer record %s as reconciled", versions)
	case !done:
	case x.path == "" && versions == "":
		x.Infof("%s: remove reconciledAvailableUpdates from your provisioning file", x.why)
	case x.path == "":
		x.Infof("%s: remove reconciledAvailableUpdates from your provisioning file, which records %s", x.why, versions)
	default:
		x.Infof("%s no longer records %s as reconciled", x.path, versions)
	}
	if done {
		x.Infof("if the cluster was told that it may upgrade, take that back too:")
		x.next(openshift.NoUpgradeableTo)
		x.next(openshift.ReconciledPatch(nil))
	}
}
