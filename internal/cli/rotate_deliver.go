package cli

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// hintsOf are deliveries as hints.
func hintsOf(label string, all []string) []string {
	hints := make([]string, len(all))
	for i, line := range all {
		hints[i] = label + ": " + line
	}
	return hints
}

// deliver prints what gives the accounts of this run to those who work with them, with words of their own for secrets emit.
func (w *work) deliver(own ...string) {
	all := w.deliveriesOf(w.wanted.ComponentNames(), w.said, own...)
	w.elsewhere(own...)
	for _, line := range all {
		w.next(line)
	}
	if len(all) == 0 {
		w.Command("whoever installs needs the account of the installer:", w.exports())
	}
}

// deliveries are the commands that give the cluster the accounts of this run, with words of their own for secrets emit.
func (w *work) deliveries(own ...string) []string {
	return w.deliveriesOf(w.wanted.ComponentNames(), w.said, own...)
}

// deliveriesOf are the commands that give the cluster the accounts of components, as said; none where the cluster has none of
// them. Which secrets hold them only the cluster knows: its mode decides it, --assign and --with-root-secret, and who wrote
// identities of Cluster API.
func (w *work) deliveriesOf(components []component.Name, from invocation, own ...string) []string {
	profile, _ := openshift.FindProfile(w.wanted.Profile)
	inCluster := slices.DeleteFunc(slices.Clone(components), func(c component.Name) bool { return !profile.Writes(c) && !c.OptIn() })
	if len(inCluster) == 0 {
		return nil
	}
	return []string{w.renews(inCluster, from, own...)}
}

// renews is the command that writes the secrets of the cluster that hold accounts of components.
func (w *work) renews(components []component.Name, from invocation, own ...string) string {
	said := from.without("vcenters") // a secret has the accounts of all
	if len(said["components"]) > 0 {
		said = said.with("components", component.Words(components)...)
	}
	return w.renewsAs(said, own...)
}

// renewsAs is the command that writes the secrets of the cluster that hold an account already, as said.
func (f *Factory) renewsAs(said invocation, own ...string) string {
	line := "oc get secrets -A -o yaml | " + f.command("secrets emit", said, "--"+renewFlag, "--"+againstFlag, "-")
	if len(own) > 0 {
		line += " " + script.Line(own...)
	}
	return line + applies
}

// tested are the words with which secrets emit logs in before it writes, as this run reached the vCenters: another machine may
// have removed or changed the accounts, or do so before the line is run. After new passwords for accounts in use they would do harm: who still has the old
// one may have locked the account, and the new secret is what ends that. A run about some vCenters does not know how to reach the others.
func (f *Factory) tested(said invocation) []string {
	if len(said["vcenters"]) > 0 {
		return nil
	}
	return append([]string{"--" + verifyFlag}, said.only(connectToFlag, cacertFlag, thumbprintFlag, "insecure").words(f.settings["verify"])...)
}

// applies is how the cluster gets what a command prints.
const applies = " | oc apply -f -"

// elsewhere says once where else these accounts may be, with words of their own for secrets emit.
func (w *work) elsewhere(own ...string) {
	if w.saidWhere {
		return
	}
	w.saidWhere = true
	if w.wanted.Has(component.Installer) { // a hub has no other account of the cluster
		hub := w.said.with("components", string(component.Installer))
		w.Command("if Hive removes this cluster, run this on its hub:", w.renews([]component.Name{component.Installer}, hub, own...))
	}
	if slices.ContainsFunc(w.wanted.ComponentNames(), component.Name.OptIn) {
		w.Infof("if Cluster API is managed in another cluster, run this there too")
	}
}

// exports is the command that hands the account of the installer over to whoever installs.
func (w *work) exports() string {
	said := w.said.with("components", string(component.Installer))
	return w.command("credentials export", said, "--recipients-file", "FILE", "--out", "FILE.age")
}
