// Package wizard asks for the contents of a provisioning file, browsing the vCenters for choices.
// Its answer is a specification; functions of the caller use it.
//
// The questions are steps of a state machine without a terminal ([Asker]). Every answer becomes the
// default of its question: after going back, after a failure and, through a draft on disk, in the
// next run.
package wizard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Options are what a run needs. Ask, Config and the functions of the job are required.
type Options struct {
	Ask           Asker
	Out           string            // the provisioning file; Out + ".draft" holds answers meanwhile
	Overwrite     bool              // replace a file at Out without asking; not another file
	InstallConfig string            // one to read; "" = offer DefaultInstallConfig where there is one
	Cluster       *spec.Spec        // a running cluster, instead of an install-config; or nil
	Servers       []string          // vCenters that are known, "host" or "host:port"
	Addresses     map[string]string // server → host:port to reach it under
	Thumbprints   map[string]string // server → thumbprint that is trusted
	User          string            // the administrator who is offered first

	// Config says how to reach a vCenter. An accepted thumbprint replaces the check of its
	// certificate; authorities as PEM replace those of the flags.
	Config func(v spec.VCenter, thumbprint string, ca []byte) vcenter.Config
	// CACert reads a file of authorities.
	CACert func(path string) (pem []byte, err error)
	// Login is an administrator's login that need not be asked for; ok says whether there is one.
	Login func(server string) (l Login, ok bool)
	// Plan shows what would be done. The text that it returns stands for just this plan.
	Plan func(ctx context.Context, j Job) (digest string, err error)
	// Write writes the provisioning file or draft, atomically and for its owner only.
	Write func(path string, data []byte) error
	// Apply does it, Verify proves it. Both say themselves what became of it.
	Apply, Verify func(ctx context.Context, j Job) error
}

// DefaultInstallConfig is the file that is offered where none is named.
const DefaultInstallConfig = "install-config.yaml"

// Job is what the questions came to.
type Job struct {
	Spec          *spec.Spec
	File          string // the provisioning file, which exists once the questions are done
	InstallConfig string // from which answers are; "" = none
	CreateFolders bool   // some folders are to be made
	Thumbprints   map[string]string
	CACert        string           // file of authorities that was answered; "" = what the flags say
	Logins        map[string]Login // by server
	Agreed        string           // digest of the plan that the person saw and agreed to
}

// Login is an administrator's.
type Login struct {
	User     string
	Password secret.Secret
}

// Done says what a run led to.
type Done struct {
	Job
	Applied bool
}

// StoppedError says that the person left early. Draft holds the answers, "" if there are none.
type StoppedError struct {
	Draft       string
	Interrupted bool
	err         error
}

// Error implements error.
func (e *StoppedError) Error() string {
	what := "stopped"
	if e.Interrupted {
		what = "interrupted"
	}
	if e.Draft == "" {
		return what + "; there was nothing to keep"
	}
	return fmt.Sprintf("%s; the answers so far are in %s, without passwords, and the next run offers them again", what, e.Draft)
}

// Unwrap gives the cause.
func (e *StoppedError) Unwrap() error { return e.err }

// errStop is the wish to save and quit.
var errStop = errors.New("stopped")

// lostError is a vCenter that could not be read. The questions go on when the person has decided
// what becomes of it.
type lostError struct {
	vc    int
	error // nil = it has not been reached yet, under its present address
}

// Unwrap gives the cause, with its hints.
func (e *lostError) Unwrap() error { return e.error }

// step is a place in the questions: which one, of which vCenter and which of its failure domains.
type step struct {
	name   string
	vc, fd int
}

// to is another question at the same place.
func (s step) to(name string) step { return step{name, s.vc, s.fd} }

type wizard struct {
	o        Options
	a        answers
	history  []step // those that asked something
	asked    bool   // whether the current one did
	later    step   // where to go on when a vCenter is back under another address
	backing  bool   // on the way back: what asks nothing is ignored
	sites    map[string]*site
	logins   map[string]Login
	last     Login                // the one that was taken last
	refusals map[string][]refusal // by server
	run      vcenter.Run          // what became of all logins
	ca       []byte               // authorities that were answered; nil = what the flags say
	shown    string               // digest of the plan that was shown
	saved    bool                 // whether a draft is on disk
	mute     bool                 // the draft cannot be written; said once
	done     Done
}

// end is the step after the last.
const end = "end"

// Run asks until there is a provisioning file, and plans or applies it as wanted. It returns a
// *StoppedError when the person leaves before that.
func Run(ctx context.Context, o Options) (Done, error) {
	o.Addresses = maps.Clone(o.Addresses)
	w := &wizard{
		o: o, a: blank(), sites: map[string]*site{}, logins: map[string]Login{},
		refusals: map[string][]refusal{}, last: Login{User: o.User},
	}
	defer w.close(ctx)
	at := step{name: "resume"}
	for at.name != end {
		next, err := w.once(ctx, at)
		if err != nil {
			return w.done, w.stopped(ctx, err)
		}
		at = next
	}
	return w.done, nil
}

