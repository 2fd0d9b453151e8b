package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// SourceFlags name the vCenters and objects of a command.
type SourceFlags struct {
	File           string   // -f, - for stdin; the first of Files
	Files          []string // all of -f, for a command that takes Several: files, and directories of them
	InstallConfig  string   // --install-config, - for stdin
	Infrastructure string   // --infrastructure, see [Factory.Infrastructure]
	VCenters       []string // --vcenters
	Components     []string // --components
	ConnectTo      AddressFlag
	Matrix         string   // --matrix; "" = what the file says
	Conditions     []string // --conditions, in addition to the file's
	Profile        string   // --profile; "" = what the file says

	Several   bool                 // -f may be repeated, and be a directory: see Files
	Compares  bool                 // --infrastructure may stand beside --file, for the running cluster
	Running   *spec.Spec           // that cluster, where it was read; nil = it was not named
	NamesOnly bool                 // failure domains may be incomplete
	Accounts  *installconfig.Given // the accounts of the install-config that was read; nil = none was
}

// Register adds the flags to cmd.
func (s *SourceFlags) Register(cmd *cobra.Command) {
	s.RegisterReached(cmd)
	s.NamesOnly = false
	RegisterComponents(cmd, &s.Components)
	RegisterMatrix(cmd, &s.Matrix, &s.Conditions, Selectable())
	RegisterProfile(cmd, &s.Profile, "how OpenShift reads the credentials, which decides the accounts (default "+spec.DefaultProfile+")")
}

// RegisterProfile adds --profile to cmd.
func RegisterProfile(cmd *cobra.Command, to *string, usage string) {
	RegisterChoice(cmd, to, "profile", usage, openshift.ProfileNames())
	MarkSettings(cmd, "profile")
}

// RegisterReached adds the flags that name vCenters and their addresses.
func (s *SourceFlags) RegisterReached(cmd *cobra.Command) {
	s.RegisterServers(cmd)
	s.ConnectTo.Register(cmd)
}

// RegisterServers adds the flags that only name vCenters.
func (s *SourceFlags) RegisterServers(cmd *cobra.Command) {
	s.NamesOnly = true
	p := cmd.Flags()
	if s.Several {
		p.VarP((*specifications)(s), "file", "f", "provisioning file (- for stdin); for many clusters repeated, or a directory of them")
	} else {
		p.StringVarP(&s.File, "file", "f", "", "provisioning file (- for stdin)")
	}
	FileFlag(cmd, &s.InstallConfig, "install-config",
		"install-config.yaml to take vCenters and failure domains from (- for stdin)", "yaml", "yml")
	RegisterInfrastructure(cmd, &s.Infrastructure)
	p.StringSliceVar(&s.VCenters, "vcenters", nil, "vCenters by name; with a file, only these of the file")
	if s.Compares {
		cmd.Flags().Lookup(InfrastructureFlag).Usage += "; beside -f, the running cluster, with which the file is compared"
		cmd.MarkFlagsMutuallyExclusive("file", "install-config")
		cmd.MarkFlagsMutuallyExclusive(InfrastructureFlag, "install-config")
	} else {
		cmd.MarkFlagsMutuallyExclusive(Sources()...)
	}
	MarkSettings(cmd, append(Sources(), "vcenters")...)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
}

// specifications are the values of -f of a command that takes several.
type specifications SourceFlags

var _ pflag.SliceValue = (*specifications)(nil)

// Replace sets all of them.
func (s *specifications) Replace(paths []string) error {
	s.File, s.Files = append(paths, "")[0], paths
	return nil
}

// Append adds one, as Set does.
func (s *specifications) Append(path string) error { return s.Replace(lists.AppendNew(s.Files, path)) }

// Set adds one.
func (s *specifications) Set(path string) error { return s.Append(path) }

// GetSlice gives all of them.
func (s *specifications) GetSlice() []string { return s.Files }

// Type is that of -f of other commands, whose settings it shares.
func (s *specifications) Type() string { return "string" }

// String is how they are shown.
func (s *specifications) String() string { return strings.Join(s.Files, ",") }

