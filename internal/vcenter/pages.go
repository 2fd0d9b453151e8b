package vcenter

import (
	"context"
	"errors"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// mostObjects is five times what the largest vCenter has registered: 45,000 virtual machines, 2,500
// hosts and what they need (VMware Configuration Maximums).
const mostObjects = 250_000

// pages reads the pages after the first. Each has to bring objects and a new token, so that a
// vCenter that repeats itself does not keep us for ever. A token is good for one call (vSphere Web
// Services API, RetrieveResult).
func (s *Session) pages(ctx context.Context, page types.RetrieveResult) ([]types.ObjectContent, error) {
	objects := page.Objects
	followed := map[string]bool{}
	for page.Token != "" {
		switch {
		case followed[page.Token]:
			return nil, errors.New("vCenter sent a page of its answer twice")
		case len(page.Objects) == 0:
			return nil, errors.New("vCenter sent an empty page of its answer and announced more")
		case len(objects) > mostObjects:
			return nil, fmt.Errorf("vCenter sent more than %d objects", mostObjects)
		}
		followed[page.Token] = true
		more, err := methods.ContinueRetrievePropertiesEx(ctx, s, &types.ContinueRetrievePropertiesEx{
			This: s.Content.PropertyCollector, Token: page.Token,
		})
		if err != nil {
			return nil, err
		}
		page = more.Returnval
		objects = append(objects, page.Objects...)
	}
	return objects, nil
}
