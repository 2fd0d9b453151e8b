// Package explain is the command that says what the simulation rests on.
package explain

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Options are the words of `explain`.
type Options struct {
	*command.Factory
	Rules []string // ids; none = all
}

// View is what is printed.
type View struct {
	command.Header
	Bases []BasisView  `json:"bases"`
	Rules []vcsim.Rule `json:"rules"`
}

// BasisView is something that rules rest on.
type BasisView struct {
	Basis   vcsim.Basis `json:"basis"`
	Meaning string      `json:"meaning"`
	Rules   int         `json:"rules"` // how many rest on it
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	known := ids()
	return &cobra.Command{
		Use:   "explain [RULE...]",
		Short: "Explain the rules of the simulation and their evidence",
		Long: command.Text(`
			Lists the rules of the simulation: for each, whether it was recorded from a real server, documented or inferred,
			where it is from and where it is enforced. For single rules, it prints the tests as well.`),
		Example: command.Examples(`
			vcenter-lab explain
			vcenter-lab explain R21
			vcenter-lab explain -o json`),
		ValidArgs: known,
		RunE: command.Action(o, runF, run, func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				id, err := ruleOf(arg, known)
				if err != nil {
					return err
				}
				o.Rules = append(o.Rules, id)
			}
			return nil
		}),
	}
}

// ids are those of all rules, each once.
func ids() (all []string) {
	for _, r := range vcsim.Rules() {
		if !slices.Contains(all, r.ID) {
			all = append(all, r.ID)
		}
	}
	return all
}

// ruleOf is the id that somebody means, in any case.
func ruleOf(word string, known []string) (string, error) {
	for _, id := range known {
		if strings.EqualFold(id, word) {
			return id, nil
		}
	}
	return "", command.Nearest(fmt.Errorf("no rule %q", word), "", word, known, "'vcenter-lab explain' lists all of them")
}

func run(_ context.Context, o *Options) error {
	v := Explanation(o.Rules)
	return o.Print(o.Output, v, func(w io.Writer) error {
		if len(o.Rules) > 0 {
			return v.records(w, o.Width())
		}
		return v.table(w, o.Width())
	})
}

// Explanation is what is said of some rules, or of all where none is named.
func Explanation(only []string) View {
	v := View{Header: command.NewHeader("SimulationRules"), Rules: vcsim.Rules(), Bases: []BasisView{
		{Basis: vcsim.Recording, Meaning: "recorded from a real server"},
		{Basis: vcsim.Reference, Meaning: "stated in a reference, a manual or the source of a vCenter service"},
		{Basis: vcsim.Inference, Meaning: "inferred; not documented"},
		{Basis: vcsim.Unknown, Meaning: "not known; the rule says what the simulation does"},
	}}
	if len(only) > 0 {
		v.Rules = slices.DeleteFunc(v.Rules, func(r vcsim.Rule) bool { return !slices.Contains(only, r.ID) })
	}
	for i := range v.Bases {
		for _, r := range v.Rules {
			if r.Basis == v.Bases[i].Basis {
				v.Bases[i].Rules++
			}
		}
	}
	return v
}

func (v View) table(w io.Writer, width int) error {
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

// records has everything of each rule, below one another.
func (v View) records(w io.Writer, width int) error {
	t := term.NewTable("rule", "what", "evidence", "from", "enforced in", "tests")
	for _, r := range v.Rules {
		meaning := ""
		for _, b := range v.Bases {
			if b.Basis == r.Basis {
				meaning = b.Meaning
			}
		}
		t.Row(r.ID, r.Text, string(r.Basis)+": "+meaning, cmp.Or(r.Source, "-"), "lab/vcsim/"+r.Enforced, strings.Join(r.Tests, " "))
	}
	return t.RenderRecords(w, width)
}
