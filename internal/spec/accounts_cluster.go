package spec

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// ClusterOf is the name of the cluster whose account a user is by the names that the specification gives accounts; "" = it is no such
// name, or the names do not tell clusters apart.
func (s *Spec) ClusterOf(user string) string {
	if !strings.Contains(s.Accounts.Username, "{cluster}") {
		return ""
	}
	name := user[strings.Index(user, `\`)+1:]
	name, _, _ = strings.Cut(name, "@")
	for _, c := range component.Names() {
		form := regexp.QuoteMeta(strings.ReplaceAll(s.Accounts.Username, "{component}", string(c)))
		form = strings.Replace(form, regexp.QuoteMeta("{cluster}"), "(.+)", 1)
		form = strings.ReplaceAll(form, regexp.QuoteMeta("{cluster}"), ".+")
		if numbered := regexp.QuoteMeta(generation); strings.Contains(form, numbered) {
			form = strings.ReplaceAll(form, numbered, "[0-9]+")
		} else {
			form += "(?:-[0-9]+)?"
		}
		if m := regexp.MustCompile("(?i)^" + form + "$").FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}

// OfCluster reports whether the specification names a component that every cluster of openshift-install has: one for Cluster API or an
// auditor alone is about none.
func (s *Spec) OfCluster() bool {
	return slices.ContainsFunc(s.ComponentNames(), func(c component.Name) bool { return !c.OptIn() })
}
