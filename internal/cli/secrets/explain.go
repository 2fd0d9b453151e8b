package secrets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/diagnosis"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// ExplainOptions are the flags of `secrets explain`.
type ExplainOptions struct {
	*command.Factory
	Dump      string // --file, - for stdin
	Cluster   command.ClusterFlags
	Requests  requestsFlags
	VCenters  []string // empty = those of the Infrastructure, or those that the secrets name
	Allow     command.Allowed
	Verify    bool
	ConnectTo command.AddressFlag
	TLS       command.TLSFlags
}

type explanationView struct {
	command.Header
	File     string                `json:"file"`
	Mode     string                `json:"mode"` // of cloud-credential-operator; "" = unknown
	VCenters []string              `json:"vcenters"`
	Requests []diagnosis.Explained `json:"requests"`
	Readers  []diagnosis.Reading   `json:"directReaders"` // of kube-system/vsphere-creds
	Findings []*finding.Finding    `json:"findings"`
	Logins   []loginView           `json:"logins"` // with --verify

	Resolutions []cluster.Resolution `json:"resolutions"` // accounts of components, with steps
}

type loginView struct {
	Server  string   `json:"server"`
	User    string   `json:"user"`
	Secrets []string `json:"secrets"` // that hold the account
	Login   string   `json:"login"`   // ok, or the reason
	OK      bool     `json:"ok"`

	skipped bool // not tried: Login says why
}

func newCmdExplain(f *command.Factory, runF func(*ExplainOptions) error) *cobra.Command {
	o := &ExplainOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Show which account each component gets, and what is wrong",
		Long: command.Text(`
			Reads the secrets of a cluster and shows for each CredentialsRequest which secret the cloud-credential-operator
			of the enhancement selects and by which step, the account that a release uses, and the account that the
			component has now. Then it lists what is missing, malformed, stale or not found, with what to do. Passwords are
			never shown.

			A component that works with an account that is not its own is an error (--allow fallback=COMPONENT if that is
			meant). One account for all is none. If the dump holds the CloudCredential and the Infrastructure, they count.

			--verify logs in with each account once. Exit code 2 if there is an error, or a login fails.`),
		Example: command.Examples(`
			oc get secrets,cloudcredentials,infrastructures -A -o yaml | ocp-vsphere-admin secrets explain -f -
			ocp-vsphere-admin secrets explain -f dump.yaml --credentials-requests credreqs -o json
			ocp-vsphere-admin secrets explain -f dump.yaml --verify`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, explainRun, func(cmd *cobra.Command, _ []string) error {
			if o.Dump == "" && !o.Cluster.Given() {
				return hint.Errorf("'"+openshift.FromCluster+command.Program+" secrets explain -f -' reads them from a cluster", "-f FILE (a dump of secrets) or --kubeconfig FILE is required")
			}
			return nil
		}),
	}
	p := cmd.Flags()
	p.StringVarP(&o.Dump, "file", "f", "", "secrets as 'oc get secrets -o yaml' prints them (- for stdin)")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml", "json")
	command.MarkCommandLineOnly(cmd, "file") // a setting is the provisioning file of other commands
	o.Cluster.Register(cmd, "file")
	o.Requests.Register(cmd)
	p.StringSliceVar(&o.VCenters, "vcenters", nil, "the cluster's vCenters (default: those that it names)")
	o.Allow.Register(cmd, "no problem on purpose: fallback=COMPONENT", command.FallbackWords()...)
	p.BoolVar(&o.Verify, "verify", false, "log in once with each account on each vCenter")
	o.ConnectTo.Register(cmd)
	o.TLS.Register(cmd)
	return cmd
}

func explainRun(ctx context.Context, o *ExplainOptions) error {
	requests, err := o.Requests.Resolve()
	if err != nil {
		return err
	}
	c, err := o.ReadCluster(ctx, o.Dump, o.Cluster)
	if err != nil {
		return err
	}
	c.Requests = requests
	e, err := diagnosis.Explain(c.Cluster,
		diagnosis.Options{Servers: o.VCenters, AllowFallback: o.Allow.Fallbacks(), Emit: o.Emits()})
	if err != nil {
		return errors.Join(append(c.Faults, hint.Wrap(fmt.Errorf("%s: %w", c.Source, err), "'oc get secrets -A -o yaml' prints all secrets of a cluster"))...)
	}
	e.Malformed(c.Faults)
	view := explanationView{
		command.NewHeader("SecretExplanation"), c.Source, e.Mode(), command.OrEmpty(e.Servers),
		command.OrEmpty(e.Requests), command.OrEmpty(e.Readers), command.OrEmpty(e.Findings),
		[]loginView{},
		e.Resolutions,
	}
	if o.Verify {
		if view.Logins, err = o.verify(ctx, e); err != nil {
			return err
		}
		view.Findings = command.OrEmpty(e.Findings)
	}
	if err := o.Print(o.Output, view, func(w io.Writer) error { return view.print(w, o) }); err != nil {
		return err
	}
	return o.explained(ctx, view)
}

