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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Request is what is asked of the vCenters of a specification. [NewRequest] completes it, and
// nothing changes it afterwards. Spec is required, Matrix for all but [provision.Job.Catalogues],
// Credentials for all but that and [provision.Job.Doctor], Journal for [provision.Job.Rotate].
type Request struct {
	Spec        *spec.Spec
	Matrix      *privileges.Matrix
	Credentials *credfile.File // open, with its lock held for Apply
	Journal     *credfile.File // of rotations; nil = none

	Given *installconfig.Given // passwords of an install-config, used if not stored

	Beside string // without Credentials: its path, for the record beside it

	Only    plan.Kind                 // only Role, User or Permission is changed; "" = all
	Assumed privileges.RoleSetOptions // with Only Role and no failure domains: Holds and Template

	Volumes *openshift.Volumes // of the cluster; nil = not read

	Formerly []privileges.Added // what a prune removes; roles made with it are ours as well

	Looking       bool // nothing is written, and unreadable things are unknown
	Ordering      bool // a missing principal of others goes into the work order
	Additive      bool // never remove a privilege or a permission
	Prune         bool // remove dropped accounts of this cluster
	CreateFolders bool // make missing VM folders first
	CreateTags    bool // tag failure domains with their regions and zones
	Installed     bool // the cluster runs: openshift-install checks nothing more
	Strict        bool // a privilege that a vCenter does not know is an error

	Renders string // the command that writes the install-config; "" = none

	Line    func(command string, own ...string) string // adds this run's flags; nil = none
	Repeat  func(flag string, value ...string) string  // this run's command line with a flag; nil as for Line
	Records func(components ...string) string          // records them as disabled; nil as for Line

	Ages bool      // from SSO, else from account descriptions
	Lock bool      // ask SSO when failed logins lock an account
	Now  time.Time // reference time for ages; default that of [provision.New]

	// Set by [Request.Undo], [Request.Doing] and [Request.Limited].
	Undoing bool        // reverse an apply
	Op      accounts.Op // the turn of generations
	Named   bool        // they were requested, so a failed rotation is an error
	Proved  bool        // by the secrets, what is removed is unused
	Limits  sso.Limits  // select the accounts to rotate

	explained []string // privileges of all components under any condition, sorted
	sealed    []string // those and the embedded matrices'
}

// NewRequest folds the matrix by the profile.
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
	if q.Records == nil {
		q.Records = func(of ...string) string {
			return q.Command("users disable", "--components", strings.Join(of, ","))
		}
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
		panic(err) // embedded and tested
	}
	q.sealed = privileges.Strip(append(embedded, q.explained...))
	return q
}

// Undo returns the reverse request.
func (q *Request) Undo() *Request {
	back := *q
	back.Undoing = true
	return &back
}

// Aging returns the request with ages of passwords from SSO.
func (q *Request) Aging() *Request {
	aging := *q
	aging.Ages = true
	return &aging
}

// Limited returns the request for the accounts that limits select, with ages of passwords.
func (q *Request) Limited(limits sso.Limits) *Request {
	if limits == (sso.Limits{}) {
		return q
	}
	limited := q.Aging()
	limited.Limits = limits
	return limited
}

// Adopted returns the principals that exist, or may, and are only granted. Groups of the SSO domain
// of a vCenter have no domain.
func (q *Request) Adopted() []string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		if p := q.Spec.Account(c).Principal; p != "" {
			names = lists.AppendNew(names, p)
		}
	}
	return lists.AppendNew(names, q.MemberOf()...)
}

// MemberOf returns the groups of the SSO domain that accounts of ours become members of.
func (q *Request) MemberOf() (groups []string) {
	for _, c := range q.Spec.ComponentNames() {
		if g := q.Spec.Account(c).MemberOf; g != "" {
			groups = lists.AppendNew(groups, g)
		}
	}
	return groups
}

// Principal is a component's account on a vCenter, name@domain.
func (s *Snapshot) Principal(c component.Name) string {
	return s.Account(c).In(s.SSO.Domain)
}

// Owns reports whether a component's account is ours to create and remove.
func (q *Request) Owns(c component.Name) bool {
	return q.Spec.Account(c).Ours()
}

// OwnsHolder reports whether what holds a component's permissions is an account of ours.
func (q *Request) OwnsHolder(c component.Name) bool {
	return q.Owns(c) && !q.Spec.Account(c).ByGroup()
}

// Doing returns the request with a turn of generations.
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
	return slices.ContainsFunc(q.Spec.Whole().VCenters,
		func(v spec.VCenter) bool { return strings.EqualFold(v.Server, server) })
}

// PasswordDiffers reports whether a stored password and its record differ, so that SSO is asked.
func (q *Request) PasswordDiffers(server string) func(sso.User) bool {
	return func(u sso.User) bool {
		return u.PasswordTag != "" && slices.ContainsFunc(q.Spec.ComponentNames(), func(c component.Name) bool {
			l := accounts.Classify(q.Spec.Account(c), u.Description, q.Files().Sections([]string{server}, c), []sso.User{u})
			return q.Owns(c) && l.Outdated
		})
	}
}

// ClusterRoles is the pattern of the role names for adopted accounts.
func (q *Request) ClusterRoles() string { return q.Spec.Privileges.RolePrefix + q.Spec.Cluster + "-*" }

// ChecksTags reports whether openshift-install looks for the tags of regions and zones: where there
// are several failure domains (openshift/installer, pkg/asset/installconfig/vsphere/validation.go,
// ValidateForProvisioning).
func (q *Request) ChecksTags() bool {
	n := 0
	for _, v := range q.Spec.Whole().VCenters {
		n += len(v.FailureDomains)
	}
	return n > 1 && q.Spec.Has(component.Installer)
}

// ReadsTags reports whether a change is planned that gives or misses them.
func (q *Request) ReadsTags() bool {
	return q.CreateTags || q.ChecksTags() && q.Only == "" && q.Op == accounts.Keep && !q.Undoing && !q.Installed
}

// Renames reports whether only a work order gives roles the cluster's name.
func (q *Request) Renames(d *Desired) bool {
	return slices.ContainsFunc(d.Wanted.All, func(w *access.Permission) bool {
		return w.Account.Adopted && q.OwnsHolder(w.Account.Component) && w.Role != privileges.ReadOnly
	})
}
