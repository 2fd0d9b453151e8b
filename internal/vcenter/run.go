package vcenter

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// ErrNotTried says that a password was not sent: the run was interrupted, or a vCenter had refused
// it before, and then the error is an [ErrLogin] too.
var ErrNotTried = errors.New("login skipped")

// Run is what the sessions of one run share ([Config].Run): the outcome for each user and password,
// and the answers of lookup services. The zero value is ready; methods are safe in parallel.
//
// The first login with a user and password runs alone. Once a vCenter refuses them they are sent
// nowhere else, not even by a second login or to the token service, because vCenters that share a
// directory would count failures together and lock the account. An SSO domain that accepted them
// goes on. After the first success, one login runs alone in every other SSO domain, whose account
// of that name may have another password. A login without an answer may have counted as a failure,
// so it is not repeated in its SSO domain. The SSO domain's own administrator never waits: that
// account is never locked (vSphere Authentication, lockout policy).
type Run struct {
	VCenters int // worked on at once, set before the first session; default 1

	mu            sync.Mutex
	tried         map[credential]*loginRecord
	keys          map[string]bool // of the sessions that were opened
	registrations map[string]*kept[[]registration]
	lines         map[lineKey]*line
	lists         idLists
	answers       sync.Pool // buffers for answers; see wire
}

type credential struct {
	user     string
	password [sha256.Size]byte
}

// loginRecord is what is known of one user and password. Run.mu guards it.
type loginRecord struct {
	refused error           // the first refusal, in words
	by      []*Session      // who refused
	taken   []*Session      // who took them
	times   int             // refused, in all: who refused is known anew whenever it grows
	unheard []unheard       // logins that got no answer
	opened  map[string]bool // keys of SSO domains that took them; "" for one that is not known
	alone   map[string]int  // logins under way that others wait for, by the same keys
	waiting int
	changed chan struct{} // closed when any of that changes
}

// unheard is a login that got no answer: it may have been refused, and counted.
type unheard struct {
	by  *Session
	err error // why, in words
}

// home is the SSO domain of a vCenter; the zero value where it is not known.
type home struct {
	name string // lower case
	key  string // equal for vCenters that share the domain; equal names prove nothing
}

// attempt is a login that is about to be sent.
type attempt struct {
	session  *Session
	user     string
	password secret.Secret
	again    bool // the session was lost: what opened before may not open any more
	anyway   bool // the caller knows of the refusals, and wants an answer of its own
	typed    bool // a person who knows of the refusals elsewhere typed it for this vCenter
}

// send runs login when its turn has come. Its error is login's own, or an ErrNotTried.
func (r *Run) send(ctx context.Context, a attempt, login func() error) error {
	var at home
	located, other, seen := false, false, 0 // other: its SSO domain refused nothing yet
	var silent error                        // why its SSO domain did not answer
	heard, lost := 0, a.again
	for {
		r.mu.Lock()
		t := r.of(a)
		if a.again {
			clear(t.opened)
			a.again = false
		}
		switch {
		case ctx.Err() != nil:
			r.mu.Unlock()
			return fmt.Errorf("%s: %w: %w", a.session.Server, ErrNotTried, Ended(ctx))
		case len(t.unheard) != heard && !a.anyway && !a.typed:
			heard = len(t.unheard)
			all, taken := slices.Clone(t.unheard), slices.Clone(t.taken)
			if lost { // what opened before may not open any more
				taken = nil
			}
			r.wait(t, func() {
				at, located = a.session.home(ctx), true
				silent = at.silence(ctx, all, taken)
			})
		case silent != nil && !at.administrator(a.user):
			r.mu.Unlock()
			return hint.Errorf("a wrong password counts even if no answer comes back: run it again when the vCenter answers",
				"%s: %w: a login with these credentials got no answer in this SSO domain: %w", a.session.Server,
				ErrNotTried, silent)
		case a.anyway || !a.typed && at.administrator(a.user) || t.untouched() ||
			t.refused == nil && located && t.first(at.key),
			other && seen == t.times && t.alone[at.key]+t.alone[""] == 0:
			alone := at.key == "" || !t.opened[at.key]
			if alone {
				t.alone[at.key]++
			}
			r.mu.Unlock()
			return r.answer(ctx, t, a, at, alone, login)
		case t.refused != nil && (a.typed || len(t.taken) > 0) && seen != t.times: // it may grow
			seen = t.times
			by, taken := slices.Clone(t.by), slices.Clone(t.taken)
			r.wait(t, func() {
				at, located = a.session.home(ctx), true
				other = at.key != "" && (a.typed || slices.ContainsFunc(taken, func(s *Session) bool { return s.home(ctx).key == at.key })) &&
					!slices.ContainsFunc(by, func(s *Session) bool {
						refuser := s.home(ctx)
						return refuser.key == "" || refuser.key == at.key
					})
			})
		case t.refused != nil && !other && (located || !strings.HasPrefix(plainUser(a.user), "administrator@")):
			r.mu.Unlock()
			return fmt.Errorf("%s: %w: these credentials were already rejected: %w", a.session.Server,
				ErrNotTried, t.refused)
		case !located:
			r.wait(t, func() { at, located = a.session.home(ctx), true })
		default:
			changed := t.changed
			r.wait(t, func() {
				select {
				case <-changed:
				case <-ctx.Done():
				}
			})
		}
	}
}

