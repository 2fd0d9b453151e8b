package openshift

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// emit is the command that writes the secrets of components for all vCenters of the cluster, where they are read from: in kube-system,
// or in Manual mode beside the component. There is none for readers that have no such secret.
func (w *explainer) emit(components ...component.Name) []string {
	profile := ProfileKubeSystem
	if !w.operated {
		profile = ProfileComponentScoped
	}
	components = slices.DeleteFunc(slices.Clone(components), func(c component.Name) bool { return c == "" || c.OptIn() })
	if len(components) == 0 {
		return []string{}
	}
	return []string{w.emitLine("--profile", profile, "--components", strings.Join(component.Words(components), ","))}
}

// emitShared is the command that writes the one account that all components share.
func (w *explainer) emitShared() string { return w.emitLine("--profile", ProfilePassthrough) }

// emitRoot is the command that writes the root secret with machine-api's account, for those who read it directly.
func (w *explainer) emitRoot() string {
	words := []string{"--components", string(component.MachineAPI), "--with-root-secret"}
	if !w.operated {
		words = append(words, "--profile", ProfileComponentScoped)
	}
	return w.emitLine(words...)
}

func (w *explainer) emitLine(own ...string) string {
	words := append([]string{"ocp-vsphere-admin", "secrets", "emit"}, own...)
	if len(w.servers) > 0 {
		words = append(words, "--vcenters", strings.Join(w.servers, ","))
	}
	return script.Line(words...) + " | oc apply -f -"
}

// oc is a command of oc about a secret.
func oc(verb string, s *corev1.Secret, words ...string) string {
	return script.Line(append([]string{"oc", verb, "secret", "-n", s.Namespace, s.Name}, words...)...)
}

// relabel is the command that lets the enhancement's operator find a secret for a request, until its label is rewritten.
func relabel(s *corev1.Secret, to component.Ref) string {
	return oc("annotate", s, requestKey+"="+to.String(), "--overwrite") + " && " + oc("label", s, requestKey+"="+LabelYes, "--overwrite")
}
