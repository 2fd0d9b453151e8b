package job

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// going are the accounts, name@domain, that nobody can work with after a plan: it removes or disables them, or takes what they may do,
// as a changed profile does to the account that all components shared.
func (c *Change) going(p *plan.Plan) []string {
	var all []string
	for _, x := range p.Changes() {
		before, _ := x.Before.(plan.UserState)
		after, _ := x.After.(plan.UserState)
		name := x.Name
		switch {
		case x.Kind == plan.User && x.Verb == plan.Delete:
		case x.Kind == plan.User && x.Verb == plan.Update && after.Disabled && !before.Disabled:
		case x.Kind == plan.Permission && (c.Revokes || x.Strips) && (x.Verb == plan.Delete || x.Verb == plan.Update):
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

// unproven are the accounts that go while nobody has proved, nor said, that no cluster uses them.
func (w *Run) unproven(p *plan.Plan, c Change) []string {
	if c.Used.Cluster != nil || c.Used.Applied {
		return nil
	}
	return c.going(p)
}

// guarded refuses to take away what a cluster still uses, and what it may use where nobody is asked.
func (w *Run) guarded(p *plan.Plan, c Change) error {
	if err := w.stillUsed(p, c); err != nil {
		return err
	}
	applied := "--applied"
	if c.Used.Cluster != nil {
		applied += " in place of the secrets, which do not prove it"
	}
	asks := w.Yes && !c.Used.Applied
	if narrows := narrows(p); narrows != "" && asks {
		return w.unnarrowed(c, narrows, applied)
	}
	if needed := needed(p); len(needed) > 0 && asks {
		return hint.Wrap(fmt.Errorf("%s: virtual machines still need %s; nothing was done", c.Subject, strings.Join(needed, ", ")),
			"first remove the machine sets that make them, and wait until the machines are gone",
			"or confirm that they are not the cluster's: "+applied)
	}
	going := w.unproven(p, c)
	if len(going) == 0 || !w.Yes && c.Replaced == nil {
		if c.Replaced != nil && !p.Empty() {
			w.switching(c)
		}
		return nil
	}
	if c.Replaced != nil {
		return w.unswitched(c)
	}
	return hint.Wrap(fmt.Errorf("%s: a cluster may still use %s; nothing was done", c.Subject, firstOf(going)), w.proofs(c, "that none does")...)
}

// proofs are the ways to prove that accounts may go, and to assert it.
func (w *Run) proofs(c Change, what string) []string {
	return []string{"prove " + what + ": " + w.proving(c, openshift.FromCluster), "or confirm it: --applied"}
}

// firstOf names the first of some accounts, and how many more there are.
func firstOf(accounts []string) string {
	if n := len(accounts) - 1; n > 0 {
		return accounts[0] + " and " + term.Count(n, "more account")
	}
	return accounts[0]
}

// needed are the permissions that a plan takes away while virtual machines need them: "name@domain on /DC1/vm/left".
func needed(p *plan.Plan) []string {
	var all []string
	for _, x := range p.Changes() {
		if x.Needed {
			all = append(all, x.Principal+" on "+x.Object)
		}
	}
	return all
}

// proving is the command of a change with the proof that the cluster does not use what goes, which it reads from a command.
func (w *Run) proving(c Change, from string) string {
	return from + w.CommandLine(c.Command, w.Invocation.Without(c.Within...), append(slices.Clone(c.Own), "--secrets", "-")...)
}

// stillUsed refuses to take accounts away on a vCenter that the cluster still has, and those that its secrets still give to somebody,
// as far as either is named.
func (w *Run) stillUsed(p *plan.Plan, c Change) error {
	if err := w.stillPlaced(p, c); err != nil {
		return err
	}
	if c.Used.Cluster == nil {
		return nil
	}
	return w.proven(p, c)
}

// agreeDisplacing asks for the changes that alter what others gave, apart from all the others: --yes does not confirm them.
func (w *Run) agreeDisplacing(ctx context.Context, p *plan.Plan) error {
	what := p.Alters()
	if what == "" || w.Displace {
		return nil
	}
	const confirms = "review them in the plan; confirm them with --displace"
	if w.Yes {
		return hint.Errorf(confirms, "%s, which --yes does not confirm; nothing was done", what)
	}
	w.progress.Pause()
	ask := func() (bool, error) { return w.Confirm(ctx, what+": change these too?") }
	return w.confirmed("changing permissions and roles of others", ask, func(err error) error {
		return hint.Errorf(confirms, "%s: %w; nothing was done", what, err)
	})
}

// undoing is the clearing of a change that takes accounts away, or what they may do. It is nil, which does nothing, where the plan
// has no such change or no release is recorded. Roles alone are nobody's rights: one that is in use stays; an account that was
// replaced leaves its rights to the other.
func (w *Run) undoing(p *plan.Plan, c Change) *clearing {
	takes := p.Any(func(x *plan.Change) bool {
		switch {
		case c.Replaced != nil:
			return false
		case x.Kind == plan.User:
			return x.Verb == plan.Delete
		case x.Kind == plan.Permission && c.Revokes:
			return x.Verb == plan.Delete || x.Verb == plan.Update
		}
		return x.Kind == plan.Permission && w.steering.Prune && x.Verb == plan.Delete
	})
	if len(w.Wanted.ReconciledUpdates) == 0 && !(c.ClearsReleases && p.Any((*plan.Change).Acts)) || !c.ClearsReleases && !takes {
		return nil
	}
	return w.clearing()
}
