// Package identity is about Cluster API's cluster identities, by which clusters share vCenter
// accounts: it writes them, and tells which account each cluster of a management cluster gets.
package identity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// The steps by which a controller of Cluster API comes to an account.
const (
	StepIdentity   = "identity"   // a cluster identity that the cluster names
	StepSecret     = "secret"     // a secret in the cluster's own namespace that it names
	StepController = "controller" // the controller's own account, for clusters that name nothing
	StepCluster    = "cluster"    // that of the OpenStackCluster, for machines that name nothing
)

// controllerSecret is the one that CAPV's own account is mounted from.
const controllerSecret = "capv-manager-bootstrap-credentials" //nolint:gosec // its name

// Result is each cluster's account and findings about identities, without passwords.
type Result struct {
	Clusters   []ClusterAccount
	Identities []Use
	Zones      []ZoneAccounts
	Findings   []*finding.Finding
}

// ClusterAccount is what one cluster, machine or server gets.
type ClusterAccount struct {
	Kind string `json:"kind"`
	resolution.Resolution
	Undecided string `json:"undecided"` // what the dump lacks to decide; "" = nothing
}

// Use is a cluster identity and who works with it.
type Use struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Secret  string   `json:"secret"`  // namespace/name
	Allowed string   `json:"allowed"` // in words
	Users   []string `json:"users"`   // kind namespace/name of those that name it and are not refused
}

// Refused counts the clusters that are refused.
func (r *Result) Refused() int {
	n := 0
	for _, u := range r.Clusters {
		if u.Refusal != "" {
			n++
		}
	}
	return n
}

// Check follows the controllers over a dump. What is not in it does not exist, unless it has no
// object of the kind at all. controller is CAPV's namespace, "" for [cluster.ControllerNamespace].
func Check(d Dump, controller string) *Result {
	w := &checker{
		Dump: d, controller: cmp.Or(controller, cluster.ControllerNamespace),
		at: map[component.Ref]*corev1.Secret{}, holds: map[component.Ref][]string{}, refused: map[string]bool{},
	}
	for i, s := range d.Secrets {
		w.at[component.At(s.Namespace, s.Name)] = &d.Secrets[i]
	}
	w.Users = slices.Clone(d.Users)
	slices.SortStableFunc(w.Users, func(a, b User) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.String(), b.String()))
	})
	w.Identities = slices.Clone(d.Identities)
	slices.SortStableFunc(w.Identities, func(a, b ClusterIdentity) int {
		return cmp.Or(cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Name, b.Name))
	})
	for n, i := range w.Identities {
		w.Identities[n].Status = w.status(i)
	}
	c := &Result{}
	for _, u := range w.Users {
		account := w.cluster(u)
		w.refused[u.called()] = account.Refusal != ""
		c.Clusters = append(c.Clusters, account)
	}
	for _, i := range w.Identities {
		c.Identities = append(c.Identities, w.use(i))
	}
	c.Zones = w.zones(c.Clusters)
	w.shared()
	if len(w.Secrets) == 0 && len(w.Users)+len(w.Identities) > 0 {
		w.find(finding.IdentityNote, "-",
			"the dump has no secrets: neither the accounts nor whether the secrets exist are known")
	}
	c.Findings = w.findings
	return c
}

type checker struct {
	Dump
	controller string
	at         map[component.Ref]*corev1.Secret
	holds      map[component.Ref][]string // owners of a secret for CAPV: one identity or cluster
	refused    map[string]bool            // users, as they are called
	findings   []*finding.Finding
}

func (w *checker) find(code finding.Code, object, format string, args ...any) {
	f := finding.New(code, object, format, args...)
	if !slices.ContainsFunc(w.findings, func(o *finding.Finding) bool {
		return o.Code == f.Code &&
			o.Subject == f.Subject && o.Text == f.Text
	}) {
		w.findings = append(w.findings, f)
	}
}

func (u User) called() string { return u.Kind + " " + u.String() }

func (w *checker) cluster(u User) ClusterAccount {
	var sources []resolution.Source
	var v verdict
	if u.Kind == KindVSphereCluster {
		sources, v = w.vsphere(u)
	} else {
		sources, v = w.openstack(&u)
	}
	r := resolution.Resolve(u.String(), u.Server, sources...)
	r.Refusal = v.refusal
	if v.undecided != "" {
		w.find(finding.IdentityUndecided, u.called(), "%s", v.undecided)
	}
	return ClusterAccount{u.Kind, r, v.undecided}
}

