package inspect

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// CheckQuery asks what a principal may do on objects, and through which permission.
type CheckQuery struct {
	Principal string         // name@domain or DOMAIN\name; "" = the component's account
	Group     bool           // a group, even if a user has the same name
	Objects   []string       // inventory paths; at least one vCenter has each
	Component component.Name // compared with its needs; "" = no comparison

	// With Component and without failure domains:
	Scope    privileges.Scope              // "" = the usual one of the object's type
	Topology map[privileges.Condition]bool // assumed conditions
}

// PermissionCheck is the answer, per vCenter.
type PermissionCheck struct {
	Report
	VCenters []CheckedVCenter `json:"vcenters"`
	Summary  CheckSummary     `json:"summary"`
}

// CheckSummary counts objects. Disagreements are those whose permissions do not explain the answer.
type CheckSummary struct {
	Objects       int `json:"objects"`
	Missing       int `json:"missing"`
	Excess        int `json:"excess"`
	Disagreements int `json:"disagreements"`
}

// CheckedVCenter is what one vCenter says of a principal.
type CheckedVCenter struct {
	Result
	Principal string          `json:"principal"` // as the vCenter spells it
	Group     bool            `json:"group"`
	Groups    []string        `json:"groups"` // its groups, nested ones too; null = unknown
	Objects   []CheckedObject `json:"objects"`

	Administrator string `json:"administrator,omitempty"` // the one of Groups that administers
}

// Sources of an object's privileges.
const (
	AnswerAgreed    = "agreed"    // of the vCenter, explained by its permissions
	AnswerDisagreed = "disagreed" // of the vCenter, not explained by its permissions
	AnswerExplained = "explained" // of permissions alone: the vCenter answers only for users
)

// CheckedObject is what may be done on one object. Privileges include the implicit ones.
type CheckedObject struct {
	Path          string             `json:"path"`
	Type          string             `json:"type"`
	Answer        string             `json:"answer"`
	Privileges    []ThroughPrivilege `json:"privileges"`
	Grants        []CheckedGrant     `json:"grants"`                  // that count, or would without a nearer one
	OnlyExplained []string           `json:"onlyExplained,omitempty"` // disagreed: not in the answer
	OnlyServer    []string           `json:"onlyServer,omitempty"`    // disagreed: not in permissions
	Scope         string             `json:"scope,omitempty"`         // compared with; "" = nothing
	Missing       []string           `json:"missing,omitempty"`
	Excess        []string           `json:"excess,omitempty"`
	Everything    bool               `json:"-"` // a permission of a group that counts has role Admin
}

// ThroughPrivilege is a privilege and the indexes of the grants that give it; none if unexplained.
type ThroughPrivilege struct {
	ID      string `json:"id"`
	Through []int  `json:"through"`
}

// CheckedGrant is one permission between the object and the root folder.
type CheckedGrant struct {
	Object    string `json:"object"`
	Principal string `json:"principal"`
	Group     bool   `json:"group"`
	Role      string `json:"role"`
	Propagate bool   `json:"propagate"`
	Counts    bool   `json:"counts"`
	Why       string `json:"why"`
}

// Results returns each vCenter's result.
func (c *PermissionCheck) Results() Results { return ResultsOf(c.VCenters) }

// Count sums up the objects.
func (c *PermissionCheck) Count() {
	c.Summary = CheckSummary{}
	for _, v := range c.VCenters {
		for _, o := range v.Objects {
			c.Summary.Objects++
			c.Summary.Missing += len(o.Missing)
			c.Summary.Excess += len(o.Excess)
			if o.Answer == AnswerDisagreed {
				c.Summary.Disagreements++
			}
		}
	}
}

// Explained is what permissions say of one object.
func Explained(o *inventory.Object, by []access.Evidence[perms.Permission], live *roles.State) CheckedObject {
	c := CheckedObject{Path: o.Path(), Type: o.Ref.Type, Answer: AnswerExplained, Privileges: []ThroughPrivilege{}, Grants: []CheckedGrant{}}
	through := map[string][]int{}
	for _, e := range by {
		role, _ := live.ByID(e.Permission.RoleID)
		if e.Counts {
			c.Everything = c.Everything || e.Permission.Group && e.Permission.RoleID == roles.AdminID
			for _, id := range slices.Concat(role.Implicit(), role.Privileges) {
				through[id] = append(through[id], len(c.Grants))
			}
		}
		c.Grants = append(c.Grants, CheckedGrant{
			Object: e.At.Path(), Principal: e.Permission.Principal, Group: e.Permission.Group, Role: live.Name(e.Permission.RoleID),
			Propagate: e.Permission.Propagate, Counts: e.Counts, Why: e.Said(),
		})
	}
	for id, by := range through {
		c.Privileges = append(c.Privileges, ThroughPrivilege{id, by})
	}
	c.sort()
	return c
}

// Answered adds the vCenter's own answer, which counts. A difference keeps both sides.
func (c *CheckedObject) Answered(answer []string) {
	held := c.held()
	c.Answer = AnswerAgreed
	c.OnlyExplained, c.OnlyServer = without(held, answer), without(answer, held)
	if len(c.OnlyExplained)+len(c.OnlyServer) == 0 {
		c.OnlyExplained, c.OnlyServer = nil, nil
		return
	}
	c.Answer = AnswerDisagreed
	c.Privileges = slices.DeleteFunc(c.Privileges,
		func(p ThroughPrivilege) bool { return slices.Contains(c.OnlyExplained, p.ID) })
	for _, id := range c.OnlyServer {
		c.Privileges = append(c.Privileges, ThroughPrivilege{id, []int{}})
	}
	c.sort()
}

// Against compares with what a component needs on the object and what else is allowed there.
func (c *CheckedObject) Against(scope string, need, allowed []string) {
	held := c.held()
	c.Scope, c.Missing, c.Excess = scope, without(need, held), without(held, slices.Concat(need, allowed))
}

func (c *CheckedObject) held() []string {
	ids := make([]string, len(c.Privileges))
	for i, p := range c.Privileges {
		ids[i] = p.ID
	}
	return ids
}

func (c *CheckedObject) sort() {
	slices.SortFunc(c.Privileges, func(a, b ThroughPrivilege) int { return strings.Compare(a.ID, b.ID) })
}
