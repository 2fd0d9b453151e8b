package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// removed are the accounts, name@domain, that cannot work after a plan: it removes or disables
// them, or takes their permissions, as a changed profile does to a shared account.
func (c *Change) removed(p *plan.Plan) []string {
	var all []string
	for _, x := range p.Changes() {
		before, _ := x.Before.(plan.UserState)
		after, _ := x.After.(plan.UserState)
		name := x.Name
		switch {
		case x.Kind == plan.User && x.Verb == plan.Delete:
		case x.Kind == plan.User && x.Verb == plan.Update && after.Disabled && !before.Disabled:
		case x.Kind == plan.Permission && (c.Revokes || x.Strips) &&
			(x.Verb == plan.Delete || x.Verb == plan.Update):
			name = x.Principal
		default:
			continue
		}
		if !slices.ContainsFunc(all, func(other string) bool { return strings.EqualFold(other, name) }) {
			all = append(all, name)
		}
	}
	return all
}

// unproven are the removed accounts without proof or confirmation that no cluster uses them.
func (r *Run) unproven(p *plan.Plan, c Change) []string {
	if r.used.Cluster != nil || r.used.Applied {
		return nil
	}
	return c.removed(p)
}

// guards are what a cluster may not survive of a plan, in the order of refusal.
func (r *Run) guards(p *plan.Plan, c Change) (all []command.Guard) {
	applied := "--applied"
	if r.used.Cluster != nil {
		applied += " in place of the secrets, which do not prove it"
	}
	if narrows := r.narrows(p); narrows != "" {
		all = append(all, command.Guard{Asks: narrows, Confirms: "--applied", Refusal: r.unnarrowed(p, c, narrows, applied)})
	}
	if needed := strings.Join(needed(p), ", "); needed != "" {
		all = append(all, command.Guard{
			Asks:     "virtual machines still need " + needed + ": afterwards the cluster can neither change nor remove its machines there",
			Confirms: "--applied",
			Refusal: hint.Wrap(fmt.Errorf("%s: virtual machines still need %s; nothing was done", c.Subject, needed),
				"first remove the machine sets that make them, and wait until the machines are gone",
				"or confirm that they are not the cluster's: "+applied),
		})
	}
	if removed := r.unproven(p, c); len(removed) > 0 {
		all = append(all, command.Guard{
			Asks:     "not all of the cluster's secrets were checked (--secrets): what still uses these accounts is locked out",
			Confirms: "--secrets or --applied", Refusal: r.unproved(c, removed),
		})
	}
	return all
}

// guarded refuses to remove what a cluster still uses, and what it may use without a terminal.
func (r *Run) guarded(p *plan.Plan, c Change) error {
	if err := r.stillUsed(p, c); err != nil {
		return err
	}
	guards, removed := r.guards(p, c), r.unproven(p, c)
	switch {
	case len(guards) > 0 && r.Yes && !r.used.Applied:
		return guards[0].Refusal
	case c.Replaced == nil:
	case len(removed) > 0:
		return r.unproved(c, removed)
	case !p.Empty():
		r.switching(c)
	}
	return nil
}

// unproved is the error without proof or confirmation that the cluster works without the accounts.
func (r *Run) unproved(c Change, removed []string) error {
	if c.Replaced == nil {
		return hint.Wrap(fmt.Errorf("%s: a cluster may still use %s; nothing was done", c.Subject, firstOf(removed)), r.proofs(c, "that none does")...)
	}
	need, prove, hints := "the cluster must use", "it", []string{"apply them: " + r.Delivery()}
	if r.Delivery() == "" {
		need, prove, hints = "whoever installs must have", "that no secret of the cluster holds the old ones", []string{"hand them over: " + r.exports(r.Invocation)}
	}
	return hint.Wrap(errors.New(need+" the accounts of the credentials file before the old ones are removed"), append(hints, r.proofs(c, prove)...)...)
}

// proofs are the ways to prove or confirm that accounts may be removed.
func (r *Run) proofs(c Change, what string) []string {
	return []string{"prove " + what + ": " + r.proving(c, openshift.From(r.Wanted.Profile)), "or confirm it: --applied"}
}

func firstOf(accounts []string) string {
	if n := len(accounts) - 1; n > 0 {
		return accounts[0] + " and " + term.Count(n, "more account")
	}
	return accounts[0]
}

// needed are removed permissions that virtual machines need: "name@domain on /DC1/vm/left".
func needed(p *plan.Plan) []string {
	var all []string
	for _, f := range p.Findings {
		if f.Code == finding.StillNeeded {
			all = append(all, f.Object.Principal+" on "+f.Object.Path)
		}
	}
	return all
}

// Proof is what apply needs before it makes a plan: the words of a proof, what it is read from, and
// whether it asks for more, on a terminal alone.
func (r *Run) Proof(p *plan.Plan) (from string, own []string, asks bool) {
	guards := len(r.guards(p, Change{}))
	if len(r.unproven(p, Change{})) > 0 {
		return openshift.From(r.Wanted.Profile), []string{"--secrets", "-"}, guards > 1
	}
	return "", nil, guards > 0
}

