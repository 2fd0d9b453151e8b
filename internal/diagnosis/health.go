package diagnosis

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

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
		if target, r := e.explains.Object(q.SecretRef), e.explains.Root(); target != nil && r != nil && !e.explains.alike(target, h.From.From) && e.explains.alike(target, r) {
			h.From = cluster.Chosen(cluster.StepRoot, r) // which an operator of a release copies
		}
		for _, f := range rest {
			if f.Concerns(q.Component) || !f.ConcernsAny() && (f.Subject == x.SecretRef || f.Subject == x.Enhancement.Secret && x.Enhancement.Step != cluster.StepRoot) {
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
		if !slices.Contains(codes, string(f.Code)) {
			codes = append(codes, string(f.Code))
		}
	}
	return strings.Join(codes, ", ")
}
