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

	rootRef inventory.Ref // of the root folder; zero before 9.0, which does not tell what is its own
	root    []Permission  // its own, without what only looks so
}

// GlobalRemedy is how a global permission is removed, which this tool leaves to others.
const GlobalRemedy = "if it is not meant: remove it in the vSphere Client, under Administration, Access Control, Global Permissions; it counts on all vCenters of the SSO domain"

// Why global permissions are not known.
const (
	UnseenRelease = "this release of vCenter has no API for them"
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

// globalSince is the first major version of the API with the service that gives all permissions.
const globalSince = 9

// ReadGlobal reads the global permissions. Failures are no error: no plan depends on them.
func ReadGlobal(ctx context.Context, s *vcenter.Session) Global {
	major, _, _ := strings.Cut(s.Content.About.ApiVersion, ".")
	n, err := strconv.Atoi(major)
	older, g := err != nil || n < globalSince, Global{}
	a, err := s.Automation(ctx)
	if err == nil {
		defer a.Close(context.WithoutCancel(ctx))
		if older {
			g.All, err = readOlder(ctx, a)
		} else {
			g.rootRef = vcenter.Ref(s.Content.RootFolder)
			g.All, g.root, err = readSince(ctx, a, g.rootRef)
		}
	}
	refused := &vcenter.RefusedError{}
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden:
		return Global{Unseen: UnseenRights}
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound && older:
		return Global{Unseen: UnseenRelease}
	case err != nil:
		return Global{Unseen: unseenAnswer + strings.ReplaceAll(err.Error(), "\n", "; ")}
	case len(g.All) == 0: // every vCenter begins with some
		return Global{Unseen: UnseenRights}
	}
	slices.SortFunc(g.All, func(a, b Permission) int {
		return cmp.Compare(strings.ToLower(a.Principal), strings.ToLower(b.Principal))
	})
	return g
}

// apart drops global permissions, which look like those on the root folder.
func (g Global) apart(all []Permission) []Permission {
	same := func(a, b Permission) bool { return strings.EqualFold(a.Principal, b.Principal) && a.Group == b.Group }
	return slices.DeleteFunc(all, func(p Permission) bool {
		looks := slices.ContainsFunc(g.All,
			func(o Permission) bool { return same(o, p) && o.Propagate && o.RoleID == p.RoleID })
		return looks && p.Propagate && p.Entity == g.rootRef &&
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
