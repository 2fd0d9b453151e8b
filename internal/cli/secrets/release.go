package secrets

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ReleaseOptions are the flags of `secrets release`.
type ReleaseOptions struct {
	*command.Factory
	CredentialsFile command.CredentialsFlag
	Source          command.SourceFlags // names the owner of the accounts; may be empty
	Held            command.HeldFlags
	Requests        requestsFlags
	Namespaces      string            // --namespaces, - for stdin
	Used            command.UsedFlags // the secrets that the cluster has
	OutputDir       string            // --output-dir; empty = stdout
}

func newCmdRelease(f *command.Factory, runF func(*ReleaseOptions) error) *cobra.Command {
	o := &ReleaseOptions{Factory: f, Requests: requestsFlags{Flag: "requests"}}
	cmd := &cobra.Command{
		Use:   "release",
		Short: "Print held secrets whose namespaces exist",
		Long: command.Text(`
			Prints the secrets that 'reconcile --held DIR' held and whose namespaces exist by now. No vCenter is contacted.
			A printed secret stays held until --secrets or --kubeconfig finds it in the cluster or --applied confirms it;
			with --output-dir, until its file is written.

			With -f, the secrets get the current accounts on all vCenters of the provisioning file. A held secret that was
			changed is an error.`),
		Example: command.Examples(`
			oc get namespaces -o yaml | ocp-vsphere-admin secrets release -f provisioning.yaml --held held --namespaces - | oc apply -f -
			ocp-vsphere-admin secrets release -f provisioning.yaml --held held --applied`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, releaseRun, func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.Held.Dir == "":
				return hint.Errorf("set --held DIR to the directory of the run before the upgrade", "--held is required")
			case !o.Used.Applied && o.Namespaces == "" && !o.Used.Cluster.Given():
				return hint.Errorf("'oc get namespaces -o yaml | "+command.Program+" secrets release --held DIR --namespaces -' reads them from a cluster",
					"--namespaces FILE or --kubeconfig FILE is required, to know which secrets are due")
			}
			return o.CheckOutput(cmd, "secrets are YAML", term.FormatYAML)
		}),
	}
	o.CredentialsFile.Register(cmd)
	o.Source.RegisterServers(cmd)
	o.Held.Register(cmd)
	o.Used.Register(cmd, ": those that are applied are no longer held",
		"confirm that the printed secrets are applied: they are no longer held")
	o.Requests.Register(cmd)
	p := cmd.Flags()
	p.StringVar(&o.Namespaces, "namespaces", "",
		"the cluster's namespaces as 'oc get namespaces -o yaml' prints them (- for stdin)")
	p.StringVar(&o.OutputDir, "output-dir", "",
		"write a file per secret, with ccoctl's names and mode 0600, instead of stdout")
	_ = cmd.MarkFlagFilename("namespaces", "yaml", "yml", "json")
	_ = cmd.MarkFlagDirname("output-dir")
	command.MarkCommandLineOnly(cmd, "requests", "namespaces", "output-dir")
	for _, other := range []string{command.KubeconfigFlag, command.ContextFlag, "applied"} {
		cmd.MarkFlagsMutuallyExclusive(other, "namespaces")
	}
	cmd.MarkFlagsMutuallyExclusive("applied", "output-dir")
	return cmd
}

