package vcsim

import (
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// tokenPrincipal reads the bearer token in a request's security header.
func tokenPrincipal(dir *directory.Directory, header soap.Header) (directory.Principal, error) {
	var security struct {
		Assertion struct {
			ID   string `xml:",attr"`
			Name string `xml:"Subject>NameID"`
		}
	}
	element, ok := header.Security.(*simulator.Element)
	if !ok {
		return directory.Principal{}, directory.ErrToken
	}
	_ = element.Decode(&security) // the element's own end tag is not in it, so there is always an error; what was read counts
	p, err := dir.TokenOwner(security.Assertion.ID)
	if err == nil && !strings.EqualFold(p.UPN(), strings.TrimSpace(security.Assertion.Name)) {
		return directory.Principal{}, directory.ErrToken // the assertion was altered
	}
	return p, err
}
