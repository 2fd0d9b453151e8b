package vcsim

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/cns"
	"github.com/vmware/govmomi/pbm"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vslm"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/automation"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/policy"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/volumes"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/wsdl"
)

// VCenter is one simulated vCenter.
type VCenter struct {
	lab      *Lab
	linked   []*VCenter // the others of its SSO domain
	index    int
	release  release
	node     node
	cert     tls.Certificate
	dir      *directory.Directory
	model    *simulator.Model
	authz    *authorization
	sso      *ssoService
	rest     *automation.Service
	policies *policy.Service
	volumes  *volumes.Service
	lookup   *lookupService
	front    *front
	estate   Estate

	cookies  sessionCookies
	elements map[[2]string]string // versions of elements by type and name

	addr  string
	serve *http.Server
	close func()
}

// creation serialises what touches govmomi's simulator-wide state: it shares settings, licences and host
// templates between the vCenters of a process.
var creation sync.Mutex

// instanceSpace makes the ids of vCenters from their names, so that a run can be repeated.
var instanceSpace = uuid.MustParse("1b0c1a3e-8a4c-4b7e-9f53-3f0d54f2a6d1")

// assemble makes a vCenter that does not listen yet.
func assemble(index int, name string, dir *directory.Directory, ca *authority, rel release, o Options) (*VCenter, error) {
	cert, err := ca.issue(name)
	if err != nil {
		return nil, err
	}
	v := &VCenter{
		index: index, release: rel, dir: dir, cert: cert,
		node: node{server: name, instance: named(instanceSpace, name).String(), certificate: cert.Certificate[0]},
	}
	v.close = sync.OnceFunc(v.shut)
	v.lookup = &lookupService{domain: dir.Domain(), own: v.node}
	v.sso = &ssoService{dir: dir, trust: []string{base64.StdEncoding.EncodeToString(ca.cert.Raw)}}
	if err := v.populate(o); err != nil {
		v.close()
		return nil, err
	}
	if v.elements, err = newElements(); err != nil {
		v.close()
		return nil, err
	}
	mux := v.vimMux()
	endpoints := map[string]http.Handler{}
	sso := newSSOEndpoint(v.sso)
	sso.note = v.sso.noteTo(newJournal(name, o))
	for _, path := range []string{"/sdk", "/sdk/" + dir.Domain(), "/system-sdk"} {
		endpoints[strings.ToLower(ssoPath+path)] = sso
	}
	tokens := &tokenService{dir: dir, server: name, journal: newJournal(name, o)}
	for _, path := range []string{stsPath, stsPath + "/" + dir.Domain(), "/sts/system-STSService/sdk"} {
		endpoints[strings.ToLower(path)] = tokens
	}
	v.rest = newREST(v, o)
	if err := v.label(o.contents(index)); err != nil {
		v.close()
		return nil, err
	}
	endpoints["/lookupservice/sdk"] = newLookupEndpoint(v.lookup)
	v.policies = policy.New(policyInventory{v}, o.Now)
	v.volumes = volumes.New(v.model.Map(), v.policies, o.Now)
	v.authz.destroying = v.volumes.Release
	endpoints[pbm.Path] = newPolicyEndpoint(v, newJournal(name, o))
	endpoints[pbm.Path+"/sdk"] = endpoints[pbm.Path]
	endpoints[strings.ToLower(cns.Path)] = newVolumeEndpoint(v, newJournal(name, o))
	endpoints[vslm.Path] = newDiskEndpoint(v, newJournal(name, o))
	v.front = &front{counts: map[string]int{}, expire: v.expire, next: v.cookies.wrap(func(w http.ResponseWriter, r *http.Request) {
		if h := endpoints[strings.ToLower(r.URL.Path)]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		if automation.Serves(r.URL.Path) {
			v.rest.ServeHTTP(w, r)
			return
		}
		if !notServed(w, r) {
			v.worded(mux, w, r)
		}
	})}
	v.SetLatency(o.Latency)
	return v, nil
}

