package command

import (
	"io"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// validation is what a file without an error says.
type validation struct {
	Header
	File           string   `json:"file"`
	Cluster        string   `json:"cluster"`
	VCenters       []string `json:"vcenters"`
	FailureDomains int      `json:"failureDomains"`
	Components     []string `json:"components"`
}

// PrintValid says what a file without an error comes to; kind is that of the document.
func (f *Factory) PrintValid(kind, file string, s *spec.Spec) error {
	v := validation{
		Header: NewHeader(kind), File: file, Cluster: s.Cluster, VCenters: Servers(s),
		Components: component.Words(s.ComponentNames()),
	}
	for _, vc := range s.VCenters {
		v.FailureDomains += len(vc.FailureDomains)
	}
	return f.Print(f.Output, v, func(w io.Writer) error {
		term.Fprintf(w, "%s: cluster %s, %s, %s, %s: no error; no vCenter was asked\n", file, s.Cluster,
			term.Count(len(v.VCenters), "vCenter"), term.Count(v.FailureDomains, "failure domain"),
			term.Count(len(v.Components), "component"))
		return nil
	})
}
