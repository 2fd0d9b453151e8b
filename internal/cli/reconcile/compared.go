package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// compared are the releases of a run: the running one, if it is compared, and those to prepare for.
type compared struct {
	from   *release.Requests // nil where it is not compared
	image  string            // of the running release; "" = not known
	next   []*next
	failed []failedUpdate // whose requests could not be extracted: nothing is prepared for them
}

type next struct {
	release.Ref // as far as it is said
	to          *release.Requests
	matrix      *privileges.Matrix // of --matrix-to; nil = that of the specification
	alone       *reconcile.Result  // what it comes to without the others
}

// only is the one release of a run; nil = several.
func (c *compared) only() *next {
	if len(c.next) == 1 {
		return c.next[0]
	}
	return nil
}

func (c *compared) privileges() (all []string) {
	for _, n := range c.next {
		all = lists.AppendNew(all, n.to.Privileges()...)
	}
	return all
}

func (r *releaseFlags) read(ctx context.Context, f *command.Factory) (*compared, error) {
	if r.Updates.All {
		return r.available(ctx, f)
	}
	c, err := &compared{}, error(nil)
	switch {
	case r.From != "":
		c.from, err = r.directory("from", r.From)
	case r.compares():
		c.from, err = r.running(ctx, f)
	}
	if err != nil {
		return nil, err
	}
	if len(r.To) == 0 {
		n := &next{to: &release.Requests{}}
		switch {
		case r.Dir != "":
			n.to, err = r.directory("requests", r.Dir)
		case r.oneAtATime():
			n.to, err = r.running(ctx, f)
		}
		c.next = append(c.next, n)
	}
	for _, dir := range r.To {
		to, failed := r.directory("to", dir)
		err = errors.Join(err, failed)
		c.next = append(c.next, &next{to: to})
	}
	for i, n := range c.next {
		if len(r.Versions) > 0 {
			n.Version = r.Versions[i]
		}
		if len(r.Images) > 0 {
			n.Image = r.Images[i]
		}
	}
	if len(r.Versions) > 0 {
		slices.SortStableFunc(c.next, func(a, b *next) int { return a.Compare(b.Ref) })
	}
	return c, err
}

func (r *releaseFlags) directory(flag, dir string) (*release.Requests, error) {
	requests, err := release.ReadRequests(dir, r.Preview)
	if err != nil {
		return nil, command.BadFlag(flag, "%w", err)
	}
	return requests, nil
}

func (r *releaseFlags) running(ctx context.Context, f *command.Factory) (*release.Requests, error) {
	name, data, err := f.Objects(ctx, "", r.Cluster, kube.Objects{Kind: kube.CredentialsRequests})
	if err != nil {
		return nil, err
	}
	return release.ParseRequests(name, data, r.Preview)
}

// resolve reads requests and matrices and makes the new specification. Without an update, c has no
// releases and the result is nil.
func (r *releaseFlags) resolve(ctx context.Context, f *command.Factory, wanted *spec.Spec,
	prune bool,
) (c *compared, result *reconcile.Result, err error) {
	o := reconcile.Options{Spec: wanted, NoRequests: len(r.To) == 0 && !r.oneAtATime() && !r.Updates.All, Prune: prune}
	if o.Place, err = r.places(); err != nil {
		return nil, nil, err
	}
	if o.Matrix, err = privileges.Load(wanted.Privileges.Matrix); err != nil {
		return nil, nil, err
	}
	var matrixTo *privileges.Matrix
	if r.MatrixTo != "" {
		if matrixTo, err = privileges.Load(r.MatrixTo); err != nil {
			return nil, nil, command.BadFlag("matrix-to", "%w", err)
		}
		o.MatrixFrom = o.Matrix
	}
	if r.MatrixFrom != "" {
		if o.MatrixFrom, err = privileges.Load(r.MatrixFrom); err != nil {
			return nil, nil, command.BadFlag("matrix-from", "%w", err)
		}
	}
	if c, err = r.read(ctx, f); err != nil || len(c.next) == 0 {
		return c, nil, err
	}
	if err := c.setMatrices(f, o.Matrix, matrixTo); err != nil {
		return nil, nil, err
	}
	named, extra := wanted.Whole().Named(), wanted.Secrets.Extra
	if err := r.assign(c); err != nil {
		return nil, nil, err
	}
	if c.from != nil {
		c.from = c.from.For(named, extra)
	}
	o.From = c.from
	var releases []reconcile.Options
	for _, n := range c.next {
		one := o
		one.Assigned = r.assigned(n.to)
		if c.from != nil {
			n.to.Inherit(c.from)
		}
		n.to = n.to.For(named, extra)
		err = errors.Join(err, n.to.Uncovered())
		one.To, one.Release, one.MatrixTo = n.to, n.Version, n.matrix
		if n.matrix != nil {
			one.MatrixAs = r.MatrixTo
		}
		releases = append(releases, one)
	}
	if err != nil {
		return nil, nil, err
	}
	if prune {
		result, err = reconcile.Reconcile(releases[0])
		c.next[0].alone = result
		return c, result, err
	}
	result, each, err := reconcile.Together(releases)
	for i, alone := range each {
		c.next[i].alone = alone
	}
	return c, result, err
}

