package contract

import (
	"context"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Options say how the rules are tried. The zero value reads only.
type Options struct {
	Scratch string // inventory path of a folder that trying may write below; "" = nothing is written
	ID      string // of the run, by NewID; everything that is made has it in its name

	// Login opens a session of another account, for the rules that need one.
	Login func(ctx context.Context, user string, password secret.Secret) (*vcenter.Session, error)

	Wait time.Duration    // the longest that something may take to have effect; default 30 s
	Now  func() time.Time // default time.Now
	Tell func(Result)     // is told each rule as it is done; default nobody
}

func (o Options) withDefaults() Options {
	if o.Wait <= 0 {
		o.Wait = 30 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tell == nil {
		o.Tell = func(Result) {}
	}
	return o
}

// probe is a session on the vCenter that is tried, and what the rules share.
type probe struct {
	*vcenter.Session

	o      Options
	report *Report
	sso    *vcenter.SSO // nil: why says why
	why    string
	lab    *scratch // nil: nothing is written
}

// Run tries every rule. The report is there whatever happens; the error says that the run was interrupted or could not
// begin. What it wrote is removed before it returns, also when ctx ends.
func Run(ctx context.Context, s *vcenter.Session, o Options) (*Report, error) {
	o = o.withDefaults()
	about := s.Content.About
	p := &probe{Session: s, o: o, report: &Report{
		Product:    Product{Version: plain(about.Version), Build: plain(about.Build), APIVersion: plain(about.ApiVersion)},
		Privileges: Catalogue{Lacks: []string{}}, Rules: []Result{},
	}}
	p.report.Simulated = p.simulated(ctx)
	var err error
	if p.sso, err = s.SSO(ctx); err != nil {
		p.sso, p.why = nil, cause(err)
	}
	if o.Scratch != "" {
		if p.lab, err = p.prepare(ctx); err != nil {
			return p.report, err
		}
		defer p.cleanUp(ctx)
	}
	for _, r := range Rules() {
		f := Result{Rule: r.ID, Case: r.Case, Says: r.Says}
		got := p.attempt(ctx, r)
		f.Verdict, f.Detail = got.verdict, got.detail
		p.report.Rules = append(p.report.Rules, f)
		o.Tell(f)
	}
	return p.report, ctx.Err()
}

// simulated reports whether the vCenter has the options of govmomi's simulator.
func (p *probe) simulated(ctx context.Context) bool {
	_, a := send(ctx, p, methods.QueryOptions, &types.QueryOptions{
		This: *p.Content.Setting, Name: "vcsim.",
	})
	return a.ok()
}

func (p *probe) attempt(ctx context.Context, r Rule) outcome {
	switch {
	case r.Why != "":
		return untried("%s", r.Why)
	case ctx.Err() != nil:
		return untried("interrupted")
	case r.Scratch && p.lab == nil:
		return untried("it writes: name a folder with --scratch")
	case r.Scratch && p.sso == nil:
		return untried("it needs accounts, and %s", p.why)
	}
	got := r.try(ctx, p)
	if got.verdict == Differs && ctx.Err() != nil { // the interruption may be what differs
		return untried("interrupted")
	}
	return got
}

// needSSO wraps a try that asks the SSO administration.
func needSSO(try func(context.Context, *probe) outcome) func(context.Context, *probe) outcome {
	return func(ctx context.Context, p *probe) outcome {
		if p.sso == nil {
			return untried("%s", p.why)
		}
		return try(ctx, p)
	}
}

// read is RetrievePropertiesEx for properties of one object.
func (p *probe) read(ctx context.Context, obj types.ManagedObjectReference, props ...string) (map[string]any, answer) {
	res, a := send(ctx, p, methods.RetrievePropertiesEx, &types.RetrievePropertiesEx{
		This: p.Content.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{{
			PropSet:   []types.PropertySpec{{Type: obj.Type, PathSet: props}},
			ObjectSet: []types.ObjectSpec{{Obj: obj}},
		}},
	})
	found := map[string]any{}
	if a.ok() && res.Returnval != nil {
		for _, o := range res.Returnval.Objects {
			for _, prop := range o.PropSet {
				found[prop.Name] = prop.Val
			}
		}
	}
	return found, a
}

// roles is the role list, whole.
func (p *probe) roles(ctx context.Context) ([]types.AuthorizationRole, answer) {
	found, a := p.read(ctx, *p.Content.AuthorizationManager, "roleList")
	list, _ := found["roleList"].(types.ArrayOfAuthorizationRole)
	return list.AuthorizationRole, a
}

// until calls f, with growing pauses, until it holds or it was waited long enough; its last outcome counts. It gives the time
// that passed as well.
func (p *probe) until(ctx context.Context, f func() outcome) (outcome, time.Duration) {
	begin := p.o.Now()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		got := f()
		took := p.o.Now().Sub(begin)
		if got.verdict != Differs || took >= p.o.Wait {
			return got, took
		}
		if p.Pause(ctx, pause) != nil {
			return untried("interrupted"), took
		}
	}
}
