package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// InUse is an account that a cluster works with on a vCenter of the specification.
type InUse struct {
	Server     string
	User       string
	Password   secret.Secret
	Components []component.Name // of the specification, never empty
	Secrets    []string         // namespace/name, where Components find it
	Others     []component.Name // those of Components that it is not made for
	Unsent     string           // why no login is tried; "" = one is
}

// VerifyInUse is Verify without an administrator: it logs in once as each account that a cluster
// uses, and compares the rights that the vCenter reports to it with its components' needs.
// Permissions, groups, and what no account sees stay unknown.
func (j *Job) VerifyInUse(ctx context.Context, all []InUse) *verify.Result {
	found := make([]verify.VCenter, len(j.targets))
	for i, t := range j.targets {
		found[i] = verify.VCenter{Server: t.at.VCenter.Server, Accounts: []verify.Account{}, Preflight: []verify.Preflight{}}
	}
	j.each(ctx, j.Request, func(ctx context.Context, t *target) error {
		defer t.close(ctx)
		mine := slices.DeleteFunc(slices.Clone(all), func(u InUse) bool { return u.Server != t.at.VCenter.Server })
		return j.verifyInUse(ctx, t, mine, &found[slices.Index(j.targets, t)])
	})
	v := &verify.Result{APIVersion: plan.APIVersion, Kind: "Verification", View: verify.ViewAccounts, VCenters: found}
	for i, t := range j.targets {
		if t.at.Err != nil {
			found[i].Fail(t.at.Err)
		}
		v.Summary.Add(found[i])
	}
	return v
}

func (j *Job) verifyInUse(ctx context.Context, t *target, all []InUse, out *verify.VCenter) error {
	j.progress(t.at.VCenter.Server, "logging in")
	accounts, logins := make([]*account, len(all)), make([]*attempt, len(all))
	config := j.o.Config(t.at.VCenter)
	others := map[string][]component.Name{}
	var wg crash.Group
	for i, u := range all {
		accounts[i] = &account{
			components: u.Components, principals: []access.Principal{{Name: u.User}},
			// two passwords of one user are two accounts
			who: access.Subject{Key: fmt.Sprintf("%s (%d)", strings.ToLower(u.User), i)},
		}
		others[accounts[i].who.Key] = u.Others
		logins[i] = &attempt{user: u.User, password: u.Password, result: "login skipped: " + u.Unsent}
		if u.Unsent == "" {
			wg.Go(func() { logins[i].try(ctx, config) })
		}
	}
	wg.Wait()
	t.keep(logins)
	for _, l := range logins {
		if l.err != nil { // the vCenter will not answer the others either
			return l.err
		}
	}
	var sessions []*vcenter.Session
	for i, l := range logins {
		accounts[i].session, accounts[i].result = l.session, l.result
		if l.session != nil {
			sessions = append(sessions, l.session)
		}
	}
	e, objects := &verify.Expected{
		Own: true, Wanted: access.Permissions(nil),
		Perms: perms.Of(t.at.VCenter.Server, nil, access.Key),
	}, []*inventory.Object(nil)
	if len(sessions) > 0 {
		var err error
		if e, objects, err = t.seenBy(ctx, sessions, accounts, others); err != nil {
			return err
		}
	}
	j.progress(t.at.VCenter.Server, "comparing")
	proved, errs := make([]verify.Account, len(accounts)), make([]error, len(accounts))
	for i, a := range accounts {
		wg.Go(func() {
			proved[i], errs[i] = t.prove(ctx, e, a, objects, func(perms.Permission) bool { return false }, nil, nil)
			proved[i].Secrets = all[i].Secrets
		})
	}
	wg.Wait()
	for i, a := range proved {
		if errs[i] == nil {
			out.Accounts = append(out.Accounts, a)
		}
	}
	if len(sessions) == 0 {
		return nil
	}
	return sessions[0].Join(errs...)
}

// seenBy sets what accounts are judged by from what they all see, and reads one level below.
func (t *target) seenBy(ctx context.Context, sessions []*vcenter.Session, accounts []*account,
	others map[string][]component.Name,
) (*verify.Expected, []*inventory.Object, error) {
	content := sessions[0].Content
	t.at.Version, t.at.Instance, t.at.Root = content.About.Version, content.About.InstanceUuid, vcenter.Ref(content.RootFolder)
	t.at.Perms, t.at.SSO, t.at.Facts = perms.Of(t.at.VCenter.Server, nil, access.Key), &sso.State{}, map[int32]snapshot.RoleFacts{}
	t.at.Roles = catalogue(ctx, t.at.VCenter.Server, sessions, t.at.Request.Matrix.Privileges())
	t.at.Inventory = inventory.NewTree()
	t.at.Inventory.SetRoot(t.at.Inventory.Node(t.at.Root))
	trees, errs := make([]*inventory.Tree, len(sessions)), make([]error, len(sessions))
	var wg crash.Group
	for i, s := range sessions {
		wg.Go(func() { trees[i], errs[i] = s.Look(ctx, t.at.Request.Paths(t.at.VCenter)) })
	}
	wg.Wait()
	if err := sessions[0].Join(errs...); err != nil {
		return nil, nil, err
	}
	for _, tree := range trees {
		t.at.Inventory.Join(tree)
	}
	t.at.Inventory.Assume(t.at.Request.Places(t.at.VCenter))
	var principals []access.Account
	for _, a := range accounts {
		for _, c := range a.components {
			principals = append(principals, access.Account{Component: c, Principal: a.principals[0], Key: a.who.Key})
		}
	}
	d, err := t.at.BindTo(principals)
	if err != nil {
		return nil, nil, err
	}
	e := t.at.Expected(d)
	e.Own, e.Others = true, others
	objects, err := below(ctx, sessions, d, t.at.Inventory)
	return e, objects, err
}

// below returns objects one level below needed ones, a few of each, that some account sees.
func below(ctx context.Context, sessions []*vcenter.Session, d *snapshot.Desired, tree *inventory.Tree) ([]*inventory.Object, error) {
	var parents []*inventory.Object
	for _, n := range d.Wanted.Needs {
		if n.Place.Known() {
			parents = lists.AppendNew(parents, n.Place)
		}
	}
	var wg crash.Group
	children, errs := make([][]*inventory.Object, len(parents)*len(sessions)), make([]error, len(parents)*len(sessions))
	for i, o := range parents {
		for k, s := range sessions {
			at := i*len(sessions) + k
			wg.Go(func() {
				if children[at], errs[at] = s.Below(ctx, o, 4); errs[at] != nil && invisible(errs[at]) {
					errs[at] = nil
				}
			})
		}
	}
	wg.Wait()
	var refs []inventory.Ref
	for _, o := range slices.Concat(children...) {
		if o.Name != "" {
			refs = lists.AppendNew(refs, o.Ref)
		}
	}
	for _, s := range sessions {
		errs = append(errs, s.Include(ctx, tree, refs)) //nolint:makezero // after those of the parents
	}
	var all []*inventory.Object
	for _, ref := range refs {
		if o := tree.Object(ref); o != nil && o.Within(tree.Root) {
			all = append(all, o)
		}
	}
	return all, sessions[0].Join(errs...)
}

// catalogue is the privileges that a vCenter shows an account; else the needed ones count as known.
func catalogue(ctx context.Context, server string, sessions []*vcenter.Session, needed []string) *roles.State {
	for _, s := range sessions {
		if live, err := roles.Read(ctx, s); err == nil && len(live.Catalogue()) > 0 {
			return live
		}
	}
	return roles.Of(server, nil, lists.Union(needed, privileges.ImplicitIDs()))
}
