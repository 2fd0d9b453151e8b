package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// PrivilegesLintOptions are the words of `privileges lint`.
type PrivilegesLintOptions struct {
	*Factory
	Matrices []string // names or paths
}

type lintView struct {
	header
	Catalogue string        `json:"catalogue"` // what the ids were held against
	Findings  []findingView `json:"findings"`
	Summary   lintSummary   `json:"summary"`
}

type findingView struct {
	Matrix    string               `json:"matrix"`
	Severity  privileges.Severity  `json:"severity"`
	Component privileges.Component `json:"component"`
	Scope     privileges.Scope     `json:"scope"`
	Privilege string               `json:"privilege"`
	Nearest   string               `json:"nearest,omitempty"`
	Lost      string               `json:"lost,omitempty"` // what the component cannot do without it
}

type lintSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

func newCmdPrivilegesLint(f *Factory, runF func(*PrivilegesLintOptions) error) *cobra.Command {
	o := &PrivilegesLintOptions{Factory: f}
	var matrix string
	cmd := &cobra.Command{
		Use:   "lint [file...]",
		Short: "Hold the ids of a matrix against the privileges that vCenters have",
		Long: text(`
			Reads matrices, the embedded ones by default, and holds every id against the recorded catalogue of a vCenter.
			A misspelt id is an error and ends with exit code 2; an id that is known to exist nowhere is only noted.`),
		Example: examples(`
			ocp-vsphere-admin privileges lint
			ocp-vsphere-admin privileges lint ./my-matrix.yaml`),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Matrices = args
			if matrix != "" {
				o.Matrices = append(o.Matrices, matrix)
			}
			if len(o.Matrices) == 0 {
				o.Matrices = privileges.Names()
			}
			return run(runF, privilegesLintRun)(o)
		},
	}
	cmd.Flags().StringVar(&matrix, "matrix", "", "name of an embedded matrix, or the path of a file")
	completeValues(cmd, "matrix", privileges.Names())
	_ = cmd.MarkFlagFilename("matrix", "yaml", "yml")
	return cmd
}

func privilegesLintRun(o *PrivilegesLintOptions) error {
	view := lintView{header: newHeader("PrivilegeLint"), Catalogue: "recorded", Findings: []findingView{}}
	for _, name := range o.Matrices {
		m, err := privileges.Load(name)
		if err != nil {
			return err
		}
		view.add(m, privileges.Catalogue())
	}
	return o.printLint(view)
}

func (v *lintView) add(m *privileges.Matrix, catalogue []string) {
	for _, f := range m.Lint(catalogue) {
		v.Findings = append(v.Findings, findingView{m.Name, f.Severity, f.Component, f.Scope, f.Privilege, f.Nearest, f.Lost})
		switch f.Severity {
		case privileges.SeverityError:
			v.Summary.Errors++
		case privileges.SeverityWarning:
			v.Summary.Warnings++
		case privileges.SeverityNote:
			v.Summary.Notes++
		}
	}
}

// printLint prints the findings; errors among them end with exit code 2.
func (o *PrivilegesLintOptions) printLint(view lintView) error {
	err := o.table(view, func() *term.Table {
		t := term.NewTable("matrix", "", "component", "scope", "privilege", "nearest", "lost without it")
		for _, f := range view.Findings {
			t.Row(f.Matrix, f.Severity, f.Component, f.Scope, f.Privilege, f.Nearest, f.Lost)
		}
		return t
	})
	if err != nil {
		return err
	}
	o.Infof("%s, %s, %s", count(view.Summary.Errors, "error"), count(view.Summary.Warnings, "warning"), count(view.Summary.Notes, "note"))
	if view.Summary.Errors > 0 {
		return exit(ExitDifferent)
	}
	return nil
}
