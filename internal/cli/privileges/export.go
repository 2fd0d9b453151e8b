package privileges

import (
	"cmp"
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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ExportOptions are the flags of `privileges export`.
type ExportOptions struct {
	*command.Factory
	Format     privileges.Format
	Matrix     string
	Layout     string
	Prefix     string
	Profile    string
	VCenters   []string
	Components []string // empty = all
	Conditions []string
	Topology   command.TopologyFlags
	Whole      bool // no flag says which rows hold, so tables have all of them
}

// NewCmdExport is the command `privileges export`.
func NewCmdExport(f *command.Factory, runF func(*ExportOptions) error) *cobra.Command {
	o := &ExportOptions{Factory: f, Layout: privileges.LayoutScope, Prefix: spec.DefaultRolePrefix, Profile: spec.DefaultProfile}
	cmd := &cobra.Command{
		Use:   "export --format <format>",
		Short: "Export a matrix as a script that creates the roles, or as a table",
		Long: command.Text(`
			Writes a matrix for people who do not use this tool. govc, powercli, terraform and ansible produce what creates
			the roles, with the same names and privileges as apply; markdown, csv and json produce tables with reasons and
			sources; matrix is a file to edit and use with --matrix. No vCenter is contacted.

			The roles depend on the topology of the failure domain: describe it with --folder, --pool, --host-groups,
			--template and --conditions. Tables contain every row unless one of these flags is given. --format takes the
			place of -o.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges export --format govc --vcenters vcenter1.example.com,vcenter2.example.com > roles.sh
			ocp-vsphere-admin privileges export --format terraform --folder created --conditions vsan-file > roles.tf
			ocp-vsphere-admin privileges export --format matrix > my-matrix.yaml`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, exportRun, func(cmd *cobra.Command, _ []string) error {
			o.Whole = !slices.ContainsFunc([]string{"conditions", "folder", "pool", "host-groups", "template"}, cmd.Flags().Changed)
			return o.check(cmd)
		}),
	}
	p := cmd.Flags()
	command.RegisterChoice(cmd, &o.Format, "format", "output format", privileges.Formats())
	command.RegisterChoice(cmd, &o.Layout, "layout", "roles per component and scope, or per component",
		[]string{privileges.LayoutScope, privileges.LayoutComponent})
	command.RegisterProfile(cmd, &o.Profile, "how OpenShift reads the credentials, which decides the accounts")
	p.StringVar(&o.Prefix, "role-prefix", o.Prefix, "prefix of every role name")
	_ = p.SetAnnotation("role-prefix", command.TakesEmpty, nil)
	p.StringSliceVar(&o.VCenters, "vcenters", nil,
		"vCenters for the script (default: the one in its environment)")
	command.RegisterComponents(cmd, &o.Components)
	command.RegisterMatrix(cmd, &o.Matrix, &o.Conditions, command.Selectable())
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
	if err := command.CheckComponents(o.Components); err != nil {
		return err
	}
	o.Matrix = cmp.Or(o.Matrix, spec.DefaultMatrix)
	return o.CheckOutput(cmd, "this command takes --format instead", term.Format(o.Format))
}

func exportRun(_ context.Context, o *ExportOptions) error {
	m, err := privileges.Load(o.Matrix)
	if err != nil {
		return err
	}
	out, err := o.export(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(o.Out, out)
	return err
}

// export is the text. The specification decides accounts, and so roles, as for apply.
func (o *ExportOptions) export(m *privileges.Matrix) (string, error) {
	if _, err := privileges.ParseConditions(o.Conditions); err != nil {
		return "", command.BadFlag("conditions", "%w", err)
	}
	vcenters, err := addresses(o.VCenters)
	if err != nil {
		return "", command.BadFlag("vcenters", "%w", err)
	}
	options := privileges.ExportOptions{RoleSetOptions: o.Topology.Assumed(), VCenters: vcenters, Whole: o.Whole}
	s, err := spec.FromServers([]string{"unnamed"}) // for its profile; the scripts name their own
	if err != nil {
		return "", err
	}
	s.Profile = o.Profile
	if of := m.Components(); len(o.Components) == 0 && !slices.ContainsFunc(of, s.Has) { // about others
		s.Components = map[component.Name]spec.Component{}
		for _, c := range of {
			s.Components[c] = spec.Component{}
		}
	}
	if err := s.Narrow(nil, o.Components); err != nil {
		return "", command.BadFlag("components", "%w", err)
	}
	s.Privileges.Conditions = o.Conditions
	options.Holds = s.Conditions(options.Holds)
	options.Components, options.Layout, options.Prefix = s.ComponentNames(), o.Layout, o.Prefix
	if o.Format == privileges.FormatMatrix { // it is about components, not accounts
		if len(o.Components) == 0 {
			options.Components = nil
		}
		return m.Export(o.Format, options)
	}
	if o.Format == privileges.FormatMarkdown {
		profile, _ := openshift.FindProfile(o.Profile)
		options.Gaps = slices.DeleteFunc(Gaps(m, profile, s.Selected(), nil), func(g *privileges.Gap) bool {
			return len(o.Components) > 0 && !slices.Contains(o.Components, string(g.Duty.Component))
		})
	}
	m = s.Fold(m)
	options.Roles = access.RoleSet(m, options.RoleSetOptions)
	return m.Export(o.Format, options)
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
