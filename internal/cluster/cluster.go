// Package cluster is what a cluster's objects say about accounts, as one value: which account is in
// which secret, in any form, who reads it and by which step, what an apply of manifests changes,
// and whether that proves that an account may go. It reads and changes no cluster, and prints and
// judges nothing but proof.
//
// A secret in a new shape is one [Form]; a new reader is a row of openshift.Readers.
package cluster

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Cluster is what a cluster's objects say about accounts, from a dump or from its API server.
type Cluster struct {
	Name     string     // status.infrastructureName; "" = it does not show its Infrastructure
	Platform string     // of its Infrastructure, "VSphere"; "" likewise
	Topology *spec.Spec // its vCenters and failure domains; nil = it does not show them
	Manual   *bool      // nothing copies secrets; nil = unknown
	Whole    bool       // its API server was asked, so that what is not here is nowhere

	Misplaced error // error of its Infrastructure, else read; or nil

	Requests *release.Requests // whose consumers count; nil = all that we know

	api        string // status.apiServerURL
	objects    map[component.Ref]*Object
	order      []*Object              // as they came
	system     []*Object              // those of kube-system, in the API server's order
	again      map[component.Ref]bool // that came more than once: the last one counts
	namespaces openshift.Namespaces   // that are listed, perhaps not all; see everywhere
}

// Object is a Secret of the cluster.
type Object struct {
	corev1.Secret
	Keys

	held  func() []Holding // in the forms that are known
	texts func() []string  // in which names are looked for
}

func objectOf(s corev1.Secret) *Object {
	o := &Object{Secret: s, Keys: ReadKeys(s.Data)}
	if openshift.AtHome(o.At()) != "" {
		o.Unknown = lists.Without(o.Unknown, confKeys(s.Data))
		for _, a := range readConf(s.Data) {
			o.Accounts[a.server], o.Unknown = a.Account, nil
		}
	}
	o.held = sync.OnceValue(func() []Holding { return holdingsOf(o.At(), s.Data) })
	o.texts = sync.OnceValue(func() []string { return textsOf(s.Data) })
	return o
}

// At is where it is.
func (o *Object) At() component.Ref { return component.At(o.Namespace, o.Name) }

// Held is its account for a vCenter under the keys that components read, or zero; o may be nil.
func (o *Object) Held(server string) credfile.Account {
	if o == nil {
		return credfile.Account{}
	}
	return o.Accounts[server]
}

// Hive is what Hive finds in it: servers and accounts, and why it cannot read it.
func (o *Object) Hive() (map[string]credfile.Account, error) {
	all, err := hiveAccounts(o.Data)
	by := map[string]credfile.Account{}
	for _, a := range all {
		by[a.server] = a.Account
	}
	return by, err
}

// Flat is the account of a secret that does not say for which vCenter it is.
func (o *Object) Flat() (credfile.Account, bool) {
	for _, h := range o.held() {
		if h.Form == FormFlat || h.Form == FormCAPV {
			return h.Account, true
		}
	}
	return credfile.Account{}, false
}

// Recorded are the instance UUIDs of vCenters that it records, as far as they can be read.
func (o *Object) Recorded() openshift.Instances { return openshift.Recorded(&o.Secret) }

// Of is the cluster that has these secrets, of which nothing else is known.
func Of(secrets ...corev1.Secret) *Cluster {
	secrets, again := objects.Latest(secrets)
	all := make([]*Object, len(secrets))
	for i, s := range secrets {
		all[i] = objectOf(s)
	}
	c := (&Cluster{}).with(all)
	c.again = again
	return c
}

// Read reads a cluster's objects, as `oc get secrets,infrastructures,... -A -o yaml` prints them.
// faults are skipped malformed values and objects; the error leaves nothing. Neither holds a value.
func Read(name string, data []byte) (c *Cluster, faults []error, err error) {
	secrets, faults, err := objects.ReadSecrets(name, data)
	if err != nil {
		return nil, nil, err
	}
	c = Of(secrets...)
	if op, err := release.ParseOperator(name, data); err == nil { // else it is in faults
		c.Manual = op.Manual()
	}
	if all, err := openshift.ParseNamespaces(name, data); err == nil {
		c.namespaces = all
	}
	infra, err := spec.InfrastructureIn(name, data)
	if infra != nil {
		c.Name, c.api, c.Platform, c.Topology = infra.Name, infra.API, infra.Platform, infra.Topology
	}
	c.Misplaced = err
	return c, faults, nil
}

// everywhere is a namespace of each cluster: a list without it is not of all.
const everywhere = "default"

// Servers are the vCenters of its Infrastructure; nil = it does not show them.
func (c *Cluster) Servers() []string {
	if c.Topology == nil {
		return nil
	}
	var all []string
	for _, v := range c.Topology.VCenters {
		all = append(all, v.Server)
	}
	return all
}

// Empty reports whether it has no secret at all.
func (c *Cluster) Empty() bool { return len(c.order) == 0 }

// Object is the secret at a place; nil = it is not there, or not shown.
func (c *Cluster) Object(at component.Ref) *Object { return c.objects[at] }

// Root is kube-system/vsphere-creds.
func (c *Cluster) Root() *Object { return c.objects[root] }

// Objects are the secrets, as they came.
func (c *Cluster) Objects() []*Object { return slices.Clone(c.order) }

// System are those of kube-system, by name.
func (c *Cluster) System() []*Object { return slices.Clone(c.system) }

// Again reports whether a secret is there more than once.
func (c *Cluster) Again(at component.Ref) bool { return c.again[at] }

// WithHive are the secrets that Hive reads, sorted.
func (c *Cluster) WithHive() []*Object {
	list := slices.DeleteFunc(slices.Clone(c.order),
		func(o *Object) bool { return o.Data[openshift.HiveKey] == nil })
	slices.SortFunc(list, func(a, b *Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// IsManual reports whether the cluster is known to be in Manual mode; else it may be.
func (c *Cluster) IsManual() bool { return c.Manual != nil && *c.Manual }

// Copies reports whether the cluster is in a mode in which cloud-credential-operator copies.
func (c *Cluster) Copies() bool { return c.Manual != nil && !*c.Manual }

// with is the cluster with other secrets, each there once.
func (c *Cluster) with(all []*Object) *Cluster {
	other := *c
	other.order, other.objects, other.system = all, map[component.Ref]*Object{}, nil
	for _, o := range all {
		other.objects[o.At()] = o
		if o.Namespace == root.Namespace {
			other.system = append(other.system, o)
		}
	}
	slices.SortFunc(other.system, func(a, b *Object) int { return cmp.Compare(a.Name, b.Name) })
	return &other
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// Shows reports whether the secrets of a namespace are known: from its API server, because one is
// here, or because the list of namespaces lacks it. Other dumps prove nothing.
func (c *Cluster) Shows(namespace string) bool {
	if c.Whole || c.namespaces[everywhere] != "" && !c.Lists(namespace) {
		return true
	}
	return slices.ContainsFunc(c.order, func(o *Object) bool { return o.Namespace == namespace })
}

// Lists reports whether it has a Namespace, which therefore exists.
func (c *Cluster) Lists(namespace string) bool { return c.namespaces[namespace] != "" }

// Unshown are those of namespaces, sorted, of which it does not show which secrets they have.
func (c *Cluster) Unshown(namespaces []string) []string {
	hidden := map[string]bool{}
	for _, namespace := range namespaces {
		if !c.Shows(namespace) {
			hidden[namespace] = true
		}
	}
	return sorted(hidden)
}
