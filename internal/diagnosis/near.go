package diagnosis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Names that are nearly right have no reader. A finding tells which was probably meant.

// maxName is the longest name of an object or a key of a secret; what is longer is none.
const maxName = 253

// nearest is privileges.Nearest for names of a length that they can have.
func nearest(name string, known []string) string {
	if len(name) > maxName {
		return ""
	}
	return hint.Nearest(name, known)
}

func (e *explainer) misnamed() map[*cluster.Object]component.Ref {
	list := map[*cluster.Object]component.Ref{}
	for _, s := range e.Objects() {
		if slices.Contains(e.relevant, s) || len(s.Data) == 0 {
			continue
		}
		if meant, ok := e.meant(s.At()); ok && intended(s.Keys) {
			list[s] = meant
		}
	}
	return list
}

// intended reports whether a secret looks as if it were to hold accounts.
func intended(c cluster.Keys) bool {
	return len(c.Accounts)+len(c.Half)+len(c.Foreign)+len(plain(c)) > 0 ||
		slices.ContainsFunc(c.Unknown, func(key string) bool { return meantKey(key) != "" })
}

// meant is the wanted secret with a similar name: in the same namespace, or of the same name in a
// misspelt one. Names in kube-system are unique anywhere.
func (e *explainer) meant(at component.Ref) (component.Ref, bool) {
	known := []component.Ref{root}
	for _, k := range release.Consumers() {
		known = append(known, component.At(root.Namespace, k.Secret), k.Target)
	}
	for _, q := range e.requests {
		known = append(known, q.SecretRef)
	}
	var names, spaces []string
	for _, k := range known {
		switch {
		case k.Name == "":
		case k == at:
			return component.Ref{}, false // it is what it is called
		case k.Namespace == root.Namespace && k.Name == at.Name:
			return k, true
		case k.Namespace == at.Namespace:
			names = append(names, k.Name)
		case k.Name == at.Name:
			spaces = append(spaces, k.Namespace)
		}
	}
	if near := nearestSecret(at.Name, names); near != "" {
		return component.At(at.Namespace, near), true
	}
	if near := nearest(at.Namespace, spaces); near != "" {
		return component.At(near, at.Name), true
	}
	return component.Ref{}, false
}

// nearestSecret is nearest for names with a common beginning: their endings have to be near.
func nearestSecret(name string, known []string) string {
	part, dedicated := strings.CutPrefix(name, root.Name+"-")
	if !dedicated {
		return nearest(name, known)
	}
	var parts []string
	for _, k := range known {
		if p, ok := strings.CutPrefix(k, root.Name+"-"); ok {
			parts = append(parts, p)
		}
	}
	if near := nearest(part, parts); near != "" {
		return root.Name + "-" + near
	}
	return ""
}

// saysMisnamed tells of them. Where the right one is there as well, the other does no harm.
func (e *explainer) saysMisnamed() {
	list := e.strayed
	for _, s := range slices.SortedFunc(maps.Keys(list), func(a, b *cluster.Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	}) {
		if e.Object(list[s]) != nil {
			e.add(finding.SecretShadowed, s,
				"nothing reads a secret with this name: %s exists too and is the one that is read", list[s])
		} else {
			e.add(finding.SecretMalformed, s, "nothing reads a secret with this name: did you mean %s?", list[s])
		}
	}
}

// meantKey is the key of an account that another key was probably meant to be; "" for none.
func meantKey(key string) string {
	if len(key) > maxName {
		return ""
	}
	words := []string{strings.TrimPrefix(openshift.UserKey, "."), strings.TrimPrefix(openshift.PasswordKey, ".")}
	if i := strings.LastIndexByte(key, '.'); i > 0 {
		if field := nearest(key[i+1:], words); field != "" && key[i+1:] != field {
			return key[:i+1] + field
		}
	}
	for _, word := range words { // vcenter1.example.com_username
		if at := len(key) - len(word) - 1; at > 0 && strings.HasSuffix(strings.ToLower(key), word) &&
			strings.ContainsRune("-_", rune(key[at])) {
			return key[:at] + "." + word
		}
	}
	return ""
}

// otherHalf is the key that was probably meant as the missing half of another; or "".
func otherHalf(c cluster.Keys, key string) string {
	server := cluster.ServerOf(key)
	missing := server + openshift.PasswordKey
	if strings.HasSuffix(key, openshift.PasswordKey) {
		missing = server + openshift.UserKey
	}
	for _, k := range slices.Concat(c.Unknown, c.Half) {
		sameField := strings.HasSuffix(k, openshift.UserKey) == strings.HasSuffix(missing, openshift.UserKey)
		if k != key && (strings.EqualFold(k, missing) || meantKey(k) == missing || sameField &&
			credfile.NearServer(cluster.ServerOf(k), []string{server}) != "") {
			return k
		}
	}
	return ""
}

// misspelt tells of the vCenters in a secret that are none of the cluster's, but nearly one.
func (e *explainer) misspelt(s *cluster.Object) {
	for _, server := range s.Keys.Named() {
		if slices.Contains(e.servers, server) {
			continue
		}
		without := slices.DeleteFunc(slices.Clone(e.servers), func(known string) bool {
			_, has := s.Accounts[known]
			return has && !strings.EqualFold(known, server)
		})
		if near := credfile.NearServer(server, without); near != "" {
			e.add(finding.SecretMalformed, s,
				"%s is not a vCenter of the cluster: did you mean %s? Names must match exactly", server, near)
		}
	}
}

// meantInstead is the server whose account was probably meant for a server without one. Only a
// vCenter that no other secret names may be misspelt.
func (e *explainer) meantInstead(s *cluster.Object, server string) string {
	others := map[string]bool{}
	for _, other := range e.relevant {
		if other != s {
			for _, name := range other.Keys.Named() {
				others[name] = true
			}
		}
	}
	candidates := slices.DeleteFunc(s.Keys.Named(), func(name string) bool { return others[name] })
	if near := credfile.NearServer(server, candidates); near != "" {
		return "; " + near + " is in it: did you mean " + server + "?"
	}
	return ""
}

// annotations tells of those that are nearly ours.
func (e *explainer) annotations(s *cluster.Object) {
	prefix, request, _ := strings.Cut(openshift.RequestKey, "/")
	_, mode, _ := strings.Cut(openshift.ModeKey, "/")
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		name, ours := strings.CutPrefix(key, prefix+"/")
		if near := nearest(name, []string{request, mode}); ours && near != "" && near != name {
			e.add(finding.SecretMalformed, s, "annotation %s: did you mean %s?", key, prefix+"/"+near)
		}
	}
}

// meantRequest is the probable CredentialsRequest; zero if none is near, or if it exists elsewhere.
func (e *explainer) meantRequest(to string) component.Ref {
	var known []string
	if slices.ContainsFunc(cluster.Requests(), func(q release.Request) bool { return q.String() == to }) {
		return component.Ref{}
	}
	for _, q := range e.requests {
		known = append(known, q.String())
	}
	namespace, name, _ := strings.Cut(nearest(to, known), "/")
	return component.At(namespace, name)
}
