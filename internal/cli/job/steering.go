package job

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// RegisterSteering adds the flags that decide the plan, those of savedplan.Steering.
func (o *Options) RegisterSteering(cmd *cobra.Command) {
	registerAdditive(cmd, &o.Additive)
	cmd.Flags().BoolVar(&o.Prune, "prune", false, "remove what the specification no longer names")
	command.MarkCommandLineOnly(cmd, "prune")
	RegisterCreateFolders(cmd, &o.CreateFolders)
	cmd.Flags().BoolVar(&o.CreateTags, "create-tags", false,
		"create missing tags of regions and zones, and attach them")
	command.MarkSettings(cmd, "create-tags")
	RegisterStrict(cmd, &o.Strict)
	command.MarkSettings(cmd, "prune")
	cmd.MarkFlagsMutuallyExclusive("prune", "additive")
}

func registerAdditive(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "additive", false, "never remove a privilege or a permission")
	command.MarkSettings(cmd, "additive")
}

// RegisterStrict adds the flag for commands that make roles.
func RegisterStrict(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "strict", false, "a privilege that a vCenter does not know is an error")
	command.MarkSettings(cmd, "strict")
}

// RegisterCreateFolders adds the flag for commands that make folders.
func RegisterCreateFolders(cmd *cobra.Command, to *bool) {
	registerFolders(cmd, to, "create missing VM folders first, and set the folder permissions on them")
}

// RegisterCreatedFolders adds it for commands that read what others made.
func RegisterCreatedFolders(cmd *cobra.Command, to *bool) {
	registerFolders(cmd, to, "the folder permissions are on folders that apply --create-folders created")
}

func registerFolders(cmd *cobra.Command, to *bool, says string) {
	cmd.Flags().BoolVar(to, "create-folders", false, says)
	command.MarkSettings(cmd, "create-folders")
}

// PlannedFlags decide the plan, so apply --plan takes none of them.
func PlannedFlags() []string {
	return append(command.Sources(), "additive", "prune", "create-folders", "create-tags", "strict",
		"components", "vcenters", "matrix", "conditions", "profile")
}

func (r *Run) decided() savedplan.Decided {
	d := savedplan.Decided{
		Spec: string(r.Wanted.YAML()), Matrix: string(r.matrixText),
		Credentials: r.Invocation.Value(command.CredentialsFileFlag), Options: r.steering,
	}
	if d.Source = SourceDigest(r.Invocation); r.Unsourced {
		d.Source = digestOf(r.Wanted)
	}
	if whole := r.Wanted.Whole(); whole != r.Wanted {
		d.Whole = string(whole.YAML())
	}
	return d
}

// Saved is the file of a plan for apply --plan.
func (r *Run) Saved(p *plan.Plan) *savedplan.File {
	return savedplan.New(r.decided(), r.Invocation.Only(SavedFlags()...), p)
}

// SourceDigest is the digest of the file that an invocation names; "" = none, or it is missing. A
// file that cannot be read has a digest of its own. A running cluster is not read again.
func SourceDigest(inv command.Invocation) string {
	switch s, err := loadSource(inv); {
	case errors.Is(err, fs.ErrNotExist), err == nil && s == nil:
		return ""
	case err != nil:
		return "unreadable"
	default:
		return digestOf(s)
	}
}

func digestOf(s *spec.Spec) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(s.YAML())) }

// loadSource reads the file that an invocation names; nil = none.
func loadSource(inv command.Invocation) (s *spec.Spec, err error) {
	switch file, config, infra := inv["file"], inv["install-config"], inv[command.InfrastructureFlag]; {
	case len(file) > 0:
		return spec.Load(file[0])
	case len(config) > 0:
		s, _, err = installconfig.Load(config[0])
		return s, err
	case len(infra) == 0 || command.OfCluster(infra[0]):
		return nil, nil //nolint:nilnil // none is a fine answer
	default:
		data, err := files.Read(infra[0], files.Dump)
		if err != nil {
			return nil, err
		}
		return spec.ParseInfrastructure(infra[0], files.AsUTF8(data))
	}
}

// SavedFlags are those that a saved plan holds for the next command.
func SavedFlags() []string {
	return append(PlannedFlags(), command.ConnectToFlag, command.CredentialsFileFlag)
}
