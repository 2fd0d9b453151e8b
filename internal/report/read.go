package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Read reads a report that was written as JSON. name is what errors call it.
func Read(name string, data []byte) (*Report, error) {
	var head struct{ APIVersion, Kind string }
	if err := json.Unmarshal(data, &head); err == nil && head.Kind == Kind && head.APIVersion != plan.APIVersion {
		return nil, fmt.Errorf("%s: it is of version %q, and this tool reads %s", name, head.APIVersion, plan.APIVersion)
	} else if err != nil || head.Kind != Kind {
		return nil, hint.Errorf("write one with report -o json", "%s: this is no report as JSON", name)
	}
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Verification != nil && slices.Contains(r.Verification.Findings, nil) {
		return nil, fmt.Errorf("%s: a finding is null: somebody changed this file", name)
	}
	for _, v := range r.VCenters {
		for _, n := range v.Map {
			if len(n.Cells) != len(v.Columns) {
				return nil, fmt.Errorf("%s: %s: %s: %d cells for %d accounts: somebody changed this file", name, v.Server, n.Path, len(n.Cells), len(v.Columns))
			}
		}
		for _, d := range v.Needs {
			for _, g := range d.Grants {
				if g < 0 || g >= len(r.Grants) {
					return nil, fmt.Errorf("%s: %s: grant %d of %d: somebody changed this file", name, v.Server, g, len(r.Grants))
				}
			}
		}
	}
	return r, nil
}

// CheckComparable refuses an earlier report that tells nothing about this one.
func (r *Report) CheckComparable(earlier *Report) error {
	switch {
	case earlier.Redacted:
		return errors.New("it is redacted: its names are replaced, and compare with nothing")
	case earlier.Cluster != r.Cluster:
		return fmt.Errorf("it is about cluster %q, not %q", earlier.Cluster, r.Cluster)
	case (earlier.Scope.Partial || r.Scope.Partial) && (!slices.Equal(earlier.Scope.Components, r.Scope.Components) || !slices.Equal(earlier.Scope.VCenters, r.Scope.VCenters)):
		return errors.New("one of the two is about a part of the cluster: components or vCenters differ")
	case earlier.Made.After(r.Made):
		return errors.New("it is not older than this run")
	}
	return nil
}
