package vcsim

import (
	"reflect"

	"github.com/vmware/govmomi/ssoadmin/types"
	vim "github.com/vmware/govmomi/vim25/types"
)

// What govmomi has no types for, or types without what a server answers. Names and fields are those of the real WSDL
// (vmware/PowerCLI-Example-Scripts@9f98501).

// principalResponse is the answer of methods that say whom they made or changed.
type principalResponse struct {
	method    string
	Returnval types.PrincipalId `xml:"returnval"`
}

func (r *principalResponse) element() string { return r.method + "Response" }

// id is the answer of a method about a principal of the SSO domain.
func (s *ssoService) id(method, name string) *principalResponse {
	if u, ok := s.dir.User(s.local(name)); ok {
		name = u.Name
	} else if g, ok := s.dir.Group(s.local(name)); ok {
		name = g.Name
	}
	return &principalResponse{method, types.PrincipalId{Name: name, Domain: s.dir.Domain()}}
}

// daysRequest asks how long a password lasts; without an id, the caller's own.
type daysRequest struct {
	This   vim.ManagedObjectReference `xml:"_this"`
	UserID types.PrincipalId          `xml:"userId"`
}

type daysResponse struct {
	method    string
	Returnval int32 `xml:"returnval"`
}

func (r *daysResponse) element() string { return r.method + "Response" }

const (
	daysOf     = "GetDaysRemainingUntilPasswordExpiration"
	daysOfSelf = "GetDaysRemainingUntilSelfPasswordExpiration"
)

// ssoRequests are the types of requests that govmomi does not know.
func ssoRequests() map[string]reflect.Type {
	return map[string]reflect.Type{daysOf: reflect.TypeFor[daysRequest](), daysOfSelf: reflect.TypeFor[daysRequest]()}
}

// expiry are the questions about the age of passwords (R37).
func (s *ssoService) expiry() map[string]soapMethod {
	return map[string]soapMethod{
		ssoManagement + daysOf: reachable(s, func(r *daysRequest) (*daysResponse, error) {
			days, err := s.dir.DaysLeft(s.named(r.UserID))
			return &daysResponse{daysOf, int32(days)}, about(r.UserID.Name, err)
		}),
		ssoManagement + daysOfSelf: method(func(c *soapCall, _ *daysRequest) (*daysResponse, error) {
			var days int
			err := s.self(c, func(me string) (err error) {
				days, err = s.dir.DaysLeft(me)
				return err
			})
			return &daysResponse{daysOfSelf, int32(days)}, err
		}),
	}
}
