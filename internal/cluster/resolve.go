package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// Choosers of a consumer's account: each is asked, as secrets do not tell a cluster's operator.
const (
	ByEnhancement = "enhancement" // cloud-credential-operator of openshift/enhancements#1931
	ByRelease     = "release"     // that of a release: it knows the root secret alone
	ByNow         = "now"         // no operator: its own secret, as in Manual mode
)

// Resolution is what one consumer gets on one vCenter when By chooses.
type Resolution struct {
	By      string `json:"by"`
	Request string `json:"request"` // namespace/name; "" for direct readers
	resolution.Resolution
}

// Resolve tells which account each request and direct reader gets on each vCenter from each
// chooser. nil servers are those in secrets. Optional requests count if the cluster shows them.
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
	for _, who := range c.Direct() {
		for _, server := range servers {
			all = append(all, Resolution{ByNow, "", c.GetsDirectly(who, server)})
		}
	}
	return all
}

// Consumer is what the consumer of a request is called.
func Consumer(q release.Request) string { return cmp.Or(string(q.Component), q.Name) }

// Consumers are the possible names in switches: of components, of other known requests, of direct
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

// Direct are those that the cluster has.
func (c *Cluster) Direct() []string {
	if c.Plain() {
		return nil
	}
	return Direct()
}

// Settled are the vCenters in chosen or read secrets, in their most frequent case, or lower case.
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
		if now, there := best[low]; !there || count[server] > count[now] ||
			count[server] == count[now] && server == low {
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

// Uncopied are the secrets of components with an account that kube-system lacks, or in Manual mode.
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

// Switch is a consumer with another account than before, with none, or on another vCenter.
type Switch struct {
	Consumer string               `json:"consumer"`
	Server   string               `json:"server"`
	Change   string               `json:"change"` // ChangeUser, ChangeRemoved or ChangeInstance
	By       []string             `json:"by"`     // who chooses so: ByEnhancement, ByRelease, ByNow
	From     resolution.Candidate `json:"from"`
	To       resolution.Candidate `json:"to"`
	Asked    string               `json:"asked"` // who asked for it, or ""
}

// Ask notes who asked for each switch: asked returns "" for none.
func (c *Comparison) Ask(asked func(Switch) string) {
	for i := range c.Switches {
		c.Switches[i].Asked = asked(c.Switches[i])
	}
}

// Unasked are the switches without an asker.
func (c *Comparison) Unasked() []Switch {
	return slices.DeleteFunc(slices.Clone(c.Switches), func(s Switch) bool { return s.Asked != "" })
}

// String says who goes from where to where.
func (s Switch) String() string {
	from, to := side(s.From), side(s.To)
	if s.Change == ChangeInstance {
		from, to = "instance "+s.From.Instance+", recorded in "+s.From.From, "instance "+s.To.Instance
	}
	return fmt.Sprintf("%s: %s: from %s to %s", s.Server, s.Consumer, from, to)
}

func side(c resolution.Candidate) string {
	if c.User == "" {
		return "no account"
	}
	return fmt.Sprintf("%s (%s, %s)", c.User, c.From, c.Step)
}

// switches are the consumers with another account after than before; others are new.
func switches(before, after []Resolution) []Switch {
	list := []Switch{}
	for _, a := range before {
		change, b := changed(a, after)
		if change == "" {
			continue
		}
		i := slices.IndexFunc(list, func(s Switch) bool {
			return s.Consumer == a.Consumer && s.Server == a.Server && s.Change == change &&
				s.From == bare(a) && s.To == b
		})
		if i < 0 {
			list = append(list, Switch{a.Consumer, a.Server, change, []string{a.By}, bare(a), b, ""})
		} else if !slices.Contains(list[i].By, a.By) {
			list[i].By = append(list[i].By, a.By)
		}
	}
	return list
}

// changed tells what becomes of one answer.
func changed(a Resolution, after []Resolution) (string, resolution.Candidate) {
	none := resolution.Candidate{Step: StepNone}
	if a.Gets() == "" {
		return "", none
	}
	i := slices.IndexFunc(after, func(b Resolution) bool {
		return b.Consumer == a.Consumer && b.Request == a.Request && b.Server == a.Server && b.By == a.By
	})
	if i < 0 {
		return ChangeRemoved, none
	}
	switch b := after[i]; {
	case b.Gets() == "":
		return ChangeRemoved, bare(b)
	case Spelling(a.User) != Spelling(b.User):
		return ChangeUser, bare(b)
	case a.Instance != "" && b.Instance != "" && !strings.EqualFold(a.Instance, b.Instance):
		return ChangeInstance, bare(b)
	}
	return "", none
}

// bare is what is used, without the words about it.
func bare(r Resolution) resolution.Candidate {
	c := r.Candidate
	c.Why = ""
	return c
}