// RegisterFile adds -f for a provisioning file to a command without other sources.
func RegisterFile(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().StringVarP(to, "file", "f", "", usage)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	MarkSettings(cmd, "file")
}

// RegisterComponents adds --components to cmd.
func RegisterComponents(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringSliceVar(to, "components", nil, "only these: "+knownComponentsText())
	CompleteValues(cmd, "components", component.Words(component.Names()))
	MarkSettings(cmd, "components")
}

// knownComponentsText lists the components for help, those that are only present if named last.
func knownComponentsText() string {
	optIn := slices.DeleteFunc(component.Names(), func(c component.Name) bool { return !c.OptIn() })
	return strings.Join(component.Words(component.Default()), ", ") + "; opt-in: " + strings.Join(component.Words(optIn), ", ")
}

// CheckComponents refuses unknown words of --components.
func CheckComponents(words []string) error {
	return AllOf("components", words, component.Words(component.Names()))
}

// KnownComponents is CheckComponents for an action.
func KnownComponents(words *[]string) func(*cobra.Command, []string) error {
	return func(*cobra.Command, []string) error { return CheckComponents(*words) }
}

// NamedComponents are the components that words name, in their usual order; none = those of every
// cluster, and others with an account in the credentials file.
func NamedComponents(words []string, f *credfile.File) []component.Name {
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		if len(words) == 0 {
			return c.OptIn() && !holds(f, c)
		}
		return !slices.Contains(words, string(c))
	})
}

// holds reports whether a credentials file has an account of a component; f may be nil.
func holds(f *credfile.File, c component.Name) bool {
	return f != nil && slices.ContainsFunc(f.Servers(), func(server string) bool {
		_, ok := f.Get(server, c)
		return ok
	})
}

// RegisterMatrix adds --matrix and --conditions, with the known conditions, to cmd.
func RegisterMatrix(cmd *cobra.Command, matrix *string, conditions *[]string, known []string) {
	p := cmd.Flags()
	p.StringVar(matrix, "matrix", "",
		"privilege matrix: "+strings.Join(privileges.Names(), ", ")+", or the path of a file")
	p.StringSliceVar(conditions, "conditions", nil,
		"include rows that only some clusters need: "+strings.Join(known, ", "))
	CompleteValues(cmd, "conditions", known)
	MarkSettings(cmd, "matrix", "conditions")
	_ = cmd.RegisterFlagCompletionFunc("matrix", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return privileges.Names(), cobra.ShellCompDirectiveDefault // and files
	})
}

// Selectable are the words of --conditions and privileges.conditions.
func Selectable() []string {
	return append(component.Words(privileges.Selectable()), "no-"+string(privileges.ManagedStorageClass))
}

// Sources are the flags that name a cluster's whole topology. They exclude each other.
func Sources() []string { return []string{"file", "install-config", InfrastructureFlag} }

// NamesCluster reports whether one of [Sources] is set.
func (s *SourceFlags) NamesCluster() bool {
	return s.File != "" || s.InstallConfig != "" || s.Infrastructure != ""
}

// Given reports whether any source is named.
func (s *SourceFlags) Given() bool { return s.NamesCluster() || len(s.VCenters) > 0 }

