package provision

import (
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// checkMatrix refuses to take privileges from live accounts because the specification names another matrix than they were made with:
// a word in a file takes far more than a row that a later version of a matrix lacks, which plan names and apply takes. --prune
// takes them. With one's own matrix nothing is refused: what the accounts have may be what it said before, and no vCenter keeps
// its text.
func (dec *decision) checkMatrix(p *part) error {
	if dec.Prune || dec.Additive || !slices.Contains(privileges.Names(), dec.Spec.Privileges.Matrix) {
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
	var mixed bool // --additive kept it beside what is asked for
	most := 0
	for _, name := range privileges.Names() {
		matrix, err := privileges.Load(name)
		if err != nil {
			return err
		}
		was := *dec.asked
		was.Strict, was.Matrix = false, dec.Spec.Fold(matrix)
		d, err := was.bind(p.snapshot)
		if err != nil || name == dec.Spec.Privileges.Matrix {
			continue
		}
		if near, kept := p.nearer(d); max(near, kept) > most {
			made, with, mixed, most = name, d, near <= 0, max(near, kept)
		}
	}
	var objects []string
	for _, i := range losing {
		had := p.steps[i].Had
		if e := with.on(had.Entity, had.Key); e != nil && p.stems(e, p.wanted.on(had.Entity, had.Key)) {
			objects = appendNew(objects, p.steps[i].Object)
		}
	}
	if len(objects) == 0 {
		return nil
	}
	asked := dec.Spec.Privileges.Matrix
	hints := []string{
		fmt.Sprintf("use the matrix that they were made with: --matrix %[1]s, or matrix: %[1]s in the file", made),
		"apply --additive adds what matrix " + asked + " asks for, and takes nothing",
		"once no component needs these privileges: apply --prune takes them; plan --prune shows which",
	}
	if mixed { // the other matrix would take what this one added
		hints = hints[1:]
	}
	return hint.Wrap(fmt.Errorf("%s: the accounts have the privileges of matrix %s: matrix %s would take some from them on %s",
		p.spec.Server, made, asked, few(objects)), hints...)
}

// nearer is how many more permissions of a vCenter are those of another matrix than those that are wanted, where the two differ.
// kept leaves those out that are wanted and hold what the other matrix asks for: --additive leaves them so.
func (p *part) nearer(other *desired) (near, kept int) {
	for _, e := range other.All {
		added := p.wanted.on(e.At.Ref, e.Account.Key)
		switch {
		case added != nil && added.Role == e.Role:
		case p.stands(e):
			near, kept = near+1, kept+1
		case p.stems(e, added):
			near++
		}
	}
	for _, w := range p.wanted.All {
		if e := other.on(w.At.Ref, w.Account.Key); (e == nil || e.Role != w.Role) && p.stands(w) {
			near--
			if e != nil && len(privileges.Without(e.Holds, w.Holds)) > 0 {
				kept--
			}
		}
	}
	return near, kept
}

// stands reports whether a permission is there as it is wanted.
func (p *part) stands(e *access.Permission) bool {
	had := p.standing(e)
	return had != nil && p.roles.Name(had.RoleID) == e.Role
}

// stems reports whether what stands where a permission is wanted was made for it, or was before --additive added another to it.
func (p *part) stems(e, added *access.Permission) bool {
	had := p.standing(e)
	if had == nil || added == nil || p.stands(added) {
		return p.stands(e)
	}
	role, _ := p.roles.ByID(had.RoleID)
	return p.stands(e) || slices.Equal(privileges.Strip(role.Privileges), privileges.Strip(slices.Concat(e.Holds, added.Holds)))
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
