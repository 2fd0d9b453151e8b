// Package snapshot is what was read of vCenters for a request, as plain values, and what follows
// from it: whose each account, permission and role is, the generations of accounts, and what is
// wanted on which object. Decisions are made elsewhere.
package snapshot

import (
	"path"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// Snapshot is one vCenter as it was read for a request, without a session.
type Snapshot struct {
	Request       *Request
	VCenter       spec.VCenter
	Version       string
	Instance      string   // instance UUID; "" = not reached
	Names         []string // other names of it with accounts in the credentials file
	Former        []string // unanswered names in the file, perhaps earlier ones of it
	Root          inventory.Ref
	Administrator string          // who read it
	Reads         bool            // the login may change nothing and needs no passwords
	Inventory     *inventory.Tree // of the specification and of concerned permissions
	Roles         *roles.State
	Perms         *perms.State
	SSO           *sso.State
	Tags          *tags.State // nil = not read
	TagsErr       error       // why they could not be read
	Domain        *Domain
	Facts         map[int32]RoleFacts // by id of the role
	Through       map[string][]string // groups that make accounts administrators
	// LoginGroups are the administrator's, read if a group of the accounts administers.
	LoginGroups []string
	Needing     Needing // of a run that may remove accounts
	// Opened are the components that logged in, which no expired password does.
	Opened map[component.Name]bool
	// Encrypted is the way from a place of [Request.Unkeyed] to an encrypted machine.
	Encrypted map[inventory.Ref]string
	Err       error // why it was not, or not fully, read

	settled map[component.Name]spec.Settled // specified users; nil until SSO was read
}

// New returns the snapshot of a vCenter that was not read yet.
func New(q *Request, v spec.VCenter) *Snapshot {
	s := &Snapshot{VCenter: v, Domain: &Domain{}}
	s.Request = q.On(s)
	return s
}

// Path is an object's path; its reference if it is gone.
func (s *Snapshot) Path(ref inventory.Ref) string {
	if ref == inventory.Global.Ref {
		return inventory.GlobalPath
	}
	if o := s.Inventory.Object(ref); o != nil {
		return o.Path()
	}
	return ref.String()
}

// Place is an object's path and its datacenter's; "" = none or unknown.
func (s *Snapshot) Place(ref inventory.Ref) (at, datacenter string) {
	if o := s.Inventory.Object(ref); o != nil {
		return o.Path(), o.Datacenter()
	}
	return ref.String(), ""
}

// Concerned returns the objects of permissions that a plan may change: of accounts with our mark or
// in the specification, and with roles of ours or of other clusters. Specified ones are known.
func (s *Snapshot) Concerned() []inventory.Ref {
	mine := map[string]bool{}
	for _, a := range s.Principals() {
		mine[a.Key] = true
		if s.vanished(a.Principal) {
			mine[s.KeyOf(a.Principal.Name, !a.Principal.Group)] = true
		}
	}
	for _, u := range s.SSO.Marked {
		mine[s.UserKey(u.Name+"@"+s.SSO.Domain)] = true
	}
	var refs []inventory.Ref
	for _, p := range s.Perms.All {
		if facts := s.Facts[p.RoleID]; mine[p.Key] || facts.Ours() {
			refs = append(refs, p.Entity)
		}
	}
	return refs
}

// Unkeyed returns the existing folders and templates of the failure domains, where encrypted
// machines are looked for: none if the condition for them is named, or nothing is granted.
func (q *Request) Unkeyed(v spec.VCenter, inv *inventory.Tree) (at []inventory.Ref) {
	if q.Undoing || !q.Does(plan.Permission) || q.Spec.Selected()[privileges.VMEncryption] {
		return nil
	}
	for _, fd := range v.FailureDomains {
		for _, p := range []string{q.folderPaths(fd)[0], fd.Template} {
			if o := inv.At(p); o != nil {
				at = lists.AppendNew(at, o.Ref)
			}
		}
	}
	return at
}

// EncryptedIn is the path of an encrypted machine of a failure domain; "" = none was seen.
func (s *Snapshot) EncryptedIn(fd spec.FailureDomain) string {
	for _, p := range []string{fd.Template, s.FolderPath(fd)} {
		if o := s.Inventory.At(p); o != nil && s.Encrypted[o.Ref] != "" {
			return path.Join(o.Path(), s.Encrypted[o.Ref])
		}
	}
	return ""
}
