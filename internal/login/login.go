// Package login tests passwords of accounts: each is sent once, because wrong ones lock accounts.
package login

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Target is an account to be tried on a vCenter. Config says how Server is reached.
type Target struct {
	Server   string
	Config   vcenter.Config
	User     string
	Password secret.Secret
}

// Result is what became of a [Target]. It holds no password.
type Result struct {
	Server  string
	User    string
	Outcome string // [OK], else the reason in words
	Err     error  // nil = success; vcenter.ErrLogin = refused
	Tried   bool   // the password was sent; not if unreachable or refused before
}

// atOnce bounds the connections that are open at a time.
const atOnce = 32

type key struct {
	server   string
	user     string
	password [sha256.Size]byte
}

// Try logs in and out with each account and returns results in the order of targets. Targets of one
// server, user and password share a login. A password that a vCenter refused is sent to no other,
// because they may share a directory that counts failures and locks the account.
func Try(ctx context.Context, targets []Target) []Result {
	results := make([]Result, len(targets))
	same := map[key][]int{}
	var order []key
	for i, t := range targets {
		k := key{strings.ToLower(t.Server), strings.ToLower(t.User), sha256.Sum256([]byte(t.Password.Reveal()))}
		if same[k] == nil {
			order = append(order, k)
		}
		same[k] = append(same[k], i)
	}
	run := &vcenter.Run{}
	var group crash.Group
	group.Limit(atOnce)
	for _, k := range order {
		group.Go(func() { // one that fails stops no other
			result := targets[same[k][0]].try(ctx, run)
			for _, i := range same[k] {
				results[i] = result
				results[i].Server, results[i].User = targets[i].Server, targets[i].User
			}
		})
	}
	group.Wait()
	return results
}

func (t Target) try(ctx context.Context, run *vcenter.Run) Result {
	config, sent := t.Config, true // unless something else is known
	if config.Run == nil {
		config.Run = run
	}
	err := crash.TryOn(t.Server, func() (err error) {
		if err := vcenter.Ended(ctx); err != nil {
			sent = false
			return fmt.Errorf("%s: %w", t.Server, err)
		}
		var session *vcenter.Session
		if session, sent, err = Enter(ctx, config, t.User, t.Password); err == nil {
			session.Close(context.WithoutCancel(ctx))
		}
		return err
	})
	return Result{Outcome: Outcome(err), Err: err, Tried: sent}
}

// Enter connects and logs in once: wrong passwords count towards the lock-out, so it tries no
// placeholder. sent reports whether the password was sent. After an error nothing is open.
func Enter(ctx context.Context, c vcenter.Config, user string, password secret.Secret) (session *vcenter.Session, sent bool, err error) {
	if err := (credfile.Account{User: user, Password: password}).CheckFilled(); err != nil {
		return nil, false, err
	}
	if session, err = vcenter.Connect(ctx, c); err != nil {
		return nil, false, err
	}
	if err = session.Login(ctx, user, password); err != nil {
		session.Close(context.WithoutCancel(ctx))
		return nil, !errors.Is(err, vcenter.ErrNotTried), err
	}
	return session, true, nil
}

// Outcomes of a login that others compare with.
const (
	OK              = "ok"
	Refused         = "password refused" // where SSO tells why
	RefusedOrLocked = "password refused (or the account is locked or disabled)"
	NoPermission    = "no permission on any object of this vCenter"
)

// Outcome is that of a login in words.
func Outcome(err error) string {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, vcenter.ErrNotTried) && errors.Is(err, vcenter.ErrLogin):
		return "login skipped: another vCenter already rejected this user and password"
	case errors.Is(err, vcenter.ErrExpired):
		return "password expired"
	case errors.Is(err, vcenter.ErrLogin):
		return RefusedOrLocked
	case len(vcenter.MissingPrivileges(err)) > 0:
		return NoPermission
	}
	return err.Error()
}
