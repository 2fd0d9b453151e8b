package users

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ListOptions are the flags of `users list`.
type ListOptions struct {
	job.Options
	All            bool           // --all
	ExpiringWithin *time.Duration // --expiring-within; nil = all accounts
	ExitCode       bool           // --exit-code
}

func newCmdList(f *command.Factory, runF func(*ListOptions) error) *cobra.Command {
	o := &ListOptions{Options: job.ReadOnly(f, plan.User)}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the accounts and when their passwords expire",
		Long: command.Text(`
			Lists the accounts of a cluster in each SSO domain; with --vcenters alone, or --all, every account that this
			tool created for any cluster. The last column says whether the credentials file has the password; 'verify' tries
			it.

			The states are ok, missing, disabled, locked, expired or exempt (the password is older than the policy allows; SSO
			does not tell which accounts are exempt, and 'verify' shows it by a login), foreign (an account that has the name
			but was not created by this tool) and group (an adopted principal that is a group).

			--expiring-within 14d lists only accounts whose password expires within that time, has expired, or whose expiry
			is unknown. With --exit-code the exit code is 2 if any is listed. It is 3 if the accounts of an SSO domain
			cannot be read.`),
		Example: command.Examples(`
			ocp-vsphere-admin users list -f provisioning.yaml --expiring-within 14d --exit-code
			ocp-vsphere-admin users list --vcenters vcenter1.example.com --cluster cluster1 -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, listRun, func(*cobra.Command, []string) error {
			if o.ExitCode && o.ExpiringWithin == nil {
				return command.BadFlag("exit-code", "add --expiring-within, or omit this")
			}
			return nil
		}),
	}
	o.RegisterReadOnly(cmd)
	o.Connection.Source.NamesOnly = true
	flags := cmd.Flags()
	flags.BoolVar(&o.All, "all", false, "also list the accounts of other clusters")
	flags.Var(command.NewSpan(&o.ExpiringWithin), "expiring-within",
		"only passwords that expire within this time: 14d, 36h")
	flags.BoolVar(&o.ExitCode, "exit-code", false, "with --expiring-within: exit with 2 if there is any")
	return cmd
}

func listRun(ctx context.Context, o *ListOptions) error {
	w, err := o.Begin(ctx, job.Params{})
	if err != nil {
		return err
	}
	query := provision.UserQuery{Everybody: o.All}
	if o.ExpiringWithin != nil {
		query.Due = &sso.Limits{ExpiringWithin: o.ExpiringWithin}
	}
	l := w.Job.Users(ctx, query)
	w.Finish()
	listed := 0
	for i := range l.Domains {
		d := &l.Domains[i]
		d.Users = slices.DeleteFunc(d.Users, func(u inspect.User) bool { return !o.Wants(u.Component) })
		listed += len(d.Users)
	}
	if query.Due != nil { // the list is about this, with another limit
		l.Findings = slices.DeleteFunc(l.Findings, func(f *finding.Finding) bool {
			return f.Advice() && f.Code != finding.UnseenAccounts
		})
	}
	w.Advice().Fill(w.Credentials, l.Findings)
	if err := o.RecordsBelow(l, l.Findings, func() *term.Table { return usersTable(l) }); err != nil {
		return err
	}
	o.ForPeople(func() {
		for _, d := range l.Domains {
			o.Infof("%s", policyWords(d))
		}
		if o.ExpiringWithin != nil && l.Results().Err() == nil && len(l.Incomplete) == 0 {
			found := "no password expires"
			if listed > 0 {
				found = term.Count(listed, "account") + ", because the password expires or may expire"
			}
			o.Infof("%s within %s", found, command.SpanText(*o.ExpiringWithin))
			renew(w, l)
		}
	})
	switch err := o.ReportUnread(l.Results()); {
	case err != nil:
		return err
	case o.ExitCode && listed > 0:
		return command.Exit(command.ExitDifferent)
	case len(l.Incomplete) > 0:
		return command.Exit(command.ExitPartly)
	}
	return nil
}

func usersTable(l *inspect.UserList) *term.Table {
	t := term.NewTable("vcenter", "component", "cluster", "account", "state", "age", "days left", "password known")
	for _, d := range l.Domains {
		for _, u := range d.Users {
			t.Row(term.Lines(d.VCenters), u.Component, command.Some(u.Cluster), u.Principal,
				strings.Join(u.States, ", "), job.Days(u.PasswordAgeDays, "unknown"), daysLeft(d, u), stored(u))
		}
	}
	for _, server := range l.Incomplete {
		t.Row(server, "accounts not read")
	}
	job.UnreadRows(t, l.Results())
	return t
}

// renew prints how to renew the passwords of the listed accounts: those of the specification or, if
// only vCenters were named, of each cluster with a file of its own.
func renew(w *job.Run, l *inspect.UserList) {
	if w.Wanted.Cluster != "" {
		renewIn(w, l, w.Wanted.Cluster, "")
		return
	}
	var clusters []string
	for _, d := range l.Domains {
		for _, u := range d.Users {
			clusters = lists.AppendNew(clusters, u.Cluster)
		}
	}
	for _, cluster := range clusters {
		renewIn(w, l, cluster, "with the provisioning file of cluster "+cluster+":")
	}
}

// renewIn is renew for the accounts of one cluster, below head if it is set.
func renewIn(w *job.Run, l *inspect.UserList, cluster, head string) {
	known := w.Wanted.ComponentNames()
	if job.CheckComplete(w.Wanted) != nil { // a file that was not read names them
		known = component.Names()
	}
	f := finding.New(finding.ExpiringPassword, "", "")
	for _, d := range l.Domains {
		for _, u := range d.Users {
			if c := component.Name(u.Component); !u.Adopted && u.Cluster == cluster && slices.Contains(known, c) {
				for _, server := range d.VCenters {
					f.Accounts = append(f.Accounts,
						finding.Account{Server: server, Component: c, Principal: u.Principal, Earlier: u.Earlier})
				}
			}
		}
	}
	if head != "" && len(f.Accounts) > 0 {
		w.Infof("%s", head)
	}
	for _, s := range w.Advice().Steps(f) {
		if s.What == "" {
			w.Due(s.Line)
		} else {
			w.Command(strings.TrimSpace(s.What), s.Line)
		}
	}
}

func daysLeft(d inspect.UserDomain, u inspect.User) string {
	switch {
	case u.DaysLeft != nil && *u.DaysLeft == 0 && u.Source == sso.SourceSSO:
		return "expired or exempt"
	case u.DaysLeft != nil && *u.DaysLeft == 0:
		return "expires today"
	case u.DaysLeft != nil && *u.DaysLeft < 0:
		return "expired " + term.Count(-*u.DaysLeft, "day") + " ago, or exempt"
	case u.DaysLeft != nil:
		return fmt.Sprint(*u.DaysLeft)
	case u.DaysLeftAtMost != nil:
		return fmt.Sprintf("at most %d", *u.DaysLeftAtMost)
	case d.Password.LifetimeDays == 0 && !u.Adopted, u.Source == sso.SourceSSO:
		return "no end"
	}
	return "unknown"
}

func stored(u inspect.User) string {
	switch {
	case len(u.NotStoredFor) == 0:
		return "yes"
	case len(u.StoredFor) == 0:
		return "no"
	}
	return "not for " + strings.Join(u.NotStoredFor, ", ")
}

// policyWords are the password rules by which to read the columns of a domain.
func policyWords(d inspect.UserDomain) string {
	life := "passwords never expire"
	if n := d.Password.LifetimeDays; n > 0 {
		life = "passwords live " + term.Count(n, "day")
	}
	lock := "accounts are never locked"
	if p := d.Lockout; p.MaxFailedAttempts > 0 {
		lock = fmt.Sprintf("%d failed logins within %d s lock an account", p.MaxFailedAttempts, p.WithinSeconds)
		if p.UnlockSeconds > 0 {
			lock += fmt.Sprintf(" for %d s", p.UnlockSeconds)
		} else {
			lock += " until an administrator unlocks it"
		}
	}
	return fmt.Sprintf("SSO domain %s (%s): %s; %s", d.Domain,
		strings.Join(append(d.VCenters, d.Others...), ", "), life, lock)
}
