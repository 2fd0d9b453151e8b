// Package diagnosis says what is wrong or misleading about the accounts of a cluster, and which
// command helps. Package cluster says what each consumer gets.
package diagnosis

import (
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Options say what a cluster is held against.
type Options struct {
	Servers       []string         // nil = those of its Infrastructure or of the secrets
	AllowFallback []component.Name // they share an account on purpose

	Emit  []string // flags of 'secrets emit' in remedies
	Named bool     // these name all vCenters; else add the secrets'
}

// Explanation says who gets which account from the secrets of a cluster. It prints no password.
type Explanation struct {
	Servers  []string    // the vCenters
	Requests []Explained // in the order of the requests
	Readers  []Reading   // of kube-system/vsphere-creds itself
	Findings []*finding.Finding

	Resolutions []cluster.Resolution // with what is ignored, by consumer and vCenter

	held     []Held
	explains *explainer
}

// Explained is one CredentialsRequest.
type Explained struct {
	Request     string         `json:"request"` // namespace/name
	Component   component.Name `json:"component"`
	SecretRef   string         `json:"secretRef"`
	FeatureGate string         `json:"featureGate"`
	Enhancement cluster.Choice `json:"enhancement"` // by openshift/enhancements#1931
	Mainline    cluster.Choice `json:"mainline"`    // what that of a release does
	InDump      bool           `json:"inDump"`      // the secret of SecretRef is there
	Accounts    []Use          `json:"accounts"`
}

// Use are the user names of one request on one vCenter; "" = none.
type Use struct {
	Server      string `json:"server"`
	Enhancement string `json:"enhancement"`
	Mainline    string `json:"mainline"`
	Now         string `json:"now"`
}

// Reading is a reader of kube-system/vsphere-creds that has no CredentialsRequest of its own.
type Reading struct {
	Who    string `json:"who"`
	Server string `json:"server"`
	User   string `json:"user"` // "" = none
}

// Held is an account on a vCenter, and the secrets from which it is read.
type Held struct {
	Server  string
	Account credfile.Account
	Secrets []string
}

// Held lists the accounts to try: each with user name and password of one line, once per vCenter.
func (e *Explanation) Held() []Held { return e.held }

// The values of [Explanation.Mode].
const (
	ModeManual = "manual" // nothing copies secrets
	ModeCopies = "copies" // cloud-credential-operator does
)

// Mode is how components get secrets: ModeManual, ModeCopies, or "" if unknown.
func (e *Explanation) Mode() string {
	switch w := e.explains; {
	case w.IsManual():
		return ModeManual
	case w.Copies():
		return ModeCopies
	}
	return ""
}

// Malformed puts what could not be read of the secrets before the findings.
func (e *Explanation) Malformed(faults []error) {
	var all []*finding.Finding
	for _, fault := range faults {
		all = append(all, finding.New(finding.SecretMalformed, "", "%s", fault))
	}
	e.Findings = append(all, e.Findings...)
}

// Explain tells what each CredentialsRequest of a cluster gets: by the enhancement's operator, by a
// release's, and now. It is an error if no secret concerns vSphere.
func Explain(c *cluster.Cluster, o Options) (*Explanation, error) {
	w := &explainer{
		Cluster: c, requests: c.Consumed(), relevant: c.Relevant(), removers: c.WithHive(),
		allowed: o.AllowFallback, emits: o.Emit, namesAll: o.Named, unseen: map[component.Ref]bool{},
	}
	w.strayed = w.misnamed()
	if len(w.relevant)+len(w.strayed) == 0 && len(w.removers) > 0 {
		w.requests, w.foreign = nil, true
	} else if len(w.relevant)+len(w.strayed) == 0 {
		return nil, errors.New("contains no secret for vSphere: neither kube-system/vsphere-creds, nor one per component, nor one that a component reads")
	}
	if w.servers = o.Servers; w.servers == nil {
		w.servers = c.Servers()
		w.known = w.servers != nil
	}
	if w.servers == nil {
		w.servers = c.Settled()
	}
	if o.Servers == nil && w.foreign {
		w.servers = w.hiveServers()
	}
	w.operated = w.isOperated()
	e := &Explanation{Servers: w.servers, Resolutions: c.Resolve(w.servers), explains: w}
	for _, q := range w.requests {
		e.Requests = append(e.Requests, w.explain(q))
	}
	if !w.foreign {
		e.Readers = w.readers()
	}
	e.held = w.held()
	for _, s := range w.relevant {
		if c.Again(s.At()) {
			w.add(finding.SecretShadowed, s, "is in the dump more than once: the last one is used")
		}
	}
	w.find()
	e.Findings = w.findings
	return e, nil
}

// root is the secret with the one account that releases share among all components.
var root = component.RootSecret()

type explainer struct {
	*cluster.Cluster
	requests []release.Request
	servers  []string
	relevant []*cluster.Object                 // chosen, read or misnamed ones
	strayed  map[*cluster.Object]component.Ref // misnamed ones, with the probable name
	removers []*cluster.Object                 // that Hive reads
	foreign  bool                              // it has only these: a dump of the hub
	findings []*finding.Finding

	known    bool                   // the servers are those of the cluster, and all of them
	operated bool                   // cloud-credential-operator copies to the components
	allowed  []component.Name       // that may fall back
	unseen   map[component.Ref]bool // requests with a secret that is meant for them and not found

	emits    []string // of the options, for remedies
	namesAll bool
}

func (e *explainer) explain(q release.Request) Explained {
	x := Explained{
		Request: q.String(), Component: q.Component, SecretRef: q.SecretRef.String(), FeatureGate: q.FeatureGate,
		Enhancement: e.Enhancement(q), Mainline: e.Release(q), Accounts: []Use{},
	}
	x.InDump = e.Object(q.SecretRef) != nil
	for _, server := range e.servers {
		gets := func(by string) string { return e.Gets(q, server, by).Gets() }
		x.Accounts = append(x.Accounts, Use{
			Server: server, Enhancement: gets(cluster.ByEnhancement),
			Mainline: gets(cluster.ByRelease), Now: gets(cluster.ByNow),
		})
	}
	return x
}

// user is whom a secret names on a server.
func (e *explainer) user(s *cluster.Object, server string) string {
	return s.Held(server).User
}

func (e *explainer) readers() []Reading {
	var list []Reading
	for _, who := range e.Direct() {
		for _, server := range e.servers {
			list = append(list, Reading{who, server, e.GetsDirectly(who, server).Gets()})
		}
	}
	return list
}

func (e *explainer) used() []*cluster.Object {
	var list []*cluster.Object
	take := func(s *cluster.Object) {
		if s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, q := range e.requests {
		take(e.Enhancement(q).From)
		take(e.Object(q.SecretRef))
	}
	take(e.Root())
	return list
}

// held collects the accounts of the secrets in use, each once per server.
func (e *explainer) held() []Held {
	var list []Held
	for _, server := range e.servers {
		for _, s := range append(e.used(), e.removers...) {
			a := s.Held(server)
			if of, _ := s.Hive(); of[server].User != "" {
				a = of[server]
			}
			if a.Unusable() != "" {
				continue
			}
			name := s.At().String()
			i := slices.IndexFunc(list, func(h Held) bool { return h.Server == server && h.Account.Same(a) })
			if i < 0 {
				list = append(list, Held{server, a, []string{name}})
			} else {
				list[i].Secrets = append(list[i].Secrets, name)
			}
		}
	}
	return list
}
