package roles

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
)

// The states of a role in words.
func TestRoleState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role inspect.Role
		want string
	}{
		{inspect.Role{State: inspect.RoleSame}, "same"},
		{inspect.Role{State: inspect.RoleSame, Unused: true}, "same, unused"},
		{inspect.Role{State: inspect.RoleDiffers, Missing: []string{"a", "b"}, Excess: []string{"c"}}, "missing 2, excess 1"},
		{inspect.Role{State: inspect.RoleAbsent, Missing: []string{"a"}, Unused: true}, "no such role"},
		{inspect.Role{State: inspect.RoleUnwanted, Unused: true}, "not wanted, unused"},
	} {
		if got := roleState(c.role); got != c.want {
			t.Errorf("%+v: %q, want %q", c.role, got, c.want)
		}
	}
}
