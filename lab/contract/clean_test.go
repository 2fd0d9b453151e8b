package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// points draws requests of a run at which something happens, always the same ones. The long run takes every fifth.
func points(t *testing.T, total int) []int {
	t.Helper()
	var at []int
	if os.Getenv("LONG") != "" {
		for n := 1; n <= total; n += 5 {
			at = append(at, n)
		}
		return at
	}
	draw := rand.New(rand.NewPCG(1, 1))
	for i := range 4 {
		at = append(at, i*total/4+draw.IntN(total/4)+1)
	}
	return at
}

// requests are the methods that a run with a scratch folder calls, in order.
func (r *rig) requests(t *testing.T, scratch string) []string {
	t.Helper()
	var methods []string
	s := r.session(t)
	r.SetFault(func(_ int, method string) vcsim.Fault {
		methods = append(methods, method)
		return vcsim.Fault{}
	})
	_, err := contract.Run(t.Context(), s, r.options(scratch))
	r.SetFault(nil)
	if err != nil {
		t.Fatal(err)
	}
	return methods
}

// What a killed run leaves, cleaning removes, and nothing else.
func TestKilledRunIsCleaned(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{Estate: vcsim.EstateOptions{Foreign: true}})
	scratch, before := r.folder(t), r.Snapshot()
	total := len(r.requests(t, scratch))
	left := 0
	for _, at := range points(t, total) {
		s := r.session(t)
		r.SetFault(func(n int, _ string) vcsim.Fault {
			if n < at {
				return vcsim.Fault{}
			}
			return vcsim.Fault{Kind: vcsim.Dropped}
		})
		report, err := contract.Run(t.Context(), s, r.options(scratch))
		r.SetFault(nil)
		if r.Snapshot() != before && err == nil && report.CleanErr() == nil {
			t.Errorf("request %d: something is left, and nothing says so", at)
		}
		cleaned, err := contract.Clean(t.Context(), r.session(t), contract.Options{ID: id})
		if err != nil {
			t.Errorf("request %d: clean: %v", at, err)
		}
		left += cleaned.Total()
		if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(r.Snapshot(), "\n")); diff != "" {
			t.Fatalf("request %d of %d: the vCenter changed (-before +after):\n%s", at, total, diff)
		}
	}
	if left == 0 {
		t.Error("no kill left anything: nothing was tested")
	}
}

// A run that is interrupted removes what it made before it returns.
func TestInterruptedRunCleans(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	scratch, before := r.folder(t), r.Snapshot()
	methods := r.requests(t, scratch)
	at := points(t, len(methods))
	for i, method := range methods {
		if method == "SetEntityPermissions" {
			at = append(at, i+1)
		}
	}
	for _, at := range at {
		ctx, cancel := context.WithCancel(t.Context())
		s := r.session(t)
		r.SetFault(func(n int, _ string) vcsim.Fault {
			if n == at {
				cancel()
				return vcsim.Fault{Kind: vcsim.LostReply} // the end of the context is seen before the answer
			}
			return vcsim.Fault{}
		})
		report, err := contract.Run(ctx, s, r.options(scratch))
		r.SetFault(nil)
		cut := slices.ContainsFunc(report.Rules, func(f contract.Result) bool { return f.Detail == "interrupted" })
		if cut && !errors.Is(err, context.Canceled) { // during the cleaning it interrupts nothing
			t.Errorf("request %d: rules are left out, and the error is %v", at, err)
		}
		if err := report.CleanErr(); err != nil {
			t.Errorf("request %d: left: %v", at, err)
		}
		if n := report.Count(contract.Differs); n > 0 {
			t.Errorf("request %d: an interruption makes %d rules differ: %+v", at, n, report.Different())
		}
		cancel()
		if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(r.Snapshot(), "\n")); diff != "" {
			t.Fatalf("request %d of %d: the vCenter changed (-before +after):\n%s", at, len(methods), diff)
		}
	}
}

