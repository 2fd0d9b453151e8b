package job

import (
	"bytes"
	"errors"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// clearing takes the list of releases that the accounts are ready for out of the provisioning file: before their rights go, no file
// may call them ready.
type clearing struct {
	*command.Factory
	path     string   // "" = there is no file to write
	why      string   // why there is none, or why it is not written
	versions []string // that are recorded, as far as is known: without a file somebody may have kept the list elsewhere
}

// clearing is that of a run which takes the list out whatever its plan is.
func (w *Run) clearing() *clearing {
	c := &clearing{Factory: w.Factory, path: w.Connection.Source.File}
	switch c.path {
	case "":
		c.why = "no provisioning file is given (-f)"
	case "-":
		c.path, c.why = "", "the provisioning file is standard input"
	}
	for _, r := range w.Wanted.ReconciledUpdates {
		c.versions = append(c.versions, r.Version)
	}
	return c
}

// write clears the list in the file, whole or not at all, and says so. Where another write has cleared it already, it only says so.
func (c *clearing) write() error {
	if c == nil {
		return nil
	}
	if c.path != "" {
		err := c.edit()
		switch {
		case errors.Is(err, spec.ErrNotEdited):
			c.why, c.path = c.path+" cannot be edited automatically", ""
		case err != nil:
			return hint.Wrap(err, "nothing was done on the vCenters: reconciledAvailableUpdates has to be removed from this file first")
		}
	}
	c.tell(true)
	return nil
}

func (c *clearing) edit() error {
	before, err := files.Read(c.path, files.Text)
	if err != nil {
		return err
	}
	after, err := spec.ClearReconciledUpdates(c.path, before)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	return command.Rewrite(c.path, after)
}

// tell says what the file says now, or has to say, and what the cluster has to be told.
func (c *clearing) tell(done bool) {
	if c == nil || c.path != "" && len(c.versions) == 0 {
		return
	}
	versions := strings.Join(c.versions, ", ")
	if !done {
		if versions != "" {
			c.Infof("the provisioning file would no longer record %s as reconciled", versions)
		}
		return
	}
	switch {
	case c.path != "":
		c.Infof("%s no longer records %s as reconciled", c.path, versions)
	case versions != "":
		c.Infof("%s: remove reconciledAvailableUpdates (%s) from your provisioning file", c.why, versions)
	default:
		c.Infof("%s: remove reconciledAvailableUpdates from your provisioning file", c.why)
	}
	c.Infof("if the cluster was told that it may upgrade, take that back too:")
	c.Next(release.NoUpgradeableTo())
	c.Next(release.ReconciledPatch(nil))
}
