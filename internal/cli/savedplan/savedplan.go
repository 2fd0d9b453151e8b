// Package savedplan is the file of plan --out and apply --plan: a plan, its sources and digest.
package savedplan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Part is a source of a plan, as its file holds it.
type Part string

// The parts of a file.
const (
	PartSpec   Part = "spec"
	PartMatrix Part = "matrix"
)

// Steering are the flags that decide a plan. A saved plan holds them and its digest covers them.
type Steering struct {
	Additive      bool `json:"additive"`
	Prune         bool `json:"prune"`
	CreateFolders bool `json:"createFolders"`
	CreateTags    bool `json:"createTags,omitempty"`
	Strict        bool `json:"strict"`
}

// Decided is all beside the vCenters that decides a plan and its application.
type Decided struct {
	Spec        string   `json:"spec"`                      // a provisioning file, narrowed and with addresses
	Whole       string   `json:"whole,omitempty"`           // before it was narrowed
	Source      string   `json:"source,omitempty"`          // digest of the file that it was read from
	Matrix      string   `json:"matrix,omitempty"`          // its text, if the specification names a file
	Credentials string   `json:"credentialsFile,omitempty"` // --credentials-file; "" = as settings say
	Options     Steering `json:"options"`
}

// File is the content of the file, without passwords. The digest is that of every form of the plan;
// the seal covers the whole file.
type File struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Digest     string `json:"digest"`
	Seal       string `json:"seal"`
	Decided
	Invocation map[string][]string `json:"invocation,omitempty"` // settings of the next command
	Plan       *plan.Plan          `json:"plan"`                 // its own digest is empty
}

// Saved is a saved plan that was read, with its sources.
type Saved struct {
	File
	Wanted *spec.Spec
	Own    *privileges.Matrix // nil where the specification names an embedded one
}

const kind = "SavedPlan"

// New is the file of a plan, with its digest. Findings without an object are omitted: they change
// daily.
func New(d Decided, invocation map[string][]string, p *plan.Plan) *File {
	shown := *p
	shown.Findings, shown.Digest = slices.DeleteFunc(slices.Clone(p.Findings), func(f *finding.Finding) bool { return f.Object == nil }), ""
	f := &File{APIVersion: plan.APIVersion, Kind: kind, Decided: d, Invocation: invocation, Plan: &shown}
	f.seal()
	return f
}

// Text is what is saved. A plan that cannot be applied is an error.
func (f *File) Text() ([]byte, error) {
	if err := f.Plan.Check(); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(f, "", "  ")
	return term.EscapeJSON(append(data, '\n')), err
}

func (f *File) seal() {
	sealed := *f.Plan
	sealed.Seal(f.Decided)
	f.Digest, f.Seal = sealed.Digest, ""
	f.Seal = plan.DigestOf(f)
}

// Load reads a saved plan and refuses one that another user may have changed since its approval.
func Load(path string) (*Saved, error) {
	data, err := readTrusted(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads a saved plan and refuses every file that [File.Text] would not write, white space
// aside: unknown, repeated or misspelled fields, or another digest. path is for errors.
func Parse(path string, data []byte) (*Saved, error) {
	var saved Saved
	if err := json.Unmarshal(data, &saved.File); err != nil ||
		saved.Kind != kind || saved.APIVersion != plan.APIVersion || saved.Plan == nil {
		return nil, hint.Errorf("'ocp-vsphere-admin plan -f FILE --out FILE' writes one", "%s is not a plan of this version of the tool", path)
	}
	changed := hint.Errorf("plan again; a saved plan cannot be edited",
		"%s is not as plan --out wrote it: it was edited, or written by another version of the tool", path)
	if saved.Plan.Check() != nil || saved.Plan.Digest != "" ||
		slices.ContainsFunc(saved.Plan.Findings, func(f *finding.Finding) bool { return f == nil || f.Object == nil }) {
		return nil, changed
	}
	saved.seal()
	again, err := saved.Text()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var have, want bytes.Buffer
	if err := json.Compact(&have, data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := json.Compact(&want, again); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !bytes.Equal(have.Bytes(), want.Bytes()) {
		return nil, changed
	}
	if saved.Wanted, err = spec.Parse(path, []byte(saved.Spec)); err != nil {
		return nil, err
	}
	if saved.Whole != "" {
		if saved.Wanted.Before, err = spec.Parse(path, []byte(saved.Whole)); err != nil {
			return nil, err
		}
	}
	name := saved.Wanted.Privileges.Matrix
	switch embedded := slices.Contains(privileges.Names(), name); {
	case embedded != (saved.Matrix == ""):
		return nil, changed
	case !embedded:
		saved.Own, err = privileges.LoadFrom(name, []byte(saved.Matrix))
	}
	return &saved, err
}

// Instances are the instance UUIDs of the planned vCenters, by server.
func (f *File) Instances() map[string]string {
	all := map[string]string{}
	for _, v := range f.Plan.VCenters {
		all[v.Server] = v.InstanceUUID
	}
	return all
}