// wait runs f without r.mu, which is held before.
func (r *Run) wait(t *loginRecord, f func()) {
	t.waiting++
	r.mu.Unlock()
	f()
	r.mu.Lock()
	t.waiting--
	r.mu.Unlock()
}

// answer sends a login. Those who wait for it are woken even if it panics.
func (r *Run) answer(ctx context.Context, t *loginRecord, a attempt, at home, alone bool, login func() error) (err error) {
	err = errors.New("no answer")
	defer func() { r.learn(ctx, t, a, err, at, alone) }()
	return login()
}

// learn remembers the answer to a login and wakes the waiting ones. If there are any, it looks up
// the SSO domain, so that others of that domain need not run alone.
func (r *Run) learn(ctx context.Context, t *loginRecord, a attempt, err error, at home, alone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	domain := at.key
	if opens(err) && domain == "" && (t.waiting > 0 || a.session.discovering.Load()) {
		r.mu.Unlock()
		domain = a.session.home(ctx).key
		r.mu.Lock()
	}
	if alone {
		if t.alone[at.key]--; t.alone[at.key] == 0 {
			delete(t.alone, at.key)
		}
	}
	switch {
	case opens(err):
		t.opened[domain] = true
		t.taken = lists.AppendNew(t.taken, a.session)
		if a.anyway {
			t.refused, t.by = nil, nil
		}
	case refusal(err) != nil:
		t.by = append(t.by, a.session)
		t.times++
		if t.refused == nil {
			t.refused = a.session.config.explain(a.user, err)
		}
	case a.session.config.arrived(err):
		t.unheard = append(t.unheard, unheard{a.session, a.session.config.explain(a.user, err)})
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// of gives what is known of a user and password. r.mu is held.
func (r *Run) of(a attempt) *loginRecord {
	key := credential{plainUser(a.user), sha256.Sum256([]byte(a.password.Reveal()))}
	if r.tried == nil {
		r.tried = map[credential]*loginRecord{}
	}
	if r.tried[key] == nil {
		r.tried[key] = &loginRecord{opened: map[string]bool{}, alone: map[string]int{}, changed: make(chan struct{})}
	}
	return r.tried[key]
}

// untouched: no answer came, and no login waits for one.
func (l *loginRecord) untouched() bool {
	return l.refused == nil && len(l.opened) == 0 && len(l.alone) == 0 && len(l.unheard) == 0
}

// silence is why it is unknown whether an SSO domain refused a login; nil if it accepted it or was
// not asked. An unknown domain may be any.
func (h home) silence(ctx context.Context, all []unheard, taken []*Session) error {
	if h.key != "" && slices.ContainsFunc(taken, func(s *Session) bool { return s.home(ctx).key == h.key }) {
		return nil
	}
	for _, u := range all {
		if asked := u.by.home(ctx).key; asked == "" || h.key == "" || asked == h.key {
			return u.err
		}
	}
	return nil
}

// first reports whether a login to an SSO domain need not wait, because none was refused yet.
func (l *loginRecord) first(key string) bool {
	return l.alone[key] == 0 && (len(l.opened) > 0 || len(l.alone) == 0)
}

// opens reports whether the answer to a login proves the password. Without any permission, a user
// with the right password gets NoPermission.
func opens(err error) bool { return err == nil || len(MissingPrivileges(err)) > 0 }

// administrator reports whether user is the administrator of this SSO domain; false if it is
// unknown.
func (h home) administrator(user string) bool {
	return h.name != "" && plainUser(user) == "administrator@"+h.name
}

// plainUser is one spelling of name@domain and DOMAIN\name.
func plainUser(user string) string {
	if domain, name, ok := strings.Cut(user, `\`); ok {
		user = name + "@" + domain
	}
	return strings.ToLower(user)
}

// home is the SSO domain of the session's vCenter, as its lookup service tells it to everybody.
func (s *Session) home(ctx context.Context) home {
	admin, _, err := s.ssoEndpoints(ctx)
	if err != nil {
		return home{}
	}
	peers, err := s.Peers(ctx)
	if err != nil {
		return home{}
	}
	name := strings.ToLower(path.Base(admin))
	return home{name, name + " " + slices.Min(peers)}
}

// registered is where the answer of a vCenter's lookup service is kept for all sessions of the run.
func (r *Run) registered(server string) *kept[[]registration] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.registrations == nil {
		r.registrations = map[string]*kept[[]registration]{}
	}
	if r.registrations[server] == nil {
		r.registrations[server] = &kept[[]registration]{}
	}
	return r.registrations[server]
}

// kept computes a value once for all callers. A failure is not kept.
type kept[T any] struct {
	mu    sync.Mutex
	done  bool
	value T
}

func (k *kept[T]) get(f func() (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done {
		return k.value, nil
	}
	value, err := f()
	if err == nil {
		k.value, k.done = value, true
	}
	return value, err
}

// opened notes a session of this run.
func (r *Run) opened(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys == nil {
		r.keys = map[string]bool{}
	}
	r.keys[key] = true
}

// has reports whether this run opened a session.
func (r *Run) has(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keys[key]
}
