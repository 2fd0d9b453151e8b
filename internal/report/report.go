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
	APIVersion string    `json:"apiVersion" redact:"word"`
	Kind       string    `json:"kind" redact:"word"`
	Made       time.Time `json:"made"`               // UTC
	Tool       string    `json:"tool" redact:"word"` // name and version of what wrote it
	Cluster    string    `json:"cluster" redact:"cluster"`
	Redacted   bool      `json:"redacted,omitempty"` // names and addresses are replaced

	Scope        Scope                `json:"scope"`
	VCenters     []VCenter            `json:"vcenters"`
	Domains      []inspect.UserDomain `json:"domains"`
	Grants       []Grant              `json:"grants"` // what is granted and why, each once
	Verification *verify.Result       `json:"verification"`
	Findings     finding.List         `json:"findings"`           // beside those of the verification
	Differences  []Difference         `json:"differences"`        // between vCenters that should be equal
	Since        *Since               `json:"since,omitempty"`    // an earlier report; nil = none given
	Approval     *Approval            `json:"approval,omitempty"` // nil = no plan was named
	Exceptions   []Exception          `json:"exceptions,omitempty"`
	Controls     []Control            `json:"controls"`
	Limits       []string             `json:"limits" redact:"made"` // what this report cannot show
}

// Scope is what the accounts are measured by.
type Scope struct {
	// Specification is the digest of what its file says; "" = there is no file.
	Specification string `json:"specification,omitempty" redact:"word"`

	Profile    string   `json:"profile" redact:"word"`
	Matrix     string   `json:"matrix" redact:"matrix"`
	Digest     string   `json:"digest" redact:"word"` // SHA-256 of the matrix as a file, hexadecimal
	AsOf       string   `json:"asOf,omitempty" redact:"word"`
	Source     string   `json:"source,omitempty" redact:"text"`
	RoleLayout string   `json:"roleLayout" redact:"word"`
	RolePrefix string   `json:"rolePrefix" redact:"prefix"`
	Conditions []string `json:"conditions" redact:"word"`
	Components []string `json:"components" redact:"word"`
	VCenters   []string `json:"vcenters" redact:"vcenter"`
	Partial    bool     `json:"partial,omitempty"` // the cluster has others, which were left out
	Secrets    bool     `json:"secrets"`           // the secrets of the cluster were looked at
}

// VCenter is what was read of one vCenter.
type VCenter struct {
	Server         string                   `json:"server" redact:"vcenter"`
	InstanceUUID   string                   `json:"instanceUuid" redact:"instance"`
	Version        string                   `json:"version" redact:"word"`
	Error          string                   `json:"error,omitempty" redact:"text"` // why it was not read to its end
	Reader         string                   `json:"reader" redact:"principal"`     // whose login looked
	Notes          []string                 `json:"notes,omitempty" redact:"text"` // what could not be known
	Accounts       []inspect.RotatedAccount `json:"accounts"`                      // of ours, in all generations
	Administrators []Administrator          `json:"administrators"`
	Global         []Global                 `json:"global,omitempty"` // of these accounts and administrators; nil = unknown
	Columns        []Column                 `json:"columns"`          // of the map
	Map            []Node                   `json:"map"`
	Needs          []Needed                 `json:"needs"`
	Others         []Other                  `json:"others"` // on and above the objects of the map and templates; nil = unknown
	Powers         []Power                  `json:"powers"` // of who has the password of an account
	History        History                  `json:"history"`
	Usage          *usage.VCenter           `json:"usage,omitempty"` // used privileges; nil = not asked for
}

// Administrator is who may do everything on a vCenter, for context.
type Administrator struct {
	Principal string   `json:"principal" redact:"principal"`
	Group     bool     `json:"group"`
	How       string   `json:"how" redact:"word"`
	Members   []string `json:"members,omitempty" redact:"principal"`
	Unknown   string   `json:"unknown,omitempty" redact:"word"` // why the members of a group are not known
}

// Global is a permission on every object of all vCenters of the SSO domain, and on tags.
type Global struct {
	Principal string `json:"principal" redact:"principal"`
	Group     bool   `json:"group,omitempty"`
	Role      string `json:"role" redact:"role"`
	Propagate bool   `json:"propagate"`
	Component bool   `json:"component"` // it gives an account of the cluster something
}

// Column is an account on the map of a vCenter.
type Column struct {
	Principal  string   `json:"principal" redact:"account"`
	Group      bool     `json:"group,omitempty"`
	Components []string `json:"components" redact:"word"` // that it works for; empty = none of the specification's
	Adopted    bool     `json:"adopted,omitempty"`
}

// Node is an object of the inventory, with a cell for each column.
type Node struct {
	Path  string `json:"path" redact:"path"`
	Type  string `json:"type" redact:"word"`
	Depth int    `json:"depth"` // below the root folder
	Cells []Cell `json:"cells"`
}

