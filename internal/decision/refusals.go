package decision

import (
	"cmp"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// refused says of an account why the run leaves it as it is. One that was asked for, by name, with all others or by limits, is an error in
// the end, and does not keep the others from their turn. An account that awaits its finish was asked for like any other, unless this run
// completes the one that replaced it.
func (dec *Decision) refused(p *VCenterPlan, why *accounts.Refusal, wrong bool) {
	c := why.Component
	principal := p.Principal(c)
	due, limited := p.Due(c)
	meant := dec.Named && !limited || !dec.Named && !dec.Limits.Chosen() && p.Owns(c) && !dec.Spec.Disabled(c)
	if wrong && (due || meant && !(why.Code == accounts.AwaitsFinish && dec.completes(c))) {
		says := dec.Refusal(*why)
		i := slices.IndexFunc(dec.blocked, func(b blockage) bool { return b.why == says })
		if i < 0 {
			i, dec.blocked = len(dec.blocked), append(dec.blocked, blockage{code: why.Code, why: says})
		}
		a := finding.Account{Server: p.VCenter.Server, Component: c, Principal: principal}
		dec.blocked[i].accounts = append(dec.blocked[i].accounts, a)
		return
	}
	text := dec.Refusal(*why)
	if why.Code == accounts.IsDisabled {
		text = "omitted: " + text
	}
	p.tell(ofUser(principal).Tell(finding.PlanNote, text, dec.Ways(why.Code, c)...))
}

// completes reports whether the run is one that was cut off and is made again, in which it replaced the account of a component: the journal
// has accounts that it announced and did not hand over, or the component's turn did not come on another vCenter.
func (e *Snapshots) completes(c component.Name) bool {
	return slices.ContainsFunc(e.All, func(s *snapshot.Snapshot) bool {
		return s.Err == nil && slices.ContainsFunc(s.OwnAccounts(), func(a snapshot.OwnAccount) bool {
			return s.Touches(a) && (a.Component == c || s.Accounts[a.Component].Begun > 0)
		})
	})
}

// blockage is accounts that were asked for and stay as they are, all for the same reason.
type blockage struct {
	code     accounts.Code
	why      string
	accounts []finding.Account
}

// Blockages are findings about the accounts that were asked for and stay as they are.
func (dec *Decision) Blockages() []*finding.Finding {
	var all []*finding.Finding
	for _, b := range dec.blocked {
		f := finding.New(finding.BlockedRotation, "", "")
		f.Accounts = b.accounts
		of := slices.DeleteFunc(slices.Clone(dec.Spec.ComponentNames()), func(c component.Name) bool { return !f.Concerns(c) })
		f.Remedies = append(f.Remedies, dec.Ways(b.code, of...)...)
		rotation := many(f, "have its rotation ", "have their rotations ")
		what := map[accounts.Op]string{accounts.Finish: rotation + "finished", accounts.Revert: rotation + "undone", accounts.Withdraw: rotation + "undone"}
		subject := many(f, "an account", "%d accounts")
		if dec.Limits.Chosen() {
			subject += many(f, " that is due", " that are due")
		}
		f.Text = subject + " cannot " + cmp.Or(what[dec.Op], "be rotated") + ": " + folded(f.Accounts) + ": " + b.why
		all = append(all, f)
	}
	return all
}
