package vcenter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/fault"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
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

// refusal is ErrLogin, ErrExpired or ErrLocked if an error is the answer of a vCenter or its token
// service to a password; nil if it is none, and no one knows. PasswordExpired came with vSphere API
// 6.7.2. The token service has one code for all; its recorded text tells two of them apart, for
// people only.
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

// MissingPrivileges reads a NoPermission fault of any release: missingPrivileges since 7.0.3.2,
// object and privilegeId before.
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

// explain rewrites errors of govmomi and net/http as a sentence that names the vCenter and a
// remedy.
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

// faultKey is where a request's context has a *string for the type of the fault that answers it.
type faultKey struct{}

// WithFaultName returns a context whose calls write the fault type of their answer into name,
// without prefix: SsoFaultInvalidPrincipalFault; "" after an answer without one. It serves types
// that govmomi does not know; for others use package fault.
func WithFaultName(ctx context.Context, name *string) context.Context {
	return context.WithValue(ctx, faultKey{}, name)
}

// faultType finds the type of the first element of a fault's detail.
var faultType = pattern.Of(`<(?:[\w.-]+:)?detail[^>]*>\s*<[^>]*?\s(?:[\w.-]+:)?type="(?:[\w.-]+:)?(\w+)"`)

// nameFault stores the name of the fault in an answer for WithFaultName.
func nameFault(ctx context.Context, status int, answer []byte) {
	name, ok := ctx.Value(faultKey{}).(*string)
	if !ok {
		return
	}
	*name = ""
	if status == http.StatusOK {
		return
	}
	if m := faultType().FindSubmatch(answer); m != nil {
		*name = string(m[1])
	}
}

// Status requests a path of the vCenter, maybe with a query, without credentials and returns the
// HTTP status: 401 if something is served after a login, 404 if nothing is.
func (s *Session) Status(ctx context.Context, method, path string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.URL("")+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("User-Agent", userAgent)
	res, err := s.line.transport.RoundTrip(req)
	if err != nil {
		return 0, s.explain(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, limitPage))
	return res.StatusCode, err
}

// unreadable is an answer of another type than expected. The decoder's own text names Go types.
func unreadable(err error) error {
	return &unansweredError{hint.Errorf("check that a vCenter answers at this address", "the answer cannot be read: it does not have the form that a vCenter gives it"), err}
}

// readable is an error of an exchange, in words if it is the decoder's.
func readable(err error) error {
	for _, decoder := range []any{new(*crash.Error), new(*strconv.NumError), new(*json.UnmarshalTypeError), new(*json.SyntaxError)} {
		if errors.As(err, decoder) {
			return unreadable(err)
		}
	}
	return err
}

// resultOf is the response element of an answer, nil if it has none. Every body of govmomi has it
// in a field named Res, even if the response element is empty.
func resultOf(res soap.HasFault) any {
	field := reflect.ValueOf(res).Elem().FieldByName("Res")
	if !field.IsValid() || field.Kind() != reflect.Pointer || field.IsNil() {
		return nil
	}
	return field.Interface()
}

// checkContent checks what the tool uses of a vCenter's service content without another look.
func checkContent(c types.ServiceContent) error {
	references := map[string]*types.ManagedObjectReference{
		"authorizationManager": c.AuthorizationManager, "propertyCollector": &c.PropertyCollector, "rootFolder": &c.RootFolder,
		"searchIndex": c.SearchIndex, "sessionManager": c.SessionManager,
	}
	if missing := unreferenced(references); len(missing) > 0 {
		return fmt.Errorf("its service content lacks %s", strings.Join(missing, ", "))
	}
	if c.About.InstanceUuid == "" {
		return errors.New("its service content lacks the instance UUID")
	}
	return nil
}

// checkSSOContent is checkContent for the SSO administration.
func checkSSOContent(c ssotypes.AdminServiceContent) error {
	missing := unreferenced(map[string]*types.ManagedObjectReference{
		"identitySourceManagementService": &c.IdentitySourceManagementService, "lockoutPolicyService": &c.LockoutPolicyService,
		"passwordPolicyService": &c.PasswordPolicyService, "principalDiscoveryService": &c.PrincipalDiscoveryService,
		"principalManagementService": &c.PrincipalManagementService, "sessionManager": &c.SessionManager,
	})
	if len(missing) > 0 {
		return fmt.Errorf("the SSO service content lacks %s", strings.Join(missing, ", "))
	}
	return nil
}

func unreferenced(references map[string]*types.ManagedObjectReference) []string {
	var missing []string
	for name, ref := range references {
		if ref == nil || ref.Type == "" || ref.Value == "" {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}
