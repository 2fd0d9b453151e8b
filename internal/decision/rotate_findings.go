package decision

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// refused reports why the run skips an account. A requested account becomes an error in the end,
// and the others still have their turn. An account that awaits its finish counts as requested,
// unless this run completes the rotation that replaced it.
func (d *Decision) refused(p *VCenterPlan, why *accounts.Refusal, wrong bool) {
	c := why.Component
	principal := p.At.Principal(c)
	due, limited := p.At.Due(c)
	meant := d.Request.Named && !limited || !d.Request.Named &&
		!d.Request.Limits.Chosen() && p.At.Owns(c) && !d.Request.Spec.Disabled(c)
	if wrong && (due || meant && !(why.Code == accounts.AwaitsFinish && d.Read.completes(c))) {
		says := d.Request.Refusal(*why)
		i := slices.IndexFunc(d.blocked, func(b blockage) bool { return b.why == says })
		if i < 0 {
			i, d.blocked = len(d.blocked), append(d.blocked, blockage{code: why.Code, why: says})
		}
		a := finding.Account{Server: p.At.VCenter.Server, Component: c, Principal: principal}
		d.blocked[i].accounts = append(d.blocked[i].accounts, a)
		return
	}
	text := d.Request.Refusal(*why)
	if why.Code == accounts.IsDisabled {
		text = "omitted: " + text
	}
	p.tell(ofUser(principal).Tell(finding.PlanNote, text, d.Request.Ways(why.Code, nil, c)...))
}

// completes reports whether this run repeats an interrupted one that replaced a component's
// account: the journal has accounts that were not handed over, or another vCenter is to follow.
func (e *Snapshots) completes(c component.Name) bool {
	return slices.ContainsFunc(e.All, func(s *snapshot.Snapshot) bool {
		return s.Err == nil && slices.ContainsFunc(s.OwnAccounts(), func(a snapshot.OwnAccount) bool {
			return s.Touches(a) && (a.Component == c || s.Domain.Accounts[a.Component].Begun > 0)
		})
	})
}

// blockage is requested accounts that stay as they are for one reason.
type blockage struct {
	code     accounts.Code
	why      string
	accounts []finding.Account
}

// Blockages finds requested accounts that stay as they are.
func (d *Decision) Blockages() []*finding.Finding {
	var all []*finding.Finding
	for _, b := range d.blocked {
		f := finding.New(finding.BlockedRotation, "", "")
		f.Accounts = b.accounts
		f.Remedies = append(f.Remedies, d.ways(b)...)
		rotation := many(f, "have its rotation ", "have their rotations ")
		what := map[accounts.Op]string{accounts.Finish: rotation + "finished", accounts.Revert: rotation + "undone", accounts.Withdraw: rotation + "undone"}
		subject := many(f, "an account", "%d accounts")
		if d.Request.Limits.Chosen() {
			subject += many(f, " that is due", " that are due")
		}
		f.Text = subject + " cannot " + cmp.Or(what[d.Request.Op], "be rotated") +
			": " + folded(f.Accounts) + ": " + b.why
		all = append(all, f)
	}
	return all
}

// ways are the commands to continue, which rotate nothing beside these accounts.
func (d *Decision) ways(b blockage) (all []string) {
	var servers []string
	for _, p := range d.Plans {
		servers = append(servers, p.At.VCenter.Server)
	}
	var shared []finding.Account
	for _, a := range b.accounts {
		for _, linked := range d.VCenter(a.Server).At.Domain.Sections {
			a.Server = linked
			shared = append(shared, a)
		}
	}
	groups := finding.Groups(shared, servers)
	for _, g := range groups {
		if len(groups) == 1 && len(g.Servers) == len(servers) {
			g.Servers = nil
		}
		all = lists.AppendNew(all, d.Request.Ways(b.code, g.Servers, g.Components...)...)
	}
	return all
}

const mostLacked = 12

