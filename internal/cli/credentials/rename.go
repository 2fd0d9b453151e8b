package credentials

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// RenameOptions are the flags of `credentials rename`.
type RenameOptions struct {
	*command.Factory
	File     command.CredentialsFlag
	Source   command.SourceFlags
	Old, New string
	Replace  bool
	TLS      command.TLSFlags
}

func newCmdRename(f *command.Factory, runF func(*RenameOptions) error) *cobra.Command {
	o := &RenameOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "rename OLD NEW",
		Short: "Give a section another name, after its vCenter got one",
		Long: command.Text(`
			Puts the accounts that the credentials file and its rotation journal have for the vCenter OLD under the name NEW.
			Accounts that are there already stay: another user is an error, and so is another password, unless --replace
			prefers that of OLD; the other one is then saved in credentials` + credfile.FormerSuffix + `. After an error nothing is written.

			Both names are asked for the instance UUID of their vCenter, without a login. If they are two vCenters, nothing is
			renamed. The secrets of the cluster need the new name too: name the provisioning file or install-config, and the
			command for that is printed.`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials rename 192.0.2.10 vcenter1.example.com -f provisioning.yaml`),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 || args[0] == args[1] {
				return hint.Errorf(command.SeeHelp(cmd), "%s takes two different names of a vCenter, OLD and NEW", command.Spoken(cmd))
			}
			o.Old, o.New = args[0], args[1]
			return nil
		},
		RunE: command.Action(o, runF, renameRun),
	}
	o.File.Register(cmd)
	o.Source.RegisterReached(cmd)
	o.TLS.Register(cmd)
	cmd.Flags().BoolVar(&o.Replace, "replace", false, "where NEW has another password of the same user, overwrite it with that of OLD")
	command.MarkCommandLineOnly(cmd, "replace")
	return cmd
}

func renameRun(ctx context.Context, o *RenameOptions) error {
	of, err := o.Source.ResolveCluster(ctx, o.Factory)
	if err != nil {
		return err
	}
	if of != nil {
		servers := command.Servers(of.Whole())
		if slices.Contains(servers, o.Old) {
			return hint.Errorf("name "+o.New+" there first", "the specification still names %s; nothing was renamed", o.Old)
		}
		if err := command.OneOf(o.New, servers); err != nil {
			return err
		}
	}
	if err := o.sameVCenter(ctx, of); err != nil {
		return err
	}
	path, _, err := o.CredentialsPath(o.File, of)
	if err != nil {
		return err
	}
	unlock, err := credfile.Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	merged, former, err := credfile.Rename(path, o.Old, o.New, credfile.Leave{Passwords: o.Replace})
	switch {
	case slices.ContainsFunc(merged, func(m credfile.Merged) bool { return m.Outcome == credfile.Conflicting }):
		return hint.Wrap(err, "nothing was renamed; which accounts log in: "+o.CommandLine("credentials validate", o.Said.Only(command.CredentialsFileFlag), "--login"),
			"--replace takes the passwords of "+o.Old+" where users are the same")
	case err != nil:
		return err
	case former != "":
		o.Infof("the passwords that were replaced are in %s", former)
	}
	o.Infof("%s: %s of %s renamed to %s", path, term.Count(len(merged), "account"), o.Old, o.New)
	if of != nil {
		o.ForPeople(func() {
			o.Next(o.Renews(o.Said, o.Tested(o.Said)...))
			o.Next(o.CommandLine("verify", o.Said))
		})
	}
	return nil
}

// sameVCenter refuses two vCenters. A name of which nobody answers may be the former one.
func (o *RenameOptions) sameVCenter(ctx context.Context, of *spec.Spec) error {
	reach := command.AsWritten([]string{o.Old, o.New})
	if of == nil {
		if err := o.Source.ConnectTo.Apply(reach); err != nil {
			return err
		}
	} else {
		reach.VCenters = append(reach.VCenters[:1], of.Whole().VCenters[slices.Index(command.Servers(of.Whole()), o.New)])
	}
	tls, err := o.TLS.Resolve(o.Streams, command.Servers(reach))
	if err != nil {
		return err
	}
	config := o.Reach(reach, o.Source.ConnectTo, tls)
	ids, failed := vcenter.Instances(ctx, []vcenter.Config{config(reach.VCenters[0]), config(reach.VCenters[1])})
	switch a, b := ids[o.Old], ids[o.New]; {
	case a != "" && b != "" && !strings.EqualFold(a, b):
		return hint.Errorf("keep both sections", "%s and %s are two vCenters (instance UUIDs %s and %s); nothing was renamed", o.Old, o.New, a, b)
	case a == "" || b == "":
		for _, server := range command.SortedKeys(failed) {
			o.Infof("it was not checked that both names lead to one vCenter: %v", failed[server])
		}
	}
	return nil
}
