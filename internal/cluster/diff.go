package cluster

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// What manifests change about a secret of a cluster, or about a vCenter in it.
const (
	ChangeNone     = "same"
	ChangeNew      = "new"               // the secret is not in the dump
	ChangeSecret   = "changed"           // something in the secret is; see its vCenters
	ChangeAdded    = "vCenter added"     // the secret gets an account for it
	ChangeRemoved  = "vCenter removed"   // the secret loses its account for it
	ChangeUser     = "another user"      // for the same vCenter
	ChangePassword = "another password"  // of the same user
	ChangeInstance = "another vCenter"   // its name leads to another one than recorded
	ChangeRecord   = "recorded"          // the secret gets a record of which vCenter it is
	ChangeKey      = "other key removed" // one that is no part of an account

	ChangeLabel      = "another label"      // one for cloud-credential-operator
	ChangeAnnotation = "another annotation" // likewise
)

// Comparison is what applying manifests would change in a cluster. It holds no password.
type Comparison struct {
	Secrets  []SecretChange // in the order of the manifests
	Switches []Switch       // who would work with another account, or on another vCenter
}

// SecretChange is one secret of the manifests against that of the cluster.
type SecretChange struct {
	Secret   string          `json:"secret"` // namespace/name
	Change   string          `json:"change"` // ChangeNew, ChangeNone or ChangeSecret
	VCenters []VCenterChange `json:"vcenters"`
}

