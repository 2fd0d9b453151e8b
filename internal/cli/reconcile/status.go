package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/oc"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// StatusOptions are the flags of `reconcile status`.
type StatusOptions struct {
	*command.Factory
	File           string // -f, - for stdin; the list of releases is in it
	ClusterVersion string // --cluster-version, - for stdin
	Dump           string // --dump, - for stdin; "" = nothing is known of the operator
	Cluster        command.ClusterFlags
}

// The view of `reconcile status`.
type (
	statusView struct {
		command.Header
		Cluster     string          `json:"cluster"`   // of the specification
		ClusterID   string          `json:"clusterID"` // of the ClusterVersion
		Channel     string          `json:"channel"`
		Version     string          `json:"version"` // that runs
		Desired     release.Ref     `json:"desired"`
		Updates     []updateView    `json:"updates"`
		Reconciled  []release.Ref   `json:"reconciledAvailableUpdates"` // of the specification
		Upgradeable upgradeableView `json:"upgradeable"`
		Notes       []string        `json:"notes"`
		Commands    []string        `json:"commands"`
		Summary     updatesSummary  `json:"summary"`
	}
	updateView struct {
		release.Ref
		Conditional bool   `json:"conditional"`
		Recommended string `json:"recommended"` // of a conditional one: True, False, Unknown
		Reason      string `json:"reason"`      // for that
		Minor       bool   `json:"minor"`       // another minor release than the one that runs
		Reconciled  bool   `json:"reconciled"`
		OtherImage  string `json:"otherImage"` // this version is reconciled from another image, this one
	}
	upgradeableView struct {
		Design   release.Condition  `json:"design"`   // openshift/enhancements, manual-cloud-credentials
		Operator release.Condition  `json:"operator"` // cloud-credential-operator as it ships
		Cluster  *release.Condition `json:"cluster"`  // of all its operators; null = unknown
	}
	updatesSummary struct {
		Available     int `json:"available"`
		NotReconciled int `json:"notReconciled"`
	}
)

func newCmdStatus(f *command.Factory, runF func(*StatusOptions) error) *cobra.Command {
	o := &StatusOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which updates the accounts are ready for",
		Long: command.Text(`
			Reads the cluster's ClusterVersion and the releases that the state file of the provisioning file (-f) records as
			reconciled, and says for each available update, by version and image, whether the accounts are ready for it.
			Conditional updates are marked.

			Upgradeable is shown twice: as the design defines it (False if any available update is not reconciled), and as the
			released cloud-credential-operator decides: in Manual mode it requires an annotation
			(MissingUpgradeableAnnotation), otherwise kube-system/vsphere-creds (MissingRootCredential). For the second,
			--dump must contain CloudCredential cluster and the secrets of kube-system; what the dump lacks is reported as
			unknown. --kubeconfig reads all of it from the running cluster, as far as its user may. The commands for both are
			printed, the annotation for a version that is newer than the release the cluster has completed, and those that take
			back what the annotation or the operator's config map still says of releases that are not recorded. No
			vCenter is contacted and no password is read.

			Exit code 2 while an available update is not reconciled.`),
		Example: command.Examples(`
			oc get clusterversion version -o yaml | ocp-vsphere-admin reconcile status -f provisioning.yaml --cluster-version -
			oc get cloudcredential,secret,configmap -A -o yaml > dump.yaml
			ocp-vsphere-admin reconcile status -f provisioning.yaml --cluster-version cv.yaml --dump dump.yaml -o json
			ocp-vsphere-admin reconcile status -f provisioning.yaml --kubeconfig kubeconfig`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, statusRun, func(*cobra.Command, []string) error { return o.check() }),
	}
	p := cmd.Flags()
	p.StringVarP(&o.File, "file", "f", "", "provisioning file (- for stdin)")
	command.MarkSettings(cmd, "file")
	p.StringVar(&o.ClusterVersion, command.ClusterVersionFlag, "", "the cluster's release and its updates, as 'oc get clusterversion version -o yaml' prints them (- for stdin)")
	p.StringVar(&o.Dump, "dump", "", "objects of the cluster as 'oc get -o yaml' prints them: CloudCredential, secrets, config maps (- for stdin)")
	for _, name := range []string{"file", command.ClusterVersionFlag, "dump"} {
		_ = cmd.MarkFlagFilename(name, "yaml", "yml", "json")
	}
	command.MarkCommandLineOnly(cmd, command.ClusterVersionFlag, "dump")
	o.Cluster.Register(cmd, command.ClusterVersionFlag, "dump")
	return cmd
}

