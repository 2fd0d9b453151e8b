package secrets

import (
	"context"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DiffOptions are the flags of `secrets diff`: those of `secrets emit`, and what to compare with.
type DiffOptions struct{ EmitOptions }

type diffView struct {
	command.Header
	Profile  string                 `json:"profile"`
	Secrets  []cluster.SecretChange `json:"secrets"`  // that emit would write
	Switches []cluster.Switch       `json:"switches"` // components with another account or vCenter
}

func newCmdDiff(f *command.Factory, runF func(*DiffOptions) error) *cobra.Command {
	o := &DiffOptions{EmitOptions{Factory: f, Told: true}}
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Compare what emit would write with the cluster's secrets",
		Long: command.Text(`
			Compares what 'secrets emit' would write, with the same flags, with the secrets in the cluster: for each secret
			and vCenter whether it is new, gets another user or another password, or loses its account. Then lists the
			consumers that would be switched to another account or another vCenter, as an operator with or without the
			enhancement decides.

			Passwords are compared but never shown. Exit code 2 if anything differs.`),
		Example: command.Examples(`
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin secrets diff --against -
			ocp-vsphere-admin secrets diff -f provisioning.yaml --against dump.yaml --vcenter-ids`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, diffRun, command.KnownComponents(&o.Components), func(*cobra.Command, []string) error {
			if !o.Against.Given() {
				return hint.Errorf("'"+openshift.FromCluster+command.Program+" secrets diff --against -' compares with a cluster", "--against DUMP or --kubeconfig FILE is required: the secrets of the cluster")
			}
			return nil
		}),
	}
	o.register(cmd)
	o.registerExplain(cmd)
	o.Against.RegisterAs(cmd, command.AgainstFlag, "")
	return cmd
}

func diffRun(ctx context.Context, o *DiffOptions) error {
	there, err := o.Against.Read(ctx, o.Factory)
	if err != nil {
		return err
	}
	e, err := o.prepare(ctx, there)
	if err != nil {
		return err
	}
	c, err := o.against(e)
	if err != nil {
		return err
	}
	view := diffView{command.NewHeader("SecretsDiff"), e.emit.Profile, c.Secrets, c.Switches}
	if err := o.Print(o.Output, view, func(w io.Writer) error { return view.print(w, o.Width()) }); err != nil {
		return err
	}
	if there.AnotherThan(e.asked) != "" { // which was said: no command would be about the right one
		return command.Exit(command.ExitDifferent)
	}
	if o.Output == term.FormatTable {
		text := term.Count(len(c.Secrets), "secret") + " compared"
		for _, how := range []string{"would move to another account", "would have no account"} {
			of := map[string]bool{}
			for _, s := range c.Unasked() {
				of[s.Consumer] = of[s.Consumer] || (s.Change == cluster.ChangeRemoved) == (how == "would have no account")
			}
			maps.DeleteFunc(of, func(_ string, is bool) bool { return !is })
			if len(of) > 0 {
				text += "; " + term.Count(len(of), "component") + " " + how + " (allow with --switch)"
			}
		}
		o.Infof("%s", text)
	}
	o.warnStaying(e)
	if err := o.outdated(e); err != nil {
		return command.Joined(err, command.Exit(command.ExitDifferent))
	}
	if uncopied, preferred := o.uncopied(e), o.preferred(e); uncopied || preferred || c.Different() {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

func (v diffView) print(w io.Writer, width int) error {
	t := term.NewTable("secret", "vcenter", "change", "from", "to")
	for _, s := range v.Secrets {
		if len(s.VCenters) == 0 {
			t.Row(s.Secret, "", s.Change)
		}
		for _, c := range s.VCenters {
			change := c.Change
			if s.Change == cluster.ChangeNew {
				change = s.Change
			}
			t.Row(s.Secret, c.Server, change, c.From, c.To)
		}
	}
	if err := t.Render(w, width); err != nil || len(v.Switches) == 0 {
		return err
	}
	term.Fprintf(w, "\n")
	t = term.NewTable("switches", "vcenter", "from", "to", "by", "asked for")
	for _, s := range v.Switches {
		t.Row(s.Consumer, s.Server, switchSide(s, s.From), switchSide(s, s.To), strings.Join(s.By, ", "),
			command.Some(s.Asked))
	}
	return t.Render(w, width)
}

func switchSide(s cluster.Switch, c resolution.Candidate) string {
	switch {
	case s.Change == cluster.ChangeInstance:
		return "instance " + c.Instance
	case c.User == "":
		return "no account"
	}
	return c.User + " (" + c.Step + ")"
}
