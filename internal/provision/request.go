package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Request is what is asked of the vCenters of a specification. Spec is required, Matrix for all but [Job.Catalogues],
// Credentials for all but that and [Job.Doctor], Journal too for [Job.Rotate].
type Request struct {
	Spec        *spec.Spec
	Matrix      *privileges.Matrix
	Credentials *credfile.File // open, with its lock held for Apply
	Journal     *credfile.File // of the credentials file's rotations; nil = none

	Only    plan.Kind                 // Role, User or Permission: nothing of another kind is changed; default everything
	Assumed privileges.RoleSetOptions // with Only Role, where no failure domain says it: Holds and Template

	Ordering      bool // a principal of others that does not exist yet is no error: the work order asks for it
	Additive      bool // never remove a privilege or a permission
	Prune         bool // remove the accounts of this cluster that the specification no longer names
	CreateFolders bool // make missing VM folders first
	Strict        bool // a privilege that a vCenter does not know is an error
}

// asked is a request with what follows from it alone. Nothing changes it. What is decided about one vCenter is a function of it
// and of a [snapshot].
type asked struct {
	Request
	explained []string // everything that the matrix gives any component of the profile, under whatever condition, sorted
	undoing   bool     // what an apply did is to be undone
}

// ask folds the matrix as the profile says.
func ask(r Request) *asked {
	everybody := *r.Spec
	everybody.Components = nil
	q := &asked{Request: r}
	if r.Matrix == nil {
		return q
	}
	q.Matrix = r.Spec.Fold(r.Matrix)
	for _, row := range everybody.Fold(r.Matrix).Rows {
		q.explained = append(q.explained, row.Privilege)
	}
	q.explained = privileges.Strip(q.explained)
	return q
}

// undo asks for the opposite.
func (q *asked) undo() *asked {
	back := *q
	back.undoing = true
	return &back
}

// accountNames are the accounts of ours, without domain.
func (q *asked) accountNames() []string {
	var names []string
	for _, a := range q.ownAccounts() {
		names = append(names, a.name)
	}
	return names
}

// adopted are the principals that exist and are only granted.
func (q *asked) adopted() []string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		if p := q.Spec.Account(c).Principal; p != "" && !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	return names
}

// principal is the account of a component on a vCenter, name@domain.
func (q *asked) principal(s *snapshot, c component.Name) string {
	return q.Spec.Account(c).In(s.sso.Domain)
}

// owns tells whether the account of a component is ours to create and remove.
func (q *asked) owns(c component.Name) bool {
	return q.Spec.Account(c).Ours()
}

// pending is the account of a component in the rotation journal.
func (q *asked) pending(server string, c component.Name) (user string, ok bool) {
	if q.Journal == nil || q.Journal.Inherited(server, c) != "" {
		return "", false
	}
	a, ok := q.Journal.Get(server, c)
	return a.User, ok
}

// stored tells whether the credentials file has an account's password for a vCenter.
func (q *asked) stored(server, principal string, c component.Name) bool {
	in, ok := q.Credentials.Get(server, c)
	return ok && strings.EqualFold(in.User, principal)
}