// releaseRun releases held secrets whose namespaces exist. Printed ones stay held until confirmed.
func releaseRun(ctx context.Context, o *ReleaseOptions) error {
	s, err := o.Source.ResolveCluster(ctx, o.Factory)
	if err != nil {
		return err
	}
	d, err := o.Held.Directory(ctx, o.Factory, s)
	if err != nil {
		return err
	}
	if !d.Exists() {
		return command.BadFlag("held", "%s does not exist", d.Path)
	}
	requests, err := o.Requests.Resolve()
	if err != nil {
		return err
	}
	var namespaces openshift.Namespaces
	if !o.Used.Applied {
		if namespaces, err = o.namespaces(ctx); err != nil {
			return err
		}
	}
	there, err := o.Used.Read(ctx, o.Factory)
	if err == nil {
		err = o.Sure(ctx, "writing secrets for it", s, there)
	}
	if err != nil {
		return err
	}
	unlock, err := d.Lock()
	if err != nil {
		return command.BadFlag("held", "%w", err)
	}
	defer unlock()
	list, err := d.Read()
	if held.Closed(err) {
		return hint.Wrap(command.BadFlag("held", "%w", err),
			"set --identity to the file of the private key that it was encrypted for")
	}
	if err != nil {
		return command.BadFlag("held", "%w", err)
	}
	if len(list) == 0 {
		o.Infof("%s contains no secret", d.Path)
		return nil
	}
	var mayBe func(component.Name, string) bool
	if s != nil {
		mayBe = func(c component.Name, user string) bool { return s.Whole().Account(c).MayBe(user) }
	}
	var errs []error
	for _, h := range list {
		errs = append(errs, h.Check(requests, mayBe))
	}
	if err := errors.Join(errs...); err != nil && !o.Used.Applied { // which hands out nothing
		return err
	}
	return o.handOut(ctx, d, list, s, namespaces, there)
}

func (o *ReleaseOptions) namespaces(ctx context.Context) (openshift.Namespaces, error) {
	name, data, err := o.Objects(ctx, o.Namespaces, o.Used.Cluster, kube.Objects{Kind: kube.Namespaces})
	if err == nil {
		var found openshift.Namespaces
		if found, err = openshift.ParseNamespaces(name, data); err == nil {
			return found, nil
		}
	}
	if o.Namespaces != "" {
		err = command.BadFlag("namespaces", "%w", err)
	}
	return nil, err
}

// handOut decides the outcome of each held secret and delivers it.
func (o *ReleaseOptions) handOut(ctx context.Context, d held.Dir, list []held.Secret, s *spec.Spec,
	namespaces openshift.Namespaces, there *command.ClusterDump,
) error {
	path, _, err := o.CredentialsFile.Resolve(o.Streams, s)
	var file *credfile.File
	if err == nil {
		file, err = o.OpenAt(path, false)
	}
	if err != nil {
		return err
	}
	was, today := list, todayOf(s, file, list)
	list, stale, unchecked := held.Present(list, today)
	lost := lostAccounts(list, s, today.Accounts, unchecked, path)
	for i, h := range list {
		switch from, to := was[i].Servers(), h.Servers(); {
		case !slices.Equal(from, to):
			o.Infof("secret %s was held for %s: it is for %s now, as in the specification, with the accounts in %s", h.At(), strings.Join(from, ", "), strings.Join(to, ", "), path)
		case stale[h.At()]:
			o.Infof("secret %s: the account of %s changed since it was held: its current password is read from %s", h.At(), h.Component, path)
		}
	}
	if o.Used.Applied {
		return o.applied(d, list, stale, lost)
	}
	var c *cluster.Cluster
	if there != nil {
		c = there.Cluster
	}
	r := held.Decide(list, namespaces, c, lost)
	for _, h := range r.Applied {
		if err := d.Remove(h); err != nil {
			return err
		}
		o.Infof("secret %s is in the cluster: it is no longer held", h.At())
		if why := lost[h.At()]; why != nil {
			o.Warnf("secret %s: %v", h.At(), why)
		}
	}
	for _, h := range r.Due {
		switch why := unchecked[h.At()]; {
		case errors.Is(why, held.ErrOtherAccount) && s == nil:
			o.Warnf("secret %s is printed as held, without a check: %v; if the account was rotated, set -f to the cluster's provisioning file", h.At(), why)
		case why != nil:
			o.Warnf("secret %s is printed as held and may be out of date: %v", h.At(), why)
		}
		lacks := slices.DeleteFunc(slices.Clone(today.Servers), func(server string) bool {
			return slices.Contains(h.Servers(), server)
		})
		if len(lacks) > 0 {
			o.Warnf("secret %s has no account on %s, which the specification names: set --credentials-file, or run the reconciliation with --held again", h.At(), strings.Join(lacks, ", "))
		}
	}
	errs := []error{nil}
	if o.OutputDir != "" {
		errs[0] = o.deliver(d, r.Due)
	} else {
		errs[0] = o.printHeld(ctx, d, r.Due)
	}
	for _, h := range r.Waiting {
		why := r.Why[h.At()]
		if lost[h.At()] == nil {
			o.Todof("secret %s is held: %v", h.At(), why)
			continue
		}
		remedy := "run the reconciliation with --held again"
		if s.Whole().Has(h.Component) {
			remedy = "'" + command.Program + " apply' creates the account; or set --credentials-file to the file that has it"
		}
		errs = append(errs, hint.Errorf(remedy+"; or remove "+d.Where(h), "secret %s stays held: %w", h.At(), why))
	}
	return errors.Join(errs...)
}

