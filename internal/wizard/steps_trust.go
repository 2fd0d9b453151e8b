package wizard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// configOf says how a vCenter is reached, and by which authorities its certificate is checked; none = those of the flags.
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

// askCA asks for a file of authorities that vouches for a vCenter, and for all reached before by such a file: commands
// take one file.
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

// checkCA holds a file against the certificates that it has to vouch for. Nothing is sent but the greeting.
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
