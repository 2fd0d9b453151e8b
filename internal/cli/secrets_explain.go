package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// SecretsExplainOptions are the flags of `secrets explain`.
type SecretsExplainOptions struct {
	*Factory
	Dump      string // --file, - for stdin
	Cluster   clusterFlags
	Requests  requestsFlags
	VCenters  []string // empty = those that the secrets name
	Verify    bool
	ConnectTo addressFlag
	TLS       tlsFlags
}

type explanationView struct {
	header
	File     string                `json:"file"`
	VCenters []string              `json:"vcenters"`
	Requests []openshift.Explained `json:"requests"`
	Readers  []openshift.Reading   `json:"directReaders"` // of kube-system/vsphere-creds
	Findings []*finding.Finding    `json:"findings"`
	Logins   []loginView           `json:"logins"` // with --verify

	Resolutions []openshift.Resolution `json:"resolutions"` // who gets what by which step, and what that goes before
}

type loginView struct {
	Server  string   `json:"server"`
	User    string   `json:"user"`
	Secrets []string `json:"secrets"` // that hold the account
	Login   string   `json:"login"`   // ok, or the reason
	OK      bool     `json:"ok"`

	skipped bool // nobody tried: Login says why
}

func newCmdSecretsExplain(f *Factory, runF func(*SecretsExplainOptions) error) *cobra.Command {
	o := &SecretsExplainOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Show which account each component gets, and what is wrong",
		Long: text(`
			Reads what 'oc get secrets -n kube-system -o yaml' or 'oc get secrets -A -o yaml' prints, a file of secrets, or
			with --kubeconfig the secrets of a running cluster. For each CredentialsRequest it shows the secret that the
			cloud-credential-operator of the enhancement selects and by which step (annotation, name, root), the account that
			a release without the enhancement uses (that of the root secret), and, if the dump has the secret that the
			component reads, the account in it now. Then it lists what is missing, malformed, shadowed or different; for
			misspelled names and keys the likely name is suggested. A malformed value is reported and the rest is still
			explained. Passwords are never shown.

			--verify logs in with each account once on each vCenter. If a secret records which vCenter a server name led to
			('secrets emit --vcenter-ids'), that is checked first: no password is sent to another vCenter, or to one that
			cannot be checked. Exit code 2 if something is missing or malformed, a name leads to another vCenter than
			recorded, or a login fails or is skipped.`),
		Example: examples(`
			oc get secrets -A -o yaml | ocp-vsphere-admin secrets explain -f -
			ocp-vsphere-admin secrets explain -f dump.yaml --credentials-requests credreqs -o json
			ocp-vsphere-admin secrets explain -f dump.yaml --verify`),
		Args: noWords,
		RunE: action(o, runF, secretsExplainRun, func(cmd *cobra.Command, _ []string) error {
			if o.Dump == "" && !o.Cluster.given() {
				return hint.Errorf("'oc get secrets -A -o yaml | "+program+" secrets explain -f -' reads them from a cluster", "-f FILE (a dump of secrets) or --kubeconfig FILE is required")
			}
			return nil
		}),
	}
	p := cmd.Flags()
	p.StringVarP(&o.Dump, "file", "f", "", "secrets as 'oc get secrets -o yaml' prints them (- for stdin)")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml", "json")
	markCommandLineOnly(cmd, "file") // a setting is the provisioning file of other commands
	o.Cluster.Register(cmd, "file")
	o.Requests.Register(cmd)
	p.StringSliceVar(&o.VCenters, "vcenters", nil, "the cluster's vCenters (default: those that the secrets name)")
	p.BoolVar(&o.Verify, "verify", false, "log in once with each account on each vCenter")
	o.ConnectTo.Register(cmd)
	o.TLS.Register(cmd)
	return cmd
}

func secretsExplainRun(ctx context.Context, o *SecretsExplainOptions) error {
	requests, err := o.Requests.Resolve()
	if err != nil {
		return err
	}
	name, data, err := o.objects(ctx, o.Dump, o.Cluster, allSecrets())
	if err != nil {
		return err
	}
	secrets, faults, err := openshift.ReadSecrets(name, data)
	if err != nil {
		return errors.Join(append(faults, err)...)
	}
	e, err := openshift.Explain(secrets, openshift.ExplainOptions{Requests: requests, Servers: o.VCenters})
	if err != nil {
		return errors.Join(append(faults, hint.Wrap(fmt.Errorf("%s: %w", name, err), "'oc get secrets -A -o yaml' prints all secrets of a cluster"))...)
	}
	for i, fault := range faults {
		e.Findings = slices.Insert(e.Findings, i, finding.New(finding.SecretMalformed, "", "%s", fault))
	}
	view := explanationView{newHeader("SecretExplanation"), name, orEmpty(e.Servers), orEmpty(e.Requests), orEmpty(e.Readers), orEmpty(e.Findings), []loginView{}, e.Resolutions}
	if o.Verify {
		if view.Logins, err = o.verify(ctx, e); err != nil {
			return err
		}
		view.Findings = orEmpty(e.Findings)
	}
	if err := o.Print(o.Output, view, func(w io.Writer) error { return view.print(w, o) }); err != nil {
		return err
	}
	return o.explained(ctx, view)
}

