package provision

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// order is what other teams must do, cut by who does it: the changes of a plan with their reasons.
type order struct {
	*decision
	plan     *plan.Plan
	accounts []*orderAccount
	sites    []orderSite
	again    Again
}

// orderAccount is an account or a group that is wanted.
type orderAccount struct {
	name        string // without domain
	principal   string // as permissions name it
	group       bool
	domain      string // SSO domain or identity source, by its own name
	alias       string // of the identity source, "" = none
	components  []component.Name
	servers     []string
	policy      *sso.Policy // of the SSO domain that it is made in; nil in a directory of others, and for a group
	description string      // to be set
}

// orderSite is what is to be done on one vCenter.
type orderSite struct {
	*part
	folders, roles, permissions []*plan.Change
	unused                      []*plan.Change // roles that go, once the permissions have moved
	notes                       []string
}

// Again are the command lines with which the order's sender looks at the end whether everything is done: Same with what was
// planned, Adopting with the provisioning file of the order, called provisioning.yaml.
type Again struct{ Same, Adopting []string }

// WorkOrder is what a plan of this job comes to when other teams do it, in Markdown. It holds no password. An empty plan
// has one sentence.
func (j *Job) WorkOrder(p *plan.Plan, again Again) []byte {
	return []byte(j.order(p, again).markdown())
}

// WorkOrderFiles is WorkOrder as a file for each team and vCenter, by name.
func (j *Job) WorkOrderFiles(p *plan.Plan, again Again) map[string][]byte {
	return j.order(p, again).files()
}

func (j *Job) order(p *plan.Plan, again Again) *order {
	o := &order{decision: j.decided, plan: p, again: again}
	for i, v := range p.VCenters {
		if part := o.parts[i]; part.err == nil {
			o.site(part, v.Changes)
		}
	}
	o.wanted()
	for _, a := range o.accounts {
		a.description = o.description(a)
	}
	return o
}

func (o *order) site(s *part, changes []*plan.Change) {
	out := orderSite{part: s}
	for _, c := range changes {
		switch {
		case c.Verb == plan.Note && c.Kind == plan.User:
			o.shared(s, c)
		case c.Verb == plan.Note && c.Name == o.clusterRoles(): // the overview says it
		case c.Verb == plan.Note:
			out.notes = append(out.notes, c.Line())
		case c.Kind == plan.Folder:
			out.folders = append(out.folders, c)
		case c.Kind == plan.Role && c.Verb == plan.Delete:
			out.unused = append(out.unused, c)
		case c.Kind == plan.Role:
			out.roles = append(out.roles, c)
		case c.Kind == plan.Permission:
			out.permissions = append(out.permissions, c)
		case c.Kind == plan.User && c.Verb == plan.Create:
			o.account(s, c)
		case c.Kind == plan.User && c.Verb == plan.Update:
			out.notes = append(out.notes, c.Line()+" (SSO administration, or apply)")
		}
	}
	o.sites = append(o.sites, out)
}

// account is one of the accounts that the plan would make.
func (o *order) account(s *part, c *plan.Change) {
	name, domain, _ := strings.Cut(c.Name, "@")
	policy := s.sso.Policy
	a := &orderAccount{name: name, principal: c.Name, domain: domain, servers: []string{s.spec.Server}, policy: &policy}
	for _, c := range o.Spec.ComponentNames() {
		if o.Spec.Account(c).Generation(name) > 0 {
			a.components = o.users(c)
		}
	}
	o.accounts = append(o.accounts, a)
}

// description says whose an account is. It is not the mark of our own accounts: this one stays theirs who make it.
func (o *order) description(a *orderAccount) string {
	return "OpenShift cluster " + o.Spec.Cluster + ", " + strings.Join(access.Words(a.components), ", ")
}

// shared adds a vCenter to the account that another one of its SSO domain makes.
func (o *order) shared(s *part, c *plan.Change) {
	for _, a := range o.accounts {
		if strings.EqualFold(a.principal, c.Name) && o.siteOf(a.servers[0]).domainKey == s.domainKey {
			a.servers = append(a.servers, s.spec.Server)
		}
	}
}

// users are the components that work with the account of one: the installer has none of its own in every profile.
func (o *order) users(c component.Name) []component.Name {
	var all []component.Name
	for _, other := range component.Names() {
		if o.Spec.Account(other).Component == c && (!other.OptIn() || o.Spec.Has(other)) {
			all = append(all, other)
		}
	}
	return all
}

