package wizard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// site is a vCenter that was reached.
type site struct {
	v       spec.VCenter // as it was reached
	session *vcenter.Session
	lists   map[string][]vcenter.Item // kind and path → what is there; each is read once
}

// site is the vCenter of a step, nil if it was not reached under its present address.
func (w *wizard) site(vc int) *site {
	v := w.a.vc(vc)
	s := w.sites[v.Server]
	if s == nil || s.v.Port != v.Port || s.v.Address != v.Address {
		return nil
	}
	return s
}

// list reads the objects of one kind, once.
func (w *wizard) list(ctx context.Context, vc int, kind vcenter.Kind, below vcenter.Item) ([]vcenter.Item, error) {
	s := w.site(vc)
	if s == nil {
		return nil, fmt.Errorf("%s is not reached yet", w.a.vc(vc).Server)
	}
	key := fmt.Sprintf("%d %s", kind, below.Path)
	if items, ok := s.lists[key]; ok {
		return items, nil
	}
	done := w.o.Ask.Busy("reading " + s.v.Server)
	items, err := s.session.Browse(ctx, kind, below)
	done()
	if err != nil {
		return nil, &lostError{vc, err}
	}
	s.lists[key] = items
	return items, nil
}

func (w *wizard) drop(ctx context.Context, server string) {
	if s := w.sites[server]; s != nil {
		s.session.Close(context.WithoutCancel(ctx))
		delete(w.sites, server)
	}
}

func (w *wizard) close(ctx context.Context) {
	for server := range w.sites {
		w.drop(ctx, server)
	}
}

func (w *wizard) trusted(server string) string {
	return cmp.Or(w.a.Trust[server], w.o.Thumbprints[server])
}

// reach connects without a login, and has a certificate accepted that nobody vouches for.
func (w *wizard) reach(ctx context.Context, s step) (step, error) {
	next := step{name: "login", vc: s.vc}
	v := *w.a.vc(s.vc)
	if w.site(s.vc) != nil {
		return next, nil
	}
	w.drop(ctx, v.Server)
	config := w.o.Config(v, w.trusted(v.Server))
	config.Run = &w.run
	done := w.o.Ask.Busy("connecting to " + v.Server)
	session, err := vcenter.Connect(ctx, config)
	done()
	switch {
	case errors.Is(err, vcenter.ErrUntrusted):
		if _, renewed := errors.AsType[*vcenter.ThumbprintError](err); renewed {
			w.explain(err)
		}
		return w.trust(ctx, s, config)
	case err != nil:
		return next, &lostError{s.vc, err}
	}
	w.sites[v.Server] = &site{v: v, session: session, lists: map[string][]vcenter.Item{}}
	w.o.Ask.Say(fmt.Sprintf("%s: %s", v.Server, session.Content.About.FullName))
	return next, nil
}

// trust shows a certificate.
func (w *wizard) trust(ctx context.Context, s step, config vcenter.Config) (step, error) {
	v := w.a.vc(s.vc)
	cert, err := vcenter.Certificate(ctx, config)
	if err != nil {
		return s, &lostError{s.vc, err}
	}
	print256 := vcenter.Thumbprint(cert)
	w.o.Ask.Say(
		v.Server+" shows a certificate that no authority known here has signed",
		"  for   "+strings.Join(append(slices.Clone(cert.DNSNames), addresses(cert.IPAddresses)...), " "),
		"  by    "+cert.Issuer.String(),
		"  until "+cert.NotAfter.Format("2006-01-02"),
		"its SHA-256 thumbprint:",
		print256,
	)
	i, err := w.choose(ctx, Choice{
		Message: "is this thumbprint the vCenter's own?",
		Help: "Compare it with what the vCenter's administrator reads there. Whoever stands in between shows another one and would hear the password. " +
			"--cacert FILE makes the question needless.",
		Entries: simple("no, try another address", "yes, trust it", "no, leave this vCenter out", "save and quit"),
		Default: 0,
	})
	if err != nil {
		return s, err
	}
	switch i {
	case 0:
		return w.otherAddress(ctx, s)
	case 1:
		w.a.Trust[v.Server] = print256
		return s, nil
	case 2:
		return w.leaveOut(s.vc)
	}
	return s, errStop
}

func addresses[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = a.String()
	}
	return out
}

