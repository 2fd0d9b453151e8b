// Handshakes of a lab need no post-quantum keys: making them costs as much as the rest.
//
//go:debug tlsmlkem=0

package provision_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Tests with a choice of size are short in make test. LONG=1, which make check sets, takes every change of a run and many more
// cases; LONG=all also takes every request that only reads.
func long() bool { return os.Getenv("LONG") != "" }

func whole() bool { return os.Getenv("LONG") == "all" }

// sample is every n-th of the cases; with LONG=1, all of them. An n that no dimension of the cases is a multiple of tries
// each value of each dimension.
func sample[T any](cases []T, n int) (some []T) {
	for i, c := range cases {
		if i%n == 0 || long() {
			some = append(some, c)
		}
	}
	return some
}

// faultCase is something that goes wrong with calls of a method, once or for good.
type faultCase struct {
	method  string
	kind    vcsim.FaultKind
	forGood bool
}

// faultCases are all of them for some methods.
func faultCases(methods ...string) (all []faultCase) {
	for _, method := range methods {
		for _, kind := range rotationFaults {
			all = append(all, faultCase{method, kind, false}, faultCase{method, kind, true})
		}
	}
	return all
}

// notShort leaves out, where -short says so, what is only more of the same cases and takes long.
func notShort(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
}

// fatalT is what testing.T and rapid.T have in common.
type fatalT interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// house is simulated vCenters and a machine with a credentials file.
type house struct {
	lab  *vcsim.Lab
	spec *spec.Spec
	path string // of the credentials file
	o    provision.Options

	displace bool // agree to change what others gave
}

