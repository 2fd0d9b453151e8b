package metrics

import (
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// series is a family with the values of its labels, in their order.
type series struct {
	*family
	values [4]string
}

// figures are the values of series.
type figures map[series]float64

// at is a series of f. Label values become UTF-8 without hidden signs.
func at(f *family, values ...string) series {
	s := series{family: f}
	for i, v := range values {
		s.values[i] = term.Line(v)
	}
	return s
}

func (s series) labels() []string { return s.values[:len(s.family.labels)] }

// figuresOf is what a result shows. The times of earlier stay for clusters that failed now.
func figuresOf(r *fleet.Result, earlier figures) figures {
	f := figures{}
	shard := shardOf(r)
	f[at(buildInfo, r.Command, shard, r.Tool[strings.LastIndex(r.Tool, " ")+1:])] = 1
	f.time(at(runEnded, r.Command, shard), r.Ended)
	f[at(runSeconds, r.Command, shard)] = max(0, r.Ended.Sub(r.Began).Seconds())
	stays := map[string]bool{}
	for _, c := range r.Clusters {
		f.cluster(r.Command, c)
		if outcomeOf(c) == fleet.Failed {
			stays[term.Line(c.Name)] = true
		}
	}
	for s, value := range earlier {
		if _, now := f[s]; !now && s.stays && s.values[0] == term.Line(r.Command) && stays[s.values[1]] {
			f[s] = value
		}
	}
	return f
}

func (f figures) cluster(command string, c fleet.Cluster) {
	outcome := outcomeOf(c)
	for _, o := range outcomes {
		f[at(clusterOutcome, command, c.Name, o)] = one(o == string(outcome))
	}
	if outcome != fleet.Failed {
		f.time(at(lastSuccess, command, c.Name), c.Ended)
	}
	f[at(clusterSeconds, command, c.Name)] += c.Seconds
	f[at(clusterRequests, command, c.Name)] += float64(c.Requests)
	for _, found := range c.Findings {
		f[at(findings, command, c.Name, string(found.Code), string(found.Severity))]++
	}
	for _, v := range c.VCenters {
		f[at(vcenterRead, command, c.Name, v.Server)] = one(v.Error == "")
		if v.Changes != nil {
			f[at(pendingChanges, command, c.Name, v.Server, "create")] += float64(v.Changes.Create)
			f[at(pendingChanges, command, c.Name, v.Server, "update")] += float64(v.Changes.Update)
			f[at(pendingChanges, command, c.Name, v.Server, "delete")] += float64(v.Changes.Delete)
		}
		for _, a := range v.Accounts {
			f.account(command, c, v.Server, a)
		}
	}
}

// account adds the figures of one account, for each component that uses it.
func (f figures) account(command string, c fleet.Cluster, server string, a fleet.Account) {
	for _, login := range logins {
		f[at(accounts, command, c.Name, server, string(login))] += one(a.Login == login)
	}
	for component := range strings.SplitSeq(a.Component, ",") {
		here := func(of *family) series { return at(of, command, c.Name, server, strings.TrimSpace(component)) }
		f[here(missing)] += float64(a.Missing)
		f[here(excess)] += float64(a.Excess)
		f[here(failedLogins)] += one(a.Login == fleet.LoginFailed)
		if a.DaysLeft == nil || c.Ended.IsZero() {
			continue
		}
		expires := seconds(c.Ended) + float64(*a.DaysLeft)*(24*time.Hour).Seconds()
		if first, ok := f[here(passwordExpiry)]; !ok || expires < first {
			f[here(passwordExpiry)] = expires
		}
	}
}

// time sets s to t, unless there is none.
func (f figures) time(s series, t time.Time) {
	if !t.IsZero() {
		f[s] = seconds(t)
	}
}

// seconds is t as Prometheus has it, to the millisecond.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// outcomeOf counts what is not known as failed, as the summary does.
func outcomeOf(c fleet.Cluster) fleet.Outcome {
	if c.Outcome == fleet.OK || c.Outcome == fleet.Different {
		return c.Outcome
	}
	return fleet.Failed
}

// shardOf is the part of the fleet, "" for the whole.
func shardOf(r *fleet.Result) string {
	if r.Shard == nil {
		return ""
	}
	return r.Shard.String()
}
