package provision_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Methods that each stage calls. Those that change something come up as often as all the others.
var (
	readMethods = []string{
		"RetrieveServiceContent", "Login", "Logout", "List", "RequestSecurityToken", "SsoAdminServiceInstance", "FindByInventoryPath",
		"RetrievePropertiesEx", "RetrievePropertiesEx", "RetrieveAllPermissions", "GetLocalPasswordPolicy", "Get", "FindPersonUser",
		"FindUser", "FindGroup", "FindNestedParentGroups",
	}
	applyMethods   = []string{"AddAuthorizationRole", "CreateLocalPersonUser", "SetEntityPermissions"}
	verifyMethods  = []string{"FetchUserPrivilegeOnEntities"}
	destroyMethods = []string{"RemoveEntityPermission", "RemoveAuthorizationRole", "DeleteLocalPrincipal"}
)

// A run tries so many seeds. They are others each time; a failure names its own, and ANSWERS_SEED=N begins with it.
const (
	seeds     = 4
	longSeeds = 20 // with LONG=1
)

// Answers of a vCenter that are wrong in whatever way, of requests that were served and of others that were not: plan,
// apply, verify and destroy neither panic nor hang, nothing counts as done that was not, and when the vCenter is well
// again, the next run makes everything good. (It is no fuzz target: a life takes seconds where coverage is counted.)
//
//	LONG=1 ANSWERS_SEED=1 go test -run TestWrongAnswers -timeout 1h ./internal/provision
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	first, many := rand.Uint64N(1<<32), uint64(seeds)
	if long() {
		many = longSeeds
	}
	if text := os.Getenv("ANSWERS_SEED"); text != "" {
		var err error
		if first, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("ANSWERS_SEED=%s: must be a number", text)
		}
	}
	for seed := first; seed < first+many; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			wrongAnswers(t, seed)
		})
	}
}

func wrongAnswers(t *testing.T, seed uint64) {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	w := &wrongWire{T: t, house: open(t, lab, t.TempDir(), parse(t, oneVCenter)), rand: rand.New(rand.NewPCG(seed, 11)), seed: seed}
	config := w.o.Config
	w.o.Config = func(v spec.VCenter) vcenter.Config {
		c := config(v)
		c.Timeout = 20 * time.Second // nothing here is slow: a request that takes it hangs
		return c
	}
	if err := lab.VCenters[0].Directory().AddUser("svc-diagnostics", "Somebody-elses-1", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	w.life()
}

var oneVCenter = strings.Split(demoSpec, "- server: vcenter2")[0] + "components:\n  machine-api: {}\n  csi-driver: {}\n  diagnostics: {principal: svc-diagnostics@vsphere.local}\n"

type wrongWire struct {
	*testing.T
	*house
	rand *rand.Rand
	seed uint64
	what string // is wrong now
}

// life takes one cluster through its life, each stage once with wrong answers and once with right ones.
func (w *wrongWire) life() {
	before := w.snapshot()
	w.wrongly(nil, func(ctx context.Context) {
		job := w.job(w)
		defer job.Close(ctx)
		w.sound(ctx, job.Plan(ctx).Err())
	})
	w.same("plan changes something", before)
	w.wrongly(verifyMethods, func(ctx context.Context) {
		job := w.job(w)
		defer job.Close(ctx)
		v := job.Verify(ctx)
		w.sound(ctx, v.Err())
		if v.Meets(asAsked) {
			w.Errorf("seed %d, %s: verify passes where nothing was applied", w.seed, w.what)
		}
	})
	w.wrongly(applyMethods, func(ctx context.Context) {
		job := w.job(w)
		defer job.Close(ctx)
		p := job.Plan(ctx)
		w.sound(ctx, p.Err(), job.Apply(ctx, p), p.Err())
		w.done(p)
	})
	if _, err := w.apply(w); err != nil {
		w.Fatalf("seed %d: apply after apply with %s: %v", w.seed, w.what, err)
	}
	if v := w.verify(w); !v.Meets(asAsked) {
		w.Errorf("seed %d: verify after apply with %s: %+v", w.seed, w.what, v)
	}
	applied := w.snapshot()
	w.wrongly(verifyMethods, func(ctx context.Context) {
		job := w.job(w)
		defer job.Close(ctx)
		w.sound(ctx, job.Verify(ctx).Err())
	})
	w.same("verify changes something", applied)
	w.wrongly(destroyMethods, func(ctx context.Context) {
		job := w.job(w)
		defer job.Close(ctx)
		p := job.PlanDestroy(ctx)
		w.sound(ctx, p.Err(), job.Destroy(ctx, p), p.Err())
		w.done(p)
	})
	for range 2 { // what a wrong answer hid, the next run sees
		if _, err := w.destroy(w); err != nil {
			w.Fatalf("seed %d: destroy after destroy with %s: %v", w.seed, w.what, err)
		}
	}
	w.same("destroy leaves or takes something", before)
	if text, err := os.ReadFile(w.path); err != nil && !errors.Is(err, os.ErrNotExist) || strings.Contains(string(text), "password") {
		w.Errorf("seed %d: passwords stay behind (%v)", w.seed, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.path), ".*tmp*")); len(left) > 0 {
		w.Errorf("seed %d: files stay behind: %v", w.seed, left)
	}
}

