package wizard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// person answers by a table: what a question's message begins with → what is answered each time it is asked, the last
// answer for ever. A question that is not in it gets its default.
type person struct {
	t       testing.TB
	answers map[string][]string
	before  func(n int, message string) error // may interrupt, go back or break something; n counts questions from 0

	asked     []string // messages
	defaults  []string // what each offered
	passwords []string
	said      []string
}

const (
	goBack    = "<"
	interrupt = "^C"
)

// begin records a question and finds its answer; ok is false where the default is to be taken.
func (p *person) begin(message, fallback string) (answer string, ok bool, err error) {
	n := len(p.asked)
	p.asked, p.defaults = append(p.asked, message), append(p.defaults, fallback)
	if n > 500 {
		p.t.Fatalf("the questions go round in a circle: %q", p.asked[n-20:])
	}
	if p.before != nil {
		if err := p.before(n, message); err != nil {
			return "", false, err
		}
	}
	best := ""
	for prefix := range p.answers {
		if strings.HasPrefix(message, prefix) && len(prefix) >= len(best) {
			best, ok = prefix, true
		}
	}
	if !ok {
		return "", false, nil
	}
	list := p.answers[best]
	answer = list[0]
	if len(list) > 1 {
		p.answers[best] = list[1:]
	}
	switch answer {
	case goBack:
		return "", false, errBack
	case interrupt:
		return "", false, ErrInterrupted
	}
	return answer, answer != "", nil
}

func (p *person) find(message string, entries []Entry, label string) int {
	i := slices.IndexFunc(entries, func(e Entry) bool { return strings.HasPrefix(e.Label, label) })
	if i < 0 {
		p.t.Fatalf("%s: there is no %q in %v", message, label, entries)
	}
	return i
}

func (p *person) Select(_ context.Context, q Choice) (int, error) {
	if q.Default < 0 || q.Default >= len(q.Entries) {
		p.t.Errorf("%s: default %d of %d", q.Message, q.Default, len(q.Entries))
	}
	label, ok, err := p.begin(q.Message, q.Entries[q.Default].Label)
	if err != nil || !ok {
		return q.Default, err
	}
	return p.find(q.Message, q.Entries, label), nil
}

func (p *person) MultiSelect(_ context.Context, q Choices) ([]int, error) {
	var fallback []string
	for _, i := range q.Default {
		fallback = append(fallback, q.Entries[i].Label)
	}
	words, ok, err := p.begin(q.Message, strings.Join(fallback, ","))
	if err != nil {
		return nil, err
	}
	chosen := q.Default
	if ok {
		chosen = nil
		for label := range strings.SplitSeq(words, ",") {
			if label != "none" {
				chosen = append(chosen, p.find(q.Message, q.Entries, label))
			}
		}
		slices.Sort(chosen)
	}
	if q.Check != nil {
		if err := q.Check(chosen); err != nil {
			p.t.Fatalf("%s: %v refused: %v", q.Message, chosen, err)
		}
	}
	return chosen, nil
}

func (p *person) Input(_ context.Context, q Line) (string, error) {
	text, ok, err := p.begin(q.Message, q.Default)
	if err != nil {
		return "", err
	}
	if !ok {
		text = q.Default
	}
	if q.Check != nil {
		if err := q.Check(text); err != nil {
			p.t.Fatalf("%s: %q refused: %v", q.Message, text, err)
		}
	}
	return text, nil
}

func (p *person) Password(_ context.Context, q Line) (string, error) {
	text, _, err := p.begin(q.Message, "")
	p.passwords = append(p.passwords, text)
	return text, err
}

func (p *person) Busy(string) func() { return func() {} }

func (p *person) Say(lines ...string) { p.said = append(p.said, strings.Join(lines, "\n")) }

// rig is a lab with a directory to write to.
type rig struct {
	lab      *vcsim.Lab
	dir      string
	planned  []Job
	applied  []Job
	verified int
}

func newRig(t testing.TB, o vcsim.Options) *rig {
	t.Helper()
	lab, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	return &rig{lab: lab, dir: t.TempDir()}
}

func (r *rig) out() string { return filepath.Join(r.dir, "provisioning.yaml") }

// options reach the vCenters without asking where they are; certificates are not trusted.
func (r *rig) options(p *person) Options {
	addresses := map[string]string{}
	for _, v := range r.lab.VCenters {
		addresses[v.Server()] = v.Addr()
	}
	return Options{
		Ask: p, Out: r.out(), Addresses: addresses,
		Config: func(v spec.VCenter, thumbprint string, ca []byte) vcenter.Config {
			return vcenter.Config{Server: v.Server, Port: v.Port, Address: v.Address, Thumbprint: thumbprint, RootCAs: ca, Retries: []time.Duration{}}
		},
		CACert: os.ReadFile,
		Login:  func(string) (Login, bool) { return Login{}, false },
		Write:  func(path string, data []byte) error { return os.WriteFile(path, data, 0o600) },
		Plan: func(_ context.Context, j Job) (string, error) {
			r.planned = append(r.planned, j)
			return "digest", nil
		},
		Apply: func(_ context.Context, j Job) error {
			r.applied = append(r.applied, j)
			return nil
		},
		Verify: func(context.Context, Job) error {
			r.verified++
			return nil
		},
	}
}

// answers lead through a lab's demo estate.
func (r *rig) answers() map[string][]string {
	v := r.lab.VCenters[0]
	return map[string][]string{
		"cluster name": {"c9"}, "vCenter": {v.Server()}, "is this thumbprint": {"yes"}, "password of": {v.AdminPassword()},
		"zone-a: resource pool": {"openshift"}, "zone-a: VM folder": {"openshift/cluster1"}, "zone-a: datastore": {"ds1"},
		"zone-a: networks": {"ocp-net,VM Network"}, "what now?": {"write"},
	}
}

// run asks until the end, which must be a file.
func (r *rig) run(t testing.TB, p *person) (Done, *spec.Spec) {
	t.Helper()
	done, err := Run(context.Background(), r.options(p))
	if err != nil {
		t.Fatalf("%v\nasked: %q\nsaid: %q", err, p.asked, p.said)
	}
	s, err := spec.Load(done.File)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.out() + ".draft"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the draft is still there: %v", err)
	}
	return done, s
}
