package wizard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// login logs the administrator in, with flags or questions. The certificate is trusted already.
func (w *wizard) login(ctx context.Context, s step) (step, error) {
	next := step{name: "check", vc: s.vc}
	v := w.a.vc(s.vc)
	site, err := w.site(s.vc)
	if err != nil || site.session.User != "" {
		return next, err
	}
	l, known := w.logins[v.Server]
	if !known {
		l, known = w.o.Login(v.Server)
	}
	if !known {
		if l, err = w.firstLogin(ctx, v.Server); err != nil {
			return next, err
		}
	}
	enter := site.session.Login
	if len(w.refusals[v.Server]) > 0 { // typed for this vCenter
		enter = site.session.LoginTyped
	}
	done := w.o.Ask.Busy("logging in to " + v.Server)
	err = enter(ctx, l.User, l.Password)
	done()
	switch {
	case errors.Is(err, vcenter.ErrLogin) && ctx.Err() == nil:
		w.explain(err)
		w.refusals[v.Server] = append(w.refusals[v.Server], refusal{l, !errors.Is(err, vcenter.ErrNotTried)})
		delete(w.logins, v.Server)
		return w.refused(ctx, s)
	case err != nil:
		w.logins[v.Server] = l
		return next, &lostError{s.vc, err}
	}
	w.logins[v.Server], w.last, w.a.Users[v.Server] = l, l, l.User
	w.o.Ask.Say(fmt.Sprintf("%s: logged in as %s", v.Server, site.session.User))
	return next, nil
}

// refusal is a login that led nowhere on a vCenter.
type refusal struct {
	Login
	sent bool // to this vCenter; else another one had refused it
}

// firstLogin offers the last vCenter's login, unless this vCenter has another administrator.
func (w *wizard) firstLogin(ctx context.Context, server string) (Login, error) {
	if w.last.Password.Empty() || !strings.EqualFold(cmp.Or(w.a.Users[server], w.last.User), w.last.User) {
		return w.askLogin(ctx, server)
	}
	yes, err := w.confirm(ctx, Choice{
		Message: "log in to " + server + " with the same user and password?",
		Help:    "As " + w.last.User + ". The password is sent to another vCenter only if you confirm it.",
	}, true)
	switch {
	case err != nil:
		return Login{}, err
	case yes:
		return w.last, nil
	}
	return w.askLogin(ctx, server)
}

// userName is name@domain or DOMAIN\name, with any sign that a directory may have in a name.
var userName = pattern.Of(`^[^@\\\s]+@[A-Za-z0-9.-]+$|^[A-Za-z0-9.-]+\\[^@\\]+$`)

func (w *wizard) askLogin(ctx context.Context, server string) (Login, error) {
	user, err := w.line(ctx, Line{
		Message: "administrator of " + server, Default: cmp.Or(w.a.Users[server], w.last.User, "administrator@vsphere.local"),
		Help: "An account that can create roles, users and permissions there. The password is kept in memory, for this run only.",
		Check: func(text string) error {
			if !userName().MatchString(text) {
				return errors.New("a name with its domain is required, such as administrator@vsphere.local; the password is asked for next")
			}
			return nil
		},
	})
	if err != nil {
		return Login{}, err
	}
	for {
		text, err := w.o.Ask.Password(ctx,
			Line{Message: "password of " + user, Help: "It is neither shown nor saved."})
		l := Login{user, secret.New(text)}
		switch {
		case err != nil:
			return Login{}, err
		case text == "":
			w.o.Ask.Say("! a password is required")
		case slices.ContainsFunc(w.refusals[server], func(r refusal) bool { // as a vCenter counts them
			return r.sent && strings.EqualFold(l.User, r.User) && l.Password.Equal(r.Password)
		}):
			w.o.Ask.Say("! " + server + " has already refused this user and password: they are not sent again")
		default:
			return l, nil
		}
	}
}

// refused asks what to do after a refused login. It never retries by itself: wrong passwords lock
// accounts.
func (w *wizard) refused(ctx context.Context, s step) (step, error) {
	i, err := w.choose(ctx, Choice{
		Message: "login refused: what now?",
		Help:    "By default a vCenter locks an account for five minutes after five wrong passwords within three minutes.",
		Entries: simple("use another login", "skip this vCenter", "save and quit"),
	})
	switch {
	case err != nil:
		return s, err
	case i == 1:
		return w.leaveOut(s.vc)
	case i == 2:
		return s, errStop
	}
	login, err := w.askLogin(ctx, w.a.vc(s.vc).Server)
	if err == nil {
		w.logins[w.a.vc(s.vc).Server] = login
	}
	return s, err
}