// proving is the command of a change with the proof, read from a command.
func (r *Run) proving(c Change, from string) string {
	return from + r.CommandLine(c.Command, r.Invocation.Without(c.Within...),
		append(slices.Clone(c.Own), "--secrets", "-")...)
}

// stillUsed refuses to remove accounts on a vCenter of the cluster, or in its secrets, if known, and
// those whose passwords are elsewhere.
func (r *Run) stillUsed(p *plan.Plan, c Change) error {
	if err := cmp.Or(r.elsewhere(p, c), r.unrecorded(p, c), r.stillPlaced(p, c)); err != nil {
		return err
	}
	if r.used.Cluster == nil {
		return nil
	}
	return r.proven(p, c)
}

// agreeDisplacing asks for changes of others' permissions separately: --yes does not confirm them.
func (r *Run) agreeDisplacing(ctx context.Context, p *plan.Plan) error {
	what := p.Alters()
	if what == "" || r.Displace {
		return nil
	}
	const confirms = "review them in the plan; confirm them with --displace"
	if r.Yes {
		return hint.Errorf(confirms, "%s, which --yes does not confirm; nothing was done", what)
	}
	r.progress.Pause()
	return r.Agree(ctx, command.Consent{
		Subject:  "changing permissions and roles of others",
		Question: what + ": change these too?", Confirms: confirms,
	})
}

// undoing is [Run.clearing] of a change that removes accounts or permissions, else nil. Removed
// roles are unused, and a replaced account leaves its permissions to the new one.
func (r *Run) undoing(p *plan.Plan, c Change) *State {
	takes := p.Any(func(x *plan.Change) bool {
		switch {
		case c.Replaced != nil:
			return false
		case x.Kind == plan.User:
			return x.Verb == plan.Delete
		case x.Kind == plan.Permission && c.Revokes:
			return x.Verb == plan.Delete || x.Verb == plan.Update
		}
		return x.Kind == plan.Permission && r.steering.Prune && x.Verb == plan.Delete
	})
	if len(r.Wanted.ReconciledUpdates) == 0 && !(c.ClearsReleases && !p.Empty()) || !c.ClearsReleases && !takes {
		return nil
	}
	return r.clearing()
}

// switching names what must restart to work with the remaining accounts.
func (r *Run) switching(c Change) {
	var components []component.Name
	root := r.used.Cluster == nil
	for _, x := range c.Replaced() {
		components = append(components, x.Component)
		root = root || slices.Contains(r.used.Cluster.Holders(x.Server, x.Stays.User), component.RootSecret())
	}
	profile, _ := openshift.FindProfile(r.Wanted.Profile)
	for _, x := range profile.Readers(components) {
		if x.Account.Restart && (root || !x.Root()) {
			r.Command(fmt.Sprintf("%s %s; to switch it to the account in use:", x.Name, x.Account.Does), x.Restart)
		}
	}
	if c.Grace > 0 {
		r.Infof("the accounts stay disabled for %s before they are removed: until then you can stop with Ctrl-C and go back with rotate undo", c.Grace)
	}
}

// agrees reports whether the cluster's Infrastructure is known and has no place that the
// specification lacks.
func (r *Run) agrees() bool {
	if r.used.Cluster == nil || r.used.Cluster.Topology == nil {
		return false
	}
	t, err := r.Wanted.Towards(r.used.Cluster.Topology)
	return err == nil && len(t.Staying)+len(t.Other) == 0
}

// narrows says what takes privileges from used accounts, which secrets cannot prove; "" = nothing.
func (r *Run) narrows(p *plan.Plan) string {
	agrees := r.agrees()
	var causes []string
	from := map[string][]string{}
	for _, x := range p.Changes() {
		if x.TakenBy != "" && !(x.Dropped && agrees) {
			causes = lists.AppendNew(causes, x.TakenBy)
			from[x.TakenBy] = lists.AppendNew(from[x.TakenBy], x.Principal)
		}
	}
	if causes == nil {
		return ""
	}
	slices.Sort(causes)
	slices.Reverse(causes) // what names itself stands last
	for i, by := range causes {
		causes[i] = by + " takes privileges from " + firstOf(from[by])
	}
	return strings.Join(causes, ", and ") + ", which components work with"
}

// unnarrowed refuses to narrow accounts in use. applied is the command that confirms.
func (r *Run) unnarrowed(p *plan.Plan, c Change, narrows, applied string) error {
	hints := []string{"see which: " + r.CommandLine("plan", r.Invocation, "--full")}
	if r.used.Cluster == nil && !p.Any(func(x *plan.Change) bool { return x.TakenBy != "" && !x.Dropped }) {
		hints = append(hints, "prove that the cluster has no other places than the specification: "+r.proving(c, openshift.From(r.Wanted.Profile)))
	}
	if len(c.Own) == 0 && (c.Command == "apply" || c.Command == "permissions grant") {
		hints = append(hints, "to keep them and add what is missing: "+r.CommandLine(c.Command, r.Invocation.Without("prune"), "--additive"))
	}
	own := append(slices.Clone(c.Own), "--applied")
	return hint.Wrap(fmt.Errorf("%s: %s; nothing was done", c.Subject, narrows),
		append(hints, "if no component needs them: "+applied+": "+r.CommandLine(c.Command, r.Invocation.Without(c.Within...), own...))...)
}