// vsphere follows CAPV: an identity, a secret beside the cluster, or its own account. A refusal is
// the message of condition VCenterAvailable=False, reason VCenterUnreachable.
func (w *checker) vsphere(u User) ([]resolution.Source, verdict) {
	own := w.own(u.Server)
	if u.Identity == nil {
		own.Why = "it has no identity"
		return []resolution.Source{{Candidate: own, Takes: true}}, verdict{}
	}
	used, v := resolution.Candidate{Step: StepIdentity, From: u.Identity.Name}, verdict{}
	switch u.Identity.Kind {
	case KindVSphereIdentity:
		i, there := w.named(KindVSphereIdentity, u.Identity.Name)
		if !there {
			v.refusal = fmt.Sprintf("vsphereclusteridentities.%s %q not found", infrastructureGroup, u.Identity.Name)
			w.find(finding.IdentityMissing, u.called(),
				"refers to VSphereClusterIdentity %s, which does not exist", u.Identity.Name)
			break
		}
		at := component.At(w.controller, i.Secret.Name)
		used.User = w.user(at)
		labels, known := w.Namespaces[u.Namespace]
		if v = i.allows(u.Namespace, labels, known); v.refusal != "" {
			used.Why = w.why(i)
		} else if w.absent(at) {
			v.refusal = fmt.Sprintf("secrets %q not found", at.Name)
		}
	case KindSecret:
		at := component.At(u.Namespace, u.Identity.Name)
		used = resolution.Candidate{Step: StepSecret, From: at.String(), User: w.user(at)}
		w.holds[at] = append(w.holds[at], u.called())
		if w.taken(at, u.called()) { // it is refused before the account is looked for
			used.Why = "the secret has another owner"
			return []resolution.Source{{Candidate: used, Takes: true}, {Candidate: own, Takes: true}},
				verdict{refusal: "another cluster has set the OwnerRef for Secret " + at.String()}
		}
		if w.absent(at) {
			v.refusal = fmt.Sprintf("secrets %q not found", at.Name)
			w.find(finding.IdentityMissing, u.called(), "refers to secret %s, which does not exist%s", at,
				w.elsewhere(at, "the secret must be in the cluster's own namespace"))
		}
	default:
		v.refusal = fmt.Sprintf("unknown type %s used for Identity", u.Identity.Kind)
		w.find(finding.IdentityMalformed, u.called(),
			"identityRef.kind is %q: the API server accepts %s and Secret", u.Identity.Kind,
			KindVSphereIdentity)
	}
	if v.refusal != "" {
		v.refusal = "failed to get credentials from IdentityRef: " + v.refusal
	}
	own.Why = "for clusters without an identity"
	return []resolution.Source{{Candidate: used, Takes: true}, {Candidate: own, Takes: true}}, v
}

// why says of an identity that refuses what the controller's words leave out.
func (w *checker) why(i ClusterIdentity) string {
	if i.Status != nil && !i.Status.Ready {
		return strings.TrimRight(fmt.Sprintf("it is not ready: %s: %s", i.Status.Reason, i.Status.Message), " :")
	}
	return fmt.Sprintf("%s %s is for %s", i.Kind, i.Name, i.Allowed())
}

func (w *checker) own(server string) resolution.Candidate {
	at := component.At(w.controller, controllerSecret)
	c := resolution.Candidate{Step: StepController, From: "/etc/capv/credentials.yaml"}
	if s := w.at[at]; s != nil {
		c.From, c.User = at.String(), cluster.ControllerUser(s.Data, server)
	}
	return c
}

func (w *checker) named(kind, name string) (ClusterIdentity, bool) {
	n := slices.IndexFunc(w.Identities, func(i ClusterIdentity) bool { return i.Kind == kind && i.Name == name })
	if n < 0 {
		return ClusterIdentity{}, false
	}
	return w.Identities[n], true
}

// absent reports whether a secret is not there, as far as the dump says so.
func (w *checker) absent(at component.Ref) bool { return len(w.Secrets) > 0 && w.at[at] == nil }

func (w *checker) user(at component.Ref) string {
	s := w.at[at]
	if s == nil {
		return ""
	}
	for _, key := range []string{"username", "password"} {
		value, there := s.Data[key]
		switch {
		case !there:
			w.find(finding.IdentityMalformed, at.String(),
				"has no key %s: the controller reads it as empty and the login fails", key)
		case len(value) == 0:
			w.find(finding.IdentityMalformed, at.String(), "key %s is empty, and the login fails", key)
		case strings.ContainsAny(string(value), "\r\n"):
			w.find(finding.IdentityMalformed, at.String(),
				"key %s holds a line break, which the controller does not trim, and the login fails", key)
		}
	}
	return strings.TrimRight(string(s.Data["username"]), "\r\n")
}

// elsewhere says where a secret of that name is that was not found.
func (w *checker) elsewhere(at component.Ref, rule string) string {
	var in []string
	for _, s := range w.Secrets {
		if s.Name == at.Name && s.Namespace != at.Namespace {
			in = append(in, s.Namespace)
		}
	}
	if len(in) == 0 {
		return ""
	}
	slices.Sort(in)
	return fmt.Sprintf(", but one with that name is in %s: %s", strings.Join(in, ", "), rule)
}
