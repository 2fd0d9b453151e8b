package secrets

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

type requestsFlags struct {
	Dir     string   // --credentials-requests or --requests
	Preview bool     // --enable-tech-preview
	Assign  []string // --assign request=component
	Flag    string   // that of Dir; "" = credentials-requests
}

func (r *requestsFlags) flag() string { return cmp.Or(r.Flag, "credentials-requests") }

func (r *requestsFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&r.Dir, r.flag(), "", "directory of the CredentialsRequests of the release")
	p.BoolVar(&r.Preview, "enable-tech-preview", false, "include requests of feature set TechPreviewNoUpgrade")
	p.StringArrayVar(&r.Assign, "assign", nil, "give a request an account: request=component, or =none")
	_ = cmd.MarkFlagDirname(r.flag())
	_ = cmd.RegisterFlagCompletionFunc("assign", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return r.complete(typed)
	})
}

// complete offers the requests of the directory, behind "=" the accounts.
func (r *requestsFlags) complete(typed string) ([]string, cobra.ShellCompDirective) {
	name, _, named := strings.Cut(typed, "=")
	if named {
		var out []string
		for _, word := range append(component.Words(component.Names()), release.NoAccount) {
			out = append(out, name+"="+word)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	requests, err := release.ReadRequests(r.Dir, r.Preview)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, q := range requests.List {
		out = append(out, q.Name+"=")
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// Resolve reads the directory; nil = none is named.
func (r *requestsFlags) Resolve() (*release.Requests, error) {
	assign, err := command.Pairs("assign", "request=component", r.Assign)
	if err != nil {
		return nil, err
	}
	if r.Dir == "" {
		if len(r.Assign) > 0 || r.Preview {
			return nil, hint.Errorf("add --"+r.flag()+" DIR", "--assign and --enable-tech-preview require --%s", r.flag())
		}
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	requests, err := release.ReadRequests(r.Dir, r.Preview)
	if err != nil {
		return nil, command.BadFlag(r.flag(), "%w", err)
	}
	if err := requests.Assign(assign); err != nil {
		return nil, command.BadFlag("assign", "%w", err)
	}
	return requests, nil
}
