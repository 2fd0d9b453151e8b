package vcsim

import (
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"
)

var errToken = errors.New("token is not of this SSO domain, or has expired")

// token is a bearer token that the STS of this SSO domain gave out.
type token struct {
	principal Principal
	till      time.Time
}

// issue remembers a new token and forgets those that have expired.
func (d *Directory) issue(p Principal, life time.Duration) (id string, from time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	from = d.now()
	for id, t := range d.tokens {
		if !from.Before(t.till) {
			delete(d.tokens, id)
		}
	}
	id = "_" + uuid.NewString()
	d.tokens[id] = token{principal: p, till: from.Add(life)}
	return id, from
}

// tokenOwner says whose token this is. An account that was disabled or deleted since owns none.
func (d *Directory) tokenOwner(id string) (Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tokens[id]
	if !ok || !d.now().Before(t.till) {
		return Principal{}, errToken
	}
	a := d.accounts[key(t.principal.Domain, t.principal.Name)]
	if a == nil || a.disabled {
		return Principal{}, errToken
	}
	return a.Principal, nil
}

// principalOf reads the bearer token in a request's security header.
func (d *Directory) principalOf(header soap.Header) (Principal, error) {
	var security struct {
		Assertion struct {
			ID   string `xml:",attr"`
			Name string `xml:"Subject>NameID"`
		}
	}
	element, ok := header.Security.(*simulator.Element)
	if !ok {
		return Principal{}, errToken
	}
	_ = element.Decode(&security) // the element's own end tag is not in it, so there is always an error; what was read counts
	p, err := d.tokenOwner(security.Assertion.ID)
	if err == nil && !strings.EqualFold(p.UPN(), strings.TrimSpace(security.Assertion.Name)) {
		return Principal{}, errToken // the assertion was altered
	}
	return p, err
}
