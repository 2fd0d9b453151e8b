// Package fleet is the same job over many specifications, one for each cluster: which there are, what they have in common, which of
// them a shard takes, what came of each, and how the results of shards are joined. It reads no vCenter: whoever runs it gives the job.
package fleet

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Kind is that of a result as JSON.
const Kind = "FleetResult"

// The commands that there are.
const (
	Plan   = "plan"
	Verify = "verify"
	Report = "report"
)

// Result is what one command found on the clusters of a fleet, or of a shard of it.
type Result struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Command    string    `json:"command"` // [Plan], [Verify] or [Report]
	Tool       string    `json:"tool"`    // name and version of what made it
	Began      time.Time `json:"began"`   // UTC
	Ended      time.Time `json:"ended"`   // UTC
	Shard      *Shard    `json:"shard,omitempty"`
	Clusters   []Cluster `json:"clusters"` // in the order of their names
	Summary    Summary   `json:"summary"`

	MissingShards []string `json:"missingShards,omitempty"` // of a merged result: what nobody looked at, as i/n
}

// Outcome is what came of one cluster.
type Outcome string

// The outcomes.
const (
	OK        Outcome = "ok"        // it is as it must be
	Different Outcome = "different" // something differs, or was not proved
	Failed    Outcome = "failed"    // it was not looked at to its end
)

// Cluster is what came of one cluster.
type Cluster struct {
	Name        string          `json:"cluster"`
	File        string          `json:"file"`   // its specification
	Digest      string          `json:"digest"` // SHA-256 of the specification with what is common to all, hexadecimal
	Outcome     Outcome         `json:"outcome"`
	Error       string          `json:"error,omitempty"`    // why it failed
	Hints       []string        `json:"hints,omitempty"`    // what to do about it
	Warnings    []string        `json:"warnings,omitempty"` // what a run of it alone prints on stderr
	Ended       time.Time       `json:"ended"`              // UTC
	Seconds     float64         `json:"seconds"`            // that it took
	Requests    int64           `json:"requests"`           // to its vCenters
	Found       []string        `json:"findings,omitempty"` // what is wrong besides the figures, a sentence each
	VCenters    []VCenter       `json:"vcenters"`
	Credentials string          `json:"credentialsFile,omitempty"` // where the passwords are looked for; "" = where commands look without being told
	Document    json.RawMessage `json:"document,omitempty"`        // what the command prints for this cluster alone with -o json
}

// VCenter has the figures of one vCenter of a cluster.
type VCenter struct {
	Server   string        `json:"server"`
	Error    string        `json:"error,omitempty"`          // why it was not read; "" = it was
	Hidden   bool          `json:"accountsHidden,omitempty"` // who looked may not read the accounts of its SSO domain
	Changes  *plan.Summary `json:"changes,omitempty"`        // that apply would make; nil = the command looks for none
	Accounts []Account     `json:"accounts,omitempty"`       // of a verification
}

// Account has the figures of one account.
type Account struct {
	Component string `json:"component"` // several that share it are separated by commas
	Principal string `json:"principal"`
	Login     Login  `json:"login"`
	Missing   int    `json:"missing"`            // privileges, over all objects
	Excess    int    `json:"excess"`             // privileges, over all objects
	DaysLeft  *int   `json:"daysLeft,omitempty"` // until its password expires, negative when it has; nil = never, or not known
}

// Login is what came of the login of an account.
type Login string

// The logins.
const (
	LoginOK         Login = "ok"
	LoginFailed     Login = "failed"     // refused, or there is no such account, or no password for it
	LoginUnverified Login = "unverified" // somebody else's, whose password is not known here
	LoginComputed   Login = "computed"   // nobody logged in: the vCenter told the administrator
	LoginDisabled   Login = "disabled"   // as it is meant to be
)

// Summary counts clusters by outcome, vCenters, each once, and those that a cluster could not read, and what was found on them.
type Summary struct {
	Clusters  int `json:"clusters"`
	OK        int `json:"ok"`
	Different int `json:"different"`
	Failed    int `json:"failed"`
	VCenters  int `json:"vcenters"`
	Unread    int `json:"unread"`
	Hidden    int `json:"accountsHidden"` // vCenters whose SSO accounts could not be read
	Accounts  int `json:"accounts"`
	Changes   int `json:"changes"`
	Missing   int `json:"missing"`
	Excess    int `json:"excess"`
	Logins    int `json:"failedLogins"`
}

// Counts is what was found on one cluster, over its vCenters.
type Counts struct {
	plan.Summary // changes

	Accounts, LoggedIn, Computed, FailedLogins int
	Missing, Excess                            int // privileges
}

// Count counts what was found on the cluster.
func (c Cluster) Count() (n Counts) {
	for _, v := range c.VCenters {
		if v.Changes != nil {
			n.Summary = n.And(*v.Changes)
		}
		for _, a := range v.Accounts {
			n.Accounts++
			n.Missing += a.Missing
			n.Excess += a.Excess
			switch a.Login {
			case LoginOK:
				n.LoggedIn++
			case LoginComputed:
				n.Computed++
			case LoginFailed:
				n.FailedLogins++
			case LoginUnverified, LoginDisabled:
			}
		}
	}
	return n
}

// miscounted reports whether a figure of the cluster is one that nobody can have counted.
func (c Cluster) miscounted() bool {
	wrong := func(figures ...int64) bool { return slices.Min(figures) < 0 || slices.Max(figures) > 1<<40 }
	return wrong(c.Requests, int64(c.Seconds)) || slices.ContainsFunc(c.VCenters, func(v VCenter) bool {
		s := cmp.Or(v.Changes, &plan.Summary{})
		return wrong(int64(s.Create), int64(s.Update), int64(s.Delete)) ||
			slices.ContainsFunc(v.Accounts, func(a Account) bool { return wrong(int64(a.Missing), int64(a.Excess)) })
	})
}

// count adds what was found on the clusters.
func (r *Result) count() {
	s := Summary{Clusters: len(r.Clusters)}
	seen, unread, hidden := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range r.Clusters {
		switch c.Outcome {
		case OK:
			s.OK++
		case Different:
			s.Different++
		default:
			s.Failed++
		}
		n := c.Count()
		s.Accounts += n.Accounts
		s.Changes += n.Total()
		s.Missing += n.Missing
		s.Excess += n.Excess
		s.Logins += n.FailedLogins
		for _, v := range c.VCenters {
			server := strings.ToLower(v.Server)
			seen[server] = true
			if v.Error != "" {
				unread[server] = true
			}
			if v.Hidden {
				hidden[server] = true
			}
		}
	}
	s.VCenters, s.Unread, s.Hidden = len(seen), len(unread), len(hidden)
	r.Summary = s
}

// Fail says why the cluster was not looked at to its end.
func (c *Cluster) Fail(err error) {
	c.Outcome, c.Error = Failed, err.Error()
	if h, ok := errors.AsType[term.Hinter](err); ok {
		c.Hints = h.Hints()
	}
}

// New is the result of what came of the clusters.
func New(command, tool string, began time.Time, shard *Shard, clusters []Cluster) *Result {
	r := &Result{
		APIVersion: plan.APIVersion, Kind: Kind, Command: command, Tool: tool, Began: began.UTC(), Ended: time.Now().UTC(), Shard: shard, Clusters: clusters,
	}
	if r.Clusters == nil {
		r.Clusters = []Cluster{}
	}
	r.count()
	return r
}
