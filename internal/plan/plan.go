package plan

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// APIVersion of every JSON and YAML document of the tool.
const APIVersion = "ocp-vsphere-admin/v1"

// Kinds of the two documents.
const (
	KindPlan    = "Plan"
	KindApplied = "Applied"
)

// Plan is the changes of one run, per vCenter in the order of the specification.
type Plan struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Cluster    string       `json:"cluster"`
	Findings   finding.List `json:"findings"` // beside the changes
	Domains    []Domain     `json:"domains"`  // in the order of their first vCenters
	VCenters   []*VCenter   `json:"vcenters"`
	Incomplete []string     `json:"incomplete,omitempty"` // vCenters with unread accounts
	Summary    Summary      `json:"summary"`
	Digest     string       `json:"digest,omitempty"` // set by Seal; empty = not approvable
}

// Domain is an SSO domain of a Plan. Its first planned vCenter has the changes of its accounts.
type Domain struct {
	Name     string   `json:"name"`
	VCenters []string `json:"vcenters"` // read ones, in the order of the plan
	Accounts []string `json:"accounts"` // that change, name@domain
}

// VCenter is a Plan's part on one vCenter. With an Error, Changes is empty or applying stopped.
type VCenter struct {
	Server       string    `json:"server"`
	InstanceUUID string    `json:"instanceUuid,omitempty"` // about.instanceUuid, unique
	Error        string    `json:"error"`
	Changes      []*Change `json:"changes"`

	steps Steps // of a report
	cause error
}

// Summary counts changes by verb.
type Summary struct {
	Create int `json:"create"`
	Update int `json:"update"`
	Delete int `json:"delete"`
}

// New makes an empty plan for a cluster.
func New(cluster string) *Plan {
	return &Plan{
		APIVersion: APIVersion, Kind: KindPlan, Cluster: cluster,
		Domains: []Domain{}, VCenters: []*VCenter{},
	}
}

// Add appends a vCenter's part. err says why its state could not be read; nil = it was.
func (p *Plan) Add(server string, changes []*Change, err error) {
	v := &VCenter{Server: server, Changes: changes, cause: err}
	if v.Changes == nil {
		v.Changes = []*Change{}
	}
	if err != nil {
		v.Error = term.ErrorText(err)
	}
	p.VCenters = append(p.VCenters, v)
	p.Summary = p.count()
}

func (p *Plan) count() (s Summary) {
	for _, v := range p.VCenters {
		s = s.And(v.Count())
	}
	return s
}

// Count counts the changes on the vCenter.
func (v *VCenter) Count() (s Summary) {
	for _, c := range v.Changes {
		switch c.Verb {
		case Create:
			s.Create++
		case Update:
			s.Update++
		case Delete:
			s.Delete++
		}
	}
	return s
}

// And adds two summaries.
func (s Summary) And(more Summary) Summary {
	return Summary{s.Create + more.Create, s.Update + more.Update, s.Delete + more.Delete}
}

// Changes are those of all vCenters, in their order.
func (p *Plan) Changes() iter.Seq2[*VCenter, *Change] {
	return func(yield func(*VCenter, *Change) bool) {
		for _, v := range p.VCenters {
			for _, c := range v.Changes {
				if !yield(v, c) {
					return
				}
			}
		}
	}
}

// Any reports whether the condition holds for any change.
func (p *Plan) Any(is func(*Change) bool) bool {
	return slices.ContainsFunc(p.VCenters, func(v *VCenter) bool { return slices.ContainsFunc(v.Changes, is) })
}

// Alters says how many changes alter what others granted; "" if none.
func (p *Plan) Alters() string {
	n := 0
	for _, c := range p.Changes() {
		if c.Displaces {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "1 change alters permissions or roles of others"
	default:
		return fmt.Sprintf("%d changes alter permissions or roles of others", n)
	}
}

// Unread are the vCenters that could not be read.
func (p *Plan) Unread() (servers []string) {
	for _, v := range p.VCenters {
		if v.Error != "" {
			servers = append(servers, v.Server)
		}
	}
	return servers
}

// Total is the number of changes that do something.
func (s Summary) Total() int { return s.Create + s.Update + s.Delete }

// Empty reports whether there is nothing to do.
func (p *Plan) Empty() bool { return p.Summary.Total() == 0 }

// Err joins what failed, in the order of vCenters, each cause once, without interrupted changes.
func (p *Plan) Err() error {
	var errs []error
	for _, v := range p.VCenters {
		if v.cause != nil && (p.Kind != KindApplied || !interrupted(v.cause)) {
			errs = append(errs, v.cause)
		}
		for _, f := range v.failures() {
			errs = append(errs, f)
		}
	}
	return errors.Join(errs...)
}

// Failed reports whether anything on this vCenter failed or was left undone.
func (v *VCenter) Failed() bool {
	if v.cause != nil {
		return true
	}
	return slices.ContainsFunc(v.Changes, func(c *Change) bool { return v.Status(c) == Failed || v.Status(c) == Skipped })
}

// Causes are the parts of a vCenter's Error with their remedies. A saved plan has only the Error.
func (v *VCenter) Causes() []term.ErrorLine {
	switch {
	case v.cause != nil:
		return term.ErrorLines(v.cause)
	case v.Error != "":
		return []term.ErrorLine{{Text: v.Error}}
	}
	return nil
}

// Reached are the vCenters that were read, and changed if they were to be; nil = all.
func (p *Plan) Reached() (servers []string) {
	for _, v := range p.VCenters {
		done := func(c *Change) bool { return v.Status(c) == Done }
		if v.Error == "" && (!v.Failed() || slices.ContainsFunc(v.Changes, done)) {
			servers = append(servers, v.Server)
		}
	}
	if len(servers) == len(p.VCenters) {
		return nil
	}
	return servers
}

// Partial reports whether some vCenters failed and others did not.
func (p *Plan) Partial() bool {
	return slices.ContainsFunc(p.VCenters, (*VCenter).Failed) &&
		slices.ContainsFunc(p.VCenters, func(v *VCenter) bool { return !v.Failed() })
}
