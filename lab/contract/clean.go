package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// cleaning is the longest that removing what a run made may take, also after an interruption.
const cleaning = 5 * time.Minute

// late is how long a vCenter may take for a request whose answer nobody waited for, before it is looked for again.
const late = 300 * time.Millisecond

// Cleaned counts what was removed.
type Cleaned struct {
	Folders  int `json:"folders"`
	Roles    int `json:"roles"`
	Accounts int `json:"accounts"`
	Groups   int `json:"groups"`
}

// Total is their sum.
func (c Cleaned) Total() int { return c.Folders + c.Roles + c.Accounts + c.Groups }

// cleanUp ends a run.
func (p *probe) cleanUp(ctx context.Context) {
	interrupted := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancel()
	if p.lab.lesser != nil {
		p.lab.lesser.Close(ctx)
	}
	cleaned, err := Clean(ctx, p.Session, p.o)
	for try := 0; interrupted && try < 4 && (try == 0 || err != nil || cleaned.Total() > 0); try++ { // what was in progress may be done late
		if vcenter.Pause(ctx, late) != nil {
			break
		}
		cleaned, err = Clean(ctx, p.Session, p.o)
	}
	if err != nil {
		p.report.Left, p.report.cleanErr = max(1, lines(err)), err
	}
}

func lines(err error) int {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return len(joined.Unwrap())
	}
	return 1
}

// Clean removes what the run of o.ID left on a vCenter: the folders, roles, accounts and groups whose names begin with its
// prefix. Accounts and groups without the mark of the run are refused, folders that hold anything else, and roles that a
// permission of somebody else uses. The error names what is left; running it again goes on.
func Clean(ctx context.Context, s *vcenter.Session, o Options) (Cleaned, error) {
	o = o.withDefaults()
	if err := CheckID(o.ID); err != nil {
		return Cleaned{}, err
	}
	c := &cleaner{probe: &probe{Session: s, o: o, report: &Report{}}, prefix: Prefix(o.ID)}
	var ssoErr error
	c.sso, ssoErr = s.SSO(ctx)
	var errs []error
	errs = append(errs, c.folders(ctx)...) // their permissions go with them, and with these the use of the roles
	errs = append(errs, c.roles(ctx)...)
	if ssoErr != nil {
		errs = append(errs, fmt.Errorf("accounts: %w", ssoErr))
	} else {
		errs = append(errs, c.accounts(ctx)...)
		errs = append(errs, c.groups(ctx)...)
	}
	return c.done, errors.Join(errs...)
}

type cleaner struct {
	*probe

	prefix string
	done   Cleaned
}

func (c *cleaner) ours(name string) bool { return strings.HasPrefix(strings.ToLower(name), c.prefix) }

func (c *cleaner) left(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{c.Server}, args...)...)
}

// folder is one in the inventory.
type folder struct {
	ref, parent moref
	name        string
	children    int
}

// folders removes ours, those below others first.
func (c *cleaner) folders(ctx context.Context) []error {
	all, a := c.allFolders(ctx)
	if !a.ok() {
		return []error{c.left("folders: %w", a.err)}
	}
	at := map[moref]folder{}
	for _, f := range all {
		at[f.ref] = f
	}
	depth := func(f folder) int {
		n := 0
		for up, ok := at[f.parent]; ok && n < len(all); up, ok = at[up.parent] {
			n++
		}
		return n
	}
	mine := slices.DeleteFunc(slices.Clone(all), func(f folder) bool { return !c.ours(f.name) })
	slices.SortFunc(mine, func(a, b folder) int { return cmp.Or(depth(b)-depth(a), strings.Compare(a.name, b.name)) })
	gone := map[moref]int{}
	var errs []error
	for _, f := range mine {
		if f.children > gone[f.ref] {
			errs = append(errs, c.left("folder %s holds something that this run did not make, and stays", f.name))
			continue
		}
		if err := c.destroy(ctx, f.ref); err != nil {
			errs = append(errs, c.left("folder %s: %w", f.name, err))
			continue
		}
		gone[f.parent]++
		c.done.Folders++
	}
	return errs
}

