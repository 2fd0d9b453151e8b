package verify

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Computed says, once, whose rights were not proved by a login.
func (v *Result) Computed() []*finding.Finding {
	f := finding.New(finding.ComputedRights, "", "")
	var where []string
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			if a.Login != LoginComputed {
				continue
			}
			where = lists.AppendNew(where, vc.Server)
			for _, name := range strings.Split(a.Component, ",") {
				f.Accounts = append(f.Accounts, finding.Account{Server: vc.Server, Component: component.Name(name), Principal: a.Principal})
			}
		}
	}
	if where == nil {
		return nil
	}
	n := len(f.Principals())
	f.Text = "what " + term.Count(n, "account") + " may do on " + lists.Few(where) +
		" is computed by vCenter from roles and permissions, not verified: nobody logged in, because the passwords are not known here"
	return []*finding.Finding{f}
}

// Asked are the objects of which the rights of an account have to be known to compute what it sees: these, and all above them.
func Asked(objects []*inventory.Object) []inventory.Ref {
	var refs []inventory.Ref
	for _, o := range objects {
		for _, step := range append([]*inventory.Object{o}, o.Ancestors()...) {
			if step.Known() {
				refs = lists.AppendNew(refs, step.Ref)
			}
		}
	}
	return refs
}

// Told is what an account sees by the rights that vCenter reports of it on the objects of [Asked]: what keeps it from finding an object
// is the first from the root folder down on which it lacks System.View.
func Told(objects []*inventory.Object, refs []inventory.Ref, rights [][]string) map[*inventory.Object]Seen {
	held := map[inventory.Ref][]string{}
	for i, ref := range refs {
		held[ref] = rights[i]
	}
	seen := map[*inventory.Object]Seen{}
	for _, o := range objects {
		saw := Seen{Held: held[o.Ref]}
		for _, step := range slices.Backward(append([]*inventory.Object{o}, o.Ancestors()...)) {
			if step.Known() && !slices.Contains(held[step.Ref], "System.View") {
				saw.Hidden = step
				break
			}
		}
		seen[o] = saw
	}
	return seen
}
