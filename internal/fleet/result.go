// Package fleet runs one job over many specifications, one for each cluster: it lists and groups
// them, takes a shard, collects outcomes and joins results of shards. It reads no vCenter.
package fleet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
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
	Command    string    `json:"command"` // [Plan], [Verify], [Report], or the name of a change
	Tool       string    `json:"tool"`    // name and version of what made it
	Began      time.Time `json:"began"`   // UTC
	Ended      time.Time `json:"ended"`   // UTC
	Shard      *Shard    `json:"shard,omitempty"`
	Clusters   []Cluster `json:"clusters"` // in the order of their names
	Summary    Summary   `json:"summary"`
	// digest over the plans of all clusters; "" = some were not planned, or nothing is
	PlanDigest string `json:"planDigest,omitempty"`

	MissingShards []string `json:"missingShards,omitempty"` // of a merged result, as i/n
}

// Outcome is what came of one cluster.
type Outcome string

// The outcomes.
const (
	OK        Outcome = "ok"        // it is as it must be
	Different Outcome = "different" // something differs, or was not proved
	Failed    Outcome = "failed"    // it was not looked at, or not changed, to its end
	Left      Outcome = "left"      // its change was not begun
)

// Cluster is what came of one cluster.
type Cluster struct {
	Name     string    `json:"cluster"`
	File     string    `json:"file"`   // its specification
	Digest   string    `json:"digest"` // SHA-256 of the whole specification in hexadecimal
	Outcome  Outcome   `json:"outcome"`
	Error    string    `json:"error,omitempty"`    // why it failed
	Hints    []string  `json:"hints,omitempty"`    // what to do about it
	Warnings []string  `json:"warnings,omitempty"` // what a run of it alone prints on stderr
	Ended    time.Time `json:"ended"`              // UTC
	Seconds  float64   `json:"seconds"`            // that it took
	Requests int64     `json:"requests"`           // to its vCenters
	Findings []Finding `json:"findings,omitempty"` // besides figures: errors and warnings
	// digest of its plan, which covers changes, vCenters, specification and options; "" = none was made
	PlanDigest string    `json:"planDigest,omitempty"`
	Wave       int       `json:"wave,omitempty"` // of a change of many clusters, from 1; 0 = in none
	VCenters   []VCenter `json:"vcenters"`
	// place of the passwords; "" = the commands' default
	Credentials string `json:"credentialsFile,omitempty"`
	// output of the command for this cluster with -o json
	Document json.RawMessage `json:"document,omitempty"`
}

// Finding is a problem of a cluster, in one sentence with its subject.
type Finding struct {
	Code     finding.Code     `json:"code"`
	Severity finding.Severity `json:"severity"`
	Text     string           `json:"text"`
}

// Differs reports whether a finding makes its cluster differ.
func (f Finding) Differs() bool {
	return f.Severity == finding.Error || f.Code == finding.ExpiredException
}

// VCenter has the figures of one vCenter of a cluster.
type VCenter struct {
	Server   string        `json:"server"`
	Error    string        `json:"error,omitempty"`          // why it was not read; "" = it was
	Hidden   bool          `json:"accountsHidden,omitempty"` // the login may not read its accounts
	Changes  *plan.Summary `json:"changes,omitempty"`        // of an apply; nil = not looked for
	Accounts []Account     `json:"accounts,omitempty"`       // of a verification
}

// Account has the figures of one account.
type Account struct {
	Component string `json:"component"` // several that share it are separated by commas
	Principal string `json:"principal"`
	Login     Login  `json:"login"`
	Missing   int    `json:"missing"` // privileges, over all objects
	Excess    int    `json:"excess"`  // privileges, over all objects
	// until its password expires, negative if it has; nil = never or unknown
	DaysLeft *int `json:"daysLeft,omitempty"`
}

// Login is what came of the login of an account.
type Login string

// The logins.
const (
	LoginOK         Login = "ok"
	LoginFailed     Login = "failed"     // refused, or there is no such account, or no password for it
	LoginUnverified Login = "unverified" // another's, with unknown password
	LoginComputed   Login = "computed"   // as vCenter told the administrator
	LoginDisabled   Login = "disabled"   // as it is meant to be
)

