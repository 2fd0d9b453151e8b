package privileges_test

import (
	"os"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

func TestMain(m *testing.M) {
	privileges.RoleSet = access.RoleSet
	os.Exit(m.Run())
}