// ResolveCluster is Resolve if one of [Sources] is set, else nil.
func (s *SourceFlags) ResolveCluster(ctx context.Context, f *Factory) (*spec.Spec, error) {
	if !s.NamesCluster() {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	return s.Resolve(ctx, f)
}

var errNoSource = hint.Errorf("set -f FILE, --install-config FILE, --infrastructure FILE or --vcenters a,b", "no vCenter is given")

// Resolve reads the sources into one spec.
func (s *SourceFlags) Resolve(ctx context.Context, f *Factory) (*spec.Spec, error) {
	if err := CheckComponents(s.Components); err != nil {
		return nil, err
	}
	if _, err := s.ConnectTo.Parse(); err != nil {
		return nil, err
	}
	out, err := s.read(ctx, f)
	if err != nil {
		return nil, err
	}
	if err := s.matrix(out); err != nil {
		return nil, err
	}
	return out, s.ConnectTo.Apply(out)
}

func (s *SourceFlags) read(ctx context.Context, f *Factory) (*spec.Spec, error) {
	var out *spec.Spec
	var err error
	narrow := s.VCenters
	switch {
	case s.File == "-":
		if out, err = parseStream(f.In, spec.Parse); err == nil {
			out.Locate(".")
		}
	case s.File != "":
		out, err = spec.Load(s.File)
	case s.InstallConfig == "-":
		out, err = parseStream(f.In, s.installConfig)
	case s.InstallConfig != "":
		var data []byte
		if data, err = files.Read(s.InstallConfig, files.Text); err == nil {
			out, err = s.installConfig(s.InstallConfig, data)
		}
	case s.Infrastructure != "":
		out, err = f.Infrastructure(ctx, s.Infrastructure,
			s.parse(spec.ParseInfrastructure, spec.ParseInfrastructureServers))
	case len(s.VCenters) > 0:
		out, err = spec.FromServers(s.VCenters)
		narrow = nil
	default:
		return nil, errNoSource
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, besides(cmp.Or(s.File, s.InstallConfig), BadFlag(map[bool]string{true: "file", false: "install-config"}[s.File != ""], "%w", err))
	}
	if err != nil {
		return nil, err
	}
	if s.Profile != "" {
		if err := out.SetProfile(s.Profile); err != nil {
			return nil, BadFlag("profile", "%w", err)
		}
	}
	if err := out.Narrow(narrow, s.Components); err != nil {
		return nil, err
	}
	if s.Compares && s.File != "" && s.Infrastructure != "" {
		s.Running, err = f.Infrastructure(ctx, s.Infrastructure, spec.ParseInfrastructure)
	}
	return out, err
}

// besides adds to the error of a missing file the nearest name beside it.
func besides(path string, err error) error {
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	for i, name := range found {
		found[i] = filepath.Base(name)
	}
	if near := hint.Nearest(filepath.Base(path), found); near != "" {
		return hint.Wrap(err, "did you mean "+filepath.Join(filepath.Dir(path), near)+"?")
	}
	return err
}

func (s *SourceFlags) installConfig(name string, data []byte) (out *spec.Spec, err error) {
	out, s.Accounts, err = installconfig.Specify(name, data, s.parse(spec.ParseInstallConfig, spec.ParseServers))
	return out, err
}

// parse reads a whole file, or only servers if names are enough and the rest may be incomplete.
func (s *SourceFlags) parse(whole, servers func(string, []byte) (*spec.Spec, error)) func(string, []byte) (*spec.Spec, error) {
	if !s.NamesOnly {
		return whole
	}
	return func(name string, data []byte) (*spec.Spec, error) {
		if out, err := whole(name, data); err == nil {
			return out, nil
		}
		return servers(name, data)
	}
}

func parseStream(in io.Reader, parse func(string, []byte) (*spec.Spec, error)) (*spec.Spec, error) {
	data, err := files.UTF8(files.ReadFrom(in, "stdin", files.Text))
	if err != nil {
		return nil, err
	}
	return parse("stdin", data)
}

func (s *SourceFlags) matrix(out *spec.Spec) error {
	if s.Matrix != "" {
		out.Privileges.Matrix = s.Matrix
	}
	if len(s.Conditions) == 0 {
		return nil
	}
	if _, err := privileges.ParseConditions(s.Conditions); err != nil {
		return BadFlag("conditions", "%w", err)
	}
	out.Privileges.Conditions = lists.AppendNew(slices.Clip(out.Privileges.Conditions), s.Conditions...)
	if _, err := privileges.ParseConditions(out.Privileges.Conditions); err != nil {
		return BadFlag("conditions", "with those of the file: %w", err)
	}
	return nil
}

// Servers are the vCenters of s in its order.
func Servers(s *spec.Spec) []string {
	out := make([]string, len(s.VCenters))
	for i, vc := range s.VCenters {
		out[i] = vc.Server
	}
	return out
}

// NarrowServers keeps the named servers of all; none = all.
func NarrowServers(all, named []string) ([]string, error) {
	if err := AllOf("vcenters", named, all); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return len(named) > 0 && !slices.Contains(named, s)
	}), nil
}
