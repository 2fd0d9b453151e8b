package privileges

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ExportOptions are the flags of `privileges export`.
type ExportOptions struct {
	*command.Factory
	Format   privileges.Format
	Source   command.SourceFlags // without a file, its vCenters are those of the script
	Layout   string
	Prefix   string
	Given    []string // of layout and role-prefix: in place of the file's
	Topology command.TopologyFlags
	Whole    bool // no flag says which rows hold, so tables have all of them
}

// NewCmdExport is the command `privileges export`.
func NewCmdExport(f *command.Factory, runF func(*ExportOptions) error) *cobra.Command {
	o := &ExportOptions{Factory: f, Layout: privileges.LayoutScope, Prefix: spec.DefaultRolePrefix}
	cmd := &cobra.Command{
		Use:   "export --format <format>",
		Short: "Export a matrix as a script that creates the roles, or as a table",
		Long: command.Text(`
			Writes a matrix for people who do not use this tool. govc, powercli, terraform and ansible produce what creates
			the roles, with the same names and privileges as apply; markdown, csv and json produce tables with reasons and
			sources; matrix is a file to edit and use with --matrix. No vCenter is contacted.

			The roles depend on the topology of the failure domains: name the file that has them, or describe one with
			--folder, --pool, --host-groups, --template and --conditions. Tables contain every row unless there is such a
			file or flag. A script makes its roles on all of its vCenters. --format takes the place of -o.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges export --format govc --install-config install-config.yaml > roles.sh
			ocp-vsphere-admin privileges export --format powercli --vcenters vcenter1.example.com,vcenter2.example.com > roles.ps1
			ocp-vsphere-admin privileges export --format terraform --folder created --conditions vsan-file > roles.tf
			ocp-vsphere-admin privileges export --format matrix > my-matrix.yaml`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, exportRun, func(cmd *cobra.Command, _ []string) error {
			o.Whole = !slices.ContainsFunc(append(command.TopologyWords(), append(command.Sources(), "conditions")...), cmd.Flags().Changed)
			for _, name := range []string{"layout", "role-prefix"} {
				if cmd.Flags().Changed(name) {
					o.Given = append(o.Given, name)
				}
			}
			return o.check(cmd)
		}),
	}
	p := cmd.Flags()
	command.RegisterChoice(cmd, &o.Format, "format", "output format", privileges.Formats())
	command.RegisterChoice(cmd, &o.Layout, "layout", "roles per component and scope, or per component",
		[]string{privileges.LayoutScope, privileges.LayoutComponent})
	p.StringVar(&o.Prefix, "role-prefix", o.Prefix, "prefix of every role name")
	_ = p.SetAnnotation("role-prefix", command.TakesEmpty, nil)
	o.Source.RegisterServers(cmd)
	o.Source.NamesOnly = false
	p.Lookup("vcenters").Usage = "vCenters for the script (default: those of the file, or the one in its environment)"
	command.RegisterProfile(cmd, &o.Source.Profile, "how OpenShift reads the credentials, which decides the accounts (default "+spec.DefaultProfile+")")
	command.RegisterComponents(cmd, &o.Source.Components)
	command.RegisterMatrix(cmd, &o.Source.Matrix, &o.Source.Conditions, command.Selectable())
	o.Topology.Register(cmd)
	return cmd
}

func (o *ExportOptions) check(cmd *cobra.Command) error {
	if o.Format == "" {
		return hint.Errorf("add --format with one of: "+strings.Join(component.Words(privileges.Formats()), ", "), "%s: --format is required", command.Spoken(cmd))
	}
	if err := spec.CheckRolePrefix(o.Prefix); err != nil {
		return command.BadFlag("role-prefix", "%w", err)
	}
	if err := command.CheckComponents(o.Source.Components); err != nil {
		return err
	}
	return o.CheckOutput(cmd, "this command takes --format instead", term.Format(o.Format))
}

func exportRun(ctx context.Context, o *ExportOptions) error {
	s, vcenters, err := o.wanted(ctx)
	if err != nil {
		return err
	}
	m, err := privileges.Load(s.Privileges.Matrix)
	if err != nil {
		return err
	}
	out, err := o.export(m, s, vcenters)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(o.Out, out)
	return err
}

