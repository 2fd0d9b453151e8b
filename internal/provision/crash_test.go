package provision_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// A panic in the work on one vCenter is that vCenter's error; the others are done as if nothing had happened.
func TestPanicOfOneVCenter(t *testing.T) {
	t.Parallel()
	d := newDesk(t, start(t, vcsim.Options{VCenters: 2}), demoSpec)
	broken := d.lab.VCenters[0].Server()
	admin := d.o.Admin
	d.o.Admin = func(ctx context.Context, s *vcenter.Session) error {
		if s.Server == broken {
			var nobody *vcsim.VCenter
			return s.Login(ctx, nobody.AdminUser(), secret.Secret{})
		}
		return admin(ctx, s)
	}
	named := func(what string, err error) {
		t.Helper()
		var crashed *crash.Error
		if !errors.As(err, &crashed) || !strings.HasPrefix(err.Error(), broken+": internal error: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	p, err := d.apply(t)
	named("apply", err)
	if !p.Partial() {
		t.Error("the other vCenter was not done")
	}
	v := d.verify(t)
	named("verify", v.Err())
	if len(v.VCenters[1].Accounts) != 5 || v.Summary.Failed != 0 {
		t.Errorf("the other vCenter was not verified: %+v", v.Summary)
	}
	job := d.job(t)
	doctor := job.Doctor(t.Context())
	job.Close(t.Context())
	named("doctor", doctor.Err())
	if checks := doctor.VCenters[0].Checks; doctor.OK() || len(checks) != 5 || checks[4].Check != "examination" || len(doctor.VCenters[1].Checks) != 9 {
		t.Errorf("what was found before is lost: %+v", doctor)
	}
	d.o.Admin = admin
	if _, err := d.apply(t); err != nil {
		t.Error(err)
	}
}
