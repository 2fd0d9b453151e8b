package cluster

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// When a cluster is proof that accounts may go
//
// Terms. An account goes when it is removed, disabled or loses rights. One stays when it takes the place of one that goes. A reader finds
// its account in the secrets on its way: its own, that of kube-system which is copied there, kube-system/vsphere-creds.
//
// Premise. What a dump does not show is not known. A dump without kube-system, of one project, of another cluster or of a cluster on
// another platform holds no account of ours, and proves nothing by that.
//
// The proof. It is a positive statement of four parts, and what is not said is a [Lack]:
//   1. it is this cluster: its platform is vSphere, its Infrastructure has a name that the installer makes of the cluster's and names a
//      vCenter of ours; or a secret of it holds an account of ours for a vCenter of ours, and no Infrastructure names another cluster;
//   2. it shows each namespace in which a component of OpenShift finds its account, and those of the readers of what goes;
//   3. each account that stays is where its readers find it, with its password;
//   4. the name of no account that goes stands in any secret, in whatever form and spelling.
//
// Examples. The secrets of ten namespaces of a cluster on AWS: part 1 lacks. The cluster's own without kube-system: part 2. The new account
// in kube-system, and in Manual mode the old one beside the component: part 3. The cloud.conf of the CSI driver, which its operator has not
// written again: part 4.

// Question asks whether accounts may go.
type Question struct {
	Cluster string                   // of whose accounts; "" = they are not those of one cluster, as on a management cluster
	Of      func(user string) string // the cluster whose account a user is by its name, of whatever generation; "" = none's
	Known   []string                 // all vCenters of the cluster's specification, under each name
	Servers []string                 // those on which accounts go, under each name
	Going   []string                 // name@domain
	Stays   []Stay                   // in their place
	Readers []component.Name         // whose accounts go
	Apart   bool                     // no secret of the cluster itself has what goes: it is the installer's, which only Hive keeps
}

// Stay is an account that stays for a component on a vCenter.
type Stay struct {
	Component component.Name
	Servers   []string // the names of the vCenter
	Account   credfile.Account
}

// Missing is a part that a proof lacks.
type Missing int

// The parts.
const (
	LacksIdentity Missing = iota // nothing says which cluster it is
	LacksPlatform                // Words: its platform
	LacksName                    // Words: the name of its Infrastructure, or the cluster whose accounts it holds
	LacksVCenter                 // Words: the vCenters of its Infrastructure
	LacksShown                   // Words: namespaces
	LacksStaying                 // Stay; Held: where it is with another password
	LacksFree                    // Held: accounts that go
)

// Lack is a part of a proof that is missing.
type Lack struct {
	Missing
	Words []string
	Stay  Stay
	Held  []Holding
}

// Proof is what the cluster lacks to be proof; nil = it is.
func (c *Cluster) Proof(q Question) []Lack {
	var all []Lack
	own, inHive := c.owns(q)
	held := c.Holding(Meant{Servers: q.Servers, Names: q.Going})
	if lack := c.identity(q, own || inHive && q.Apart); lack != nil && len(held) == 0 {
		return []Lack{*lack}
	}
	hidden := c.Unshown(c.readFrom(q))
	if inHive && q.Apart {
		hidden = nil
	}
	if len(hidden) > 0 {
		all = append(all, Lack{Missing: LacksShown, Words: hidden})
	}
	for _, s := range q.Stays {
		if held, found := c.finds(s); !found && len(hidden) == 0 {
			all = append(all, Lack{Missing: LacksStaying, Stay: s, Held: held})
		}
	}
	if len(held) > 0 {
		all = append(all, Lack{Missing: LacksFree, Held: held})
	}
	return all
}

// Another is what says that it is another cluster than the one in question; nil = nothing does.
func (c *Cluster) Another(q Question) *Lack {
	own, _ := c.owns(q)
	if lack := c.identity(q, own); lack != nil && lack.Missing != LacksIdentity {
		return lack
	}
	return nil
}

