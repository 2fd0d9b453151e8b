package vcsim

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/vmware/govmomi/vim25/types"
)

// faultText is what a vCenter writes beside a fault, as its readers see it in logs; of a rare fault it is the type's name in
// words. Clients must not depend on texts (R45).
func faultText(fault any) string {
	switch f := fault.(type) {
	case *types.NoPermission:
		return "Permission to perform this operation was denied."
	case *types.NotAuthenticated:
		return "The session is not authenticated."
	case *types.ManagedObjectNotFound:
		return fmt.Sprintf("The object 'vim.%s:%s' has already been deleted or has not been completely created", f.Obj.Type, f.Obj.Value)
	case *types.InvalidArgument:
		return "A specified parameter was not correct: " + f.InvalidProperty
	case *types.AlreadyExists:
		return fmt.Sprintf("The specified key, name, or identifier '%s' already exists.", f.Name)
	case *types.DuplicateName:
		return fmt.Sprintf("The name '%s' already exists.", f.Name)
	case *types.InvalidName:
		return fmt.Sprintf("The name '%s' is invalid.", f.Name)
	case *types.NotFound:
		return "The object or item referred to could not be found."
	case *types.UserNotFound:
		return "The user or group named '" + f.Principal + "' does not exist."
	case *types.InvalidLogin:
		return "Cannot complete login due to an incorrect user name or password."
	case *types.PasswordExpired:
		return "Password of the user logging on is expired."
	case *types.NotSupported, *types.MethodNotFound:
		return "The operation is not supported on the object."
	case *types.InvalidState:
		return "The operation is not allowed in the current state."
	case *types.InvalidPowerState:
		return "The attempted operation cannot be performed in the current state (" + powerWords[f.ExistingState] + ")."
	case *types.ResourceInUse:
		return fmt.Sprintf("The resource '%s' is in use.", f.Name)
	case *types.RequestCanceled:
		return "The task was canceled by a user."
	case *types.FileNotFound:
		return fmt.Sprintf("File %s was not found", f.File)
	case *types.FileAlreadyExists:
		return fmt.Sprintf("Cannot complete the operation because the file or folder %s already exists", f.File)
	}
	return words(fault)
}

var powerWords = map[types.VirtualMachinePowerState]string{
	types.VirtualMachinePowerStatePoweredOn: "Powered on", types.VirtualMachinePowerStatePoweredOff: "Powered off",
	types.VirtualMachinePowerStateSuspended: "Suspended",
}

// words makes "Invalid folder." of an InvalidFolder.
func words(fault any) string {
	t := reflect.TypeOf(fault)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "A general system error occurred."
	}
	return spaced(t.Name()) + "."
}

// spaced makes "Host USB device" of HostUSBDevice.
func spaced(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, c := range letters {
		if i > 0 && unicode.IsUpper(c) {
			begins := i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if begins || unicode.IsLower(letters[i-1]) {
				b.WriteByte(' ')
			}
			if begins {
				c = unicode.ToLower(c)
			}
		}
		b.WriteRune(c)
	}
	return b.String()
}

// pointerTo is a fault as the server's code has it, from what a decoder gives.
func pointerTo(fault any) any {
	v := reflect.ValueOf(fault)
	if !v.IsValid() || v.Kind() == reflect.Pointer {
		return fault
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface()
}
