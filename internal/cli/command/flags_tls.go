package command

import (
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// TLSOptions say which certificates are trusted.
type TLSOptions struct {
	CACerts     []byte            // PEM; empty = the system's roots
	Thumbprints map[string]string // server → SHA-256 or SHA-1 as AA:BB:..; stands for the check of roots and names
	Insecure    bool              // no check at all
}

// The names of the flags.
const (
	CACertFlag     = "cacert"
	ThumbprintFlag = "thumbprint"
)

// TLSFlags are how they are given.
type TLSFlags struct {
	CACert     string   // --cacert
	Thumbprint []string // --thumbprint server=AA:BB:..
	Insecure   bool     // --insecure

	Level Origin
}

// Register adds the flags to cmd.
func (t *TLSFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	FileFlag(cmd, &t.CACert, CACertFlag, "PEM file of CA certificates to trust instead of the system's (also: GOVC_TLS_CA_CERTS)", "pem", "crt", "cer")
	p.StringArrayVar(&t.Thumbprint, ThumbprintFlag, nil, "trust a server's certificate by thumbprint: server=AA:BB:.., SHA-256 or SHA-1 (repeatable)")
	p.BoolVar(&t.Insecure, "insecure", false, "do not check certificates (also: GOVC_INSECURE)")
	t.Level = OriginOf(p)
	MarkSettings(cmd, CACertFlag, ThumbprintFlag, "insecure")
}

// nearest is t without what a nearer flag silences: trust in everybody by any that says whom to trust, and both of those by
// it; fingerprints by the authorities that are to be trusted. The other way round the two get along: a fingerprint is for
// one server.
func (t *TLSFlags) nearest() *TLSFlags {
	out := *t
	insecure, cacert, prints := t.Level.of("insecure", t.Insecure), t.Level.of(CACertFlag, t.CACert != ""), t.Level.of(ThumbprintFlag, len(t.Thumbprint) > 0)
	switch {
	case t.Insecure && max(cacert, prints) > insecure:
		out.Insecure = false
	case t.Insecure && cacert < insecure:
		out.CACert = ""
	}
	if cacert > prints || t.Insecure && out.Insecure && insecure > prints {
		out.Thumbprint = nil
	}
	return &out
}

// Resolve reads and checks what the flags and, where they say nothing, govc's variables say. servers are those that a
// thumbprint may be for.
func (t *TLSFlags) Resolve(s *term.Streams, servers []string) (TLSOptions, error) {
	said := max(t.Level.of("insecure", t.Insecure), t.Level.of(CACertFlag, t.CACert != ""), t.Level.of(ThumbprintFlag, len(t.Thumbprint) > 0)) > OfDefault
	t = t.nearest()
	out := TLSOptions{Insecure: t.Insecure, Thumbprints: map[string]string{}}
	if v := s.Getenv("GOVC_INSECURE"); v != "" && !said {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return out, fmt.Errorf("GOVC_INSECURE: %q is neither true nor false", v)
		}
		out.Insecure = on
	}
	words, err := t.Prints()
	if err != nil {
		return out, err
	}
	var errs []error
	for _, server := range SortedKeys(words) {
		tp, err := Thumbprint(words[server])
		if err == nil && t.Level.of(ThumbprintFlag, true) == OfCommandLine {
			err = OneOf(server, servers)
		}
		if err != nil {
			errs = append(errs, BadFlag(ThumbprintFlag, "%s: %w", server, err))
		}
		out.Thumbprints[server] = tp
	}
	out.CACerts, err = t.caCerts(s)
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return out, err
	}
	if out.Insecure {
		s.Warnf("certificates are not checked (--insecure): passwords can be intercepted")
	}
	return out, nil
}

// Prints are the thumbprints as they were typed, by server.
func (t *TLSFlags) Prints() (map[string]string, error) {
	return Pairs(ThumbprintFlag, "server=AA:BB:..", t.Thumbprint)
}

func (t *TLSFlags) caCerts(s *term.Streams) ([]byte, error) {
	from, paths := "--cacert", []string{t.CACert}
	if t.CACert == "" {
		from, paths = "GOVC_TLS_CA_CERTS", filepath.SplitList(s.Getenv("GOVC_TLS_CA_CERTS"))
	}
	var all []byte
	for _, file := range paths {
		if file == "" {
			continue
		}
		data, err := ReadCACert(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		all = append(append(all, data...), '\n')
	}
	return all, nil
}

// ReadCACert reads a file of authorities.
func ReadCACert(file string) ([]byte, error) {
	data, err := files.Read(file, files.Text)
	if err != nil {
		return nil, err
	}
	if err := checkPEM(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}

func checkPEM(data []byte) error {
	certificates := 0
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("certificate %d: %w", certificates+1, err)
		}
		certificates++
	}
	if certificates == 0 {
		return hint.Errorf("convert a DER file to PEM with 'openssl x509 -inform der'", "contains no PEM certificate")
	}
	return nil
}

// Thumbprint brings a SHA-256 or SHA-1 fingerprint, in any case, with or without colons, into vSphere's spelling.
func Thumbprint(word string) (string, error) {
	sum, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(word))
	if err != nil || len(sum) != 32 && len(sum) != 20 {
		return "", fmt.Errorf("%q is not a thumbprint: 32 bytes (SHA-256) or 20 bytes (SHA-1) in hexadecimal, such as AA:BB", word)
	}
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":"), nil
}
