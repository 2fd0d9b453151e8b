// Package diagnosis says in sentences what is wrong with the accounts of a cluster, or not as it looks, and which command mends it: what
// each consumer gets is said by package cluster.
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
	Servers       []string         // vCenters of the cluster; nil = those of its Infrastructure, or else those that the secrets name
	AllowFallback []component.Name // that have the account for all on purpose, beside others with one of their own

	Emit  []string // flags of the commands of 'secrets emit' in remedies: whose accounts, of which credentials file
	Named bool     // these name all vCenters of the cluster; else the commands name those of the secrets too
}

// Explanation says who gets which account from the secrets of a cluster. It prints no password.
type Explanation struct {
	Servers  []string    // the vCenters
	Requests []Explained // in the order of the requests
	Readers  []Reading   // of kube-system/vsphere-creds itself
	Findings []*finding.Finding

	Resolutions []cluster.Resolution // the same, and what is ignored: consumer by consumer, vCenter by vCenter

	held     []Held
	explains *explainer
}

// Explained is one CredentialsRequest.
type Explained struct {
	Request     string         `json:"request"` // namespace/name
	Component   component.Name `json:"component"`
	SecretRef   string         `json:"secretRef"`
	FeatureGate string         `json:"featureGate"`
	Enhancement cluster.Choice `json:"enhancement"` // what the operator of openshift/enhancements#1931 chooses
	Mainline    cluster.Choice `json:"mainline"`    // what that of a release does
	InDump      bool           `json:"inDump"`      // whether the secret of SecretRef is there, which is what is read now
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

// Held is an account on a vCenter, and the secrets that somebody reads it from.
type Held struct {
	Server  string
	Account credfile.Account
	Secrets []string
}

// Held lists the accounts that can be tried: each with a user name and a password of one line, once per vCenter.
func (e *Explanation) Held() []Held { return e.held }

// The values of [Explanation.Mode].
const (
	ModeManual = "manual" // nobody copies secrets
	ModeCopies = "copies" // cloud-credential-operator does
)

// Mode is how secrets come to the components: ModeManual, ModeCopies, or "" where nobody says.
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

// Explain tells what each CredentialsRequest of a cluster gets: from the operator of the enhancement, from that of a release, and what its
// secret holds now. It is an error when no secret has to do with vSphere.
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

// explainer is an Explain at work.
type explainer struct {
	*cluster.Cluster
	requests []release.Request
	servers  []string
	relevant []*cluster.Object                 // that somebody chooses, reads or seems to be meant for
	strayed  map[*cluster.Object]component.Ref // that nobody finds, with the one that was probably meant
	removers []*cluster.Object                 // that Hive reads
	foreign  bool                              // there is nothing but these: it is a dump of the hub, not of the cluster
	findings []*finding.Finding

	known    bool                   // the servers are those of the cluster, and all of them
	operated bool                   // cloud-credential-operator copies to the components
	allowed  []component.Name       // that may fall back
	unseen   map[component.Ref]bool // requests with a secret that is meant for them and not found

	emits    []string // of the options, for remedies
	namesAll bool
}

func (w *explainer) explain(q release.Request) Explained {
	x := Explained{
		Request: q.String(), Component: q.Component, SecretRef: q.SecretRef.String(), FeatureGate: q.FeatureGate,
		Enhancement: w.Enhancement(q), Mainline: w.Release(q), Accounts: []Use{},
	}
	x.InDump = w.Object(q.SecretRef) != nil
	for _, server := range w.servers {
		gets := func(by string) string { return w.Gets(q, server, by).Gets() }
		x.Accounts = append(x.Accounts, Use{Server: server, Enhancement: gets(cluster.ByEnhancement), Mainline: gets(cluster.ByRelease), Now: gets(cluster.ByNow)})
	}
	return x
}

// user is whom a secret names on a server.
func (w *explainer) user(s *cluster.Object, server string) string {
	return s.Held(server).User
}

func (w *explainer) readers() []Reading {
	var list []Reading
	for _, who := range cluster.Direct() {
		for _, server := range w.servers {
			list = append(list, Reading{who, server, w.GetsDirectly(who, server).Gets()})
		}
	}
	return list
}

// used are the secrets that somebody reads or that are copied to him, in the order of the requests.
func (w *explainer) used() []*cluster.Object {
	var list []*cluster.Object
	take := func(s *cluster.Object) {
		if s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, q := range w.requests {
		take(w.Enhancement(q).From)
		take(w.Object(q.SecretRef))
	}
	take(w.Root())
	return list
}

// held collects the accounts of the secrets in use, each once per server.
func (w *explainer) held() []Held {
	var list []Held
	for _, server := range w.servers {
		for _, s := range append(w.used(), w.removers...) {
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
