package consumers

import (
	"context"
	"maps"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// reader is a workload on one vCenter, with what it remembers.
type reader struct {
	workload
	cluster *Cluster
	at      *vcsim.VCenter

	next     time.Time
	failures int // in a row

	seen     map[string]string   // inPod: the secret as its pod found it
	held     account             // inPod, inMemory, copied
	sessions map[string]*session // by user name
}

// restart makes it forget everything, and look at once.
func (r *reader) restart(now time.Time) {
	r.seen, r.held, r.sessions, r.failures, r.next = nil, account{}, map[string]*session{}, 0, now
}

// act is one look: at its secret, where it does that, and at its vCenter. It settles when the next one is.
func (r *reader) act(now time.Time) {
	why, idle := r.look(context.Background())
	switch {
	case why == "":
		r.failures, r.next = 0, now.Add(r.every)
		if !idle {
			r.cluster.note(func(c *Cluster) { c.worked[r.name]++ })
		}
	default:
		r.failures++
		r.next = now.Add(r.retry.after(r.failures))
		r.cluster.note(func(c *Cluster) { c.gaps = append(c.gaps, Gap{now, r.name, r.at.Server(), why}) })
	}
}

func (c *Cluster) note(f func(*Cluster)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c)
}

// look is the work; why it could not be done. idle: there was none.
func (r *reader) look(ctx context.Context) (why string, idle bool) {
	from, there := r.cluster.secrets[r.secret]
	if r.secret == root && !there && r.held == (account{}) {
		return "", true // it says so elsewhere, with or without us
	}
	now, ok := from.account(r.at.Server())
	if r.held == (account{}) || r.hold == nothing || r.hold == sessions {
		if !ok {
			return "its secret holds no account of this vCenter", false
		}
		r.held, r.seen = now, maps.Clone(from.data)
	}
	if r.hold == nothing {
		s, why := r.login(ctx, r.held)
		if why != "" {
			return why, false
		}
		defer func() { _ = s.end(ctx) }()
		return s.work(ctx), false
	}
	s := r.sessions[r.held.user]
	if s == nil || !s.alive(ctx) {
		if s, why = r.login(ctx, r.held); why == refused && r.hold == inMemory {
			r.held = now
			if s, why = r.login(ctx, r.held); why == "" {
				r.healed()
			}
		}
		if why != "" {
			delete(r.sessions, r.held.user)
			return why, false
		}
		r.sessions[r.held.user] = s
	}
	if r.tagsEachTime {
		if why := r.restLogin(ctx, s.client, s.account); why != "" {
			return why, false
		}
	}
	return s.work(ctx), false
}

// healed marks the refusal that made it read its secret again.
func (r *reader) healed() {
	r.cluster.note(func(c *Cluster) {
		for i := len(c.refused) - 1; i >= 0; i-- {
			if f := &c.refused[i]; f.Workload == r.name && f.Server == r.at.Server() {
				f.Healed = true
				return
			}
		}
	})
}
