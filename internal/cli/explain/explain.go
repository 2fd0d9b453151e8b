// Package explain is the command that says what the code of a finding means.
package explain

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Options are the flags of `explain`.
type Options struct {
	*command.Factory
	Codes []string // empty = all
}

type codesView struct {
	command.Header
	Codes []finding.About `json:"codes"`
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	return &cobra.Command{
		Use:     "explain [CODE...]",
		Short:   "Say what the code of a finding means, and what to do",
		GroupID: command.GroupTool,
		Long: command.Text(`
			Findings have a code: in the tables of 'secrets explain' and 'identity check', and in -o json of every command that
			has findings. For each code this says which commands give it, what is so and why, and what to do. Without a code it
			lists all of them.`),
		Example: command.Examples(`
			ocp-vsphere-admin explain lost-password
			ocp-vsphere-admin explain`),
		Args: cobra.ArbitraryArgs,
		RunE: command.Action(o, runF, run, func(_ *cobra.Command, args []string) error {
			o.Codes = args
			return nil
		}),
		ValidArgs: codeNames(),
	}
}

func run(_ context.Context, o *Options) error {
	view := codesView{Header: command.NewHeader("FindingCodes"), Codes: []finding.About{}}
	for _, code := range o.Codes {
		about, ok := finding.Explain(finding.Code(code))
		if !ok {
			advice := "'" + command.Program + " explain' lists all codes"
			if near := hint.Nearest(code, codeNames()); near != "" {
				advice = command.DidYouMean(near)
			}
			return hint.Errorf(advice, "%q is no code of a finding", code)
		}
		view.Codes = append(view.Codes, about)
	}
	if len(o.Codes) == 0 {
		view.Codes = finding.Codes()
		return o.Table(view, func() *term.Table {
			t := term.NewTable("code", "severity", "from")
			for _, a := range view.Codes {
				t.Row(a.Code, a.Severity, a.From)
			}
			return t
		})
	}
	return o.Print(o.Output, view, func(w io.Writer) error {
		var paragraphs []string
		for _, a := range view.Codes {
			paragraphs = append(paragraphs, fmt.Sprintf("%s (%s; %s)\n%s\n%s\n", a.Code, a.Severity, a.From,
				term.Prose("  "+a.Means, o.Width(), 2), term.Prose("  "+a.Remedy, o.Width(), 2)))
		}
		_, err := io.WriteString(w, strings.Join(paragraphs, "\n"))
		return err
	})
}

func codeNames() []string {
	var names []string
	for _, a := range finding.Codes() {
		names = append(names, string(a.Code))
	}
	return names
}
