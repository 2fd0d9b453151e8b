package reconcile

import (
	"bytes"
	"errors"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// updateRecord keeps in the provisioning file which releases the accounts are ready for.
type updateRecord struct {
	*command.Factory
	path string        // "" = there is no file to write
	why  string        // why there is none, or why it is not written
	part string        // why the run was not about all that a release needs; "" = it was
	add  []release.Ref // in order
}

// update is what a run says of releases: that the accounts are ready for those whose image is known.
func (r *reconciling) update() *updateRecord {
	source := r.Connection.Source
	u := &updateRecord{Factory: r.Factory, path: source.File}
	for _, n := range r.next {
		if n.Image != "" {
			u.add = append(u.add, n.Ref)
		}
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

// versions names the releases.
func (u *updateRecord) versions() string {
	var all []string
	for _, r := range u.add {
		all = append(all, r.Version)
	}
	return strings.Join(all, ", ")
}

// are and were are the releases as the subject of a sentence.
func (u *updateRecord) are() string {
	if len(u.add) == 1 {
		return u.versions() + " is"
	}
	return u.versions() + " are"
}

func (u *updateRecord) were() string {
	if len(u.add) == 1 {
		return u.versions() + " was"
	}
	return u.versions() + " were"
}

// write puts them into the file, all or none, and says so.
func (u *updateRecord) write() error {
	switch {
	case len(u.add) == 0:
		return nil
	case u.part != "":
		u.Warnf("%s not recorded as reconciled: %s limited this run", u.are(), u.part)
		return nil
	}
	for _, r := range u.add {
		if !r.Digested() {
			u.Warnf("--image is a tag, which can be moved to another image: 'oc adm release info %s' shows the digest", r.Image)
		}
	}
	var added, had []release.Ref
	if u.path != "" {
		var err error
		if added, had, err = u.edit(); errors.Is(err, spec.ErrNotEdited) {
			u.why, u.path = u.path+" cannot be edited automatically", ""
		} else if err != nil {
			return err
		}
	}
	u.tell(added, had)
	return nil
}

// edit writes the file, and gives the releases that it has now and those that it had.
func (u *updateRecord) edit() (added, had []release.Ref, err error) {
	before, err := files.Read(u.path, files.Text)
	if err != nil {
		return nil, nil, err
	}
	data := before
	for _, r := range u.add {
		after, err := spec.AddReconciledUpdate(u.path, data, r)
		switch {
		case err != nil:
			return nil, nil, err
		case bytes.Equal(data, after):
			had = append(had, r)
		default:
			added = append(added, r)
		}
		data = after
	}
	if len(added) == 0 {
		return nil, had, nil
	}
	return added, had, command.Rewrite(u.path, data)
}

// tell says what the file says now, or has to say.
func (u *updateRecord) tell(added, had []release.Ref) {
	if u.path == "" {
		u.Infof("%s: keep these lines, 'reconcile status' reads them", u.why)
		for _, line := range spec.ReconciledUpdateLines(u.add) {
			u.Infof("  %s", line)
		}
		return
	}
	for _, r := range added {
		u.Infof("%s records %s as reconciled", u.path, r.Version)
	}
	for _, r := range had {
		u.Infof("%s already records %s as reconciled", u.path, r.Version)
	}
}
