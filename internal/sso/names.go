package sso

import (
	"slices"
	"strings"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
)

// Names are those of the domains of a vCenter's identity sources.
type Names struct {
	Domain string            // of SSO itself
	alias  map[string]string // lower-case domain or alias → lower-case domain
	source map[string]Source // by lower-case domain

	Sources []string // the domains of the identity sources, with their aliases, in the order of the vCenter
}

// Same is a key that is equal for every spelling of one principal: name@domain, DOMAIN\name and the alias of its
// domain. A bare name belongs to the SSO domain.
func (n *Names) Same(principal string) string {
	name, domain := n.Split(principal)
	domain = strings.ToLower(domain)
	if full, ok := n.alias[domain]; ok {
		domain = full
	}
	return strings.ToLower(name) + "@" + domain
}

// Source is a domain of an identity source, as the vCenter spells it.
type Source struct{ Name, Alias string } // Alias "" = it has none, or its own name

// Source is what a domain of a principal means: its own name or its alias. One that no identity source has comes back as it is.
func (n *Names) Source(domain string) Source {
	if s, ok := n.source[n.alias[strings.ToLower(domain)]]; ok {
		return s
	}
	return Source{Name: domain}
}

// Split cuts name@domain or DOMAIN\name. A bare name belongs to the SSO domain.
func (n *Names) Split(principal string) (name, domain string) {
	if d, n, ok := strings.Cut(principal, `\`); ok {
		return n, d
	}
	if i := strings.LastIndex(principal, "@"); i >= 0 {
		return principal[:i], principal[i+1:]
	}
	return principal, n.Domain
}

// know remembers a domain for messages: "corp.example.com (CORP)".
func (n *Names) know(d ssotypes.Domain) {
	source, text := Source{Name: d.Name}, d.Name
	if d.Alias != "" && !strings.EqualFold(d.Alias, d.Name) {
		source.Alias = d.Alias
		text += " (" + d.Alias + ")"
	}
	if n.source == nil {
		n.source = map[string]Source{}
	}
	if key := strings.ToLower(d.Name); n.source[key].Alias == "" {
		n.source[key] = source
	}
	if !slices.Contains(n.Sources, text) { // a source can be listed twice: among all, and by its type
		n.Sources = append(n.Sources, text)
	}
}

// principalID names the domain of a principal by its own name, where an alias was given.
func (n *Names) principalID(principal string) ssotypes.PrincipalId {
	name, domain := n.Split(principal)
	if full, ok := n.alias[strings.ToLower(domain)]; ok {
		domain = full
	}
	return ssotypes.PrincipalId{Name: name, Domain: domain}
}

func (n *Names) learn(sources ssotypes.IdentitySources) {
	all := append([]ssotypes.IdentitySource{sources.System}, sources.All...)
	for _, l := range sources.LDAPS {
		all = append(all, l.IdentitySource)
	}
	for _, source := range []*ssotypes.IdentitySource{sources.LocalOS, sources.NativeAD} {
		if source != nil {
			all = append(all, *source)
		}
	}
	for _, source := range all {
		for _, d := range source.Domains {
			n.know(d)
			n.alias[strings.ToLower(d.Name)] = strings.ToLower(d.Name)
			if d.Alias != "" {
				n.alias[strings.ToLower(d.Alias)] = strings.ToLower(d.Name)
			}
		}
	}
}
