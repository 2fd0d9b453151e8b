package credfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

const (
	displacedSuffix  = ".displaced"
	displacedVersion = "ocp-vsphere-admin/v1"
)

// Former is another administrator's permission of an adopted principal that ours replaced, since a
// principal has one permission on an object. It holds no password.
type Former struct {
	InstanceUUID string `json:"instanceUUID"` // of the vCenter; names and addresses may change
	Server       string `json:"server"`       // for people
	Object       string `json:"object"`       // managed object reference, "Folder:group-v3"
	Path         string `json:"path"`         // of the object, for people
	Principal    string `json:"principal"`    // as the vCenter spells it
	Group        bool   `json:"group,omitempty"`
	Role         string `json:"role"`
	Propagate    bool   `json:"propagate"`
}

// Displaced lists the permissions that a cluster's displaced: `<path>.displaced`, JSON, 0600.
type Displaced struct {
	Same func(principal string) string // key of a principal in any spelling; default lower case

	path    string
	cluster string
	found   bool // whether there is a record of the cluster at all
	all     displacedFile
}

func (d *Displaced) at(f, o Former) bool {
	return f.InstanceUUID == o.InstanceUUID && f.Object == o.Object && f.Group == o.Group &&
		d.Same(f.Principal) == d.Same(o.Principal)
}

type displacedFile struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Clusters   map[string][]Former `json:"clusters"`
}

// OpenDisplaced reads the record of a cluster beside the file at path; a missing one is empty.
func OpenDisplaced(path, cluster string) (*Displaced, error) {
	d := &Displaced{Same: strings.ToLower, path: RecordPath(path), cluster: cluster}
	d.all = displacedFile{APIVersion: displacedVersion, Kind: "Displaced", Clusters: map[string][]Former{}}
	text, found, err := load(d.path)
	if err != nil || !found {
		return d, err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d.all); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w: it records displaced permissions: restore it, or move it away to give up restoring them", d.path, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) || d.all.APIVersion != displacedVersion {
		return nil, fmt.Errorf("%s is not a record of apiVersion %s: move it away to give up restoring displaced permissions", d.path, displacedVersion)
	}
	if d.all.Clusters == nil {
		d.all.Clusters = map[string][]Former{}
	}
	_, d.found = d.all.Clusters[cluster]
	return d, nil
}

// Path is where the record is.
func (d *Displaced) Path() string { return d.path }

// RecordPath is where the record beside a credentials file is.
func RecordPath(credentials string) string { return credentials + displacedSuffix }

// OfRecord is the credentials file of a record, or name itself if it is of none.
func OfRecord(name string) (credentials string, recorded bool) {
	return strings.CutSuffix(name, displacedSuffix)
}

// Found reports whether the cluster has a record. Without one the displaced permissions are
// unknown.
func (d *Displaced) Found() bool { return d.found }

// Get finds what stood on the object of a permission before; only the fields that say where matter.
func (d *Displaced) Get(where Former) (Former, bool) {
	for _, f := range d.all.Clusters[d.cluster] {
		if d.at(f, where) {
			return f, true
		}
	}
	return Former{}, false
}

// Names reports whether a record of any cluster names a role on a vCenter, so that it has to stay.
// Nil names none.
func (d *Displaced) Names(instanceUUID, role string) bool {
	if d == nil {
		return false
	}
	for _, all := range d.all.Clusters {
		if slices.ContainsFunc(all,
			func(f Former) bool { return f.InstanceUUID == instanceUUID && f.Role == role }) {
			return true
		}
	}
	return false
}

// On lists what is recorded of a vCenter; nil has nothing.
func (d *Displaced) On(instanceUUID string) (all []Former) {
	if d == nil {
		return nil
	}
	for _, f := range d.all.Clusters[d.cluster] {
		if f.InstanceUUID == instanceUUID {
			all = append(all, f)
		}
	}
	return all
}

// Put records what is going to be displaced; the record of the same place before is replaced.
func (d *Displaced) Put(f Former) {
	d.Remove(f)
	d.all.Clusters[d.cluster] = append(d.all.Clusters[d.cluster], f)
}

// Remove forgets what stood at a place.
func (d *Displaced) Remove(where Former) {
	d.drop(func(f Former) bool { return d.at(f, where) })
}

// Clear forgets everything on one vCenter.
func (d *Displaced) Clear(instanceUUID string) {
	d.drop(func(f Former) bool { return f.InstanceUUID == instanceUUID })
}

func (d *Displaced) drop(which func(Former) bool) {
	if list, ok := d.all.Clusters[d.cluster]; ok {
		d.all.Clusters[d.cluster] = slices.DeleteFunc(list, which)
	}
}

// Begin makes the cluster's record, empty, so that a missing one is known to be lost.
func (d *Displaced) Begin() {
	if _, ok := d.all.Clusters[d.cluster]; !ok {
		d.all.Clusters[d.cluster] = []Former{}
	}
}

// End forgets the cluster, unless something is still displaced.
func (d *Displaced) End() {
	if len(d.all.Clusters[d.cluster]) == 0 {
		delete(d.all.Clusters, d.cluster)
	}
}

// Save writes the record if it changed, or removes one without a cluster. Call it with the [Lock]
// of the credentials file held.
func (d *Displaced) Save() error {
	var text []byte
	if len(d.all.Clusters) > 0 {
		var err error
		if text, err = json.MarshalIndent(d.all, "", "  "); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	before, _, err := load(d.path)
	if err == nil && before != string(text) {
		err = d.write(text)
	}
	if err != nil {
		return fmt.Errorf("%s, which records what permissions displace, cannot be written: %w", d.path, err)
	}
	_, d.found = d.all.Clusters[d.cluster]
	return nil
}

func (d *Displaced) write(text []byte) error {
	dir := filepath.Dir(d.path)
	err := MakeDir(dir)
	switch {
	case err != nil:
	case len(text) == 0:
		err = os.Remove(d.path)
	default:
		err = files.WritePrivate(d.path, text)
	}
	if err == nil {
		err = syncDir(dir)
	}
	return cause(err)
}
