package identity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Zone is a VSphereDeploymentZone, which has no identity
// (kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52, api/govmomi/v1beta1, v1beta2).
type Zone struct {
	Name          string
	Labels        map[string]string // by which clusters select it
	Server        string
	FailureDomain string // its VSphereFailureDomain
}

// ZoneAccounts says whom a zone is for, and with which accounts the controller may look at it.
type ZoneAccounts struct {
	Name          string   `json:"name"`
	Server        string   `json:"server"`
	FailureDomain string   `json:"failureDomain"`
	Clusters      []string `json:"clusters"` // namespace/name of the VSphereClusters that select it
	Accounts      []string `json:"accounts"` // any of these; none = the controller's
}

// zoneAccount is the account of a cluster, as the controller of zones sees it.
type zoneAccount struct {
	cluster User
	account string // its user name; where the dump does not have that, what it is from
}

func (z zoneAccount) same(b zoneAccount) bool { return spec.SameUser(z.account, b.account) }

func (r reader) zone(from objects.Object) (z Zone, ok bool) {
	before := r.Count()
	if !r.provider(from) {
		return z, false
	}
	meta := r.Metadata(from)
	at := from.Object.Object("spec", "server", "failureDomain")
	z = Zone{meta.Name, meta.Labels, at.Text("server").Value, at.Text("failureDomain").Value}
	return z, r.Count() == before
}

func (r reader) failureDomain(from objects.Object) (name, datacenter string, ok bool) {
	before := r.Count()
	if !r.provider(from) {
		return "", "", false
	}
	name = r.Metadata(from).Name
	topology := from.Object.Object("spec", "topology").Object("topology", "datacenter")
	return name, topology.Text("datacenter").Value, r.Count() == before
}

// selects reports whether a cluster uses a zone: one of its server, by labels. A missing or empty
// selector uses none (controllers/vspherecluster_reconciler.go, reconcileDeploymentZones).
func (u User) selects(z Zone) bool {
	if u.Zones == nil || u.Server != z.Server {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(u.Zones)
	return err == nil && selector.Matches(labels.Set(z.Labels))
}

// zones finds zones that may be checked with another cluster's account. The controller takes that
// of the first allowed VSphereCluster with an identity on the zone's server, whatever its selector,
// else its own (controllers/vspheredeploymentzone_controller.go:283-306, issue 4025 there). Its
// cache has no order, so the account may change.
func (w *checker) zones(accounts []ClusterAccount) []ZoneAccounts {
	var all []ZoneAccounts
	for _, u := range w.Users {
		if u.Zones != nil && len(w.Zones) == 0 {
			w.find(finding.IdentityNote, u.called(), "selects zones (failureDomainSelector), and the dump has no %s: whether one is looked at with another cluster's account is not known", KindVSphereZone)
		}
	}
	for _, z := range slices.SortedFunc(slices.Values(w.Zones),
		func(a, b Zone) int { return strings.Compare(a.Name, b.Name) }) {
		called := KindVSphereZone + " " + z.Name
		datacenter, there := w.Domains[z.FailureDomain]
		if !there && len(w.Domains) > 0 {
			w.find(finding.IdentityMissing, called, "refers to %s %s, which does not exist",
				KindVSphereDomain, z.FailureDomain)
		}
		var takes, theirs []zoneAccount
		for n, u := range w.Users {
			a := zoneAccount{u, accounts[n].account()}
			if u.Kind == KindVSphereCluster && u.Server == z.Server && u.Identity != nil && accounts[n].Refusal == "" {
				takes = append(takes, a)
			}
			if u.selects(z) && accounts[n].Refusal == "" {
				theirs = append(theirs, a)
			}
		}
		all = append(all, z.accounts(takes, w.Users))
		in := KindVSphereDomain + " " + z.FailureDomain + " names"
		if datacenter != "" {
			in += " in datacenter " + datacenter
		}
		if other := distinct(takes); len(theirs) == 0 && len(other) > 1 {
			w.find(finding.IdentityZone, called,
				"no cluster selects it; the controller can look at it as %s", named(other))
		}
		if len(takes) == 0 {
			continue
		}
		for _, its := range theirs {
			verb := "looks at it as"
			if slices.ContainsFunc(takes, its.same) {
				verb = "can also look at it as"
			}
			if other := distinct(slices.DeleteFunc(slices.Clone(takes), its.same)); len(other) > 0 {
				w.find(finding.IdentityZone, called,
					"%s selects it and works as %s; the controller %s %s, which may not see what %s",
					its.cluster.called(), its.account, verb, named(other), in)
			}
		}
	}
	return all
}

// account is what a cluster works with, for people: its user, or what that is from.
func (c ClusterAccount) account() string {
	if c.Step == StepController {
		return cmp.Or(c.User, "the controller's own account")
	}
	return cmp.Or(c.User, c.Step+" "+c.From)
}

func (z Zone) accounts(takes []zoneAccount, users []User) ZoneAccounts {
	a := ZoneAccounts{z.Name, z.Server, z.FailureDomain, []string{}, []string{}}
	for _, u := range users {
		if u.selects(z) {
			a.Clusters = append(a.Clusters, u.String())
		}
	}
	for _, t := range distinct(takes) {
		a.Accounts = append(a.Accounts, t.account)
	}
	return a
}

// distinct has each account once, with the first cluster that works with it.
func distinct(all []zoneAccount) []zoneAccount {
	var once []zoneAccount
	for _, a := range all {
		if !slices.ContainsFunc(once, a.same) {
			once = append(once, a)
		}
	}
	return once
}

// named names accounts with their clusters.
func named(all []zoneAccount) string {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = fmt.Sprintf("%s (%s)", a.account, a.cluster.called())
	}
	return strings.Join(words, " or ")
}
