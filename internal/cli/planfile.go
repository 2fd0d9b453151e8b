package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// savedPlan is what plan --out writes: what people read and approve, what was asked for, from which apply --plan makes
// the changes again, and the digest of both. It holds no password.
type savedPlan struct {
	header
	Digest string `json:"digest"`
	decided
	Invocation invocation `json:"invocation,omitempty"` // what named it on the command line, for the next command only
	Plan       *plan.Plan `json:"plan"`                 // to be read by people; its own digest stands above

	wanted *spec.Spec
	matrix *privileges.Matrix // nil where the specification names an embedded one
}

const kindSavedPlan = "SavedPlan"

func (w *work) savePlan(path string, p *plan.Plan) error {
	saved := savedPlan{
		header: newHeader(kindSavedPlan), decided: w.decided(), Plan: p,
		Invocation: w.said.only(append(plannedFlags(), connectToFlag)...),
	}
	data, err := saved.text()
	if err == nil {
		err = p.Check() // what cannot be applied is not saved
	}
	if err == nil {
		err = writePrivate(path, data)
	}
	if err != nil {
		return badFlag("out", "%w", err)
	}
	return nil
}

// text is the file, with the digest that its content has.
func (s *savedPlan) text() ([]byte, error) {
	shown := *s.Plan
	shown.Seal(s.decided)
	s.Digest, shown.Digest = shown.Digest, ""
	file := *s
	file.Plan = &shown
	data, err := json.MarshalIndent(file, "", "  ")
	return term.EscapeJSON(append(data, '\n')), err
}

func loadPlan(path string) (*savedPlan, error) {
	data, err := readTrusted(path)
	if err != nil {
		return nil, err
	}
	saved, err := parsePlan(path, data)
	if err != nil {
		return nil, badFlag("plan", "%w", err)
	}
	return saved, nil
}

// parsePlan reads a saved plan and refuses every file that plan --out could not have written as it is, white space
// aside: fields that are unknown, doubled or spelled otherwise, or a content that has another digest.
func parsePlan(path string, data []byte) (*savedPlan, error) {
	var saved savedPlan
	if err := json.Unmarshal(data, &saved); err != nil || saved.Kind != kindSavedPlan || saved.APIVersion != apiVersion || saved.Plan == nil {
		return nil, hint.Errorf("plan --out FILE makes one", "%s is not a plan of this version of the tool", path)
	}
	changed := hint.Errorf("plan again; no plan is edited by hand",
		"%s is not as plan --out wrote it: somebody has changed it, or another version of the tool made it", path)
	if saved.Plan.Check() != nil {
		return nil, changed
	}
	again, err := saved.text()
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
	if saved.wanted, err = spec.Parse(path, []byte(saved.Spec)); err != nil {
		return nil, err
	}
	if saved.Whole != "" {
		if saved.wanted.Before, err = spec.Parse(path, []byte(saved.Whole)); err != nil {
			return nil, err
		}
	}
	name := saved.wanted.Privileges.Matrix
	switch embedded := slices.Contains(privileges.Names(), name); {
	case embedded != (saved.Matrix == ""):
		return nil, changed
	case !embedded:
		saved.matrix, err = privileges.LoadFrom(name, []byte(saved.Matrix))
	}
	return &saved, err
}

// instances are the instance UUIDs of the vCenters that were planned.
func (s *savedPlan) instances() map[string]string {
	all := map[string]string{}
	for _, v := range s.Plan.VCenters {
		all[v.Server] = v.InstanceUUID
	}
	return all
}
