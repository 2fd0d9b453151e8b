package provision_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// sealed is the digest at the end of a role's name, and what may come before it.
var sealed = regexp.MustCompile(`(openshift-[a-z0-9-]+?)-[0-9a-f]{6}\b`)

// undigested leaves the digests out of roles' names: which privileges are behind them changes with the matrix.
func undigested(text string) string { return sealed.ReplaceAllString(text, "$1") }

// matrixRole is the role of the default matrix whose name without its digest is base, in a folder that exists.
func matrixRole(base string) string {
	m, err := privileges.Load(spec.DefaultMatrix)
	if err != nil {
		panic(err)
	}
	roles := access.RoleSet(m, privileges.RoleSetOptions{
		Prefix: spec.DefaultRolePrefix, Holds: map[privileges.Condition]bool{privileges.FolderExisting: true},
	})
	for _, r := range roles {
		if undigested(r.Name) == base {
			return r.Name
		}
	}
	panic("no role " + base)
}

// liveRole is the role of a name without its digest.
func (h *house) liveRole(t *testing.T, server int, base string) *types.AuthorizationRole {
	t.Helper()
	v := h.lab.VCenters[server]
	c, err := v.Login(context.Background(), v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	list, err := authz(c).RoleList(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if undigested(r.Name) == base && r.Name != base {
			return &r
		}
	}
	t.Fatalf("role %s does not exist-...", base)
	return nil
}
