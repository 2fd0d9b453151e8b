package openshift

import (
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// ExplainOptions say what a dump is held against.
type ExplainOptions struct {
	Requests *release.Requests // nil = all that we know
	Servers  []string          // vCenters of the cluster; nil = those that the secrets name
	Manual   *bool             // whether the cluster is in Manual mode; nil = nobody says, and the secrets have to show it

	Infrastructure     []string // vCenters that the cluster's Infrastructure names, the first one first; nil = nobody says
	InfrastructureName string   // of the cluster, in the names of what it makes; "" = nobody says

	Whole bool // these are all secrets of the cluster, so that one which is not among them is missing

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

	Resolutions []Resolution // the same, and what is ignored: consumer by consumer, vCenter by vCenter

	held     []Held
	explains *explainer
}

// Explained is one CredentialsRequest.
type Explained struct {
	Request     string         `json:"request"` // namespace/name
	Component   component.Name `json:"component"`
	SecretRef   string         `json:"secretRef"`
	FeatureGate string         `json:"featureGate"`
	Enhancement Choice         `json:"enhancement"` // what the operator of openshift/enhancements#1931 chooses
	Mainline    Choice         `json:"mainline"`    // what that of a release does
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
	case w.manual():
		return ModeManual
	case w.copies():
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

// Explain tells from the secrets of a cluster, as `oc get secrets -o yaml` prints them, what each CredentialsRequest gets:
// from the operator of the enhancement, from that of a release, and what its secret holds now. It is an error when no
// secret has to do with vSphere.
func Explain(secrets []corev1.Secret, o ExplainOptions) (*Explanation, error) {
	secrets, again := objects.Latest(secrets)
	w := newExplainer(secrets, o)
	w.collect()
	w.strayed = w.misnamed()
	if len(w.relevant)+len(w.strayed) == 0 && len(w.removers) > 0 {
		w.requests, w.foreign = nil, true
	} else if len(w.relevant)+len(w.strayed) == 0 {
		return nil, errors.New("contains no secret for vSphere: neither kube-system/vsphere-creds, nor one per component, nor one that a component reads")
	}
	if w.servers = o.Servers; w.servers == nil {
		w.servers = o.Infrastructure
		w.known = o.Infrastructure != nil
	}
	if w.servers == nil {
		w.servers = w.settleServers(w.relevant)
	}
	if o.Servers == nil && w.foreign {
		w.servers = w.hiveServers()
	}
	w.operated = w.isOperated()
	e := &Explanation{Servers: w.servers, Resolutions: w.resolutions(), explains: w}
	for _, q := range w.requests {
		e.Requests = append(e.Requests, w.explain(q))
	}
	if !w.foreign {
		e.Readers = w.readers()
	}
	e.held = w.held()
	for _, s := range w.relevant {
		if again[component.At(s.Namespace, s.Name)] {
			w.add(finding.SecretShadowed, s, "is in the dump more than once: the last one is used")
		}
	}
	w.find()
	e.Findings = w.findings
	return e, nil
}

func newExplainer(secrets []corev1.Secret, o ExplainOptions) *explainer {
	w := &explainer{
		dump: newDump(secrets, o.Manual), requests: everyRequest(), contents: map[*corev1.Secret]contents{},
		whole: o.Whole, name: o.InfrastructureName, allowed: o.AllowFallback, emits: o.Emit, namesAll: o.Named, unseen: map[component.Ref]bool{},
	}
	if o.Requests != nil {
		w.requests = o.Requests.List
	}
	return w
}

// everyRequest are all requests that we know, those behind gates too.
func everyRequest() []release.Request {
	var list []release.Request
	for _, k := range release.Consumers() {
		list = append(list, release.Request{Ref: component.At(release.RequestNamespace, k.Name), SecretRef: k.Target, FeatureGate: k.Gate, Component: k.Component})
	}
	return list
}

// explainer is an Explain at work.
type explainer struct {
	*dump
	requests []release.Request
	servers  []string
	relevant []*corev1.Secret                 // that somebody chooses, reads or seems to be meant for
	strayed  map[*corev1.Secret]component.Ref // that nobody finds, with the one that was probably meant
	contents map[*corev1.Secret]contents
	removers []*corev1.Secret // that Hive reads
	foreign  bool             // there is nothing but these: it is a dump of the hub, not of the cluster
	findings []*finding.Finding

	whole    bool                   // nothing is left out of the dump
	known    bool                   // the servers are those of the cluster, and all of them
	name     string                 // of the cluster's Infrastructure
	operated bool                   // cloud-credential-operator copies to the components
	allowed  []component.Name       // that may fall back
	unseen   map[component.Ref]bool // requests with a secret that is meant for them and not found

	emits    []string // of the options, for remedies
	namesAll bool
}

// collect gathers the relevant secrets: the root, those by name or annotation, the targets; each once.
func (w *explainer) collect() {
	take := func(s *corev1.Secret) {
		if s == nil {
			return
		}
		if _, seen := w.contents[s]; !seen {
			w.contents[s] = read(s.Data)
			w.relevant = append(w.relevant, s)
		}
	}
	for _, q := range w.requests {
		for _, s := range w.annotated(q) {
			take(s)
		}
		take(w.named(q))
	}
	take(w.at[root])
	for _, q := range w.requests {
		take(w.at[q.SecretRef])
	}
	w.removers = w.ofHive()
}

func (w *explainer) explain(q release.Request) Explained {
	x := Explained{
		Request: q.String(), Component: q.Component, SecretRef: q.SecretRef.String(), FeatureGate: q.FeatureGate,
		Enhancement: w.enhancement(q, false), Mainline: w.mainline(q), Accounts: []Use{},
	}
	x.InDump = w.at[q.SecretRef] != nil
	for _, server := range w.servers {
		gets := func(by string) string { return w.resolve(q, server, by).Gets() }
		x.Accounts = append(x.Accounts, Use{Server: server, Enhancement: gets(ByEnhancement), Mainline: gets(ByRelease), Now: gets(ByNow)})
	}
	return x
}

// user is whom a secret names on a server.
func (w *explainer) user(s *corev1.Secret, server string) string {
	if s == nil {
		return ""
	}
	return w.contents[s].accounts[server].User
}

func (w *explainer) readers() []Reading {
	var list []Reading
	for _, who := range directNames() {
		for _, server := range w.servers {
			list = append(list, Reading{who, server, w.direct(who, server).Gets()})
		}
	}
	return list
}

// used are the secrets that somebody reads or that are copied to him, in the order of the requests.
func (w *explainer) used() []*corev1.Secret {
	var list []*corev1.Secret
	take := func(s *corev1.Secret) {
		if s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, q := range w.requests {
		take(w.enhancement(q, false).from)
		take(w.at[q.SecretRef])
	}
	take(w.at[root])
	return list
}

// held collects the accounts of the secrets in use, each once per server.
func (w *explainer) held() []Held {
	var list []Held
	for _, server := range w.servers {
		for _, s := range append(w.used(), w.removers...) {
			a, ok := w.contents[s].accounts[server]
			if i := slices.IndexFunc(w.hive(s), func(p serverAccount) bool { return p.server == server }); i >= 0 {
				a, ok = w.hive(s)[i].Account, true
			}
			if !ok || a.Unusable() != "" {
				continue
			}
			name := component.At(s.Namespace, s.Name).String()
			i := slices.IndexFunc(list, func(h Held) bool { return h.Server == server && same(h.Account, a) })
			if i < 0 {
				list = append(list, Held{server, a, []string{name}})
			} else {
				list[i].Secrets = append(list[i].Secrets, name)
			}
		}
	}
	return list
}
