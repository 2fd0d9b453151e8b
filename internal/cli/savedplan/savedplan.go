// Package savedplan is the file that plan --out writes and apply --plan does: the plan that people read and approve, all
// that decided it, and the digest of both.
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

// Part is what a plan was made from, as its file holds it.
type Part string

// The parts that a file can have.
const (
	PartSpec   Part = "spec"
	PartMatrix Part = "matrix"
)

// Steering is the flags that decide what is planned, beside the specification. A saved plan holds all of it and its
// digest covers it.
type Steering struct {
	Additive      bool `json:"additive"`
	Prune         bool `json:"prune"`
	CreateFolders bool `json:"createFolders"`
	CreateTags    bool `json:"createTags,omitempty"`
	Strict        bool `json:"strict"`
}

// Decided is everything beside the vCenters that decides what a plan comes to and what applying it does.
type Decided struct {
	Spec    string   `json:"spec"`             // a provisioning file, narrowed and with addresses
	Whole   string   `json:"whole,omitempty"`  // the same before it was narrowed: what is left out was not dropped
	Matrix  string   `json:"matrix,omitempty"` // the text of the matrix, where the specification names a file
	Options Steering `json:"options"`
}

// File is what stands in the file. It holds no password. Its digest covers all the rest, and so is not that of the plan, which
// says neither what the plan is called where it was made nor what people are told beside the changes.
type File struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Digest     string `json:"digest"`
	Decided
	Invocation map[string][]string `json:"invocation,omitempty"` // settings that named it, for the next command
	Source     string              `json:"source,omitempty"`     // digest of what the file among them said
	Plan       *plan.Plan          `json:"plan"`                 // to be read by people; its own digest stands above
}

// Saved is a saved plan that was read, and what it was made from.
type Saved struct {
	File
	Wanted *spec.Spec
	Own    *privileges.Matrix // nil where the specification names an embedded one
}

const kind = "SavedPlan"

// New is the file of a plan, with the digest that it has. Findings about no object are omitted: they change with the day. source is the digest of what the file in invocation says; "" = it names none.
func New(d Decided, invocation map[string][]string, source string, p *plan.Plan) *File {
	shown := *p
	shown.Findings, shown.Digest = slices.DeleteFunc(slices.Clone(p.Findings), func(f *finding.Finding) bool { return f.Object == nil }), ""
	f := &File{APIVersion: plan.APIVersion, Kind: kind, Decided: d, Invocation: invocation, Source: source, Plan: &shown}
	f.seal()
	return f
}

// Text is what is saved. What cannot be applied is not, but an error.
func (f *File) Text() ([]byte, error) {
	if err := f.Plan.Check(); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(f, "", "  ")
	return term.EscapeJSON(append(data, '\n')), err
}

func (f *File) seal() {
	f.Digest = ""
	f.Digest = plan.DigestOf(f)
}

// Load reads a saved plan that nobody else could have changed since it was approved, as far as the system tells.
func Load(path string) (*Saved, error) {
	data, err := readTrusted(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads a saved plan and refuses every file that [Text] could not have written as it is, white space aside: fields
// that are unknown, doubled or spelled otherwise, or a content that has another digest. path is for errors.
func Parse(path string, data []byte) (*Saved, error) {
	var saved Saved
	if err := json.Unmarshal(data, &saved.File); err != nil || saved.Kind != kind || saved.APIVersion != plan.APIVersion || saved.Plan == nil {
		return nil, hint.Errorf("'ocp-vsphere-admin plan -f FILE --out FILE' writes one", "%s is not a plan of this version of the tool", path)
	}
	changed := hint.Errorf("plan again; a saved plan cannot be edited",
		"%s is not as plan --out wrote it: it was edited, or written by another version of the tool", path)
	if saved.Plan.Check() != nil || saved.Plan.Digest != "" || slices.ContainsFunc(saved.Plan.Findings, func(f *finding.Finding) bool { return f == nil || f.Object == nil }) {
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

// Instances are the instance UUIDs of the vCenters that were planned, by server.
func (f File) Instances() map[string]string {
	all := map[string]string{}
	for _, v := range f.Plan.VCenters {
		all[v.Server] = v.InstanceUUID
	}
	return all
}