// wanted adds the principals of others that do not exist yet.
func (o *order) wanted() {
	for _, s := range o.sites {
		for _, c := range o.Spec.ComponentNames() {
			g := o.holder(s.snapshot, c)
			if o.owns(c) || !s.lacks(g.Name) {
				continue
			}
			name, domain := s.sso.Split(g.Name)
			source := s.sso.Source(domain)
			within := strings.EqualFold(source.Name, s.sso.Domain)
			i := slices.IndexFunc(o.accounts, func(a *orderAccount) bool {
				return within == strings.EqualFold(a.domain, s.sso.Domain) && s.sso.Same(a.principal) == s.sso.Same(g.Name) &&
					(!within || o.siteOf(a.servers[0]).domainKey == s.domainKey)
			})
			if i < 0 {
				i = len(o.accounts)
				a := &orderAccount{name: name, principal: g.Name, group: g.Group, domain: source.Name, alias: source.Alias}
				if within && !g.Group { // the commands of the order make it
					policy := s.sso.Policy
					a.alias, a.policy = "", &policy
				}
				o.accounts = append(o.accounts, a)
			}
			for _, user := range o.users(c) {
				o.accounts[i].components = appendNew(o.accounts[i].components, user)
			}
			o.accounts[i].servers = appendNew(o.accounts[i].servers, s.spec.Server)
		}
	}
}

// lacks reports whether a principal's identity source answers, and does not have it.
func (s *snapshot) lacks(principal string) bool {
	found, asked := s.sso.Principal(principal)
	return asked && !found.User && !found.Group && !found.Unknown && found.Err == nil
}

// ordered says in the plan whose accounts the work order asks for, and why roles have other names than without it.
func (q *asked) ordered(s *snapshot, d *desired) []*plan.Change {
	if !q.Ordering {
		return nil
	}
	var notes []*plan.Change
	if q.renames(d) {
		notes = append(notes, &plan.Change{
			Verb: plan.Note, Kind: plan.Role, Name: q.clusterRoles(),
			Note: "named after the cluster, because others create the accounts; without --work-order it is " + q.Spec.Privileges.RolePrefix + "*",
		})
	}
	for _, g := range q.adoptees(s) {
		if s.lacks(g.Name) {
			notes = append(notes, &plan.Change{
				Verb: plan.Note, Kind: plan.Permission, Note: g.String() + " does not exist yet: the work order requests it",
			})
		}
	}
	return notes
}

// clusterRoles stands for the roles of adopted accounts, by what their names have in common.
func (q *asked) clusterRoles() string { return q.Spec.Privileges.RolePrefix + q.Spec.Cluster + "-*" }

// renames reports whether roles have the name of the cluster only because the work order asks others for accounts.
func (q *asked) renames(d *desired) bool {
	return slices.ContainsFunc(d.All, func(w *access.Permission) bool {
		return w.Account.Adopted && q.owns(w.Account.Component) && w.Role != privileges.ReadOnly
	})
}

// adopting is the provisioning file that takes what others made for what it is: theirs. One file names a component's
// account by one name, so vCenters whose SSO domains are called differently get a file each.
func (o *order) adopting() []adoption {
	var all []adoption
	for _, s := range o.sites {
		domain := strings.ToLower(s.sso.Domain)
		i := slices.IndexFunc(all, func(a adoption) bool { return a.domain == domain })
		if i < 0 {
			i = len(all)
			all = append(all, adoption{domain: domain})
		}
		all[i].servers = append(all[i].servers, s.spec.Server)
	}
	for i, a := range all {
		all[i].spec = o.spec(a)
	}
	return all
}

// adoption is a provisioning file for the vCenters of one name of SSO domain.
type adoption struct {
	domain  string
	servers []string
	spec    []byte
}

func (o *order) spec(a adoption) []byte {
	s := *o.Spec
	s.Components = maps.Clone(s.Components)
	if len(s.Components) == 0 { // all of them, those without an account of their own too: somebody's account does their work
		s.Components = map[component.Name]spec.Component{}
		for _, c := range component.Default() {
			s.Components[c] = spec.Component{}
		}
	}
	s.VCenters = nil
	for _, v := range o.Spec.VCenters {
		if slices.Contains(a.servers, v.Server) {
			v.FailureDomains = o.named(v)
			s.VCenters = append(s.VCenters, v)
		}
	}
	for _, account := range o.accounts {
		if account.policy == nil || !slices.Contains(a.servers, account.servers[0]) {
			continue
		}
		for _, c := range account.components {
			if c == o.Spec.Account(c).Component {
				s.Components[c] = spec.Component{Principal: account.principal}
			}
		}
	}
	return s.YAML()
}

// named names the folders that were chosen for failure domains without one: who adopts accounts can no longer tell a
// folder that was made for them.
func (o *order) named(v spec.VCenter) []spec.FailureDomain {
	all := slices.Clone(v.FailureDomains)
	for i, fd := range all {
		all[i].Folder = o.folderPath(o.siteOf(v.Server).snapshot, fd)
	}
	return all
}