// once runs a step and finds the next one, forward or back.
func (w *wizard) once(ctx context.Context, at step) (step, error) {
	w.asked = false
	next, err := w.table()[at.name](ctx, at)
	var lost *lostError
	if errors.As(err, &lost) && lost.error == nil {
		next, err = step{name: "reach", vc: lost.vc}, nil
	}
	switch {
	case errors.Is(err, errBack):
		return w.back(at), nil
	case errors.As(err, &lost) && ctx.Err() == nil:
		return w.lost(ctx, at, lost)
	case err != nil:
		return at, err
	case w.backing && !w.asked:
		return w.back(at), nil
	}
	w.backing = false
	if w.asked {
		w.history = append(w.history, at)
		w.save()
	}
	return next, nil
}

// back is the last step that asked something.
func (w *wizard) back(at step) step {
	if len(w.history) == 0 {
		w.o.Ask.Say("this is the first question")
		w.backing = false
		return at
	}
	w.backing = true
	last := w.history[len(w.history)-1]
	w.history = w.history[:len(w.history)-1]
	return last
}

// forget removes the steps of a removed vCenter from the history; later vCenters have moved up.
func (w *wizard) forget(vc int) {
	w.later = step{}
	w.history = slices.DeleteFunc(w.history, func(s step) bool { return s.vc == vc && ofVCenter(s.name) })
	for i, s := range w.history {
		if s.vc > vc {
			w.history[i].vc--
		}
	}
}

// ofVCenter reports whether a step is about one vCenter.
func ofVCenter(name string) bool {
	return slices.Contains([]string{"server", "reach", "login", "check", "more"}, name) ||
		strings.HasPrefix(name, "domain")
}

// stopped says how the person left. After a signal, it returns the cause of ctx, not
// context.Canceled.
func (w *wizard) stopped(ctx context.Context, err error) error {
	interrupted := errors.Is(err, ErrInterrupted) || ctx.Err() != nil
	if !interrupted && !errors.Is(err, errStop) {
		if w.saved {
			return fmt.Errorf("%w (the answers so far are in %s)", err, w.draft())
		}
		return err
	}
	out := &StoppedError{Interrupted: interrupted, err: err}
	if w.saved {
		out.Draft = w.draft()
	}
	return out
}

// The questions themselves, through which every step goes.

func (w *wizard) choose(ctx context.Context, q Choice) (int, error) {
	w.asked = true
	return w.o.Ask.Select(ctx, q)
}

// some asks which of a list, shown one by one; some are chosen already.
func some[T any](ctx context.Context, w *wizard, q Choices, list []T, show func(T) (e Entry, chosen bool)) ([]int, error) {
	for i, v := range list {
		e, chosen := show(v)
		q.Entries = append(q.Entries, e)
		if chosen {
			q.Default = append(q.Default, i)
		}
	}
	w.asked = true
	return w.o.Ask.MultiSelect(ctx, q)
}

// atLeastOne is the check of what cannot be left out.
func atLeastOne(chosen []int) error {
	if len(chosen) == 0 {
		return errors.New("select at least one with space")
	}
	return nil
}

// line refuses a password that was typed before: names are shown, and kept in the draft.
func (w *wizard) line(ctx context.Context, q Line) (string, error) {
	w.asked = true
	check := q.Check
	q.Check = func(text string) error {
		switch {
		case w.isPassword(text):
			return errors.New("this is the password that was typed before: no name is the same")
		case check == nil:
			return nil
		}
		return check(text)
	}
	return w.o.Ask.Input(ctx, q)
}

func (w *wizard) isPassword(text string) bool {
	typed := append(slices.Collect(maps.Values(w.logins)), w.last)
	for _, refused := range w.refusals {
		for _, r := range refused {
			typed = append(typed, r.Login)
		}
	}
	return slices.ContainsFunc(typed, func(l Login) bool { return !l.Password.Empty() && l.Password.Equal(secret.New(text)) })
}

// confirm asks for yes or no by a list, so that it goes back like all others.
func (w *wizard) confirm(ctx context.Context, q Choice, fallback bool) (bool, error) {
	q.Entries, q.Default = simple("yes", "no"), rank(fallback)
	i, err := w.choose(ctx, q)
	return i == 0 && err == nil, err
}

// explain shows an error with its hints.
func (w *wizard) explain(err error) {
	lines := strings.Split("! "+term.ErrorText(err), "\n")
	for _, h := range term.Hints(err) {
		lines = append(lines, "  hint: "+h)
	}
	w.o.Ask.Say(lines...)
}

func simple(labels ...string) []Entry {
	entries := make([]Entry, len(labels))
	for i, l := range labels {
		entries[i] = Entry{Label: l}
	}
	return entries
}