// populate makes inventory, authorization and whatever belongs to other people.
func (v *VCenter) populate(o Options) error {
	creation.Lock()
	defer creation.Unlock()
	defer leanHosts()()
	m := simulator.VPX()
	m.Datacenter, m.Machine = 0, 0
	v.release.about(&m.ServiceContent.About)
	m.ServiceContent.About.InstanceUuid = v.node.instance
	v.model = m
	if err := m.Create(); err != nil {
		return err
	}
	v.settings()
	installClock(m.Map(), o.Now)
	ids := installCompleter(m.Map(), uuid.MustParse(v.node.instance), v.release)
	if c := o.contents(v.index); c != nil && c.Guests != "" {
		network, err := netip.ParsePrefix(c.Guests)
		if err != nil {
			return fmt.Errorf("network of guests: %w", err)
		}
		ids.guests.network = network
	}
	b, err := newBuilder(m, v.index+1, o, ids)
	if err != nil {
		return err
	}
	if v.estate, err = b.build(); err != nil {
		return fmt.Errorf("build the estate: %w", err)
	}
	authz := authzOptions{Release: v.release, Journal: newJournal(v.node.server, o), Now: o.Now, RoleDelay: o.RoleDelay}
	authz.Without, authz.Knows = o.privileges(v.index)
	if o.replicates(v.index) {
		authz.Roles = o.domain(v.index)
	}
	if v.authz, err = installAuthorization(m, v.dir, authz); err != nil {
		return err
	}
	if o.TaskTime > 0 {
		v.authz.times = &taskTimes{last: o.TaskTime, closed: make(chan struct{})}
	}
	v.authz.tokenPrincipal = func(ctx *simulator.Context) (directory.Principal, error) { return tokenPrincipal(v.dir, ctx.Header) }
	if b.given != nil {
		return v.entrust(b.given)
	}
	return b.foreign(v)
}

// leanHosts makes new hosts without the parts of their configuration that nobody looks at here. The simulator copies the
// configuration of each host by way of XML, and these parts are most of what it takes to start a vCenter. The caller holds
// creation until the returned function has been called.
func leanHosts() (restore func()) {
	full := esx.HostSystem.Config
	lean := *full
	lean.Certificate, lean.Firewall, lean.Service = nil, nil, nil
	esx.HostSystem.Config = &lean
	return func() { esx.HostSystem.Config = full }
}

// settings replaces the options that all vCenters of a process share by own ones with own URLs.
func (v *VCenter) settings() {
	own := map[string]string{
		"config.vpxd.sso.admin.uri":         v.node.ssoURL(v.dir.Domain()),
		"config.vpxd.sso.groupcheck.uri":    v.node.ssoURL(v.dir.Domain()),
		"config.vpxd.sso.sts.uri":           v.node.stsURL(v.dir.Domain()),
		"config.vpxd.sso.lookupService.uri": "https://" + v.node.server + "/lookupservice/sdk",
		"config.vpxd.sso.default.admin":     directory.Administrator + "@" + v.dir.Domain(),
		"config.vpxd.sso.solutionUser.name": "vpxd@" + v.dir.Domain(),
		"config.vpxd.sso.enabled":           "true",
		"config.vpxd.hostnameUrl":           v.node.server,
		"VirtualCenter.InstanceName":        v.node.server,
		"VirtualCenter.FQDN":                v.node.server,
	}
	manager := v.model.Map().OptionManager()
	var settings []types.BaseOptionValue
	for _, s := range manager.Setting {
		o := *s.GetOptionValue()
		if value, ok := own[o.Key]; ok {
			o.Value = value
			delete(own, o.Key)
		}
		settings = append(settings, &o)
	}
	for key, value := range own {
		settings = append(settings, &types.OptionValue{Key: key, Value: value})
	}
	slices.SortFunc(settings, func(a, b types.BaseOptionValue) int {
		return strings.Compare(a.GetOptionValue().Key, b.GetOptionValue().Key)
	})
	manager.Setting = settings
}

