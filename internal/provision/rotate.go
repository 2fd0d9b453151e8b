package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Rotate does what PlanRotation said; the plan becomes the report. At every moment the credentials file or its journal
// holds, on the disk, a password that opens each account: the new ones are in the journal before the first vCenter hears
// of one, and go from there when the credentials file has them. A run that ends anywhere is completed by running it again.
// An error means that one of the two files could not be written. warnings are about accounts that are done.
func (j *Job) Rotate(ctx context.Context, p *plan.Plan) (warnings []string, err error) {
	if err := j.announce(); err != nil {
		return nil, hint.Wrap(err, "no password was changed")
	}
	p.Execute(ctx, plan.ExecuteOptions{Parallel: j.o.Parallel, Done: j.done, Finished: j.of(j.rest)})
	for _, r := range j.rotations {
		if r.warning != "" {
			warnings = append(warnings, r.site.spec.Server+": "+r.warning)
			r.change.Note = strings.TrimPrefix(r.change.Note+"; "+r.warning, "; ")
		}
	}
	return warnings, j.takeOver()
}

// announce writes the new passwords into the journal.
func (j *Job) announce() error {
	for _, r := range j.rotations {
		if err := j.note(r); err != nil {
			return err
		}
	}
	return j.saveJournal()
}

func (j *Job) note(r *rotation) error {
	for _, server := range r.servers {
		if err := j.o.Journal.Set(server, r.component, r.account()); err != nil {
			return fmt.Errorf("rotation journal: %w", err)
		}
	}
	return nil
}

func (j *Job) saveJournal() error {
	if err := j.o.Journal.Save(); err != nil {
		return fmt.Errorf("rotation journal: %w", err)
	}
	return nil
}

// takeOver swaps the passwords of the credentials file, and then forgets in the journal what is finished.
func (j *Job) takeOver() error {
	for _, r := range j.rotations {
		if !r.accepted {
			continue
		}
		for _, server := range r.servers {
			if err := j.o.Credentials.Set(server, r.component, r.account()); err != nil {
				return fmt.Errorf("%s: %w", server, err)
			}
		}
	}
	if err := j.o.Credentials.Save(); err != nil {
		return hint.Wrap(err, "the new passwords are in "+j.o.Journal.Path()+"; the same command again takes them over")
	}
	for _, r := range j.rotations {
		neverBegun := r.change.Status == plan.Skipped && !r.resumed
		for _, server := range r.servers {
			if r.finished || neverBegun {
				j.o.Journal.Remove(server, r.component)
			}
		}
	}
	return j.saveJournal()
}

// rotate sets one password and proves it. What became of a reset whose answer was lost is settled by one login with the
// new password; no password is tried twice.
func (j *Job) rotate(ctx context.Context, r *rotation) error {
	name, mark := j.o.Spec.Account(r.component).Name, sso.Mark(j.o.Spec.Cluster, r.component)
	perhaps, err := r.site.directory.Reset(ctx, name, mark, r.password)
	if err != nil && !perhaps && !r.resumed {
		r.finished = true // it never was anybody's password
		return err
	}
	opened, proofErr := r.site.session.ProvePassword(ctx, r.user, r.password)
	switch {
	case opened && (err == nil || !r.resumed): // set in this run
		return j.settled(ctx, r, name, mark)
	case opened: // set by an earlier run, on a day that the journal does not tell
		r.accepted, r.finished = true, true
		return nil
	case proofErr != nil:
		return unfinished(errors.Join(err, fmt.Errorf("the new password could not be proved: %w", proofErr)))
	}
	barred, barredErr := r.site.directory.Barred(ctx, name)
	switch {
	case barredErr != nil:
		return unfinished(errors.Join(err, barredErr))
	case barred != "" && err == nil:
		r.warning = fmt.Sprintf("%s has its new password, which is not proved: the account is %s", r.user, barred)
		return j.settled(ctx, r, name, mark)
	case barred != "":
		return unfinished(fmt.Errorf("whether the new password was set cannot be told, because the account is %s: %w", barred, err))
	case err == nil:
		return unfinished(errors.New("the new password was set, and a login with it was refused"))
	case perhaps || errors.Is(err, vcenter.ErrCannotSSO) || errors.Is(err, sso.ErrNotOurs):
		return unfinished(err)
	}
	// The password of the journal opens nothing and is not taken, because the policy has become stricter, say.
	if r.password, err = r.site.sso.Policy.Generate(); err != nil {
		return err
	}
	if err := errors.Join(j.note(r), j.saveJournal()); err != nil {
		return err
	}
	r.resumed = false
	return j.rotate(ctx, r)
}

// settled notes the day of a password that the vCenter has.
func (j *Job) settled(ctx context.Context, r *rotation, name, mark string) error {
	r.accepted = true
	if err := r.site.directory.Record(ctx, name, mark, time.Now()); err != nil {
		return unfinished(fmt.Errorf("the new password is in %s, but its day could not be noted in the account's description: %w", j.o.Credentials.Path(), err))
	}
	r.finished = true
	return nil
}

func unfinished(err error) error {
	return hint.Wrap(err, "its rotation is unfinished; the same command again finishes it")
}

// forget takes the unfinished rotations of accounts that are gone out of the journal.
func (j *Job) forget(gone func(s *site, principal string) bool) error {
	if j.o.Journal == nil {
		return nil
	}
	for _, s := range j.sites {
		for _, c := range j.o.Spec.ComponentNames() {
			if s.err != nil || !j.owns(c) {
				continue
			}
			user, open := j.pending(s.spec.Server, c)
			if principal := j.principal(s, c); open && strings.EqualFold(user, principal) && gone(s, principal) {
				j.o.Journal.Remove(s.spec.Server, c)
			}
		}
	}
	return j.saveJournal()
}
