package vcenter

import (
	"context"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// Instances asks vCenters for their instance UUIDs, by server name, without a login. A vCenter that could not be asked is
// in the errors instead.
func Instances(ctx context.Context, configs []Config) (ids map[string]string, errs map[string]error) {
	found, failed := make([]string, len(configs)), make([]error, len(configs))
	var group crash.Group
	group.Limit(32)
	for i, c := range configs {
		group.Go(func() { // one that fails stops no other
			failed[i] = crash.Try(func() error {
				session, err := Connect(ctx, c)
				if err != nil {
					return err
				}
				found[i] = session.Content.About.InstanceUuid
				session.Close(context.WithoutCancel(ctx))
				return nil
			})
		})
	}
	group.Wait()
	ids, errs = map[string]string{}, map[string]error{}
	for i, c := range configs {
		switch {
		case failed[i] != nil:
			errs[c.Server] = failed[i]
		case found[i] == "":
			errs[c.Server] = fmt.Errorf("%s: reports no instance UUID", c.Server)
		default:
			ids[c.Server] = found[i]
		}
	}
	return ids, errs
}