// owns reports whether a secret holds an account of ours for a vCenter of ours, as a cluster has them or as Hive does on its hub.
func (c *Cluster) owns(q Question) (cluster, hive bool) {
	ours := Meant{Servers: q.Known, User: func(user string) bool { return strings.EqualFold(q.Of(user), q.Cluster) }}
	for _, h := range c.Holding(ours) {
		cluster = cluster || h.Form != FormHive && h.Server != ""
		hive = hive || h.Form == FormHive
	}
	another := c.api != "" && !spec.MadeOf(c.Name, c.api, q.Cluster) // where secrets of ours were applied in the wrong place
	return cluster && !another, hive
}

// identity is what is missing to say that it is the cluster in question; nil = it is. A management cluster has the identities of many.
func (c *Cluster) identity(q Question, own bool) *Lack {
	isKnown := func(server string) bool {
		return slices.ContainsFunc(q.Known, func(known string) bool { return strings.EqualFold(known, server) })
	}
	other := c.Name
	for _, h := range c.Holding(Meant{Servers: q.Known, User: func(user string) bool { return !strings.EqualFold(q.Of(user), q.Cluster) }}) {
		other = cmp.Or(other, q.Of(h.User))
	}
	switch {
	case q.Cluster == "":
	case c.Platform != "" && !strings.EqualFold(c.Platform, "vsphere"):
		return &Lack{Missing: LacksPlatform, Words: []string{c.Platform}}
	case own:
	case other == "":
		return &Lack{Missing: LacksIdentity}
	case c.Name == "" || !spec.MadeOf(c.Name, c.api, q.Cluster):
		return &Lack{Missing: LacksName, Words: []string{other}}
	case c.Topology != nil && !slices.ContainsFunc(c.Servers(), isKnown):
		return &Lack{Missing: LacksVCenter, Words: c.Servers()}
	}
	return nil
}

// readFrom are the namespaces in which readers find their accounts: those of every cluster, and of components that not every one has. On a
// management cluster it is that of Cluster API's controller.
func (c *Cluster) readFrom(q Question) []string {
	switch capi := openshift.SecretOf(component.ClusterAPI).Namespace; {
	case q.Cluster == "" && (c.Shows(capi) || len(q.Stays) > 0):
		return nil
	case q.Cluster == "":
		return []string{ControllerNamespace}
	}
	all := ReadFrom()
	for _, c := range q.Readers {
		if c.OptIn() && c.InCluster() {
			all = append(all, openshift.SecretOf(c).Namespace)
		}
	}
	return all
}

// ControllerNamespace is where CAPV runs unless somebody says otherwise; in OpenShift it is openshift-cluster-api.
const ControllerNamespace = "capv-system"

// finds reports whether the readers of a component find an account, with its password; else where they find it with another one.
func (c *Cluster) finds(s Stay) (otherwise []Holding, found bool) {
	for _, h := range c.Holding(Meant{Servers: s.Servers, User: func(user string) bool { return SameAccount(s.Account.User, user) }}) {
		switch {
		case !c.onWay(h, s.Component):
		case h.Password.Equal(s.Account.Password):
			return nil, true
		default:
			otherwise = append(otherwise, h)
		}
	}
	return otherwise, false
}

// onWay reports whether a secret is on the way of the readers of a component. Controllers of Cluster API, and Hive, find theirs anywhere; the
// main account is in the root secret.
func (c *Cluster) onWay(h Holding, of component.Name) bool {
	if h.Form == FormHive || h.Server == "" || of == component.Installer && h.At == root {
		return true
	}
	return slices.ContainsFunc(c.Consumed(), func(q release.Request) bool {
		return q.Component == of && slices.ContainsFunc([]*Object{c.Enhancement(q).From, c.Release(q).From, c.Object(q.SecretRef)}, func(o *Object) bool {
			return o != nil && o.At() == h.At
		})
	})
}
