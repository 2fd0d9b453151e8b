package openshift

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// The most vCenters that the installer's validation and the CSI driver accept.
const (
	installerVCenters = 3
	csiVCenters       = 5
)

// DirectReaders read kube-system/vsphere-creds without a CredentialsRequest
// (openshift/machine-config-operator@7ff337a4ffac, pkg/controller/bootimage;
// openshift/cluster-capi-operator@409c6b44c81b, pkg/controllers/infracluster). Where
// machine-config-operator has a secret of its own, its earlier releases do.
func DirectReaders(own bool) string {
	of := "(boot image updates)"
	if own {
		of = "of releases that do not read " + SecretOf(component.MachineConfig).String()
	}
	return fmt.Sprintf("machine-config-operator %s and cluster-capi-operator read %s directly", of, root)
}

func (e EmitOptions) warnings(servers int, sinks []sink, a Accounts) []string {
	var w []string
	if servers > installerVCenters && e.profile().Form != "" {
		w = append(w, fmt.Sprintf("%d vCenters: the installer accepts at most %d", servers, installerVCenters))
	}
	csi := slices.ContainsFunc(sinks, func(s sink) bool {
		return s.component == component.CSIDriver || e.profile().Shared()
	})
	if servers > csiVCenters && csi {
		w = append(w, fmt.Sprintf("%d vCenters: the CSI driver accepts at most %d", servers, csiVCenters))
	}
	for _, c := range e.Components {
		if !e.profile().Shared() && c.OptIn() && c.InCluster() &&
			!slices.Contains(components(sinks), c) {
			w = append(w, fmt.Sprintf("%s: %v", c, homeless(e.profile(), c)))
		}
	}
	if !e.BootImages && slices.ContainsFunc(sinks, updatesBootImages) {
		w = append(w, "machine-config-operator works with the account of machine-api, which cannot update boot images: it lacks VApp.Import and "+
			"VirtualMachine.Provisioning.MarkAsTemplate, and a failed update disables upgrades; add boot-image-updates to privileges.conditions and run apply")
	}
	if e.RootSecret && e.rootOf() == component.MachineConfig {
		w = append(w, fmt.Sprintf("cluster-capi-operator finds the account of machine-config in %s, which cannot create machines: if the cluster has Cluster API, list component %s, and that of machine-api is written there", root, component.ClusterAPI))
	}
	return append(w, e.profile().warns(e, a)...)
}

// updatesBootImages reports whether machine-config-operator gets machine-api's account.
func updatesBootImages(s sink) bool {
	return s.component == component.MachineAPI &&
		(s.at == root || s.at == SecretOf(component.MachineConfig))
}

func (e EmitOptions) ofComponentScoped(Accounts) []string {
	return append([]string{
		"profile component-scoped follows pull requests that are still open (openshift/installer#10895, openshift/enhancements#2106): " +
			"released installers refuse credentialType, and credentialsMode on vSphere",
		"the cluster must be in Manual mode: in other modes cloud-credential-operator overwrites these secrets with the root account",
	}, e.uncovered()...)
}

// RenderWarnings tell what it means to share one account, and which passwords a component breaks.
func (p Profile) RenderWarnings(a Accounts) (w []string) {
	reads := component.CSIDriver
	if p.Shared() {
		w, reads = p.warns(EmitOptions{Profile: p.Name}, a), component.Installer
	}
	for _, server := range slices.Sorted(maps.Keys(a)) {
		if broken := brokenByCSI(a[server][reads]); broken != "" {
			w = append(w, fmt.Sprintf("%s: %s: %s", server, component.CSIDriver, broken))
		}
	}
	return w
}

func (e EmitOptions) ofPassthrough(a Accounts) []string {
	w := []string{"all components use this account, so it needs the privileges of all of them"}
	if unused := e.profile().Unused(a); len(unused) > 0 {
		w = append(w, fmt.Sprintf("profile %s uses only the main account, not those of %s", e.profile().Name, names(unused)))
	}
	return w
}

