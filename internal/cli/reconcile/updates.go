package reconcile

import (
	"bytes"
	"errors"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// updateRecord keeps in the provisioning file which releases the accounts are ready for.
type updateRecord struct {
	*command.Factory
	path string       // "" = there is no file to write
	why  string       // why there is none, or why it is not written
	part string       // why the run was not about all that a release needs; "" = it was
	add  *release.Ref // nil = none
}

// update is what a run says of releases: with --image that the accounts are ready for one.
func (o *Options) update() *updateRecord {
	source := o.Connection.Source
	u := &updateRecord{Factory: o.Factory, path: source.File}
	if o.Image != "" {
		u.add = &release.Ref{Version: o.Releases.Version, Image: o.Image}
	}
	if u.path == "" || u.path == "-" {
		u.path, u.why = "", "no provisioning file is given (-f)"
	}
	switch {
	case len(source.VCenters) > 0 && source.NamesCluster():
		u.part = "--vcenters"
	case len(source.Components) > 0:
		u.part = "--components"
	}
	return u
}

// checkImage refuses half of what names a release.
func (o *Options) checkImage() error {
	switch {
	case o.Image == "":
		return nil
	case o.Releases.Version == "":
		return hint.Errorf("add --release VERSION", "--image: --release is required")
	}
	if err := release.CheckVersion(o.Releases.Version); err != nil {
		return command.BadFlag("release", "with --image: %s %w", o.Releases.Version, err)
	}
	if err := release.CheckImage(o.Image); err != nil {
		return command.BadFlag("image", "%w", err)
	}
	return nil
}

// write puts it into the file, whole or not at all, and says so.
func (u *updateRecord) write() error {
	switch {
	case u.add == nil:
		return nil
	case u.part != "":
		u.Warnf("%s is not recorded as reconciled: %s limited this run", u.add.Version, u.part)
		return nil
	case !u.add.Digested():
		u.Warnf("--image is a tag, which can be moved to another image: 'oc adm release info %s' shows the digest", u.add.Image)
	}
	changed, err := false, error(nil)
	if u.path != "" {
		changed, err = u.edit()
		if errors.Is(err, spec.ErrNotEdited) {
			u.why, u.path, err = u.path+" cannot be edited automatically", "", nil
		}
	}
	if err == nil {
		u.tell(changed)
	}
	return err
}

func (u *updateRecord) edit() (changed bool, err error) {
	before, err := files.Read(u.path, files.Text)
	if err != nil {
		return false, err
	}
	after, err := spec.AddReconciledUpdate(u.path, before, *u.add)
	if err != nil || bytes.Equal(before, after) {
		return false, err
	}
	return true, command.Rewrite(u.path, after)
}

// tell says what the file says now, or has to say.
func (u *updateRecord) tell(changed bool) {
	switch {
	case u.path == "":
		u.Infof("%s: keep these lines, 'reconcile status' reads them", u.why)
		for _, line := range spec.ReconciledUpdateLines([]release.Ref{*u.add}) {
			u.Infof("  %s", line)
		}
	case changed:
		u.Infof("%s records %s as reconciled", u.path, u.add.Version)
	default:
		u.Infof("%s already records %s as reconciled", u.path, u.add.Version)
	}
}
