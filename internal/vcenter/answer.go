package vcenter

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// unreadableError is an answer in which something else stands than what was asked for. What the decoder says of it names types of Go.
type unreadableError struct{ cause error }

// Error implements error.
func (*unreadableError) Error() string {
	return "the answer cannot be read: it does not have the form that a vCenter gives it"
}

// Hints are the remedies, as package hint has them.
func (*unreadableError) Hints() []string {
	return []string{"check that a vCenter answers at this address"}
}

// Unwrap gives errors.Is and errors.As what the decoder said.
func (e *unreadableError) Unwrap() error { return e.cause }

// readable is an error of an exchange, in words if it is the decoder's.
func readable(err error) error {
	_, crashed := errors.AsType[*crash.Error](err)
	_, number := errors.AsType[*strconv.NumError](err)
	_, form := errors.AsType[*json.UnmarshalTypeError](err)
	_, syntax := errors.AsType[*json.SyntaxError](err)
	if crashed || number || form || syntax {
		return &unreadableError{err}
	}
	return err
}

// decoded runs what decodes an answer. What the decoder cannot take makes it panic here and there.
func decoded(exchange func() error) error { return readable(crash.Try(exchange)) }

// resultOf is the response element of an answer, nil where there is none. Every body of govmomi's has it in a field
// named Res, of those methods too whose response element is empty.
func resultOf(res soap.HasFault) any {
	field := reflect.ValueOf(res).Elem().FieldByName("Res")
	if !field.IsValid() || field.Kind() != reflect.Pointer || field.IsNil() {
		return nil
	}
	return field.Interface()
}

// checkContent holds against the light what the tool takes from the service content of a vCenter without looking again.
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

// unreferenced names the references that refer to nothing, sorted.
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
