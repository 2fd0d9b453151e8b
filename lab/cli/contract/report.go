package contract

import (
	"io"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
)

// table prints the report of each vCenter, what differs first.
func (v View) table(colors term.Palette, width int) func(io.Writer) error {
	return func(w io.Writer) error {
		for i, r := range v.VCenters {
			if i > 0 {
				term.Fprintf(w, "\n")
			}
			if err := reportTable(w, r, colors, width); err != nil {
				return err
			}
		}
		return nil
	}
}

func reportTable(w io.Writer, r *contract.Report, colors term.Palette, width int) error {
	if r.Error != "" {
		term.Fprintf(w, "%s: not tried: %s\n", r.VCenter, r.Error)
		return nil
	}
	what := "version"
	if r.Simulated {
		what = "a simulation of version"
	}
	term.Fprintf(w, "%s: %s %s, build %s, API %s\n",
		r.VCenter, what, r.Product.Version, r.Product.Build, r.Product.APIVersion)
	t := term.NewTable("rule", "", "actual answer")
	for _, verdict := range []contract.Verdict{contract.Differs, contract.Holds} {
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
	for _, reason := range reasons(r.Rules) {
		term.Fprintf(w, "\nnot tried: %s\n", reason)
		t := term.NewTable()
		for _, f := range r.Rules {
			if f.Verdict == contract.NotTried && f.Detail == reason {
				t.Row(f.Rule, f.Says)
			}
		}
		if err := t.RenderWhole(w, width); err != nil {
			return err
		}
	}
	term.Fprintf(w, "\n%d hold, %d differ, %d not tried\n", r.Count(contract.Holds), r.Count(contract.Differs), r.Count(contract.NotTried))
	return nil
}

// reasons are why rules were not tried, each once, in the order of the rules.
func reasons(rules []contract.Result) []string {
	var all []string
	for _, f := range rules {
		if f.Verdict == contract.NotTried && !slices.Contains(all, f.Detail) {
			all = append(all, f.Detail)
		}
	}
	return all
}

func verdictWord(v contract.Verdict, colors term.Palette) term.Painted {
	if v == contract.Differs {
		return colors.Bad("DIFFERS")
	}
	return colors.Good(string(v))
}
