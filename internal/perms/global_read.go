package perms

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// object is one as the REST API names it.
type object struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// item is a permission of the REST API (vSphere Automation 9.0, Vcenter Authorization Permissions).
type item struct {
	Object    object `json:"object"`
	Principal struct {
		Type, Name, Domain string
	} `json:"principal"`
	Role        string `json:"role"`
	Propagating bool   `json:"propagating"`
}

func (i item) permission() (Permission, bool) {
	role, err := strconv.ParseInt(i.Role, 10, 32)
	who := cmp.Or(i.Principal.Domain, "localos") + `\` + i.Principal.Name
	return Permission{Principal: who, Group: i.Principal.Type == "GROUP", RoleID: int32(role), Propagate: i.Propagating}, err == nil
}

// mostPages is more than any vCenter has: who always gives another page is not read for ever.
const mostPages = 500

// readSince reads, page after page, the global permissions and those on the root folder.
func readSince(
	ctx context.Context, a *vcenter.Automation, rootRef inventory.Ref,
) (all, root []Permission, err error) {
	objects := []object{{inventory.Global.Ref.Type, inventory.Global.Ref.Value}, {"ManagedEntity", rootRef.Value}}
	request := map[string]any{"filter": map[string]any{"objects": objects}}
	for range mostPages {
		var page struct {
			Items []struct {
				Info item `json:"info"`
			} `json:"items"`
			Marker string `json:"marker"`
		}
		err := a.Post(ctx, "/api/vcenter/authorization/permissions?action=list", request, &page)
		if err != nil {
			return nil, nil, err
		}
		for _, i := range page.Items {
			p, ok := i.Info.permission()
			switch { // a page that follows may be of all objects
			case !ok:
			case i.Info.Object == objects[0]:
				p.Entity = inventory.Global.Ref
				all = append(all, p)
			case i.Info.Object == objects[1]:
				p.Entity = rootRef
				root = append(root, p)
			}
		}
		if page.Marker == "" {
			return all, root, nil
		}
		request = map[string]any{"iterate": map[string]any{"marker": page.Marker}}
	}
	return nil, nil, errors.New("the list of permissions has no end")
}

// olderItem is a permission of the service that is deprecated as of 9.2 (com.vmware.cis.authz.permission;
// govmomi after v0.56.0, vapi/cis/authz). A principal is DOMAIN\name.
type olderItem struct {
	Object    object `json:"resource_id"`
	Principal struct {
		User  string `json:"user_name"`
		Group string `json:"group_name"`
	} `json:"principal"`
	Roles     []string `json:"role_id"`
	Propagate bool     `json:"propagate"`
}

// readOlder reads the global permissions of a release before 9.0.
func readOlder(ctx context.Context, a *vcenter.Automation) (all []Permission, err error) {
	var list struct {
		Value []olderItem `json:"value"`
	}
	err = a.Post(ctx, "/rest/com/vmware/cis/authz/permission?~action=list-detail", nil, &list)
	for _, i := range list.Value {
		for _, role := range i.Roles {
			id, bad := strconv.ParseInt(role, 10, 32)
			if bad != nil || i.Object != (object{"PermissionFolder", "global-permission"}) {
				continue
			}
			all = append(all, Permission{
				Entity: inventory.Global.Ref, Principal: cmp.Or(i.Principal.User, i.Principal.Group),
				Group: i.Principal.Group != "", RoleID: int32(id), Propagate: i.Propagate,
			})
		}
	}
	return all, err
}
