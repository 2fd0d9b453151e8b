package usage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Check is a privilege that a vCenter checked for an account.
type Check struct {
	Object    inventory.Ref
	Principal string // name@domain
	Privilege string
}

// checksPath is the record of checks. Source: vSphere Automation API reference 8.0, Vcenter
// Authorization Privilege Checks; it takes Sessions.CollectPrivilegeChecks.
const checksPath = "/api/vcenter/authorization/privilege-checks"

// since is the first major version of the API that records.
const since = 8

// ErrNoRecord says that a vCenter records nothing.
var ErrNoRecord = errors.New("vCenter records no privilege checks before 8.0")

// Who is an account by its parts.
type Who struct {
	Name   string `json:"name"`
	Domain string `json:"domain"`
}

// Latest is the marker of the newest check; "" = there is none.
func Latest(ctx context.Context, s *vcenter.Session) (marker string, err error) {
	err = with(ctx, s, func(a *vcenter.Automation) error { return a.Get(ctx, checksPath+"/latest", &marker) })
	return marker, err
}

// mostPages is more than any vCenter keeps: who always gives another page is not read for ever.
const mostPages = 1000

// Read reads all recorded checks of some accounts. With an earlier marker, lost reports that checks
// since then may be missing, or that the record began anew.
func Read(ctx context.Context, s *vcenter.Session, who []Who, marker string) (all []Check, lost bool, err error) {
	if len(who) == 0 {
		return nil, false, nil
	}
	type page struct {
		Items []struct {
			Object    struct{ Type, ID string } `json:"object"`
			Principal Who                       `json:"principal"`
			Privilege string                    `json:"privilege"`
		} `json:"items"`
		Marker    string `json:"marker"`
		Truncated bool   `json:"truncated"`
	}
	err = with(ctx, s, func(a *vcenter.Automation) error {
		list := func(filter map[string]any, query url.Values) (p page, err error) {
			query.Set("action", "list")
			return p, a.Post(ctx, checksPath+"?"+query.Encode(), map[string]any{"filter": filter}, &p)
		}
		if marker != "" {
			p, err := list(map[string]any{}, url.Values{"marker": {marker}, "size": {"1"}})
			var refused *vcenter.RefusedError
			switch {
			case errors.As(err, &refused) && refused.Status == http.StatusBadRequest:
				lost = true // it does not know the marker: it was restarted
			case err != nil:
				return err
			default:
				lost = p.Truncated
			}
		}
		at := ""
		for range mostPages {
			query := url.Values{}
			if at != "" {
				query.Set("marker", at)
			}
			p, err := list(map[string]any{"principals": who}, query)
			if err != nil {
				return err
			}
			for _, i := range p.Items {
				all = append(all, Check{
					inventory.Ref{Type: i.Object.Type, Value: i.Object.ID},
					i.Principal.Name + "@" + i.Principal.Domain, i.Privilege,
				})
			}
			if p.Marker == "" || p.Marker == at {
				return nil
			}
			at = p.Marker
		}
		return errors.New("the list of privilege checks has no end")
	})
	return all, lost, err
}

// with does something in a session of the REST API, where there is one that records.
func with(ctx context.Context, s *vcenter.Session, do func(*vcenter.Automation) error) error {
	major, _, _ := strings.Cut(s.Content.About.ApiVersion, ".")
	if n, err := strconv.Atoi(major); err != nil || n < since {
		return fmt.Errorf("%s: %w", s.Server, ErrNoRecord)
	}
	a, err := s.Automation(ctx)
	if err != nil {
		return err
	}
	defer a.Close(context.WithoutCancel(ctx))
	err = do(a)
	var refused *vcenter.RefusedError
	if errors.As(err, &refused) && refused.Status == http.StatusForbidden {
		return fmt.Errorf("%s: privilege checks: the login lacks Sessions.CollectPrivilegeChecks on the root folder", s.Server)
	}
	return err
}
