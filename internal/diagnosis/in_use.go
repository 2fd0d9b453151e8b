package diagnosis

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// InUse is an account that a cluster works with on a vCenter.
type InUse struct {
	Server     string
	Account    credfile.Account
	Components []component.Name // that log in with it
	Secrets    []string         // namespace/name, where these find it
}

// InUse are the accounts that the cluster's components use, each once per vCenter: from a
// component's secret or, if the dump lacks it, what cloud-credential-operator would copy there. An
// account in the root secret that is no component's is the main one. Unusable accounts are omitted.
func (e *Explanation) InUse() []InUse {
	w := e.explains
	var all []InUse
	add := func(c component.Name, server, by string, from component.Ref) {
		a, _ := w.Object(from).Account(string(c), server)
		if a.Unusable() != "" {
			return
		}
		i := slices.IndexFunc(all, func(u InUse) bool { return u.Server == server && u.Account.Same(a) })
		switch {
		case i < 0:
			all = append(all, InUse{server, a, []component.Name{c}, []string{from.String()}})
		default:
			if by != cluster.StepDirect {
				all[i].Components = lists.AppendNew(all[i].Components, c)
			}
			all[i].Secrets = lists.AppendNew(all[i].Secrets, from.String())
		}
	}
	for _, server := range w.servers {
		for _, q := range w.requests {
			if q.Component == "" || !w.Has(q) {
				continue
			}
			from := q.SecretRef
			if w.Object(from) == nil {
				chosen := w.Enhancement(q).From
				if chosen == nil || w.Shows(from.Namespace) {
					continue // it has none
				}
				from = component.At(chosen.Namespace, chosen.Name)
			}
			add(q.Component, server, "", from)
		}
		if w.Root() != nil && !w.foreign {
			add(w.readsRoot(server), server, cluster.StepDirect, root)
		}
	}
	return all
}

// readsRoot is the component of the root secret's account: machine-api for direct readers, its own
// for machine-config where nothing is copied from there, or main.
func (e *explainer) readsRoot(server string) component.Name {
	switch of := e.owner(server, e.user(e.Root(), server)); {
	case of == "":
		return component.Installer
	case of == component.Installer, of == component.MachineConfig && !e.operated:
		return of
	}
	return component.MachineAPI
}

// Strange reports whether a component works with another's account on a vCenter, meant or not.
func (e *Explanation) Strange(server, user string, c component.Name) bool {
	return slices.ContainsFunc(e.explains.requests, func(q release.Request) bool {
		return q.Component == c && slices.ContainsFunc(e.explains.strangers(q), func(s stranger) bool {
			return s.server == server && s.user == user
		})
	})
}

// Health is whether a component gets its account, as the findings of an explanation say.
type Health struct {
	Component component.Name
	From      cluster.Choice     // the secret that the operator has copied
	Reads     string             // the secret that it reads, namespace/name
	Seen      bool               // the dump holds that one
	Findings  []*finding.Finding // errors that are about it
}

// Health are the components that the cluster has, and the errors that are about none of them.
func (e *Explanation) Health() (components []Health, rest []*finding.Finding) {
	rest = slices.DeleteFunc(slices.Clone(e.Findings), (*finding.Finding).Advice)
	told := map[*finding.Finding]bool{}
	for i, q := range e.explains.requests {
		if q.Component == "" || !e.explains.Has(q) {
			continue
		}
		x := e.Requests[i]
		h := Health{Component: q.Component, From: x.Enhancement, Reads: x.SecretRef, Seen: x.InDump}
		if target, r := e.explains.Object(q.SecretRef), e.explains.Root(); target != nil && r != nil &&
			!e.explains.alike(target, h.From.From) && e.explains.alike(target, r) {
			h.From = cluster.Chosen(cluster.StepRoot, r) // which an operator of a release copies
		}
		for _, f := range rest {
			if f.Concerns(q.Component) || !f.ConcernsAny() && (f.Subject == x.SecretRef ||
				f.Subject == x.Enhancement.Secret && x.Enhancement.Step != cluster.StepRoot) {
				h.Findings = append(h.Findings, f)
				told[f] = true
			}
		}
		components = append(components, h)
	}
	return components, slices.DeleteFunc(rest, func(f *finding.Finding) bool { return told[f] })
}

// Codes are the codes of findings, each once, for a table.
func Codes(all []*finding.Finding) string {
	var codes []string
	for _, f := range all {
		codes = lists.AppendNew(codes, string(f.Code))
	}
	return strings.Join(codes, ", ")
}
