package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// KindState is the kind of a state file.
const KindState = "State"

// stateEnd ends the name of a state file.
const stateEnd = ".state.yaml"

// state is a state file: what this tool records, which goes before the provisioning file.
type state struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Cluster    string `yaml:"cluster"`
	Privileges struct {
		Matrix string             `yaml:"matrix,omitempty"`
		Added  []privileges.Added `yaml:"added,omitempty"` // behind those of the provisioning file
	} `yaml:"privileges,omitempty"`
	Components map[component.Name]recorded `yaml:"components,omitempty"`
	Reconciled *[]release.Ref              `yaml:"reconciledAvailableUpdates,omitempty"`
}

// recorded is what a state file says of a component; nil leaves it to the provisioning file.
type recorded struct {
	Named    *bool `yaml:"named,omitempty"` // whether the specification names it
	Disabled *bool `yaml:"disabled,omitempty"`
}

// StatePath is the path of the state file of a provisioning file: prod.state.yaml beside prod.yaml.
// Where the path is a link, it is beside what that leads to.
func StatePath(path string) string {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
	}
	return strings.TrimSuffix(strings.TrimSuffix(path, ".yaml"), ".yml") + stateEnd
}

// onDisk is a provisioning file and its state file, as they were read.
type onDisk struct {
	path        string
	own, beside []byte // beside is nil where there is no state file
}

func readFiles(path string) (d onDisk, err error) {
	d.path = path
	if d.own, err = files.UTF8(files.Read(path, files.Text)); err != nil {
		return d, err
	}
	d.beside, err = files.UTF8(files.Read(StatePath(path), files.Text, files.Regular))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return d, err
}

// parse gives what both files say, and what the provisioning file says alone.
func (o onDisk) parse() (whole, own *Spec, err error) {
	if own, err = Parse(o.path, o.own); err != nil {
		return nil, nil, err
	}
	whole = new(*own)
	whole.Privileges.Own = own.Privileges.Added
	if o.beside != nil {
		err = whole.layOver(StatePath(o.path), o.beside)
	}
	return whole, own, err
}

// Edit is a change of what a specification says, which is recorded in its state file.
type Edit struct {
	Path    string // of the state file
	Changes bool   // it says something else so far
	Text    []byte // what it says then

	read onDisk
}

// NewEdit finds out what the state file of the provisioning file at path has to say for both to say
// what change makes of the specification.
func NewEdit(path string, change func(*Spec) *Spec) (e Edit, err error) {
	if e.read, err = readFiles(path); err != nil {
		return e, err
	}
	before, own, err := e.read.parse()
	if err != nil {
		return e, err
	}
	want := change(before)
	own.Privileges.Added = before.Privileges.Own // what the state file has, too, is as that says it
	e.Path, e.Text = StatePath(path), stateOf(own, want).text(path)
	e.Changes = !bytes.Equal(before.plain(), want.plain())
	again, _, err := onDisk{path, e.read.own, e.Text}.parse()
	if err == nil && !bytes.Equal(again.plain(), want.plain()) {
		remove := fmt.Sprintf("remove from %s the entries of privileges.added that are in both", path)
		err = hint.Errorf(remove, "%s cannot say this beside %s", e.Path, path)
	}
	return e, err
}

// Stale reports whether one of the two files is not as it was read.
func (e Edit) Stale() bool {
	now, err := readFiles(e.read.path)
	return err != nil || !reflect.DeepEqual(now, e.read)
}

// plain is the specification with its components written out.
func (s *Spec) plain() []byte {
	out := *s
	out.Components = s.with()
	return out.YAML()
}

