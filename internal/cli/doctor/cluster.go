package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/diagnosis"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// ClusterFlags name the cluster.
type ClusterFlags struct {
	command.SecretsFlags
	Allow command.Allowed
}

func (c *ClusterFlags) register(cmd *cobra.Command) {
	c.SecretsFlags.Register(cmd, ": check them, and what else of the cluster is in the dump")
	c.Allow.Register(cmd, "exit with 0 all the same: unable, unseen, with --secrets fallback=COMPONENT",
		append(command.FallbackWords(), verify.AllowUnable, verify.AllowUnseen)...)
}

func (c *ClusterFlags) check(*cobra.Command, []string) error {
	if !c.Given() && len(c.Allow.Fallbacks()) > 0 {
		return hint.Errorf("add --secrets FILE or --kubeconfig FILE", "--allow fallback=COMPONENT requires the secrets of a cluster")
	}
	return nil
}

type clusterView struct {
	Name     string                  `json:"name"`
	Checks   []provision.DoctorCheck `json:"checks"`
	Findings []*finding.Finding      `json:"findings"`

	dump *command.ClusterDump
}

func (o *Options) examine(ctx context.Context) (*clusterView, error) {
	c, err := o.ReadCluster(ctx, o.Cluster.Dump, o.Cluster.Cluster,
		kube.Objects{Kind: kube.CredentialsRequests, Maybe: true, Forbidden: true},
		kube.Objects{Kind: kube.ClusterOperators, Name: "cloud-credential", Maybe: true, Forbidden: true})
	if err != nil {
		return nil, o.Cluster.Bad(err)
	}
	op, err := release.ParseOperator(c.Source, c.Data)
	if err != nil {
		return nil, o.Cluster.Bad(err)
	}
	status, err := release.ReadStatus(c.Source, c.Data, op)
	if err != nil {
		return nil, o.Cluster.Bad(err)
	}
	e, err := diagnosis.Explain(c.Cluster, diagnosis.Options{
		AllowFallback: o.Cluster.Allow.Fallbacks(), Emit: o.Emits(), Named: o.Connection.Source.NamesCluster(),
	})
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("%s: %w", c.Source, err), "'"+command.DumpedObjects+"' prints all that is looked at")
	}
	e.Malformed(c.Faults)
	view := &clusterView{Name: c.Source, Checks: []provision.DoctorCheck{}, Findings: []*finding.Finding{}, dump: c}
	if err := o.file(view); err != nil {
		return nil, err
	}
	view.judge(e, status, op.Manual())
	return view, nil
}

// file checks the modes of the credentials file and its directory.
func (o *Options) file(view *clusterView) error {
	path, _, err := o.CredentialsPath(o.CredentialsFile, nil)
	if err != nil {
		return err
	}
	check := provision.DoctorCheck{Check: "credentials file", OK: true, Detail: path + ", for you alone"}
	file, faults, err := credfile.OpenLenient(path)
	if err != nil {
		faults = append(faults, err)
	}
	for _, fault := range faults {
		if errors.Is(fault, credfile.ErrMounted) { // no installer runs here
			check.Detail = path + ", for you and its group"
			continue
		}
		view.Findings = append(view.Findings, finding.New(finding.FileUnread, "", "%s", fault))
		check.OK, check.Detail = false, string(finding.FileUnread)
	}
	switch {
	case !check.OK:
	case command.Missing(path):
		check.Skipped, check.Detail = true, "none here"
	default:
		for _, w := range file.Warnings() {
			view.Findings = append(view.Findings, finding.New(finding.FileNote, "", "%s", w))
			check.Detail = path + ": see below"
		}
	}
	view.Checks = append(view.Checks, check)
	return nil
}

// judge makes rows of what was read. Only the findings say whether an account is the right one.
func (v *clusterView) judge(e *diagnosis.Explanation, s *release.Status, manual *bool) {
	add := func(name string, bad []*finding.Finding, detail string) {
		if len(bad) > 0 {
			detail = diagnosis.Codes(bad)
		}
		v.Checks = append(v.Checks, provision.DoctorCheck{Check: name, OK: len(bad) == 0, Detail: detail})
	}
	skip := func(name string) {
		v.Checks = append(v.Checks,
			provision.DoctorCheck{Check: name, OK: true, Skipped: true, Detail: "not in the dump"})
	}
	switch {
	case manual == nil:
		skip("mode")
	case *manual:
		add("mode", nil, "Manual: nobody copies secrets")
	default:
		add("mode", nil, "cloud-credential-operator copies secrets")
	}
	components, others := e.Health()
	for _, h := range components {
		add(string(h.Component), append(h.Findings, s.FailingOf(h.Component)...), source(h, manual))
	}
	add("other secrets", others, "nothing wrong")
	var requests, operator, advice []*finding.Finding
	for _, f := range s.Findings {
		switch {
		case f.Code == finding.RequestFailing:
			requests = append(requests, f)
		case f.Advice():
			advice = append(advice, f)
		default:
			operator = append(operator, f)
		}
	}
	if s.Requests == 0 {
		skip("requests")
	} else {
		add("requests", requests, term.Count(s.Requests, "CredentialsRequest")+" without a failing condition")
	}
	if !s.Operator {
		skip("operator")
	} else {
		detail := "not degraded, upgradeable"
		if len(advice) > 0 {
			detail = "not degraded; " + diagnosis.Codes(advice)
		}
		add("operator", operator, detail)
	}
	for _, f := range e.Findings {
		if !f.Advice() { // secrets explain tells the rest
			v.Findings = append(v.Findings, f)
		}
	}
	v.Findings = append(v.Findings, s.Findings...)
	v.Findings = finding.Remedied(v.Findings)
}

func source(h diagnosis.Health, manual *bool) string {
	switch {
	case manual != nil && *manual:
		return h.Reads
	case h.From.Secret == "":
		return h.Reads + ", written by hand"
	}
	text := strings.TrimPrefix(h.From.Secret, "kube-system/") + " (" + h.From.Step + ")"
	if !h.Seen {
		return text + "; its copy is not in the dump"
	}
	return text
}

func (v *clusterView) print(w io.Writer, o *Options) error {
	t := term.NewTable("cluster", "", "found")
	for _, c := range v.Checks {
		t.Row(c.Check, verdict(o, c), c.Detail)
	}
	if err := t.Render(w, o.Width()); err != nil {
		return err
	}
	return o.found(w, v.Findings)
}

// found prints findings with their codes, which explain takes.
func (o *Options) found(w io.Writer, all []*finding.Finding) error {
	if len(all) == 0 {
		return nil
	}
	var named []*finding.Finding
	for _, f := range all {
		one := *f
		one.Text = f.Text + " (" + string(f.Code) + ")"
		named = append(named, &one)
	}
	term.Fprintf(w, "\n")
	return plan.Found(w, o.Width(), named)
}
