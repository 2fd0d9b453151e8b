package command

import (
	"context"
	cryptotls "crypto/tls"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Connection is what a command needs that talks to vCenters.
type Connection struct {
	Source SourceFlags
	Admin  AdminFlags
	TLS    TLSFlags
}

// Register adds all of its flags to cmd.
func (c *Connection) Register(cmd *cobra.Command) {
	c.Source.Register(cmd)
	c.Admin.Register(cmd)
	c.TLS.Register(cmd)
}

// Resolve reads files and variables and checks all of it; nothing is called or asked yet.
func (c *Connection) Resolve(ctx context.Context, f *Factory) (*spec.Spec, *Administrators, TLSOptions, error) {
	wanted, err := c.Source.Resolve(ctx, f)
	if err != nil {
		return nil, nil, TLSOptions{}, err
	}
	admin, adminErr := c.Admin.Resolve(f, Servers(wanted)...)
	tls, tlsErr := c.TLS.Resolve(f.Streams, Servers(wanted.Whole())) // linked ones are read, too
	return wanted, admin, tls, errors.Join(adminErr, tlsErr)
}

// Reach says how a vCenter is reached: one that the specification does not name, because it is linked to one that it names,
// may be reached under another address too.
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
				f.log.Debug("call", "server", v.Server, "method", method, "took", took.Round(time.Millisecond), "failed", err != nil)
				if f.Calls != nil {
					f.Calls.Add(1)
				}
			}
		}
		return c
	}
}
