package vcenter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Reasons that callers decide by.
var (
	ErrLogin     = errors.New("user name or password refused")
	ErrExpired   = error(refusedFor("the password has expired")) // an ErrLogin
	ErrLocked    = error(refusedFor("the account is locked"))    // an ErrLogin
	ErrNoSSO     = errors.New("the SSO administration cannot be reached")
	ErrCannotSSO = errors.New("the account may not administer the SSO domain")
	ErrUnreached = errors.New("cannot be reached")
	ErrUntrusted = errors.New("certificate is not trusted")
)

// refusedFor is a refusal with a reason.
type refusedFor string

// Error implements error.
func (r refusedFor) Error() string { return string(r) }

// Is makes it an ErrLogin.
func (refusedFor) Is(target error) bool { return target == ErrLogin }

// refusal is ErrLogin, ErrExpired or ErrLocked where an error is the answer of a vCenter, or of its token service, to a user
// and password; nil where it is none, and nothing is known of them. PasswordExpired came with vSphere API 6.7.2; older ones
// say no more than that they refuse. The token service has one code for all; its text, as recorded, tells two of them apart.
// Nothing is decided by the text but what a person reads.
func refusal(err error) error {
	switch {
	case fault.Is(err, &types.PasswordExpired{}):
		return ErrExpired
	case fault.Is(err, &types.InvalidLogin{}):
		return ErrLogin
	}
	switch refused := authenticationFailed(err); {
	case refused == nil:
		return nil
	case strings.Contains(refused.String, "User account expired:"):
		return ErrExpired
	case strings.Contains(refused.String, "User account locked:"):
		return ErrLocked
	}
	return ErrLogin
}

// Missing is a NoPermission fault in words that name the privilege and the object.
type Missing struct {
	Privileges []string
	Object     types.ManagedObjectReference
}

// MissingPrivileges reads a NoPermission fault of any vCenter release: missingPrivileges since 7.0.3.2, object and
// privilegeId before.
func MissingPrivileges(err error) []Missing {
	var f *types.NoPermission
	if _, ok := fault.As(err, &f); !ok || f == nil {
		return nil
	}
	var all []Missing
	for _, m := range f.MissingPrivileges {
		all = append(all, Missing{Object: m.Entity, Privileges: m.PrivilegeIds})
	}
	if len(all) == 0 {
		m := Missing{Privileges: []string{f.PrivilegeId}}
		if f.Object != nil {
			m.Object = *f.Object
		}
		all = append(all, m)
	}
	return all
}

// explain turns what govmomi and net/http say into one sentence that names the vCenter, with a remedy.
func (s *Session) explain(err error) error {
	return s.hidden.Scrub(s.config.explain(s.user, err))
}

func (c Config) explain(user string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotTried):
		return err // it says which vCenter refused whom
	case errors.Is(refusal(err), ErrExpired):
		return hint.Errorf("set a new password for the account", "%s: login as %s: %w", c.Server, user, ErrExpired)
	case errors.Is(refusal(err), ErrLocked):
		return hint.Errorf("wait until it unlocks, or ask an administrator of the SSO domain to unlock it; each wrong login extends the lock",
			"%s: login as %s: %w", c.Server, user, ErrLocked)
	case refusal(err) != nil:
		return hint.Errorf("check the account; a locked account also refuses the right password",
			"%s: login as %s: %w", c.Server, user, ErrLogin)
	}
	if missing := MissingPrivileges(err); len(missing) > 0 {
		return fmt.Errorf("%s: %s has no privilege %s on %s: %w", c.Server, user,
			strings.Join(missing[0].Privileges, ", "), missing[0].Object.String(), err)
	}
	if none, ok := errors.AsType[*unansweredError](c.unanswered(err)); ok {
		err = none // which of the requests it was does not matter then
	}
	return fmt.Errorf("%s: %w", c.Server, err)
}
