package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// Other is a permission of somebody who is not of the cluster, on or above one of its objects.
type Other struct {
	Principal string `json:"principal" redact:"principal"`
	Group     bool   `json:"group,omitempty"`
	Role      string `json:"role" redact:"role"`
	Object    string `json:"object" redact:"path"` // "global" = all vCenters of the SSO domain
	Propagate bool   `json:"propagate"`
	Allows    string `json:"allows" redact:"word"`             // nothing, read, change or administer
	Roles     bool   `json:"roles,omitempty"`                  // it edits roles, those of the cluster's accounts too
	Expected  string `json:"expected,omitempty" redact:"word"` // why every vCenter has it; "" = a stranger
	Removal   string `json:"removal,omitempty" redact:"text"`  // the command that takes it away; "" = none is advised

	cluster string // whose account it is by its name; "" = of none
}

// Strange reports whether a permission is a finding.
func (o Other) Strange() bool {
	return o.Expected == "" && (o.Allows == MayAdminister || o.Allows == MayChange)
}

// code is that of the finding about a stranger, "" for none.
func (o Other) code() finding.Code {
	switch {
	case !o.Strange():
		return ""
	case o.Allows == MayAdminister:
		return finding.StrangerAdministers
	}
	return finding.StrangerChanges
}

// What a permission allows.
const (
	MayNothing    = "nothing"
	MayRead       = "read"
	MayChange     = "change"
	MayAdminister = "administer"
)

// reading are privileges that change nothing. Source: vSphere Security 8.0, "Defined Privileges".
var reading = []string{
	"Cns.Searchable", "Datastore.Browse", "Resource.QueryVMotion", "Sessions.ValidateSession",
	"StorageProfile.View", "StorageViews.View", "VirtualMachine.Provisioning.ReadCustSpecs",
}

const editRoles = "Authorization.ModifyRoles"

// allows is what a role lets its holder do at most, and whether it edits roles.
func allows(s *snapshot.Snapshot, p perms.Permission) (level string, edits bool) {
	role, known := s.Roles.ByID(p.RoleID)
	edits = slices.Contains(role.Privileges, editRoles) && (p.Entity == s.Root || p.Entity == inventory.Global.Ref)
	switch {
	case !known:
		return MayChange, false // what is not known is not taken for harmless
	case !s.Roles.Reads(p.RoleID):
		return MayNothing, false
	case edits, slices.ContainsFunc(role.Privileges, func(id string) bool {
		return id == "Authorization.ModifyPermissions" || id == "Authorization.ReassignRolePermissions"
	}):
		return MayAdminister, edits
	case slices.ContainsFunc(role.Privileges, func(id string) bool {
		return !strings.HasPrefix(id, "System.") && !slices.Contains(reading, id)
	}):
		return MayChange, false
	}
	return MayRead, false
}

// service is a solution user of vCenter itself, such as vpxd-extension with the id of its machine.
var service = pattern.Of(`^(vpxd|vsphere|machine|wcp|hvc|vstats)[a-z-]*-[0-9a-f-]{36}$`)

// expected says why a vCenter always has somebody's permission; "" if it does not.
func expected(s *snapshot.Snapshot, p perms.Permission) string {
	name, _ := s.SSO.Split(p.Principal)
	switch {
	case s.IsBuiltIn(access.Principal{Name: p.Principal, Group: p.Group}):
		return "the built-in administrator"
	case p.Group && s.SSO.Same(p.Principal) == s.SSO.Same(s.SSOAdministrators()):
		return "the administrators of SSO"
	case !p.Group && s.SSO.Within(p.Principal) && service().MatchString(strings.ToLower(name)):
		return "a service of vCenter, by its name"
	}
	return ""
}

// others are the permissions of others on the cluster's objects and above them, the worst first.
func (m *picture) others() []Other {
	all := []Other{}
	add := func(p perms.Permission, path string) {
		if slices.ContainsFunc(m.who, func(w access.Subject) bool { return w.Key == p.Key }) {
			return
		}
		o := Other{
			Principal: p.Principal, Group: p.Group, Role: m.s.Roles.Name(p.RoleID), Object: path, Propagate: p.Propagate,
			Expected: expected(m.s, p), cluster: m.s.Request.Spec.ClusterOf(p.Principal),
		}
		if path != inventory.GlobalPath && o.Expected == "" && o.cluster == "" {
			o.Removal = p.Removal(path)
		}
		o.Allows, o.Roles = allows(m.s, p)
		all = append(all, o)
	}
	for _, p := range m.s.Perms.Global {
		add(p, inventory.GlobalPath)
	}
	for _, o := range m.cluster {
		for _, p := range m.s.Perms.On(o.Ref) {
			add(p, o.Path())
		}
	}
	order := []string{MayAdminister, MayChange, MayRead, MayNothing}
	slices.SortStableFunc(all, func(a, b Other) int {
		return cmp.Or(slices.Index(order, a.Allows)-slices.Index(order, b.Allows), strings.Compare(a.Principal, b.Principal))
	})
	return all
}

