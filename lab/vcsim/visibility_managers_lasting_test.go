package vcsim

import (
	"testing"

	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// A manager is the vCenter's: it is there after the logout of a session that called it.
func TestManagersOutliveSessions(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	for range 2 {
		c := must(v.Login(t.Context(), v.AdminUser(), v.AdminPassword()))
		var manager mo.LicenseManager
		if err := property.DefaultCollector(c).RetrieveOne(t.Context(), *c.ServiceContent.LicenseManager, []string{"licenseAssignmentManager"}, &manager); err != nil {
			t.Fatal(err)
		}
		if _, err := methods.QueryAssignedLicenses(t.Context(), c, &types.QueryAssignedLicenses{This: *manager.LicenseAssignmentManager}); err != nil {
			t.Errorf("licences: %v", err)
		}
		if _, err := methods.CreateCollectorForTasks(t.Context(), c, &types.CreateCollectorForTasks{This: *c.ServiceContent.TaskManager}); err != nil {
			t.Errorf("tasks: %v", err)
		}
		if _, err := methods.CreateCollectorForEvents(t.Context(), c, &types.CreateCollectorForEvents{This: *c.ServiceContent.EventManager}); err != nil {
			t.Errorf("events: %v", err)
		}
		if err := session.NewManager(c).Logout(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
