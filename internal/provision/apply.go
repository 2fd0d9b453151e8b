package provision

import (
	"context"
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Apply does what Plan said; the plan becomes the report. displace says that the administrator agreed to change what others
// gave (plan.Change.Displaces); without it a plan that does so is refused as a whole. Every password of an account that is going to be made is in
// the credentials file, on the disk, before its vCenter hears of it, so that a run killed anywhere is completed by
// running again. An error means that the credentials file
// could not be written; nothing was done then, unless the plan says so.
func (j *Job) Apply(ctx context.Context, p *plan.Plan, displace bool) error {
	if what := p.Alters(); what != "" && !displace {
		return hint.Errorf("read them in the plan; --displace confirms", "%s, and that is not confirmed: nothing was done", what)
	}
	if err := j.recordDisplaced(); err != nil {
		return err
	}
	if j.does(plan.User) {
		if err := j.savePasswords(); err != nil {
			return err
		}
	}
	p.Execute(ctx, plan.ExecuteOptions{Parallel: j.o.Parallel, Done: j.done, Finished: j.finished(ctx)})
	err := j.forgetDisplaced()
	if j.does(plan.User) {
		err = errors.Join(err, j.dropTaken(p))
		if j.o.Prune {
			err = errors.Join(err, j.forgetRemoved(p))
		}
	}
	return err
}

// dropTaken takes the passwords out of the credentials file again that were made for accounts that somebody else was
// faster to make: each was refused when it was tried, and would be taken for theirs. One that could not be tried stays.
func (j *Job) dropTaken(p *plan.Plan) error {
	taken := map[string]bool{}
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if c.Kind == plan.User && errors.Is(c.Err(), sso.ErrTaken) {
				taken[c.Provides] = true
			}
		}
	}
	for _, s := range j.sites {
		for _, c := range j.o.Spec.ComponentNames() {
			if s.err == nil && taken[plan.Key(s.domainKey, plan.User, j.o.Spec.Account(c).Name)] {
				j.o.Credentials.Remove(s.spec.Server, c)
			}
		}
	}
	return j.o.Credentials.Save()
}

func (j *Job) done(server string, c *plan.Change) {
	if c.Status == plan.Done {
		j.progress(server, c.Sign()+" "+c.Subject())
	}
}

// savePasswords makes the passwords that are missing and writes all known ones for all vCenters of their SSO domain. A
// password that stands in the file for an account that does not exist (a killed run left it) is used, unless the policy
// has become stricter.
func (j *Job) savePasswords() error {
	file := j.o.Credentials
	for _, n := range j.needed {
		if !n.password.Empty() && n.policy.Check(*n.password) == nil {
			continue
		}
		password, err := n.policy.Generate()
		if err != nil {
			return fmt.Errorf("%s: %w", n.user, err)
		}
		*n.password = password
	}
	var entries []credfile.Entry
	for _, s := range j.sites {
		if s.err != nil {
			continue
		}
		for _, c := range j.o.Spec.ComponentNames() {
			password := j.passwords[s.domainKey+"\x00"+string(c)]
			if !j.owns(c) || password == nil || password.Empty() {
				continue
			}
			account := credfile.Account{User: j.principal(s, c), Password: *password}
			if had, ok := file.Get(s.spec.Server, c); ok && had.User == account.User && had.Password.Equal(account.Password) {
				continue
			}
			entries = append(entries, credfile.Entry{Server: s.spec.Server, Component: c, Account: account})
		}
	}
	if err := file.SetAll(entries); err != nil {
		return err
	}
	return file.Save()
}