func (e EmitOptions) ofKubeSystem(Accounts) []string {
	var w []string
	if e.namespace() != root.Namespace {
		w = append(w, fmt.Sprintf("namespace %s: cloud-credential-operator looks for these secrets in %s only", e.namespace(), root.Namespace))
	}
	if e.label() == LabelYes {
		w = append(w, `label "yes": cloud-credential-operator rewrites it to "true", at the latest at its next start, and reports LabelsMissing until then; `+
			"only the name of the secret is found after that")
	}
	return append(w, e.Standing()...)
}

// Standing are the warnings about profile kube-system that do not depend on contents.
func (e EmitOptions) Standing() []string {
	if !e.profile().Labelled {
		return nil
	}
	w := []string{"only the cloud-credential-operator of the enhancement reads these secrets; a release without it reads only kube-system/vsphere-creds"}
	if e.RootSecret {
		return append(w, "kube-system/vsphere-creds holds the machine-api account, for components that read it directly and for upgrades; "+
			"a release without the enhancement gives that account to every component")
	}
	return append(w, DirectReaders(false)+": keep that secret, with the machine-api account in it (secrets.rootSecret in the provisioning file writes it), or set managedBootImages to mode None",
		"without kube-system/vsphere-creds cloud-credential-operator refuses upgrades (MissingRootCredential)")
}

// uncovered says in Manual mode who gets nothing.
func (e EmitOptions) uncovered() []string {
	if e.RootSecret || e.Some {
		return nil
	}
	sinks, _ := e.sinks()
	own := slices.ContainsFunc(sinks,
		func(s sink) bool { return s.at == SecretOf(component.MachineConfig) })
	who := DirectReaders(own) + ", and no secret here is for them"
	if own {
		who = DirectReaders(own)
	}
	return []string{who + ": secrets.rootSecret in the provisioning file writes it with the " +
		string(e.rootOf()) + " account, or set managedBootImages to mode None"}
}

func (e EmitOptions) ofRequests(Accounts) []string {
	var w []string
	for _, s := range e.Requests.Skipped {
		w = append(w, fmt.Sprintf("%s: CredentialsRequest %s %s: skipped", s.File, s.Name, s.Reason))
	}
	for _, q := range e.Requests.List {
		switch {
		case q.Component == "" && q.FeatureGate != "" && !e.Requests.None(q.Name):
			w = append(w, fmt.Sprintf("CredentialsRequest %s gets no secret: it applies only with feature gate %s, and has no account (--assign)", q.Name, q.FeatureGate))
		case q.Component == "":
			w = append(w, fmt.Sprintf("CredentialsRequest %s gets no secret, as requested", q.Name))
		case !e.chosen(q.Component):
			w = append(w, fmt.Sprintf("CredentialsRequest %s gets no secret: %s is not among the components", q.Name, q.Component))
		case q.FeatureGate != "":
			w = append(w, fmt.Sprintf("CredentialsRequest %s applies only with feature gate %s, which ccoctl does not check either: namespace %s may not exist",
				q.Name, q.FeatureGate, q.SecretRef.Namespace))
		}
	}
	if others := e.Requests.OtherKinds(); others != "" {
		w = append(w, fmt.Sprintf("%s: ignored: %s", e.Requests.Dir, others))
	}
	return append(w, e.uncovered()...)
}

// Unused are the components with accounts that a shared profile ignores; nil for other profiles.
func (p Profile) Unused(a Accounts) []component.Name {
	if !p.Shared() {
		return nil
	}
	have := map[component.Name]bool{}
	for _, accounts := range a {
		for c := range accounts {
			have[c] = true
		}
	}
	return slices.DeleteFunc(component.Names(),
		func(c component.Name) bool { return c == component.Installer || !have[c] })
}

func names(components []component.Name) string {
	return strings.Join(component.Words(components), ", ")
}
