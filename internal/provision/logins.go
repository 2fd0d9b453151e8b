package provision

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// LoginTarget is an account to be tried on a vCenter. Config says how Server is reached.
type LoginTarget struct {
	Server   string
	Config   vcenter.Config
	User     string
	Password secret.Secret
}

// LoginResult is what became of a [LoginTarget]. It holds no password.
type LoginResult struct {
	Server string
	User   string
	Result string // [LoginOK], else the reason in words
	Err    error  // nil = logged in, and out again; Is vcenter.ErrLogin where the password was refused
	Tried  bool   // whether a password was sent: not where the vCenter was out of reach, nor after a refusal elsewhere
}

// loginsAtOnce bounds the connections that are open at a time.
const loginsAtOnce = 32

type loginKey struct {
	server   string
	user     string
	password [sha256.Size]byte
}

// TryLogins logs in with each account, and out again, and gives the results in the order of targets. Targets of the same
// server, user and password share one login. A password that one vCenter refused to a user is sent to no other, because
// they may share a directory that counts failures and locks the account.
func TryLogins(ctx context.Context, targets []LoginTarget) []LoginResult {
	results := make([]LoginResult, len(targets))
	same := map[loginKey][]int{}
	var order []loginKey
	for i, t := range targets {
		key := loginKey{strings.ToLower(t.Server), strings.ToLower(t.User), sha256.Sum256([]byte(t.Password.Reveal()))}
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], i)
	}
	run := &vcenter.Run{}
	var group crash.Group
	group.Limit(loginsAtOnce)
	for _, key := range order {
		group.Go(func() { // one that fails stops no other
			result := targets[same[key][0]].try(ctx, run)
			for _, i := range same[key] {
				results[i] = result
				results[i].Server, results[i].User = targets[i].Server, targets[i].User
			}
		})
	}
	group.Wait()
	return results
}

func (t LoginTarget) try(ctx context.Context, run *vcenter.Run) (r LoginResult) {
	err := crash.Try(func() error {
		r = t.login(ctx, run)
		return nil
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", t.Server, err)
		r = LoginResult{Result: loginResult(err), Err: err, Tried: true}
	}
	return r
}

func (t LoginTarget) login(ctx context.Context, run *vcenter.Run) LoginResult {
	if err := ctx.Err(); err != nil {
		err = fmt.Errorf("%s: %w", t.Server, err)
		return LoginResult{Result: loginResult(err), Err: err}
	}
	config := t.Config
	if config.Run == nil {
		config.Run = run
	}
	session, sent, err := enter(ctx, config, t.User, t.Password)
	if err == nil {
		session.Close(context.WithoutCancel(ctx))
	}
	return LoginResult{Result: loginResult(err), Err: err, Tried: sent}
}

// enter connects and logs in once, never twice: wrong passwords count towards the lock-out. sent reports whether the
// password was sent at all. With an error nothing is left open.
func enter(ctx context.Context, c vcenter.Config, user string, password secret.Secret) (session *vcenter.Session, sent bool, err error) {
	if session, err = vcenter.Connect(ctx, c); err != nil {
		return nil, false, err
	}
	if err = session.Login(ctx, user, password); err != nil {
		session.Close(context.WithoutCancel(ctx))
		return nil, !errors.Is(err, vcenter.ErrNotTried), err
	}
	return session, true, nil
}

// A refused login, where SSO tells why and where it does not.
const (
	loginRefused = "password refused"
	loginDoubted = "password refused (or the account is locked or disabled)"
)

// loginResult is the outcome of a login in words.
func loginResult(err error) string {
	switch {
	case err == nil:
		return LoginOK
	case errors.Is(err, vcenter.ErrNotTried) && errors.Is(err, vcenter.ErrLogin):
		return "login skipped: another vCenter already rejected this user and password"
	case errors.Is(err, vcenter.ErrExpired):
		return "password expired"
	case errors.Is(err, vcenter.ErrLogin):
		return loginDoubted
	case len(vcenter.MissingPrivileges(err)) > 0:
		return "no permission on any object of this vCenter"
	}
	return err.Error()
}
