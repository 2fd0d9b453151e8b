package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// releaseFlags say which releases are compared, and how what they ask for is read.
type releaseFlags struct {
	From, To   string   // --from, --to: directories of CredentialsRequests
	Dir        string   // --requests: of one release
	Version    string   // --release; "" = not said
	Preview    bool     // --enable-tech-preview
	Assign     []string // --assign request=component
	Place      []string // --place privilege=scope,scope
	MatrixFrom string   // --matrix-from; "" = that of the specification
	MatrixTo   string   // --matrix-to; "" = that of the specification
	Cluster    command.ClusterFlags
}

// compares reports whether two releases are named, one at a time whether one is: the running cluster stands for --from beside --to,
// else for --requests.
func (r *releaseFlags) compares() bool { return r.To != "" && (r.From != "" || r.Cluster.Given()) }

func (r *releaseFlags) oneAtATime() bool { return r.To == "" && (r.Dir != "" || r.Cluster.Given()) }

// Register adds the flags to cmd, but for those of the cluster.
func (r *releaseFlags) Register(cmd *cobra.Command) {
	flags := cmd.Flags()
	for _, dir := range []struct {
		to          *string
		name, usage string
	}{
		{&r.From, "from", "CredentialsRequests of the running release: a directory written by 'oc adm release extract --credentials-requests --cloud=vsphere'"},
		{&r.To, "to", "CredentialsRequests of the next release: a directory as for --from"},
		{&r.Dir, "requests", "CredentialsRequests of a single release that the accounts must match"},
	} {
		flags.StringVar(dir.to, dir.name, "", dir.usage)
		_ = cmd.MarkFlagDirname(dir.name)
		command.MarkCommandLineOnly(cmd, dir.name)
	}
	flags.StringVar(&r.Version, "release", "", "version of the release in --to or --requests, such as 4.23.0")
	flags.BoolVar(&r.Preview, "enable-tech-preview", false, "include the requests of feature set TechPreviewNoUpgrade, as ccoctl does")
	flags.StringArrayVar(&r.Assign, "assign", nil, "assign an account to a request: request=component, or request=none (repeatable)")
	flags.StringArrayVar(&r.Place, "place", nil, "scopes at which a requested privilege is granted: privilege=scope or privilege=scope,scope (repeatable)")
	flags.StringVar(&r.MatrixFrom, "matrix-from", "", "with --matrix-to: the matrix to compare it with (default: that of the specification)")
	flags.StringVar(&r.MatrixTo, "matrix-to", "", "privilege matrix of the next release: a name or the path of a file (default: that of the specification)")
	command.MarkCommandLineOnly(cmd, "release", "matrix-to", "matrix-from")
	cmd.MarkFlagsMutuallyExclusive("requests", "from")
	cmd.MarkFlagsMutuallyExclusive("requests", "to")
}

// check looks whether the words say enough.
func (r *releaseFlags) check() error {
	const which = "set --from DIR --to DIR for two releases, --requests DIR for one, or --matrix-to MATRIX to compare matrices"
	none := r.To == "" && !r.oneAtATime()
	switch {
	case none && r.From != "":
		return hint.Errorf("add --to DIR; "+which, "--from: --to is required")
	case none && r.MatrixTo == "":
		return hint.Errorf(which, "no release is given")
	case r.MatrixFrom != "" && r.MatrixTo == "":
		return hint.Errorf("add --matrix-to", "--matrix-from: --matrix-to is required")
	case none && len(r.Assign)+len(r.Place) > 0:
		return hint.Errorf("add --to DIR or --requests DIR", "--assign and --place require requests")
	}
	if r.Version == "" {
		return nil
	}
	if _, err := privileges.Minor(r.Version); err != nil {
		return command.BadFlag("release", "%w", err)
	}
	return nil
}

// words are those that name the same releases again.
func (r *releaseFlags) words() []string {
	var words []string
	for _, w := range []struct{ flag, value string }{
		{"--from", r.From}, {"--to", r.To}, {"--requests", r.Dir}, {"--release", r.Version}, {"--matrix-to", r.MatrixTo},
	} {
		if w.value != "" {
			words = append(words, w.flag, w.value)
		}
	}
	words = append(words, r.Cluster.Words()...)
	for _, a := range r.Assign {
		words = append(words, "--assign", a)
	}
	for _, p := range r.Place {
		words = append(words, "--place", p)
	}
	if r.Preview {
		words = append(words, "--enable-tech-preview")
	}
	return words
}

