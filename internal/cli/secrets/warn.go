package secrets

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const explainFlag = "explain"

func (o *EmitOptions) registerExplain(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Explain, explainFlag, false, "show all warnings about secrets that exist already")
	command.MarkCommandLineOnly(cmd, explainFlag)
}

// shortly replaces the standing warnings with one line if the secrets exist already.
func (o *EmitOptions) shortly(warnings, permanent []string, manifests []openshift.Manifest, there *command.ClusterDump) []string {
	if o.Explain || len(permanent) == 0 || !o.written(manifests, there) {
		return warnings
	}
	var short []string
	for _, w := range warnings {
		if !slices.Contains(permanent, w) {
			short = append(short, w)
		}
	}
	return append(short, fmt.Sprintf("%d warnings about these secrets are those of the first time: --%s shows them", len(permanent), explainFlag))
}

// written reports whether each of these secrets is in the cluster, or in the output directory.
func (o *EmitOptions) written(manifests []openshift.Manifest, there *command.ClusterDump) bool {
	return !slices.ContainsFunc(manifests, func(m openshift.Manifest) bool {
		inCluster := there != nil &&
			(m.Secret == nil || there.Object(component.At(m.Secret.Namespace, m.Secret.Name)) != nil)
		return !inCluster && (o.OutputDir == "" || command.Missing(o.path(m)))
	})
}

// warnNarrowed names keys that secrets of some vCenters lack: 'oc apply' would remove them.
func (o *EmitOptions) warnNarrowed(file *credfile.File, asked *spec.Spec, from []string, compared bool) {
	all := file.Servers()
	if asked != nil {
		all = command.Servers(asked.Whole())
	}
	var keys []string
	for _, server := range all {
		if !slices.Contains(from, server) {
			keys = append(keys, server+".username", server+".password")
		}
	}
	if !compared && len(o.Source.VCenters) > 0 && len(keys) > 0 {
		o.Warnf("--vcenters: 'oc apply' removes %s from these secrets: without --vcenters they keep them",
			strings.Join(keys, ", "))
	}
}

// checkDisabled refuses to write disabled accounts, even those that a renewed secret holds already.
func (o *EmitOptions) checkDisabled(e *emission) error {
	places := inManifests(e.manifests)
	return o.Allow.CheckDisabled(o.Factory, e.asked, o.Source.OfFile(o.Said), places, func(disabled []component.Name) []string {
		profile, _ := openshift.FindProfile(e.emit.Profile)
		verb, written := "secrets emit", func(c component.Name) bool {
			return profile.Writes(c) && (len(o.Components) == 0 || slices.Contains(o.Components, string(c)))
		}
		if o.Renew {
			verb, written = "secrets renew", func(c component.Name) bool { return len(places(e.asked.Account(c).MayBe)) > 0 }
		}
		others := slices.DeleteFunc(e.asked.ComponentNames(), func(c component.Name) bool {
			return slices.Contains(disabled, c) || !written(c)
		})
		if len(others) == 0 || o.Format != formatOpenShift || profile.Shared() {
			return nil
		}
		return []string{"or write the other secrets: " + o.CommandLine(verb,
			o.Said.With("components", component.Words(others)...), append(o.Against.Words(command.AgainstFlag), o.outWords()...)...)}
	})
}

// checkOwn refuses accounts of another cluster, but those that the cluster's secrets hold already.
func (o *EmitOptions) checkOwn(e *emission) error {
	if e.asked == nil {
		return nil
	}
	accounts := e.used(command.Servers(e.asked.Whole()))
	for _, of := range accounts {
		maps.DeleteFunc(of, func(_ component.Name, a credfile.Account) bool {
			held := cluster.Meant{User: func(user string) bool { return spec.SameUser(user, a.User) }}
			return e.cluster != nil && len(e.cluster.Holding(held)) > 0
		})
	}
	return advice.Of(o.Factory, &o.Source, e.asked).CheckOwn(e.file, accounts)
}

func inManifests(manifests []openshift.Manifest) func(func(string) bool) []string {
	return func(meant func(user string) bool) []string { return holding(manifests, meant) }
}

// holding are the secrets of manifests that hold a meant account, on any vCenter.
func holding(manifests []openshift.Manifest, meant func(user string) bool) []string {
	var all []string
	for _, at := range cluster.Places(cluster.Of().After(manifests).Holding(cluster.Meant{User: meant})) {
		all = append(all, at.String())
	}
	return all
}

// outdated is the error of a file older than the cluster's secrets: they hold a later generation
// than the file and its journal, which knows abandoned ones. --switch allows it for a component.
func (o *EmitOptions) outdated(e *emission) error {
	if e.asked == nil {
		return nil // names of accounts are unknown
	}
	files, err := e.files()
	if err != nil {
		return err
	}
	chosen := func(c component.Name) bool {
		return !slices.Contains(o.Switch, string(c)) &&
			(len(o.Components) == 0 || slices.Contains(o.Components, string(c)))
	}
	all := func(string) bool { return true }
	var errs []error
	var nexts, components []string
	for _, server := range command.Servers(e.asked) {
		for _, h := range e.cluster.Holding(cluster.Meant{Servers: []string{server}, User: all}) {
			for _, k := range files.Know(server, h.Account) {
				if k.Phase == cluster.Later && chosen(k.Component) {
					errs = append(errs, fmt.Errorf("%s: %s is older than %s, which replaced %s and is in %s", server, e.file.Path(), h.User, k.Now.User, h.At))
					nexts, components = lists.AppendNew(nexts, h.User), lists.AppendNew(components, string(k.Component))
				}
			}
		}
	}
	if errs == nil {
		return nil
	}
	return hint.Wrap(errors.Join(errs...),
		"use the credentials file that has "+strings.Join(nexts, ", ")+": --credentials-file FILE",
		"or import the accounts that the cluster uses: "+openshift.From(e.emit.Profile)+o.Line("credentials import", o.Said, "--secrets", "-", "--replace", "--components", strings.Join(components, ",")))
}

func (e *emission) files() (cluster.Files, error) {
	journal, err := e.file.Journal()
	return cluster.Files{Spec: e.asked, File: e.file, Journal: journal}, err
}
