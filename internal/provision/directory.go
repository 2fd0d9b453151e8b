package provision

import (
	"context"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// directory is what a job asks of accounts' directory, and changes there; see [sso.Client].
type directory interface {
	AllMarked(ctx context.Context) ([]sso.User, error)
	AskDaysLeft(ctx context.Context, users ...*sso.User) error
	Attach(steps plan.Steps, changes []*plan.Change, passwords map[string]secret.Secret)
	Barred(ctx context.Context, name string) (string, error)
	Bears(ctx context.Context, name, mark string) (bool, error)
	Groups(ctx context.Context, who *sso.Identity) ([]string, error)
	Look(ctx context.Context, principal string) (sso.Found, error)
	Members(ctx context.Context, group string) ([]string, error)
	Person(ctx context.Context, principal string) (*sso.User, error)
	Reset(ctx context.Context, name, mark string,
		password secret.Secret) (note func(context.Context, time.Time) error, perhaps bool, err error)
	Resolve(ctx context.Context, principal string, group bool) (*sso.Identity, error)
	Seek(ctx context.Context, principal string) error
	SetDisabled(ctx context.Context, name, mark string, disabled bool) error
	Through(ctx context.Context, principal, group string) ([]string, error)
}
