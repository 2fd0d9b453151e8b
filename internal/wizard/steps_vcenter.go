package wizard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// site is a vCenter that was reached.
type site struct {
	v       spec.VCenter // as it was reached
	session *vcenter.Session
	lists   map[string][]vcenter.Item    // kind and path → what is there; each is read once
	tags    map[string]map[string]string // path of a cluster → category → name
}

// site is the vCenter of a step; a lostError without a cause if it has to be reached first.
func (w *wizard) site(vc int) (*site, error) {
	v := w.a.vc(vc)
	s := w.sites[v.Server]
	if s == nil || s.v.Port != v.Port || s.v.Address != v.Address {
		return nil, &lostError{vc: vc}
	}
	return s, nil
}

// list reads the objects of one kind, once.
func (w *wizard) list(ctx context.Context, vc int, kind vcenter.Kind, below vcenter.Item) ([]vcenter.Item, error) {
	s, err := w.site(vc)
	if err != nil {
		return nil, err
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

// reach connects without a login, and asks about a certificate of unknown authority.
func (w *wizard) reach(ctx context.Context, s step) (step, error) {
	next := step{name: "login", vc: s.vc}
	v := *w.a.vc(s.vc)
	if _, err := w.site(s.vc); err == nil {
		return next, nil
	}
	w.drop(ctx, v.Server)
	config := w.configOf(v, w.ca)
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
	w.sites[v.Server] = &site{v: v, session: session, lists: map[string][]vcenter.Item{}, tags: map[string]map[string]string{}}
	w.o.Ask.Say(fmt.Sprintf("%s: %s", v.Server, session.Content.About.FullName))
	return next, nil
}

// lost asks what becomes of a vCenter that does not answer.
func (w *wizard) lost(ctx context.Context, at step, lost *lostError) (step, error) {
	w.explain(lost)
	i, err := w.choose(ctx, Choice{
		Message: w.a.vc(lost.vc).Server + ": what now?",
		Help:    "Your answers are kept, whatever you choose.",
		Entries: simple("try again", "use another address", "skip this vCenter", "save and quit"),
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
		v.Address = net.JoinHostPort(a.Server, strconv.Itoa(a.Port))
	}
	delete(w.o.Addresses, v.Server) // this one is newer
	w.drop(ctx, v.Server)
	return step{name: "reach", vc: s.vc}, nil
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

// configOf says how to reach a vCenter, and with which authorities; none = those of the flags.
func (w *wizard) configOf(v spec.VCenter, ca []byte) vcenter.Config {
	config := w.o.Config(v, w.trusted(v.Server), ca)
	config.Run = &w.run
	return config
}

// trust shows a certificate that is not trusted, and asks how it can be.
func (w *wizard) trust(ctx context.Context, s step, config vcenter.Config) (step, error) {
	v := w.a.vc(s.vc)
	cert, err := vcenter.Certificate(ctx, config)
	if err != nil {
		return s, &lostError{s.vc, err}
	}
	names := slices.Clone(cert.DNSNames)
	for _, address := range cert.IPAddresses {
		names = append(names, address.String())
	}
	print256 := vcenter.Thumbprint(cert)
	w.o.Ask.Say(
		"the certificate of "+v.Server+" is not trusted",
		"  for         "+strings.Join(names, " "),
		"  issued by   "+cert.Issuer.String(),
		"  valid until "+cert.NotAfter.Format("2006-01-02"),
		"its SHA-256 thumbprint:",
		print256,
	)
	i, err := w.choose(ctx, Choice{
		Message: "is this thumbprint the vCenter's own?",
		Help: "Compare it with the thumbprint that the vCenter's administrator reads on the vCenter itself. If they differ, " +
			"passwords can be intercepted. A CA file contains the PEM certificates of the authorities that sign your vCenters' certificates: " +
			"with it, there is nothing to compare.",
		Entries: simple("no, try another address", "yes, trust it", "check it with a CA file", "no, skip this vCenter", "save and quit"),
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
		return s, w.askCA(ctx, s.vc)
	case 3:
		return w.leaveOut(s.vc)
	}
	return s, errStop
}

// askCA asks for a file of authorities for a vCenter and all earlier ones with such a file:
// commands take one file.
func (w *wizard) askCA(ctx context.Context, vc int) error {
	v := *w.a.vc(vc)
	file, err := w.line(ctx, Line{
		Message: "CA file", Default: w.a.CACert,
		Help:  "A file with the PEM certificates of the authorities of all your vCenters. The commands that are printed at the end include it as --cacert.",
		Check: func(text string) error { return w.checkCA(ctx, v, text) },
	})
	if errors.Is(err, errBack) {
		return nil // to the question about the certificate
	}
	if err == nil {
		err = w.useCA(file)
	}
	return err
}

// checkCA checks a file against the certificates, with TLS handshakes only.
func (w *wizard) checkCA(ctx context.Context, v spec.VCenter, file string) error {
	if file == "" {
		return errors.New("a path is required")
	}
	pem, err := w.o.CACert(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist", file)
	}
	if err != nil {
		return err
	}
	for _, server := range append([]spec.VCenter{v}, w.a.Spec.VCenters...) {
		if server.Server != v.Server && (w.sites[server.Server] == nil || w.trusted(server.Server) != "") {
			continue
		}
		session, err := vcenter.Connect(ctx, w.configOf(server, pem))
		if errors.Is(err, vcenter.ErrUntrusted) {
			return fmt.Errorf("%s does not verify the certificate: %w", file, err)
		}
		if err != nil {
			return err
		}
		session.Close(context.WithoutCancel(ctx))
	}
	return nil
}

// useCA has certificates checked with a file from now on.
func (w *wizard) useCA(file string) (err error) {
	if w.ca, err = w.o.CACert(file); err == nil {
		w.a.CACert = file
	}
	return err
}
