package secrets

import (
	"context"
	"errors"
	"maps"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// verify logs in with the accounts that are about to be written, but those that the specification disables. One that is refused, or
// not answered, is an error: another machine may have set its password, and the cluster works with that one.
func (o *EmitOptions) verify(ctx context.Context, e *emission) error {
	if !o.Verify {
		return nil
	}
	reach, err := command.Reached(e.asked, e.file.Servers(), o.Source.ConnectTo)
	if err != nil {
		return err
	}
	accounts := e.used(command.Servers(reach))
	for _, of := range accounts {
		maps.DeleteFunc(of, func(c component.Name, _ credfile.Account) bool { return reach.Disabled(c) })
	}
	tried, err := o.TryAccounts(ctx, reach, o.Source.ConnectTo, &o.Instances.TLS, accounts)
	if err != nil {
		return err
	}
	if len(tried) == 0 {
		return errors.New("--verify: no account of these secrets is in the credentials file; nothing was written")
	}
	if err := command.Failures(tried, "nothing was written"); err != nil {
		list := ""
		if e.asked != nil {
			list = o.CommandLine("users list", o.Said)
		}
		return hint.Wrap(err, refusedRemedies(tried, list, openshift.FromCluster+o.CommandLine("credentials import", o.Source.OfFile(o.Said), "--secrets", "-", "--replace"))...)
	}
	return nil
}

// used are the accounts of the credentials file on vCenters whose users the manifests hold.
func (e *emission) used(servers []string) openshift.Accounts {
	accounts := openshift.FromFile(e.file, servers)
	for _, of := range accounts {
		maps.DeleteFunc(of, func(_ component.Name, a credfile.Account) bool {
			return len(holding(e.manifests, func(user string) bool { return user == a.User })) == 0
		})
	}
	return accounts
}

// refusedRemedies says what to do where a password was refused. list is the command that shows the state of the accounts; "" = none does.
func refusedRemedies(tried []command.TriedAccount, list, imports string) []string {
	for _, r := range tried {
		if errors.Is(r.Err, vcenter.ErrLogin) {
			hints := []string{
				"linked vCenters take up to a minute to know a new account: then run the same command again",
				"the password may have been set on another machine since: use its credentials file, or import what the cluster has: " + imports,
			}
			if list != "" {
				hints = append([]string{"to see whether it is locked or disabled: " + list}, hints...)
			}
			return hints
		}
	}
	return nil
}
