// Package plan holds what is to be changed, a [Change] each, and does it, a [Step] each. What plan prints is what the steps of apply
// are made from, so the two cannot drift apart.
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

// Kind says what kind of object a Change is about.
type Kind string

// The kinds.
const (
	Folder     Kind = "folder"
	Role       Kind = "role"
	User       Kind = "user"
	Permission Kind = "permission"
	Tag        Kind = "tag" // on its Object; "" = that it exists

	// Of findings only: a privilege that the vCenter does not know, a failure domain, whose Object is its datacenter, and a vCenter.
	Privilege     Kind = "privilege"
	FailureDomain Kind = "failure domain"
	VCenterKind   Kind = "vCenter"
)

// Change is one difference from the desired state, as data: it can be shown, compared and saved.
type Change struct {
	Verb      Verb   `json:"verb"`
	Kind      Kind   `json:"kind"`
	Name      string `json:"name,omitempty"`      // role name, user@domain, inventory path of a folder, failure domain, category/tag
	Object    string `json:"object,omitempty"`    // permissions and tags: inventory path
	Principal string `json:"principal,omitempty"` // permissions: user@domain
	Group     bool   `json:"group,omitempty"`     // permissions: the principal is a group
	// Datacenter is the inventory path of the datacenter that the object of a permission is below. "" = it is one, is above
	// one, or nobody knows.
	Datacenter string `json:"datacenter,omitempty"`
	Before     State  `json:"before"`              // nil for a Create
	After      State  `json:"after"`               // nil for a Delete
	Note       string `json:"note"`                // what is displaced, lost or assumed, for people
	Displaces  bool   `json:"displaces,omitempty"` // it changes what somebody else gave, and is confirmed apart
	Restores   bool   `json:"restores,omitempty"`  // a permission of ours goes, and what was there before it comes back
	Strips     bool   `json:"-"`                   // a changed profile takes privileges from an account that no secret of the cluster is to hold any more
	TakenBy    string `json:"-"`                   // what in the specification takes privileges from an account that stays in use: "matrix documented"

	// Displaced is what an Update of a permission takes the place of, where its role holds other privileges. The Note names it first,
	// and Remark is the rest of that.
	Displaced *PermissionState `json:"displaced,omitempty"`
	Remark    string           `json:"remark,omitempty"`

	// Gains and Loses are the privileges that the principal of a changed permission gets and loses on the object. Where a
	// permission goes because everything does, Loses is empty.
	Gains []string `json:"gains,omitempty"`
	Loses []string `json:"loses,omitempty"`

	Serves []privileges.Row `json:"-"` // what it is made for, with the scope that its object has there; empty where something goes

	// Provides and Needs order the work: a Change starts when every Change of the whole plan that provides one of its
	// needs is done. A need that nothing provides is already met.
	Provides string   `json:"-"`
	Needs    []string `json:"-"`
}

// State is an object before or after a Change: a [RoleState], [UserState] or [PermissionState].
type State interface{ state() }

// RoleState is a role before or after a Change. Privileges leave out the three that every role has.
type RoleState struct {
	Privileges []string `json:"privileges"`
}

// UserState is an account before or after a Change.
type UserState struct {
	Description string `json:"description"`
	Disabled    bool   `json:"disabled,omitempty"`    // nobody can log in with it
	PasswordSet string `json:"passwordSet,omitempty"` // before a new password: the day of the old one, 2006-01-02, UTC
	NewPassword bool   `json:"newPassword,omitempty"`
	InsteadOf   string `json:"insteadOf,omitempty"` // the account, name@domain, whose place it takes
}

// PermissionState is a permission before or after a Change.
type PermissionState struct {
	Role      string `json:"role"`
	Propagate bool   `json:"propagate"`
}

func (RoleState) state()       {}
func (UserState) state()       {}
func (PermissionState) state() {}

// Tell says something of what a Change would be about, whose verb and states do not matter. remedies are commands, the least harmful
// first.
func (c Change) Tell(code finding.Code, text string, remedies ...string) *finding.Finding {
	f := finding.New(code, "", "%s", text)
	f.Object = &finding.Object{Kind: string(c.Kind), Name: c.Name, Path: c.Object, Principal: c.Principal, Group: c.Group}
	f.Remedies = append(f.Remedies, remedies...)
	if c.Name+c.Object+c.Principal != "" {
		f.Subject = c.Subject()
	}
	return f
}

// Key of the things that changes provide and need. The scope is the server for what belongs to one vCenter, the
// identity of the SSO domain for accounts.
func Key(scope string, kind Kind, name string) string {
	return strings.ToLower(scope + "\x00" + string(kind) + "\x00" + name)
}
