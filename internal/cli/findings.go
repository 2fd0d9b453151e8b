package cli

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
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
	o.remedyWith(findings, servers, narrowedTo.ReplaceAllString(words, ""))
	return err
}

// narrowedTo finds the flags of narrowing in a command line: neither components nor vCenters have blanks in their names.
var narrowedTo = regexp.MustCompile(`--(?:components|vcenters) \S+ ?`)

func (o *JobOptions) remedyWith(findings []*plan.Finding, servers []string, flags string) {
	for _, f := range findings {
		f.Remedies = nil
		for _, g := range alike(servers, func(server string) []component.Name { return componentsOf(f, server) }) {
			only, rest := "", flags
			if len(g.servers) < len(servers) || len(o.Connection.Source.VCenters) > 0 {
				only, rest = "--vcenters "+strings.Join(g.servers, ","), flagsFor(g.servers, flags)
			}
			f.Remedies = append(f.Remedies, after(program, "rotate --in-place --components", g.components, only, rest))
		}
	}
}

// ofServer finds the flags that are about one vCenter.
var ofServer = regexp.MustCompile(`--(?:connect-to|thumbprint) '?([^\s='"]+)=\S+ ?`)

// flagsFor leaves out what is about other vCenters than these: a command refuses that.
func flagsFor(servers []string, flags string) string {
	return strings.TrimSpace(ofServer.ReplaceAllStringFunc(flags, func(words string) string {
		if slices.Contains(servers, ofServer.FindStringSubmatch(words)[1]) {
			return words
		}
		return ""
	}))
}

// group is vCenters that lack the passwords of the same components: one command serves them, and rotates nothing else.
type group struct {
	components string // with commas
	servers    []string
}

// alike groups the vCenters for which f names components, in their order.
func alike(servers []string, f func(server string) []component.Name) []group {
	var groups []group
	for _, server := range servers {
		components := strings.Join(component.Words(f(server)), ",")
		i := slices.IndexFunc(groups, func(g group) bool { return g.components == components })
		switch {
		case components == "":
		case i < 0:
			groups = append(groups, group{components, []string{server}})
		default:
			groups[i].servers = append(groups[i].servers, server)
		}
	}
	return groups
}

// componentsOf are those of a finding on a vCenter, in their usual order.
func componentsOf(f *plan.Finding, server string) []component.Name {
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
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

// ifLost is the way out where a credentials file is not there and no vCenter was asked whether the accounts are.
func ifLost(source *sourceFlags, file credentialsFlag) string {
	return lostWords(source, file, "", source.VCenters)
}

// ifLostOf is ifLost for components that lack an account on some of the vCenters.
func ifLostOf(source *sourceFlags, file credentialsFlag, servers []string, lacking map[string][]component.Name) []string {
	var hints []string
	for _, g := range alike(servers, func(server string) []component.Name { return lacking[server] }) {
		only := g.servers
		if len(only) == len(servers) {
			only = source.VCenters
		}
		hints = append(hints, lostWords(source, file, g.components, only))
	}
	return hints
}

func lostWords(source *sourceFlags, file credentialsFlag, components string, servers []string) string {
	words := []string{program, "rotate --in-place"}
	if components != "" {
		words = append(words, "--components", components)
	}
	switch {
	case source.File != "" && source.File != "-":
		words = append(words, "-f", script.Word(source.File))
	case source.InstallConfig != "" && source.InstallConfig != "-":
		words = append(words, "--install-config", script.Word(source.InstallConfig))
	default:
		words = append(words, "-f FILE")
	}
	if len(servers) > 0 {
		words = append(words, "--vcenters", strings.Join(servers, ","))
	}
	if file.Path != "" {
		words = append(words, "--credentials-file", script.Word(file.Path))
	}
	return "if the accounts exist and their passwords are lost: " + strings.Join(words, " ")
}
