package identity

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/identity"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Dump is the command that prints what `identity check` looks at.
const Dump = "oc get vsphereclusteridentities,vsphereclusters,vspheredeploymentzones,vspherefailuredomains,secrets,namespaces -A -o yaml"

// CheckOptions are the flags of `identity check`.
type CheckOptions struct {
	*command.Factory
	Dumps     []string // --dump, - for stdin
	Cluster   command.ClusterFlags
	Namespace string // --controller-namespace
}

type checkView struct {
	command.Header
	Files               []string                  `json:"files"`
	ControllerNamespace string                    `json:"controllerNamespace"`
	Clusters            []identity.ClusterAccount `json:"clusters"`
	Identities          []identity.Use            `json:"identities"`
	Zones               []identity.ZoneAccounts   `json:"zones"`
	Findings            []*finding.Finding        `json:"findings"`
}

func newCmdCheck(f *command.Factory, runF func(*CheckOptions) error) *cobra.Command {
	o := &CheckOptions{Factory: f, Namespace: cluster.ControllerNamespace}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Show which account each Cluster API cluster gets, or why none",
		Long: command.Text(`
			Reads a dump of the management cluster, as the first example prints it, files of such objects, or with
			--kubeconfig a running cluster, and follows the logic of the controllers.
			For each VSphereCluster it reports the identity and its secret, the secret in the cluster's own namespace, or the
			controller's own account; if the controller would refuse, it prints the controller's message. The same for
			OpenStackCluster, -Machine and -Server with OpenStackClusterIdentity, where releases and the proposal disagree
			about an empty selector and cloudName: the rules are those of releases.

			Then it lists findings: identities without a secret, references to missing identities, secrets that two identities
			share, identities that allow nobody or everybody, and clusters that would lose their account if an identity were
			deleted, which the controller does not prevent. Passwords are never shown.

			A VSphereDeploymentZone names no identity: the controller looks at it with the account of any VSphereCluster on
			the same server, which can be another tenant's. For each zone it reports the clusters that select it and the
			accounts that may be taken, and a finding where these differ (identity-zone).

			An object that is not in the dump is treated as missing, unless the dump has no object of that kind. Exit code 2
			if a cluster is refused, if something is missing, malformed, shared or undecided, or if a zone can be looked at
			with another cluster's account.`),
		Example: command.Examples(`
			` + Dump + ` | ocp-vsphere-admin identity check --dump -
			ocp-vsphere-admin identity check --dump identities.yaml --dump secrets.yaml --controller-namespace openshift-cluster-api -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, checkRun, func(*cobra.Command, []string) error {
			if len(o.Dumps) == 0 && !o.Cluster.Given() {
				return hint.Errorf("'"+Dump+" | "+command.Program+" identity check --dump -' reads them from a cluster", "--dump FILE or --kubeconfig FILE is required: the objects of the management cluster")
			}
			return nil
		}),
	}
	p := cmd.Flags()
	p.StringArrayVar(&o.Dumps, "dump", nil, "objects as 'oc get -o yaml' prints them (- for stdin; repeatable)")
	_ = cmd.MarkFlagFilename("dump", "yaml", "yml", "json")
	p.StringVar(&o.Namespace, "controller-namespace", o.Namespace, "namespace of the controller, where the secrets of identities are; in OpenShift openshift-cluster-api")
	command.MarkCommandLineOnly(cmd, "dump")
	o.Cluster.Register(cmd, "dump")
	return cmd
}

// objects are the kinds to read of a running cluster, which may lack some.
func objects() []kube.Objects {
	all := []kube.Objects{{Kind: kube.Namespaces}, command.AllSecrets()}
	for _, kind := range []kube.Kind{
		kube.VSphereClusterIdentities, kube.VSphereClusters, kube.VSphereDeploymentZones, kube.VSphereFailureDomains,
		kube.OpenStackClusterIdentities, kube.OpenStackClusters, kube.OpenStackMachines, kube.OpenStackServers,
	} {
		all = append(all, kube.Objects{Kind: kind, Maybe: true})
	}
	return all
}

func checkRun(ctx context.Context, o *CheckOptions) error {
	var dump identity.Dump
	view := checkView{Header: command.NewHeader("IdentityCheck"), ControllerNamespace: o.Namespace}
	paths := o.Dumps
	if o.Cluster.Given() {
		paths = []string{""}
	}
	for _, path := range paths {
		name, data, err := o.Objects(ctx, path, o.Cluster, objects()...)
		if err != nil {
			return err
		}
		if err := dump.Read(name, data); err != nil {
			return err
		}
		view.Files = append(view.Files, name)
	}
	if len(dump.Identities)+len(dump.Users) == 0 {
		return hint.Errorf("'"+Dump+"' prints them from a cluster",
			"%s: contains no cluster identity and no cluster of Cluster API", strings.Join(view.Files, ", "))
	}
	c := identity.Check(dump, o.Namespace)
	view.Clusters, view.Identities = command.OrEmpty(c.Clusters), command.OrEmpty(c.Identities)
	view.Zones, view.Findings = command.OrEmpty(c.Zones), command.OrEmpty(c.Findings)
	if err := o.Print(o.Output, view, func(w io.Writer) error { return view.print(w, o) }); err != nil {
		return err
	}
	bad, notes := finding.Count(c.Findings)
	if o.Output == term.FormatTable {
		o.Infof("%s: %d refused; %s, %s", term.Count(len(c.Clusters), "user"), c.Refused(),
			term.Count(bad, "problem"), term.Count(notes, "note"))
	}
	if c.Refused()+bad > 0 {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

func (v checkView) print(w io.Writer, o *CheckOptions) error {
	clusters := term.NewTable("cluster", "vcenter", "by", "from", "account")
	kinds := slices.ContainsFunc(v.Clusters, func(u identity.ClusterAccount) bool {
		return u.Kind != identity.KindVSphereCluster
	})
	for _, u := range v.Clusters {
		name := u.Consumer
		if kinds {
			name = u.Kind + " " + name
		}
		account := u.User
		switch {
		case u.Refusal != "":
			account = "refused: " + u.Refusal
		case u.Undecided != "":
			account = "undecided: " + u.Undecided
		case account == "":
			account = "(not in the dump)"
		}
		clusters.Row(name, command.Some(u.Server), u.Step, command.Some(u.From), account)
	}
	identities := term.NewTable("identity", "secret", "for", "used by")
	for _, i := range v.Identities {
		identities.Row(i.Name, i.Secret, i.Allowed, command.Some(term.Count(len(i.Users), "cluster")))
	}
	zones := term.NewTable("zone", "vcenter", "failure domain", "for", "looked at as")
	for _, z := range v.Zones {
		accounts := "the controller's own account"
		if len(z.Accounts) > 0 {
			accounts = strings.Join(z.Accounts, " or ")
		}
		zones.Row(z.Name, command.Some(z.Server), command.Some(z.FailureDomain),
			command.Some(strings.Join(z.Clusters, ", ")), accounts)
	}
	findings := term.NewTable("found", "object", "what")
	for _, f := range v.Findings {
		findings.Row(f.Code, f.Subject, f.Text)
	}
	first := true
	for _, t := range []struct {
		rows int
		*term.Table
	}{{len(v.Clusters), clusters}, {len(v.Identities), identities}, {len(v.Zones), zones}, {len(v.Findings), findings}} {
		if t.rows == 0 {
			continue
		}
		if !first {
			term.Fprintf(w, "\n")
		}
		first = false
		if err := t.Render(w, o.Width()); err != nil {
			return err
		}
	}
	return nil
}
