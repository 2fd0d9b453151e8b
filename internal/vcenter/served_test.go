package vcenter_test

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// A failure after an answer that was lost, on the way or by a gateway (502, 503), leaves open whether the request was
// served, a new login in between or not. Where nothing went wrong before, a fault is a refusal.
func TestRefusedOrRetried(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	n := 0
	add := func(name string) error {
		_, err := methods.AddAuthorizationRole(t.Context(), s, &types.AddAuthorizationRole{This: *s.Content.AuthorizationManager, Name: name, PrivIds: []string{"Datastore.Browse"}})
		return err
	}
	for _, first := range []vcsim.FaultKind{vcsim.LostReply, vcsim.ServedUnavailable, vcsim.ServedBadGateway} {
		for _, second := range []vcsim.FaultKind{vcsim.None, vcsim.ExpiredSession} {
			n++
			name := fmt.Sprint("twice", n)
			v.SetFault(func(n int, _ string) vcsim.Fault {
				return vcsim.Fault{Kind: map[int]vcsim.FaultKind{1: first, 2: second}[n]}
			})
			if err := add(name); err == nil || !vcenter.Retried(err) || vcenter.Refused(err) {
				t.Errorf("after fault %d and %d: %v, retried %v, refused %v", first, second, err, vcenter.Retried(err), vcenter.Refused(err))
			}
			if err := add(name); err == nil || vcenter.Retried(err) || !vcenter.Refused(err) {
				t.Errorf("after nothing: %v, retried %v, refused %v", err, vcenter.Retried(err), vcenter.Refused(err))
			}
		}
	}
}

// A dial that failed is the one failure after which nothing can have been served, so that even a login is sent again.
func TestFailedDialIsNotServed(t *testing.T) {
	v := lab(t, vcsim.Options{})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	attempts := 0
	c := config(v)
	c.Address = closed.Addr().String()
	c.Trace = func(string, time.Duration, error) { attempts++ }
	_ = closed.Close()
	if _, err := vcenter.Connect(t.Context(), c); !errors.Is(err, vcenter.ErrUnreached) || vcenter.Retried(err) || vcenter.Refused(err) {
		t.Errorf("%v, retried %v, refused %v", err, vcenter.Retried(err), vcenter.Refused(err))
	}
	if attempts != 1+len(quick) {
		t.Errorf("%d attempts", attempts)
	}
}
