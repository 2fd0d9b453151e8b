package cli

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// narrowing are the flags that say which part of a specification is meant.
var narrowing = []string{"components", "vcenters"}

// remedy fills in the commands that put findings right, with the flags of this command line.
func (o *JobOptions) remedy(findings []*plan.Finding, servers []string) {
	o.remedyWith(findings, servers, o.repeat("rotate", narrowing...))
}

// remedySaved is remedy after apply --plan, whose flags name the specification.
func (o *JobOptions) remedySaved(findings []*plan.Finding, servers []string, saved *savedPlan) error {
	words, err := o.afterSaved(saved, "rotate")
	o.remedyWith(findings, servers, narrowed.ReplaceAllString(words, ""))
	return err
}

// narrowed finds the flags of narrowing in a command line: neither components nor vCenters have blanks in their names.
var narrowed = regexp.MustCompile(`--(?:components|vcenters) \S+ ?`)

func (o *JobOptions) remedyWith(findings []*plan.Finding, servers []string, flags string) {
	for _, f := range findings {
		f.Remedies = nil
		together := map[string][]string{} // components → vCenters
		var order []string
		for _, server := range servers {
			if own := strings.Join(componentsOf(f, server), ","); own != "" {
				if together[own] == nil {
					order = append(order, own)
				}
				together[own] = append(together[own], server)
			}
		}
		for _, components := range order {
			only := ""
			if len(together[components]) < len(servers) || len(o.Connection.Source.VCenters) > 0 {
				only = "--vcenters " + strings.Join(together[components], ",")
			}
			f.Remedies = append(f.Remedies, after(program, "rotate --in-place --components", components, only, flags))
		}
	}
}

// componentsOf are those of a finding on a vCenter, in their usual order.
func componentsOf(f *plan.Finding, server string) []string {
	return slices.DeleteFunc(asStrings(privileges.Components()), func(c string) bool {
		return !slices.ContainsFunc(f.Accounts, func(a plan.FoundAccount) bool { return a.Server == server && a.Component == c })
	})
}

// planned are the vCenters of a plan.
func planned(p *plan.Plan) []string {
	names := make([]string, len(p.VCenters))
	for i, v := range p.VCenters {
		names[i] = v.Server
	}
	return names
}

// plan makes the plan of a job, with the commands for what is not in its changes.
func (o *JobOptions) plan(job *provision.Job) *plan.Plan {
	p := job.Plan(o.ctx)
	o.remedy(p.Findings, planned(p))
	return p
}

// ended is the outcome of a plan that was done, and an error as well where something is left that it could not do.
func ended(p *plan.Plan) error {
	err, left := outcome(p), unsettled(p.Findings)
	var coded *ExitError
	switch {
	case left == nil:
		return err
	case errors.As(err, &coded):
		return &ExitError{Code: coded.Code, Err: errors.Join(coded.Err, left)}
	}
	return errors.Join(err, left)
}

// unsettled is the error of a command that has done what it can and leaves these; nil where there are none.
func unsettled(findings []*plan.Finding) error {
	var errs []error
	for _, f := range findings {
		errs = append(errs, hint.Wrap(errors.New(f.Text), f.Remedies...))
	}
	return errors.Join(errs...)
}

// recordsBelow prints findings, and then what it prints for a table; JSON and YAML hold both.
func (o *JobOptions) recordsBelow(v any, findings []*plan.Finding, t func() *term.Table) error {
	return o.Print(o.Output, v, func(w io.Writer) error {
		return errors.Join(plan.Found(w, findings), t().RenderRecords(w, o.Width()))
	})
}

// lostWords is the way out where passwords are missing and no vCenter was asked whether the accounts exist. No components
// stand for all, no servers for those of the source.
func lostWords(source *sourceFlags, servers, components []string) string {
	words := []string{program, "rotate --in-place"}
	if len(components) > 0 {
		words = append(words, "--components", strings.Join(components, ","))
	}
	switch {
	case source.File != "" && source.File != "-":
		words = append(words, "-f", shellWord(source.File))
	case source.InstallConfig != "" && source.InstallConfig != "-":
		words = append(words, "--install-config", shellWord(source.InstallConfig))
	default:
		words = append(words, "-f FILE")
	}
	if len(servers) > 0 {
		words = append(words, "--vcenters", strings.Join(servers, ","))
	}
	return "if the accounts exist and their passwords are lost: " + strings.Join(words, " ")
}
