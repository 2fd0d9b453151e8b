// Package explain is the command that explains refusals of vCenters and codes of findings.
package explain

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Options are the flags of `explain`.
type Options struct {
	*command.Factory
	Codes      []string // empty = all
	Text       string   // path of what a component logged, - for stdin; "" = codes are asked for
	Matrix     string   // --matrix
	Components []string // --components
}

type codesView struct {
	command.Header
	Codes []finding.About `json:"codes"`
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	cmd := &cobra.Command{
		Use:     "explain [FILE|- | CODE...]",
		Short:   "Say what a refusal or the code of a finding means",
		GroupID: command.GroupTool,
		Long: command.Text(`
			A file, or - for stdin, is what a component, openshift-install or govc logged when vCenter refused something: a
			SOAP fault, 'NoPermission', 'privileges missing'. For each refusal this says who lacks which privilege on which
			object, what needs it, and which row of the matrix grants it, or that none does. Only names are taken from the
			text. Where it does not say who wrote it, name the component with --components.

			Findings have a code: in the tables of 'secrets explain' and 'identity check', and in -o json of every command that
			has findings. For each code this says which commands give it, what is so and why, and what to do. Without a word it
			lists all codes.`),
		Example: command.Examples(`
			oc logs -n openshift-machine-api deployment/machine-api-controllers -c machine-controller | ocp-vsphere-admin explain -
			ocp-vsphere-admin explain .openshift_install.log
			ocp-vsphere-admin explain lost-password
			ocp-vsphere-admin explain`),
		Args: cobra.ArbitraryArgs,
		RunE: command.Action(o, runF, run, command.KnownComponents(&o.Components), func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && isFile(args[0]) {
				o.Text = args[0]
				return nil
			}
			if slices.ContainsFunc(args, isFile) {
				return hint.Errorf("explain each by itself, or join them: cat FILE... | "+command.Program+" explain -", "give one FILE, or codes")
			}
			o.Codes = args
			return nil
		}),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return codeNames(), cobra.ShellCompDirectiveDefault // and files
		},
	}
	command.RegisterComponents(cmd, &o.Components)
	cmd.Flags().StringVar(&o.Matrix, "matrix", spec.DefaultMatrix, "privilege matrix whose rows are looked up: "+strings.Join(privileges.Names(), ", ")+", or the path of a file")
	return cmd
}

// isFile reports whether an argument is a file: codes have neither dots nor slashes.
func isFile(word string) bool {
	_, code := finding.Explain(finding.Code(word))
	return word == "-" ||
		!code && (strings.ContainsAny(word, "./"+string(os.PathSeparator)) || !command.Missing(word))
}

func run(_ context.Context, o *Options) error {
	if o.Text != "" {
		return o.refusals(o.Text)
	}
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
