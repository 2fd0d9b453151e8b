package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Plan reads every vCenter and says what has to change. What is wrong with a vCenter is in its part of the plan and
// does not keep the others from being planned. Call it once per Job.
func (j *Job) Plan(ctx context.Context) *plan.Plan {
	j.each(ctx, j.gather)
	j.readDomains(ctx, j.o.Prune)
	created := map[string]bool{} // accounts, by the key of their creation: one per SSO domain
	p := j.assemble(func(s *site) ([]*plan.Change, error) { return j.changes(ctx, s, created) })
	if i := slices.IndexFunc(j.sites, func(s *site) bool { return s.err == nil }); i >= 0 {
		p.VCenters[i].Changes = slices.Insert(p.VCenters[i].Changes, 0, j.left()...)
	}
	p.Findings = j.findings()
	return p
}

// assemble asks f for the changes of each vCenter that could be read, in the order of the specification, and then for what
// can be removed once these are done: that takes all of an SSO domain.
func (j *Job) assemble(f func(*site) ([]*plan.Change, error)) *plan.Plan {
	p := plan.New(j.o.Spec.Cluster)
	changes := make([][]*plan.Change, len(j.sites))
	for i, s := range j.sites {
		if s.err == nil {
			s.err = s.try(func() (err error) {
				changes[i], err = f(s)
				return err
			})
		}
	}
	for i, s := range j.sites {
		if s.err != nil {
			changes[i] = nil
		} else {
			s.err = s.try(func() error {
				changes[i] = j.narrowed(append(changes[i], j.removals(s)...))
				s.attach(changes[i])
				return nil
			})
		}
		p.Add(s.spec.Server, changes[i], s.err)
		p.VCenters[i].InstanceUUID = s.instance()
	}
	return p
}

// attach says what the changes do.
func (s *site) attach(changes []*plan.Change) {
	s.directory.Attach(changes, s.passwords)
	if s.roles == nil { // a rotation reads accounts alone
		return
	}
	w := roles.NewWriter(s.session, s.roles)
	w.Attach(changes)
	perms.NewWriter(s.session, w, s.keyOf).Attach(s.steps)
}

func (j *Job) changes(ctx context.Context, s *site, created map[string]bool) ([]*plan.Change, error) {
	d, err := j.desired(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(j.absent(s), j.untold(s), j.administrators(s), j.marks(s), j.rivals(s, d)); err != nil {
		return nil, err
	}
	s.wanted = d
	d.notes = append(d.notes, j.ordered(s)...)
	roleChanges, err := roles.Diff(d.roles, s.roles, roles.Options{
		Additive: j.o.Additive, Affects: s.perms.Holders,
		Strangers: func(id int32) []string { return j.strangers(s, s.perms.Holders(id)) },
	})
	if err != nil {
		return nil, err
	}
	userChanges, err := j.users(s, created)
	if err != nil {
		return nil, err
	}
	var notes []*plan.Change
	if j.o.Only == plan.Permission {
		if notes, err = j.present(s, slices.Concat(roleChanges, userChanges)); err != nil {
			return nil, err
		}
		notes = append(notes, s.unread()...)
	}
	var permissionChanges []*plan.Change
	if j.does(plan.Permission) {
		if err := j.permissions(s, d); err != nil {
			return nil, err
		}
		permissionChanges = perms.Changes(s.steps)
		if !j.o.Prune {
			notes = append(notes, j.unnamed(s)...)
		}
	}
	for _, c := range userChanges { // not before all of this vCenter's part stands
		if c.Verb == plan.Create {
			created[c.Provides] = true
		}
	}
	if s.sso.Users != nil {
		userChanges = append(userChanges, j.notPruned(s)...)
	}
	return slices.Concat(d.notes, notes, d.folders, roleChanges, userChanges, permissionChanges), nil
}

// strangers are those of the principals that are no account of this specification.
func (j *Job) strangers(s *site, principals []string) []string {
	ours := append(j.owned(s), j.adopted()...)
	return slices.DeleteFunc(principals, func(p string) bool {
		return slices.ContainsFunc(ours, func(our string) bool { return s.sso.Same(our) == s.sso.Same(p) })
	})
}

// administrators refuses accounts that administer the whole vCenter: a permission of a component would displace theirs.
func (j *Job) administrators(s *site) error {
	for _, c := range j.o.Spec.ComponentNames() {
		who := j.holder(s, c)
		for _, p := range s.held(who) {
			if p.RoleID == roles.AdminID && p.Entity == vcenter.Ref(s.session.Content.RootFolder) {
				return hint.Errorf("give "+string(c)+" an account of its own",
					"%s: %s administers this vCenter, so it cannot be the account of %s", s.spec.Server, who, c)
			}
		}
	}
	return nil
}

// needed is an account that the plan creates: its password has to be made, unless it stands there already.
type needed struct {
	user     string
	policy   sso.Policy
	password *secret.Secret
}

// users plans the accounts of ours. vCenters of one SSO domain share them: the first one creates.
func (j *Job) users(s *site, created map[string]bool) ([]*plan.Change, error) {
	if s.sso.Users == nil { // they were not read
		return nil, nil
	}
	var wants []sso.Want
	s.passwords = map[string]*secret.Secret{}
	for _, c := range j.o.Spec.ComponentNames() {
		if !j.owns(c) {
			continue
		}
		_, exists := s.sso.Users[strings.ToLower(j.o.Spec.Account(c).Name)]
		password, err := j.password(s, c, j.principal(s, c), exists)
		if err != nil {
			return nil, err
		}
		wants = append(wants, sso.Want{
			Name:        j.o.Spec.Account(c).Name,
			Component:   c,
			Description: sso.Mark(j.o.Spec.Cluster, c),
			Password:    password,
		})
		s.passwords[j.principal(s, c)] = password
		if !exists && j.does(plan.User) {
			j.needed = append(j.needed, needed{user: j.principal(s, c), policy: s.sso.Policy, password: password})
		}
	}
	changes, err := sso.Diff(wants, s.sso, s.domainKey)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		if c.Verb == plan.Create && created[c.Provides] {
			changes[i] = &plan.Change{Verb: plan.Note, Kind: plan.User, Name: c.Name, Note: "is created with the first vCenter of this SSO domain"}
		}
	}
	return changes, nil
}

