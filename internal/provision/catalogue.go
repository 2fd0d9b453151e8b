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
	j.each(ctx, func(ctx context.Context, s *site) error {
		if err := j.connect(ctx, s); err != nil {
			return err
		}
		var err error
		s.roles, err = roles.Read(ctx, s.session)
		return err
	})
	all := make([]Catalogue, len(j.sites))
	for i, s := range j.sites {
		all[i] = Catalogue{Server: s.spec.Server, Err: s.err}
		if s.err == nil {
			all[i].Privileges = s.roles.Catalogue()
		}
	}
	return all
}
