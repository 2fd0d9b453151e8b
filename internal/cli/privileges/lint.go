package privileges

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// LintOptions are the flags of `privileges lint`.
type LintOptions struct {
	*command.Factory
	Connection command.Connection
	Matrices   []string // names or paths
}

type lintView struct {
	command.Header
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

// NewCmdLint is the command `privileges lint`.
func NewCmdLint(f *command.Factory, runF func(*LintOptions) error) *cobra.Command {
	o := &LintOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "lint [file...]",
		Short: "Check the privilege ids of a matrix against vCenters",
		Long: command.Text(`
			Checks every id in the matrices (by default the embedded ones) against the recorded privilege catalogue of a
			vCenter, or against live vCenters. A misspelled id is an error (exit code 2); an id known not to exist on any
			vCenter is only reported.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges lint
			ocp-vsphere-admin privileges lint ./my-matrix.yaml
			ocp-vsphere-admin privileges lint --matrix default --vcenters vcenter1.example.com`),
		RunE: command.Action(o, runF, lintRun, func(cmd *cobra.Command, args []string) error {
			o.Matrices = args
			if m := o.Connection.Source.Matrix; m != "" &&
				(len(args) == 0 || !command.FromSettings(cmd.Flags(), "matrix")) { // an argument is nearer
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

func lintRun(ctx context.Context, o *LintOptions) error {
	view := lintView{Header: command.NewHeader("PrivilegeLint"), Catalogue: "recorded", Findings: []findingView{}}
	catalogues := []provision.Catalogue{{Privileges: privileges.Catalogue()}}
	var unread error
	if o.Connection.Source.Given() {
		if catalogues, unread = o.live(ctx); len(catalogues) == 0 {
			return unread
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
	return command.Joined(unread, o.printLint(view))
}

// live asks the vCenters which privileges they know. Failed ones are only in the error.
func (o *LintOptions) live(ctx context.Context) ([]provision.Catalogue, error) {
	wanted, admin, tls, err := o.Connection.Resolve(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	config := o.Reach(wanted, o.Connection.Source.ConnectTo, tls)
	if err := o.AskLogins(ctx, admin, wanted, config); err != nil {
		return nil, err
	}
	job := provision.New(provision.Options{Request: provision.Request{Spec: wanted}, Config: config, Admin: admin.Enter, Parallel: o.Parallel})
	defer job.Close(ctx)
	catalogues := job.Catalogues(ctx)
	var errs []error
	for _, c := range catalogues {
		errs = append(errs, c.Err)
	}
	err = errors.Join(errs...)
	catalogues = slices.DeleteFunc(catalogues, func(c provision.Catalogue) bool { return c.Err != nil })
	return catalogues, command.Partly(err != nil && len(catalogues) > 0, err)
}

func (v *lintView) add(m *privileges.Matrix, c provision.Catalogue) {
	for _, f := range m.Lint(c.Privileges) {
		v.Findings = append(v.Findings,
			findingView{m.Name, c.Server, f.Severity, f.Component, f.Scope, f.Privilege, f.Nearest, f.Lost})
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

// printLint prints the findings; errors among them give exit code 2.
func (o *LintOptions) printLint(view lintView) error {
	err := o.Table(view, func() *term.Table {
		t := term.NewTable("matrix", "vcenter", "", "component", "scope", "privilege", "nearest", "lost without it")
		for _, f := range view.Findings {
			t.Row(f.Matrix, f.VCenter, f.Severity, f.Component, f.Scope, f.Privilege, f.Nearest, f.Lost)
		}
		return t
	})
	if err != nil {
		return err
	}
	o.Infof("%s, %s, %s", term.Count(view.Summary.Errors, "error"),
		term.Count(view.Summary.Warnings, "warning"), term.Count(view.Summary.Notes, "note"))
	if view.Summary.Errors > 0 {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}
