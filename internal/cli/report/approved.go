package report

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
)

// exceptions reads the file of exceptions; nil = none is named.
func (o *Options) exceptions() (all []report.Exception, err error) {
	if o.Exceptions == "" {
		return nil, nil
	}
	name, data, err := o.ReadText(o.Exceptions)
	if err == nil {
		all, err = report.ParseExceptions(name, data)
	}
	if err != nil {
		return nil, command.BadFlag(exceptionsFlag, "%w", err)
	}
	return all, nil
}

// approval compares the approved plan with what a report measures by; nil = none is named.
func (o *Options) approval(w *job.Run, by report.Scope) (*report.Approval, error) {
	if o.Plan == "" {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	saved, err := savedplan.Load(o.Plan)
	if err != nil {
		return nil, command.BadFlag(planFlag, "%w", err)
	}
	p, text := saved.Wanted.Privileges, []byte(saved.Matrix)
	if saved.Own == nil { // the program has it
		text = nil
	}
	return &report.Approval{
		Plan: saved.Digest,
		Same: by.Specification != "" && saved.Source == by.Specification &&
			privileges.Digest(p.Matrix, text) == by.Digest &&
			slices.Equal(p.Conditions, w.Wanted.Privileges.Conditions),
	}, nil
}
