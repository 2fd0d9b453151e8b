package provision

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// gate lets one login with a password go first. Only when it was not refused do the others with the same user and
// password follow: twenty vCenters that share a directory would count twenty failures of one typing mistake, and lock the
// account.
type gate struct {
	mu    sync.Mutex
	first map[gateKey]*firstLogin
}

type gateKey struct {
	user     string
	password [sha256.Size]byte
}

type firstLogin struct {
	done    chan struct{}
	refused error
}

// pass runs login, or gives the refusal of the one that went first. The administrator of an SSO domain is never locked
// (vSphere Authentication, lockout policy), so those logins need not wait for each other.
func (g *gate) pass(server, user string, password secret.Secret, login func() error) error {
	if strings.HasPrefix(strings.ToLower(user), "administrator@") {
		return login()
	}
	key := gateKey{strings.ToLower(user), sha256.Sum256([]byte(password.Reveal()))}
	g.mu.Lock()
	if g.first == nil {
		g.first = map[gateKey]*firstLogin{}
	}
	first, followed := g.first[key]
	if !followed {
		first = &firstLogin{done: make(chan struct{})}
		g.first[key] = first
	}
	g.mu.Unlock()
	if followed {
		if <-first.done; first.refused != nil {
			return fmt.Errorf("%s: not tried after this: %w", server, first.refused)
		}
		return login()
	}
	defer close(first.done)
	err := login()
	if errors.Is(err, vcenter.ErrLogin) {
		first.refused = err
	}
	return err
}
