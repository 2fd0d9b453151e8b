// Package perms compares and changes the permissions of one vCenter: [Read] returns plain values,
// [Diff] is pure, a [Writer] executes steps. It writes only permissions of given principals.
package perms

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Permission is a rule as the vCenter has it.
type Permission struct {
	Entity    inventory.Ref
	Principal string // as the vCenter spells it
	Group     bool
	RoleID    int32
	Propagate bool
	Key       string // equal for all spellings, another for a group
}

// Want is a permission as it must be. Principals are name@domain or DOMAIN\name.
type Want struct {
	At        *inventory.Object
	Principal string
	Group     bool   // of a group; a vCenter refuses the wrong flag
	Key       string // of the principal, as in Permission
	Role      string
	Holds     []string // privileges of the role, without the implicit ones
	Propagate bool
	Note      string
	Needs     []string // keys of changes that come first, besides the role
	Adopted   bool     // another's principal, with permissions of others
	Serves    []*privileges.Row
	Displaces bool // the permission ends what others gave the principal further up
}

// State is all permissions of a vCenter that the administrator sees, read-only.
type State struct {
	All    []Permission
	Global []Permission // see [State.With]; in none of All
	Unseen string       // why global ones are unknown; or ""

	server string
	held   map[string][]Permission        // by key of the principal
	on     map[inventory.Ref][]Permission // by object
}

// Of is a state of some permissions. key is that of a principal, see [Permission].
func Of(server string, all []Permission, key func(principal string, group bool) string) *State {
	s := &State{server: server, All: slices.Clone(all), held: map[string][]Permission{}, on: map[inventory.Ref][]Permission{}}
	for i := range s.All {
		p := &s.All[i]
		p.Key = key(p.Principal, p.Group)
		s.held[p.Key] = append(s.held[p.Key], *p)
		s.on[p.Entity] = append(s.on[p.Entity], *p)
	}
	return s
}

// Read reads every permission of the vCenter in one request, without keys.
func Read(ctx context.Context, s *vcenter.Session) ([]Permission, error) {
	res, err := methods.RetrieveAllPermissions(ctx, s,
		&types.RetrieveAllPermissions{This: *s.Content.AuthorizationManager})
	if err != nil {
		return nil, fmt.Errorf("%s: permissions: %w", s.Server, err)
	}
	var all []Permission
	for _, p := range res.Returnval {
		if p.Entity == nil { // nothing says where it stands, so nothing can be done about it
			continue
		}
		all = append(all, Permission{
			Entity: vcenter.Ref(*p.Entity), Principal: p.Principal, Group: p.Group, RoleID: p.RoleId, Propagate: p.Propagate,
		})
	}
	return all, nil
}

// Held lists the permissions of a principal, by its key.
func (s *State) Held(key string) []Permission { return slices.Clip(s.held[key]) }

// On lists the permissions of one object.
func (s *State) On(ref inventory.Ref) []Permission { return slices.Clip(s.on[ref]) }

// Holders are the principals that hold a role anywhere, globally too, sorted, each once.
func (s *State) Holders(roleID int32) []string {
	var who []string
	for _, p := range slices.Concat(s.All, s.Global) {
		if p.RoleID == roleID {
			who = append(who, p.Principal)
		}
	}
	slices.Sort(who)
	return slices.Compact(who)
}

// Removal is the command that removes the permission from path, with vCenter's spelling (R18).
func (p Permission) Removal(path string) string {
	words := []string{"govc", "permissions.remove", "-principal", p.Principal, path}
	if p.Group {
		words = slices.Insert(words, 4, "-group")
	}
	return script.Line(words...)
}

// Key identifies the removal of a permission among changes.
func (s *State) Key(p Permission) string { return plan.Key(s.server, plan.Permission, p.id()) }

func (p Permission) id() string { return p.Entity.String() + " " + p.Key }
