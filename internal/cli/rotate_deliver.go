package cli

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// delivery is a command that gives the cluster accounts.
type delivery struct {
	when string // a clause, where only the operator knows whether it is needed; "" = it always is
	line string
}

// after is the delivery as words of a person: behind the label, or, where it is not always needed, behind its condition.
func (d delivery) after(label string) string {
	if d.when != "" {
		label = d.when
	}
	return label + ": " + d.line
}

// hintsOf are deliveries as hints.
func hintsOf(label string, all []delivery) []string {
	hints := make([]string, len(all))
	for i, d := range all {
		hints[i] = d.after(label)
	}
	return hints
}

// deliver prints what gives the accounts of this run to those who work with them.
func (w *work) deliver() {
	all := w.deliveries()
	w.needed()
	for _, d := range all {
		if d.when == "" {
			w.next(d.line)
		} else {
			w.Command(d.when+":", d.line)
		}
	}
	if len(all) == 0 {
		w.Command("whoever installs needs the account of the installer:", w.exports())
	}
}

// deliveries are the commands that give the cluster the accounts of this run, with words of their own for secrets emit.
func (w *work) deliveries(own ...string) []delivery {
	return w.deliveriesOf(w.wanted.ComponentNames(), w.said, own...)
}

// deliveriesOf are the commands that give the cluster the accounts of components, as said; none where the cluster has none of
// them. Cluster API reads the account of cluster-api from identities, or from the secret of
// OpenShift's CredentialsRequest, and only its operator knows from which.
func (w *work) deliveriesOf(components []component.Name, from invocation, own ...string) []delivery {
	profile, _ := openshift.FindProfile(w.wanted.Profile)
	written := slices.DeleteFunc(slices.Clone(components), func(c component.Name) bool { return !profile.Writes(c) })
	// A secret holds the accounts of all vCenters, so that --vcenters would take the others out of it.
	said := from.without("vcenters")
	if len(said["components"]) > 0 {
		said = said.with("components", component.Words(written)...)
	}
	var all []delivery
	if len(written)+len(own) > 0 {
		all = append(all, delivery{line: w.emits(said, profile, own...)})
	}
	row, _ := component.Find(component.ClusterAPI)
	if profile.Shared() || !slices.Contains(components, row.Name) {
		return all
	}
	holds := " the account of " + string(row.Name)
	identity := delivery{line: w.command("identity emit", from, "--allow", "NAMESPACES") + applies}
	if profile.Writes(row.Name) {
		identity.when = "if identities of Cluster API hold" + holds
		return append(all, identity)
	}
	manual, _ := openshift.FindProfile(openshift.ProfileManual)
	said = said.with("profile", manual.Name).with("components", string(row.Name))
	return append(all, identity, delivery{"if " + row.InCluster.Request.Target.String() + " holds" + holds, w.emits(said, manual)})
}

// applies is how the cluster gets what a command prints.
const applies = " | oc apply -f -"

// emits is the command that gives the cluster the secrets of a profile.
func (w *work) emits(said invocation, profile openshift.Profile, own ...string) string {
	if profile.Requests {
		own = append(own, "--credentials-requests", "DIR")
	}
	return w.command("secrets emit", said, own...) + applies
}

// needed says what these commands may need besides.
func (w *work) needed() {
	components := w.wanted.ComponentNames()
	profile, _ := openshift.FindProfile(w.wanted.Profile)
	if slices.Contains(components, component.MachineAPI) && profile.Labelled {
		w.Infof("if kube-system/vsphere-creds holds the account of machine-api, add --with-root-secret")
	}
	if slices.Contains(components, component.ClusterAPI) && !profile.Shared() {
		w.Infof("identity emit needs the flags that the identities were written with: --allow, and --name, --controller-namespace if given")
	}
}

// exports is the command that hands the account of the installer over to whoever installs.
func (w *work) exports() string {
	said := w.said.with("components", string(component.Installer))
	return w.command("credentials export", said, "--recipients-file", "FILE", "--out", "FILE.age")
}
