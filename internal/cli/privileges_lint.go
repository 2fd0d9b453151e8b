package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// PrivilegesLintOptions are the flags of `privileges lint`.
type PrivilegesLintOptions struct {
	JobOptions
	Matrices []string // names or paths
}

type lintView struct {
	header
	Catalogue string        `json:"catalogue"` // what the ids were held against
	Findings  []findingView `json:"findings"`
	Summary   lintSummary   `json:"summary"`
}

type findingView struct {
	Matrix    string           `json:"matrix"`
	VCenter   string           `json:"vcenter,omitempty"`
	Severity  finding.Severity `json:"severity"`
	Component component.Name   `json:"component"`
	Scope     privileges.Scope `json:"scope"`
	Privilege string           `json:"privilege"`
	Nearest   string           `json:"nearest,omitempty"`
	Lost      string           `json:"lost,omitempty"` // what the component cannot do without it
}

type lintSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

func newCmdPrivilegesLint(f *Factory, runF func(*PrivilegesLintOptions) error) *cobra.Command {
	o := &PrivilegesLintOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:   "lint [file...]",
		Short: "Check the privilege ids of a matrix against vCenters",
		Long: text(`
			Checks every id in the matrices (by default the embedded ones) against the recorded privilege catalogue of a
			vCenter, or against live vCenters. A misspelled id is an error (exit code 2); an id known not to exist on any
			vCenter is only reported.`),
		Example: examples(`
			ocp-vsphere-admin privileges lint
			ocp-vsphere-admin privileges lint ./my-matrix.yaml
			ocp-vsphere-admin privileges lint --matrix default --vcenters vcenter1.example.com`),
		RunE: action(o, runF, privilegesLintRun, func(cmd *cobra.Command, args []string) error {
			o.Matrices = args
			if m := o.Connection.Source.Matrix; m != "" && (len(args) == 0 || !isSettled(cmd.Flags(), "matrix")) { // a word is nearer than a setting
				o.Matrices = append(o.Matrices, o.Connection.Source.Matrix)
			}
			if len(o.Matrices) == 0 {
				o.Matrices = privileges.Names()
			}
			return nil
		}),
	}
	o.Connection.Register(cmd)
	return cmd
}

func privilegesLintRun(ctx context.Context, o *PrivilegesLintOptions) error {
	view := lintView{header: newHeader("PrivilegeLint"), Catalogue: "recorded", Findings: []findingView{}}
	catalogues := []provision.Catalogue{{Privileges: privileges.Catalogue()}}
	if o.Connection.Source.given() {
		var err error
		if catalogues, err = o.live(ctx); err != nil {
			return err
		}
		view.Catalogue = "live"
	}
	for _, name := range o.Matrices {
		m, err := privileges.Load(name)
		if err != nil {
			return err
		}
		for _, c := range catalogues {
			view.add(m, c)
		}
	}
	return o.printLint(view)
}

// live asks the vCenters which privileges they know.
func (o *PrivilegesLintOptions) live(ctx context.Context) ([]provision.Catalogue, error) {
	wanted, admin, tls, err := o.Connection.Resolve(o.Streams)
	if err != nil {
		return nil, err
	}
	config := o.reach(wanted, o.Connection.Source.ConnectTo, tls)
	if err := o.askLogins(ctx, admin, wanted, config); err != nil {
		return nil, err
	}
	job := provision.New(provision.Options{Request: provision.Request{Spec: wanted}, Config: config, Admin: admin.enter, Parallel: o.Parallel})
	defer job.Close(ctx)
	catalogues := job.Catalogues(ctx)
	var errs []error
	for _, c := range catalogues {
		errs = append(errs, c.Err)
	}
	return catalogues, errors.Join(errs...)
}

func (v *lintView) add(m *privileges.Matrix, c provision.Catalogue) {
	for _, f := range m.Lint(c.Privileges) {
		v.Findings = append(v.Findings, findingView{m.Name, c.Server, f.Severity, f.Component, f.Scope, f.Privilege, f.Nearest, f.Lost})
		switch f.Severity {
		case finding.Error:
			v.Summary.Errors++
		case finding.Warning:
			v.Summary.Warnings++
		case finding.Note:
			v.Summary.Notes++
		}
	}
}

// printLint prints the findings; errors among them end with exit code 2.
func (o *PrivilegesLintOptions) printLint(view lintView) error {
	err := o.table(view, func() *term.Table {
		t := term.NewTable("matrix", "vcenter", "", "component", "scope", "privilege", "nearest", "lost without it")
		for _, f := range view.Findings {
			t.Row(f.Matrix, f.VCenter, f.Severity, f.Component, f.Scope, f.Privilege, f.Nearest, f.Lost)
		}
		return t
	})
	if err != nil {
		return err
	}
	o.Infof("%s, %s, %s", term.Count(view.Summary.Errors, "error"), term.Count(view.Summary.Warnings, "warning"), term.Count(view.Summary.Notes, "note"))
	if view.Summary.Errors > 0 {
		return exit(ExitDifferent)
	}
	return nil
}
