package provision

import (
	"context"
	"errors"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
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

func newReport(kind string) Report { return Report{APIVersion: plan.APIVersion, Kind: kind} }

// Result is how reading one vCenter went. Notes say what could not be known, and why.
type Result struct {
	Server string   `json:"server"`
	Error  string   `json:"error"`
	Notes  []string `json:"notes,omitempty"`

	cause error
}

// Results are those of all vCenters of a report.
type Results []Result

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

func (r *Result) note(text string) { r.Notes = appendNew(r.Notes, text) }

// inspect reads every vCenter with f, which fills the part of the report that has the vCenter's index.
func (j *Job) inspect(ctx context.Context, result func(int) *Result, f func(context.Context, *target, int) error) {
	index := map[*target]int{}
	for i, t := range j.targets {
		index[t] = i
		result(i).Server = t.spec.Server
	}
	j.each(ctx, func(ctx context.Context, t *target) error { return f(ctx, t, index[t]) })
	for i, t := range j.targets {
		if r := result(i); t.err != nil {
			r.Error, r.cause = t.err.Error(), t.err
		}
	}
}

// blind says in a report that accounts and groups could not be read.
func (s *snapshot) blind(r *Result) bool {
	if s.sso.Why == nil {
		return false
	}
	r.note("accounts and groups of the SSO domain were not read: " + s.administrator + " may not administer SSO")
	return true
}

// components are those of the specification that a principal works for, joined; "" when it is none of theirs.
func (q *asked) components(s *snapshot, who access.Principal) string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		if (q.Spec.Cluster != "" || !q.owns(c)) && s.key(q.holder(s, c)) == s.key(who) {
			names = append(names, string(c))
		}
	}
	return strings.Join(names, ",")
}

// marked are the accounts with our mark, by the key of their principal; nil where they cannot be read.
func (t *target) marked(ctx context.Context, r *Result) (map[string]sso.User, error) {
	if t.blind(r) {
		return nil, nil
	}
	users, err := t.directory.AllMarked(ctx)
	if err != nil {
		return nil, err
	}
	byKey := map[string]sso.User{}
	for _, u := range users {
		byKey[t.sso.Same(u.Name+"@"+t.sso.Domain)] = u
	}
	return byKey, nil
}
