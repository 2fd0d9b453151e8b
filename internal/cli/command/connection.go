package command

import (
	"context"
	cryptotls "crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Connection is what a command needs to talk to vCenters.
type Connection struct {
	Source SourceFlags
	Admin  AdminFlags
	TLS    TLSFlags
	Shared *Shared // what a run over many clusters has read before; nil = nothing
}

// Shared is what clusters of one run have in common.
type Shared struct {
	Admin *Administrators
	TLS   TLSOptions
}

// ConnectionFlags are those of how vCenters are reached, and as whom.
func ConnectionFlags() []string {
	return []string{
		adminCommandFlag, adminCredentialsFlag, adminUserFlag, adminPasswordFileFlag, ConnectToFlag,
		CACertFlag, ThumbprintFlag, "insecure",
	}
}

// Register adds all of its flags to cmd.
func (c *Connection) Register(cmd *cobra.Command) {
	c.Source.Register(cmd)
	c.Admin.Register(cmd)
	c.TLS.Register(cmd)
}

// Resolve reads and checks files and variables. It calls no vCenter and asks nothing.
func (c *Connection) Resolve(ctx context.Context, f *Factory) (*spec.Spec, *Administrators, TLSOptions, error) {
	wanted, err := c.Source.Resolve(ctx, f)
	if err != nil {
		return nil, nil, TLSOptions{}, err
	}
	if c.Shared != nil {
		return wanted, c.Shared.Admin, c.Shared.TLS, nil
	}
	admin, adminErr := c.Admin.Resolve(f, Servers(wanted)...)
	tls, tlsErr := c.TLS.Resolve(f.Streams, Servers(wanted.Whole())) // linked ones are read, too
	return wanted, admin, tls, errors.Join(adminErr, tlsErr)
}

// Reach gives the way to a vCenter. A linked one outside the specification may have an address too.
func (f *Factory) Reach(wanted *spec.Spec, addresses AddressFlag, tls TLSOptions) func(spec.VCenter) vcenter.Config {
	elsewhere, _ := addresses.Parse() // checked with the specification
	caches := map[string]cryptotls.ClientSessionCache{}
	for _, server := range Servers(wanted) {
		caches[server] = cryptotls.NewLRUClientSessionCache(0)
	}
	return func(v spec.VCenter) vcenter.Config {
		if v.Address == "" {
			v.Address = elsewhere[v.Server]
		}
		c := vcenter.Config{
			TLSCache: caches[v.Server],
			Server:   v.Server, Port: v.Port, Address: v.Address,
			RootCAs: tls.CACerts, Thumbprint: tls.Thumbprints[v.Server], Insecure: tls.Insecure,
			Timeout: f.Timeout, Run: f.Logins,
		}
		if f.Verbose || f.Calls != nil {
			c.Trace = func(method string, took time.Duration, err error) {
				f.log.Debug("call", "server", v.Server, "method", method, "took", took.Round(time.Millisecond),
					"failed", err != nil)
				if f.Calls != nil {
					f.Calls.Add(1)
				}
			}
		}
		return c
	}
}

// ConnectToFlag is the name of the flag for other addresses.
const ConnectToFlag = "connect-to"

// AddressFlag gives servers other addresses.
type AddressFlag struct {
	Words []string // --connect-to server=host:port

	level Origin
}

// Register adds the flag to cmd.
func (a *AddressFlag) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.Words, ConnectToFlag, nil,
		"connect to a server at another address: server=host:port (repeatable)")
	a.level = OriginOf(cmd.Flags())
	MarkSettings(cmd, ConnectToFlag)
}

// Parse gives the addresses by server.
func (a *AddressFlag) Parse() (map[string]string, error) {
	return byServer(ConnectToFlag, "server=host:port", a.Words)
}

// Settled reports whether a setting, or a run over many clusters, gave the addresses: they may be of
// other vCenters.
func (a *AddressFlag) Settled() bool {
	return a.level.of(ConnectToFlag, true) != OfCommandLine
}

// ForEach are the addresses for each of many clusters, which has some of the vCenters: settled.
func (a *AddressFlag) ForEach() AddressFlag {
	return AddressFlag{Words: a.Words, level: func(string) Level { return OfSettingsFile }}
}

// Apply sets the addresses of the vCenters of s.
func (a *AddressFlag) Apply(s *spec.Spec) error {
	addresses, err := a.Parse()
	if err != nil {
		return err
	}
	var errs []error
	known := Servers(s.Whole()) // linked ones are read, too
	for _, server := range SortedKeys(addresses) {
		if !slices.Contains(known, server) {
			if !a.Settled() {
				errs = append(errs, BadFlag(ConnectToFlag, "%w", OneOf(server, known)))
			}
			continue
		}
		for i := range s.VCenters {
			if s.VCenters[i].Server == server {
				s.VCenters[i].Address = addresses[server]
			}
		}
		errs = append(errs, CheckAddress(server, addresses[server]))
	}
	return errors.Join(errs...)
}

