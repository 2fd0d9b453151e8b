// Package report is evidence for auditors: who can do what on which vCenter, where, why, since
// when, who proved it, and what changed. A [Report] is plain values of one run, written as HTML,
// Markdown or JSON; two of them can be compared. It holds no password and reads no vCenter.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Kind is that of a report as JSON.
const Kind = "Report"

// Report is the evidence about the accounts of one cluster.
type Report struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Made       time.Time `json:"made"` // UTC
	Tool       string    `json:"tool"` // name and version of what wrote it
	Cluster    string    `json:"cluster"`
	Redacted   bool      `json:"redacted,omitempty"` // names and addresses are replaced

	Scope        Scope                `json:"scope"`
	VCenters     []VCenter            `json:"vcenters"`
	Domains      []inspect.UserDomain `json:"domains"`
	Grants       []Grant              `json:"grants"` // what is granted and why, each once
	Verification *verify.Result       `json:"verification"`
	Findings     finding.List         `json:"findings"`        // beside those of the verification
	Differences  []Difference         `json:"differences"`     // between vCenters that should be equal
	Since        *Since               `json:"since,omitempty"` // an earlier report; nil = none given
	Controls     []Control            `json:"controls"`
	Limits       []string             `json:"limits"` // what this report cannot show
}

// Scope is what the accounts are measured by.
type Scope struct {
	Profile    string   `json:"profile"`
	Matrix     string   `json:"matrix"`
	Digest     string   `json:"digest"` // SHA-256 of the matrix as a file, hexadecimal
	AsOf       string   `json:"asOf,omitempty"`
	Source     string   `json:"source,omitempty"`
	RoleLayout string   `json:"roleLayout"`
	RolePrefix string   `json:"rolePrefix"`
	Conditions []string `json:"conditions"`
	Components []string `json:"components"`
	VCenters   []string `json:"vcenters"`
	Partial    bool     `json:"partial,omitempty"` // the cluster has others, which were left out
	Secrets    bool     `json:"secrets"`           // the secrets of the cluster were looked at
}

// VCenter is what was read of one vCenter.
type VCenter struct {
	Server         string                   `json:"server"`
	InstanceUUID   string                   `json:"instanceUuid"`
	Version        string                   `json:"version"`
	Error          string                   `json:"error,omitempty"` // why it was not read to its end
	Reader         string                   `json:"reader"`          // whose login looked
	Notes          []string                 `json:"notes,omitempty"` // what could not be known
	Accounts       []inspect.RotatedAccount `json:"accounts"`        // of ours, in all generations
	Administrators []Administrator          `json:"administrators"`
	Global         []Global                 `json:"global,omitempty"` // of these accounts and administrators; nil = unknown
	Columns        []Column                 `json:"columns"`          // of the map
	Map            []Node                   `json:"map"`
	Needs          []Needed                 `json:"needs"`
	Others         []Other                  `json:"others"` // on and above the objects of the map; nil = unknown
	Powers         []Power                  `json:"powers"` // of who has the password of an account
	History        History                  `json:"history"`
	Usage          *usage.VCenter           `json:"usage,omitempty"` // used privileges; nil = not asked for
}

// Administrator is who may do everything on a vCenter, for context.
type Administrator struct {
	Principal string   `json:"principal"`
	Group     bool     `json:"group"`
	How       string   `json:"how"`
	Members   []string `json:"members,omitempty"`
	Unknown   string   `json:"unknown,omitempty"` // why the members of a group are not known
}

// Global is a permission on every object of all vCenters of the SSO domain, and on tags.
type Global struct {
	Principal string `json:"principal"`
	Group     bool   `json:"group,omitempty"`
	Role      string `json:"role"`
	Propagate bool   `json:"propagate"`
	Component bool   `json:"component"` // it gives an account of the cluster something
}

// Column is an account on the map of a vCenter.
type Column struct {
	Principal  string   `json:"principal"`
	Group      bool     `json:"group,omitempty"`
	Components []string `json:"components"` // that it works for; empty = none of the specification's
	Adopted    bool     `json:"adopted,omitempty"`
}

// Node is an object of the inventory, with a cell for each column.
type Node struct {
	Path  string `json:"path"`
	Type  string `json:"type"`
	Depth int    `json:"depth"` // below the root folder
	Cells []Cell `json:"cells"`
}

// Cell is what an account has on an object.
type Cell struct {
	Entries []Entry `json:"entries,omitempty"`
	State   string  `json:"state,omitempty"` // as in `permissions list`; "" = none, and none wanted
	Wanted  string  `json:"wanted,omitempty"`
}

// Entry is one permission that reaches an object, or would.
type Entry struct {
	Role      string `json:"role"`
	Word      string `json:"word"` // for the map: the scope that the role is for, or "read"
	Propagate bool   `json:"propagate"`
	From      string `json:"from,omitempty"`    // where it is set; "" = on the object itself
	Through   string `json:"through,omitempty"` // the group that has it; "" = the account itself
	Counts    bool   `json:"counts"`
	Why       string `json:"why,omitempty"` // it does not count

	Drift []string `json:"drift,omitempty"` // changes of its role: +more, -less
}

