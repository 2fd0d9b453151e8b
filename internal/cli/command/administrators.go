package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/wizard"
)

// AdminLogin is a login of an administrator.
type AdminLogin struct {
	User     string
	Password secret.Secret
}

// same reports whether a vCenter would count both as one login.
func (l AdminLogin) same(other AdminLogin) bool {
	return strings.EqualFold(l.User, other.User) && l.Password.Equal(other.Password)
}

// Administrators log in to vCenters: with what the file, the flags and the variables say, else with what a person is asked.
// One login is asked for all vCenters that need one, by name. Where one is refused it is asked again: for all of them as
// long as none has taken it, which is how a typing mistake looks, then for each that has not. No vCenter gets the same
// user and password twice, and what one refused goes to another only where the person types it for that one ([vcenter.Run]).
//
// A password is sent by a [vcenter.Session], which is there only once the certificate of its vCenter is trusted.
type Administrators struct {
	Streams   *term.Streams
	command   *adminCommand           // nil = none; else nothing below is asked
	file      *credfile.File          // nil = none
	login     AdminLogin              // of the flags or variables, for every vCenter
	Asked     bool                    // for all vCenters of several jobs that share this; nobody asks again before one refuses
	Known     map[string]wizard.Login // what the wizard has logged in with, by server
	Hold      func() func()           // takes live lines off the screen for a question; nil = there are none
	unreached map[string]error        // by server: why nobody was asked for its login

	asking sync.Mutex // one question at a time

	mu      sync.Mutex // of what follows
	answers map[string]*adminAnswer
	refused map[string][]AdminLogin // by server: what that vCenter itself has refused
	last    *adminAnswer            // the newest
}

// adminAnswer is what a person typed, for one vCenter or for several. administrators.mu guards what changes.
type adminAnswer struct {
	AdminLogin
	servers []string
	typed   bool // for one vCenter, after it refused another or was not sent it

	under  int           // logins under way
	idle   chan struct{} // closed when the last of them ends
	opened bool          // a vCenter has taken it
}

// asAdministrator are the components whose account in a file is the login of an administrator: the main one, or else that of an
// auditor, who may look.
func asAdministrator() []component.Name {
	return []component.Name{component.Installer, component.Auditor}
}

// Given is the login of a vCenter that nobody need be asked for. The error is that of a command that was to answer.
func (a *Administrators) Given(ctx context.Context, server string) (AdminLogin, bool, error) {
	if a.command != nil {
		l, err := a.command.login(ctx, server)
		return l, err == nil, err
	}
	l, ok := a.given(server)
	return l, ok, nil
}

// NeedAsking reports whether a person has to be asked for a login: of a vCenter, or, where nobody can be, of all of these.
func (a *Administrators) NeedAsking(servers []string) bool {
	given := func(server string) bool { _, ok := a.given(server); return ok }
	return a.command == nil && len(servers) > 0 && (a.Streams.CanAsk() || !slices.ContainsFunc(servers, given))
}

// given is what file, flags and variables say.
func (a *Administrators) given(server string) (AdminLogin, bool) {
	if a.file != nil {
		for _, c := range asAdministrator() {
			if of, ok := a.file.Get(server, c); ok {
				return AdminLogin{of.User, of.Password}, true
			}
		}
	}
	if l, ok := a.Known[server]; ok {
		return AdminLogin{l.User, l.Password}, true
	}
	return a.login, a.login.User != "" && !a.login.Password.Empty()
}

// Ask gets every login that is not given. apart has each vCenter asked for on its own: nobody has checked who it is. A person
// is not asked for one that connect says could not be sent a password anyway: why is the error of entering it.
func (a *Administrators) Ask(ctx context.Context, servers []string, apart bool, connect func(ctx context.Context, server string) error) error {
	if a.command != nil {
		a.command.askAll(ctx, servers)
		return ctx.Err()
	}
	if a.Asked {
		return nil
	}
	open := slices.DeleteFunc(slices.Clone(servers), func(server string) bool {
		_, ok := a.given(server)
		return ok
	})
	if a.Streams.CanAsk() {
		errs := make([]error, len(open))
		var all crash.Group
		for i, server := range open {
			all.Go(func() { errs[i] = connect(ctx, server) })
		}
		all.Wait()
		a.unreached = map[string]error{}
		for i, server := range open {
			a.unreached[server] = errs[i]
		}
		open = slices.DeleteFunc(open, func(server string) bool { return a.unreached[server] != nil })
	}
	return a.askFor(ctx, loginQuestion{servers: open, apart: apart})
}

// AskLogins is ask for the vCenters of a specification.
func (f *Factory) AskLogins(ctx context.Context, a *Administrators, wanted *spec.Spec, reach func(spec.VCenter) vcenter.Config) error {
	apart, configs := false, map[string]vcenter.Config{}
	for _, v := range wanted.VCenters {
		c := reach(v)
		configs[v.Server], apart = c, apart || c.Insecure
	}
	return a.Ask(ctx, Servers(wanted), apart, func(ctx context.Context, server string) error { return CheckReachable(ctx, configs[server]) })
}