// explained sums up and decides about the exit code.
func (o *SecretsExplainOptions) explained(ctx context.Context, view explanationView) error {
	failed, skipped := 0, 0
	bad, notes := finding.Count(view.Findings)
	for _, l := range view.Logins {
		switch {
		case l.skipped:
			skipped++
		case !l.OK:
			failed++
		}
	}
	if o.Output == term.FormatTable {
		o.Infof("%s: %s, %s", view.File, term.Count(bad, "problem"), term.Count(notes, "note"))
		if o.Verify {
			text := fmt.Sprintf("%s tried, %d failed", term.Count(len(view.Logins)-skipped, "account"), failed)
			if skipped > 0 {
				text += fmt.Sprintf(", %d skipped", skipped)
			}
			o.Infof("%s", text)
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case bad+failed+skipped > 0:
		return exit(ExitDifferent)
	}
	return nil
}

// verify tries each account once.
func (o *SecretsExplainOptions) verify(ctx context.Context, e *openshift.Explanation) ([]loginView, error) {
	if len(e.Servers) == 0 {
		return []loginView{}, nil
	}
	known := asWritten(e.Servers)
	tls, tlsErr := o.TLS.Resolve(o.Streams, e.Servers)
	if err := errors.Join(o.ConnectTo.apply(known), tlsErr); err != nil {
		return nil, err
	}
	run, reach := &vcenter.Run{}, o.reach(known, addressFlag{}, tls)
	config := func(server string) vcenter.Config {
		c := reach(known.VCenters[slices.Index(e.Servers, server)])
		c.Run = run
		return c
	}
	var recorded []vcenter.Config
	for _, server := range e.Recorded() {
		recorded = append(recorded, config(server))
	}
	ids, _ := provision.Instances(ctx, recorded) // one that could not be asked is a finding
	doubts := e.CompareInstances(ids)
	var targets []provision.LoginTarget
	views := make([]loginView, len(e.Held()))
	var tried []int
	for i, h := range e.Held() {
		why, doubted := doubts[h.Server]
		views[i] = loginView{h.Server, h.Account.User, h.Secrets, "login skipped: " + why, false, true}
		if !doubted {
			tried = append(tried, i)
			targets = append(targets, provision.LoginTarget{Server: h.Server, Config: config(h.Server), User: h.Account.User, Password: h.Account.Password})
		}
	}
	for i, r := range provision.TryLogins(ctx, targets) {
		v := &views[tried[i]]
		v.Login, v.OK, v.skipped = r.Result, r.Err == nil, errors.Is(r.Err, vcenter.ErrNotTried)
	}
	return views, nil
}

// print writes the tables: who gets what, what is to know, who could log in.
func (v explanationView) print(w io.Writer, o *SecretsExplainOptions) error {
	t := term.NewTable("for", "vcenter", "chosen", "by", "user", "release user", "reads now")
	for _, r := range v.Requests {
		_, name, _ := strings.Cut(r.Request, "/")
		if (r.Component == "" || r.Component.OptIn()) && r.Enhancement.Step == openshift.StepNone && !r.InDump {
			continue // not in every cluster
		}
		for _, a := range r.Accounts {
			now := some(a.Now)
			if !r.InDump {
				now = "(not in the dump)"
			}
			t.Row(cmp.Or(string(r.Component), name), a.Server, some(r.Enhancement.Secret), r.Enhancement.Step, some(a.Enhancement), some(a.Mainline), now)
		}
	}
	for _, r := range v.Readers {
		t.Row(r.Who, r.Server, "(reads kube-system/vsphere-creds directly)", "", "", some(r.User), some(r.User))
	}
	tables := []*term.Table{t}
	if len(v.Findings) > 0 {
		t := term.NewTable("found", "secret", "what")
		for _, f := range v.Findings {
			t.Row(f.Code, f.Subject, f.Text)
		}
		tables = append(tables, t)
	}
	if len(v.Logins) > 0 {
		t := term.NewTable("vcenter", "user", "login", "from")
		for _, l := range v.Logins {
			t.Row(l.Server, l.User, l.Login, strings.Join(l.Secrets, ", "))
		}
		tables = append(tables, t)
	}
	for i, t := range tables {
		if i > 0 {
			term.Fprintf(w, "\n")
		}
		if err := t.Render(w, o.Width()); err != nil {
			return err
		}
	}
	return nil
}

// some shows that there is nothing.
func some(s string) string { return cmp.Or(s, "-") }

// orEmpty keeps null out of JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