// Grant is a privilege of a component in a scope, and why: a row of the matrix.
type Grant struct {
	Component  string   `json:"component"`
	Scope      string   `json:"scope"`
	Privilege  string   `json:"privilege"`
	Label      string   `json:"label,omitempty"`     // as the vSphere Client shows it
	Operation  string   `json:"operation,omitempty"` // what it allows
	Why        string   `json:"why,omitempty"`
	Source     string   `json:"source,omitempty"`
	Evidence   string   `json:"evidence,omitempty"`
	Conditions []string `json:"conditions,omitempty"`
}

// Needed is what a component needs on one object.
type Needed struct {
	Component string `json:"component"`
	Object    string `json:"object"`
	Grants    []int  `json:"grants"` // indexes of the report's grants
}

// History is the changes of permissions and roles that a vCenter has kept.
type History struct {
	Events        []Event `json:"events"`                  // the latest first
	RetentionDays *int    `json:"retentionDays,omitempty"` // of events; nil = not known, or for ever
	More          bool    `json:"more,omitempty"`          // there are others that were not read
	Unknown       string  `json:"unknown,omitempty"`       // why nothing is known
}

// Event is one change.
type Event struct {
	Time      time.Time `json:"time"` // UTC
	What      string    `json:"what"` // permission added, role updated ...
	By        string    `json:"by"`
	Object    string    `json:"object,omitempty"`
	Principal string    `json:"principal,omitempty"`
	Role      string    `json:"role,omitempty"`
}

// Difference is something that is not the same on all vCenters.
type Difference struct {
	What   string  `json:"what"`
	Values []Value `json:"values"`
}

// Value is what some vCenters have.
type Value struct {
	Value   string   `json:"value"`
	Servers []string `json:"servers"`
}

// Since is what changed since an earlier report.
type Since struct {
	Made    time.Time `json:"made"`
	Matrix  string    `json:"matrix"`
	Changes []Change  `json:"changes"`
}

// Change is one fact that two reports have differently.
type Change struct {
	Server string `json:"server,omitempty"`
	What   string `json:"what"`
	Before string `json:"before,omitempty"` // "" = there was none
	After  string `json:"after,omitempty"`  // "" = there is none
}

// Control is a requirement of a standard, what of it this report supports, and what it does not.
type Control struct {
	Standard string `json:"standard"`
	ID       string `json:"id"`
	Asks     string `json:"asks"`
	Supports string `json:"supports"`
	Lacks    string `json:"lacks"`
	Found    string `json:"found"` // by this report
}

// New begins a report.
func New(tool, cluster string, made time.Time) *Report {
	return &Report{
		APIVersion: plan.APIVersion, Kind: Kind, Made: made.UTC().Truncate(time.Second), Tool: tool, Cluster: cluster,
		VCenters: []VCenter{}, Domains: []inspect.UserDomain{}, Grants: []Grant{}, Differences: []Difference{}, Limits: []string{},
	}
}

// Read reads a report that was written as JSON. name is what errors call it.
func Read(name string, data []byte) (*Report, error) {
	var head struct{ APIVersion, Kind string }
	if err := json.Unmarshal(data, &head); err == nil && head.Kind == Kind &&
		head.APIVersion != plan.APIVersion {
		return nil, fmt.Errorf("%s: it is of version %q, and this tool reads %s", name, head.APIVersion,
			plan.APIVersion)
	} else if err != nil || head.Kind != Kind {
		return nil, hint.Errorf("write one with report -o json", "%s: this is no report as JSON", name)
	}
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if slices.Contains(r.Findings, nil) || r.Verification != nil && slices.Contains(r.Verification.Findings, nil) {
		return nil, fmt.Errorf("%s: a finding is null: somebody changed this file", name)
	}
	for _, v := range r.VCenters {
		for _, n := range v.Map {
			if len(n.Cells) != len(v.Columns) {
				return nil, fmt.Errorf("%s: %s: %s: %d cells for %d accounts: somebody changed this file", name,
					v.Server, n.Path, len(n.Cells), len(v.Columns))
			}
		}
		for _, d := range v.Needs {
			for _, g := range d.Grants {
				if g < 0 || g >= len(r.Grants) {
					return nil, fmt.Errorf("%s: %s: grant %d of %d: somebody changed this file", name, v.Server, g,
						len(r.Grants))
				}
			}
		}
	}
	return r, nil
}

// CheckComparable refuses an earlier report that tells nothing about this one.
func (r *Report) CheckComparable(earlier *Report) error {
	switch {
	case earlier.Redacted:
		return errors.New("it is redacted: its names are replaced, and compare with nothing")
	case earlier.Cluster != r.Cluster:
		return fmt.Errorf("it is about cluster %q, not %q", earlier.Cluster, r.Cluster)
	case (earlier.Scope.Partial || r.Scope.Partial) && (!slices.Equal(earlier.Scope.Components, r.Scope.Components) || !slices.Equal(earlier.Scope.VCenters, r.Scope.VCenters)):
		return errors.New("one of the two is about a part of the cluster: components or vCenters differ")
	case earlier.Made.After(r.Made):
		return errors.New("it is not older than this run")
	}
	return nil
}
