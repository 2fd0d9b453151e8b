package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Verify logs in once as each account and compares its rights with its component's needs: on each
// needed object, found by the account's own look-up, one level below, and wherever an account of
// ours has a permission. It then repeats the installer's own checks as the installer's account.
func (j *Job) Verify(ctx context.Context) *verify.Result {
	return j.verifyAnd(ctx, j.Request.Aging(), nil)
}

// verifyAnd is Verify, and calls besides for each vCenter that was read, while still logged in.
func (j *Job) verifyAnd(ctx context.Context, q *snapshot.Request, besides func(context.Context, *target) error) *verify.Result {
	found := make([]verify.VCenter, len(j.targets))
	for i, t := range j.targets {
		found[i] = verify.VCenter{Server: t.at.VCenter.Server, Accounts: []verify.Account{}, Preflight: []verify.Preflight{}}
	}
	j.each(ctx, q, func(ctx context.Context, t *target) error {
		defer t.close(ctx) // there may be a thousand sessions
		err := j.verify(ctx, t, &found[slices.Index(j.targets, t)])
		if besides != nil && t.at.SSO != nil && t.session != nil {
			err = errors.Join(err, besides(ctx, t))
		}
		return err
	})
	v := &verify.Result{APIVersion: plan.APIVersion, Kind: "Verification", View: verify.ViewAdministrator, VCenters: found}
	e := j.snapshots(j.Request)
	for i, s := range e.All {
		if s.Err != nil {
			found[i].Fail(s.Err)
		} else {
			j.targets[i].opened(found[i].Accounts)
			expiring(e, s, found[i].Accounts)
			found[i].Accounts = append(found[i].Accounts, e.Unspecified(s)...)
		}
		v.Summary.Add(found[i])
	}
	v.Findings, v.Incomplete = append(e.Findings(), v.Computed()...), e.Unseen()
	for _, f := range v.Findings {
		if f.Code == finding.GlobalPermission || f.Code == finding.SharedGroup { // verification itself finds excess rights
			f.Severity = finding.Error
		}
	}
	v.Findings = append(v.Findings, e.UnseenGlobal(func(i int) bool { return found[i].Unexplained() })...)
	v.Findings = slices.Concat(v.Findings, e.Untagged(), e.Encrypted(), e.Former())
	return v
}

// expiring notes who logged in, and how long the passwords in use last.
func expiring(e *decision.Snapshots, s *snapshot.Snapshot, accounts []verify.Account) {
	s.Opened = map[component.Name]bool{}
	for i, a := range accounts {
		first, _, _ := strings.Cut(a.Component, ",")
		if c := component.Name(first); s.SSO != nil && e.Request.Spec.Has(c) &&
			strings.EqualFold(s.Principal(c), a.Principal) {
			s.Opened[c] = a.Login == login.OK
			accounts[i].DaysLeft = e.DaysLeft(s, c)
		}
	}
}

// opened clears that passwords are outdated if they work, as they may have been set elsewhere.
func (t *target) opened(accounts []verify.Account) {
	for c, l := range t.at.Domain.Accounts {
		if slices.ContainsFunc(accounts,
			func(a verify.Account) bool { return a.Component == string(c) && a.Login == login.OK }) {
			l.Outdated = false
			t.at.Domain.Accounts[c] = l
		}
	}
}

func (j *Job) verify(ctx context.Context, t *target, out *verify.VCenter) error {
	// The accounts log in while the administrator's session reads, because these are independent.
	var wg crash.Group
	config := j.o.Config(t.at.VCenter)
	logins := j.stored(t.at.VCenter.Server)
	for _, l := range logins {
		wg.Go(func() { l.try(ctx, config) })
	}
	err := j.gather(ctx, t)
	wg.Wait()
	t.keep(logins)
	if err != nil {
		return err
	}
	if err := t.at.CheckOlder(); err != nil {
		return err
	}
	d, err := t.at.Bind()
	if err != nil {
		return t.nearby(ctx, err)
	}
	if len(d.Folders) > 0 {
		return fmt.Errorf("%s: folder %s does not exist yet", t.at.VCenter.Server, d.Folders[0].Name)
	}
	j.progress(t.at.VCenter.Server, "comparing")
	supplied := j.supplied(t.at.VCenter.Server)
	late := t.late(supplied, logins)
	for _, l := range late {
		wg.Go(func() { l.try(ctx, config) })
	}
	wg.Wait()
	t.keep(late)
	logins = append(logins, late...)
	var errs []error // of failed logins
	for _, l := range logins {
		errs = append(errs, l.err)
	}
	if err := t.session.Join(errs...); err != nil {
		return err
	}
	out.Domain = t.at.Domain.Key
	accounts := t.accountsToVerify(supplied, logins)
	wg.Go(func() { t.members(ctx, accounts) })
	ours := t.at.OursIn(d)
	objects, err := t.examined(ctx, d, ours)
	wg.Wait()
	if err != nil {
		return err
	}
	e := t.at.Expected(d)
	e.Kept = decision.Kept(t.at, d)
	checks := e.InstallerChecks(j.Request.Spec,
		func(c component.Name) string { return loggedIn(accounts, j.Request.Spec.Account(c).Component) })
	t.at.Tags, t.at.TagsErr = nil, nil             // as a plan read them, perhaps
	if j.Request.ChecksTags() && len(checks) > 0 { // who also sees above the datacenters
		wg.Go(func() { t.at.Tags, t.at.TagsErr = tags.Read(ctx, t.session, t.at.Tagged()) })
	}
	proved, replayed := make([]verify.Account, len(accounts)), make([]verify.Preflight, len(checks))
	errs = make([]error, len(accounts))
	var done atomic.Int32
	for i, a := range accounts {
		wg.Go(func() {
			proved[i], errs[i] = t.prove(ctx, e, a, objects, ours, checks, replayed)
			j.progress(t.at.VCenter.Server, fmt.Sprintf("%d of %d accounts compared", done.Add(1), len(accounts)))
		})
	}
	wg.Wait()
	for i, a := range proved {
		if errs[i] == nil { // each result stands on its own
			out.Accounts = append(out.Accounts, a)
		}
	}
	if err := t.session.Join(errs...); err != nil {
		return err
	}
	out.Preflight = replayed
	return decision.Rematrixed(j.Request, out, t.at, d)
}

