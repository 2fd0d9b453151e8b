package provision

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Verify logs in as each account, once, and compares what it holds with what its component needs: on each object that it
// needs, found by the account's own look-up, one level below these, and wherever an account of ours has a permission. It then
// replays the installer's own checks as the installer's account.
func (j *Job) Verify(ctx context.Context) *verify.Result {
	found := make([]verify.VCenter, len(j.targets))
	index := map[*target]int{}
	for i, t := range j.targets {
		index[t] = i
		found[i] = verify.VCenter{Server: t.spec.Server, Accounts: []verify.Account{}, Preflight: []verify.Preflight{}}
	}
	j.each(ctx, func(ctx context.Context, t *target) error {
		defer t.close(ctx) // nothing is asked afterwards, and there may be a thousand of them
		return j.verify(ctx, t, &found[index[t]])
	})
	v := &verify.Result{APIVersion: plan.APIVersion, Kind: "Verification", VCenters: found}
	e := j.estate(j.asked)
	for i, s := range e.all {
		if s.err != nil {
			found[i].Fail(s.err)
		} else {
			s.opened(found[i].Accounts)
			found[i].Accounts = append(found[i].Accounts, e.unspecified(s)...)
		}
		v.Summary.Add(found[i])
	}
	v.Findings = e.findings()
	return v
}

// opened takes back that passwords are outdated that open their accounts: somebody may have set them without this tool.
func (s *snapshot) opened(accounts []verify.Account) {
	for c, l := range s.accounts {
		if slices.ContainsFunc(accounts, func(a verify.Account) bool { return a.Component == string(c) && a.Login == login.OK }) {
			l.Outdated = false
			s.accounts[c] = l
		}
	}
}

func (j *Job) verify(ctx context.Context, t *target, out *verify.VCenter) error {
	// The accounts log in while the administrator's session reads: neither needs the other.
	var wg crash.Group
	config := j.o.Config(t.spec)
	logins := j.stored(t.spec.Server)
	for _, l := range logins {
		wg.Go(func() { l.try(ctx, config) })
	}
	err := j.gather(ctx, j.aging(), t)
	wg.Wait()
	t.keep(logins)
	if err != nil {
		return err
	}
	if err := j.checkOlder(t.snapshot); err != nil {
		return err
	}
	d, err := j.bind(t.snapshot)
	if err != nil {
		return t.nearby(ctx, err)
	}
	if len(d.folders) > 0 {
		return fmt.Errorf("%s: folder %s does not exist yet", t.spec.Server, d.folders[0].Name)
	}
	j.progress(t.spec.Server, "comparing")
	supplied := j.supplied(t.spec.Server)
	late := j.late(t.snapshot, supplied, logins)
	for _, l := range late {
		wg.Go(func() { l.try(ctx, config) })
	}
	wg.Wait()
	t.keep(late)
	if err := t.session.Join(unanswered(append(logins, late...))...); err != nil {
		return err
	}
	accounts := j.accounts(t.snapshot, supplied, append(logins, late...))
	wg.Go(func() { t.members(ctx, accounts) })
	ours := j.oursIn(t.snapshot, d)
	objects, err := t.examined(ctx, d, ours)
	wg.Wait()
	if err != nil {
		return err
	}
	e := t.expected(d)
	checks := e.InstallerChecks(j.Spec, func(c component.Name) string { return loggedIn(accounts, j.Spec.Account(c).Component) })
	proved, replayed := make([]verify.Account, len(accounts)), make([]verify.Preflight, len(checks))
	errs := make([]error, len(accounts))
	var done atomic.Int32
	for i, a := range accounts {
		wg.Go(func() {
			proved[i], errs[i] = t.prove(ctx, e, a, objects, ours, checks, replayed)
			j.progress(t.spec.Server, fmt.Sprintf("%d of %d accounts compared", done.Add(1), len(accounts)))
		})
	}
	wg.Wait()
	for i, a := range proved {
		if errs[i] == nil { // what is found out about one stands, whatever became of the others
			out.Accounts = append(out.Accounts, a)
		}
	}
	if err := t.session.Join(errs...); err != nil {
		return err
	}
	out.Preflight = replayed
	return j.rematrixed(out, t.snapshot, d)
}