// lacking reports that a new account can do less than the one it replaces, which was given more.
func (v *VCenterPlan) lacking(to, from string) {
	next, old := v.At.Subject(access.Principal{Name: to}, nil), v.At.Subject(access.Principal{Name: from}, nil)
	wanted := func(at *inventory.Object) []perms.Want {
		return slices.DeleteFunc(slices.Clone(v.permits),
			func(w perms.Want) bool { return w.Key != next.Key || w.At.Ref != at.Ref })
	}
	ends := map[inventory.Ref]bool{} // objects at which what the other account has propagates
	var objects []*inventory.Object
	for _, w := range v.permits {
		if w.Key == next.Key && w.At.Exists() {
			objects = lists.AppendNew(objects, w.At)
		}
	}
	for _, had := range v.At.PermissionsOf(access.Principal{Name: from}) {
		if o := v.At.Inventory.Object(had.Entity); o != nil {
			objects = lists.AppendNew(objects, o)
			own := wanted(o)
			ends[o.Ref] = had.Propagate && len(own) > 0 && !own[0].Propagate
		}
	}
	slices.SortFunc(objects, func(a, b *inventory.Object) int { return cmp.Compare(a.Path(), b.Path()) })
	for _, o := range objects {
		var had, has []string
		for _, e := range v.At.Explain(old, o) {
			if role, _ := v.At.Roles.ByID(e.Permission.RoleID); e.Counts {
				had = slices.Concat(had, role.Implicit(), role.Privileges)
			}
		}
		for _, e := range access.Explain(next, o, wanted, func(w perms.Want) access.Entry {
			return access.Entry{Key: w.Key, Propagate: w.Propagate}
		}) {
			if e.Counts {
				has = slices.Concat(has, privileges.ImplicitIDs(), e.Permission.Holds)
			}
		}
		lost := lists.Without(lists.Union(had, nil), has)
		var text string
		switch {
		case len(had) > 0 && len(has) == 0:
			text = "does not see it, as " + from + " does"
		case len(lost) > mostLacked:
			text = "lacks " + term.Count(len(lost), "privilege") + " that " + from + " has"
		case len(lost) > 0:
			text = "lacks " + strings.Join(lost, ", ") + ", which " + from + " has"
		case ends[o.Ref]:
			text = "lacks below it what " + from + " has"
		default:
			continue
		}
		v.tell(plan.Change{Kind: plan.Permission, Object: o.Path(), Principal: to}.Tell(finding.Consequence, text))
	}
}

// Gone finds accounts of ours that are in secrets and do not exist. held returns a user's secrets.
func (e *Snapshots) Gone(held func(server string, meant func(user string) bool) []cluster.Holding) []*finding.Finding {
	f := finding.New(finding.AccountGone, "", "")
	var secrets []string
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil || s.SSO.Why != nil {
			continue
		}
		for _, c := range e.Request.Spec.ComponentNames() {
			if !s.Owns(c) {
				continue
			}
			gone := func(user string) bool {
				name, domain, _ := strings.Cut(user, "@")
				_, exists := s.SSO.Own(name)
				return !exists && strings.EqualFold(domain, s.SSO.Domain) &&
					s.Request.Spec.Account(c).Generation(user) > 0
			}
			for _, h := range held(s.VCenter.Server, gone) {
				a := finding.Account{Server: s.VCenter.Server, Component: c, Principal: h.User, Secrets: []string{h.At.String()}}
				if _, exists := s.SSO.Own(s.Account(c).Name); exists {
					a.InUse = s.Principal(c)
				}
				if i := slices.IndexFunc(f.Accounts, func(other finding.Account) bool {
					return other.Server == a.Server && other.Principal == a.Principal
				}); i >= 0 {
					f.Accounts[i].Secrets = lists.AppendNew(f.Accounts[i].Secrets, h.At.String())
				} else {
					f.Accounts = append(f.Accounts, a)
				}
				secrets = lists.AppendNew(secrets, h.At.String())
			}
		}
	}
	if len(f.Accounts) == 0 {
		return nil
	}
	f.Text = many(f, "the cluster holds an account that does not exist",
		"the cluster holds %d accounts that do not exist") +
		" (" + strings.Join(secrets, ", ") + "): " + folded(f.Accounts)
	return []*finding.Finding{f}
}