// resolve reads the requests and the matrices.
func (r *releaseFlags) resolve(ctx context.Context, f *command.Factory, wanted *spec.Spec) (o reconcile.Options, err error) {
	o = reconcile.Options{Spec: wanted, Release: r.Version, To: &release.Requests{}, NoRequests: r.To == "" && !r.oneAtATime()}
	if o.Place, err = r.places(); err != nil {
		return o, err
	}
	if o.Matrix, err = privileges.Load(wanted.Privileges.Matrix); err != nil {
		return o, err
	}
	if r.MatrixTo != "" {
		if o.MatrixTo, err = privileges.Load(r.MatrixTo); err != nil {
			return o, command.BadFlag("matrix-to", "%w", err)
		}
		o.MatrixAs, o.MatrixFrom = r.MatrixTo, o.Matrix
	}
	if r.MatrixFrom != "" {
		if o.MatrixFrom, err = privileges.Load(r.MatrixFrom); err != nil {
			return o, command.BadFlag("matrix-from", "%w", err)
		}
	}
	if err := r.holds(f, o); err != nil {
		return o, err
	}
	for _, of := range []struct {
		flag, dir string
		live      bool
		to        **release.Requests
	}{
		{"from", r.From, r.compares() && r.From == "", &o.From},
		{"to", r.To, false, &o.To},
		{"requests", r.Dir, r.oneAtATime() && r.Dir == "", &o.To},
	} {
		switch {
		case of.live:
			*of.to, err = r.running(ctx, f)
		case of.dir != "":
			if *of.to, err = release.ReadRequests(of.dir, r.Preview); err != nil {
				err = command.BadFlag(of.flag, "%w", err)
			}
		}
		if err != nil {
			return o, err
		}
	}
	named := wanted.Whole().Named()
	if err := r.assign(o.From, o.To); err != nil {
		return o, err
	}
	o.Assigned = r.assigned(o.To)
	if o.From != nil {
		o.From = o.From.For(named)
		o.To.Inherit(o.From)
	}
	o.To = o.To.For(named)
	return o, o.To.Uncovered()
}

// running reads the requests of the running cluster.
func (r *releaseFlags) running(ctx context.Context, f *command.Factory) (*release.Requests, error) {
	name, data, err := f.Objects(ctx, "", r.Cluster, kube.Objects{Group: "cloudcredential.openshift.io", Resource: "credentialsrequests"})
	if err != nil {
		return nil, err
	}
	return release.ParseRequests(name, data, r.Preview)
}

// holds looks whether the matrix of the next release is for that release.
func (r *releaseFlags) holds(f *command.Factory, o reconcile.Options) error {
	if r.Version == "" {
		return nil
	}
	m := o.Matrix
	if o.MatrixTo != nil {
		m = o.MatrixTo
	}
	held, err := m.Releases.Hold(r.Version)
	switch {
	case err != nil || held:
		return err
	case o.MatrixTo != nil:
		return command.BadFlag("matrix-to", "matrix %s is for releases %s, not for %s", m.Name, m.Releases, r.Version)
	}
	f.Warnf("matrix %s is for releases %s: what else %s needs is not known; set --matrix-to to a matrix of that release", m.Name, m.Releases, r.Version)
	return nil
}

// places reads --place.
func (r *releaseFlags) places() (map[string][]privileges.Scope, error) {
	words, err := command.Pairs("place", "privilege=scope", r.Place)
	if err != nil {
		return nil, err
	}
	out := map[string][]privileges.Scope{}
	for _, id := range command.SortedKeys(words) {
		if err := privileges.CheckID(id); err != nil {
			return nil, command.BadFlag("place", "%w", err)
		}
		for _, scope := range strings.Split(words[id], ",") {
			if err := command.OneOf(scope, component.Words(privileges.Scopes())); err != nil {
				return nil, command.BadFlag("place", "%s: scope %w", id, err)
			}
			out[id] = append(out[id], privileges.Scope(scope))
		}
	}
	return out, nil
}

// assign gives requests of either release the accounts of --assign. One that neither has is an error.
func (r *releaseFlags) assign(from, to *release.Requests) error {
	words, err := command.Pairs("assign", "request=component, or request=none", r.Assign)
	if err != nil {
		return err
	}
	has := func(in *release.Requests, name string) bool {
		return in != nil && slices.ContainsFunc(in.List, func(q release.Request) bool { return q.Name == name || q.String() == name })
	}
	of := func(in *release.Requests) map[string]string {
		mine := map[string]string{}
		for name, word := range words {
			if has(in, name) || in == to && !has(from, name) {
				mine[name] = word
			}
		}
		return mine
	}
	if from != nil {
		err = from.Assign(of(from))
	}
	if err := errors.Join(err, to.Assign(of(to))); err != nil {
		return command.BadFlag("assign", "%w", err)
	}
	return nil
}

// assigned are the components that --assign names for requests of a release.
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

// passedOver says what a directory holds besides requests that count.
func passedOver(requests *release.Requests) []string {
	if requests == nil {
		return nil
	}
	var all []string
	if others := requests.OtherKinds(); others != "" {
		all = append(all, fmt.Sprintf("%s: %s ignored", requests.Dir, others))
	}
	for _, s := range requests.Skipped {
		all = append(all, fmt.Sprintf("%s: CredentialsRequest %s %s", requests.Dir, s.Name, s.Reason))
	}
	for _, q := range requests.List {
		if q.FeatureGate != "" {
			without := ""
			if q.Component == "" {
				without = ", and gets no account"
			}
			all = append(all, fmt.Sprintf("%s: CredentialsRequest %s applies only with feature gate %s%s", requests.Dir, q.Name, q.FeatureGate, without))
		}
	}
	return all
}

// componentWord is a component for people.
func componentWord(c component.Name) string {
	if c == "" {
		return "none"
	}
	return string(c)
}
