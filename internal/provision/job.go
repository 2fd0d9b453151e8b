// Package provision is the job over all vCenters: what shall be, what is, the plan between them, doing it, proving it
// and undoing it.
package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Options are everything that a Job needs. Spec, Matrix, Config and Admin are required; Credentials for all but Doctor,
// Journal too for Rotate.
type Options struct {
	Spec        *spec.Spec
	Matrix      *privileges.Matrix
	Config      func(spec.VCenter) vcenter.Config // how to reach a vCenter
	Admin       func(ctx context.Context, server string) (user string, password secret.Secret, err error)
	Credentials *credfile.File // open, with its lock held for Apply
	Journal     *credfile.File // of the credentials file's rotations; nil = none

	// Accounts gives Verify the accounts of others' that the credentials file does not hold; nil = none.
	Accounts func(server string, c component.Name) (credfile.Account, bool)

	// Instances names the instance UUIDs that vCenters must have, by server: nobody logs in to another one; nil = any.
	Instances map[string]string

	Only    plan.Kind                 // Role, User or Permission: nothing of another kind is changed; default everything
	Assumed privileges.RoleSetOptions // with Only Role, where no failure domain says it: Holds and Template

	Ordering      bool // a principal of others that does not exist yet is no error: the work order asks for it
	Additive      bool // never remove a privilege or a permission
	Prune         bool // remove the accounts of this cluster that the specification no longer names
	CreateFolders bool // make missing VM folders first
	Strict        bool // a privilege that a vCenter does not know is an error
	Parallel      int  // vCenters at once; default all
	Progress      func(server, step string)
}

// Job works on the vCenters of one specification. Close it.
type Job struct {
	o     Options
	sites []*site
	whole *privileges.Matrix // o.Matrix with all components of the profile

	passwords map[string]*secret.Secret // domain key and component → where the account's password stands
	needed    []needed                  // accounts that a plan creates
	undoing   bool                      // PlanDestroy
	domains   map[string]*domain        // by key; nil unless something may be removed that vCenters share
	displaced *credfile.Displaced       // opened when a plan needs it
	rotations []*rotation

	explaining sync.Once
	ids        []string // see explained
}

// site is one vCenter and what was read of it.
type site struct {
	spec      spec.VCenter
	session   *vcenter.Session
	user      string // the administrator's
	password  secret.Secret
	inventory *inventory.Tree // of the paths of the specification
	roles     *roles.State
	perms     *perms.State
	sso       *sso.State
	directory *sso.Client               // answers to what is asked later, and does what changes of accounts say
	passwords map[string]*secret.Secret // of accounts that the plan creates, by name@domain
	wanted    *desired                  // what a plan came to; nil before one
	steps     []perms.Step              // what a plan changes about permissions
	facts     map[int32]roleFacts
	unknown   []string           // privileges of the matrix that it does not know; nil until asked
	domainKey string             // equal for vCenters that share an SSO domain
	peers     int                // how many vCenters share it, this one included
	others    []string           // host names of those that are no site of this job
	accounts  []*vcenter.Session // of the accounts that are verified
	err       error
}

// New checks nothing and reaches for nothing yet.
func New(o Options) *Job {
	everybody := *o.Spec
	everybody.Components = nil
	whole := everybody.Fold(o.Matrix)
	o.Matrix = o.Spec.Fold(o.Matrix)
	o.Config = sharing(o.Config, atOnce(o))
	j := &Job{o: o, whole: whole, passwords: map[string]*secret.Secret{}}
	for _, v := range o.Spec.VCenters {
		j.sites = append(j.sites, &site{spec: v})
	}
	return j
}

// sharing has all sessions of a job know what became of the others' logins.
func sharing(config func(spec.VCenter) vcenter.Config, vcenters int) func(spec.VCenter) vcenter.Config {
	run := &vcenter.Run{VCenters: vcenters}
	return func(v spec.VCenter) vcenter.Config {
		c := config(v)
		if c.Run == nil {
			c.Run = run
		}
		return c
	}
}

// atOnce is how many vCenters are worked on at once.
func atOnce(o Options) int {
	if o.Parallel > 0 {
		return min(o.Parallel, len(o.Spec.VCenters))
	}
	return len(o.Spec.VCenters)
}

// Close logs out everywhere where somebody is still logged in, on as many vCenters at once as asked for.
func (j *Job) Close(ctx context.Context) {
	var wg crash.Group
	wg.Limit(j.o.Parallel)
	for _, s := range j.sites {
		wg.Go(func() { s.close(ctx) })
	}
	wg.Wait()
}

// close logs out of one vCenter, at once. What was read of it stays.
func (s *site) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	var wg crash.Group
	for _, session := range append(s.accounts, s.session) {
		if session != nil {
			wg.Go(func() { session.Close(ctx) })
		}
	}
	wg.Wait()
	s.accounts = nil
}

// finished closes the sessions of a vCenter on which nothing is left to do: a thousand of them need not stay open until
// the last one is done.
func (j *Job) finished(ctx context.Context) func(server string) {
	return j.of(func(s *site) { s.close(ctx) })
}

// of runs f on the vCenter with a name.
func (j *Job) of(f func(*site)) func(server string) {
	return func(server string) {
		if i := slices.IndexFunc(j.sites, func(s *site) bool { return s.spec.Server == server }); i >= 0 {
			f(j.sites[i])
		}
	}
}

// rest closes the connections of a vCenter that waits for the others to be read. It stays logged in. Where all vCenters
// are at work at once, the connections are needed again at once.
func (j *Job) rest(s *site) {
	if s.session != nil && j.o.Parallel > 0 && len(j.sites) > j.o.Parallel {
		s.session.Rest()
	}
}

