// Package sso compares and changes the accounts of one SSO domain: a [Client] reads plain values
// and executes changes, [Diff] is pure.
package sso

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/fault"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// ErrTaken says that another account was created since the plan: it refused our password.
var ErrTaken = errors.New("somebody else created it after the plan")

// ErrUnproved says that an account exists after a failed creation, and that no login could tell
// whether it has our password.
var ErrUnproved = errors.New("the account exists, but it is not known whether this run created it")

// User is an account as the SSO domain has it.
type User struct {
	Name, Description string // without the record of the password that we put behind it
	Disabled, Locked  bool
	PasswordSet       time.Time // day on which we set it, UTC; zero if not recorded
	PasswordTag       string    // of that password; "" where it has none, or it is not recorded
	Groups            []string  // name@domain, nested ones too, if asked by name
	DaysLeft          *int      // see [Client.DaysLeft]; nil if unknown or not asked
}

// Want is an account as it must be.
type Want struct {
	Name        string // without domain
	Component   component.Name
	Description string // marks cluster and component; see Mark
	Disabled    bool   // to be disabled; false changes nothing
	MemberOf    string // group, name@domain, of which it is to be a member; "" changes nothing
}

// State is what was read of one SSO domain. Nothing changes it.
type State struct {
	Names

	Policy  Policy
	Lockout Lockout          // where it was asked for
	Users   map[string]User  // asked-for ones by lower-case name; nil if unread
	Marked  []User           // those with our mark for the cluster that was asked for, by name
	Made    []User           // groups with that mark, where they were asked for
	Why     error            // why they were not, where that was not intended
	found   map[string]Found // lower-case principal as it was asked for → what was found

	server  string
	members map[string][]string // of groups that were asked for, by Same
}

// Members are the direct members of a group that was asked for: users, and "group NAME".
func (s *State) Members(group string) []string { return s.members[s.Same(group)] }

// Client asks and changes the SSO domain of one vCenter, as its administrator.
type Client struct {
	session *vcenter.Session
	sso     *vcenter.SSO
	names   Names
}

// maker ends every mark.
const maker = "made by ocp-vsphere-admin"

// Mark is the description of our accounts, which others of the same name lack.
func Mark(cluster string, c component.Name) string {
	return "OpenShift cluster " + cluster + ", component " + string(c) + "; " + maker
}

// Query says what Read reads besides the password policy and the identity sources.
type Query struct {
	Names      []string        // accounts of the SSO domain
	Filed      []string        // those of Names that a file has: one search tells of most
	Principals []string        // of any identity source, name@domain; of the SSO domain without one
	Groups     []string        // of the SSO domain, without it, whose members are listed
	Cluster    string          // its marked accounts are listed; "" = none
	Made       bool            // and its marked groups, with their members
	Lockout    bool            // the rule for failed logins
	AgesOf     func(User) bool // whose DaysLeft are asked for, too
	Ages       bool            // also DaysLeft: one request for each account
}

