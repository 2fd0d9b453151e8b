package vcenter_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// A password is proved at the token service, without any permission on the vCenter, with one login; what the token
// service could not say is an error, never a refusal.
func TestProvePassword(t *testing.T) {
	v := lab(t, vcsim.Options{})
	const user, right, wrong = "svc@vsphere.local", "Right-Secret-1x", "Wrong-c4n4ry-1x"
	if err := v.Directory().AddUser(user, right, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		password  string
		fault     vcsim.FaultKind
		opened    bool
		undecided bool
	}{
		"right":                        {password: right, opened: true},
		"wrong":                        {password: wrong},
		"right, 503 before":            {password: right, fault: vcsim.Unavailable, undecided: true},
		"right, 503 after":             {password: right, fault: vcsim.ServedUnavailable, undecided: true},
		"wrong, 502 after":             {password: wrong, fault: vcsim.ServedBadGateway, undecided: true},
		"right, the answer is lost":    {password: right, fault: vcsim.LostReply, undecided: true},
		"wrong, the answer is lost":    {password: wrong, fault: vcsim.LostReply, undecided: true},
		"right, a web page in between": {password: right, fault: vcsim.Blocked, undecided: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := vcenter.Connect(t.Context(), config(v))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			v.ResetRequests()
			v.SetFault(func(_ int, method string) vcsim.Fault {
				if method == "RequestSecurityToken" {
					return vcsim.Fault{Kind: c.fault}
				}
				return vcsim.Fault{}
			})
			defer v.SetFault(nil)
			opened, err := s.ProvePassword(t.Context(), user, secret.New(c.password))
			if opened != c.opened || (err != nil) != c.undecided {
				t.Errorf("opened %v, %v", opened, err)
			}
			if err != nil && (strings.Contains(err.Error(), c.password) || !strings.Contains(err.Error(), v.Server())) {
				t.Errorf("the error says %v", err)
			}
			if n := v.Requests()["RequestSecurityToken"]; n != 1 {
				t.Errorf("the password was sent %d times", n)
			}
			if n := v.Requests()["Login"]; n != 0 {
				t.Errorf("%d logins at the vCenter itself", n)
			}
		})
	}
}
