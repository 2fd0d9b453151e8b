package contract

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
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

// mark is the description of the accounts and groups of a run. One without it is not ours, whatever its name.
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

// makeUser makes an account of this run with a new password that the policy takes.
func (p *probe) makeUser(ctx context.Context, end string) answer {
	if p.lab.policy == nil {
		w, a := p.policy(ctx)
		if !a.ok() {
			return a
		}
		p.lab.policy = w
	}
	password, err := p.lab.policy.sso().Generate()
	if err != nil {
		return answer{method: "the password policy", err: err}
	}
	a := p.createUser(ctx, end, password)
	if a.ok() {
		p.lab.accounts[end] = password
	}
	return a
}

func (p *probe) createUser(ctx context.Context, end string, password secret.Secret) answer {
	_, a := send(ctx, p.sso, ssomethods.CreateLocalPersonUser, &ssotypes.CreateLocalPersonUser{
		This: p.sso.Content.PrincipalManagementService, UserName: p.lab.name(end),
		UserDetails: ssotypes.AdminPersonDetails{Description: mark(p.o.ID), FirstName: "contract", LastName: p.o.ID},
		Password:    password.Reveal(),
	})
	return a
}

func (p *probe) makeGroup(ctx context.Context, who *vcenter.SSO, end string) answer {
	_, a := send(ctx, who, ssomethods.CreateLocalGroup, &ssotypes.CreateLocalGroup{
		This: who.Content.PrincipalManagementService, GroupName: p.lab.name(end), GroupDetails: ssotypes.AdminGroupDetails{Description: mark(p.o.ID)},
	})
	return a
}

// join puts an account of this run into a group of it.
func (p *probe) join(ctx context.Context, group, user string) answer {
	_, a := send(ctx, p.sso, ssomethods.AddUserToLocalGroup, &ssotypes.AddUserToLocalGroup{
		This: p.sso.Content.PrincipalManagementService, GroupName: p.lab.name(group),
		UserId: ssotypes.PrincipalId{Name: p.lab.name(user), Domain: p.sso.Domain},
	})
	return a
}

// once remembers what a preparation came to: the tries that share it shall not make it twice.
func (p *probe) once(what string, f func() outcome) outcome {
	got, done := p.lab.ready[what]
	if !done {
		got = f()
		p.lab.ready[what] = got
	}
	return got
}

// user makes an account that tries share, and waits until permissions take it (R32).
func (p *probe) user(ctx context.Context, end string) outcome {
	return p.once(end, func() outcome {
		if a := p.makeUser(ctx, end); !a.ok() {
			return a.unready()
		}
		got, _ := p.settled(ctx, end)
		return got
	})
}

// settled waits until a permission takes a new account, and says how long that was.
func (p *probe) settled(ctx context.Context, end string) (outcome, time.Duration) {
	id, a := p.role(ctx, "settle", "System.Read")
	if !a.ok() {
		return a.unready(), 0
	}
	at, a := p.below(ctx, "settle-"+end)
	if !a.ok() {
		return a.unready(), 0
	}
	return p.until(ctx, func() outcome {
		a := p.set(ctx, at, perm(p.principal(end), id, false))
		switch {
		case a.ok():
			return holds()
		case a.refused() && a.fault == "UserNotFound":
			return differs("a permission does not take a new account for %s", p.o.Wait)
		}
		return a.unready()
	})
}

// people are the account a in the groups g1 and g2, which the tries about rights share. They have no rights before.
func (p *probe) people(ctx context.Context) outcome {
	return p.once("people", func() outcome {
		if got := p.user(ctx, "a"); got.verdict != Holds {
			return asUntried(got)
		}
		for _, g := range []string{"g1", "g2"} {
			if a := p.makeGroup(ctx, p.sso, g); !a.ok() {
				return a.unready()
			}
			if a := p.join(ctx, g, "a"); !a.ok() {
				return a.unready()
			}
		}
		all, a := p.rights(ctx, p.principal("a"), p.lab.folder)
		if !a.ok() {
			return a.unready()
		}
		if had := marked(all[0]); len(had) > 0 {
			return untried("a new account has %s in the scratch folder already", listed(had))
		}
		return holds()
	})
}

// asUntried is what a preparation that did not hold means for the try that needs it.
func asUntried(got outcome) outcome {
	return untried("an account could not be prepared: %s", got.detail)
}

// marked are those of ids that tell the roles of a try apart.
func marked(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(markers, id) })
}

// asLesser opens the session of an account that may set permissions in the folder of the run and read it, and no more.
func (p *probe) asLesser(ctx context.Context) (*probe, outcome) {
	got := p.once("lesser login", func() outcome {
		if p.o.Login == nil {
			return untried("no second login is possible")
		}
		if got := p.user(ctx, "lesser"); got.verdict != Holds {
			return asUntried(got)
		}
		id, a := p.role(ctx, "lesser", "Authorization.ModifyPermissions")
		if !a.ok() {
			return a.unready()
		}
		if a := p.set(ctx, p.lab.folder, perm(p.principal("lesser"), id, true)); !a.ok() {
			return a.unready()
		}
		got, _ := p.until(ctx, func() outcome {
			a := answer{method: "Login"}
			p.lab.lesser, a.err = p.o.Login(vcenter.WithFaultName(ctx, &a.fault), p.lab.name("lesser")+"@"+p.sso.Domain, p.lab.accounts["lesser"])
			if a.fault == "NoPermission" {
				return a.unexpected() // the permission has no effect yet
			}
			if !a.ok() {
				return a.unready()
			}
			return holds()
		})
		return got
	})
	if got.verdict != Holds {
		return nil, asUntried(got)
	}
	return &probe{Session: p.lab.lesser, o: p.o, report: p.report, lab: p.lab, sso: p.sso}, holds()
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