// Read reads the SSO domain of a vCenter in parallel. The client serves later questions and
// changes.
func Read(ctx context.Context, s *vcenter.Session, q Query) (*Client, *State, error) {
	o, err := s.SSO(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := &Client{session: s, sso: o, names: Names{Domain: o.Domain, alias: map[string]string{}}}
	state, err := c.read(ctx, q)
	return c, state, err
}

func (c *Client) read(ctx context.Context, q Query) (*State, error) {
	o, s := c.sso, c.session
	state := &State{Users: map[string]User{}, found: map[string]Found{}, server: s.Server, members: map[string][]string{}}
	var mu sync.Mutex
	var errs []error
	var wg crash.Group
	ask := func(what string, f func() error) {
		wg.Go(func() {
			if err := f(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, fmt.Errorf("%s: SSO: %s: %w", s.Server, what, err))
			}
		})
	}
	ask("password policy", func() error {
		res, err := ssomethods.GetLocalPasswordPolicy(ctx, o,
			&ssotypes.GetLocalPasswordPolicy{This: o.Content.PasswordPolicyService})
		if err == nil {
			state.Policy = policyOf(&res.Returnval)
		}
		return err
	})
	var sources ssotypes.GetResponse
	ask("identity sources", func() error {
		res, err := ssomethods.Get(ctx, o, &ssotypes.Get{This: o.Content.IdentitySourceManagementService})
		if err == nil {
			sources = *res
		}
		return err
	})
	list := func(group string) error {
		members, err := c.Members(ctx, group+"@"+c.names.Domain)
		mu.Lock()
		defer mu.Unlock()
		state.members[strings.ToLower(group+"@"+c.names.Domain)] = members
		return err
	}
	if q.Cluster != "" {
		ask("accounts of the cluster", func() error {
			marked, err := c.OfCluster(ctx, q.Cluster, q.Names)
			for i := 0; i < len(marked) && err == nil && len(q.Groups) > 0; i++ {
				marked[i].Groups, err = c.parents(ctx, ssotypes.PrincipalId{Name: marked[i].Name, Domain: c.names.Domain})
			}
			mu.Lock()
			defer mu.Unlock()
			state.Marked = marked
			return err
		})
	}
	if q.Cluster != "" && q.Made {
		ask("groups of the cluster", func() (err error) {
			state.Made, err = c.groupsOf(ctx, q.Cluster)
			for _, g := range state.Made {
				if err == nil {
					err = list(g.Name)
				}
			}
			return err
		})
	}
	if q.Lockout {
		ask("lockout policy", func() (err error) {
			state.Lockout, err = c.Lockout(ctx)
			return err
		})
	}
	alike := sync.OnceValue(func() map[string]User { return c.alike(ctx, q.Filed) })
	for _, name := range q.Names {
		ask("account "+name, func() (err error) {
			var left User
			var groups []string
			var leftErr, groupsErr error
			var besides crash.Group
			besides.Go(func() { groups, groupsErr = c.parents(ctx, ssotypes.PrincipalId{Name: name, Domain: c.names.Domain}) })
			if q.Ages {
				besides.Go(func() {
					left.Name = name
					leftErr = c.AskDaysLeft(ctx, &left)
				})
			}
			u, told := &User{}, false
			if slices.Contains(q.Filed, name) {
				*u, told = alike()[strings.ToLower(name)]
			}
			if !told {
				u, err = c.find(ctx, name)
			}
			besides.Wait()
			if err == nil && u != nil {
				u.DaysLeft, u.Groups, err = left.DaysLeft, groups, errors.Join(leftErr, groupsErr)
				if err == nil && !q.Ages && q.AgesOf != nil && q.AgesOf(*u) {
					err = c.AskDaysLeft(ctx, u)
				}
			}
			if err != nil || u == nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			state.Users[strings.ToLower(name)] = *u
			return nil
		})
	}
	for _, group := range q.Groups {
		ask("group "+group, func() error { return list(group) })
	}
	for _, principal := range q.Principals {
		if !strings.ContainsAny(principal, `@\`) {
			principal += "@" + c.names.Domain
		}
		ask("principal "+principal, func() error {
			found, err := c.Look(ctx, principal)
			if name, domain := c.names.Split(principal); q.Ages && err == nil && found.User &&
				strings.EqualFold(domain, c.names.Domain) {
				u := User{Name: name}
				err = c.AskDaysLeft(ctx, &u)
				found.DaysLeft = u.DaysLeft
			}
			mu.Lock()
			defer mu.Unlock()
			state.found[strings.ToLower(principal)] = found
			return err
		})
	}
	wg.Wait()
	if slices.ContainsFunc(errs, denied) { // one sentence for all of them
		return nil, hint.Errorf("use an account of the SSO group Administrators", "%s: %w (%s)", s.Server,
			vcenter.ErrCannotSSO, s.User)
	}
	if len(errs) > 0 {
		return nil, errs[0] // they all have one cause
	}
	c.names.learn(sources.Returnval) // not before: the others read the names
	if err := c.again(ctx, state.found); err != nil {
		return nil, err
	}
	state.Names = c.names
	return state, nil
}

// Unread is an SSO domain that was not read: its name and why. The client returns that reason.
func Unread(s *vcenter.Session, domain string, why error) (*Client, *State) {
	names := Names{Domain: domain, alias: map[string]string{}}
	none := vcenter.NoSSO(cmp.Or(why, errors.New("the SSO administration was not read")))
	return &Client{session: s, sso: none, names: names}, &State{Names: names, Why: why}
}

func denied(err error) bool { return fault.Is(err, &types.NoPermission{}) }

// allowed says what a refusal means.
func allowed(err error) error {
	if denied(err) {
		return hint.Wrap(vcenter.ErrCannotSSO, "use an account of the SSO group Administrators")
	}
	return err
}

// find is an account of the SSO domain; nil if there is none.
func (c *Client) find(ctx context.Context, name string) (*User, error) {
	return c.findID(ctx, ssotypes.PrincipalId{Name: name, Domain: c.names.Domain})
}

func (c *Client) findID(ctx context.Context, id ssotypes.PrincipalId) (*User, error) {
	res, err := ssomethods.FindPersonUser(ctx, c.sso,
		&ssotypes.FindPersonUser{This: c.sso.Content.PrincipalDiscoveryService, UserId: id})
	if err = present(err); err != nil || res == nil || res.Returnval == nil {
		return nil, err
	}
	return person(res.Returnval), nil
}

// UseKey identifies the change that disables or enables an account.
func UseKey(domainKey, name string) string { return plan.Key(domainKey, plan.User, name+"\x00use") }

// Disable is the change that disables or enables an account of ours. It provides the [UseKey].
func (s *State) Disable(u User, disabled bool, domainKey string) *plan.Change {
	return &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: u.Name + "@" + s.Domain,
		Before:   plan.UserState{Description: u.Description, Disabled: u.Disabled},
		After:    plan.UserState{Description: u.Description, Disabled: disabled},
		Provides: UseKey(domainKey, u.Name),
	}
}

// Remove is the change that deletes an account of ours; needs are the changes that must come first.
func (s *State) Remove(u User, domainKey string, needs ...string) *plan.Change {
	return &plan.Change{
		Verb: plan.Delete, Kind: plan.User, Name: u.Name + "@" + s.Domain,
		Before:   plan.UserState{Description: u.Description},
		Provides: plan.Key(domainKey, plan.User, u.Name),
		Needs:    needs,
	}
}

// Known are the accounts asked for by name, in no order, and then others marked for the cluster.
func (s *State) Known() []User {
	var all []User
	for _, u := range s.Users {
		all = append(all, u)
	}
	for _, u := range s.Marked {
		if _, asked := s.Users[strings.ToLower(u.Name)]; !asked {
			all = append(all, u)
		}
	}
	return all
}

// Own is an account of the SSO domain asked for by name or marked for the cluster.
func (s *State) Own(name string) (User, bool) {
	if u, ok := s.Users[strings.ToLower(name)]; ok {
		return u, true
	}
	for _, u := range s.Marked {
		if strings.EqualFold(u.Name, name) {
			return u, true
		}
	}
	return User{}, false
}