// each runs f on every vCenter, as many at once as asked for, and keeps each one's error to itself.
func (j *Job) each(ctx context.Context, f func(context.Context, *site) error) {
	var group crash.Group
	group.Limit(j.o.Parallel)
	for _, s := range j.sites {
		group.Go(func() { // one failing vCenter stops no other
			if err := ctx.Err(); err != nil {
				s.err = fmt.Errorf("%s: %w", s.spec.Server, err)
			} else {
				s.err = s.try(func() error { return f(ctx, s) })
				j.rest(s)
			}
		})
	}
	group.Wait()
}

// try runs work on one vCenter. A panic in it is this vCenter's error and nobody else's.
func (s *site) try(work func() error) error {
	err := crash.Try(work)
	if crashed, ok := err.(*crash.Error); ok { //nolint:errorlint // only one that nobody has named a vCenter for
		return fmt.Errorf("%s: %w", s.spec.Server, crashed)
	}
	return err
}

func (j *Job) progress(server, step string) {
	if j.o.Progress != nil {
		j.o.Progress(server, step)
	}
}

// connect logs the administrator in; the lookup service is asked meanwhile, because it needs no login.
func (j *Job) connect(ctx context.Context, s *site) error {
	user, password, err := j.o.Admin(ctx, s.spec.Server)
	if err != nil {
		return fmt.Errorf("%s: %w", s.spec.Server, err)
	}
	j.progress(s.spec.Server, "connecting")
	config := j.o.Config(s.spec)
	config.Discover = true // logins of several vCenters need to know whose SSO domain it is
	session, err := vcenter.Connect(ctx, config)
	if err != nil {
		return err
	}
	s.session, s.user, s.password = session, user, password
	if want := j.o.Instances[s.spec.Server]; want != "" && want != s.instance() {
		return hint.Errorf("look at --connect-to and at what the name leads to here",
			"%s: this is another vCenter: the plan was saved for the one with instance UUID %s, and this one has %s", s.spec.Server, want, s.instance())
	}
	return session.Login(ctx, user, password)
}

// instance is the instance UUID of the vCenter; "" where it was not reached.
func (s *site) instance() string {
	if s.session == nil {
		return ""
	}
	return s.session.Content.About.InstanceUuid
}

// identify works out which SSO domain the vCenter belongs to. Vcenters with the same key share accounts.
func (j *Job) identify(ctx context.Context, s *site) error {
	peers, err := s.session.Peers(ctx)
	if err != nil {
		return err
	}
	if s.others, err = s.session.PeerServers(ctx); err != nil {
		return err
	}
	s.others = slices.DeleteFunc(s.others, func(host string) bool {
		return slices.ContainsFunc(j.sites, func(known *site) bool { return strings.EqualFold(known.spec.Server, host) })
	})
	s.peers = len(peers)
	s.domainKey = strings.ToLower(s.sso.Domain) + " " + slices.Min(peers)
	return nil
}

// gather reads everything that the plan needs. Nothing waits for what it does not need: five dependent round trips.
func (j *Job) gather(ctx context.Context, s *site) error {
	if err := j.connect(ctx, s); err != nil {
		return err
	}
	j.progress(s.spec.Server, "reading")
	var wg crash.Group
	errs := make([]error, 4)
	wg.Go(func() { s.inventory, errs[0] = s.session.Find(ctx, j.paths(s.spec)) })
	var all []perms.Permission
	wg.Go(func() { s.roles, errs[1] = roles.Read(ctx, s.session) })
	wg.Go(func() { all, errs[2] = perms.Read(ctx, s.session) })
	wg.Go(func() { errs[3] = j.readSSO(ctx, s) })
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.perms = perms.Of(s.spec.Server, all, s.keyOf)
	return s.session.Include(ctx, s.inventory, j.concerned(s))
}

// concerned are the objects of the permissions that a plan may be about: those of accounts of the specification or with our mark,
// and those with roles of ours. Those that the specification names are known already.
func (j *Job) concerned(s *site) []inventory.Ref {
	mine := map[string]bool{}
	for _, a := range j.principals(s) {
		mine[a.Key] = true
		if s.vanished(a.Principal) {
			mine[s.keyOf(a.Principal.Name, !a.Principal.Group)] = true
		}
	}
	for _, u := range s.sso.Marked {
		mine[s.userKey(u.Name+"@"+s.sso.Domain)] = true
	}
	var refs []inventory.Ref
	for _, p := range s.perms.All {
		if mine[p.Key] || j.role(s, p.RoleID).kind != foreignRole {
			refs = append(refs, p.Entity)
		}
	}
	return refs
}

// path names an object; its reference where it is gone.
func (s *site) path(ref inventory.Ref) string {
	if o := s.inventory.Object(ref); o != nil {
		return o.Path()
	}
	return ref.String()
}

// accountNames are the accounts of ours, without domain.
func (j *Job) accountNames() []string {
	var names []string
	for _, c := range j.o.Spec.ComponentNames() {
		if a := j.o.Spec.Account(c); a.Ours() {
			names = append(names, a.Name)
		}
	}
	return names
}

// adopted are the principals that exist and are only granted.
func (j *Job) adopted() []string {
	var names []string
	for _, c := range j.o.Spec.ComponentNames() {
		if p := j.o.Spec.Account(c).Principal; p != "" && !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	return names
}

// principal is the account of a component on a vCenter, name@domain.
func (j *Job) principal(s *site, c component.Name) string {
	return j.o.Spec.Account(c).In(s.sso.Domain)
}

// owns tells whether the account of a component is ours to create and remove.
func (j *Job) owns(c component.Name) bool {
	return j.o.Spec.Account(c).Ours()
}
