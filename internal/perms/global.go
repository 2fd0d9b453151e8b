package perms

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Global are the global permissions, read only, of an SSO domain's vCenters and other services.
type Global struct {
	All    []Permission // on [inventory.Global]
	Unseen string       // why they are not known; "" = they are

	root []Permission // those of the root folder itself, without what only looks so
}

// GlobalRemedy is how a global permission is removed, which this tool leaves to others.
const GlobalRemedy = "if it is not meant: remove it in the vSphere Client, under Administration, Access Control, Global Permissions; it counts on all vCenters of the SSO domain"

// Why global permissions are not known.
const (
	UnseenRelease = "vCenter has no API for them before 9.0"
	UnseenRights  = "the login may not read them, which a global permission lets it"
	unseenAnswer  = "the REST API does not give them: "
)

// NotKnown says that global permissions are not known.
func NotKnown(why string) string { return "global permissions are not known: " + why }

// NotKnownOn names vCenters with unknown global permissions; "" if none. why is by server.
func NotKnownOn(servers, why []string) string {
	at := map[string][]string{}
	var reasons []string
	for i, w := range why {
		if w != "" {
			reasons, at[w] = lists.AppendNew(reasons, w), append(at[w], servers[i])
		}
	}
	for i, w := range reasons {
		reasons[i] = lists.Few(at[w]) + ": " + NotKnown(w)
	}
	return strings.Join(reasons, "; ")
}

// globalSince is the first major version of the API that gives global permissions.
const globalSince = 9

// ReadGlobal reads the global permissions. Failures are no error: no plan depends on them.
func ReadGlobal(ctx context.Context, s *vcenter.Session) Global {
	major, _, _ := strings.Cut(s.Content.About.ApiVersion, ".")
	if n, err := strconv.Atoi(major); err != nil || n < globalSince {
		return Global{Unseen: UnseenRelease}
	}
	root := vcenter.Ref(s.Content.RootFolder)
	items, err := listed(ctx, s,
		[]object{{inventory.Global.Ref.Type, inventory.Global.Ref.Value}, {"ManagedEntity", root.Value}})
	refused := &vcenter.RefusedError{}
	if errors.As(err, &refused) && refused.Status == http.StatusForbidden {
		return Global{Unseen: UnseenRights}
	}
	if err != nil {
		return Global{Unseen: unseenAnswer + strings.ReplaceAll(err.Error(), "\n", "; ")}
	}
	g := Global{}
	for _, i := range items {
		p, ok := i.permission()
		switch {
		case !ok:
		case i.Object.Type == inventory.Global.Ref.Type:
			p.Entity = inventory.Global.Ref
			g.All = append(g.All, p)
		default:
			p.Entity = root
			g.root = append(g.root, p)
		}
	}
	if len(g.All) == 0 { // every vCenter begins with some
		return Global{Unseen: UnseenRights}
	}
	slices.SortFunc(g.All, func(a, b Permission) int {
		return cmp.Compare(strings.ToLower(a.Principal), strings.ToLower(b.Principal))
	})
	return g
}

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

// listed reads the permissions on some objects, page after page.
func listed(ctx context.Context, s *vcenter.Session, objects []object) ([]item, error) {
	a, err := s.Automation(ctx)
	if err != nil {
		return nil, err
	}
	defer a.Close(context.WithoutCancel(ctx))
	var all []item
	request := map[string]any{"filter": map[string]any{"objects": objects}}
	for range mostPages {
		var page struct {
			Items []struct {
				Info item `json:"info"`
			} `json:"items"`
			Marker string `json:"marker"`
		}
		if err := a.Post(ctx, "/api/vcenter/authorization/permissions?action=list", request, &page); err != nil {
			return nil, err
		}
		for _, i := range page.Items {
			if slices.Contains(objects, i.Info.Object) { // a page that follows may be of all objects
				all = append(all, i.Info)
			}
		}
		if page.Marker == "" {
			return all, nil
		}
		request = map[string]any{"iterate": map[string]any{"marker": page.Marker}}
	}
	return nil, errors.New("the list of permissions has no end")
}

// apart drops global permissions, which look like those on the root folder.
func (g Global) apart(all []Permission) []Permission {
	same := func(a, b Permission) bool { return strings.EqualFold(a.Principal, b.Principal) && a.Group == b.Group }
	return slices.DeleteFunc(all, func(p Permission) bool {
		looks := slices.ContainsFunc(g.All,
			func(o Permission) bool { return same(o, p) && o.Propagate && o.RoleID == p.RoleID })
		return looks && p.Propagate &&
			slices.ContainsFunc(g.root, func(o Permission) bool { return o.Entity == p.Entity }) &&
			!slices.ContainsFunc(g.root, func(o Permission) bool { return same(o, p) })
	})
}

// With adds a vCenter's global permissions, on [inventory.Global]: no plan changes them.
func (s *State) With(g Global, key func(principal string, group bool) string) *State {
	out := Of(s.server, g.apart(slices.Clone(s.All)), key)
	out.Unseen = g.Unseen
	for _, p := range g.All {
		p.Key = key(p.Principal, p.Group)
		out.Global = append(out.Global, p)
		out.on[p.Entity] = append(out.on[p.Entity], p)
	}
	return out
}
