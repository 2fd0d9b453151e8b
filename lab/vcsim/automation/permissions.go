package automation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const (
	permissionsPath = "/api/vcenter/authorization/permissions"
	permissionsID   = "com.vmware.vcenter.authorization.permissions."

	// pagePermissions is how many a page has, where the caller does not ask for fewer.
	pagePermissions = 200
)

// GlobalObject is the object of global permissions, which stands above the inventory.
var GlobalObject = types.ManagedObjectReference{Type: "GlobalAcl", Value: "GlobalAcl"}

// managedEntity is the type of the object of other permissions, whatever its own is.
const managedEntity = "ManagedEntity"

// permissionsOperations are those of vCenter 9.0 and later that read (R46). There is no GET of all: it was seen to be 404.
var permissionsOperations = []operation{
	{method: http.MethodPost, path: permissionsPath, action: "list", id: permissionsID + "list", serve: (*Service).listPermissions},
	{method: http.MethodGet, path: permissionsPath, id: permissionsID + "none", serve: func(s *Service, c *call) (any, *failure) {
		return nil, s.fail(c, notFound, "There is no such operation.")
	}},
	{method: http.MethodGet, path: permissionsPath + "/{}", id: permissionsID + "get", serve: (*Service).getPermission},
}

// Permission is one permission of a vCenter.
type Permission struct {
	Object      types.ManagedObjectReference
	Principal   directory.Principal
	Role        int32
	Propagating bool
}

// id is that of the permission. Nothing is known of a vCenter's but that they are texts.
func (p Permission) id() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Object.Type, p.Object.Value, p.Principal.Key()}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// permissionInfo is a permission as the API says it.
type permissionInfo struct {
	Object      object             `json:"object"`
	Principal   permittedPrincipal `json:"principal"`
	Role        string             `json:"role"`
	Propagating bool               `json:"propagating"`
}

type permittedPrincipal struct {
	Type   string `json:"type"`
	Name   string `json:"name"`
	Domain string `json:"domain,omitempty"`
}

func (p Permission) info() permissionInfo {
	on := object{managedEntity, p.Object.Value}
	if p.Object == GlobalObject {
		on = object{p.Object.Type, p.Object.Value}
	}
	kind := map[bool]string{true: "GROUP", false: "USER"}[p.Principal.Group]
	return permissionInfo{
		on, permittedPrincipal{kind, p.Principal.Name, strings.ToUpper(p.Principal.Domain)}, strconv.Itoa(int(p.Role)), p.Propagating,
	}
}

// permissionFilter says which are listed: those that match each of its fields that are given.
type permissionFilter struct {
	Objects     []object             `json:"objects"`
	Principals  []permittedPrincipal `json:"principals"`
	Roles       []string             `json:"roles"`
	Propagating *bool                `json:"is_propagating"`
}

func (f *permissionFilter) matches(p permissionInfo) bool {
	is := func(who permittedPrincipal) bool {
		return who.Type == p.Principal.Type && strings.EqualFold(who.Name, p.Principal.Name) &&
			strings.EqualFold(cmp.Or(who.Domain, "localos"), p.Principal.Domain)
	}
	return (f.Objects == nil || slices.Contains(f.Objects, p.Object)) &&
		(f.Principals == nil || slices.ContainsFunc(f.Principals, is)) &&
		(f.Roles == nil || slices.Contains(f.Roles, p.Role)) &&
		(f.Propagating == nil || *f.Propagating == p.Propagating)
}

// valid reports whether each principal of the filter is a user or a group.
func (f *permissionFilter) valid() bool {
	return !slices.ContainsFunc(f.Principals, func(p permittedPrincipal) bool { return p.Type != "USER" && p.Type != "GROUP" || p.Name == "" })
}

type permissionsPage struct {
	Items  []permissionItem `json:"items"`
	Marker string           `json:"marker,omitempty"` // "" = that is all
}

type permissionItem struct {
	Permission string         `json:"permission"`
	Info       permissionInfo `json:"info"`
}

// listPermissions lists, in pages, the permissions on objects that the caller may read. A marker goes on with the filter that it
// was made with.
func (s *Service) listPermissions(c *call) (any, *failure) {
	var in struct {
		Filter  *permissionFilter `json:"filter"`
		Iterate struct {
			Size   *int   `json:"page_size"`
			Marker string `json:"marker"`
		} `json:"iterate"`
	}
	if len(c.body) > 0 {
		if f := decode(c, &in); f != nil {
			return nil, f
		}
	}
	size := pagePermissions
	if in.Iterate.Size != nil {
		size = min(size, *in.Iterate.Size)
	}
	after := ""
	switch {
	case in.Filter != nil && in.Iterate.Marker != "":
		return nil, s.fail(c, invalidArgument, "Give a filter or a marker, not both.")
	case size < 1 || in.Filter != nil && !in.Filter.valid():
		return nil, s.fail(c, invalidArgument, "A page has permissions, and a principal is a USER or a GROUP with a name.")
	case in.Iterate.Marker != "":
		var ok bool
		if after, in.Filter, ok = readMarker(in.Iterate.Marker); !ok {
			return nil, s.fail(c, invalidArgument, "A marker is one that was answered.")
		}
	case in.Filter == nil:
		in.Filter = &permissionFilter{}
	}
	page := permissionsPage{Items: []permissionItem{}}
	for _, p := range s.readable(c) {
		item := permissionItem{p.id(), p.info()}
		if item.Permission <= after || !in.Filter.matches(item.Info) {
			continue
		}
		if len(page.Items) == size {
			page.Marker = newMarker(page.Items[size-1].Permission, in.Filter)
			break
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// readable are the permissions on objects that the caller may read, by id.
func (s *Service) readable(c *call) []Permission {
	all := s.Inventory.Permissions()
	var needs []Need
	for _, p := range all {
		needs = append(needs, Need{p.Object, read})
	}
	hidden := map[types.ManagedObjectReference]bool{}
	for _, n := range s.Inventory.Missing(c.who.principal, c.id, needs...) {
		hidden[n.On] = true
	}
	all = slices.DeleteFunc(all, func(p Permission) bool { return hidden[p.Object] })
	slices.SortFunc(all, func(a, b Permission) int { return strings.Compare(a.id(), b.id()) })
	return all
}

func (s *Service) getPermission(c *call) (any, *failure) {
	all := s.Inventory.Permissions()
	i := slices.IndexFunc(all, func(p Permission) bool { return p.id() == c.args[0] })
	if i < 0 {
		return nil, s.fail(c, notFound, "There is no such permission.")
	}
	if f := s.need(c, Need{all[i].Object, read}); f != nil {
		return nil, f
	}
	return all[i].info(), nil
}

// newMarker is where a page ends and what it was filtered by.
func newMarker(last string, f *permissionFilter) string {
	filter, err := json.Marshal(f)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return last + "." + hex.EncodeToString(filter)
}

func readMarker(marker string) (last string, f *permissionFilter, ok bool) {
	last, text, _ := strings.Cut(marker, ".")
	filter, err := hex.DecodeString(text)
	if err != nil || len(last) != hex.EncodedLen(16) {
		return "", nil, false
	}
	f = &permissionFilter{}
	return last, f, json.Unmarshal(filter, f) == nil
}