// wrongly runs a stage while answers of one or two methods are wrong: all of them, or one of them.
func (w *wrongWire) wrongly(changes []string, stage func(context.Context)) {
	methods := map[string]mutation{}
	var what []string
	for range 1 + w.rand.IntN(2) {
		method, m := readMethods[w.rand.IntN(len(readMethods))], wrong[w.rand.IntN(len(wrong))]
		if len(changes) > 0 && w.rand.IntN(2) == 0 {
			method = changes[w.rand.IntN(len(changes))]
		}
		methods[method] = m
		what = append(what, method+": "+m.name)
	}
	unserved, once := w.rand.IntN(3) == 0, w.rand.IntN(3)
	if unserved {
		what = append(what, "not served")
	}
	w.what = strings.Join(what, ", ")
	r := rand.New(rand.NewPCG(w.seed, w.rand.Uint64()))
	hits := 0
	v := w.lab.VCenters[0]
	v.SetFault(func(_ int, method string) vcsim.Fault {
		if m, ok := methods[method]; ok && (unserved || m.refuses()) {
			return vcsim.Fault{Kind: vcsim.Empty}
		}
		return vcsim.Fault{}
	})
	v.SetAnswer(func(a *vcsim.Answer) {
		if m, ok := methods[a.Method]; ok {
			if hits++; unserved || m.refuses() || once == 0 || hits == once {
				m.do(r, a)
			}
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	began := time.Now()
	stage(ctx)
	v.SetFault(nil)
	v.SetAnswer(nil)
	w.Logf("%s: %d answers, %s", w.what, hits, time.Since(began).Round(time.Millisecond))
}

// sound tells errors that a wrong answer may cause from those that it must not.
func (w *wrongWire) sound(ctx context.Context, errs ...error) {
	w.Helper()
	err := errors.Join(errs...)
	var crashed *crash.Error
	switch {
	case errors.As(err, &crashed) && !strings.Contains(err.Error(), "the answer cannot be read: "+crashed.Error()): // the decoder's own
		w.Errorf("seed %d, %s: a panic: %v", w.seed, w.what, err)
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		w.Errorf("seed %d, %s: it hangs: %v", w.seed, w.what, err)
	}
}

func (w *wrongWire) same(what, before string) {
	w.Helper()
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(w.snapshot(), "\n")); diff != "" {
		w.Errorf("seed %d, %s: %s:\n%s", w.seed, w.what, what, diff)
	}
}

// done holds what a report calls done against the simulation's own state.
func (w *wrongWire) done(p *plan.Plan) {
	w.Helper()
	v := w.lab.VCenters[0]
	lines := strings.Split(v.Snapshot(), "\n")
	for _, c := range p.VCenters[0].Changes {
		if p.VCenters[0].Status(c) != plan.Done {
			continue
		}
		var there bool
		switch c.Kind {
		case plan.User:
			_, there = v.Directory().User(c.Name)
		case plan.Role:
			i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, fmt.Sprintf("role %q ", c.Name)) })
			there = i >= 0
			if after, ok := c.After.(plan.RoleState); ok && there {
				for _, id := range after.Privileges {
					there = there && slices.Contains(strings.Fields(lines[i]), id)
				}
			}
		case plan.Permission:
			name, _, _ := strings.Cut(c.Principal, "@")
			begin := fmt.Sprintf("permission %q account ", c.Object)
			if strings.Contains(w.what, "RetrievePropertiesEx") { // paths are made of names that it tells: another name is no other object
				if c.Verb == plan.Delete {
					continue
				}
				begin = "permission "
			}
			there = slices.ContainsFunc(lines, func(l string) bool {
				after, ok := c.After.(plan.PermissionState)
				return strings.HasPrefix(l, begin) && strings.Contains(strings.ToLower(l), strings.ToLower(`\`+name+" ")) &&
					(!ok || strings.HasSuffix(l, fmt.Sprintf("role %q propagate %t", after.Role, after.Propagate)))
			})
		}
		if there != (c.Verb != plan.Delete) {
			w.Errorf("seed %d, %s: %s %s counts as done, and is not", w.seed, w.what, c.Verb, c.Subject())
		}
	}
}
