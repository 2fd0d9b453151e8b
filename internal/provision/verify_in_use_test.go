package provision_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// verifyInUse verifies as if a cluster worked with the accounts of the credentials file, without an administrator.
func (h *house) verifyInUse(t fatalT) *verify.Result {
	t.Helper()
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	var all []provision.InUse
	for _, v := range h.spec.VCenters {
		for _, c := range h.spec.ComponentNames() {
			if a, ok := file.Get(v.Server, c); ok {
				all = append(all, provision.InUse{Server: v.Server, User: a.User, Password: a.Password, Components: []component.Name{c}, Secrets: []string{"s/" + string(c)}})
			}
		}
	}
	o := h.o
	o.Admin = nil
	job := provision.New(o)
	defer job.Close(context.Background())
	return job.VerifyInUse(context.Background(), all)
}

// judged is what was found of each account on a vCenter: what it lacks on which object, what hides that, and what it cannot do with
// what is there: only permissions say what reaches that which is made later.
func judged(v verify.VCenter) []string {
	var all []string
	for _, a := range v.Accounts {
		for _, o := range a.Objects {
			if len(o.Missing)+len(o.Excess) > 0 {
				all = append(all, fmt.Sprintf("%s on %s hidden by %q: lacks %s, has %s too much", a.Component, o.Path, o.HiddenBy, strings.Join(o.Missing, " "), strings.Join(o.Excess, " ")))
			}
		}
		now := slices.DeleteFunc(slices.Clone(a.Cannot), func(c verify.Cannot) bool { return strings.Contains(c.Object+c.HiddenBy, "*") })
		all = append(all, fmt.Sprintf("%s: %s; cannot: %s", a.Component, a.Login, verify.Cannots(now)))
	}
	slices.Sort(all)
	return all
}

// agrees compares what accounts say of themselves with what they are found to have by an administrator who knows the permissions.
func agrees(t *testing.T, known, own verify.VCenter) {
	t.Helper()
	if diff := cmp.Diff(judged(known), judged(own)); own.Error != "" || len(own.Accounts) == 0 || diff != "" {
		t.Errorf("by the accounts alone %s (-administrator +accounts):\n%s", own.Error, diff)
	}
}