func (o *ExplainOptions) explained(ctx context.Context, view explanationView) error {
	failed, skipped, refused := 0, 0, false
	bad, notes := finding.Count(view.Findings)
	for _, l := range view.Logins {
		switch {
		case l.skipped:
			skipped++
		case !l.OK:
			failed++
			refused = refused || l.Login == login.Refused || l.Login == login.RefusedOrLocked
		}
	}
	if o.Output == term.FormatTable {
		o.Infof("%s: %s, %s%s", view.File, term.Count(bad, "problem"), term.Count(notes, "note"), view.mode())
		if o.Verify {
			text := fmt.Sprintf("%s tried, %d failed", term.Count(len(view.Logins)-skipped, "account"), failed)
			if skipped > 0 {
				text += fmt.Sprintf(", %d skipped", skipped)
			}
			o.Infof("%s", text)
			if refused {
				o.Hint(verify.CompareSecret)
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case bad+failed+skipped > 0:
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

// mode is the mode for the summary, if it is known.
func (v explanationView) mode() string {
	switch v.Mode {
	case diagnosis.ModeManual:
		return "; Manual mode: nobody copies secrets"
	case diagnosis.ModeCopies:
		return "; cloud-credential-operator copies secrets"
	}
	return ""
}

func (o *ExplainOptions) verify(ctx context.Context, e *diagnosis.Explanation) ([]loginView, error) {
	if len(e.Servers) == 0 {
		return []loginView{}, nil
	}
	known := command.AsWritten(e.Servers)
	tls, tlsErr := o.TLS.Resolve(o.Streams, e.Servers)
	if err := errors.Join(o.ConnectTo.Apply(known), tlsErr); err != nil {
		return nil, err
	}
	run, reach := &vcenter.Run{}, o.Reach(known, command.AddressFlag{}, tls)
	config := func(server string) vcenter.Config {
		c := reach(known.VCenters[slices.Index(e.Servers, server)])
		c.Run = run
		return c
	}
	var recorded []vcenter.Config
	for _, server := range e.Recorded() {
		recorded = append(recorded, config(server))
	}
	ids, _ := vcenter.Instances(ctx, recorded) // one that could not be asked is a finding
	doubts := e.CompareInstances(ids)
	var targets []login.Target
	views := make([]loginView, len(e.Held()))
	var attempts []int
	for i, h := range e.Held() {
		why, doubted := doubts[h.Server]
		views[i] = loginView{h.Server, h.Account.User, h.Secrets, "login skipped: " + why, false, true}
		if !doubted {
			attempts = append(attempts, i)
			targets = append(targets, login.Target{Server: h.Server, Config: config(h.Server), User: h.Account.User, Password: h.Account.Password})
		}
	}
	for i, r := range login.Try(ctx, targets) {
		v := &views[attempts[i]]
		v.Login, v.OK, v.skipped = r.Outcome, r.Err == nil, errors.Is(r.Err, vcenter.ErrNotTried)
	}
	return views, nil
}

func (v explanationView) print(w io.Writer, o *ExplainOptions) error {
	t := term.NewTable("for", "vcenter", "chosen", "by", "user", "release user", "reads now")
	for _, r := range v.Requests {
		_, name, _ := strings.Cut(r.Request, "/")
		if (r.Component == "" || r.Component.OptIn()) && r.Enhancement.Step == cluster.StepNone && !r.InDump {
			continue // not in every cluster
		}
		for _, a := range r.Accounts {
			now := command.Some(a.Now)
			if !r.InDump {
				now = "(not in the dump)"
			}
			t.Row(cmp.Or(string(r.Component), name), a.Server, command.Some(r.Enhancement.Secret),
				r.Enhancement.Step, command.Some(a.Enhancement), command.Some(a.Mainline), now)
		}
	}
	for _, r := range v.Readers {
		t.Row(r.Who, r.Server, "(reads kube-system/vsphere-creds directly)", "", "", command.Some(r.User),
			command.Some(r.User))
	}
	tables := []*term.Table{t}
	if len(v.Findings) > 0 {
		t := term.NewTable("found", "secret", "what")
		for _, f := range v.Findings {
			t.Row(f.Code, f.Subject, f.Text)
			for _, remedy := range f.Remedies {
				t.Row("", "next", remedy)
			}
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
