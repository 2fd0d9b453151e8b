package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// Who chooses an account for a consumer. Secrets do not say which operator the cluster has, so each is asked.
const (
	ByEnhancement = "enhancement" // cloud-credential-operator of openshift/enhancements#1931
	ByRelease     = "release"     // that of a release: it knows the root secret alone
	ByNow         = "now"         // nobody: what the consumer's own secret holds, which is all there is in Manual mode
)

// Resolution is what one consumer gets on one vCenter when By chooses.
type Resolution struct {
	By      string `json:"by"`
	Request string `json:"request"` // namespace/name of the CredentialsRequest; "" for direct readers of the root secret
	resolution.Resolution
}

// Resolve tells who gets which account: each request and each direct reader of the root secret, on each vCenter, from each that may
// choose. nil servers are those that the secrets name. Requests that are not in every cluster are left out unless it shows them.
func (c *Cluster) Resolve(servers []string) []Resolution {
	if servers == nil {
		servers = c.Settled()
	}
	all, choose := []Resolution{}, []string{ByEnhancement, ByRelease, ByNow}
	if c.IsManual() {
		choose = []string{ByNow} // no operator does
	}
	for _, q := range c.Consumed() {
		if !c.Has(q) {
			continue
		}
		for _, server := range servers {
			for _, by := range choose {
				all = append(all, Resolution{by, q.String(), c.Gets(q, server, by)})
			}
		}
	}
	for _, who := range Direct() {
		for _, server := range servers {
			all = append(all, Resolution{ByNow, "", c.GetsDirectly(who, server)})
		}
	}
	return all
}

// Consumer is what the consumer of a request is called.
func Consumer(q release.Request) string { return cmp.Or(string(q.Component), q.Name) }

// Consumers are the names that switches can have: those of components, of known requests that are of none, of the direct
// readers of the root secret, and of the given requests.
func Consumers(requests *release.Requests) []string {
	list := Requests()
	if requests != nil {
		list = append(list, requests.List...)
	}
	var all []string
	for _, q := range list {
		if name := Consumer(q); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return append(all, Direct()...)
}

// Gets is what the consumer of a request gets on a vCenter from one that may choose.
func (c *Cluster) Gets(q release.Request, server, by string) resolution.Resolution {
	rungs := c.own(q)
	switch by {
	case ByEnhancement:
		rungs = c.ladder(q, false)
	case ByRelease:
		rungs = c.shared(q)
	}
	return climb(Consumer(q), server, rungs)
}

// GetsDirectly is what a reader of the root secret gets.
func (c *Cluster) GetsDirectly(who, server string) resolution.Resolution {
	var rungs []rung
	if s := c.Root(); s != nil {
		rungs = []rung{{step: StepDirect, from: s, takes: true}}
	}
	return climb(who, server, rungs)
}

// climb reads the account for a server from each secret on the way.
func climb(consumer, server string, rungs []rung) resolution.Resolution {
	var sources []resolution.Source
	used := ""
	for _, r := range rungs {
		at, why := r.from.At().String(), r.why
		switch {
		case !r.takes:
		case used == "":
			used = at + " (" + r.step + ")"
		default:
			why = used + " takes precedence"
		}
		account, _ := r.from.Account(consumer, server)
		sources = append(sources, resolution.Source{
			Takes:     r.takes,
			Candidate: resolution.Candidate{Step: r.step, From: at, User: account.User, Instance: r.from.Recorded()[server], Why: why},
		})
	}
	return resolution.Resolve(consumer, server, sources...)
}

// Direct are the readers of kube-system/vsphere-creds that have no CredentialsRequest for it.
func Direct() []string { return []string{"machine-config-operator", "cluster-capi-operator"} }

// Settled are the vCenters of the cluster as far as the secrets tell that somebody chooses or reads: of names that differ in upper and
// lower case alone the one that most secrets have, or else the one in lower case.
func (c *Cluster) Settled() []string {
	count := map[string]int{}
	for _, s := range c.Relevant() {
		for _, server := range s.Named() {
			count[server]++
		}
	}
	best := map[string]string{}
	for _, server := range slices.Sorted(maps.Keys(count)) {
		low := strings.ToLower(server)
		if now, there := best[low]; !there || count[server] > count[now] || count[server] == count[now] && server == low {
			best[low] = server
		}
	}
	return slices.Sorted(maps.Values(best))
}

// Named are the vCenters of a secret's keys, those of half an account too.
func (k Keys) Named() []string {
	names := k.Servers()
	for _, key := range k.Half {
		names = append(names, ServerOf(key))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ServerOf is the server of a key of an account.
func ServerOf(key string) string {
	if server, ok := strings.CutSuffix(key, openshift.UserKey); ok {
		return server
	}
	return strings.TrimSuffix(key, openshift.PasswordKey)
}

// Uncopied are the secrets of components that hold an account which nobody can have copied there from kube-system, as in Manual
// mode, where secrets of kube-system are read by nobody.
func (c *Cluster) Uncopied() []component.Ref {
	var all []component.Ref
	copying := *c
	c, copying.Manual = &copying, nil
	for _, q := range c.Consumed() {
		s := c.objects[q.SecretRef]
		if s == nil || q.Component == "" || q.Component.OptIn() {
			continue
		}
		for server, a := range s.Accounts {
			if !copied(c.Enhancement(q), server, a) && !copied(c.Release(q), server, a) {
				all = append(all, q.SecretRef)
				break
			}
		}
	}
	return all
}

func copied(from Choice, server string, a credfile.Account) bool {
	return from.From != nil && from.From.Accounts[server].Same(a)
}
