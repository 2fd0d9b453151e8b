package secrets

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/diagnosis"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// instanceFlags say whether to ask the vCenters for their instances, and how to reach them.
type instanceFlags struct {
	Ask bool // --vcenter-ids
	TLS command.TLSFlags
}

func (i *instanceFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&i.Ask, "vcenter-ids", false,
		"record the instance UUIDs of the vCenters")
}

// instances asks the vCenters of asked, or those of from; nil = not wanted.
func (o *EmitOptions) instances(ctx context.Context, asked *spec.Spec, from []string) (openshift.Instances, error) {
	if !o.Instances.Ask {
		return nil, nil
	}
	if asked == nil {
		asked = command.AsWritten(from)
		if err := o.Source.ConnectTo.Apply(asked); err != nil {
			return nil, err
		}
	}
	tls, err := o.Instances.TLS.Resolve(o.Streams, command.Servers(asked.Whole()))
	if err != nil {
		return nil, err
	}
	reach := o.Reach(asked, o.Source.ConnectTo, tls)
	var configs []vcenter.Config
	for _, v := range asked.VCenters {
		configs = append(configs, reach(v))
	}
	ids, failed := vcenter.Instances(ctx, configs)
	var errs []error
	for _, server := range command.SortedKeys(failed) {
		errs = append(errs, failed[server])
	}
	return ids, errors.Join(errs...)
}

// RegisterSwitch adds --switch to cmd.
func RegisterSwitch(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringSliceVar(to, "switch", nil, "consumers that may get another account or vCenter")
	command.CompleteValues(cmd, "switch", cluster.Consumers(nil))
	command.MarkCommandLineOnly(cmd, "switch")
}

// against compares what would be written with the secrets of a cluster, and keeps their records of
// vCenters that were not asked. It refuses a dump without a needed namespace, whose accounts would
// look missing. The root secret does not tell either: in Manual mode components do not have it.
func (o *EmitOptions) against(e *emission) (*cluster.Comparison, error) {
	if missing := e.cluster.Unshown(namespaces(e.manifests)); len(missing) > 0 {
		return nil, hint.Wrap(command.BadFlag(command.AgainstFlag, "the dump has no secret in %s: which accounts are in use there is unknown", strings.Join(missing, ", ")),
			"'oc get secrets -A -o yaml' prints the secrets of all namespaces, which also shows that a namespace has none")
	}
	if !o.Renew && e.cluster.KeepConf(e.manifests) {
		o.Infof("%s keeps what the cluster has beside accounts", openshift.ConfKey)
	}
	for _, server := range e.cluster.Keep(e.manifests) {
		o.Infof("%s: annotation %s is kept as in the cluster: use --vcenter-ids to ask vCenter", server,
			openshift.VCentersKey)
	}
	e.cluster.Requests = e.emit.Requests
	c := cluster.Diff(e.cluster.Cluster, e.after(), e.manifests)
	files, err := e.files()
	if err != nil {
		return nil, err
	}
	c.Ask(func(s cluster.Switch) string {
		switch {
		case slices.Contains(o.Switch, s.Consumer):
			return "--switch"
		case s.Change == cluster.ChangeUser && slices.ContainsFunc(files.Know(s.Server, credfile.Account{User: s.From.User}),
			func(k cluster.Known) bool {
				return k.Takes(nil) && strings.EqualFold(k.Now.User, s.To.User)
			}):
			return "rotation"
		}
		return ""
	})
	return c, nil
}

func namespaces(manifests []openshift.Manifest) []string {
	var all []string
	for _, m := range manifests {
		if m.Secret != nil {
			all = append(all, m.Secret.Namespace)
		}
	}
	return all
}

// outWords are words, and the flags that say how the output is proved and where it goes.
func (o *EmitOptions) outWords() []string {
	words := o.words()
	if o.Verify {
		words = append(words, "--verify")
	}
	if len(o.Switch) > 0 {
		words = append(words, "--switch", strings.Join(o.Switch, ","))
	}
	if o.OutputDir != "" {
		words = append(words, "--output-dir", o.OutputDir)
	}
	return words
}

// words are the flags that repeat this output, without settings.
func (o *EmitOptions) words() []string {
	var words []string
	if o.Requests.Dir != "" {
		words = append(words, "--credentials-requests", o.Requests.Dir)
	}
	for _, a := range o.Requests.Assign {
		words = append(words, "--assign", a)
	}
	for _, w := range []struct {
		flag string
		on   bool
	}{{"enable-tech-preview", o.Requests.Preview}, {"vcenter-ids", o.Instances.Ask}} {
		if w.on {
			words = append(words, "--"+w.flag)
		}
	}
	return words
}

