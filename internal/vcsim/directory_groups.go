package vcsim

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

// Group is a view of one group for tests, its direct members sorted.
type Group struct {
	Principal
	Description string
	Members     []Principal
}

func (d *Directory) group(name string) *group { return d.groups[key(d.split(name))] }

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

func (d *Directory) addGroup(name, description string, created time.Time) error {
	domain, bare := d.split(name)
	k := key(domain, bare)
	if bare == "" || strings.ContainsAny(bare, "@\\\"") || d.sources[strings.ToLower(domain)] == nil {
		return errName
	}
	if d.groups[k] != nil || d.accounts[k] != nil && !d.twoNamespaces(domain) {
		return errDuplicate
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
		return errAbsent
	}
	d.forget(g.Principal)
	return nil
}

// AddMember puts a user, or a group, into a group. A second time changes nothing.
func (d *Directory) AddMember(group, member string, memberIsGroup bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.join(group, member, memberIsGroup)
	return err
}

// join says whether the member is new.
func (d *Directory) join(group, member string, memberIsGroup bool) (bool, error) {
	g := d.group(group)
	p, ok := d.principal(member, memberIsGroup)
	if g == nil || !ok {
		return false, errAbsent
	}
	if memberIsGroup && (p.Key() == g.Key() || slices.Contains(d.groupsOf(g.Principal), p)) {
		return false, errSelf
	}
	if _, member := g.members[p.Key()]; member {
		return false, nil
	}
	g.members[p.Key()] = p
	return true, nil
}

// RemoveMember takes a user, or a group, out of a group.
func (d *Directory) RemoveMember(group, member string, memberIsGroup bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.leave(group, member, memberIsGroup)
	return err
}

// leave says whether the member was one.
func (d *Directory) leave(group, member string, memberIsGroup bool) (bool, error) {
	g := d.group(group)
	p, ok := d.principal(member, memberIsGroup)
	if g == nil || !ok {
		return false, errAbsent
	}
	_, wasMember := g.members[p.Key()]
	delete(g.members, p.Key())
	return wasMember, nil
}

// principal is Lookup without UserDelay and without the question whether the source can be reached.
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

// isMember looks through nested groups.
func (d *Directory) isMember(p Principal, group string) bool {
	g := d.group(group)
	return g != nil && slices.Contains(d.groupsOf(p), g.Principal)
}
