package provision

import (
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// unable are the components that what the matrix grants leaves unable to do all of their work: whoever approves a plan decides
// about that, too.
func (dec *decision) unable() []*finding.Finding {
	var all []*finding.Finding
	if dec.undoing || !dec.does(plan.Permission) {
		return nil
	}
	at := map[string]*finding.Finding{} // by text
	for _, p := range dec.parts {
		if p.err != nil || p.wanted == nil {
			continue
		}
		for _, c := range dec.Spec.ComponentNames() {
			who := dec.holder(p.snapshot, c)
			subject := access.Subject{Key: p.key(who), Group: who.Group}
			list := p.expected(p.wanted).Cannot([]component.Name{c}, p.wanted.Rights(subject))
			if len(list) == 0 {
				continue
			}
			text := fmt.Sprintf("with matrix %s, component %s cannot: %s", dec.Matrix.Name, c, verify.Cannots(list))
			if at[text] == nil {
				at[text] = finding.New(finding.UnableComponent, "", "%s", text)
				all = append(all, at[text])
			}
			at[text].Accounts = append(at[text].Accounts, finding.Account{Server: p.spec.Server, Component: c, Principal: who.Name})
		}
	}
	return all
}