// strangers are the findings about others who change or administer, one for each on each vCenter.
func (r *Report) strangers() (all finding.List) {
	for _, v := range r.VCenters {
		by := map[string]*finding.Finding{}
		for _, o := range v.Others {
			code := o.code()
			if code == "" {
				continue
			}
			subject := whom(o.Principal, o.Group)
			f := by[string(code)+subject]
			if f == nil {
				f = finding.New(code, subject, "may %s", o.Allows).About(v.Server, "")
				f.Server = v.Server
				all = append(all, f)
			}
			if by[string(code)+subject] != nil {
				f.Text += ","
			}
			by[string(code)+subject] = f
			f.Text += fmt.Sprintf(" %s by role %s", o.Object+arrow(o.Propagate), o.Role)
			if o.Roles {
				f.Text += ", which edits the roles of the cluster's accounts too"
			}
			if !r.Redacted {
				f.Remedies = append(f.Remedies, o.remedy())
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *finding.Finding) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return all
}

// remedy says what to do about a stranger, and whose work it may stop.
func (o Other) remedy() string {
	switch {
	case o.cluster != "":
		return "by its name it is an account of cluster " + o.cluster + ", which may work with it: ask there"
	case o.Removal == "":
		return perms.GlobalRemedy
	}
	return "if nobody works with it: " + o.Removal
}

// may is what a permission of others allows, with the roles.
func may(o Other) string {
	if o.Roles {
		return o.Allows + ", and edit roles"
	}
	return o.Allows
}

// whom names a principal, and says that it is a group.
func whom(principal string, group bool) string {
	if group {
		return "group " + principal
	}
	return principal
}

// Power is something that whoever has the password of an account can do beyond the work of its
// component.
type Power struct {
	Principal  string   `json:"principal" redact:"account"`
	Components []string `json:"components" redact:"word"`
	Can        string   `json:"can" redact:"word"`
	Objects    []string `json:"objects" redact:"path"`
}

// abuses are what privileges are good for in the wrong hands.
// Source: vSphere Security 8.0, "Defined Privileges".
var abuses = []struct {
	can  string
	with string
	at   string // the only type of object that it works on; "" = any
}{
	{"give itself more", "Authorization.ModifyPermissions", ""},
	{"read, replace and delete every file, and so the disks of other machines", "Datastore.FileManagement", ""},
	{"attach the disk of another machine and read it", "VirtualMachine.Config.AddExistingDisk", ""},
	{"delete machines with their disks", "VirtualMachine.Inventory.Delete", ""},
	{"switch machines off", "VirtualMachine.Interact.PowerOff", ""},
	{"copy machines and what is on their disks", "VirtualMachine.Provisioning.Clone", ""},
	{"run programs in guests, with a login of theirs", "VirtualMachine.GuestOperations.Execute", ""},
	{"change the start configuration of machines, which Ignition reads", "VirtualMachine.Config.AdvancedConfig", ""},
	{"put machines onto the network", "Network.Assign", ""},
	{"change the storage of hosts", "Host.Config.Storage", "ClusterComputeResource"},
	{"delete tags of others", "InventoryService.Tagging.DeleteTag", ""},
	{"change storage policies of others", "StorageProfile.Update", ""},
}

// powers are what each account of the map is good for in the wrong hands, and where.
func (m *picture) powers() []Power {
	all := []Power{}
	for i, w := range m.who {
		held := make([][]string, len(m.objects))
		for n, o := range m.objects {
			for _, e := range m.s.Explain(w, o) {
				if role, ok := m.s.Roles.ByID(e.Permission.RoleID); ok && e.Counts {
					held[n] = append(held[n], role.Privileges...)
				}
			}
		}
		for _, a := range abuses {
			p := Power{Principal: m.columns[i].Principal, Components: m.columns[i].Components, Can: a.can}
			for n, o := range m.objects {
				below := slices.ContainsFunc(p.Objects, func(top string) bool {
					return strings.HasPrefix(o.Path(), strings.TrimSuffix(top, "/")+"/")
				})
				if !below && slices.Contains(held[n], a.with) && (a.at == "" || a.at == o.Ref.Type) {
					p.Objects = append(p.Objects, o.Path())
				}
			}
			if p.Objects != nil {
				all = append(all, p)
			}
		}
	}
	return all
}