// VCenterChange is one difference in a secret. From and To are user names, instance UUIDs, or
// values of a label or an annotation; "" = none.
type VCenterChange struct {
	Server string `json:"server"` // or the key of something else
	Change string `json:"change"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// Different reports whether applying the manifests changes anything, in a secret or for a consumer.
func (c *Comparison) Different() bool {
	return len(c.Switches) > 0 ||
		slices.ContainsFunc(c.Secrets, func(s SecretChange) bool { return s.Change != ChangeNone })
}

// Diff tells how manifests change secrets, and who gets another account then.
func Diff(before, after *Cluster, manifests []openshift.Manifest) *Comparison {
	c := &Comparison{Secrets: []SecretChange{}, Switches: []Switch{}}
	for _, m := range manifests {
		if m.Secret != nil {
			c.Secrets = append(c.Secrets,
				ChangeOf(before.objects[component.At(m.Secret.Namespace, m.Secret.Name)], m.Secret))
		}
	}
	servers := lists.Union(before.keyed(), after.keyed())
	c.Switches = switches(before.Resolve(servers), after.Resolve(servers))
	return c
}

// After is the cluster after `oc apply` of manifests: their data replaces the old. Labels and
// annotations are united, less those of an earlier `oc apply`.
func (c *Cluster) After(manifests []openshift.Manifest) *Cluster {
	all := c.Objects()
	for _, m := range manifests {
		if m.Secret == nil {
			continue
		}
		i := slices.IndexFunc(all,
			func(o *Object) bool { return o.At() == component.At(m.Secret.Namespace, m.Secret.Name) })
		if i < 0 {
			all = append(all, objectOf(*m.Secret.DeepCopy()))
			continue
		}
		s := all[i].DeepCopy()
		s.Data = maps.Clone(m.Secret.Data)
		was := noted(s)
		s.Labels, s.Annotations = overlay(s.Labels, was.Labels, m.Secret.Labels),
			overlay(s.Annotations, was.Annotations, m.Secret.Annotations)
		all[i] = objectOf(*s)
	}
	return c.with(all)
}

// noted is the metadata of the last `oc apply`: the next one removes what it no longer writes.
func noted(s *corev1.Secret) metav1.ObjectMeta {
	var last struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	_ = json.Unmarshal([]byte(s.Annotations[lastApplied]), &last) // else nothing is removed
	return last.Metadata
}

// overlay is there, less what only before wrote, with written.
func overlay(there, before, written map[string]string) map[string]string {
	all := union(there, nil)
	maps.DeleteFunc(all, func(key, _ string) bool { _, was := before[key]; return was })
	maps.Copy(all, written)
	return all
}

// Keep adds records of vCenters to manifests that an apply would drop, and returns their servers.
func (c *Cluster) Keep(manifests []openshift.Manifest) []string {
	kept := map[string]bool{}
	for _, m := range manifests {
		if m.Secret == nil {
			continue
		}
		there := c.objects[component.At(m.Secret.Namespace, m.Secret.Name)]
		if there == nil {
			continue
		}
		all, known, keys := union(there.Recorded(), nil), openshift.Recorded(m.Secret), ReadKeys(m.Secret.Data)
		for server := range all {
			if known[server] == "" && keys.Accounts[server].User != "" {
				kept[server] = true
			}
		}
		maps.Copy(all, known)
		all.Record(m.Secret, keys.Servers())
	}
	return sorted(kept)
}

// keyed are all vCenters that secrets have keys of accounts for.
func (c *Cluster) keyed() []string {
	all := map[string]bool{}
	for _, o := range c.order {
		for server := range o.Accounts {
			all[server] = true
		}
	}
	return sorted(all)
}

// ChangeOf compares one secret; before is nil where there is none.
func ChangeOf(before *Object, now *corev1.Secret) SecretChange {
	after := objectOf(*now)
	c := SecretChange{Secret: component.At(after.Namespace, after.Name).String(), Change: ChangeNew, VCenters: []VCenterChange{}}
	had, has := map[string]credfile.Account{}, after.byServer()
	if before != nil {
		c.Change, had = ChangeNone, before.byServer()
	}
	for _, server := range slices.Sorted(maps.Keys(union(had, has))) {
		a, there := had[server]
		b, stays := has[server]
		switch {
		case !there:
			c.VCenters = append(c.VCenters, VCenterChange{server, ChangeAdded, "", b.User})
		case !stays:
			c.VCenters = append(c.VCenters, VCenterChange{server, ChangeRemoved, a.User, ""})
		case a.User != b.User:
			c.VCenters = append(c.VCenters, VCenterChange{server, ChangeUser, a.User, b.User})
		case !a.Same(b):
			c.VCenters = append(c.VCenters, VCenterChange{server, ChangePassword, a.User, b.User})
		}
		if before == nil || !there || !stays {
			continue
		}
		switch was, is := before.Recorded()[server], after.Recorded()[server]; {
		case is == "" || strings.EqualFold(was, is):
		case was == "":
			c.VCenters = append(c.VCenters, VCenterChange{server, ChangeRecord, "", is})
		default:
			c.VCenters = append(c.VCenters, VCenterChange{server, ChangeInstance, was, is})
		}
	}
	if before != nil {
		for _, key := range slices.Concat(before.Half, before.Foreign, before.Unknown) {
			if _, stays := after.Data[key]; !stays {
				c.VCenters = append(c.VCenters, VCenterChange{key, ChangeKey, "", ""})
			}
		}
		was := noted(&before.Secret)
		c.marks(ChangeLabel, before.Labels, overlay(before.Labels, was.Labels, after.Labels))
		c.marks(ChangeAnnotation, before.Annotations,
			overlay(before.Annotations, was.Annotations, after.Annotations))
	}
	if before != nil && len(c.VCenters) > 0 {
		c.Change = ChangeSecret
	}
	return c
}

// marks adds changes of labels or annotations, except the record of vCenters.
func (s *SecretChange) marks(change string, before, after map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(union(before, after))) {
		if before[key] != after[key] && key != openshift.VCentersKey {
			s.VCenters = append(s.VCenters, VCenterChange{key, change, before[key], after[key]})
		}
	}
}

// byServer are the accounts of a secret; "" is for one without a vCenter.
func (o *Object) byServer() map[string]credfile.Account {
	all := map[string]credfile.Account{}
	for _, h := range o.Holdings() {
		all[h.Server] = h.Account
	}
	return all
}

func union[M ~map[string]V, V any](a, b M) M {
	all := maps.Clone(a)
	if all == nil {
		all = M{}
	}
	maps.Copy(all, b)
	return all
}

// Preferred are the secrets that hide the root secret from components while they exist.
func (c *Cluster) Preferred(manifests []openshift.Manifest) []component.Ref {
	after := c.After(manifests)
	var all []component.Ref
	for _, r := range after.Resolve(after.keyed()) {
		namespace, name, _ := strings.Cut(r.From, "/")
		if at := component.At(namespace, name); r.By == ByEnhancement && r.From != "" && at != root &&
			!slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}
