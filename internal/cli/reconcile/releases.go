package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// releaseFlags name the compared releases, and how their requests are read.
type releaseFlags struct {
	From       string         // --from: a directory of CredentialsRequests
	To         []string       // --to: a directory for each next release
	Dir        string         // --requests: of one release
	Versions   []string       // --release: one for each, in the same order; none = not said
	Images     []string       // --image: likewise
	Updates    availableFlags // --available-updates, which names releases, versions and images
	Preview    bool           // --enable-tech-preview
	Assign     []string       // --assign request=component
	Place      []string       // --place privilege=scope,scope
	MatrixFrom string         // --matrix-from; "" = that of the specification
	MatrixTo   string         // --matrix-to; "" = that of the specification
	Cluster    command.ClusterFlags
}

// compares reports whether the running release is compared; a cluster may name it or the next one.
func (r *releaseFlags) compares() bool {
	return r.Updates.All || len(r.To) > 0 && (r.From != "" || r.Cluster.Given())
}

func (r *releaseFlags) oneAtATime() bool {
	return !r.Updates.All && len(r.To) == 0 && (r.Dir != "" || r.Cluster.Given())
}

func (r *releaseFlags) Register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&r.From, "from", "", "directory of the running release's CredentialsRequests")
	flags.StringVar(&r.Dir, "requests", "",
		"CredentialsRequests of a single release that the accounts must match")
	for _, name := range []string{"from", "to", "requests"} {
		_ = cmd.MarkFlagDirname(name)
		command.MarkCommandLineOnly(cmd, name)
	}
	flags.BoolVar(&r.Preview, "enable-tech-preview", false,
		"include requests of feature set TechPreviewNoUpgrade")
	flags.StringArrayVar(&r.Assign, "assign", nil, "give a request an account: request=component, or =none")
	flags.StringArrayVar(&r.Place, "place", nil, "where a privilege is granted: privilege=scope,scope")
	flags.StringVar(&r.MatrixFrom, "matrix-from", "", "with --matrix-to: the matrix to compare it with")
	flags.StringVar(&r.MatrixTo, "matrix-to", "", "privilege matrix of the next release")
	command.MarkCommandLineOnly(cmd, "release", "matrix-to", "matrix-from")
	cmd.MarkFlagsMutuallyExclusive("requests", "from")
	cmd.MarkFlagsMutuallyExclusive("requests", "to")
}

// registerSeveral adds the flags for several releases, registerOne those for the running one.
func (r *releaseFlags) registerSeveral(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&r.To, "to", nil, "the same of a next release (repeatable)")
	flags.StringArrayVar(&r.Versions, "release", nil,
		"version of that release, such as 4.23.0 (one for each --to)")
	flags.StringArrayVar(&r.Images, "image", nil, "pull spec of --release, which is recorded as reconciled")
	command.MarkCommandLineOnly(cmd, "image")
}

func (r *releaseFlags) registerOne(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var((*single)(&r.To), "to", "the same of the release that runs now")
	flags.Var((*single)(&r.Versions), "release", "version of the release in --to or --requests, such as 4.23.0")
}

// single is a list of one value for a flag that is no list.
type single []string

func (s *single) String() string { return strings.Join(*s, "") }

func (s *single) Set(value string) error {
	if *s = nil; value != "" {
		*s = single{value}
	}
	return nil
}

func (*single) Type() string { return "string" }

func (r *releaseFlags) check() error {
	const which = "set --from DIR --to DIR for two releases, --requests DIR for one, or --matrix-to MATRIX to compare matrices"
	none := len(r.To) == 0 && !r.oneAtATime() && !r.Updates.All
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
	return cmp.Or(r.Updates.check(r), r.checkVersions(), r.checkImages())
}

// checkVersions requires a different version for each release, or none for all.
func (r *releaseFlags) checkVersions() error {
	for i, dir := range r.To {
		if slices.Contains(r.To[:i], dir) {
			return command.BadFlag("to", "%s is given twice", dir)
		}
	}
	if releases := max(1, len(r.To)); len(r.Versions) > 0 && len(r.Versions) != releases {
		return hint.Wrap(command.BadFlag("release", "%s for %s", term.Count(len(r.Versions), "version"),
			term.Count(releases, "release")),
			"give one --release for each --to, in the same order, or none")
	}
	for i, version := range r.Versions {
		if _, err := privileges.Minor(version); err != nil {
			return command.BadFlag("release", "%w", err)
		}
		if slices.Contains(r.Versions[:i], version) {
			return command.BadFlag("release", "%s is given twice", version)
		}
	}
	return nil
}

// checkImages refuses incomplete names of a release.
func (r *releaseFlags) checkImages() error {
	switch {
	case len(r.Images) == 0:
		return nil
	case len(r.Versions) == 0:
		return hint.Errorf("add --release VERSION", "--image: --release is required")
	case len(r.Images) != len(r.Versions):
		return hint.Wrap(command.BadFlag("image", "%s for %s", term.Count(len(r.Images), "image"),
			term.Count(len(r.Versions), "release")),
			"give one --image for each --release, in the same order, or none")
	}
	for i, image := range r.Images {
		if err := release.CheckVersion(r.Versions[i]); err != nil {
			return command.BadFlag("release", "with --image: %s %w", r.Versions[i], err)
		}
		if err := release.CheckImage(image); err != nil {
			return command.BadFlag("image", "%w", err)
		}
	}
	return nil
}

func (r *releaseFlags) words() []string {
	var words []string
	for _, w := range []struct {
		flag   string
		values []string
	}{
		{"--from", []string{r.From}}, {"--to", r.To}, {"--requests", []string{r.Dir}}, {"--release", r.Versions}, {"--matrix-to", []string{r.MatrixTo}},
	} {
		for _, value := range w.values {
			if value != "" {
				words = append(words, w.flag, value)
			}
		}
	}
	words = append(append(words, r.Updates.words()...), r.Cluster.Words()...)
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
