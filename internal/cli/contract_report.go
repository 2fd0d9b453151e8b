package cli

import (
	"io"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// table prints the report of each vCenter, what differs first.
func (v contractView) table(colors term.Palette, width int) func(io.Writer) error {
	return func(w io.Writer) error {
		for i, r := range v.VCenters {
			if i > 0 {
				term.Fprintf(w, "\n")
			}
			if err := contractTable(w, r, colors, width); err != nil {
				return err
			}
		}
		return nil
	}
}

func contractTable(w io.Writer, r *contract.Report, colors term.Palette, width int) error {
	if r.Error != "" {
		term.Fprintf(w, "%s: not tried: %s\n", r.VCenter, r.Error)
		return nil
	}
	term.Fprintf(w, "%s: version %s, build %s, API %s\n", r.VCenter, r.Product.Version, r.Product.Build, r.Product.APIVersion)
	t := term.NewTable("rule", "", "what it says")
	for _, verdict := range []contract.Verdict{contract.Differs, contract.Holds, contract.NotTried} {
		for _, f := range r.Rules {
			if f.Verdict != verdict {
				continue
			}
			t.Row(f.Rule, verdictWord(f.Verdict, colors), f.Says)
			if f.Detail != "" {
				t.Row("", "", "  "+f.Detail)
			}
		}
	}
	if err := t.RenderWhole(w, width); err != nil {
		return err
	}
	term.Fprintf(w, "\n%d hold, %d differ, %d not tried\n", r.Count(contract.Holds), r.Count(contract.Differs), r.Count(contract.NotTried))
	return nil
}

func verdictWord(v contract.Verdict, colors term.Palette) any {
	switch v {
	case contract.Holds:
		return colors.Good(string(v))
	case contract.Differs:
		return colors.Bad("DIFFERS")
	}
	return string(v)
}
