package vcsim

import (
	"testing"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

func TestUserDirectory(t *testing.T) {
	r := newRig(t)
	r.user("Alice")
	r.grant("/DC0", "Alice", true, "Folder.Create")
	search := func(c *govmomi.Client) ([]types.BaseUserSearchResult, error) {
		res, err := methods.RetrieveUserGroups(ctx, c, &types.RetrieveUserGroups{
			This: *c.ServiceContent.UserDirectory, SearchStr: "alic", FindUsers: true, FindGroups: true,
		})
		if err != nil {
			return nil, err
		}
		return res.Returnval, nil
	}
	got := must(search(r.admin))
	if len(got) != 1 || got[0].GetUserSearchResult().Principal != `VSPHERE.LOCAL\Alice` {
		t.Errorf("found %v", got)
	}
	c := r.login("alice")
	_, err := search(c)
	wantFault[types.NoPermission](t, err)
	r.grant("/DC0", "Alice", true, "Authorization.ModifyPermissions")
	if _, err := search(c); err != nil {
		t.Error(err)
	}
}