// applied drops the held secrets that were printed and applied.
func (o *ReleaseOptions) applied(d held.Dir, list []held.Secret, stale map[component.Ref]bool, lost map[component.Ref]error) error {
	gone, stay, err := d.Applied(list, stale)
	for _, h := range gone {
		o.Infof("secret %s is no longer held", h.At())
		if why := lost[h.At()]; why != nil {
			o.Warnf("secret %s: %v", h.At(), why)
		}
	}
	for _, h := range stay {
		why := "it has not been printed since it was held"
		if h.Printed {
			why = "what was printed is out of date: print it again"
		}
		o.Todof("secret %s is held: %s", h.At(), why)
	}
	return err
}

// printHeld writes secrets to stdout, all or none, and notes it after the last byte.
func (o *ReleaseOptions) printHeld(ctx context.Context, d held.Dir, due []held.Secret) error {
	if len(due) == 0 {
		o.Infof("no held secret is due")
		return nil
	}
	if err := o.SurePrints(ctx, "--output-dir DIR"); err != nil {
		return err
	}
	if err := held.WriteYAML(o.Out, due, d.Seal); err != nil {
		return err
	}
	if err := d.MarkPrinted(due); err != nil {
		return err
	}
	for _, h := range due {
		o.Infof("secret %s is printed, and stays in %s until it is applied", h.At(), d.Path)
		if !d.Notes(h) {
			o.Todof("secret %s is held encrypted with an older password: set --%s or --%s too, to encrypt the current one, or --secrets to find it in the cluster", h.At(), command.RecipientFlag, command.RecipientsFileFlag)
		}
	}
	o.Todof("after you have applied them:")
	o.Due(o.CommandLine("secrets release", o.Said.Only(append(command.Sources(), command.CredentialsFileFlag)...), o.heldWords("--held", d.Path, "--applied")...))
	return nil
}

func (o *ReleaseOptions) heldWords(own ...string) []string {
	for _, key := range o.Held.Identity.Files {
		own = append(own, "--"+command.IdentityFlag, key)
	}
	return own
}

// deliver writes secrets to files. Each is complete before it is dropped.
func (o *ReleaseOptions) deliver(d held.Dir, due []held.Secret) error {
	if len(due) == 0 {
		o.Infof("no held secret is due")
	}
	var paths []string
	var errs []error
	for _, h := range due {
		path, err := d.Deliver(h, o.OutputDir, d.Seal)
		if err != nil {
			errs = append(errs, command.BadFlag("output-dir", "%w", err))
			continue
		}
		paths = append(paths, path)
	}
	written := func(w io.Writer) error {
		for _, path := range paths {
			term.Fprintf(w, "%s\n", path)
		}
		return nil
	}
	return errors.Join(append(errs, o.Print(term.FormatTable, nil, written))...)
}
