package identity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// openstack is what CAPO does. A denied namespace is a Warning event, reason IdentityAccessDenied.
func (w *checker) openstack(u *User) ([]resolution.Source, verdict) {
	if u.Identity == nil {
		if u.Kind == KindOpenStackMachine {
			return []resolution.Source{{Candidate: resolution.Candidate{Step: StepCluster, Why: "it has no identity"}, Takes: true}}, verdict{}
		}
		w.find(finding.IdentityMalformed, u.called(), "has no identityRef, which is required")
		return nil, verdict{refusal: "identityRef is required"}
	}
	ref := *u.Identity
	if wrong := ref.malformed(); wrong != "" {
		w.find(finding.IdentityMalformed, u.called(), "identityRef: %s", wrong)
		return []resolution.Source{{Candidate: resolution.Candidate{Step: StepSecret, From: ref.Name}, Takes: true}}, verdict{refusal: wrong}
	}
	at, v := component.At(u.Namespace, ref.Name), verdict{}
	used := resolution.Candidate{Step: StepSecret, From: at.String()}
	if ref.Kind == "ClusterIdentity" {
		used = resolution.Candidate{Step: StepIdentity, From: ref.Name}
		w.find(finding.IdentityDiffers, u.called(),
			"has cloudName with type ClusterIdentity: releases require it, the proposal forbids it")
		i, there := w.named(KindOpenStackIdentity, ref.Name)
		if !there {
			w.find(finding.IdentityMissing, u.called(),
				"refers to OpenStackClusterIdentity %s, which does not exist", ref.Name)
			v.refusal = fmt.Sprintf("openstackclusteridentities.%s %q not found", infrastructureGroup, ref.Name)
			return []resolution.Source{{Candidate: used, Takes: true}}, v
		}
		at = i.Secret
		labels, known := w.Namespaces[u.Namespace]
		if v = i.allows(u.Namespace, labels, known); v.refusal != "" {
			used.Why = w.why(i) + "; the event is IdentityAccessDenied"
		}
	}
	if v.refusal == "" && w.absent(at) {
		v.refusal = fmt.Sprintf("secrets %q not found", at.Name)
		if ref.Kind != "ClusterIdentity" {
			w.find(finding.IdentityMissing, u.called(), "refers to secret %s, which does not exist%s", at,
				w.elsewhere(at, "the secret must be in the cluster's own namespace"))
		}
	}
	used.User, u.Server = w.cloud(at, ref.CloudName)
	return []resolution.Source{{Candidate: used, Takes: true}}, v
}

// cloud is the user and the address of a cloud in the clouds.yaml of a secret.
func (w *checker) cloud(at component.Ref, name string) (user, server string) {
	s := w.at[at]
	if s == nil {
		return "", ""
	}
	var file struct {
		Clouds map[string]struct {
			Auth struct {
				URL         string `json:"auth_url"`
				User        string `json:"username"`
				Application string `json:"application_credential_id"`
			} `json:"auth"`
		} `json:"clouds"`
	}
	text, there := s.Data["clouds.yaml"]
	readable := yaml.Unmarshal(text, &file) == nil
	cloud, found := file.Clouds[name]
	switch {
	case !there:
		w.find(finding.IdentityMalformed, at.String(), "has no key clouds.yaml")
	case !readable:
		w.find(finding.IdentityMalformed, at.String(), "key clouds.yaml is not a YAML map of clouds")
	case !found:
		has := cmp.Or(strings.Join(slices.Sorted(maps.Keys(file.Clouds)), ", "), "none")
		w.find(finding.IdentityMalformed, at.String(), "clouds.yaml has no cloud %q: it has %s", name, has)
	}
	return cmp.Or(cloud.Auth.User, cloud.Auth.Application), cloud.Auth.URL
}

// use judges an identity, and says who works with it.
func (w *checker) use(i ClusterIdentity) Use {
	at := i.Secret
	rule := "an identity's secret must be in the namespace that it names"
	if i.Kind == KindVSphereIdentity {
		at.Namespace = w.controller
		rule = "the controller reads only its own namespace; if that is another one, set --controller-namespace"
		w.holds[at] = append(w.holds[at], i.called())
	}
	use := Use{i.Kind, i.Name, at.String(), i.Allowed(), []string{}}
	called := i.called()
	if w.absent(at) {
		w.find(finding.IdentityMissing, called, "its secret %s does not exist%s", at, w.elsewhere(at, rule))
	} else if i.Kind == KindVSphereIdentity {
		w.user(at)
	}
	var servers []string
	for _, u := range w.Users {
		if u.names(i) && !w.refused[u.called()] {
			use.Users = append(use.Users, u.called())
			if u.Server != "" {
				servers = lists.AppendNew(servers, u.Server)
			}
		}
	}
	switch {
	case strings.HasPrefix(i.Allowed(), "everybody"):
		w.find(finding.IdentityEverybody, called, "it is for %s", i.Allowed())
	case i.nobody(w.Namespaces):
		w.find(finding.IdentityNobody, called, "no namespace may use it: it is for %s", i.Allowed())
	}
	switch {
	case i.Kind != KindVSphereIdentity:
	case i.Status == nil:
		w.find(finding.IdentityNote, called, "no controller has reconciled it yet: it is assumed to be ready")
	case !i.Status.Ready:
		w.find(finding.IdentityNote, called, "%s", w.why(i))
	}
	if len(servers) > 1 {
		w.find(finding.IdentityNote, called, "its account is used on %s and must exist on each of them",
			strings.Join(servers, ", "))
	}
	if len(use.Users) > 0 {
		lost := ""
		if i.Kind == KindVSphereIdentity {
			lost = "; its secret is deleted too, and virtual machines can no longer be deleted"
		}
		w.find(finding.IdentityInUse, called,
			"deleting it takes the account from %s, without a warning%s", strings.Join(use.Users, ", "),
			lost)
	}
	return use
}

func (u User) names(i ClusterIdentity) bool {
	switch {
	case u.Identity == nil || u.Identity.Name != i.Name:
		return false
	case i.Kind == KindVSphereIdentity:
		return u.Kind == KindVSphereCluster && u.Identity.Kind == KindVSphereIdentity
	}
	return u.Kind != KindVSphereCluster && u.Identity.Kind == "ClusterIdentity"
}

// shared finds secrets with two owners: CAPV reports SecretAlreadyInUse for the later identity.
func (w *checker) shared() {
	for _, at := range slices.SortedFunc(maps.Keys(w.holds),
		func(a, b component.Ref) int { return strings.Compare(a.String(), b.String()) }) {
		owners := ownersOf(w.at[at])
		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(w.holds[at], owners))))
		if len(all) < 2 {
			continue
		}
		only := ": only one can own it, and"
		if len(owners) > 0 {
			only = ", and " + strings.Join(owners, " and ") + " owns it:"
		}
		w.find(finding.IdentityShared, at.String(),
			"is the secret of %s%s the controller refuses the others (SecretAlreadyInUse)",
			strings.Join(all, " and "), only)
	}
}