func open(t fatalT, lab *vcsim.Lab, dir string, s *spec.Spec) *house {
	t.Helper()
	h := &house{lab: lab, spec: s, path: filepath.Join(dir, ".vsphere", "credentials")}
	matrix, err := privileges.Load(s.Privileges.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	caches := map[string]tls.ClientSessionCache{} // as the binary has them
	for _, v := range lab.VCenters {
		caches[v.Server()] = tls.NewLRUClientSessionCache(0)
	}
	h.o = provision.Options{
		Request: provision.Request{Spec: s, Matrix: matrix},
		Config: func(v spec.VCenter) vcenter.Config {
			return vcenter.Config{
				Server: v.Server, Address: lab.VCenter(v.Server).Addr(), RootCAs: lab.CA, TLSCache: caches[v.Server],
			}
		},
		Admin: func(ctx context.Context, s *vcenter.Session) error {
			v := lab.VCenter(s.Server)
			if v == nil {
				return errors.New("no such vCenter")
			}
			return s.Login(ctx, v.AdminUser(), secret.New(v.AdminPassword()))
		},
	}
	h.o.Pause = noPause
	return h
}

// noPause ends at once: a lab needs no time, unless its options say so.
func noPause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// loginAs has a job log in as one user everywhere.
func loginAs(user, password string) func(context.Context, *vcenter.Session) error {
	return func(ctx context.Context, s *vcenter.Session) error { return s.Login(ctx, user, secret.New(password)) }
}

// job opens the credentials file anew, as a run of the binary does.
func (h *house) job(t fatalT) *provision.Job {
	t.Helper()
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	o := h.o
	o.Request.Credentials = file
	if o.Request.Journal, err = file.Journal(); err != nil {
		t.Fatal(err)
	}
	return provision.New(o)
}

func (h *house) plan(t fatalT) *plan.Plan {
	t.Helper()
	job := h.job(t)
	defer job.Close(context.Background())
	return job.Plan(context.Background())
}

// apply runs a whole apply and gives the report.
func (h *house) apply(t fatalT) (*plan.Plan, error) {
	t.Helper()
	job := h.job(t)
	defer job.Close(context.Background())
	return h.confirmed(job, job.Plan(context.Background()))
}

// confirmed applies a plan, unless it alters what others have and that is not confirmed.
func (h *house) confirmed(job *provision.Job, p *plan.Plan) (*plan.Plan, error) {
	if what := p.Alters(); what != "" && !h.displace {
		return p, errors.New(what + ", which is not confirmed")
	}
	if err := job.Apply(context.Background(), p); err != nil {
		return p, err
	}
	return p, failures(p)
}

func (h *house) destroy(t fatalT) (*plan.Plan, error) {
	t.Helper()
	job := h.job(t)
	defer job.Close(context.Background())
	p := job.PlanDestroy(context.Background())
	if err := job.Destroy(context.Background(), p); err != nil {
		return p, err
	}
	return p, failures(p)
}

func (h *house) verify(t fatalT) *verify.Result {
	t.Helper()
	job := h.job(t)
	defer job.Close(context.Background())
	return job.Verify(context.Background())
}

// failures is an error when anything of a report was not done.
func failures(p *plan.Plan) error {
	if err := p.Err(); err != nil {
		return err
	}
	for _, v := range p.VCenters {
		if v.Failed() {
			return errors.New(v.Server + ": something was skipped")
		}
	}
	return nil
}

// stored is the account of machine-api in the credentials file.
func (h *house) stored(t fatalT, server string) credfile.Account {
	t.Helper()
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	a, ok := file.Get(server, component.MachineAPI)
	if !ok {
		t.Fatalf("no account of machine-api on %s", server)
	}
	return a
}

func (h *house) snapshot() string {
	var all strings.Builder
	for _, v := range h.lab.VCenters {
		all.WriteString("# " + v.Server() + "\n" + v.Snapshot() + "\n")
	}
	now := time.Now().UTC() // accounts are marked with the day, and a test may run over midnight
	text := strings.NewReplacer(now.Format(time.DateOnly), "DAY", now.AddDate(0, 0, -1).Format(time.DateOnly), "DAY").Replace(all.String())
	return tags.ReplaceAllString(text, "")
}

// tags are those of passwords, which are others each time.
var tags = regexp.MustCompile(`, tag [0-9a-f]{6}\b`)

// text is a plan or its report in lines: what no change puts right, and every change and note of each vCenter.
func text(p *plan.Plan) string {
	var b strings.Builder
	_ = plan.Found(&b, 0, p.Findings)
	for _, v := range p.VCenters {
		fmt.Fprintf(&b, "%s %s\n", v.Server, v.Error)
		for _, c := range v.Changes {
			fmt.Fprintf(&b, "  %s %s\n", c.Sign(), c.Line())
			if s := v.Step(c); s != nil && s.Error != "" {
				fmt.Fprintf(&b, "      ! %s: %s\n", s.Status, s.Error)
			}
		}
	}
	return b.String() + p.Headline()
}

func start(t testing.TB, o vcsim.Options) *vcsim.Lab {
	t.Helper()
	lab, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	return lab
}

const demoSpec = `
apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
vcenters:
- server: vcenter1.example.com
  failureDomains:
  - name: zone-a
    datacenter: DC1
    computeCluster: C1
    datastore: ds1
    networks: [ocp-net]
    folder: /DC1/vm/openshift/cluster1
    template: /DC1/vm/templates/rhcos
- server: vcenter2.example.com
  failureDomains:
  - name: zone-b
    datacenter: DC2
    computeCluster: C2
    datastore: ds2
    networks: [VM Network]
    resourcePool: openshift
`

func parse(t fatalT, text string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse("spec.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func demo(t *testing.T) *house {
	t.Helper()
	return open(t, start(t, vcsim.Options{VCenters: 2}), t.TempDir(), parse(t, demoSpec))
}

// failing is what a verification found wrong, a line each.
func failing(v *verify.Result) string {
	var b strings.Builder
	for _, vc := range v.VCenters {
		if vc.Error != "" {
			fmt.Fprintf(&b, "%s: %s\n", vc.Server, vc.Error)
		}
		for _, a := range vc.Accounts {
			if a.Failed() {
				fmt.Fprintf(&b, "%s: %s %s: login %s\n", vc.Server, a.Component, a.Principal, a.Login)
			}
			for _, o := range a.Objects {
				if len(o.Missing)+len(o.Excess) > 0 {
					fmt.Fprintf(&b, "  %s (%s): missing %v, excess %v, hidden by %q\n", o.Path, o.Scope, o.Missing, o.Excess, o.HiddenBy)
					for _, r := range o.Reasons {
						if r.Remedy != "" {
							fmt.Fprintf(&b, "    %v: %s: %s\n", r.Privileges, r.Why, r.Remedy)
						}
					}
				}
			}
		}
		for _, p := range vc.Preflight {
			if len(p.Missing) > 0 {
				fmt.Fprintf(&b, "%s: %s: %v\n", vc.Server, p.Check, p.Missing)
			}
		}
	}
	fmt.Fprintf(&b, "%+v", v.Summary)
	return b.String()
}

// What verifications are measured by: byDefault accepts no account whose password is not known and no component that the
// matrix leaves unable, asAsked accepts both, and strictly no privilege that a vCenter does not know.
var (
	byDefault = verify.Standard{}
	asAsked   = verify.AsAsked()
	strictly  = verify.Standard{Allow: verify.AsAsked().Allow, Strict: true}
)
