package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
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
	dec := j.decided
	if err := dec.announce(); err != nil {
		return nil, hint.Wrap(err, "no password was changed")
	}
	p.Execute(ctx, plan.ExecuteOptions{Parallel: j.o.Parallel, Done: j.counting(p), Finished: j.of(j.rest)})
	err = dec.takeOver()
	j.proveElsewhere(ctx)
	return dec.warnings(), err
}

// announce writes the new passwords into the journal. Passwords that nobody here may keep have none: they go where they belong, which
// is encrypted.
func (dec *decision) announce() error {
	for _, r := range dec.rotations {
		if err := dec.note(r); err != nil {
			return err
		}
	}
	return dec.ahead().Save()
}

// ahead is the file that has a password before it is sent to a vCenter.
func (dec *decision) ahead() *credfile.File {
	if dec.Credentials.Sealed() {
		return dec.Credentials
	}
	return dec.Journal
}

func (dec *decision) note(r *rotation) error {
	for _, server := range r.servers {
		if err := dec.ahead().Set(server, r.component, r.account()); err != nil {
			return fmt.Errorf("%s: %w", server, err)
		}
	}
	return nil
}

// withdraw takes out of an encrypted file the passwords that no vCenter has: who imports it would lose those that open the accounts.
func (dec *decision) withdraw() error {
	for _, r := range dec.rotations {
		if r.accepted || !r.finished && !r.refused && r.change.Status != plan.Skipped {
			continue
		}
		for _, server := range r.servers {
			dec.Credentials.Remove(server, r.component)
		}
	}
	return dec.Credentials.Save()
}

// takeOver swaps the passwords of the credentials file, and then forgets in the journal what is finished.
func (dec *decision) takeOver() error {
	if dec.Credentials.Sealed() {
		return dec.withdraw()
	}
	for _, r := range dec.rotations {
		if !r.accepted {
			continue
		}
		for _, server := range r.servers {
			if err := dec.Credentials.Set(server, r.component, r.account()); err != nil {
				return fmt.Errorf("%s: %w", server, err)
			}
		}
	}
	if err := dec.Credentials.Save(); err != nil {
		return hint.Wrap(err, "the new passwords are in "+dec.Journal.Path()+"; to put them into use, run the same command again")
	}
	for _, r := range dec.rotations {
		neverBegun := r.change.Status == plan.Skipped && !r.resumed
		for _, server := range r.servers {
			if r.finished || neverBegun {
				dec.Journal.Remove(server, r.component)
			}
		}
	}
	return dec.Journal.Save()
}

// rotate sets one password and proves it. What became of a reset whose answer was lost is settled by one login with the
// new password; no password is tried twice.
func (t *target) rotate(ctx context.Context, dec *decision, r *rotation) error {
	name, mark := dec.account(r.at, r.component).Name, sso.Mark(dec.Spec.Cluster, r.component)
	write, perhaps, err := t.directory.Reset(ctx, name, mark, r.password)
	if err != nil && !perhaps && !r.resumed {
		r.finished = true // it never was anybody's password
		return err
	}
	day := time.Now()
	note := sync.OnceValue(func() error { return write(ctx, day) })
	var both crash.Group
	if err == nil { // it is set, whatever the proof says
		both.Go(func() { _ = note() })
	}
	opened, proofErr := t.session.ProvePassword(ctx, r.user, r.password)
	both.Wait()
	switch {
	case opened && (err == nil || !r.resumed): // set in this run
		return dec.settled(r, day, note())
	case opened: // set by an earlier run, on a day that the journal does not tell: what is recorded may be of the one before
		if write != nil {
			_ = write(ctx, time.Time{})
		}
		r.accepted, r.finished = true, true
		return nil
	case proofErr != nil:
		return unfinished(errors.Join(err, fmt.Errorf("the new password could not be tested: %w", proofErr)))
	}
	barred, barredErr := t.directory.Barred(ctx, name)
	switch {
	case barredErr != nil:
		return unfinished(errors.Join(err, barredErr))
	case barred != "" && err == nil:
		r.warning = fmt.Sprintf("%s has its new password, but it is not tested: the account is %s", r.user, barred)
		return dec.settled(r, day, note())
	case barred != "":
		return unfinished(fmt.Errorf("cannot determine whether the new password was set, because the account is %s: %w", barred, err))
	case err == nil:
		return unfinished(errors.New("the new password was set, but a login with it was refused"))
	case perhaps || errors.Is(err, vcenter.ErrCannotSSO) || errors.Is(err, sso.ErrNotOurs):
		r.refused = true
		return unfinished(err)
	}
	// The password of the journal opens nothing and is not taken, because the policy has become stricter, say.
	if r.password, err = t.sso.Policy.Generate(); err != nil {
		return err
	}
	if err := errors.Join(dec.note(r), dec.ahead().Save()); err != nil {
		return err
	}
	r.resumed = false
	return t.rotate(ctx, dec, r)
}

// settled takes over a password that the vCenter has since a day, which was noted there or not.
func (dec *decision) settled(r *rotation, day time.Time, err error) error {
	r.accepted = true
	if err != nil {
		return unfinished(fmt.Errorf("the new password is in %s, but its date could not be saved in the account's description: %w", dec.Credentials.Path(), err))
	}
	r.finished, r.day = true, day
	return nil
}

func unfinished(err error) error {
	return hint.Wrap(err, "its rotation is unfinished: run it again to finish it")
}

// forget takes accounts that are gone out of the journal, whatever it has them for.
func (dec *decision) forget(gone func(p *part, principal string) bool) error {
	if dec.Journal == nil {
		return nil
	}
	for _, p := range dec.parts {
		if p.err != nil {
			continue
		}
		removed := dec.gone(p.snapshot)
		if dec.undoing {
			removed = append(removed, dec.announced(p.snapshot)...)
		}
		for _, a := range removed {
			principal := a.principal(p.snapshot)
			for _, slot := range credfile.Slots(a.component) {
				if strings.EqualFold(dec.journaled(p.spec.Server, slot).User, principal) && gone(p, principal) {
					dec.Journal.Remove(p.spec.Server, slot)
				}
			}
		}
	}
	return dec.Journal.Save()
}

// announced are the accounts that the journal has and that were never made.
func (q *asked) announced(s *snapshot) []ownAccount {
	var all []ownAccount
	for _, c := range q.Spec.ComponentNames() {
		for _, server := range s.sections {
			n := q.Spec.Account(c).Generation(q.journaled(server, c).User)
			if _, exists := q.ours(s, q.ownAccount(c, n)); n > 0 && q.owns(c) && !exists {
				all = append(all, q.ownAccount(c, n))
			}
		}
	}
	return all
}
