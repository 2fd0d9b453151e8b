package provision

import (
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// Catalogue is the privilege ids that one vCenter knows.
type Catalogue struct {
	Server     string
	Privileges []string // sorted
	Err        error
}

// Catalogues asks every vCenter which privileges it knows.
func (j *Job) Catalogues(ctx context.Context) []Catalogue {
	j.each(ctx, j.Request, func(ctx context.Context, t *target) error {
		if err := j.connect(ctx, t); err != nil {
			return err
		}
		var err error
		t.Roles, err = roles.Read(ctx, t.session)
		return err
	})
	all := make([]Catalogue, len(j.targets))
	for i, s := range j.targets {
		all[i] = Catalogue{Server: s.VCenter.Server, Err: s.Err}
		if s.Err == nil {
			all[i].Privileges = s.Roles.Catalogue()
		}
	}
	return all
}
