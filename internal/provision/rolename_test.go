package provision_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/vmware/govmomi/vim25/types"
)

// sealed is the digest at the end of a role's name, and what may come before it.
var sealed = regexp.MustCompile(`(openshift-[a-z0-9-]+?)-[0-9a-f]{6}\b`)

// undigested leaves the digests out of roles' names: which privileges are behind them changes with the matrix.
func undigested(text string) string { return sealed.ReplaceAllString(text, "$1") }

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