// byServer is Pairs with servers as specifications name them: an IPv6 address without brackets.
func byServer(flag, what string, words []string) (map[string]string, error) {
	pairs, err := Pairs(flag, what, words)
	for _, server := range SortedKeys(pairs) {
		if plain := spec.Unbracketed(server); plain != server {
			if pairs[plain] != "" {
				return nil, BadFlag(flag, "%s is named twice", plain)
			}
			pairs[plain] = pairs[server]
			delete(pairs, server)
		}
	}
	return pairs, err
}

// CheckAddress refuses an address that is not host:port.
func CheckAddress(server, address string) error {
	if !IsHostPort(address) {
		if strings.Count(address, ":") > 1 && !strings.HasPrefix(address, "[") {
			return BadFlag(ConnectToFlag, "%s=%s: write an IPv6 address in brackets: %s=[::1]:443", server, address, server)
		}
		return BadFlag(ConnectToFlag, "%s=%s: must be server=host:port", server, address)
	}
	return nil
}

// IsHostPort reports whether s is host:port, with a port from 1 to 65535.
func IsHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	n, convErr := strconv.Atoi(port)
	return err == nil && convErr == nil && host != "" && n > 0 && n < 65536
}

// TLSOptions are the certificates that are trusted.
type TLSOptions struct {
	CACerts     []byte            // PEM; empty = the system's roots
	Thumbprints map[string]string // server → SHA-256 or SHA-1 as AA:BB:..; replaces other checks
	Insecure    bool              // no check at all
}

// The names of the flags.
const (
	CACertFlag     = "cacert"
	ThumbprintFlag = "thumbprint"
)

// TLSFlags are the flags of [TLSOptions].
type TLSFlags struct {
	CACert     string   // --cacert
	Thumbprint []string // --thumbprint server=AA:BB:..
	Insecure   bool     // --insecure

	Level  Origin
	Warned bool // that certificates are not checked
}

// Register adds the flags to cmd.
func (t *TLSFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	FileFlag(cmd, &t.CACert, CACertFlag, "PEM file of CA certificates to trust instead of the system's (also: GOVC_TLS_CA_CERTS)", "pem", "crt", "cer")
	p.StringArrayVar(&t.Thumbprint, ThumbprintFlag, nil,
		"trust a server's certificate by thumbprint: server=AA:BB:.., SHA-256 or SHA-1 (repeatable)")
	p.BoolVar(&t.Insecure, "insecure", false, "do not check certificates (also: GOVC_INSECURE)")
	t.Level = OriginOf(p)
	MarkSettings(cmd, CACertFlag, ThumbprintFlag, "insecure")
}

// nearest is t without what a nearer flag overrides: --insecure by any flag of trust and those by
// it, fingerprints by --cacert. Fingerprints do not override --cacert: each is for one server.
func (t *TLSFlags) nearest() *TLSFlags {
	out := *t
	insecure, cacert, prints := t.Level.of("insecure", t.Insecure), t.Level.of(CACertFlag, t.CACert != ""),
		t.Level.of(ThumbprintFlag, len(t.Thumbprint) > 0)
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

// Resolve reads the flags, or govc's variables. servers are those that a thumbprint may be for.
func (t *TLSFlags) Resolve(s *term.Streams, servers []string) (TLSOptions, error) {
	given := max(t.Level.of("insecure", t.Insecure), t.Level.of(CACertFlag, t.CACert != ""),
		t.Level.of(ThumbprintFlag, len(t.Thumbprint) > 0)) > OfDefault
	t = t.nearest()
	out := TLSOptions{Insecure: t.Insecure, Thumbprints: map[string]string{}}
	if v := s.Getenv("GOVC_INSECURE"); v != "" && !given {
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
	if out.Insecure && !t.Warned {
		t.Warned = true
		s.Warnf("certificates are not checked (--insecure): passwords can be intercepted")
	}
	return out, nil
}

// Prints are the thumbprints as they were typed, by server.
func (t *TLSFlags) Prints() (map[string]string, error) {
	return byServer(ThumbprintFlag, "server=AA:BB:..", t.Thumbprint)
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

// ReadCACert reads a file of certificate authorities.
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
		return hint.Errorf("convert a DER file to PEM with 'openssl x509 -inform der'",
			"contains no PEM certificate")
	}
	return nil
}

// Thumbprint normalizes a SHA-256 or SHA-1 fingerprint, of any case, to vSphere's spelling.
func Thumbprint(word string) (string, error) {
	sum, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(word))
	if err != nil || len(sum) != 32 && len(sum) != 20 {
		return "", fmt.Errorf("%q is not a thumbprint: write 32 bytes (SHA-256) or 20 bytes (SHA-1) in hexadecimal, all of them", word)
	}
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":"), nil
}