// vimMux is what simulator.NewServer would serve; it cannot be used because it listens before our layers are there.
func (v *VCenter) vimMux() *http.ServeMux {
	s := v.model.Service
	path := v.model.Map().Path
	s.RegisterSDK(v.model.Map(), path+"/vimService")
	s.ServeMux.HandleFunc(path+"/vimServiceVersions.xml", v.serviceVersions)
	s.ServeMux.HandleFunc(path+"/vsanServiceVersions.xml", s.ServiceVersionsVsan)
	for _, name := range []string{wsdl.Service, wsdl.Port, wsdl.Types} {
		s.ServeMux.HandleFunc("GET "+path+"/"+name, v.described(name))
	}
	s.ServeMux.HandleFunc("/folder/", v.files(s.ServeDatastore))
	s.ServeMux.HandleFunc("/nfc/", v.authz.exports.serve(simulator.ServeNFC))
	return s.ServeMux
}

func (v *VCenter) listen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	v.addr = l.Addr().String()
	v.model.Service.Listen = &url.URL{Scheme: "https", Host: v.addr, Path: v.model.Map().Path, User: url.User(directory.Administrator)}
	v.model.Map().SessionManager().ServiceHostName = v.addr
	manager := v.model.Map().OptionManager() // the simulator's leases of imports and exports point to this address
	manager.Setting = append(manager.Setting, &types.OptionValue{Key: "vcsim.server.url", Value: "https://" + v.addr})
	v.serve = &http.Server{
		Handler: v.front,
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{v.cert}, ClientAuth: tls.RequestClientCert,
			// as vCenter, which has no ML-KEM; it is most of a handshake's cost
			CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521},
		},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // no HTTP/2: faults need the connection
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	go func() { _ = v.serve.ServeTLS(l, "", "") }()
	return nil
}

func (v *VCenter) shut() {
	if v.authz != nil && v.authz.times != nil {
		close(v.authz.times.closed)
	}
	if v.serve != nil {
		_ = v.serve.Close()
	}
	if v.model != nil && v.model.Service != nil {
		v.model.Remove()
	}
}

// expire ends the vim25 and the SSO session of a request.
func (v *VCenter) expire(r *http.Request) {
	v.sso.end(r)
	cookie, err := v.cookies.keyed(r).Cookie(soap.SessionCookieName)
	if err != nil {
		return
	}
	nobody := &simulator.Context{Context: r.Context(), Map: v.model.Map(), Session: &simulator.Session{}}
	v.model.Map().SessionManager().TerminateSession(nobody, &types.TerminateSession{SessionId: []string{cookie.Value}})
}

// Server is the vCenter's name, which its certificate and its URLs bear.
func (v *VCenter) Server() string { return v.node.server }

// Version is the version of vCenter that it says it is.
func (v *VCenter) Version() string { return v.model.ServiceContent.About.Version }

// Addr is where it really listens: host:port.
func (v *VCenter) Addr() string { return v.addr }

// Thumbprint is the SHA-256 of its certificate, AA:BB:...
func (v *VCenter) Thumbprint() string { return thumbprint(v.node.certificate) }

// AdminUser is the SSO domain's directory.Administrator, administrator@<domain>.
func (v *VCenter) AdminUser() string { return "administrator@" + v.dir.Domain() }

// AdminPassword opens AdminUser.
func (v *VCenter) AdminPassword() string { return adminPassword }

// Release of vCenter that this one is: see [Releases].
func (v *VCenter) Release() string { return v.release.name }

// Estate is what there is to provision on.
func (v *VCenter) Estate() Estate { return v.estate }

// Directory is its SSO domain, shared by linked vCenters.
func (v *VCenter) Directory() *directory.Directory { return v.dir }

// RESTSessions counts the sessions of the REST API that an account, name@domain, has.
func (v *VCenter) RESTSessions(user string) int { return v.rest.Sessions(user) }

// Login is a plain govmomi client with a session, for tests.
func (v *VCenter) Login(ctx context.Context, user, password string) (*vim25.Client, error) {
	c, err := v.Client(ctx)
	if err != nil {
		return nil, err
	}
	return c, session.NewManager(c).Login(ctx, url.UserPassword(user, password))
}

// Client is a plain govmomi client without a session. It reaches all vCenters of the lab by their names.
func (v *VCenter) Client(ctx context.Context) (*vim25.Client, error) {
	s := soap.NewClient(&url.URL{Scheme: "https", Host: v.node.server, Path: vim25.Path}, false)
	s.DefaultTransport().DialTLSContext = v.lab.DialTLSContext
	s.DefaultTransport().Proxy = nil
	return vim25.NewClient(ctx, s)
}
