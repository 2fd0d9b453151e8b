// Package plan holds what is to be changed, a [Change] each, and does it, a [Step] each. Apply
// executes the changes that plan prints, so the two cannot differ.
package plan

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Verb says what happens to the object of a Change.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Update Verb = "update"
	Delete Verb = "delete"
)

// Kind is the kind of object of a Change.
type Kind string

// The kinds.
const (
	Folder     Kind = "folder"
	Role       Kind = "role"
	Group      Kind = "group" // of the SSO domain, for one account; its state is that of a user
	User       Kind = "user"
	Permission Kind = "permission"
	Tag        Kind = "tag" // on its Object; "" = that it exists

	// Of findings only: an unknown privilege, a failure domain, whose Object is its datacenter, and
	// a vCenter.
	Privilege     Kind = "privilege"
	FailureDomain Kind = "failure domain"
	VCenterKind   Kind = "vCenter"
)

// OfDomain reports whether objects of the kind are in an SSO domain, which vCenters may share.
func (k Kind) OfDomain() bool { return k == Group || k == User }

// Change is one difference from the desired state, as data: it can be shown, compared and saved.
type Change struct { //nolint:recvcheck // Tell is for one that is not kept
	Verb      Verb   `json:"verb"`
	Kind      Kind   `json:"kind"`
	Name      string `json:"name,omitempty"`      // of a role, user@domain, folder path, failure domain, category/tag
	Object    string `json:"object,omitempty"`    // permissions and tags: inventory path
	Principal string `json:"principal,omitempty"` // permissions: user@domain
	Group     bool   `json:"group,omitempty"`     // permissions: the principal is a group
	// Datacenter is the path of the datacenter above a permission's object; "" = none or unknown.
	Datacenter string `json:"datacenter,omitempty"`
	Before     State  `json:"before"`              // nil for a Create
	After      State  `json:"after"`               // nil for a Delete
	Note       string `json:"note"`                // what is displaced, lost or assumed, for people
	Displaces  bool   `json:"displaces,omitempty"` // it changes what others granted, and is confirmed apart
	Restores   bool   `json:"restores,omitempty"`  // a displaced permission replaces ours
	Strips     bool   `json:"-"`                   // a changed profile narrows an account that leaves the secrets
	TakenBy    string `json:"-"`                   // the cause of lost privileges: "matrix documented"
	Dropped    bool   `json:"-"`                   // TakenBy: --prune, on an object that the specification does not name

	// Displaced is the permission that an Update replaces, if its role has other privileges. The Note
	// names it first, and Remark is the rest of that.
	Displaced *PermissionState `json:"displaced,omitempty"`
	Remark    string           `json:"remark,omitempty"`

	// Gains and Loses are the privileges that the principal gets and loses on the object. Loses is
	// empty for a permission that is removed with everything else.
	Gains []string `json:"gains,omitempty"`
	Loses []string `json:"loses,omitempty"`

	Serves []*privileges.Row `json:"-"` // its purpose, with the object's scope; empty for a removal

	// Provides and Needs order the work: a Change starts when every Change of the whole plan that
	// provides one of its needs is done. A need without provider is already met.
	Provides string   `json:"-"`
	Needs    []string `json:"-"`
}

// State is an object before or after a Change: a [RoleState], [UserState] or [PermissionState].
type State interface{ state() }

// RoleState is a role before or after a Change. Privileges omit the three that every role has.
type RoleState struct {
	Privileges []string `json:"privileges"`
}

// UserState is an account before or after a Change.
type UserState struct {
	Description string `json:"description"`
	Disabled    bool   `json:"disabled,omitempty"`    // logins are refused
	PasswordSet string `json:"passwordSet,omitempty"` // the old password's day, 2006-01-02, UTC
	NewPassword bool   `json:"newPassword,omitempty"`
	InsteadOf   string `json:"insteadOf,omitempty"` // the account, name@domain, that it replaces
	MemberOf    string `json:"memberOf,omitempty"`  // the group, name@domain, that holds its permissions
}

// PermissionState is a permission before or after a Change.
type PermissionState struct {
	Role      string `json:"role"`
	Propagate bool   `json:"propagate"`
}

func (RoleState) state()       {}
func (UserState) state()       {}
func (PermissionState) state() {}

// Tell returns a finding about a Change's object. remedies are commands, the least harmful first.
func (c Change) Tell(code finding.Code, text string, remedies ...string) *finding.Finding {
	f := finding.New(code, "", "%s", text)
	f.Object = &finding.Object{Kind: string(c.Kind), Name: c.Name, Path: c.Object, Principal: c.Principal, Group: c.Group}
	f.Remedies = append(f.Remedies, remedies...)
	if c.Name+c.Object+c.Principal != "" {
		f.Subject = c.Subject()
	}
	return f
}

// About is the Change that would be about the object of a finding that [Change.Tell] made.
func About(f *finding.Finding) *Change {
	o := f.Object
	return &Change{Kind: Kind(o.Kind), Name: o.Name, Object: o.Path, Principal: o.Principal, Group: o.Group}
}

// Key identifies what changes provide and need. The scope is the server, or the SSO domain.
func Key(scope string, kind Kind, name string) string {
	return strings.ToLower(scope + "\x00" + string(kind) + "\x00" + name)
}
