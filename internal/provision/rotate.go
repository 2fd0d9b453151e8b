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
	dec := j.decided
	if err := dec.announce(); err != nil {
		return nil, hint.Wrap(err, "no password was changed")
	}
	p.Execute(ctx, plan.ExecuteOptions{Parallel: j.o.Parallel, Done: j.done, Finished: j.of(j.rest)})
	for _, r := range dec.rotations {
		if r.warning != "" {
			warnings = append(warnings, r.at.spec.Server+": "+r.warning)
			r.change.Note = strings.TrimPrefix(r.change.Note+"; "+r.warning, "; ")
		}
	}
	return warnings, dec.takeOver()
}

// announce writes the new passwords into the journal.
func (dec *decision) announce() error {
	for _, r := range dec.rotations {
		if err := dec.note(r); err != nil {
			return err
		}
	}
	return dec.saveJournal()
}

func (dec *decision) note(r *rotation) error {
	for _, server := range r.servers {
		if err := dec.Journal.Set(server, r.component, r.account()); err != nil {
			return fmt.Errorf("rotation journal: %w", err)
		}
	}
	return nil
}

func (dec *decision) saveJournal() error {
	if err := dec.Journal.Save(); err != nil {
		return fmt.Errorf("rotation journal: %w", err)
	}
	return nil
}

// takeOver swaps the passwords of the credentials file, and then forgets in the journal what is finished.
func (dec *decision) takeOver() error {
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
		return hint.Wrap(err, "the new passwords are in "+dec.Journal.Path()+"; the same command again takes them over")
	}
	for _, r := range dec.rotations {
		neverBegun := r.change.Status == plan.Skipped && !r.resumed
		for _, server := range r.servers {
			if r.finished || neverBegun {
				dec.Journal.Remove(server, r.component)
			}
		}
	}
	return dec.saveJournal()
}

// rotate sets one password and proves it. What became of a reset whose answer was lost is settled by one login with the
// new password; no password is tried twice.
func (t *target) rotate(ctx context.Context, dec *decision, r *rotation) error {
	name, mark := dec.Spec.Account(r.component).Name, sso.Mark(dec.Spec.Cluster, r.component)
	perhaps, err := t.directory.Reset(ctx, name, mark, r.password)
	if err != nil && !perhaps && !r.resumed {
		r.finished = true // it never was anybody's password
		return err
	}
	opened, proofErr := t.session.ProvePassword(ctx, r.user, r.password)
	switch {
	case opened && (err == nil || !r.resumed): // set in this run
		return t.settled(ctx, dec, r, name, mark)
	case opened: // set by an earlier run, on a day that the journal does not tell
		r.accepted, r.finished = true, true
		return nil
	case proofErr != nil:
		return unfinished(errors.Join(err, fmt.Errorf("the new password could not be proved: %w", proofErr)))
	}
	barred, barredErr := t.directory.Barred(ctx, name)
	switch {
	case barredErr != nil:
		return unfinished(errors.Join(err, barredErr))
	case barred != "" && err == nil:
		r.warning = fmt.Sprintf("%s has its new password, which is not proved: the account is %s", r.user, barred)
		return t.settled(ctx, dec, r, name, mark)
	case barred != "":
		return unfinished(fmt.Errorf("whether the new password was set cannot be told, because the account is %s: %w", barred, err))
	case err == nil:
		return unfinished(errors.New("the new password was set, and a login with it was refused"))
	case perhaps || errors.Is(err, vcenter.ErrCannotSSO) || errors.Is(err, sso.ErrNotOurs):
		return unfinished(err)
	}
	// The password of the journal opens nothing and is not taken, because the policy has become stricter, say.
	if r.password, err = t.sso.Policy.Generate(); err != nil {
		return err
	}
	if err := errors.Join(dec.note(r), dec.saveJournal()); err != nil {
		return err
	}
	r.resumed = false
	return t.rotate(ctx, dec, r)
}

// settled notes the day of a password that the vCenter has.
func (t *target) settled(ctx context.Context, dec *decision, r *rotation, name, mark string) error {
	r.accepted = true
	if err := t.directory.Record(ctx, name, mark, time.Now()); err != nil {
		return unfinished(fmt.Errorf("the new password is in %s, but its day could not be noted in the account's description: %w", dec.Credentials.Path(), err))
	}
	r.finished = true
	return nil
}

func unfinished(err error) error {
	return hint.Wrap(err, "its rotation is unfinished; the same command again finishes it")
}

// forget takes the unfinished rotations of accounts that are gone out of the journal.
func (dec *decision) forget(gone func(p *part, principal string) bool) error {
	if dec.Journal == nil {
		return nil
	}
	for _, p := range dec.parts {
		for _, a := range dec.ownAccounts() {
			if p.err != nil {
				continue
			}
			user, open := dec.pending(p.spec.Server, a.component)
			if principal := a.principal(p.snapshot); open && strings.EqualFold(user, principal) && gone(p, principal) {
				dec.Journal.Remove(p.spec.Server, a.component)
			}
		}
	}
	return dec.saveJournal()
}
