// Package verify is the command that logs in as each account and compares rights with needs.
package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Options are the flags of `verify`.
type Options struct {
	job.Options
	Accounts job.AccountFlags
	InUse    InUseFlags
	Many     many.Flags
	Over     command.OverwriteFlag
	verify.Standard
}

// RegisterStandard adds the flags to cmd; more are words of --allow.
func RegisterStandard(cmd *cobra.Command, s *verify.Standard, usage string, more ...string) {
	cmd.Flags().BoolVar(&s.Strict, "strict", false, "also exit with 2 for privileges that a vCenter does not know")
	RegisterAllow(cmd, (*command.Allowed)(&s.Allow), usage, more...)
}

// RegisterAllow adds --allow of a proof; more are words of it.
func RegisterAllow(cmd *cobra.Command, allow *command.Allowed, usage string, more ...string) {
	allow.Register(cmd, "exit with 0 all the same: unable, unseen, unverified"+usage,
		append([]string{verify.AllowUnable, verify.AllowUnseen, verify.AllowUnverified}, more...)...)
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "verify",
		Short:   "Log in as each account and compare its rights with its needs",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Logs in once as each account, with the password from the credentials file, and compares its privileges with the
			matrix: on each object that its component needs, one level below, and wherever else it has a permission. Then
			repeats the checks of openshift-install. Exit code 2 if a privilege is missing or in excess, if a component
			cannot do all of its work (--allow unable), or if an account could not log in because its password is not known
			here (--allow unverified).

			With an administrator's login that may only read, vCenter computes what those accounts may do. If it may not
			read the accounts of the SSO domain, the exit code is 3 (--allow unseen).

			With --secrets or --kubeconfig it logs in as the accounts that the cluster has, without an administrator.

			` + many.Help + ` The files say where the passwords are (credentialsFile).`),
		Example: command.Examples(`
			ocp-vsphere-admin verify --install-config install-config.yaml
			ocp-vsphere-admin verify -f provisioning.yaml --ask-passwords
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin verify --install-config install-config.yaml --secrets -
			ocp-vsphere-admin verify -f clusters/ --results results --resume   # many clusters`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, o.check, o.Many.Check("strict", "allow", "create-folders")),
	}
	o.Connection.Source.Several = true
	o.Register(cmd)
	o.Accounts.Register(cmd)
	o.Over.Register(cmd)
	o.Many.Register(cmd, &o.Options, &o.Over)
	RegisterStandard(cmd, &o.Standard, ", fallback=COMPONENT", command.FallbackWords()...)
	job.RegisterCreatedFolders(cmd, &o.CreateFolders)
	o.InUse.Register(cmd)
	return cmd
}

func run(ctx context.Context, o *Options) error {
	if o.Many.Given() {
		return runMany(ctx, o)
	}
	if o.InUse.Given() {
		return runInUse(ctx, o)
	}
	w, err := o.Begin(ctx, job.Params{Looking: true, Accounts: &o.Accounts})
	if err != nil {
		return err
	}
	return Prove(ctx, w, o.Standard)
}

// Prove proves what the accounts can do, and prints it.
func Prove(ctx context.Context, w *job.Run, by verify.Standard) error {
	defer w.Finish()
	v := w.Job.Verify(ctx)
	w.Finish()
	w.Advice().Fill(w.Credentials, v.Findings)
	if w.Output == term.FormatTable && ctx.Err() != nil {
		return Judge(v, by) // interrupted: part of a proof is of no use to a person
	}
	return Report(w, v, by)
}

// Document is a verification with all findings, as JSON; words are flags for printed commands.
func Document(w *job.Run, v *verify.Result, words ...string) *verify.Result {
	document := *v
	document.Findings = slices.Concat(v.Findings, v.Failings(w.Wanted, func(name string, own ...string) string {
		return w.Advice().Granting(name, append(own, words...)...)
	}))
	if v.View == verify.ViewAccounts {
		finding.Sort(document.Findings)
	}
	return &document
}