// setMatrices gives each release its matrix: --matrix-to, unless it is for another one of several.
func (c *compared) setMatrices(f *command.Factory, matrix, matrixTo *privileges.Matrix) error {
	holds := func(m *privileges.Matrix, n *next) bool {
		held, err := m.Releases.Hold(n.Version)
		return n.Version == "" || err == nil && held
	}
	var not, unknown []string
	for _, n := range c.next {
		m := matrix
		if matrixTo != nil {
			if holds(matrixTo, n) {
				n.matrix, m = matrixTo, matrixTo
			} else {
				not = append(not, n.Version)
			}
		}
		if !holds(m, n) {
			unknown = append(unknown, n.Version)
		}
	}
	switch {
	case len(not) == 0:
	case len(not) == len(c.next):
		return command.BadFlag("matrix-to", "matrix %s is for releases %s, not for %s", matrixTo.Name,
			matrixTo.Releases, strings.Join(not, ", "))
	default:
		f.Infof("matrix %s is for releases %s: that of the specification, %s, counts for %s",
			matrixTo.Name, matrixTo.Releases, matrix.Name, strings.Join(not, ", "))
	}
	if len(unknown) > 0 {
		need := "needs"
		if len(unknown) > 1 {
			need = "need"
		}
		f.Warnf("matrix %s is for releases %s: what else %s %s is not known; set --matrix-to to a matrix of that release", matrix.Name, matrix.Releases, strings.Join(unknown, ", "), need)
	}
	return nil
}

// assign gives requests the accounts of --assign. A request of no release is an error.
func (r *releaseFlags) assign(c *compared) error {
	words, err := command.Pairs("assign", "request=component, or request=none", r.Assign)
	if err != nil {
		return err
	}
	all := c.requests()
	if c.from != nil {
		all = append(all, c.from)
	}
	has := func(in *release.Requests, name string) bool {
		return slices.ContainsFunc(in.List, func(q release.Request) bool {
			return q.Name == name || q.String() == name
		})
	}
	for i, in := range all {
		mine := map[string]string{}
		for name, word := range words {
			nowhere := !slices.ContainsFunc(all, func(in *release.Requests) bool { return has(in, name) })
			if has(in, name) || i == 0 && nowhere { // which says what there is
				mine[name] = word
			}
		}
		err = errors.Join(err, in.Assign(mine))
	}
	if err != nil {
		return command.BadFlag("assign", "%w", err)
	}
	return nil
}

func (r *releaseFlags) assigned(to *release.Requests) []component.Name {
	var all []component.Name
	for _, word := range r.Assign {
		name, _, _ := strings.Cut(word, "=")
		for _, q := range to.List {
			if q.Component != "" && (q.Name == name || q.String() == name) {
				all = append(all, q.Component)
			}
		}
	}
	return all
}

// passedOver lists ignored objects beside the requests of all releases, each once.
func (c *compared) passedOver() []string {
	var texts []string
	in := map[string][]string{}
	for _, requests := range append([]*release.Requests{c.from}, c.requests()...) {
		for _, text := range passedOver(requests) {
			texts = lists.AppendNew(texts, text)
			in[text] = lists.AppendNew(in[text], requests.Dir)
		}
	}
	for i, text := range texts {
		texts[i] = strings.Join(in[text], ", ") + ": " + text
	}
	return texts
}

func (c *compared) requests() (all []*release.Requests) {
	for _, n := range c.next {
		all = append(all, n.to)
	}
	return all
}

// passedOver lists ignored objects beside the requests of a directory.
func passedOver(requests *release.Requests) []string {
	if requests == nil {
		return nil
	}
	var all []string
	if others := requests.OtherKinds(); others != "" {
		all = append(all, others+" ignored")
	}
	for _, s := range requests.Skipped {
		all = append(all, fmt.Sprintf("CredentialsRequest %s %s", s.Name, s.Reason))
	}
	for _, q := range requests.List {
		if q.FeatureGate != "" {
			without := ""
			if q.Component == "" {
				without = ", and gets no account"
			}
			all = append(all, fmt.Sprintf("CredentialsRequest %s applies only with feature gate %s%s", q.Name, q.FeatureGate, without))
		}
	}
	return all
}

func componentWord(c component.Name) string {
	if c == "" {
		return "none"
	}
	return string(c)
}