// Cell is what an account has on an object.
type Cell struct {
	Entries []Entry `json:"entries,omitempty"`
	State   string  `json:"state,omitempty" redact:"word"` // as in `permissions list`; "" = none, and none wanted
	Wanted  string  `json:"wanted,omitempty" redact:"word"`
}

// Entry is one permission that reaches an object, or would.
type Entry struct {
	Role      string `json:"role" redact:"role"`
	Word      string `json:"word" redact:"word"` // for the map: the scope that the role is for, or "read"; "" = the role's name
	Propagate bool   `json:"propagate"`
	From      string `json:"from,omitempty" redact:"path"`         // where it is set; "" = on the object itself
	Through   string `json:"through,omitempty" redact:"principal"` // the group that has it; "" = the account itself
	Counts    bool   `json:"counts"`
	Why       string `json:"why,omitempty" redact:"word"` // it does not count
	By        string `json:"by,omitempty" redact:"path"`  // that Why ends with

	Drift []string `json:"drift,omitempty" redact:"word"` // changes of its role: +more, -less
}

// Grant is a privilege of a component in a scope, and why: a row of the matrix.
type Grant struct {
	Component  string   `json:"component" redact:"word"`
	Scope      string   `json:"scope" redact:"word"`
	Privilege  string   `json:"privilege" redact:"word"`
	Label      string   `json:"label,omitempty" redact:"word"`     // as the vSphere Client shows it
	Operation  string   `json:"operation,omitempty" redact:"word"` // what it allows
	Why        string   `json:"why,omitempty" redact:"text"`
	Source     string   `json:"source,omitempty" redact:"text"`
	Evidence   string   `json:"evidence,omitempty" redact:"word"`
	Conditions []string `json:"conditions,omitempty" redact:"word"`
}

// Needed is what a component needs on one object.
type Needed struct {
	Component string `json:"component" redact:"word"`
	Object    string `json:"object" redact:"path"`
	Grants    []int  `json:"grants"` // indexes of the report's grants
}

// History is the changes of permissions and roles that a vCenter has kept.
type History struct {
	Events        []Event `json:"events"`                          // the latest first
	RetentionDays *int    `json:"retentionDays,omitempty"`         // of events; nil = not known, or for ever
	More          bool    `json:"more,omitempty"`                  // there are others that were not read
	Unknown       string  `json:"unknown,omitempty" redact:"text"` // why nothing is known
}

// Event is one change.
type Event struct {
	Time      time.Time `json:"time"`               // UTC
	What      string    `json:"what" redact:"word"` // permission added, role updated ...
	By        string    `json:"by" redact:"principal"`
	Object    string    `json:"object,omitempty" redact:"path"`
	Principal string    `json:"principal,omitempty" redact:"principal"`
	Role      string    `json:"role,omitempty" redact:"role"`
}

// Difference is something that is not the same on all vCenters.
type Difference struct {
	What   string  `json:"what" redact:"made"`
	Values []Value `json:"values"`
}

// Value is what some vCenters have.
type Value struct {
	Value   string   `json:"value" redact:"made"`
	Servers []string `json:"servers" redact:"made"`
}

// Since is what changed since an earlier report.
type Since struct {
	Made    time.Time `json:"made"`
	Matrix  string    `json:"matrix" redact:"made"`
	Changes []Change  `json:"changes"`
}

// Change is one fact that two reports have differently.
type Change struct {
	Server string `json:"server,omitempty" redact:"made"`
	What   string `json:"what" redact:"made"`
	Before string `json:"before,omitempty" redact:"made"` // "" = there was none
	After  string `json:"after,omitempty" redact:"made"`  // "" = there is none
}

// Control is a requirement of a standard, what of it this report supports, and what it does not.
type Control struct {
	Standard  string `json:"standard" redact:"made"`
	ID        string `json:"id" redact:"made"`
	Asks      string `json:"asks" redact:"made"`
	Supports  string `json:"supports" redact:"made"`
	Lacks     string `json:"lacks" redact:"made"`
	Status    string `json:"status" redact:"made"`              // [ControlMet], [ControlNotMet] or [ControlNotCovered]
	Found     string `json:"found" redact:"made"`               // by this report
	Threshold string `json:"threshold,omitempty" redact:"made"` // of what a policy must be; "" = none decides it

	Exception *Exception `json:"exception,omitempty"` // that accepts it; nil = none
}

// Approval is the plan that was approved, as it was saved.
type Approval struct {
	Plan string `json:"plan" redact:"word"` // its digest
	Same bool   `json:"same"`               // it was made from the specification and the matrix of this report
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
	case (earlier.Scope.Partial || r.Scope.Partial) && (!slices.Equal(earlier.Scope.Components, r.Scope.Components) ||
		!slices.Equal(earlier.Scope.VCenters, r.Scope.VCenters)):
		return errors.New("one of the two is about a part of the cluster: components or vCenters differ")
	case earlier.Made.After(r.Made):
		return errors.New("it is not older than this run")
	}
	return nil
}