// Report prints a verification; words are flags for printed commands.
func Report(w *job.Run, v *verify.Result, by verify.Standard, words ...string) error {
	above, notes := v.Findings, []*finding.Finding(nil)
	if v.View == verify.ViewAccounts { // whose notes are about the whole of it
		above = slices.DeleteFunc(slices.Clone(v.Findings), (*finding.Finding).Advice)
		notes = slices.DeleteFunc(slices.Clone(v.Findings), func(f *finding.Finding) bool { return !f.Advice() })
	}
	if err := w.RecordsBelow(Document(w, v, words...), above, func() *term.Table { return table(v) }); err != nil {
		return err
	}
	s := v.Summary
	if w.Output == term.FormatTable {
		for _, f := range notes {
			w.Infof("note: %s", f.Text)
		}
		if alarms := v.Predicted(); alarms != "" {
			w.Infof("note: %s", alarms)
		}
		explain(w, v)
		if line := summaryOf(v); line != "" {
			w.Infof("%s", line)
		}
		if s.Disabled > 0 {
			w.Infof("%s disabled: not logged in, and the installer's checks are skipped if its account is disabled", term.Count(s.Disabled, "account"))
		}
		if s.Unknown > 0 {
			w.Infof("%s needed but unknown to vCenter: see above for what the components cannot do",
				term.Count(s.Unknown, "privilege"))
		}
		if s.Computed > 0 && !by.Allows(verify.AllowUnverified) {
			w.Hint("only a login proves what an account may do: run verify with the credentials file; --allow unverified accepts this")
		}
		remedies := []string{}
		for _, f := range Document(w, v, words...).Findings {
			if f.Code == finding.RefusedAccount && v.View == verify.ViewAdministrator ||
				f.Code == finding.UnverifiedAccount && !by.Allows(verify.AllowUnverified) {
				remedies = lists.AppendNew(remedies, f.Remedies...)
			}
		}
		w.Hint(remedies...)
		own, mends := v.Mends()
		switch hints := asFiled(w, v); {
		case hints != nil:
			w.Hint(hints...)
		case slices.ContainsFunc(v.VCenters, func(vc verify.VCenter) bool { return vc.MadeWith != "" }): // see above
		case absent(v), mends && v.View == verify.ViewAdministrator:
			w.Due(w.Advice().Granting("apply", own...))
		}
	}
	return Judge(v, by)
}

// absent reports whether an account does not exist and apply makes it.
func absent(v *verify.Result) bool {
	return slices.ContainsFunc(v.VCenters, func(vc verify.VCenter) bool {
		return slices.ContainsFunc(vc.Accounts, func(a verify.Account) bool { return a.Login == verify.LoginAbsent })
	})
}

// asFiled are hints how to use accounts of the credentials file in place of absent ones, beside
// which apply refuses to create others; nil = the file has none.
func asFiled(w *job.Run, v *verify.Result) []string {
	if v.View == verify.ViewAccounts || !absent(v) { // the former is about the accounts of secrets
		return nil
	}
	file := w.Job.Request.Credentials
	var has []finding.Account
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			for _, c := range component.Names() {
				absent := a.Login == verify.LoginAbsent && slices.Contains(strings.Split(a.Component, ","), string(c))
				if held, ok := file.Get(vc.Server, c); ok && absent && !w.Wanted.At(vc.Server).Account(c).MayBe(held.User) {
					has = append(has, finding.Account{Component: c, Principal: held.User})
				}
			}
		}
	}
	if has == nil {
		return nil
	}
	differs := file.Path() + " has other accounts than the specification"
	return append([]string{differs}, decision.AsFiled(w.Job.Request, file, has)...)
}

// Judge is the error of a verification with findings.
func Judge(v *verify.Result, by verify.Standard) error {
	failed := 0
	for _, vc := range v.VCenters {
		if vc.Error != "" {
			failed++
		}
	}
	switch {
	case failed > 0:
		return command.Partly(failed < len(v.VCenters), v.Err())
	case !v.Meets(by):
		return command.Exit(command.ExitDifferent)
	case len(v.Incomplete) > 0 && !by.Allows(verify.AllowUnseen):
		return command.Exit(command.ExitPartly)
	}
	return nil
}

