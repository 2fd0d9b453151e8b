package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// UsersListOptions are the words of `users list`.
type UsersListOptions struct {
	JobOptions
	All bool // --all
}

func newCmdUsersList(f *Factory, runF func(*UsersListOptions) error) *cobra.Command {
	o := &UsersListOptions{JobOptions: reading(f, plan.User)}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the accounts: locked, disabled, missing, and how long their passwords live",
		Long: text(`
			Lists the accounts of a cluster in each SSO domain, linked vCenters together; with --vcenters alone, or --all,
			every account that carries this tool's mark, of whatever cluster. The policy of the domain says how many days a
			password lives. How old it is SSO tells nobody: the day on which this tool set it stands in the account's
			description, and where somebody has reset it since, it is younger than shown. The last column says whether the
			credentials file has the password for every vCenter of the domain; it is not tried, verify does that. Where an
			account's password is lost, the first line says so and how to heal it.`),
		Example: examples(`
			ocp-vsphere-admin users list -f provisioning.yaml
			ocp-vsphere-admin users list --vcenters vcenter1.example.com
			ocp-vsphere-admin users list --vcenters vcenter1.example.com --cluster cluster1 -o json`),
		Args: noWords,
		RunE: action(o, runF, usersListRun),
	}
	o.registerReading(cmd)
	cmd.Flags().BoolVar(&o.All, "all", false, "the accounts of other clusters too")
	return cmd
}

func usersListRun(ctx context.Context, o *UsersListOptions) error {
	w, err := o.begin(ctx, extent{})
	if err != nil {
		return err
	}
	l := w.job.Users(ctx, o.All, time.Now())
	w.finish()
	for i := range l.Domains {
		d := &l.Domains[i]
		d.Users = slices.DeleteFunc(d.Users, func(u provision.ListedUser) bool { return !o.asked(u.Component) })
	}
	w.remedy(l.Findings)
	if err := o.recordsBelow(l, l.Findings, func() *term.Table { return usersTable(l) }); err != nil {
		return err
	}
	if o.Output == term.FormatTable {
		for _, d := range l.Domains {
			o.Infof("%s", policyWords(d))
		}
	}
	return o.read(l.Results())
}

func usersTable(l *provision.UserList) *term.Table {
	t := term.NewTable("vcenter", "component", "cluster", "account", "state", "age", "days left", "password known")
	for _, d := range l.Domains {
		for _, u := range d.Users {
			component, cluster := u.Component, u.Cluster
			if cluster == "" {
				cluster = "-"
			}
			t.Row(term.Lines(d.VCenters), component, cluster, u.Principal, strings.Join(u.States, ", "), days(u.PasswordAgeDays, "unknown"), left(d, u), stored(u))
		}
	}
	unread(t, l.Results(), 8)
	return t
}

func days(n *int, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return fmt.Sprint(*n)
}

func left(d provision.UserDomain, u provision.ListedUser) string {
	switch {
	case u.DaysLeft != nil && *u.DaysLeft == 0:
		return "expired today"
	case u.DaysLeft != nil && *u.DaysLeft < 0:
		return fmt.Sprintf("expired %d days ago", -*u.DaysLeft)
	case u.DaysLeft != nil:
		return fmt.Sprint(*u.DaysLeft)
	case u.DaysLeftAtMost != nil:
		return fmt.Sprintf("at most %d", *u.DaysLeftAtMost)
	case d.Password.LifetimeDays == 0 && !u.Adopted:
		return "no end"
	}
	return "unknown"
}

func stored(u provision.ListedUser) string {
	switch {
	case len(u.NotStoredFor) == 0:
		return "yes"
	case len(u.StoredFor) == 0:
		return "no"
	}
	return "not for " + strings.Join(u.NotStoredFor, ", ")
}

// policyWords says the rules that the columns of a domain are to be read by.
func policyWords(d provision.UserDomain) string {
	life := "passwords never expire"
	if n := d.Password.LifetimeDays; n > 0 {
		life = fmt.Sprintf("passwords live %d days", n)
	}
	lock := "accounts are never locked"
	if p := d.Lockout; p.MaxFailedAttempts > 0 {
		lock = fmt.Sprintf("%d failed logins within %d s lock an account", p.MaxFailedAttempts, p.WithinSeconds)
		if p.UnlockSeconds > 0 {
			lock += fmt.Sprintf(" for %d s", p.UnlockSeconds)
		} else {
			lock += " until somebody unlocks it"
		}
	}
	return fmt.Sprintf("SSO domain %s (%s): %s; %s", d.Domain, strings.Join(append(d.VCenters, d.Others...), ", "), life, lock)
}
