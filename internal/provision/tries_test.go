package provision_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// passwordsSent counts the logins that arrived since the last time, at the vCenters, at their token services, and those
// with a token at the SSO administration, which are called Login, too.
func (h *house) passwordsSent() (n int) {
	for _, v := range h.lab.VCenters {
		counts := v.Requests()
		n += counts["Login"] + counts[issueToken]
		v.ResetRequests()
	}
	return n
}

// Every job sends an administrator's wrong password once, to one vCenter, however many it works on and however many of
// them at a time.
func TestAdministratorsPasswordIsRefusedOnce(t *testing.T) {
	t.Parallel()
	s := parse(t, demoSpec)
	h := open(t, start(t, vcsim.Options{VCenters: 2}), t.TempDir(), s)
	jobs := map[string]func(context.Context, *provision.Job) []error{
		"plan": func(ctx context.Context, j *provision.Job) []error { return []error{j.Plan(ctx).Err()} },
		"apply": func(ctx context.Context, j *provision.Job) []error {
			p := j.Plan(ctx)
			return []error{p.Err(), j.Apply(ctx, p)}
		},
		"destroy": func(ctx context.Context, j *provision.Job) []error {
			p := j.PlanDestroy(ctx)
			return []error{p.Err(), j.Destroy(ctx, p)}
		},
		"verify": func(ctx context.Context, j *provision.Job) []error { return []error{j.Verify(ctx).Err()} },
		"users list": func(ctx context.Context, j *provision.Job) []error {
			return []error{j.Users(ctx, provision.UserQuery{Everybody: true}).Results().Err()}
		},
		"roles diff": func(ctx context.Context, j *provision.Job) []error {
			return []error{j.DiffRoles(ctx, true).Results().Err()}
		},
		"doctor": func(ctx context.Context, j *provision.Job) (errs []error) {
			for _, v := range j.Doctor(ctx).VCenters {
				last := v.Checks[len(v.Checks)-1]
				errs = append(errs, fmt.Errorf("%w: %s", vcenter.ErrLogin, last.Detail)) // a check has no error but its words
			}
			return errs
		},
	}
	for _, user := range []string{"vi-admin@vsphere.local", "administrator@corp.example.com"} {
		h.o.Admin = loginAs(user, "Wrong-Secret-1x")
		for name, run := range jobs {
			for _, parallel := range []int{1, 2, 0} {
				t.Run(fmt.Sprintf("%s as %s, %d at once", name, user, parallel), func(t *testing.T) {
					h.o.Parallel = parallel
					h.passwordsSent()
					job := h.job(t)
					defer job.Close(context.Background())
					err := errors.Join(run(context.Background(), job)...)
					if !errors.Is(err, vcenter.ErrLogin) || !strings.Contains(err.Error(), vcenter.ErrNotTried.Error()) {
						t.Errorf("error is %v", err)
					}
					if n := h.passwordsSent(); n != 1 {
						t.Errorf("the password was sent %d times", n)
					}
				})
			}
		}
	}
}

// verify sends an account's wrong password to one of the vCenters that share the account, and an expired one likewise.
func TestVerifyTriesAnAccountOnce(t *testing.T) {
	t.Parallel()
	s := parse(t, demoSpec)
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), s)
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	if err := dir.SetPassword("ocp-cluster1-csi-driver@vsphere.local", "Other-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	if err := dir.Expire("ocp-cluster1-diagnostics@vsphere.local"); err != nil {
		t.Fatal(err)
	}
	for _, parallel := range []int{1, 0} {
		h.o.Parallel = parallel
		h.passwordsSent()
		v := h.verify(t)
		if v.Meets(asAsked) || v.Summary.Failed != 4 {
			t.Errorf("%+v", v.Summary)
		}
		results := map[string]int{}
		for _, site := range v.VCenters {
			for _, a := range site.Accounts {
				results[a.Component+" "+a.Login]++
			}
		}
		const skipped = "login skipped: another vCenter already rejected this user and password"
		for _, want := range []string{
			"csi-driver password refused (or the account is locked or disabled)", "csi-driver " + skipped,
			"diagnostics password expired", "diagnostics " + skipped, "installer ok",
		} {
			if n := results[want]; n != 1 && want != "installer ok" || n == 0 {
				t.Errorf("%q: %d times in %v", want, n, results)
			}
		}
		// On both vCenters the administrator three times and each account once, but for the two that were refused.
		if n, want := h.passwordsSent(), 2*3+2*len(s.ComponentNames())-2; n != want {
			t.Errorf("%d passwords were sent, want %d", n, want)
		}
	}
}
