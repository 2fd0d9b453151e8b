package job

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// transition finds the step of a cluster whose vCenters or failure domains change: what the file
// and the cluster do not share, and what the plan does there.
func (r *Run) transition(p *plan.Plan) (found []*finding.Finding) {
	if r.running == nil {
		return nil
	}
	for _, server := range command.Servers(r.running) {
		if slices.Contains(r.here, server) && !r.Job.Request.Specifies(server) { // nothing comes or goes
			f := finding.New(finding.ClusterDiffers, "", "the cluster knows a vCenter as %s, which %s has under another name", server, r.fileName()).About(server, "")
			f.Remedies = []string{r.CommandLine("spec update", r.Said.Only("file", command.InfrastructureFlag))}
			return append(found, f)
		}
	}
	t, _ := r.Wanted.Towards(r.running) // which it was opened with
	for _, part := range t.Coming {
		if slices.Contains(command.Servers(r.Wanted), part.Server) {
			found = append(found, r.coming(p, part))
		}
	}
	for _, part := range t.Staying {
		f := finding.New(finding.OnlyInCluster, "", "the cluster has %s, and %s does not: accounts get nothing for it, and apply refuses to take away what they have on that vCenter", part, r.fileName()).About(part.Server, "")
		f.Remedies = []string{
			"if it is to stay: " + r.CommandLine("spec update", r.Said.Only("file", command.InfrastructureFlag)),
			"if it is to go, the cluster comes first, and what accounts may do there last: move its machines and volumes, then " + command.EditsInfrastructure,
		}
		found = append(found, f)
	}
	if len(t.Other) > 0 {
		d := t.Other[0]
		what := d.Field
		if d.Domain != "" {
			what += " of failure domain " + d.Domain
		}
		f := finding.New(finding.ClusterDiffers, "",
			"%s and the cluster differ in %s, as in the %s: %s in the file, %s in the cluster",
			r.fileName(), term.Count(len(t.Other), "field"), what, hint.Quote(d.Values[0]), hint.Quote(d.Values[1])).About(d.Server, "")
		f.Remedies = []string{"to see all: " + r.CommandLine("spec diff", r.Said.Only("file", command.InfrastructureFlag))}
		found = append(found, f)
	}
	tooMany, both := t.Refused(r.Wanted)
	if tooMany {
		found = append(found, finding.New(finding.ClusterRefuses, "", "%s has %s; a cluster takes %d", r.fileName(),
			term.Count(len(r.Wanted.Whole().VCenters), "vCenter"), spec.MostVCenters))
	}
	if both {
		found = append(found, finding.New(finding.ClusterRefuses, "", "the cluster refuses to add and to remove vCenters in one update: add them first, and remove the others in a second one"))
	}
	return found
}

// coming is the step of what the cluster lacks. Failure domains of its vCenters need no secrets.
func (r *Run) coming(p *plan.Plan, part spec.Part) *finding.Finding {
	delivery, steps := "", 2
	if part.Domain == "" {
		delivery, steps = r.Delivery(), 3
	}
	if slices.ContainsFunc(p.VCenters, func(v *plan.VCenter) bool {
		return v.Server == part.Server && (v.Error != "" || len(v.Changes) > 0)
	}) {
		return finding.New(finding.NotInCluster, "", "%s is not in the cluster: step 1 of %d is this plan, which gives accounts what they need there; the cluster comes last", part, steps).About(part.Server, "")
	}
	f := finding.New(finding.NotInCluster, "", "%s is not in the cluster, and accounts have what they need there: step 2 of %d is next", part, steps).About(part.Server, "")
	if delivery != "" {
		f.Remedies = append(f.Remedies, "step 2: "+delivery)
	}
	f.Remedies = append(f.Remedies, fmt.Sprintf("step %d: %s", steps, command.EditsInfrastructure))
	update := r.CommandLine("spec update", r.Said.Only("file", command.InfrastructureFlag))
	switch file := r.Connection.Source.File; {
	case part.Domain == "" && file != "-":
		f.Remedies = append(f.Remedies, "if the cluster has given it up, keep the file first: "+script.Line("cp", file, file+".before")+" && "+update,
			"then the secrets without it, and last: "+command.Program+" destroy "+script.Line("-f", file+".before", "--vcenters", part.Server))
	case r.emptied(part.Server):
		f.Remedies = append(f.Remedies, "if the cluster has given it up: the vCenter is next ("+command.EditsInfrastructure+"), and then all that is there")
	default:
		f.Remedies = append(f.Remedies, "if the cluster has given it up: "+update+", then apply --prune")
	}
	return f
}

// emptied reports whether the running cluster has a vCenter without a failure domain.
func (r *Run) emptied(server string) bool {
	return slices.ContainsFunc(r.running.VCenters, func(v spec.VCenter) bool {
		return strings.EqualFold(v.Server, server) && len(v.FailureDomains) == 0
	})
}

// Placed refuses, before it is handed on, a plan that apply would refuse for the running cluster.
func (r *Run) Placed(p *plan.Plan) error { return r.stillPlaced(p, Change{Subject: "apply"}) }

// InTransition reports whether a plan has a finding of [Run.transition].
func InTransition(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Findings, func(f *finding.Finding) bool {
		return f.Code == finding.NotInCluster || f.Code == finding.OnlyInCluster || f.Code == finding.ClusterDiffers
	})
}

func (r *Run) fileName() string {
	if file := r.Connection.Source.File; file != "-" {
		return file
	}
	return "the provisioning file"
}

// stillPlaced refuses to remove accounts or permissions on a vCenter that the running cluster
// needs: it has a failure domain there, or no secret has another account for it.
func (r *Run) stillPlaced(p *plan.Plan, c Change) error {
	if c.Replaced != nil {
		return nil
	}
	if r.running != nil {
		if err := r.placedIn(r.running, p, c); err != nil {
			return err
		}
	}
	if r.used.Cluster == nil || r.used.Cluster.Topology == nil {
		return nil
	}
	return r.placedIn(r.used.Cluster.Topology, p, c)
}

// placedIn is stillPlaced for one source about the cluster.
func (r *Run) placedIn(cluster *spec.Spec, p *plan.Plan, c Change) error {
	takes := func(server string) bool {
		return slices.ContainsFunc(p.VCenters, func(v *plan.VCenter) bool {
			return strings.EqualFold(v.Server, server) && slices.ContainsFunc(v.Changes, func(x *plan.Change) bool {
				return x.Verb == plan.Delete && (x.Kind == plan.User || x.Kind == plan.Permission)
			})
		})
	}
	t, err := r.Wanted.Towards(cluster)
	if err != nil {
		return err
	}
	parts, remedy := t.Staying, "if it is to stay: "+r.CommandLine("spec update", r.Invocation.Only("file"), "--"+command.InfrastructureFlag, command.FilePlaceholder)
	if r.Undo || c.Revokes {
		parts, remedy = nil, "if the cluster is gone or is being removed too: --applied in place of what shows the cluster"
		for _, server := range command.Servers(cluster) {
			if r.used.Cluster == nil || !r.used.Cluster.Serves(server) {
				parts = append(parts, spec.Part{Server: server})
			}
		}
	}
	var still []string
	for _, part := range parts {
		if takes(part.Server) {
			still = append(still, part.String())
		}
	}
	if len(still) == 0 {
		return nil
	}
	return hint.Wrap(fmt.Errorf("%s: the cluster still has %s; nothing was done", c.Subject,
		strings.Join(still, ", ")),
		"first remove it from the cluster: move its machines and volumes, then "+command.EditsInfrastructure, remedy)
}
