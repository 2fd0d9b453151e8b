package simulate

import (
	"cmp"
	"io"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// rulesView is what `simulate --explain` prints.
type rulesView struct {
	command.Header
	Bases []basisView  `json:"bases"`
	Rules []vcsim.Rule `json:"rules"`
}

type basisView struct {
	Basis   vcsim.Basis `json:"basis"`
	Meaning string      `json:"meaning"`
	Rules   int         `json:"rules"` // how many rest on it
}

func explanation() rulesView {
	v := rulesView{Header: command.NewHeader("SimulationRules"), Rules: vcsim.Rules(), Bases: []basisView{
		{Basis: vcsim.Recording, Meaning: "recorded from a real server"},
		{Basis: vcsim.Reference, Meaning: "stated in a reference, a manual or the source of a vCenter service"},
		{Basis: vcsim.Inference, Meaning: "inferred; not documented"},
		{Basis: vcsim.Unknown, Meaning: "not known; the rule says what the simulation does"},
	}}
	for i := range v.Bases {
		for _, r := range v.Rules {
			if r.Basis == v.Bases[i].Basis {
				v.Bases[i].Rules++
			}
		}
	}
	return v
}

func (v rulesView) table(w io.Writer, width int) error {
	t := term.NewTable("evidence", "rules", "meaning")
	for _, b := range v.Bases {
		t.Row(b.Basis, b.Rules, b.Meaning)
	}
	if err := t.Render(w, width); err != nil {
		return err
	}
	term.Fprintf(w, "\n")
	t = term.NewTable("rule", "evidence", "what", "from", "enforced in")
	for _, r := range v.Rules {
		t.Row(r.ID, r.Basis, r.Text, cmp.Or(r.Source, "-"), r.Enforced)
	}
	return t.Render(w, width)
}
