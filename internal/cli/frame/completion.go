package frame

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// CompletionOptions are the flags of `completion`.
type CompletionOptions struct {
	*command.Factory
	Shell string
	root  *cobra.Command
}

func newCmdCompletion(f *command.Factory, runF func(*CompletionOptions) error) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	o := &CompletionOptions{Factory: f}
	return &cobra.Command{
		Use:     "completion bash|zsh|fish|powershell",
		Short:   "Print the shell completion script",
		GroupID: command.GroupTool,
		Long: command.Text(`
			Prints a script that completes commands, flags and values in your shell. For bash, the package bash-completion is
			required.`),
		Example: f.Named(command.Examples(`
			# bash, for this session
			source <(ocp-vsphere-admin completion bash)

			# zsh, for good
			ocp-vsphere-admin completion zsh > "${fpath[1]}/_ocp-vsphere-admin"

			# fish, for good
			ocp-vsphere-admin completion fish > ~/.config/fish/completions/ocp-vsphere-admin.fish

			# PowerShell, for this session
			ocp-vsphere-admin completion powershell | Out-String | Invoke-Expression`)),
		ValidArgs: shells,
		Args:      command.Exactly("shell", shells),
		RunE: command.Action(o, runF, completionRun, func(cmd *cobra.Command, args []string) error {
			o.Shell, o.root = args[0], cmd.Root()
			return o.CheckOutput(cmd, "a completion script has one format")
		}),
	}
}

func completionRun(_ context.Context, o *CompletionOptions) error {
	switch o.Shell {
	case "bash":
		return o.root.GenBashCompletionV2(o.Out, true)
	case "zsh":
		return o.root.GenZshCompletion(o.Out)
	case "fish":
		return o.root.GenFishCompletion(o.Out, true)
	default:
		return o.root.GenPowerShellCompletionWithDesc(o.Out)
	}
}

// completeLive offers vCenters, inventory paths and accounts of the files of the command line or
// the settings. It calls no vCenter. The commands' own completions come first and win.
func completeLive(root *cobra.Command, f *command.Factory) {
	type values func(*liveSource) []string
	for flag, of := range map[string]struct {
		values values
		suffix string
	}{
		"vcenters":   {(*liveSource).servers, ""},
		"connect-to": {(*liveSource).servers, "="},
		"thumbprint": {(*liveSource).servers, "="},
		"principal":  {(*liveSource).principals, ""},
		"object":     {(*liveSource).paths, ""},
	} {
		command.EachCommand(root, func(cmd *cobra.Command) {
			if fl := cmd.Flags().Lookup(flag); fl == nil || command.IsCommandLineOnly(fl) {
				return
			}
			_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				offers := command.ListCompletion(of.values(newLiveSource(f, cmd)), typed)
				if of.suffix == "" {
					return offers, cobra.ShellCompDirectiveNoFileComp
				}
				for i := range offers {
					offers[i] += of.suffix
				}
				return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			})
		})
	}
}

// liveSource is what is known without a question or a call.
type liveSource struct {
	spec        *spec.Spec     // nil where no file is named, or it cannot be read
	credentials *credfile.File // nil likewise
}

// newLiveSource reads the files of an unfinished command line and ignores errors.
func newLiveSource(f *command.Factory, cmd *cobra.Command) *liveSource {
	_ = f.LoadSettings(cmd)
	value := func(flag string) string {
		if fl := cmd.Flags().Lookup(flag); fl != nil && fl.Value.String() != "-" {
			return fl.Value.String()
		}
		return ""
	}
	l := &liveSource{}
	if path := value("file"); path != "" {
		l.spec, _ = spec.Load(path)
	} else if path := value("install-config"); path != "" {
		l.spec, _, _ = installconfig.Load(path)
	} else if path := value(command.InfrastructureFlag); path != "" && !command.OfCluster(path) {
		l.spec, _ = f.Infrastructure(cmd.Context(), path, spec.ParseInfrastructure)
	}
	flag := command.CredentialsFlag{Path: value(command.CredentialsFileFlag), Level: command.OriginOf(cmd.Flags())}
	if path, _, err := flag.Resolve(f.Streams, l.spec); err == nil {
		l.credentials, _ = credfile.Open(path)
	}
	return l
}

// servers are the vCenters of the file, else the sections of the credentials file.
func (l *liveSource) servers() []string {
	switch {
	case l.spec != nil:
		return command.Servers(l.spec)
	case l.credentials != nil:
		return l.credentials.Servers()
	}
	return nil
}

// principals are those of the file, and those with an account in the credentials file.
func (l *liveSource) principals() (names []string) {
	if l.spec != nil {
		for _, c := range l.spec.Components {
			names = append(names, c.Principal)
		}
	}
	if l.credentials != nil {
		for _, server := range l.credentials.Servers() {
			for _, c := range component.Names() {
				if a, ok := l.credentials.Get(server, c); ok {
					names = append(names, a.User)
				}
			}
		}
	}
	return distinct(names)
}

func (l *liveSource) paths() (paths []string) {
	if l.spec == nil {
		return nil
	}
	paths = []string{"/"}
	for _, vc := range l.spec.VCenters {
		for _, fd := range vc.FailureDomains {
			paths = append(paths, fd.DatacenterPath(), fd.ComputeCluster, fd.Datastore, fd.Folder,
				fd.ResourcePool, fd.Template)
			paths = append(paths, fd.Networks...)
		}
	}
	return distinct(paths)
}

func distinct(words []string) []string {
	slices.Sort(words)
	return slices.DeleteFunc(slices.Compact(words), func(w string) bool { return w == "" })
}