// Cleaning touches nothing that does not carry the run: neither by its name nor, where there is one, by its mark.
func TestCleanRefusesWhatIsNotOfTheRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	s := r.session(t)
	ctx := t.Context()
	sso, err := s.SSO(ctx)
	if err != nil {
		t.Fatal(err)
	}
	name := contract.Prefix(id) + "theirs"
	_, err = ssomethods.CreateLocalPersonUser(ctx, sso, &ssotypes.CreateLocalPersonUser{
		This: sso.Content.PrincipalManagementService, UserName: name, Password: "Abcd!2345-xyzW", UserDetails: ssotypes.AdminPersonDetails{Description: "somebody's"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ssomethods.CreateLocalGroup(ctx, sso, &ssotypes.CreateLocalGroup{
		This: sso.Content.PrincipalManagementService, GroupName: name + "-group", GroupDetails: ssotypes.AdminGroupDetails{Description: "somebody's"},
	})
	if err != nil {
		t.Fatal(err)
	}
	role, err := methods.AddAuthorizationRole(ctx, s, &types.AddAuthorizationRole{This: *s.Content.AuthorizationManager, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	find, err := methods.FindByInventoryPath(ctx, s, &types.FindByInventoryPath{This: *s.Content.SearchIndex, InventoryPath: r.folder(t)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = methods.SetEntityPermissions(ctx, s, &types.SetEntityPermissions{
		This: *s.Content.AuthorizationManager, Entity: *find.Returnval,
		Permission: []types.Permission{{Principal: sso.Domain + `\` + name, RoleId: role.Returnval}},
	})
	if err != nil {
		t.Fatal(err)
	}
	outer, err := methods.CreateFolder(ctx, s, &types.CreateFolder{This: *find.Returnval, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := methods.CreateFolder(ctx, s, &types.CreateFolder{This: outer.Returnval, Name: "of others"}); err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(contract.Prefix(id), id, "zzzzzzzz22", 1) + "r1"
	if _, err := methods.AddAuthorizationRole(ctx, s, &types.AddAuthorizationRole{This: *s.Content.AuthorizationManager, Name: other}); err != nil {
		t.Fatal(err)
	}
	before := r.Snapshot()
	done, err := contract.Clean(ctx, s, contract.Options{ID: id})
	if err == nil || done.Total() != 0 {
		t.Errorf("removed %+v, error %v", done, err)
	}
	for _, kind := range []string{"account " + name, "group " + name + "-group", "role " + name, "folder " + name} {
		if err == nil || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s is not named in: %v", kind, err)
		}
	}
	if diff := cmp.Diff(before, r.Snapshot()); diff != "" {
		t.Errorf("the vCenter changed:\n%s", diff)
	}
	for _, bad := range []string{"", "a", "ABCDEFGH23", "abcdefgh2*", "abcdefgh23-", "abcdefghi01"} {
		if _, err := contract.Clean(ctx, s, contract.Options{ID: bad}); err == nil {
			t.Errorf("%q is taken for a run id", bad)
		}
	}
}

// The report names nothing of the vCenter and holds no password, whatever the vCenter answers.
func TestReportNamesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{Names: []string{"vc-canary-17.corp.example.org"}, Domain: "sso-canary.local", Estate: vcsim.EstateOptions{Foreign: true, Suffix: " canary"}})
	scratch := r.folder(t)
	for _, odd := range []bool{false, true} {
		if odd { // an answer that puts names where words are expected
			r.SetAnswer(func(a *vcsim.Answer) {
				if a.Status != 200 {
					a.Body = []byte(strings.ReplaceAll(string(a.Body), `type="NotFound"`, `type="vc-canary-17.corp.example.org"`))
				}
			})
		}
		report := r.run(t, scratch)
		r.SetAnswer(nil)
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		secrets := append([]secret.Secret{secret.New(r.AdminPassword())}, r.sent...)
		if len(secrets) < 3 {
			t.Fatalf("only %d passwords were sent", len(secrets))
		}
		for _, s := range secrets {
			if strings.Contains(string(text), s.Reveal()) {
				t.Error("the report holds a password")
			}
		}
		about := r.session(t).Content.About
		for _, name := range []string{r.Server(), r.Addr(), "127.0.0.1", "canary", about.InstanceUuid, scratch, "administrator@", `\Administrator`, `VSPHERE.LOCAL`, id} {
			if strings.Contains(strings.ToLower(string(text)), strings.ToLower(name)) {
				t.Errorf("the report holds %q", name)
			}
		}
	}
}
