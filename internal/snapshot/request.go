package snapshot

import (
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Request is what is asked of the vCenters of a specification, and what follows from it alone. Nothing changes it once [NewRequest]
// completed it: what is decided about one vCenter is a function of it and of a [Snapshot]. Spec is required, Matrix for all but [provision.Job.Catalogues],
// Credentials for all but that and [provision.Job.Doctor], Journal too for [provision.Job.Rotate].
type Request struct {
	Spec        *spec.Spec
	Matrix      *privileges.Matrix
	Credentials *credfile.File // open, with its lock held for Apply
	Journal     *credfile.File // of the credentials file's rotations; nil = none

	Given *installconfig.Given // the accounts of an install-config, whose passwords count where the credentials file has none; nil = none

	Beside string // without Credentials: the path of the file that would be, which the record of what was displaced is beside

	Only    plan.Kind                 // Role, User or Permission: nothing of another kind is changed; default everything
	Assumed privileges.RoleSetOptions // with Only Role, where no failure domain says it: Holds and Template

	Volumes *openshift.Volumes // of the cluster, to name before the account that works on them goes; nil = nobody looked

	Formerly []privileges.Added // what a prune takes away: roles that were made with it are ours all the same

	Looking       bool // nothing is written: what the administrator may not read is left open, and named
	Ordering      bool // a principal of others that does not exist yet is no error: the work order asks for it
	Additive      bool // never remove a privilege or a permission
	Prune         bool // remove the accounts of this cluster that the specification no longer names
	CreateFolders bool // make missing VM folders first
	CreateTags    bool // give the failure domains the tags of their regions and zones
	Strict        bool // a privilege that a vCenter does not know is an error

	Renders string // the command that puts the accounts of the credentials file into the install-config; "" = there is none, or it was read from stdin

	Line func(command string, own ...string) string // a command with the flags of this run and words of its own; nil = with these alone

	Ages bool      // ask SSO how long passwords still last; without it the days in the accounts' descriptions tell
	Lock bool      // ask SSO when failed logins lock an account
	Now  time.Time // by which ages are told; default that of [provision.New]

	// What a job makes of it, by [Request.Undo], [Request.Doing] and [Request.Limited].
	Undoing bool        // what an apply did is to be undone
	Op      accounts.Op // what is done about the generations of accounts
	Named   bool        // somebody asked for just these components: one that cannot be rotated is an error
	Proved  bool        // the cluster's secrets show that it does not work with what goes
	Limits  sso.Limits  // choose among the accounts to rotate

	explained []string // everything that the matrix gives any component of the profile, under whatever condition, sorted
	sealed    []string // the same with what the embedded matrices give: an earlier specification may have had one of them
}

// NewRequest folds the matrix as the profile says.
func NewRequest(r Request) *Request {
	everybody := *r.Spec
	everybody.Components = map[component.Name]spec.Component{}
	for _, c := range component.Names() {
		everybody.Components[c] = spec.Component{}
	}
	q := new(Request)
	*q = r
	if q.Now.IsZero() {
		q.Now = time.Now()
	}
	if r.Matrix == nil {
		return q
	}
	q.Matrix = r.Spec.Fold(r.Matrix)
	for _, row := range everybody.Fold(r.Matrix).Rows {
		q.explained = append(q.explained, row.Privilege)
	}
	for _, a := range r.Formerly {
		q.explained = append(q.explained, a.Privileges...)
	}
	q.explained = privileges.Strip(q.explained)
	embedded, err := privileges.EmbeddedIDs()
	if err != nil {
		panic(err) // they are read when the program is built and tested
	}
	q.sealed = privileges.Strip(append(embedded, q.explained...))
	return q
}

// Undo asks for the opposite.
func (q *Request) Undo() *Request {
	back := *q
	back.Undoing = true
	return &back
}

// Aging asks SSO for the ages of passwords as well.
func (q *Request) Aging() *Request {
	aging := *q
	aging.Ages = true
	return &aging
}

// Limited asks for the accounts that limits choose, and so for the ages of their passwords.
func (q *Request) Limited(limits sso.Limits) *Request {
	if limits == (sso.Limits{}) {
		return q
	}
	limited := q.Aging()
	limited.Limits = limits
	return limited
}

// Adopted are the principals that exist and are only granted, or may.
func (q *Request) Adopted() []string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		if p := q.Spec.Account(c).Principal; p != "" && !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	return names
}

// Principal is the account of a component on a vCenter, name@domain.
func (s *Snapshot) Principal(c component.Name) string {
	return s.Account(c).In(s.SSO.Domain)
}

// Owns reports whether the account of a component is ours to create and remove.
func (q *Request) Owns(c component.Name) bool {
	return q.Spec.Account(c).Ours()
}

// Doing asks for the same with something done about the generations of accounts.
func (q *Request) Doing(op accounts.Op, named bool) *Request {
	turned := *q
	turned.Op, turned.Named = op, named
	return &turned
}

// Stored reports whether the credentials file has an account's password for a vCenter.
func (q *Request) Stored(server, principal string, c component.Name) bool {
	in, ok := q.Credentials.Get(server, c)
	return ok && strings.EqualFold(in.User, principal)
}

// Specifies reports whether the specification names a vCenter, in this run or not.
func (q *Request) Specifies(server string) bool {
	return slices.ContainsFunc(q.Spec.Whole().VCenters, func(v spec.VCenter) bool { return strings.EqualFold(v.Server, server) })
}

// PasswordDiffers reports whether the credentials file has another password of an account than its record on vCenter says. SSO is then
// asked how old the password is: the record may be out of date.
func (q *Request) PasswordDiffers(server string) func(sso.User) bool {
	return func(u sso.User) bool {
		return u.PasswordTag != "" && slices.ContainsFunc(q.Spec.ComponentNames(), func(c component.Name) bool {
			l := accounts.Classify(q.Spec.Account(c), u.Description, q.Files().Sections([]string{server}, c), []sso.User{u})
			return q.Owns(c) && l.Outdated
		})
	}
}

// ClusterRoles stands for the roles of adopted accounts, by what their names have in common.
func (q *Request) ClusterRoles() string { return q.Spec.Privileges.RolePrefix + q.Spec.Cluster + "-*" }

// Renames reports whether roles have the name of the cluster only because the work order asks others for accounts.
func (q *Request) Renames(d *Desired) bool {
	return slices.ContainsFunc(d.All, func(w *access.Permission) bool {
		return w.Account.Adopted && q.Owns(w.Account.Component) && w.Role != privileges.ReadOnly
	})
}
