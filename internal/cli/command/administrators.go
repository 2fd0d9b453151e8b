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
func (a AdminLogin) same(other AdminLogin) bool {
	return strings.EqualFold(a.User, other.User) && a.Password.Equal(other.Password)
}

// Administrators log in to vCenters with the login of the file, the flags and the variables, else
// with one that the person is asked for. The person is asked once for all vCenters that need a
// login. After a refusal the question comes again: for all vCenters while none has accepted the
// login, then for each that has not. No vCenter gets the same user and password twice; a refused
// password goes to another vCenter only if it is typed for that one ([vcenter.Run]).
//
// A password is sent by a [vcenter.Session], which exists only once the vCenter's certificate is
// trusted.
type Administrators struct {
	Streams   *term.Streams
	command   *adminCommand           // nil = none; else nothing below is asked
	file      *credfile.File          // nil = none
	login     AdminLogin              // of the flags or variables, for every vCenter
	from      string                  // what names its user; "" = nothing
	Asked     bool                    // for all vCenters of several jobs; the next question follows a refusal
	Known     map[string]wizard.Login // what the wizard has logged in with, by server
	Hold      func() func()           // hides live lines for a question; nil = none
	unreached map[string]error        // by server: why its login was not asked for

	asking sync.Mutex // one question at a time

	mu      sync.Mutex // of what follows
	answers map[string]*adminAnswer
	refused map[string][]AdminLogin // by server: what that vCenter itself has refused
	last    *adminAnswer            // the newest
}

// adminAnswer is what a person typed for vCenters. Administrators.mu guards what changes.
type adminAnswer struct {
	AdminLogin
	servers []string
	typed   bool // for one vCenter, after it refused another or was not sent it

	under  int           // logins under way
	idle   chan struct{} // closed when the last of them ends
	opened bool          // a vCenter has taken it
}

// asAdministrator are the components whose account in a file may be the administrator's.
func asAdministrator() []component.Name {
	return []component.Name{component.Installer, component.Auditor}
}

// Given is the login of a vCenter that needs no question. The error is that of --admin-command.
func (a *Administrators) Given(ctx context.Context, server string) (AdminLogin, bool, error) {
	if a.command != nil {
		l, err := a.command.login(ctx, server)
		return l, err == nil, err
	}
	l, ok := a.given(server)
	return l, ok, nil
}

// Login is what an administrator's login of a vCenter would be.
type Login struct {
	Server   string `json:"server"`
	User     string `json:"user"`     // "" = it is not known here
	From     string `json:"from"`     // what names the user, or would
	Password string `json:"password"` // "set", or where it would come from
}

// Logins are those of vCenters. It asks and runs nothing.
func (a *Administrators) Logins(servers []string) (all []Login) {
	for _, server := range servers {
		l, given := a.given(server)
		found := Login{server, l.User, a.from, "set"}
		switch {
		case a.command != nil:
			found = Login{server, "", "--" + adminCommandFlag, "from there"}
		case a.file != nil && given && !l.same(a.login):
			found.From = a.file.Path()
		case l.User == "":
			found.From, found.Password = "a prompt", "from there"
		case !given:
			found.Password = "to be asked for"
		}
		all = append(all, found)
	}
	return all
}

// NeedAsking reports whether a login has to be asked for: of a vCenter, or of any of these.
func (a *Administrators) NeedAsking(servers []string) bool {
	given := func(server string) bool { _, ok := a.given(server); return ok }
	return a.command == nil && len(servers) > 0 && (a.Streams.CanAsk() || !slices.ContainsFunc(servers, given))
}

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

// Ask asks for every login that is not given, for each vCenter if apart, because its identity was
// not checked. It skips vCenters that connect cannot reach: that error comes on login.
func (a *Administrators) Ask(ctx context.Context, servers []string, apart bool,
	connect func(ctx context.Context, server string) error,
) error {
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

// AskLogins is Ask for the vCenters of a specification.
func (f *Factory) AskLogins(ctx context.Context, a *Administrators, wanted *spec.Spec, reach func(spec.VCenter) vcenter.Config) error {
	apart, configs := false, map[string]vcenter.Config{}
	for _, v := range wanted.VCenters {
		c := reach(v)
		configs[v.Server], apart = c, apart || c.Insecure
	}
	return a.Ask(ctx, Servers(wanted), apart, func(ctx context.Context, server string) error {
		return CheckReachable(ctx, configs[server])
	})
}

// CheckReachable is the error of a vCenter that cannot be sent a password, within ten seconds.
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

// Admit logs in with try, again as long as there is another answer.
func (a *Administrators) Admit(ctx context.Context, server string, try func(l AdminLogin, typed bool) error) error {
	switch l, ok, err := a.Given(ctx, server); {
	case err != nil:
		return err
	case ok:
		return try(l, false)
	}
	refusal := cmp.Or(a.unreached[server], fmt.Errorf("%s: no login of an administrator was given", server))
	for now := a.answer(server); now != nil; {
		refusal = a.attempt(server, now, func() error { return try(now.AdminLogin, now.typed) })
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

// answer is the last answer for a vCenter; nil = none.
func (a *Administrators) answer(server string) *adminAnswer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answers[server]
}

func (a *Administrators) attempt(server string, with *adminAnswer, login func() error) (err error) {
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

// again is another login for a vCenter that refused the last one: an answer given meanwhile for
// several, else a new one. It is nil without a terminal or an answer.
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
		servers = slices.DeleteFunc(slices.Clone(before.servers), func(s string) bool {
			return a.answers[s] != before
		})
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

// refuser is the first of these vCenters that has refused a login; "" = none.
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

// requireLogin names what the login requires in the error of a prompt without a terminal.
func (a *Administrators) requireLogin(err error, server, what, how string) error {
	if !errors.Is(err, term.ErrNoInput) {
		return err
	}
	err = fmt.Errorf("%s: the administrator's %s is required: %w", server, what, err)
	if a.file != nil {
		if other := a.file.OtherCase(server); other != "" {
			err = hint.Wrap(err, a.file.Path()+" has a section ["+other+
				"]: if that is the vCenter, write its name so in every file")
		} else if near := hint.Nearest(server, a.file.Servers()); near != "" {
			how += "; did you mean " + near + ", which it has?"
		}
		return hint.Wrap(err, fmt.Sprintf("add a section [%s] with user and password to %s, or set %s", server, a.file.Path(), how))
	}
	return hint.Wrap(err, "set "+how+", or both with --admin-credentials")
}
