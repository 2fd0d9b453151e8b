package provision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// checkMatrix refuses to take privileges from live accounts because the specification names another matrix than they were made with:
// a word in a file takes far more than a row that a later version of a matrix lacks, which plan names and apply takes. --prune
// takes them. One's own matrix is not recognized: the vCenter does not have its text.
func (dec *decision) checkMatrix(p *part) error {
	if dec.Prune || dec.Additive {
		return nil
	}
	var losing []int // steps
	for i, step := range p.steps {
		if step.Acts() && step.Had != nil && len(step.Loses) > 0 {
			losing = append(losing, i)
		}
	}
	if len(losing) == 0 {
		return nil
	}
	var made string // the matrix that explains most
	var with *desired
	most := 0
	for _, name := range privileges.Names() {
		matrix, err := privileges.Load(name)
		if err != nil {
			return err
		}
		was := *dec.asked
		was.Strict, was.Matrix = false, dec.Spec.Fold(matrix)
		if d, err := was.bind(p.snapshot); err == nil && name != dec.Spec.Privileges.Matrix && p.nearer(d) > most {
			made, with, most = name, d, p.nearer(d)
		}
	}
	var objects []string
	for _, i := range losing {
		had := p.steps[i].Had
		if e := with.on(had.Entity, had.Key); e != nil && e.Role == p.roles.Name(had.RoleID) {
			objects = appendNew(objects, p.steps[i].Object)
		}
	}
	if len(objects) == 0 {
		return nil
	}
	return hint.Wrap(
		hint.Errorf("apply --additive adds what matrix "+dec.Spec.Privileges.Matrix+" asks for, and takes nothing",
			"%s: the accounts were made with matrix %s: matrix %s would take privileges from them on %s",
			p.spec.Server, made, dec.Spec.Privileges.Matrix, few(objects)),
		"once no component needs these privileges: apply --prune takes them; plan --prune shows which")
}

// nearer is how many more permissions of a vCenter are those of another matrix than those that are wanted, where the two differ.
func (p *part) nearer(other *desired) int {
	has := func(d, than *desired) (n int) {
		for _, e := range d.All {
			had, elsewhere := p.standing(e), than.on(e.At.Ref, e.Account.Key)
			if had != nil && p.roles.Name(had.RoleID) == e.Role && (elsewhere == nil || elsewhere.Role != e.Role) {
				n++
			}
		}
		return n
	}
	return has(other, p.wanted) - has(p.wanted, other)
}

// on is the permission that is wanted for a principal on an object; nil if none.
func (d *desired) on(ref inventory.Ref, key string) *access.Permission {
	if d == nil {
		return nil
	}
	i := slices.IndexFunc(d.All, func(e *access.Permission) bool { return e.At.Exists() && e.At.Ref == ref && e.Account.Key == key })
	if i < 0 {
		return nil
	}
	return d.All[i]
}