// guard refuses to move a component to another account or vCenter without --switch.
func (o *EmitOptions) guard(e *emission) error {
	if err := o.outdated(e); err != nil {
		return hint.Wrap(err, "nothing was written",
			"if the later account no longer exists: --switch allows the earlier one")
	}
	c, err := o.against(e)
	if err != nil {
		return err
	}
	if err := o.stillPlaced(e, c.Switches); err != nil {
		return err
	}
	var errs []error
	var who []string
	for _, s := range c.Unasked() {
		errs = append(errs, errors.New(s.String()))
		if !slices.Contains(who, s.Consumer) {
			who = append(who, s.Consumer)
		}
	}
	if len(errs) > 0 {
		return hint.Wrap(errors.Join(errs...),
			"nothing was written: these would be switched to another account or another vCenter",
			"'"+o.CommandLine("secrets diff", o.Said,
				append(o.Against.Words(command.AgainstFlag), o.words()...)...)+"' shows all differences",
			"to allow this: --switch "+strings.Join(append(who, o.Switch...), ","))
	}
	e.switches = c.Switches
	for _, s := range c.Switches {
		o.Infof("%s (%s)", s, s.Asked)
	}
	return nil
}

// warnStaying names components that work with another's account, now and after an apply.
func (o *EmitOptions) warnStaying(e *emission) {
	after, err := diagnosis.Explain(e.after(), diagnosis.Options{})
	if err != nil {
		return // there is no account at all
	}
	var others []string
	for _, f := range after.Findings {
		for _, a := range f.Accounts {
			if f.Code == finding.SecretOfAnother && e.emit.Head != "" && a.Component != "" {
				others = lists.AppendNew(others, string(a.Component))
			}
		}
		switch f.Code {
		case finding.SecretOfAnother, finding.SecretFallback, finding.SecretUnseen:
			o.Warnf("this does not change it: %s: %s", f.Subject, f.Text)
		}
	}
	first := slices.DeleteFunc(slices.Clone(others), func(c string) bool { return !slices.Contains(o.Switch, c) })
	if len(first) > 0 { // there is no secret of its own to renew
		o.Command("to give "+strings.Join(first, ", ")+" a secret of its own:",
			o.FirstSecrets(e.emit.Profile, o.Said.With("components", first...), o.Against.Cluster.Words(), append(o.words(), "--switch", strings.Join(first, ","))))
		return
	}
	if len(others) > 0 {
		inv := o.Said
		if len(o.Components) > 0 {
			inv = inv.With("components", lists.AppendNew(slices.Clone(o.Components), others...)...)
		}
		o.Command("to give "+strings.Join(others, ", ")+" the account of its own:",
			o.Renews(e.emit.Profile, inv, "--switch", strings.Join(others, ",")))
	}
}

// stillPlaced refuses secrets without an account for a vCenter that the cluster still has, for one
// consumer or for all: no --switch is meant so.
func (o *EmitOptions) stillPlaced(e *emission, switches []cluster.Switch) error {
	after := e.after()
	leaves := func(server string) bool { return e.cluster.Serves(server) && !after.Serves(server) }
	if e.cluster.Topology == nil {
		for _, server := range e.cluster.Serving() {
			if leaves(server) {
				o.Warnf("no secret will have an account for %s: whether the cluster still has it is not known, as the dump has no Infrastructure ('%s' prints both)", server, openshift.Prints(e.emit.Profile, false))
			}
		}
		return nil
	}
	for _, server := range command.Servers(e.cluster.Topology) {
		var who []string
		for _, s := range switches {
			if s.Change == cluster.ChangeRemoved && s.Server == server {
				who = lists.AppendNew(who, s.Consumer)
			}
		}
		if leaves(server) || who != nil {
			return hint.Errorf("first remove it from the cluster: move its machines and volumes, then "+command.EditsInfrastructure,
				"%s would have no account for %s, which the cluster still has; nothing was written", cmp.Or(strings.Join(who, ", "), "all components"), server)
		}
	}
	return nil
}

func (o *EmitOptions) checkSwitch(requests *release.Requests) error {
	return command.AllOf("switch", o.Switch, cluster.Consumers(requests))
}

// firstTime is the command that writes secrets of components for the first time; nil = none.
func (o *EmitOptions) firstTime(profile string, components []string) []string {
	inv := o.Said
	if len(components) > 0 {
		p, _ := openshift.FindProfile(profile)
		written := slices.DeleteFunc(slices.Clone(components), func(c string) bool {
			return !p.Writes(component.Name(c))
		})
		if len(written) == 0 {
			return nil
		}
		inv = inv.With("components", written...)
	}
	return []string{"the first time, its profile says which secrets there are, and this moves nobody who has another account: " + o.FirstSecrets(profile, inv, o.Against.Cluster.Words(), nil)}
}
