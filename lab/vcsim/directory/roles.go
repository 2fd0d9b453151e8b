package directory

// Role is what somebody may do in the administration of the SSO domain. It has nothing to do with the roles of a vCenter.
type Role int

// Roles, each of which includes those before it. A new account is a guest: that is what the audit log of a vCenter says
// of one (recorded, lamw/vcenter-authn-authz-log-examples@d2b943d).
const (
	GuestUser Role = iota
	RegularUser
	AdministratorUser
)

// RoleOf is the role of an account: administrators are those in the group Administrators, also through other groups (R34).
func (d *Directory) RoleOf(p Principal) Role {
	if d.IsMember(p, Administrators+"@"+d.domain) {
		return AdministratorUser
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.accounts[key(p.Domain, p.Name)]; a != nil && a.regular && !p.Group {
		return RegularUser
	}
	return GuestUser
}

// SetRole gives an account of any identity source a role, and says whether it had another one before. ErrAbsent is for what
// is no account.
func (d *Directory) SetRole(name string, role Role) (changed bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.account(name)
	administrators := d.groups[key(d.domain, Administrators)]
	if a == nil || administrators == nil {
		return false, ErrAbsent
	}
	_, was := administrators.members[a.Key()]
	switch {
	case role == AdministratorUser:
		changed = !was
		administrators.members[a.Key()] = a.Principal
	default:
		changed = was || a.regular != (role == RegularUser)
		delete(administrators.members, a.Key())
		a.regular = role == RegularUser
	}
	return changed, nil
}