// password is where the password of an account stands, filled from the credentials file if any vCenter of the SSO
// domain has it there.
func (j *Job) password(s *site, c component.Name, user string, exists bool) (*secret.Secret, error) {
	key := s.domainKey + "\x00" + string(c)
	if j.passwords[key] == nil {
		j.passwords[key] = &secret.Secret{}
	}
	servers := slices.Clone(s.others)
	for _, other := range j.sites {
		if other.domainKey == s.domainKey {
			servers = append(servers, other.spec.Server)
		}
	}
	for _, server := range servers {
		account, ok := j.o.Credentials.Get(server, c)
		if !ok {
			continue
		}
		if !strings.EqualFold(account.User, user) {
			if server == s.spec.Server {
				return nil, hint.Wrap(
					fmt.Errorf("%s: %s already holds %s for %s, not %s", s.spec.Server, j.o.Credentials.Path(), account.User, c, user),
					"another cluster's passwords may be in it; use another file: credentialsFile in the specification, or "+credfile.Variable+"=FILE")
			}
			continue
		}
		switch {
		case j.passwords[key].Empty():
			*j.passwords[key] = account.Password
		case exists && !j.passwords[key].Equal(account.Password):
			return nil, hint.Errorf("verify tells which one opens it; put that one into every section of the SSO domain",
				"%s: %s holds two different passwords for %s, one of them here", s.spec.Server, j.o.Credentials.Path(), user)
		}
	}
	return j.passwords[key], nil
}

// permissions plans those of a vCenter into s.steps.
func (j *Job) permissions(s *site, d *desired) error {
	wants := make([]perms.Want, 0, len(d.All))
	for _, e := range d.All {
		w := perms.Want{
			At: e.At, Principal: e.Account.Principal.Name, Group: e.Account.Principal.Group, Role: e.Role, Holds: e.Holds, Propagate: e.Propagate, Note: strings.Join(e.Notes, "; "),
			Needs:   []string{plan.Key(s.spec.Server, plan.Folder, e.At.Path())},
			Adopted: e.Account.Adopted, Key: e.Account.Key,
		}
		if text, known := j.displaces(s, d, e); text != "" {
			w.Note = strings.Join(append(slices.Clone(e.Notes), text), "; ")
			w.Displaces = known
		}
		for _, c := range e.Components {
			if j.owns(c) {
				w.Needs = append(w.Needs, plan.Key(s.domainKey, plan.User, j.o.Spec.Account(c).Name))
			}
		}
		wants = append(wants, w)
	}
	slices.SortStableFunc(wants, func(a, b perms.Want) int { return strings.Compare(a.At.Path(), b.At.Path()) })
	earlier := j.moved(s, d)
	made := func(p perms.Permission) bool { return j.made(s, p) || earlier(p) }
	owned := j.known(s)
	if j.o.Prune {
		for _, a := range j.prunable(s) {
			owned = append(owned, a.principal(s))
		}
	}
	former, err := j.former(s)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, name := range owned {
		names[s.userKey(name)] = name
	}
	s.steps = perms.Diff(wants, s.perms, s.roles, perms.Options{Additive: j.o.Additive, Owned: names, Made: made, Path: s.path, Former: former})
	return nil
}

// isOf tells whether a permission is of one of these users.
func (s *site) isOf(p perms.Permission, users []string) bool {
	return slices.ContainsFunc(users, func(u string) bool { return s.userKey(u) == p.Key })
}

// owned are the accounts whose permissions are all ours.
func (j *Job) owned(s *site) []string {
	var all []string
	for _, c := range j.o.Spec.ComponentNames() {
		if j.owns(c) {
			all = append(all, j.principal(s, c))
		}
	}
	return all
}

// known are those whose password is known here. One that this machine did not make may serve another cluster of the same
// name: what it has elsewhere is not stale.
func (j *Job) known(s *site) []string {
	var all []string
	for _, c := range j.o.Spec.ComponentNames() {
		if p := j.passwords[s.domainKey+"\x00"+string(c)]; j.owns(c) && p != nil && !p.Empty() {
			all = append(all, j.principal(s, c))
		}
	}
	return all
}