// prove judges what the account sees, and reads differences again, as roles take effect later (R8).
func (t *target) prove(ctx context.Context, e *verify.Expected, a *account, objects []*inventory.Object,
	ours func(perms.Permission) bool, checks []verify.Check, results []verify.Preflight,
) (verify.Account, error) {
	v := verify.Account{
		Component: strings.Join(component.Words(a.components), ","), Principal: a.principal(),
		Member: a.member, Login: a.result, Reason: a.reason, Objects: []verify.Object{},
	}
	var leftovers []verify.Object
	if !a.waits {
		leftovers = e.Leftovers(a.who.Key, ours)
	}
	if a.result != verify.LoginComputed && (a.session == nil || a.result != login.OK) {
		v.Objects = append(v.Objects, leftovers...)
		return v, nil
	}
	if !e.Own {
		v.Permissions = len(e.Satisfying(a.who))
	}
	for _, p := range a.principals {
		groups := t.at.GroupsOf(p)
		v.Administrator = t.at.Administrating(groups)
		if group := cmp.Or(v.Administrator, t.at.Empowering(groups)); group != "" {
			v.Reason = "a member of " + group
			break
		}
	}
	needed := e.Objects(a.who)
	for _, c := range checks {
		if c.Key == a.who.Key {
			needed = lists.AppendNew(needed, c.Object)
		}
	}
	holder := a.who
	for _, p := range a.principals {
		holder.Groups = slices.Concat(holder.Groups, t.at.Subject(p, t.at.GroupsOf(p)).Groups)
	}
	by := verify.Case{Components: a.components, Who: a.who, Holder: holder, Objects: slices.Concat(needed, objects), Leftovers: leftovers}
	needed = lists.AppendNew(needed, e.WorkedOn(a.components)...)
	for n := 0; ; n++ {
		seen, session, err := t.look(ctx, e.Wanted, a, needed, objects)
		if vcenter.Unanswered(err) {
			return v, err
		}
		if err != nil {
			v.Login = strings.ReplaceAll(err.Error(), "\n", "; ")
			return v, nil
		}
		passed := e.Judge(&v, by, seen)
		for i, c := range checks {
			if c.Key == a.who.Key {
				results[i] = c.Replay(seen[c.Object])
				passed = passed && len(results[i].Missing) == 0
			}
		}
		if passed || !again(ctx, session, n) {
			v.Objects = append(v.Objects, leftovers...)
			return v, nil
		}
	}
}

// attempt is one login with an account of the credentials file.
type attempt struct {
	user     string
	password secret.Secret
	session  *vcenter.Session
	result   string
	err      error // the vCenter did not answer
}

// stored returns accounts that can log in before a vCenter is read, as specified, each user once.
func (j *Job) stored(server string) []*attempt {
	var all []*attempt
	supplied := j.supplied(server)
	for _, c := range j.Request.Spec.ComponentNames() {
		if a, ok := supplied[c]; ok && !j.Request.Spec.Disabled(c) &&
			j.target(server).at.Request.Spec.Account(c).MayBe(a.User) && find(all, a.User) == nil {
			all = append(all, &attempt{user: a.User, password: a.Password})
		}
	}
	return all
}

func find(all []*attempt, user string) *attempt {
	for _, l := range all {
		if strings.EqualFold(l.user, user) {
			return l
		}
	}
	return nil
}

// supplied returns components' accounts of the credentials file and those given for this run.
func (j *Job) supplied(server string) map[component.Name]credfile.Account {
	of := j.target(server)
	all := map[component.Name]credfile.Account{}
	for _, c := range j.Request.Spec.ComponentNames() {
		a, ok := j.Request.Given.Works(of.at.Request.Spec, j.Request.Credentials, server, c)
		if (!ok || a.Password.Empty()) && !of.at.Owns(c) && j.o.Accounts != nil {
			a, ok = j.o.Accounts(server, c)
		}
		if ok && !a.Password.Empty() {
			all[c] = a
		}
	}
	return all
}

func (a *attempt) try(ctx context.Context, c vcenter.Config) {
	session, _, err := login.Enter(ctx, c, a.user, a.password)
	a.session, a.result = session, login.Outcome(err)
	if vcenter.Unanswered(err) {
		a.err = err
	}
}
