package estate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Options say what to capture.
type Options struct {
	Machines bool // virtual machines too; else only templates
	Parallel int  // vCenters at once; 0 = all
}

// Target is a vCenter and somebody who may read all of it.
type Target struct {
	Config vcenter.Config
	Login  func(ctx context.Context, s *vcenter.Session) error
}

// Reading is what became of reading one vCenter.
type Reading struct {
	Server  string
	VCenter VCenter
	Notes   []string // what is left out, and why
	Err     error    // then there is no VCenter

	domain string // equal for linked vCenters
}

// Capture reads vCenters, each with a login of its own. One that cannot be read stops nobody else. The estate holds those that
// could, in the order of the targets; nil where none could.
func Capture(ctx context.Context, targets []Target, o Options) (*Estate, []Reading) {
	all := make([]Reading, len(targets))
	run := &vcenter.Run{}
	var wg crash.Group
	wg.Limit(o.Parallel)
	for i, t := range targets {
		wg.Go(func() {
			all[i].Server = t.Config.Server
			if t.Config.Run == nil {
				t.Config.Run = run
			}
			if err := t.capture(ctx, o, &all[i]); err != nil {
				all[i].Err = err
			}
		})
	}
	wg.Wait()
	return join(all), all
}

// join puts what was read into one estate.
func join(all []Reading) *Estate {
	e := &Estate{}
	first := map[string]string{} // by domain
	for i := range all {
		if all[i].Err != nil {
			continue
		}
		v := all[i].VCenter
		if first[all[i].domain] == "" {
			first[all[i].domain] = v.Server
		} else {
			v.LinkedWith = first[all[i].domain]
		}
		e.VCenters = append(e.VCenters, v)
	}
	if len(e.VCenters) == 0 {
		return nil
	}
	return e
}

func (r *Reading) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

func (t Target) capture(ctx context.Context, o Options, r *Reading) error {
	t.Config.Discover = true // the lookup service knows the SSO domain, and needs no login
	s, err := vcenter.Connect(ctx, t.Config)
	if err != nil {
		return err
	}
	defer s.Close(context.WithoutCancel(ctx))
	if err := t.Login(ctx, s); err != nil {
		return err
	}
	peers, err := s.Peers(ctx)
	if err != nil {
		return err
	}
	c := &capture{Reading: r, session: s, v: &r.VCenter, users: map[string]int{}, groups: map[string]int{}}
	c.v.Server = t.Config.Server
	if err := c.read(ctx, o); err != nil {
		return err
	}
	r.domain = strings.ToLower(c.v.Domain) + " " + slices.Min(peers)
	return nil
}

// capture is one vCenter while it is read.
type capture struct {
	*Reading
	session     *vcenter.Session
	v           *VCenter
	contents    []types.ObjectContent
	catalogue   vcenter.Authorization
	permissions *perms.State
	accounts    accounts
	users       map[string]int // of v, by lower-case name
	groups      map[string]int
}

// read asks for everything at once, then works out the estate.
func (c *capture) read(ctx context.Context, o Options) error {
	var errs [4]error
	var wg crash.Group
	wg.Go(func() { c.contents, errs[0] = c.session.Retrieve(ctx, inventoryFilter(c.session.Content.RootFolder)) })
	wg.Go(func() { c.catalogue, errs[1] = c.session.Authorization(ctx) })
	key := func(principal string, group bool) string { return fmt.Sprint(strings.ToLower(principal), group) }
	wg.Go(func() {
		var all []perms.Permission
		all, errs[2] = perms.Read(ctx, c.session)
		c.permissions = perms.Of(c.session.Server, all, key).With(perms.ReadGlobal(ctx, c.session), key)
	})
	wg.Go(func() { c.accounts, errs[3] = readAccounts(ctx, c.session) })
	var attached []tags.AttachedObjects
	var categories map[string]string
	var untagged error
	wg.Go(func() { attached, categories, untagged = readTags(ctx, c.session) })
	wg.Wait()
	if untagged != nil {
		c.note("tags are omitted: %v", untagged)
	}
	for i, what := range []string{"inventory", "roles", "permissions", "accounts"} {
		if errs[i] != nil {
			errs[i] = fmt.Errorf("%s: %s: %w", c.session.Server, what, errs[i])
		}
	}
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	objects, err := newObjects(c.contents, vcenter.Ref(c.session.Content.RootFolder))
	if err != nil {
		return fmt.Errorf("%s: %w", c.session.Server, err)
	}
	c.places(objects, o.Machines)
	names := c.roles()
	c.principals()
	c.rights(objects, names)
	c.members()
	c.tags(objects, attached, categories)
	c.v.sort()
	return nil
}

// roles fills in custom roles and what the catalogue of this tool lacks or has too much; it gives the names of all roles.
func (c *capture) roles() map[int32]string {
	known := map[string]bool{}
	for _, id := range privileges.Catalogue() {
		known[id] = true
	}
	has := map[string]bool{}
	for _, id := range c.catalogue.Privileges {
		if has[id] = true; !known[id] {
			c.v.Knows = append(c.v.Knows, id)
		}
	}
	for _, id := range privileges.Catalogue() {
		if !has[id] && !slices.Contains(privileges.ImplicitIDs(), id) {
			c.v.Without = append(c.v.Without, id)
		}
	}
	names := map[int32]string{}
	for _, r := range c.catalogue.Roles {
		switch {
		case slices.Contains(SystemRoles(), r.Name):
			names[r.ID] = r.Name
		case !writable(r.Name) || len([]rune(r.Name)) > longestRole:
			c.note("role %q and its permissions are omitted: the name cannot be exported", r.Name)
		default:
			names[r.ID] = r.Name
			role := Role{Name: r.Name}
			for _, id := range r.Privileges { // of plug-ins that are gone, a role keeps the privileges
				if has[id] {
					role.Privileges = append(role.Privileges, id)
				}
			}
			c.v.Roles = append(c.v.Roles, role)
		}
	}
	return names
}