// login logs the administrator in, with what the flags say or what is asked.
func (w *wizard) login(ctx context.Context, s step) (step, error) {
	next := step{name: "check", vc: s.vc}
	v := w.a.vc(s.vc)
	site := w.site(s.vc)
	switch {
	case site == nil:
		return step{name: "reach", vc: s.vc}, nil
	case site.session.User != "":
		return next, nil
	}
	l, known := w.logins[v.Server]
	if !known {
		user, password, err := w.o.Login(ctx, v.Server)
		if err != nil {
			return next, err
		}
		l, known = Login{user, password}, user != ""
	}
	if !known {
		var err error
		if l, err = w.askLogin(ctx, v.Server); err != nil {
			return next, err
		}
	}
	done := w.o.Ask.Busy("logging in to " + v.Server)
	err := site.session.Login(ctx, l.User, l.Password)
	done()
	switch {
	case errors.Is(err, vcenter.ErrLogin) && ctx.Err() == nil:
		w.explain(err)
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

func (w *wizard) askLogin(ctx context.Context, server string) (Login, error) {
	user, err := w.line(ctx, Line{
		Message: "administrator of " + server, Default: cmp.Or(w.a.Users[server], w.last.User, "administrator@vsphere.local"),
		Help: "Who may make roles, accounts and permissions there. The login is used for this run and kept nowhere.",
		Check: func(text string) error {
			if text == "" {
				return errors.New("a name is needed, like administrator@vsphere.local")
			}
			return nil
		},
	})
	if err != nil {
		return Login{}, err
	}
	label := "password of " + user
	same := user == w.last.User && !w.last.Password.Empty()
	if same {
		label += " [the same]"
	}
	for {
		text, err := w.password(ctx, Line{Message: label, Help: "It is not shown, and it is kept nowhere."})
		switch {
		case err != nil:
			return Login{}, err
		case text == "" && same:
			return Login{user, w.last.Password}, nil
		case text != "":
			password := secret.New(text)
			w.run.Forget(user, password) // whoever types it again wants it tried again
			return Login{user, password}, nil
		}
		w.o.Ask.Say("! a password is needed")
	}
}

// refused asks what becomes of a vCenter that refuses a login. Nothing is tried by itself: wrong passwords lock accounts.
func (w *wizard) refused(ctx context.Context, s step) (step, error) {
	i, err := w.choose(ctx, Choice{
		Message: "login refused: what now?",
		Help:    "By default a vCenter locks an account for minutes after five wrong passwords in three minutes.",
		Entries: simple("another login", "leave this vCenter out", "save and quit"),
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

// lost asks what becomes of a vCenter that does not answer.
func (w *wizard) lost(ctx context.Context, at step, lost *lostError) (step, error) {
	w.explain(lost)
	i, err := w.choose(ctx, Choice{
		Message: w.a.vc(lost.vc).Server + ": what now?",
		Help:    "Everything that was answered is kept, whatever you choose.",
		Entries: simple("try again", "another address", "leave this vCenter out", "save and quit"),
	})
	switch {
	case errors.Is(err, errBack):
		return w.back(at), nil
	case err != nil:
		return at, err
	}
	w.backing = false
	switch i {
	case 1:
		next, err := w.otherAddress(ctx, step{name: at.name, vc: lost.vc, fd: at.fd})
		if errors.Is(err, errBack) {
			return at, nil
		}
		if strings.HasPrefix(at.name, "domain") {
			w.later = at
		}
		return next, err
	case 2:
		return w.leaveOut(lost.vc)
	case 3:
		return at, errStop
	}
	return at, nil
}

// otherAddress asks where a vCenter really is, and goes on there with what was answered.
func (w *wizard) otherAddress(ctx context.Context, s step) (step, error) {
	v := w.a.vc(s.vc)
	text, err := w.line(ctx, Line{
		Message: "address of " + v.Server, Default: cmp.Or(v.Address, hostPort(*v)),
		Help: "host or host:port to connect to instead. The certificate is still checked against " + v.Server + ".",
		Check: func(text string) error {
			_, err := spec.FromServers([]string{text})
			return err
		},
	})
	if err != nil {
		return s, err
	}
	named, err := spec.FromServers([]string{text})
	if err != nil {
		return s, err
	}
	v.Address = ""
	if a := named.VCenters[0]; a.Server != v.Server || a.Port != v.Port {
		v.Address = fmt.Sprintf("%s:%d", bracketed(a.Server), a.Port)
	}
	delete(w.o.Addresses, v.Server) // this one is newer
	w.drop(ctx, v.Server)
	return step{name: "reach", vc: s.vc}, nil
}

func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// leaveOut goes on without a vCenter. Its answers stay in the draft.
func (w *wizard) leaveOut(vc int) (step, error) {
	v := *w.a.vc(vc)
	w.a.Left = append(slices.DeleteFunc(w.a.Left, func(o spec.VCenter) bool { return o.Server == v.Server }), v)
	w.a.Spec.VCenters = slices.Delete(w.a.Spec.VCenters, vc, vc+1)
	w.forget(vc)
	if vc == 0 || vc < len(w.a.Spec.VCenters) {
		return step{name: "server", vc: vc}, nil
	}
	return step{name: "more", vc: vc - 1}, nil
}
