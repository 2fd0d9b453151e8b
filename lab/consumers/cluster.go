// Package consumers is a model of an OpenShift cluster as a vCenter sees it: the workloads that log in with accounts of
// vCenter, what each of them remembers, how it comes to know a new password or a new account, and how it goes on when a
// login is refused. Their logins and their work go over the wire to simulated vCenters, so that lockout counts there. It is
// for tests, and like the simulation it shares no rule with the tool.
package consumers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Options shape a cluster.
type Options struct {
	VCenters []*vcsim.VCenter // that it runs on
	Clock    *Clock           // of the vCenters, too
	// EarlierMachineAPI: machine-api-controllers of releases that log in to the REST API for tags each time, with the password
	// of the session that they keep.
	EarlierMachineAPI bool
	// ClusterAPI: the cluster has it, so that cluster-capi-operator copies the root secret.
	ClusterAPI bool
	Only       []string // workloads; none = all
}

// Cluster is its secrets and its workloads.
type Cluster struct {
	clock *Clock

	acting  sync.Mutex // held while workloads act, and while somebody changes what they see
	secrets map[string]secret
	readers []*reader

	mu      sync.Mutex
	refused []Refusal
	gaps    []Gap
	locked  map[string]time.Time
	worked  map[string]int
}

// Refusal is a login that a vCenter refused.
type Refusal struct {
	At                     time.Time
	Workload, Server, User string
	Healed                 bool // it made the workload read its secret again, and the login after it succeeded
}

// Gap is a time at which a workload could not work on a vCenter.
type Gap struct {
	At                    time.Time
	Workload, Server, Why string
}

// New makes a cluster without secrets, in which nothing happens before the first Tick.
func New(o Options) *Cluster {
	c := &Cluster{clock: o.Clock, secrets: map[string]secret{}, locked: map[string]time.Time{}, worked: map[string]int{}}
	for _, w := range workloads() {
		if w.hold == copied && !o.ClusterAPI || len(o.Only) > 0 && !slices.Contains(o.Only, w.name) {
			continue
		}
		w.tagsEachTime = o.EarlierMachineAPI && w.name == "machine-api-controllers"
		for i, v := range o.VCenters {
			if w.hold == copied && i > 0 {
				continue // it takes the first vCenter of the cluster
			}
			c.readers = append(c.readers, &reader{workload: w, cluster: c, at: v, next: c.clock.Now(), sessions: map[string]*session{}})
		}
	}
	return c
}

// Apply is `oc apply -f -`: secrets of any profile, as YAML. cloud-credential-operator copies those of kube-system to the
// namespaces of the components at once, and its colleague of the CSI driver restarts that when its secret has changed.
func (c *Cluster) Apply(manifests string) error {
	applied, err := parse(manifests)
	if err != nil {
		return err
	}
	c.acting.Lock()
	defer c.acting.Unlock()
	maps.Copy(c.secrets, applied)
	c.copyToTargets()
	for _, r := range c.readers {
		if r.hold == inPod && !maps.Equal(r.seen, c.secrets[r.secret].data) {
			r.restart(c.clock.Now())
		}
	}
	return nil
}

// Restart is what an administrator does to a workload so that it reads its secret: a new pod, or for
// cluster-capi-operator the removal of its copy. It fails where no workload has the name.
func (c *Cluster) Restart(workload string) error {
	c.acting.Lock()
	defer c.acting.Unlock()
	found := false
	for _, r := range c.readers {
		if r.name == workload {
			r.restart(c.clock.Now())
			found = true
		}
	}
	if !found {
		return fmt.Errorf("no workload is called %s", workload)
	}
	return nil
}

// EndSessions ends the sessions of the workloads, all or the named ones, as a restart of vCenter does.
func (c *Cluster) EndSessions(workloads ...string) error {
	c.acting.Lock()
	defer c.acting.Unlock()
	for _, r := range c.readers {
		if len(workloads) > 0 && !slices.Contains(workloads, r.name) {
			continue
		}
		for _, user := range slices.Sorted(maps.Keys(r.sessions)) {
			if err := r.sessions[user].end(context.Background()); err != nil {
				return fmt.Errorf("%s: %s: %w", r.at.Server(), r.name, err)
			}
		}
	}
	return nil
}

// Workloads are the names of those that there are.
func (c *Cluster) Workloads() []string {
	var names []string
	for _, r := range c.readers {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	}
	return names
}

// Refused are the logins that were refused since the last Forget, in the order of time.
func (c *Cluster) Refused() []Refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.refused), func(a, b Refusal) int {
		return compare(a.At, b.At, a.Workload, b.Workload, a.Server, b.Server)
	})
}

// Gaps are the times at which a workload could not work, since the last Forget.
func (c *Cluster) Gaps() []Gap {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.gaps), func(a, b Gap) int {
		return compare(a.At, b.At, a.Workload, b.Workload, a.Server, b.Server)
	})
}

// Locked are the accounts that were found locked since the last Forget, whoever locked them: user@domain.
func (c *Cluster) Locked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.locked))
}

// LockedAt is when an account was first found locked since the last Forget.
func (c *Cluster) LockedAt(user string) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.locked[user]
	return at, ok
}

// Worked counts for each workload how often it worked on a vCenter, since the last Forget.
func (c *Cluster) Worked() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.worked)
}

// Forget empties what Refused, Gaps, Locked and Worked tell.
func (c *Cluster) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused, c.gaps, c.locked, c.worked = nil, nil, map[string]time.Time{}, map[string]int{}
}

func compare(a, b time.Time, words ...string) int {
	if order := a.Compare(b); order != 0 {
		return order
	}
	for pair := range slices.Chunk(words, 2) {
		if order := strings.Compare(pair[0], pair[1]); order != 0 {
			return order
		}
	}
	return 0
}

// look notes which accounts are locked now.
func (c *Cluster) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.readers {
		for _, u := range r.at.Directory().Users() {
			if _, known := c.locked[u.UPN()]; u.Locked && !known {
				c.locked[u.UPN()] = c.clock.Now()
			}
		}
	}
}
