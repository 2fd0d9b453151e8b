package contract

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// NewID is the id of a run: ten letters and digits that no other run has.
func NewID() string { return strings.ToLower(rand.Text()[:10]) }

var runID = regexp.MustCompile(`^[a-z2-7]{10}$`)

// CheckID refuses what NewID never gives.
func CheckID(id string) error {
	if !runID.MatchString(id) {
		return fmt.Errorf("%q is no run id: ten letters and digits, as the run printed it", id)
	}
	return nil
}

// Prefix begins the name of everything that a run makes.
func Prefix(id string) string { return "ocp-contract-" + id + "-" }

// mark is the description of the accounts and groups of a run. One without it was not created by a run, whatever its name.
func mark(id string) string { return "contract run " + id + "; made by ocp-vsphere-admin" }

// marker privileges tell the roles of a try apart. Every release has them.
const (
	create = "Folder.Create"
	rename = "Folder.Rename"
	move   = "Folder.Move"
)

var markers = []string{create, move, rename}

// scratch is what a run makes.
type scratch struct {
	parent moref // the folder that was given
	folder moref // of the run, below it
	prefix string

	policy   *Passwords
	accounts map[string]secret.Secret // by the end of the name; their passwords
	roles    map[string]int32         // by the end of the name
	lesser   *vcenter.Session         // nil until it is needed
	ready    map[string]outcome       // what making an account came to
}

// prepare makes the folder of the run. An error says that nothing can be tried here.
func (p *probe) prepare(ctx context.Context) (*scratch, error) {
	if err := CheckID(p.o.ID); err != nil {
		return nil, err
	}
	if err := p.mayClean(ctx); err != nil {
		return nil, err
	}
	res, a := send(ctx, p, methods.FindByInventoryPath, &types.FindByInventoryPath{This: *p.Content.SearchIndex, InventoryPath: p.o.Scratch})
	switch {
	case !a.ok():
		return nil, fmt.Errorf("%s: %s: %w", p.Server, p.o.Scratch, a.err)
	case res.Returnval == nil:
		return nil, hint.Errorf("create it first, or name another: a VM folder that this may write below", "%s: there is no folder %s", p.Server, p.o.Scratch)
	case res.Returnval.Type != "Folder":
		return nil, fmt.Errorf("%s: %s is a %s, not a folder", p.Server, p.o.Scratch, res.Returnval.Type)
	}
	if err := p.vmFolder(ctx, *res.Returnval); err != nil {
		return nil, err
	}
	p.lab = &scratch{
		parent: *res.Returnval, prefix: Prefix(p.o.ID),
		accounts: map[string]secret.Secret{}, roles: map[string]int32{}, ready: map[string]outcome{},
	}
	folder, a := p.makeFolder(ctx, p, *res.Returnval, "folder")
	if !a.ok() {
		p.cleanUp(ctx)
		return nil, fmt.Errorf("%s: a folder cannot be made in %s: %w", p.Server, p.o.Scratch, errors.Join(a.err, p.report.cleanErr))
	}
	p.lab.folder = folder
	return p.lab, nil
}

// writing are what making and removing takes, on the root folder: roles belong to no other object.
var writing = []string{"Authorization.ModifyPermissions", "Authorization.ModifyRoles", create, "Folder.Delete", "System.View"}

// mayClean refuses an account that could make what it could not find again or remove.
func (p *probe) mayClean(ctx context.Context) error {
	use := hint.Wrap(errors.New("a scratch run needs an administrator of the vCenter and of its SSO domain"), "'ocp-vsphere-admin doctor' says what an account lacks")
	if p.sso == nil {
		return fmt.Errorf("%s: %w: %s", p.Server, use, p.why)
	}
	if _, a := p.search(ctx, Prefix(p.o.ID)); !a.ok() {
		return fmt.Errorf("%s: %w: %w", p.Server, use, a.err)
	}
	has, a := p.has(ctx, p.User, p.Content.RootFolder, writing)
	if !a.ok() && !a.forbidden() {
		return fmt.Errorf("%s: %w", p.Server, a.err)
	}
	for _, id := range writing {
		if !slices.Contains(has, id) {
			return fmt.Errorf("%s: %w: %s has no %s on the root folder", p.Server, use, p.User, id)
		}
	}
	return nil
}

// vmFolder refuses a folder that holds no virtual machines, and the one that every datacenter has: permissions there are
// those of the datacenter.
func (p *probe) vmFolder(ctx context.Context, ref moref) error {
	found, a := p.read(ctx, ref, "childType", "parent")
	if !a.ok() {
		return fmt.Errorf("%s: %s: %w", p.Server, p.o.Scratch, a.err)
	}
	kinds, _ := found["childType"].(types.ArrayOfString)
	parent, _ := found["parent"].(moref)
	if !slices.Contains(kinds.String, "VirtualMachine") || parent.Type != "Folder" {
		return hint.Errorf("name a folder below the datacenter's VM folder, such as /DC1/vm/scratch", "%s: %s is no VM folder of yours", p.Server, p.o.Scratch)
	}
	return nil
}

// name is that of something of this run.
func (l *scratch) name(end string) string { return l.prefix + end }

// principal is an account or a group of this run as permissions take it.
func (p *probe) principal(end string) string { return p.sso.Domain + `\` + p.lab.name(end) }

// makeFolder makes one below parent. rt is who makes it.
func (p *probe) makeFolder(ctx context.Context, rt *probe, parent moref, end string) (moref, answer) {
	res, a := send(ctx, rt.Session, methods.CreateFolder, &types.CreateFolder{This: parent, Name: p.lab.name(end)})
	return res.Returnval, a
}

// below makes a folder for one try.
func (p *probe) below(ctx context.Context, end string) (moref, answer) {
	return p.makeFolder(ctx, p, p.lab.folder, end)
}

// makeRole makes a role of this run.
func (p *probe) makeRole(ctx context.Context, end string, ids ...string) (int32, answer) {
	res, a := send(ctx, p, methods.AddAuthorizationRole, &types.AddAuthorizationRole{
		This: *p.Content.AuthorizationManager, Name: p.lab.name(end), PrivIds: ids,
	})
	return res.Returnval, a
}

// role is a role that tries share: it is made when it is first needed.
func (p *probe) role(ctx context.Context, end string, ids ...string) (int32, answer) {
	if id, ok := p.lab.roles[end]; ok {
		return id, answer{}
	}
	id, a := p.makeRole(ctx, end, ids...)
	if a.ok() {
		p.lab.roles[end] = id
	}
	return id, a
}

// perm is a permission of a user.
func perm(principal string, role int32, propagate bool) types.Permission {
	return types.Permission{Principal: principal, RoleId: role, Propagate: propagate}
}

// permGroup is a permission of a group.
func permGroup(principal string, role int32, propagate bool) types.Permission {
	return types.Permission{Principal: principal, Group: true, RoleId: role, Propagate: propagate}
}

// set is SetEntityPermissions as this probe's session.
func (p *probe) set(ctx context.Context, at moref, list ...types.Permission) answer {
	_, a := send(ctx, p, methods.SetEntityPermissions, &types.SetEntityPermissions{
		This: *p.Content.AuthorizationManager, Entity: at, Permission: list,
	})
	return a
}
