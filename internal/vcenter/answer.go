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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// unreadable is an answer in which something else stands than what was asked for: nothing is known then. What the decoder says of it
// names types of Go.
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
