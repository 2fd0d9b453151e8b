package spec

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DiffOptions are the flags of `spec diff`.
type DiffOptions struct {
	*command.Factory
	File           string // -f
	InstallConfig  string // --install-config
	Infrastructure string // --infrastructure
}

type diffView struct {
	command.Header
	Sources     []sourceView     `json:"sources"`
	Differences []differenceView `json:"differences"`
}

type sourceView struct {
	Source string `json:"source"` // file, install-config, infrastructure
	From   string `json:"from"`   // its path, - for stdin, or the kubeconfig
}

type differenceView struct {
	VCenter       string            `json:"vcenter"`
	FailureDomain string            `json:"failureDomain"`
	Field         string            `json:"field"`
	Values        map[string]string `json:"values"` // by source; "" = it says none
}

func newCmdDiff(f *command.Factory, runF func(*DiffOptions) error) *cobra.Command {
	o := &DiffOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Compare it with an install-config and the running cluster",
		Long: command.Text(`
			Compares what two or three sources say of a cluster: the provisioning file, the install-config that it was
			installed from, and the Infrastructure object of the running cluster, which changes when vCenters and failure
			domains are added and removed. Compared are the cluster's name, vCenters and failure domains with all of their
			fields; what only one of them can say is not compared, as accounts and privileges.

			Says which command brings them together, for either direction. Exit code 2 if anything differs.`),
		Example: command.Examples(`
			oc get infrastructure cluster -o yaml | ocp-vsphere-admin spec diff -f provisioning.yaml --infrastructure -
			ocp-vsphere-admin spec diff -f provisioning.yaml --infrastructure kubeconfig:kubeconfig
			ocp-vsphere-admin spec diff -f provisioning.yaml --install-config install-config.yaml -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, diffRun, func(*cobra.Command, []string) error {
			if len(o.sources()) < 2 {
				return hint.Errorf("set -f FILE, --install-config FILE and --infrastructure FILE, or two of them", "two sources are required, to compare them")
			}
			return nil
		}),
	}
	command.RegisterFile(cmd, &o.File, "provisioning file (- for stdin)")
	registerOthers(cmd, &o.InstallConfig, &o.Infrastructure)
	return cmd
}

func registerOthers(cmd *cobra.Command, config, infrastructure *string) {
	cmd.Flags().StringVar(config, "install-config", "", "install-config.yaml (- for stdin)")
	_ = cmd.MarkFlagFilename("install-config", "yaml", "yml")
	command.RegisterInfrastructure(cmd, infrastructure)
	command.MarkSettings(cmd, "install-config", command.InfrastructureFlag)
}

func (o *DiffOptions) sources() (given []sourceView) {
	for _, s := range []sourceView{{"file", o.File}, {"install-config", o.InstallConfig}, {command.InfrastructureFlag, o.Infrastructure}} {
		if s.From != "" {
			given = append(given, s)
		}
	}
	return given
}

func (s sourceView) read(ctx context.Context, f *command.Factory) (*spec.Spec, error) {
	flags := &command.SourceFlags{}
	*map[string]*string{"file": &flags.File, "install-config": &flags.InstallConfig, command.InfrastructureFlag: &flags.Infrastructure}[s.Source] = s.From
	return flags.Resolve(ctx, f)
}

func diffRun(ctx context.Context, o *DiffOptions) error {
	var all []*spec.Spec
	view := diffView{Header: command.NewHeader("SpecDiff"), Sources: o.sources()}
	for _, source := range view.Sources {
		s, err := source.read(ctx, o.Factory)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	found := spec.Differences(all...)
	view.Differences = differencesOf(view.Sources, found)
	if err := o.Print(o.Output, view, func(w io.Writer) error {
		return tableOf(view.Sources,
			view.Differences).Render(w, o.Width())
	}); err != nil {
		return err
	}
	if len(found) == 0 {
		o.Infof("no differences")
		return nil
	}
	o.Infof("%s", term.Count(len(found), "difference"))
	o.remedies(found)
	return command.Exit(command.ExitDifferent)
}

func differencesOf(sources []sourceView, found []spec.Difference) []differenceView {
	views := []differenceView{}
	for _, d := range found {
		v := differenceView{d.Server, d.Domain, d.Field, map[string]string{}}
		for i, source := range sources {
			v.Values[source.Source] = d.Values[i]
		}
		views = append(views, v)
	}
	return views
}

func tableOf(sources []sourceView, differences []differenceView) *term.Table {
	if len(differences) == 0 {
		return term.NewTable()
	}
	header := []string{"vcenter", "failure domain", "field"}
	for _, source := range sources {
		header = append(header, source.Source)
	}
	t := term.NewTable(header...)
	for _, d := range differences {
		row := []any{d.VCenter, d.FailureDomain, d.Field}
		for _, source := range sources {
			row = append(row, command.Some(d.Values[source.Source]))
		}
		t.Row(row...)
	}
	return t
}

// remedies prints the commands that bring sources of one cluster together, whichever is right.
func (o *DiffOptions) remedies(found []spec.Difference) {
	switch {
	case found[0].Field == "cluster":
		o.Hint("they are about different clusters: give what is about the same one")
		return
	case o.File == "": // only the installer reads an install-config
		o.Command("a running cluster does not read its install-config; to compare it with the vCenters:",
			o.CommandLine("plan", o.Said.Only(command.InfrastructureFlag)))
		return
	}
	if o.Infrastructure != "" {
		o.Command("if the cluster is right:",
			o.CommandLine("spec update", o.Said.Only("file", command.InfrastructureFlag)))
		o.Command("if the provisioning file is right, accounts and permissions first, and then the cluster ('oc edit infrastructure cluster'):",
			o.CommandLine("apply", o.Said.Only("file")))
	}
	if o.InstallConfig != "" {
		o.Command("if the install-config is right:",
			o.CommandLine("spec update", o.Said.Only("file", "install-config")))
	}
}