// allFolders lists the folders of the vCenter, with what is in them, in one request.
func (c *cleaner) allFolders(ctx context.Context) ([]folder, answer) {
	view, a := send(ctx, c, methods.CreateContainerView, &types.CreateContainerView{
		This: *c.Content.ViewManager, Container: c.Content.RootFolder, Type: []string{"Folder"}, Recursive: true,
	})
	if !a.ok() {
		return nil, a
	}
	defer func() { _, _ = send(ctx, c, methods.DestroyView, &types.DestroyView{This: view.Returnval}) }()
	objects, err := c.Retrieve(ctx, types.PropertyFilterSpec{
		PropSet: []types.PropertySpec{{Type: "Folder", PathSet: []string{"name", "parent", "childEntity"}}},
		ObjectSet: []types.ObjectSpec{{Obj: view.Returnval, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
			&types.TraversalSpec{Type: "ContainerView", Path: "view"},
		}}},
	})
	var all []folder
	for _, o := range objects {
		f := folder{ref: o.Obj}
		for _, prop := range o.PropSet {
			switch v := prop.Val.(type) {
			case string:
				f.name = v
			case moref:
				f.parent = v
			case types.ArrayOfManagedObjectReference:
				f.children = len(v.ManagedObjectReference)
			}
		}
		all = append(all, f)
	}
	return all, answer{method: "RetrievePropertiesEx", err: err}
}

// destroy removes a folder and waits until it is gone.
func (c *cleaner) destroy(ctx context.Context, ref moref) error {
	res, a := send(ctx, c, methods.Destroy_Task, &types.Destroy_Task{This: ref})
	switch {
	case a.fault == "ManagedObjectNotFound": // an attempt whose answer was lost
		return nil
	case !a.ok():
		return a.err
	}
	return c.ended(ctx, res.Returnval)
}

// ended waits for a task, really: the vCenter is at work, and time that only a test lets pass would not help.
func (c *cleaner) ended(ctx context.Context, task moref) error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Wait)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		found, a := c.read(ctx, task, "info.state")
		state, _ := found["info.state"].(types.TaskInfoState)
		switch {
		case a.fault == "ManagedObjectNotFound" || state == types.TaskInfoStateSuccess:
			return nil
		case !a.ok():
			return a.err
		case state == types.TaskInfoStateError:
			return errors.New("the task failed")
		}
		if err := vcenter.Pause(ctx, pause); err != nil {
			return fmt.Errorf("the task did not end: %w", err)
		}
	}
}

func (c *cleaner) roles(ctx context.Context) []error {
	all, a := c.probe.roles(ctx)
	if !a.ok() {
		return []error{c.left("roles: %w", a.err)}
	}
	var errs []error
	for _, r := range all {
		if r.System || !c.ours(r.Name) {
			continue
		}
		_, a := send(ctx, c, methods.RemoveAuthorizationRole, &types.RemoveAuthorizationRole{
			This: *c.Content.AuthorizationManager, RoleId: r.RoleId, FailIfUsed: true,
		})
		switch {
		case a.ok():
			c.done.Roles++
		case a.fault == "NotFound": // an attempt whose answer was lost
		default:
			errs = append(errs, c.left("role %s: %w", r.Name, a.err))
		}
	}
	return errs
}

func (c *cleaner) accounts(ctx context.Context) []error {
	all, a := c.search(ctx, c.prefix)
	if !a.ok() {
		return []error{c.left("accounts: %w", a.err)}
	}
	var errs []error
	for _, u := range all {
		if c.ours(u.Id.Name) {
			errs = append(errs, c.delete(ctx, "account", u.Id.Name, u.Details.Description, &c.done.Accounts))
		}
	}
	return errs
}

func (c *cleaner) groups(ctx context.Context) []error {
	res, a := send(ctx, c.sso, ssomethods.FindGroups, &ssotypes.FindGroups{
		This:     c.sso.Content.PrincipalDiscoveryService,
		Criteria: ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: c.prefix, Domain: c.sso.Domain}, Limit: 5000,
	})
	if !a.ok() {
		return []error{c.left("groups: %w", a.err)}
	}
	var errs []error
	for _, g := range res.Returnval {
		if c.ours(g.Id.Name) {
			errs = append(errs, c.delete(ctx, "group", g.Id.Name, g.Details.Description, &c.done.Groups))
		}
	}
	return errs
}

// delete removes an account or a group with the mark of the run.
func (c *cleaner) delete(ctx context.Context, kind, name, description string, count *int) error {
	if description != mark(c.o.ID) {
		return c.left("%s %s does not have the mark of this run, and stays", kind, name)
	}
	_, a := send(ctx, c.sso, ssomethods.DeleteLocalPrincipal, &ssotypes.DeleteLocalPrincipal{
		This: c.sso.Content.PrincipalManagementService, PrincipalName: name,
	})
	if !a.ok() && !(vcenter.Retried(a.err) && a.fault != "") {
		return c.left("%s %s: %w", kind, name, a.err)
	}
	*count++
	return nil
}
