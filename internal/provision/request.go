package provision

import (
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Request is what is asked of the vCenters of a specification, and what follows from it alone. Nothing changes it once [newRequest]
// completed it: what is decided about one vCenter is a function of it and of a [snapshot]. Spec is required, Matrix for all but [Job.Catalogues],
// Credentials for all but that and [Job.Doctor], Journal too for [Job.Rotate].
type Request struct {
	Spec        *spec.Spec
	Matrix      *privileges.Matrix
	Credentials *credfile.File // open, with its lock held for Apply
	Journal     *credfile.File // of the credentials file's rotations; nil = none

	Beside string // without Credentials: the path of the file that would be, which the record of what was displaced is beside

	Only    plan.Kind                 // Role, User or Permission: nothing of another kind is changed; default everything
	Assumed privileges.RoleSetOptions // with Only Role, where no failure domain says it: Holds and Template

	Volumes *openshift.Volumes // of the cluster, to name before the account that works on them goes; nil = nobody looked

	Formerly []privileges.Added // what a prune takes away: roles that were made with it are ours all the same

	Ordering      bool // a principal of others that does not exist yet is no error: the work order asks for it
	Additive      bool // never remove a privilege or a permission
	Prune         bool // remove the accounts of this cluster that the specification no longer names
	CreateFolders bool // make missing VM folders first
	Strict        bool // a privilege that a vCenter does not know is an error

	Line func(command string, own ...string) string // a command with the flags of this run and words of its own; nil = with these alone

	Ages bool      // ask SSO how long passwords still last; without it the days in the accounts' descriptions tell
	Now  time.Time // by which ages are told; default that of [New]

	explained []string    // everything that the matrix gives any component of the profile, under whatever condition, sorted
	sealed    []string    // the same with what the embedded matrices give: an earlier specification may have had one of them
	undoing   bool        // what an apply did is to be undone
	op        accounts.Op // what is done about the generations of accounts
	named     bool        // somebody asked for just these components: one that cannot be rotated is an error
	proved    bool        // the cluster's secrets show that it does not work with what goes
	limits    sso.Limits  // choose among the accounts to rotate
}

// newRequest folds the matrix as the profile says.
func newRequest(r Request) *Request {
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

// undo asks for the opposite.
func (q *Request) undo() *Request {
	back := *q
	back.undoing = true
	return &back
}

// aging asks SSO for the ages of passwords as well.
func (q *Request) aging() *Request {
	aging := *q
	aging.Ages = true
	return &aging
}

// limited asks for the accounts that limits choose, and so for the ages of their passwords.
func (q *Request) limited(limits sso.Limits) *Request {
	if limits == (sso.Limits{}) {
		return q
	}
	limited := q.aging()
	limited.limits = limits
	return limited
}

// adopted are the principals that exist and are only granted.
func (q *Request) adopted() []string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		if p := q.Spec.Account(c).Principal; p != "" && !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	return names
}

// principal is the account of a component on a vCenter, name@domain.
func (s *snapshot) principal(c component.Name) string {
	return s.account(c).In(s.sso.Domain)
}

// owns reports whether the account of a component is ours to create and remove.
func (q *Request) owns(c component.Name) bool {
	return q.Spec.Account(c).Ours()
}

// doing asks for the same with something done about the generations of accounts.
func (q *Request) doing(op accounts.Op, named bool) *Request {
	turned := *q
	turned.op, turned.named = op, named
	return &turned
}

// stored reports whether the credentials file has an account's password for a vCenter.
func (q *Request) stored(server, principal string, c component.Name) bool {
	in, ok := q.Credentials.Get(server, c)
	return ok && strings.EqualFold(in.User, principal)
}
