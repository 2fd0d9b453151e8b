package credentials

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// RenameOptions are the flags of `credentials rename`.
type RenameOptions struct {
	*command.Factory
	File     command.CredentialsFlag
	Source   command.SourceFlags
	Old, New string
	TLS      command.TLSFlags
}

func newCmdRename(f *command.Factory, runF func(*RenameOptions) error) *cobra.Command {
	o := &RenameOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "rename OLD NEW",
		Short: "Give a section another name, after its vCenter got one",
		Long: command.Text(`
			Puts the accounts that the credentials file and its rotation journal have for OLD under NEW. If NEW has another
			user or password, nothing is written. Both names are asked for the instance UUID of their vCenter, without a login;
			two vCenters are an error. The secrets of the cluster need the new name too: with -f or --install-config, the
			command for that is printed.`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials rename 192.0.2.10 vcenter1.example.com -f provisioning.yaml`),
		Args: cobra.ArbitraryArgs,
		RunE: command.Action(o, runF, renameRun, func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 || args[0] == args[1] {
				return hint.Errorf(command.SeeHelp(cmd),
					"%s takes two different names of a vCenter, OLD and NEW", command.Spoken(cmd))
			}
			o.Old, o.New = args[0], args[1]
			return nil
		}),
	}
	o.File.Register(cmd)
	o.Source.RegisterReached(cmd)
	o.TLS.Register(cmd)
	return cmd
}

func renameRun(ctx context.Context, o *RenameOptions) error {
	of, err := o.Source.ResolveCluster(ctx, o.Factory)
	if err != nil {
		return err
	}
	if of != nil && (slices.Contains(command.Servers(of.Whole()), o.Old) || !slices.Contains(command.Servers(of.Whole()), o.New)) {
		return hint.Errorf("name "+o.New+" there first, in its place",
			"the specification does not name %s in place of %s; nothing was renamed", o.New, o.Old)
	}
	both := command.AsWritten([]string{o.Old, o.New})
	tls, err := o.TLS.Resolve(o.Streams, command.Servers(both))
	if err != nil {
		return err
	}
	var configs []vcenter.Config
	for _, v := range both.VCenters {
		configs = append(configs, o.Reach(both, o.Source.ConnectTo, tls)(v))
	}
	ids, _ := vcenter.Instances(ctx, configs) // a former name may not answer
	if a, b := ids[o.Old], ids[o.New]; a != "" && b != "" && !strings.EqualFold(a, b) {
		return hint.Errorf("keep both sections",
			"%s and %s are two vCenters (instance UUIDs %s and %s); nothing was renamed", o.Old, o.New, a, b)
	}
	path, _, err := o.CredentialsPath(o.File, of)
	if err != nil {
		return err
	}
	n, err := credfile.Rename(path, o.Old, o.New)
	if err != nil {
		return hint.Wrap(err, "which passwords are right: "+o.CommandLine("credentials validate", o.Said.Only(command.CredentialsFileFlag), "--login"))
	}
	o.Infof("%s: %s of %s renamed to %s", path, term.Count(n, "account"), o.Old, o.New)
	if of != nil {
		o.Due(o.Renews(of.Profile, o.Said))
		o.Next(o.CommandLine("verify", o.Said))
	}
	return nil
}