// CheckReachable is the error of a vCenter that could not be sent a password: a person is not asked for one then. One that does not
// answer within ten seconds, for which that person waits, may answer yet.
func CheckReachable(ctx context.Context, c vcenter.Config) error {
	connecting, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	s, err := vcenter.Connect(connecting, c)
	if err == nil {
		s.Close(ctx)
	}
	if connecting.Err() != nil {
		return nil
	}
	return err
}

// Enter logs the administrator in to a vCenter.
func (a *Administrators) Enter(ctx context.Context, s *vcenter.Session) error {
	return a.Admit(ctx, s.Server, func(l AdminLogin, typed bool) error {
		if typed {
			return s.LoginTyped(ctx, l.User, l.Password)
		}
		return s.Login(ctx, l.User, l.Password)
	})
}

// Admit logs in with try, again and again as long as there is another answer.
func (a *Administrators) Admit(ctx context.Context, server string, try func(l AdminLogin, typed bool) error) error {
	switch l, ok, err := a.Given(ctx, server); {
	case err != nil:
		return err
	case ok:
		return try(l, false)
	}
	refusal := cmp.Or(a.unreached[server], fmt.Errorf("%s: no login of an administrator was given", server))
	for now := a.answer(server); now != nil; {
		refusal = a.tried(server, now, func() error { return try(now.AdminLogin, now.typed) })
		if !errors.Is(refusal, vcenter.ErrLogin) || ctx.Err() != nil {
			return refusal
		}
		var err error
		if now, err = a.again(ctx, server, now, refusal); err != nil {
			return fmt.Errorf("%s: %w", server, err)
		}
	}
	return refusal
}

// answer is what was answered for a vCenter last; nil = nothing.
func (a *Administrators) answer(server string) *adminAnswer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answers[server]
}

// tried runs a login, and keeps what became of it.
func (a *Administrators) tried(server string, with *adminAnswer, login func() error) (err error) {
	a.mu.Lock()
	if with.under++; with.under == 1 {
		with.idle = make(chan struct{})
	}
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		switch {
		case err == nil:
			with.opened = true
		case errors.Is(err, vcenter.ErrLogin) && !errors.Is(err, vcenter.ErrNotTried):
			a.refused[server] = append(a.refused[server], with.AdminLogin)
		}
		if with.under--; with.under == 0 {
			close(with.idle)
		}
	}()
	return login()
}

// again is another login for a vCenter that did not take the one before: what was answered meanwhile for several, else what
// is asked now. It is nil where nobody can be asked, or nothing is answered.
func (a *Administrators) again(ctx context.Context, server string, before *adminAnswer, refusal error) (*adminAnswer, error) {
	a.asking.Lock()
	defer a.asking.Unlock()
	a.mu.Lock()
	under, idle := before.under, before.idle
	a.mu.Unlock()
	if under > 0 { // those who wait for it are about to know
		select {
		case <-idle:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if now := a.answer(server); now != before {
		return now, nil
	}
	a.mu.Lock()
	servers := []string{server}
	if !before.opened {
		servers = slices.DeleteFunc(slices.Clone(before.servers), func(s string) bool { return a.answers[s] != before })
	}
	a.mu.Unlock()
	if a.Hold != nil {
		defer a.Hold()()
	}
	err := a.askFor(ctx, loginQuestion{servers: servers, refusal: refusal})
	switch {
	case errors.Is(err, term.ErrNoInput):
		return nil, nil //nolint:nilnil // the refusal is what went wrong
	case err != nil:
		return nil, err
	}
	return a.answer(server), nil
}

// keep makes an answer that of its vCenters.
func (a *Administrators) keep(l AdminLogin, servers []string, typed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers == nil {
		a.answers, a.refused = map[string]*adminAnswer{}, map[string][]AdminLogin{}
	}
	a.last = &adminAnswer{AdminLogin: l, servers: servers, typed: typed}
	for _, server := range servers {
		a.answers[server] = a.last
	}
}

// refuser is a vCenter among these that has refused a login; "" if none has.
func (a *Administrators) refuser(l AdminLogin, servers []string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, server := range servers {
		if slices.ContainsFunc(a.refused[server], l.same) {
			return server
		}
	}
	return ""
}

// requireLogin turns the error of a prompt into one that names what is required of the login, where nobody can be asked.
func (a *Administrators) requireLogin(err error, server, what, how string) error {
	if !errors.Is(err, term.ErrNoInput) {
		return err
	}
	err = fmt.Errorf("%s: the administrator's %s is required: %w", server, what, err)
	if a.file != nil {
		return hint.Wrap(err, fmt.Sprintf("add a section [%s] with user and password to %s, or set %s", server, a.file.Path(), how))
	}
	return hint.Wrap(err, "set "+how+", or both with --admin-credentials")
}
