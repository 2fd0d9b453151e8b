package directory

import (
	"slices"
	"strings"
	"time"
)

type group struct {
	Principal
	description string
	created     time.Time
	members     map[string]Principal // by Key
}

// Group is a view of one group, its direct members sorted.
type Group struct {
	Principal
	Description string
	Members     []Principal
}

func (d *Directory) group(name string) *group { return d.groups[key(d.split(name))] }

// Group finds a group by name in any form; the delay of New does not hide it.
func (d *Directory) Group(name string) (Group, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.group(name)
	if g == nil {
		return Group{}, false
	}
	return g.view(), true
}

// Groups lists all groups of all identity sources, sorted.
func (d *Directory) Groups() []Group {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Group
	for _, g := range d.groups {
		out = append(out, g.view())
	}
	slices.SortFunc(out, func(a, b Group) int { return strings.Compare(a.Key(), b.Key()) })
	return out
}

func (g *group) view() Group {
	v := Group{Principal: g.Principal, Description: g.description}
	for _, m := range g.members {
		v.Members = append(v.Members, m)
	}
	sortPrincipals(v.Members)
	return v
}

// AddGroup makes a group behind everybody's back.
func (d *Directory) AddGroup(name, description string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.addGroup(name, description, time.Time{})
}

// CreateGroup makes a group as the SSO service does: vCenter sees it only after the delay of New.
func (d *Directory) CreateGroup(name, description string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.addGroup(name, description, d.now())
}

// DescribeGroup replaces the description of a group.
func (d *Directory) DescribeGroup(name, description string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.group(name)
	if g == nil || d.Implicit(g.Principal) {
		return ErrAbsent
	}
	g.description = description
	return nil
}

func (d *Directory) addGroup(name, description string, created time.Time) error {
	domain, bare := d.split(name)
	k := key(domain, bare)
	if !d.nameable(domain, bare) {
		return ErrName
	}
	if d.groups[k] != nil || d.accounts[k] != nil && !d.twoNamespaces(domain) {
		return ErrDuplicate
	}
	d.groups[k] = &group{
		Principal:   Principal{Domain: domain, Name: bare, Group: true},
		description: description, created: created, members: map[string]Principal{},
	}
	return nil
}

// RemoveGroup deletes a group and its memberships.
func (d *Directory) RemoveGroup(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.group(name)
	if g == nil {
		return ErrAbsent
	}
	d.forget(g.Principal)
	return nil
}

// AddMember puts a user, or a group, into a group. A second time changes nothing.
func (d *Directory) AddMember(group, member string, memberIsGroup bool) error {
	_, err := d.Join(group, member, memberIsGroup)
	return err
}

// Join is AddMember, and says whether the member is new.
func (d *Directory) Join(group, member string, memberIsGroup bool) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.join(group, member, memberIsGroup)
}

func (d *Directory) join(group, member string, memberIsGroup bool) (bool, error) {
	g := d.group(group)
	p, ok := d.principal(member, memberIsGroup)
	switch {
	case g == nil || !ok:
		return false, ErrAbsent
	case d.Implicit(g.Principal):
		return false, nil // everybody is a member already
	}
	if memberIsGroup && (p.Key() == g.Key() || slices.Contains(d.groupsOf(g.Principal), p)) {
		return false, ErrSelf
	}
	if _, member := g.members[p.Key()]; member {
		return false, nil
	}
	g.members[p.Key()] = p
	return true, nil
}

// RemoveMember takes a user, or a group, out of a group.
func (d *Directory) RemoveMember(group, member string, memberIsGroup bool) error {
	_, err := d.Leave(group, member, memberIsGroup)
	return err
}

// Leave is RemoveMember, and says whether the member was one.
func (d *Directory) Leave(group, member string, memberIsGroup bool) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.group(group)
	p, ok := d.principal(member, memberIsGroup)
	if g == nil || !ok || d.Implicit(g.Principal) {
		return false, ErrAbsent
	}
	_, wasMember := g.members[p.Key()]
	delete(g.members, p.Key())
	return wasMember, nil
}

// principal is Lookup without the delay and without the question whether the source can be reached.
func (d *Directory) principal(name string, isGroup bool) (Principal, bool) {
	if isGroup {
		if g := d.group(name); g != nil {
			return g.Principal, true
		}
		return Principal{}, false
	}
	if a := d.account(name); a != nil {
		return a.Principal, true
	}
	return Principal{}, false
}

// IsMember looks through nested groups.
func (d *Directory) IsMember(p Principal, group string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.group(group)
	return g != nil && slices.Contains(d.groupsOf(p), g.Principal)
}