func (o *StatusOptions) check() error {
	if o.ClusterVersion == "" && !o.Cluster.Given() {
		return hint.Errorf("'oc get clusterversion version -o yaml | "+command.Program+" reconcile status --cluster-version -' reads it from a cluster",
			"--cluster-version FILE or --kubeconfig FILE is required")
	}
	return nil
}

func statusRun(ctx context.Context, o *StatusOptions) error {
	var s *spec.Spec
	if o.File != "" {
		var err error
		if s, err = (&command.SourceFlags{File: o.File}).Resolve(ctx, o.Factory); err != nil {
			return err
		}
		if err := openshift.CheckOpenShift(s.Profile, "ClusterVersion"); err != nil {
			return err
		}
	}
	cv, err := o.Factory.ClusterVersion(ctx, o.ClusterVersion, o.Cluster)
	if err != nil {
		return err
	}
	op, err := o.operator(ctx)
	if err != nil {
		return err
	}
	view := newStatusView(s, cv, op, o.commandsFor)
	if err := o.Print(o.Output, view, func(w io.Writer) error { return view.print(w, o.Width()) }); err != nil {
		return err
	}
	o.ForPeople(func() {
		for _, note := range view.Notes {
			o.Infof("%s", note)
		}
		for _, line := range view.Commands {
			o.Due(line)
		}
	})
	if view.Summary.NotReconciled > 0 {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

// operator reads cloud-credential-operator; parts that the user may not read stay unknown.
func (o *StatusOptions) operator(ctx context.Context) (*release.Operator, error) {
	root, config := component.RootSecret(), release.OperatorConfig()
	name, data, err := o.Objects(ctx, o.Dump, o.Cluster,
		command.OperatorMode(),
		kube.Objects{Kind: kube.ConfigMaps, Namespace: config.Namespace, Name: config.Name, Maybe: true, Forbidden: true},
		kube.Objects{Kind: kube.Secrets, Namespace: root.Namespace, Name: root.Name, Maybe: true, Forbidden: true})
	if err == nil && data == nil {
		return &release.Operator{Root: release.NotKnown}, nil
	}
	var op *release.Operator
	if err == nil {
		op, err = release.ParseOperator(name, data)
	}
	switch {
	case err == nil && o.Cluster.Given() && op.Root == release.NotKnown:
		op.Root, err = o.noRoot(ctx)
	case err != nil && o.Dump != "":
		err = command.BadFlag("dump", "%w", err)
	}
	return op, err
}

// noRoot tells a missing root secret from one that the user may not read.
func (o *StatusOptions) noRoot(ctx context.Context) (release.Presence, error) {
	root := component.RootSecret()
	_, _, err := o.Objects(ctx, "", o.Cluster, kube.Objects{Kind: kube.Secrets, Namespace: root.Namespace, Name: root.Name, Maybe: true})
	if kube.IsForbidden(err) {
		return release.NotKnown, nil
	}
	return release.Absent, err
}

// newStatusView combines a specification, which may be nil, and a cluster.
func newStatusView(s *spec.Spec, cv *release.ClusterVersion, op *release.Operator,
	commands func(*statusView, *release.ClusterVersion, *release.Operator, release.Stale) []string,
) *statusView {
	v := &statusView{
		Header: command.NewHeader("ReconcileStatus"), ClusterID: cv.ID, Channel: cv.Channel, Version: cv.Running(), Desired: cv.Desired,
		Updates: []updateView{}, Reconciled: []release.Ref{}, Notes: []string{},
	}
	var stale release.Stale
	if s == nil {
		v.Notes = append(v.Notes, "no provisioning file is given (-f), so no release is known to be reconciled")
	} else {
		v.Cluster, v.Reconciled = s.Cluster, command.OrEmpty(s.ReconciledUpdates)
		stale = release.StaleIn(cv, v.Reconciled, op)
	}
	for _, u := range cv.Updates {
		row := updateView{
			Ref: u.Ref, Conditional: u.Conditional, Recommended: u.Recommended, Reason: u.Why,
			Minor: cv.Minor(u.Ref), Reconciled: slices.Contains(v.Reconciled, u.Ref),
		}
		other := slices.IndexFunc(v.Reconciled, func(r release.Ref) bool { return r.Version == u.Version })
		if !row.Reconciled && other >= 0 {
			row.OtherImage = v.Reconciled[other].Image
		}
		v.Updates = append(v.Updates, row)
		if !u.Conditional {
			v.Summary.Available++
			if !row.Reconciled {
				v.Summary.NotReconciled++
			}
		}
	}
	v.Upgradeable = upgradeableView{release.UpgradeableByDesign(cv, v.Reconciled, op), release.UpgradeableByOperator(cv, op), cv.Upgradeable}
	v.Notes = append(v.Notes, statusNotes(v, cv, op, stale)...)
	v.Commands = command.OrEmpty(commands(v, cv, op, stale))
	return v
}

func statusNotes(v *statusView, cv *release.ClusterVersion, op *release.Operator, stale release.Stale) []string {
	var notes []string
	switch {
	case cv.NoUpdates && cv.Retrieved != nil && cv.Retrieved.Status != release.True:
		notes = append(notes, fmt.Sprintf("the cluster could not retrieve its updates (%s); there may be some", cmp.Or(cv.Retrieved.Reason, "no reason given")))
	case cv.Retrieved != nil && cv.Retrieved.Status == release.False:
		notes = append(notes, fmt.Sprintf("the cluster could not retrieve its updates (%s); these may be out of date", cmp.Or(cv.Retrieved.Reason, "no reason given")))
	}
	for _, u := range v.Updates {
		if u.OtherImage != "" {
			notes = append(notes, fmt.Sprintf("%s is reconciled as %s, but the cluster would use %s", u.Version, u.OtherImage, u.Image))
		}
	}
	for _, r := range v.Reconciled {
		if !r.Digested() {
			notes = append(notes, fmt.Sprintf("%s is reconciled by a tag, which may point to another image now: %s", r.Version, r.Image))
		}
	}
	if cv.Version == "" && len(v.Reconciled) > 0 {
		notes = append(notes, "which release the cluster has completed is not known: its ClusterVersion has no completed release, so no command for annotation upgradeable-to is printed")
	}
	if op.ConfigMap {
		var missing []string
		for _, r := range v.Reconciled {
			if !slices.Contains(op.Reconciled, r) {
				missing = append(missing, r.Version)
			}
		}
		if len(missing) > 0 {
			notes = append(notes, "not yet in the operator's config map: "+strings.Join(missing, ", "))
		}
	}
	if len(stale.Listed) > 0 {
		notes = append(notes, "in the operator's config map, but not recorded as reconciled: "+strings.Join(stale.Listed, ", "))
	}
	if stale.UpgradeableTo {
		notes = append(notes, fmt.Sprintf("annotation upgradeable-to is %s, but no release of that minor version is recorded as reconciled: the operator allows an upgrade that is not prepared", op.UpgradeableTo))
	}
	if v.Upgradeable.Operator.Status == release.False || v.Upgradeable.Design.Status == release.False {
		notes = append(notes, "Upgradeable=False blocks only a new minor release, not a patch release")
	}
	return notes
}

// commandsFor are the next commands: what is not reconciled first, then those of mode and pruning.
// What the cluster reports of releases that are not reconciled comes before.
func (o *StatusOptions) commandsFor(v *statusView, cv *release.ClusterVersion, op *release.Operator, stale release.Stale) []string {
	var lines, back []string
	lines = append(lines, o.prepare(v, cv)...)
	ready := v.ready(cv)
	if stale.UpgradeableTo && ready == "" {
		back = append(back, release.NoUpgradeableTo())
	}
	if len(stale.Listed) > 0 && len(v.Reconciled) == 0 {
		back = append(back, release.ReconciledPatch(nil))
	}
	if len(v.Reconciled) > 0 {
		lines = append(lines, release.ReconciledPatch(v.Reconciled))
	}
	if ready != "" && (stale.UpgradeableTo || v.Upgradeable.Operator.Status != release.True) &&
		!(op.Known && v.Upgradeable.Operator.Reason == release.ReasonRoot) {
		if line, err := cv.UpgradeableTo(ready); err == nil {
			lines = append(lines, line)
		}
	}
	return append(back, lines...)
}

// ready is the newest available, reconciled update to another minor release; "" = none or unknown.
func (v *statusView) ready(cv *release.ClusterVersion) string {
	var refs []release.Ref
	for _, u := range v.Updates {
		if u.Reconciled {
			refs = append(refs, u.Ref)
		}
	}
	return cv.Ready(refs)
}

// prepare are the commands that prepare for all available updates that are not reconciled.
func (o *StatusOptions) prepare(v *statusView, cv *release.ClusterVersion) []string {
	var lines, next []string
	for _, u := range v.Updates {
		if u.Conditional || u.Reconciled {
			continue
		}
		lines = append(lines, oc.Line(u.Image, u.Version))
		next = append(next, "--to", u.Version, "--release", u.Version, "--image", u.Image)
	}
	switch {
	case next == nil:
		return nil
	case o.Cluster.Given():
		return []string{o.CommandLine("reconcile", o.Said, append(o.Cluster.Words(), "--"+availableFlag)...)}
	case cv.Version != "" && cv.Image != "":
		lines = append([]string{oc.Line(cv.Image, cv.Version)}, lines...)
		return append(lines, o.CommandLine("reconcile", o.Said, append([]string{"--from", cv.Version}, next...)...))
	}
	return append(lines, o.CommandLine("reconcile", o.Said, append([]string{"--from", runningDir}, next...)...))
}

func (v *statusView) print(w io.Writer, width int) error {
	updates := term.NewTable("update", "kind", "reconciled", "note")
	for _, u := range v.Updates {
		kind, yes, note := "patch", "no", ""
		if u.Minor {
			kind = "minor"
		}
		if u.Reconciled {
			yes = "yes"
		}
		if u.OtherImage != "" {
			note = "reconciled from another image"
		}
		if u.Conditional {
			note = strings.TrimPrefix(note+"; conditional, recommended: "+cmp.Or(u.Recommended, "not said"), "; ")
			if u.Reason != "" {
				note += ": " + u.Reason
			}
		}
		updates.Row(u.Version, kind, yes, note)
	}
	if len(v.Updates) == 0 {
		updates.Row("(none)")
	}
	upgradeable := term.NewTable("upgradeable", "status", "reason", "because")
	upgradeable.Row("by design", v.Upgradeable.Design.Status, v.Upgradeable.Design.Reason,
		v.Upgradeable.Design.Message)
	upgradeable.Row("by operator", v.Upgradeable.Operator.Status, v.Upgradeable.Operator.Reason,
		v.Upgradeable.Operator.Message)
	if c := v.Upgradeable.Cluster; c != nil {
		upgradeable.Row("by cluster", c.Status, c.Reason, c.Message)
	}
	term.Fprintf(w, "running %s\n\n", v.Version)
	if err := updates.Render(w, width); err != nil {
		return err
	}
	term.Fprintf(w, "\n")
	return upgradeable.Render(w, width)
}
