package directory

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

// ErrToken is the refusal of a token.
var ErrToken = errors.New("token is not of this SSO domain, or has expired")

// token is a bearer token that the STS of this SSO domain gave out.
type token struct {
	principal Principal
	till      time.Time
}

// Issue remembers a new token and forgets those that have expired. The id is that of its assertion; it is valid from the
// returned time on, for as long as life says.
func (d *Directory) Issue(p Principal, life time.Duration) (id string, from time.Time) {
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

// TokenOwner says whose token this is. An account that was disabled or deleted since owns none.
func (d *Directory) TokenOwner(id string) (Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tokens[id]
	if !ok || !d.now().Before(t.till) {
		return Principal{}, ErrToken
	}
	a := d.accounts[key(t.principal.Domain, t.principal.Name)]
	if a == nil || a.disabled {
		return Principal{}, ErrToken
	}
	return a.Principal, nil
}
