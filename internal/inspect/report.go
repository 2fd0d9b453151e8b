// Package inspect shows what vCenters have beside what is wanted: their roles, permissions and accounts, and what somebody may do
// there. It reads nothing and decides nothing: how something is against what is wanted is what the comparison says from which a plan
// is made.
package inspect

import (
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Report begins every report of things as they are. Nothing is written for one.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// Kinds of reports.
const (
	KindRoles       = "Roles"
	KindRolesDiff   = "RolesDiff"
	KindUsers       = "Users"
	KindPermissions = "Permissions"
	KindCheck       = "PermissionCheck"
)

// NewReport begins a report of a kind.
func NewReport(kind string) Report { return Report{APIVersion: plan.APIVersion, Kind: kind} }

// Result is how reading one vCenter went. Notes say what could not be known, and why.
type Result struct {
	Server string   `json:"server"`
	Error  string   `json:"error"`
	Notes  []string `json:"notes,omitempty"`

	cause error
}

// Fail says why the vCenter could not be read.
func (r *Result) Fail(err error) { r.Error, r.cause = err.Error(), err }

// Note says something that could not be known; once, however often.
func (r *Result) Note(text string) {
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

func (r Result) result() Result { return r }

// Results are those of all vCenters of a report.
type Results []Result

// ResultsOf are those of the vCenters of a report.
func ResultsOf[T interface{ result() Result }](vcenters []T) Results {
	all := make(Results, len(vcenters))
	for i, v := range vcenters {
		all[i] = v.result()
	}
	return all
}

// Err joins what kept vCenters from being read.
func (r Results) Err() error {
	errs := make([]error, len(r))
	for i, s := range r {
		errs[i] = s.cause
	}
	return errors.Join(errs...)
}

// Partial reports whether some vCenters were read and others not.
func (r Results) Partial() bool {
	failed := 0
	for _, s := range r {
		if s.Error != "" {
			failed++
		}
	}
	return failed > 0 && failed < len(r)
}

// without lists what of a is not in b; never nil, because JSON shows it.
func without(a, b []string) []string { return append([]string{}, lists.Without(a, b)...) }