// wanted is the specification that decides accounts, and so roles, as for apply, and the vCenters
// of the script. Without a file it is made of flags.
func (o *ExportOptions) wanted(ctx context.Context) (s *spec.Spec, vcenters []privileges.Address, err error) {
	from := o.Source
	if !from.NamesCluster() {
		if vcenters, err = addresses(o.Source.VCenters); err != nil {
			return nil, nil, command.BadFlag("vcenters", "%w", err)
		}
		from.VCenters, from.Components = []string{"unnamed"}, nil // see export
	}
	if s, err = from.Resolve(ctx, o.Factory); err != nil {
		return nil, nil, err
	}
	for _, v := range s.VCenters {
		if from.NamesCluster() {
			vcenters = append(vcenters, privileges.Address{Host: v.Server, Port: v.Port})
		}
	}
	if !from.NamesCluster() || slices.Contains(o.Given, "layout") {
		s.Privileges.RoleLayout = o.Layout
	}
	if !from.NamesCluster() || slices.Contains(o.Given, "role-prefix") {
		s.Privileges.RolePrefix = o.Prefix
	}
	return s, vcenters, nil
}

func (o *ExportOptions) export(m *privileges.Matrix, s *spec.Spec, vcenters []privileges.Address) (string, error) {
	words := o.Source.Components
	if !o.Source.NamesCluster() {
		if of := m.Components(); len(words) == 0 && !slices.ContainsFunc(of, s.Has) { // about others
			s.Components = map[component.Name]spec.Component{}
			for _, c := range of {
				s.Components[c] = spec.Component{}
			}
		}
		if err := s.Narrow(nil, words); err != nil {
			return "", command.BadFlag("components", "%w", err)
		}
	} else if err := s.CheckMatrix(m); err != nil {
		return "", err
	}
	options := privileges.ExportOptions{RoleSetOptions: o.Topology.Assumed(), VCenters: vcenters, Whole: o.Whole}
	options.Holds = s.Conditions(options.Holds)
	options.Components, options.Layout, options.Prefix = s.ComponentNames(), s.Privileges.RoleLayout, s.Privileges.RolePrefix
	if o.Format == privileges.FormatMatrix { // it is about components, not accounts
		if len(words) == 0 {
			options.Components = nil
		}
		return m.Export(o.Format, options)
	}
	if o.Format == privileges.FormatMarkdown {
		profile, _ := openshift.FindProfile(s.Profile)
		options.Gaps = slices.DeleteFunc(Gaps(m, profile, s.Selected(), nil), func(g *privileges.Gap) bool {
			return len(words) > 0 && !slices.Contains(words, string(g.Duty.Component))
		})
	}
	if err := o.roles(&options, m, s); err != nil {
		return "", err
	}
	return s.Fold(m).Export(o.Format, options)
}

// roles are those of the specification's failure domains, or of the one that flags describe.
func (o *ExportOptions) roles(to *privileges.ExportOptions, m *privileges.Matrix, s *spec.Spec) error {
	q := snapshot.NewRequest(snapshot.Request{Spec: s, Matrix: m})
	for _, v := range s.VCenters {
		roles, domains, err := snapshot.Unread(q, v).RoleSet()
		if err != nil {
			return err
		}
		to.Roles, to.Domains = access.Unite(to.Roles, roles...), append(to.Domains, domains...)
	}
	if len(to.Domains) == 0 {
		to.Roles = access.RoleSet(q.Matrix, to.RoleSetOptions)
		return nil
	}
	for _, word := range command.TopologyWords() {
		if o.Said[word] != nil {
			return command.BadFlag(word, "omit it: the failure domains of the file say it")
		}
	}
	return nil
}

// addresses reads names of vCenters. Two may share a host behind a gateway.
func addresses(names []string) ([]privileges.Address, error) {
	var out []privileges.Address
	var errs []error
	for _, name := range names {
		s, err := spec.FromServers([]string{name})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a := privileges.Address{Host: s.VCenters[0].Server, Port: s.VCenters[0].Port}
		if slices.Contains(out, a) {
			errs = append(errs, fmt.Errorf("vCenter %s is named twice", a))
		}
		out = append(out, a)
	}
	return out, errors.Join(errs...)
}

// Gaps are what components with rows in a matrix cannot do with it, with the accounts of a profile,
// under the conditions that hold, on a vCenter that knows the privileges in known (nil = all).
func Gaps(m *privileges.Matrix, p openshift.Profile, holds map[privileges.Condition]bool, known []string) []*privileges.Gap {
	of := slices.DeleteFunc(m.Components(), func(c component.Name) bool { return len(privileges.Duties(c)) == 0 })
	into := map[component.Name]component.Name{}
	for _, c := range of {
		into[c] = p.AccountOf(c)
	}
	return access.Gaps(m.Fold(into, nil),
		privileges.RoleSetOptions{Components: of, Holds: holds, Known: known}, p.AccountOf)
}
