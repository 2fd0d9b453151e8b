package diagnosis

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// emit is the command that writes the secrets of components for all vCenters of the cluster, where they are read from: in kube-system,
// or in Manual mode beside the component. There is none for readers that have no such secret.
func (w *explainer) emit(components ...component.Name) []string {
	components = slices.DeleteFunc(slices.Clone(components), func(c component.Name) bool { return c == "" || c.OptIn() })
	if len(components) == 0 {
		return []string{}
	}
	return []string{w.emitLine("--profile", w.profile(), "--components", strings.Join(component.Words(components), ","))}
}

// profile writes the secrets where they are read from.
func (w *explainer) profile() string {
	if !w.operated {
		return openshift.ProfileComponentScoped
	}
	return openshift.ProfileKubeSystem
}

// emitShared is the command that writes the one account that all components share.
func (w *explainer) emitShared() string { return w.emitLine("--profile", openshift.ProfilePassthrough) }

// emitRoot is the command that writes the root secret with machine-api's account, for those who read it directly.
func (w *explainer) emitRoot() string {
	return w.emitLine("--profile", w.profile(), "--components", string(component.MachineAPI), "--with-root-secret")
}

// emitExtra says what to do about the secret of a reader that has no account of its own.
func (w *explainer) emitExtra(s *cluster.Object) []string {
	if w.operated {
		return []string{"if no CredentialsRequest wants it: " + oc("delete", s)}
	}
	for _, k := range release.Consumers() {
		if k.Target == s.At() {
			return []string{w.emitLine("--profile", openshift.ProfileComponentScoped, "--components", string(component.MachineAPI), "--with-extra", k.File)}
		}
	}
	return nil
}

// emitLine is for all vCenters: 'oc apply' takes out of a secret what its next version does not have.
func (w *explainer) emitLine(own ...string) string {
	words := slices.Concat([]string{"ocp-vsphere-admin", "secrets", "emit"}, own, w.emits)
	if all := w.everyServer(); !w.namesAll && len(all) > 0 {
		words = append(words, "--vcenters", strings.Join(all, ","))
	}
	return script.Line(words...) + " | oc apply -f -"
}

// everyServer are the vCenters that the explanation is about and then the others that the secrets have accounts for.
func (w *explainer) everyServer() []string {
	all := slices.Clone(w.servers)
	for _, server := range w.Settled() {
		if !slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, server) }) {
			all = append(all, server)
		}
	}
	return all
}

// oc is a command of oc about a secret.
func oc(verb string, s *cluster.Object, words ...string) string {
	return script.Line(append([]string{"oc", verb, "secret", "-n", s.Namespace, s.Name}, words...)...)
}

// relabel is the command that lets the enhancement's operator find a secret for a request, until its label is rewritten.
func relabel(s *cluster.Object, to component.Ref) string {
	return oc("annotate", s, openshift.RequestKey+"="+to.String(), "--overwrite") + " && " + oc("label", s, openshift.RequestKey+"="+openshift.LabelYes, "--overwrite")
}
