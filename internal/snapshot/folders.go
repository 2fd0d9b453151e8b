package snapshot

import (
	"fmt"
	"path"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// MissingError carries a path that does not exist until somebody has the time to look for the nearest one.
type MissingError struct{ Path string }

func (e *MissingError) Error() string { return "there is no " + e.Path }

// missing is the error for a path that does not exist; plan adds what is near.
func (s *Snapshot) missing(p string) error {
	return fmt.Errorf("%s: %w", s.VCenter.Server, &MissingError{Path: p})
}

// NewFolder is a folder that has to be made. Its object has no reference until then.
type NewFolder struct {
	*plan.Change
	Object *inventory.Object
}

// folder is a VM folder: one that exists, one that is going to be made, or an error.
func (t *topology) folder(p string) *inventory.Object {
	if t.Inventory.At(p) != nil {
		return t.at(p, "folder", folders)
	}
	if !t.CreateFolders {
		t.fail(hint.Wrap(t.missing(p), "--create-folders creates it"))
		return nil
	}
	if o := t.made[p]; o != nil {
		return o
	}
	parent := t.folder(path.Dir(p))
	if parent == nil {
		return nil
	}
	o := &inventory.Object{Ref: inventory.Ref{Type: "Folder"}, Name: path.Base(p), Parent: parent}
	t.made[p] = o
	t.folders = append(t.folders, NewFolder{&plan.Change{
		Verb: plan.Create, Kind: plan.Folder, Name: p,
		Provides: plan.Key(t.VCenter.Server, plan.Folder, p),
		Needs:    []string{plan.Key(t.VCenter.Server, plan.Folder, parent.Path())},
	}, o})
	return o
}

// FolderChanges are the changes that make the folders.
func (d *Desired) FolderChanges() []*plan.Change {
	var all []*plan.Change
	for _, f := range d.Folders {
		all = append(all, f.Change)
	}
	return all
}