// explain prints what is wrong with the remedy, once per account, and its effect on the component.
func explain(w *job.Run, v *verify.Result) {
	f := w.Factory
	for _, vc := range v.VCenters {
		if vc.MadeWith != "" {
			f.Todof("%s: the accounts have the privileges of %s %s", vc.Server, vc.MadeBy, vc.MadeWith)
			f.Command("to compare with that one:", w.Advice().Granting("verify", "--"+vc.MadeBy, vc.MadeWith))
			f.Command("to add what is missing, and take no privileges:", w.Advice().Granting("apply", "--additive"))
		}
		for _, u := range vc.Unseen() {
			text := fmt.Sprintf("%s: %s: %s", vc.Server, strings.Join(u.Components, ", "), u)
			if u.Remedy != verify.RemedyMatrix {
				text += "; " + u.Remedy
			}
			f.Todof("%s", text)
		}
		for _, a := range vc.Accounts {
			if v.View == verify.ViewAccounts && a.Refused() {
				f.Todof("%s: %s: %s; %s", vc.Server, a.Component, a.Login, verify.CompareSecret)
			}
			for _, r := range a.ToMend() {
				if r.Remedy == verify.RemedyMatrix {
					continue // said above, for all of them
				}
				f.Todof("%s: %s: %s; %s", vc.Server, a.Component, r.Why, r.Remedy)
			}
			if cannot := verify.Unexplained(a.Cannot, a.Unseen()); len(cannot) > 0 {
				as, text := "", []string{verify.Cannots(cannot)}
				if !a.Failed() {
					as, text = "as the matrix asks; ", append(text, verify.Remedies(cannot)...)
				}
				f.Todof("%s: %s: %scannot: %s", vc.Server, a.Component, as, strings.Join(text, "; "))
			}
		}
	}
}

// table has a row per account, per faulty object, and for the installer's checks.
func table(v *verify.Result) *term.Table {
	t := term.NewTable("vcenter", "component", "account", "login", "objects", "missing", "excess")
	for _, vc := range v.VCenters {
		if vc.Error != "" {
			t.Row(vc.Server, "", "", "not verified, see below")
		}
		for _, a := range vc.Accounts {
			missing, excess := a.Count()
			who, outcome := a.Principal, a.Login
			if a.Member != "" {
				who += " (" + a.Member + ")"
			}
			if a.Reason != "" {
				outcome += ": " + a.Reason
			}
			if len(a.Objects) == 0 && a.Login != login.OK { // nothing is known of them
				t.Row(vc.Server, a.Component, who, outcome, "-", "-", "-")
				continue
			}
			t.Row(vc.Server, a.Component, who, outcome, len(a.Objects), missing, excess)
			flooded, many := "", 0
			for _, obj := range a.Objects {
				if len(obj.Excess) <= readable || len(obj.Missing)+len(obj.Unknown) > 0 {
					objectRows(t, obj)
					continue
				}
				if many++; many == 1 {
					flooded = obj.Path
				}
			}
			switch {
			case many > 1:
				flooded += " and " + term.Count(many-1, "more object")
				fallthrough
			case many == 1:
				t.Row("", "", "  on "+flooded, "", "", "", "see below, and -o json")
			}
			for _, u := range a.Unseen() {
				t.Row("", "", "  from "+u.Path+" down", "(not seen)", len(u.Objects), u.Privileges)
			}
		}
		if len(vc.Preflight) > 0 {
			preflightRows(t, vc)
		}
	}
	return t
}

// readable is how many excess privileges a person reads: the role Admin brings hundreds per object.
const readable = 40

// objectRows are the faults of one object, except that it is not seen.
func objectRows(t *term.Table, obj verify.Object) {
	if obj.HiddenBy != "" {
		obj.Missing = nil
	}
	if len(obj.Missing)+len(obj.Excess)+len(obj.Unknown) == 0 {
		return
	}
	missing := slices.Clone(obj.Missing)
	for _, id := range obj.Unknown {
		missing = append(missing, id+" (unknown)")
	}
	t.Row("", "", "  on "+obj.Path, "("+obj.Scope+")", "", term.Lines(missing), term.Lines(obj.Excess))
}

func preflightRows(t *term.Table, vc verify.VCenter) {
	missing := 0
	for _, p := range vc.Preflight {
		missing += len(p.Missing)
	}
	t.Row(vc.Server, "installer", "openshift-install's own checks", "", len(vc.Preflight), missing)
	for _, p := range vc.Preflight {
		if len(p.Missing) > 0 {
			t.Row("", "", "  privileges missing for "+p.Check, "", "", term.Lines(p.Missing))
		}
	}
}