// layOver puts what a state file says over what the provisioning file says. A privilege that both
// add at one place is as the state file says.
func (s *Spec) layOver(name string, data []byte) error {
	st, err := parseState(name, data)
	if err != nil {
		return hint.Wrap(err, "bring the file back from version control, or move it away")
	}
	if st.Cluster != s.Cluster {
		remedy := "if the cluster was given another name, write it into that file; else move the file away"
		return hint.Errorf(remedy, "%s is the state of cluster %s, not of %s", name, st.Cluster, s.Cluster)
	}
	if st.Privileges.Matrix != "" {
		s.Privileges.Matrix = st.Privileges.Matrix
	}
	s.Privileges.Own = nil
	for _, a := range s.Privileges.Added {
		for _, b := range st.Privileges.Added {
			if b.Component == a.Component && b.Scope == a.Scope && b.Propagate == a.Propagate {
				a.Privileges = lists.Without(a.Privileges, b.Privileges)
			}
		}
		if len(a.Privileges) > 0 {
			s.Privileges.Own = append(s.Privileges.Own, a)
		}
	}
	s.Privileges.Added = slices.Concat(s.Privileges.Own, st.Privileges.Added)
	if len(st.Components) > 0 {
		s.Components = s.with()
	}
	for c, of := range st.Components {
		have, named := s.Components[c]
		if of.Named != nil {
			named = *of.Named
		}
		if of.Disabled != nil {
			have.Disabled = *of.Disabled
		}
		if delete(s.Components, c); named {
			s.Components[c] = have
		}
	}
	if st.Reconciled != nil {
		s.ReconciledUpdates = *st.Reconciled
	}
	for _, c := range s.named() {
		of := s.Components[c]
		if of.Disabled && s.unused(c) != "" { // it has an account under another profile
			of.Disabled = false
			s.Components[c] = of
		}
		if err := s.CheckDisabled(c); of.Disabled && err != nil {
			return hint.Errorf("remove that line from the file",
				"%s: components.%s.disabled cannot be set: %w", name, c, err)
		}
	}
	return nil
}

func parseState(name string, data []byte) (st state, err error) {
	r := &reader{Reader: yamldoc.New(name, yamldoc.Rules{Closed: true, Unknown: noCredentials})}
	root := r.Document(data)
	if root == nil {
		return st, r.Err()
	}
	known := Fields()
	fields := []string{"apiVersion", "kind", "cluster", "privileges", "components", reconciledField}
	o := r.Object(root, yamldoc.Place{Line: 1}, fields...)
	r.header(o, KindState)
	cluster := o.Text("cluster")
	r.require(cluster)
	st.Cluster = cluster.Value
	in := o.Object("privileges", "matrix", "added")
	if matrix := in.Text("matrix"); matrix.Value != "" {
		st.Privileges.Matrix = r.matrix(matrix)
	}
	st.Privileges.Added = r.added(in, known.Field("privileges").Field("added"))
	components := o.Object("components", known.Field("components").Keys()...)
	st.Components = map[component.Name]recorded{}
	for _, c := range components.Names {
		of := components.Object(c, "named", "disabled")
		st.Components[component.Name(c)] = recorded{of.Maybe("named"), of.Maybe("disabled")}
	}
	if list := release.ReadReconciled(r.Reader, o); o.Given(reconciledField) {
		st.Reconciled = &list
	}
	return st, r.Err()
}

// stateOf is what a state file adds to the provisioning file own, so that both say want.
func stateOf(own, want *Spec) *state {
	st := &state{APIVersion: APIVersion, Kind: KindState, Cluster: own.Cluster}
	st.Components = map[component.Name]recorded{}
	if want.Privileges.Matrix != own.Privileges.Matrix {
		st.Privileges.Matrix = want.Privileges.Matrix
	}
	st.Privileges.Added = privileges.Others(want.Privileges.Added, own.Privileges.Added)
	for _, c := range component.Names() {
		var of recorded
		if named := want.Has(c); named != own.Has(c) {
			of.Named = &named
		}
		if disabled := want.Components[c].Disabled; want.Has(c) && disabled != own.Components[c].Disabled {
			of.Disabled = &disabled
		}
		if of != (recorded{}) {
			st.Components[c] = of
		}
	}
	if !slices.Equal(want.ReconciledUpdates, own.ReconciledUpdates) {
		st.Reconciled = &want.ReconciledUpdates
	}
	return st
}

// text is the state file beside the provisioning file at path.
func (s *state) text(path string) []byte {
	const head = "# ocp-vsphere-admin writes this file. Keep it in version control, beside %s.\n"
	return append(fmt.Appendf(nil, head, filepath.Base(path)), encoded(s)...)
}
