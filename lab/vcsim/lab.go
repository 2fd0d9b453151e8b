package vcsim

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Options shape a lab. The zero value is one vCenter with the demo estate.
type Options struct {
	VCenters  int              // how many: vcenter1.example.com, vcenter2.example.com, ... Default 1
	Names     []string         // instead: their server names
	Domain    string           // SSO domain, default "vsphere.local"
	Linked    bool             // all share one SSO domain and its accounts
	Estate    EstateOptions    // what is in their inventories
	Latency   time.Duration    // per HTTP request
	TaskTime  time.Duration    // so long a task runs before it does its work
	Without   []string         // privilege ids that these vCenters do not know
	Releases  []string         // of vCenter, for all or for each of them: see [Releases]. Default [DefaultRelease]
	UserDelay time.Duration    // R32: so long after its creation vpxd answers UserNotFound for a new account
	RoleDelay time.Duration    // R8: so long after its answer an update of a role takes effect; the role list is ahead
	Now       func() time.Time // the vCenters' clock, default time.Now
	// RoleReplication: linked vCenters have each other's roles, under the same ids, after so long (R40; about 30 s
	// in the field). Default 0: they have the same accounts, but each has roles of its own.
	RoleReplication time.Duration
	// AccountReplication: linked vCenters hear of each other's new accounts, passwords and descriptions after so long (R40;
	// 30 to 60 s in the field). Default 0: at once.
	AccountReplication time.Duration
	// Record is told what becomes of every call, by several at once; nil = nobody wants to know.
	Record func(Record)
	Listen string // default 127.0.0.1:0; with a port, vCenter i (from 0) listens on port+i
}

// adminPassword satisfies the default policy and holds what a careless writer of INI, YAML or URLs trips over.
const adminPassword = `Adm1n!$trat0r#%`

// Lab is a set of vCenters in this process.
type Lab struct {
	VCenters []*VCenter
	CA       []byte // PEM of the authority that signed their certificates

	pool *x509.CertPool
}

// Start serves the vCenters of a lab. Close it.
func Start(o Options) (*Lab, error) {
	names, err := o.names()
	if err != nil {
		return nil, err
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("start simulated vCenters: %w", err)
	}
	l := &Lab{CA: ca.pem(), pool: x509.NewCertPool()}
	l.pool.AddCert(ca.cert)
	first := o.firstLinked()
	for i, name := range names {
		var dir *directory.Directory
		if first[i] == i {
			dir = directory.New(o.domain(i), adminPassword, o.UserDelay, o.Now)
		} else {
			dir = l.VCenters[first[i]].dir.Replica(o.AccountReplication)
		}
		rel, err := o.releaseOf(i, len(names))
		if err != nil {
			l.Close()
			return nil, fmt.Errorf("start simulated vCenter %s: %w", name, err)
		}
		v, err := assemble(i, name, dir, ca, rel, o)
		if err != nil {
			l.Close()
			return nil, fmt.Errorf("start simulated vCenter %s: %w", name, err)
		}
		v.lab, v.authz.peer = l, l.authorization
		l.VCenters = append(l.VCenters, v)
	}
	for i := range names {
		var linked []*VCenter
		for j, v := range l.VCenters {
			if first[j] == i {
				linked = append(linked, v)
			}
		}
		if len(linked) > 1 {
			if err := o.link(linked); err != nil {
				l.Close()
				return nil, err
			}
		}
	}
	for i, v := range l.VCenters {
		if err := v.listen(o.address(i)); err != nil {
			l.Close()
			return nil, fmt.Errorf("start simulated vCenter %s: %w", v.node.server, err)
		}
	}
	return l, nil
}

// authorization is that of the vCenter with an instance id; nil if none has it.
func (l *Lab) authorization(instance string) *authorization {
	for _, v := range l.VCenters {
		if v.node.instance == instance {
			return v.authz
		}
	}
	return nil
}

// names completes the options and gives the server names.
func (o *Options) names() ([]string, error) {
	if o.Domain == "" {
		o.Domain = "vsphere.local"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if len(o.Names) == 0 {
		for i := range max(1, o.VCenters) {
			o.Names = append(o.Names, fmt.Sprintf("vcenter%d.example.com", i+1))
		}
	}
	seen := map[string]bool{}
	for _, name := range o.Names {
		if name == "" || seen[strings.ToLower(name)] {
			return nil, fmt.Errorf("simulated vCenter %q is named twice or not at all", name)
		}
		seen[strings.ToLower(name)] = true
	}
	return o.Names, nil
}

// firstLinked is for each vCenter the first one that it shares its SSO domain with; itself where it is that.
func (o *Options) firstLinked() []int {
	first := make([]int, len(o.Names))
	for i := range first {
		first[i] = i
		if c := o.contents(i); o.Linked {
			first[i] = 0
		} else if c != nil && c.LinkedWith != "" {
			if with := slices.Index(o.Names[:i], c.LinkedWith); with >= 0 {
				first[i] = first[with]
			}
		}
	}
	return first
}

// replicates reports whether the roles of vCenter i appear on those that it is linked with.
func (o *Options) replicates(i int) bool {
	first := o.firstLinked()
	return o.RoleReplication > 0 && slices.Contains(slices.Delete(slices.Clone(first), i, i+1), first[i])
}

// address is where vCenter i listens.
func (o *Options) address(i int) string {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return o.Listen // the error comes from listening
	}
	n, err := strconv.Atoi(port)
	if err != nil || n == 0 {
		return o.Listen
	}
	return net.JoinHostPort(host, strconv.Itoa(n+i))
}

// link makes vCenters of one SSO domain know each other and have the same global permissions; their roles are replicated where the options say so.
func (o *Options) link(all []*VCenter) error {
	var authz []*authorization
	for _, v := range all {
		authz = append(authz, v.authz)
		for _, other := range all {
			if other != v {
				v.lookup.linked = append(v.lookup.linked, other.node)
				v.linked = append(v.linked, other)
			}
		}
	}
	if o.RoleReplication > 0 {
		linkRoles(authz, o.RoleReplication)
	}
	return shareGlobal(all)
}

// Close stops all vCenters and removes their files. A second call does nothing.
func (l *Lab) Close() {
	var wg sync.WaitGroup
	for _, v := range l.VCenters {
		wg.Go(v.close)
	}
	wg.Wait()
}

// VCenter finds one by its server name, nil if there is none.
func (l *Lab) VCenter(server string) *VCenter {
	for _, v := range l.VCenters {
		if strings.EqualFold(v.node.server, server) {
			return v
		}
	}
	return nil
}

// DialContext connects to the vCenter that an address names, whatever its port; other addresses are dialled as they are.
func (l *Lab) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if v := l.VCenter(host); v != nil {
		addr = v.Addr()
	}
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

// DialTLSContext is DialContext with TLS over it, trusting the lab's CA.
func (l *Lab) DialTLSContext(ctx context.Context, network, addr string) (net.Conn, error) {
	raw, err := l.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(addr)
	conn := tls.Client(raw, &tls.Config{ServerName: host, RootCAs: l.pool})
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return conn, nil
}
