package secrets

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

const noVerifyFlag = "no-verify"

// verify logs in with the accounts that are about to be written, but those that the specification disables: with --verify with all, else
// with those that replace others in the cluster. One that is refused, or not answered, is an error: another machine may have set its
// password, and the cluster works with that one.
func (o *EmitOptions) verify(ctx context.Context, e *emission) error {
	if !o.Verify && e.cluster == nil {
		return nil
	}
	reach, err := command.Reached(e.asked, e.file.Servers(), o.Source.ConnectTo)
	if err != nil {
		return err
	}
	accounts := e.used(command.Servers(reach))
	if o.Verify && accounts.Count() == 0 {
		return errors.New("--verify: no account of these secrets is in the credentials file; nothing was written")
	}
	for server, of := range accounts {
		maps.DeleteFunc(of, func(c component.Name, a credfile.Account) bool {
			return reach.Disabled(c) || !o.Verify && !e.replaces(server, a)
		})
	}
	if accounts.Count() == 0 {
		return nil
	}
	if o.NoVerify {
		o.Warnf("--%s: nobody logged in with the accounts that replace others in the cluster", noVerifyFlag)
		return nil
	}
	tried, err := o.TryAccounts(ctx, reach, o.Source.ConnectTo, &o.Instances.TLS, accounts)
	if err != nil {
		return err
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

// replaces reports whether an account of a vCenter takes the place of another one in a secret of the cluster, or by another secret.
func (e *emission) replaces(server string, a credfile.Account) bool {
	return e.cluster.Replaces(e.manifests, server, a) || slices.ContainsFunc(e.switches, func(s cluster.Switch) bool {
		return strings.EqualFold(s.Server, server) && s.From.User != "" && strings.EqualFold(s.To.User, a.User)
	})
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

// refusedRemedies says what to do where a login failed. list is the command that shows the state of the accounts; "" = none does.
func refusedRemedies(tried []command.TriedAccount, list, imports string) (hints []string) {
	refused := func(r command.TriedAccount) bool { return errors.Is(r.Err, vcenter.ErrLogin) }
	if slices.ContainsFunc(tried, refused) {
		if list != "" {
			hints = append(hints, "to see whether it is locked or disabled: "+list)
		}
		hints = append(hints, "linked vCenters take up to a minute to know a new account: then run the same command again",
			"the password may have been set on another machine since: use its credentials file, or import what the cluster has: "+imports,
			"a right password is refused while the account is locked by components that still try the old one: --"+noVerifyFlag+" writes it all the same")
	}
	if slices.ContainsFunc(tried, func(r command.TriedAccount) bool { return r.Err != nil && !refused(r) }) {
		hints = append(hints, "if no vCenter can be reached from here: --"+noVerifyFlag+" writes what nobody has tried")
	}
	return hints
}