// Summary counts clusters by outcome, distinct vCenters and unread ones, and what was found.
type Summary struct {
	Clusters  int `json:"clusters"`
	OK        int `json:"ok"`
	Different int `json:"different"`
	Failed    int `json:"failed"`
	Left      int `json:"left,omitempty"`
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

// Tried is how many accounts logged in; where all are computed, that no login was tried.
func (n Counts) Tried() string {
	if n.LoggedIn == 0 && n.Computed > 0 {
		return "not tried"
	}
	return strconv.Itoa(n.LoggedIn)
}

// Count counts what was found on the cluster.
func (c *Cluster) Count() (n Counts) {
	for _, v := range c.VCenters {
		if v.Changes != nil && c.Outcome != Left {
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

func (c *Cluster) miscounted() bool {
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
		case Left:
			s.Left++
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
	r.Summary, r.PlanDigest = s, planDigest(r.Clusters)
}

// planDigest is the digest over the plans of clusters; "" = one of them has none.
func planDigest(clusters []Cluster) string {
	var all [][2]string
	for _, c := range clusters {
		if c.PlanDigest == "" {
			return ""
		}
		all = append(all, [2]string{c.Name, c.PlanDigest})
	}
	if all == nil {
		return ""
	}
	return plan.DigestOf(all)
}

// Noted takes the figures of a plan, or of what a report says was made of it.
func (c *Cluster) Noted(p *plan.Plan) {
	c.PlanDigest, c.VCenters = p.Digest, []VCenter{}
	for _, v := range p.VCenters {
		of := VCenter{Server: v.Server, Error: v.Error, Hidden: slices.Contains(p.Incomplete, v.Server)}
		if v.Error == "" || p.Kind == plan.KindApplied {
			n := (&plan.VCenter{Changes: slices.DeleteFunc(slices.Clone(v.Changes), func(x *plan.Change) bool {
				return p.Kind == plan.KindApplied && v.Status(x) != plan.Done
			})}).Count()
			of.Changes = &n
		}
		c.VCenters = append(c.VCenters, of)
	}
}

// Fail says why the cluster was not looked at to its end.
func (c *Cluster) Fail(err error) {
	c.Outcome, c.Error, c.Hints = Failed, err.Error(), term.Hints(err)
}

// New is the result of what came of the clusters.
func New(command, tool string, began time.Time, shard *Shard, clusters []Cluster) *Result {
	r := &Result{
		APIVersion: plan.APIVersion, Kind: Kind, Command: command, Tool: tool, Began: began.UTC(),
		Ended: time.Now().UTC(), Shard: shard, Clusters: clusters,
	}
	if r.Clusters == nil {
		r.Clusters = []Cluster{}
	}
	r.count()
	return r
}

// Merge joins results of shards or other parts of a fleet as if from one run. names are theirs in
// errors. The result names missing shards.
func Merge(names []string, all []*Result) (*Result, error) {
	out := *all[0]
	out.Shard, out.Clusters, out.MissingShards = nil, []Cluster{}, nil
	shards, clusters := map[Shard]string{}, map[string]string{}
	count := 0
	for i, r := range all {
		name := names[i]
		switch {
		case r.Command != out.Command:
			return nil, hint.Errorf("merge what one command found", "%s is of %s, and %s of %s",
				names[0], out.Command, name, r.Command)
		case r.Tool != out.Tool:
			return nil, hint.Errorf("run all shards with one version", "%s was made by %s, and %s by %s",
				names[0], out.Tool, name, r.Tool)
		case r.Shard == nil:
		case count != 0 && r.Shard.Count != count:
			return nil, fmt.Errorf("%s is one of %d shards, and another one is of %d", name, r.Shard.Count, count)
		case shards[*r.Shard] != "":
			return nil, hint.Errorf("name the one that counts", "%s and %s are both shard %s",
				shards[*r.Shard], name, r.Shard)
		default:
			count = r.Shard.Count
			shards[*r.Shard] = name
		}
		for _, c := range r.Clusters {
			if other := clusters[c.Name]; other != "" {
				return nil, hint.Errorf("name the one that counts", "cluster %s is in %s and in %s", c.Name, other, name)
			}
			clusters[c.Name] = name
			out.Clusters = append(out.Clusters, c)
		}
		if r.Began.Before(out.Began) {
			out.Began = r.Began
		}
		if r.Ended.After(out.Ended) {
			out.Ended = r.Ended
		}
		out.MissingShards = append(out.MissingShards, r.MissingShards...)
	}
	for i := range count {
		if s := (Shard{i, count}); shards[s] == "" {
			out.MissingShards = append(out.MissingShards, s.String())
		}
	}
	slices.SortFunc(out.Clusters, func(a, b Cluster) int { return cmp.Compare(a.Name, b.Name) })
	out.count()
	return &out, nil
}
