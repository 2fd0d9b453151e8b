package snapshot

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// A vCenter is its instance UUID, which it tells without a login. A server name is one of its
// names, and the credentials file may have the accounts under an earlier one.

// LeftEntries returns components with stored accounts of this cluster, by unspecified vCenters.
func (q *Request) LeftEntries() map[string][]component.Name {
	if q.Credentials == nil || q.Spec.Cluster == "" {
		return nil
	}
	found := map[string][]component.Name{}
	for _, server := range q.Credentials.Servers() {
		for _, c := range component.Names() {
			a, ok := q.Credentials.Get(server, c)
			if ok && !q.Specifies(server) && q.Spec.Whole().Account(c).Generation(a.User) > 0 {
				found[server] = append(found[server], c)
			}
		}
	}
	return found
}

// Name finds the names that lead to one vCenter, by instance UUIDs (keys are servers), and those
// that may, by accounts. It refuses a specification with two names of one vCenter.
func (q *Request) Name(all []*Snapshot, instances map[string]string) error {
	entries := slices.Sorted(maps.Keys(q.LeftEntries()))
	ids := maps.Clone(instances)
	for _, s := range all {
		if s.Instance != "" {
			ids[s.VCenter.Server] = s.Instance
		}
	}
	for _, s := range all {
		id := ids[s.VCenter.Server]
		s.Names, s.Former = nil, nil
		for _, server := range slices.Sorted(maps.Keys(ids)) {
			switch same := id != "" && strings.EqualFold(ids[server], id); {
			case !same || server == s.VCenter.Server:
			case slices.Contains(entries, server):
				s.Names = append(s.Names, server)
			case q.Specifies(server):
				return hint.Errorf("name it once, as the cluster's Infrastructure does",
					"%s and %s are two names of one vCenter (instance UUID %s): the specification names it twice; nothing was done", s.VCenter.Server, server, id)
			}
		}
	}
	for _, server := range entries {
		if i := slices.IndexFunc(all, func(s *Snapshot) bool { return ids[server] == "" && s.mayBe(server) }); i >= 0 {
			all[i].Former = append(all[i].Former, server)
		}
	}
	return nil
}

// mayBe reports whether a section has this vCenter's passwords, and is no linked vCenter's.
func (s *Snapshot) mayBe(server string) bool {
	if s.SSO == nil || s.Domain.Sections == nil || slices.ContainsFunc(s.Domain.PeerServers,
		func(peer string) bool { return strings.EqualFold(peer, server) }) {
		return false
	}
	same := false
	for _, c := range s.Request.LeftEntries()[server] {
		there, _ := s.Request.Credentials.Get(server, c)
		here, ok := s.Request.Credentials.Get(s.VCenter.Server, c)
		name, _, _ := strings.Cut(there.User, "@")
		u, exists := s.Ours(OwnAccount{Name: name, Component: c})
		switch {
		case !exists:
		case u.PasswordTag != "" && !there.Password.Bears(u.PasswordTag),
			u.PasswordTag == "" && ok && !here.Password.Equal(there.Password):
			return false
		default:
			same = true
		}
	}
	return same
}

// OtherSections are those with this vCenter's accounts under another name, certain or possible.
func (s *Snapshot) OtherSections() []string { return slices.Concat(s.Names, s.Former) }

// roleKind says whose a role is, by its name and privileges.
type roleKind int

// Kinds of roles; see [Request.Classify].
const (
	ForeignRole  roleKind = iota // of others
	SharedRole                   // of every cluster with the same needs
	PrefixedRole                 // with another privileges.rolePrefix; ours if we hold it
	OwnRole                      // of this cluster, for adopted accounts
	changedRole                  // like the two before, with another digest
)

// RoleFacts is what is computed once for a role, because thousands of permissions may have it.
type RoleFacts struct {
	Kind  roleKind
	Owner string // of a role for adopted accounts; "" = none, or edited
}

// Ours reports whether the tool made the role, for whatever cluster.
func (f RoleFacts) Ours() bool { return f.Kind != ForeignRole || f.Owner != "" }

// Classify returns the facts about a vCenter's roles, by id.
func (q *Request) Classify(live *roles.State) map[int32]RoleFacts {
	unknown := lists.Without(q.sealed, live.Catalogue())
	components := component.Names()
	if !q.Unnarrowed() {
		components = q.Spec.ComponentNames()
	}
	names := q.Matrix.RoleNames(q.Spec.Privileges.RolePrefix, q.Spec.Cluster, components)
	all := map[int32]RoleFacts{}
	for _, r := range live.All() {
		if r.System {
			continue
		}
		owner, shared := q.Spec.Cluster, privileges.Intact(r.Name, "", r.Privileges, unknown)
		switch {
		case shared:
			owner = ""
		case owner == "" || !privileges.Intact(r.Name, owner, r.Privileges, unknown):
			owner = privileges.RoleOwner(r.Name, r.Privileges, unknown)
		}
		all[r.ID] = RoleFacts{q.kind(r.Name, owner, shared, names), owner}
	}
	return all
}

func (q *Request) kind(name, owner string, shared bool, names privileges.RoleNames) roleKind {
	switch {
	case owner != "" && owner == q.Spec.Cluster:
		return OwnRole
	case shared && !names.Sealed(name):
		return PrefixedRole
	case shared:
		return SharedRole
	case names.Sealed(name), names.Owned(name):
		return changedRole
	}
	return ForeignRole
}
