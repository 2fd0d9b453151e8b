package credentials

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ResolveOptions are the flags of `credentials resolve`.
type ResolveOptions struct {
	*command.Factory
	File       command.CredentialsFlag
	Source     command.SourceFlags
	Components []string
}

type resolutionView struct {
	command.Header
	Sources  []sourceView          `json:"sources"`  // by precedence
	Problems []string              `json:"problems"` // lines of the credentials file that cannot be read
	VCenters []resolvedVCenterView `json:"vcenters"`
}

type sourceView struct {
	Origin installconfig.Origin `json:"origin"`
	Path   string               `json:"path"`
	State  string               `json:"state"` // read, not read, does not exist, not given
}

type resolvedVCenterView struct {
	Server     string         `json:"server"`
	Components []resolvedView `json:"components"`
}

type resolvedView struct {
	Component  component.Name       `json:"component"`
	User       string               `json:"user"`
	Password   string               `json:"password"` // a placeholder; empty = none
	Origin     installconfig.Origin `json:"origin"`
	From       string               `json:"from"` // the file, empty where it is not at hand
	Overridden []overriddenView     `json:"overridden"`
	Note       string               `json:"note"`
}

type overriddenView struct {
	Origin installconfig.Origin `json:"origin"`
	From   string               `json:"from"`
	User   string               `json:"user"`
	Why    string               `json:"why"`
	// Conflict: another account than the one in use, or another password.
	Conflict bool `json:"conflict"`
}

func newCmdResolve(f *command.Factory, runF func(*ResolveOptions) error) *cobra.Command {
	o := &ResolveOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "resolve",
		Short: "Show which account each component will get, and why",
		Long: command.Text(`
			Follows the precedence of openshift-install for each component on each vCenter: componentCredentials of the
			install-config, then one credentials file (that of ` + credfile.Variable + `, or of credentialsFile in a
			provisioning file, or ~/.vsphere/credentials), then the shared account: user and password of the install-config.
			If the provisioning file has a profile other than kube-system, the credentials file is not read at all.

			` + credfile.MainAccount + `.

			IGNORED lists what differs from the account that is used and gives way to it; -o json has all that is
			ignored. For misspelled keys and sections the likely name is suggested. Exit code 2 if a component gets no
			account or an empty one, or a line of the credentials file cannot be read.`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials resolve --install-config install-config.yaml
			ocp-vsphere-admin credentials resolve --components csi-driver -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, resolveRun, command.KnownComponents(&o.Components)),
	}
	o.File.Register(cmd)
	o.Source.RegisterServers(cmd)
	command.RegisterComponents(cmd, &o.Components)
	return cmd
}

func resolveRun(ctx context.Context, o *ResolveOptions) error {
	var wanted *spec.Spec // what a provisioning file or an Infrastructure says
	var err error
	if o.Source.File != "" || o.Source.Infrastructure != "" {
		if wanted, err = o.Source.Resolve(ctx, o.Factory); err != nil {
			return err
		}
		if err := openshift.CheckOpenShift(wanted.Profile, "installer"); err != nil {
			return err
		}
	}
	sources, view, err := o.sources(wanted)
	if err != nil {
		return err
	}
	var named []string // of a provisioning file, with its profile, or of the installer
	if wanted != nil {
		sources.Form, named = sources.Config.FormFor(wanted.Profile), command.Servers(wanted)
	} else if named, err = command.NarrowServers(sources.Servers(), o.Source.VCenters); err != nil {
		return err
	}
	if len(named) == 0 {
		return hint.Errorf("set --install-config", "%s has no account, so no vCenter is known", sources.File.Path())
	}
	bare, empty, unread := 0, 0, false
	lack := map[string][]component.Name{}
	for _, server := range named {
		vc := resolvedVCenterView{server, []resolvedView{}}
		for _, c := range command.NamedComponents(o.Components, sources.File) {
			r := sources.Resolve(server, c)
			if r.Step == installconfig.OriginNone {
				bare++
				if c != component.Installer { // its account is in the install-config
					lack[server] = append(lack[server], c)
				}
			}
			if r.Empty {
				empty++
			}
			unread = unread || r.Unread
			vc.Components = append(vc.Components, viewOf(r))
		}
		view.VCenters = append(view.VCenters, vc)
	}
	if err := o.Table(view, func() *term.Table { return resolutionTable(view) }); err != nil {
		return err
	}
	o.ignored(sources)
	if unread {
		o.Infof("%s", credfile.MainAccount)
		if renders := o.Renders(o.Said, false); renders != "" {
			o.Hint("to put it into a copy: " + renders)
		}
	}
	if bare > 0 {
		o.Infof("%s without an account: the installer would reject the install-config",
			term.Count(bare, "component"))
		o.Hint(advice.Of(o.Factory, &o.Source, wanted).IfLost(sources.File, named, lack)...)
	}
	if empty > 0 {
		o.Infof("%s with an empty user or password: their logins fail", term.Count(empty, "component"))
	}
	placeholders := o.placeholders(sources, named)
	if n := len(view.Problems); n > 0 {
		o.Infof("the installer would reject the credentials file: %s", term.Count(n, "problem"))
	}
	if bare+empty+placeholders+len(view.Problems) > 0 {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

// placeholders names the accounts of the install-config that are not filled in, and counts them.
func (o *ResolveOptions) placeholders(sources installconfig.Sources, servers []string) int {
	if sources.Config == nil {
		return 0
	}
	lines := command.ErrorLines(sources.Config.Given().CheckFilled(nil, servers,
		command.NamedComponents(o.Components, nil)))
	for _, line := range lines {
		o.Infof("%s", line)
	}
	if renders := o.Renders(o.Said, true); renders != "" && len(lines) > 0 {
		o.Hint("to put those of the credentials file into a copy: " + renders)
	}
	return len(lines)
}

// sources opens what the installer would, with the credentials file of a specification.
func (o *ResolveOptions) sources(wanted *spec.Spec) (installconfig.Sources, resolutionView, error) {
	view := resolutionView{Header: command.NewHeader("CredentialResolution"), Problems: []string{}}
	s := installconfig.Sources{}
	state := "not given"
	if o.Source.InstallConfig != "" {
		config, err := o.ReadInstallConfig(o.Source.InstallConfig)
		if err != nil {
			return s, view, err
		}
		o.WarnRefusals(config)
		s.Config, state = config, "read"
	}
	view.Sources = append(view.Sources, sourceView{installconfig.OriginConfig, o.Source.InstallConfig, state})
	path, from, err := o.CredentialsPath(o.File, wanted)
	if err != nil {
		return s, view, err
	}
	s.From = from
	file, faults, err := credfile.OpenLenient(path) // unreadable lines are problems
	if err != nil {
		return s, view, err
	}
	o.Warn(file.Warnings()...)
	for _, fault := range faults {
		o.Warnf("%s", fault)
		view.Problems = append(view.Problems, fault.Error())
	}
	state = "read"
	switch {
	case command.Missing(path) && s.Config == nil && wanted == nil: // no other source names a vCenter
		return s, view, notThere(path, from)
	case command.Missing(path):
		state = "does not exist"
		o.Infof("%s does not exist", path)
	}
	o.Misread(file)
	s.File = file
	view.Sources = append(view.Sources, sourceView{s.From, path, state})
	if s.From != installconfig.OriginDefault && o.Home != "" {
		if other := filepath.Join(o.Home, ".vsphere", "credentials"); other != path && !command.Missing(other) {
			view.Sources = append(view.Sources, sourceView{installconfig.OriginDefault, other, "not read"})
			if s.Unread, err = credfile.Open(other); err != nil {
				s.Unread = nil // it is not read, so it is no matter that it cannot be
			}
		}
	}
	return s, view, nil
}

// ignored names the sections of no vCenter of the install-config.
func (o *ResolveOptions) ignored(s installconfig.Sources) {
	if s.Config == nil {
		return
	}
	for _, section := range s.File.Servers() {
		if !slices.Contains(s.Config.Servers(), section) {
			o.Infof("note: section [%s] of %s is ignored: %s lists no such vCenter%s", section,
				s.File.Path(), s.Config.Name(),
				credfile.Meant(section, lists.Without(s.Config.Servers(), s.File.Servers())))
		}
	}
}

func viewOf(r installconfig.Resolved) resolvedView {
	v := resolvedView{Component: r.Component, User: r.Account.User, Origin: r.Step, From: r.From, Overridden: []overriddenView{}, Note: r.Why}
	if !r.Account.Password.Empty() {
		v.Password = r.Account.Password.String()
	}
	for _, c := range r.Overridden {
		v.Overridden = append(v.Overridden,
			overriddenView{c.Step, c.From, c.User, c.Why, slices.Contains(r.Conflicts, c.Step)})
	}
	return v
}

// resolutionTable has a row per component, with what is overridden, or what is not used and why.
func resolutionTable(v resolutionView) *term.Table {
	t := term.NewTable("vcenter", "component", "user", "from", "ignored")
	for _, vc := range v.VCenters {
		for _, c := range vc.Components {
			var over []string
			for _, p := range c.Overridden {
				switch {
				case p.Conflict && strings.EqualFold(p.User, c.User):
					over = append(over, fmt.Sprintf("another password in %s: %s", p.Origin, p.Why))
				case p.Conflict:
					over = append(over, fmt.Sprintf("%s of %s: %s", p.User, p.Origin, p.Why))
				case c.User == "" && p.User != "" &&
					p.Origin != installconfig.OriginShared && c.Component != component.Installer:
					over = append(over, fmt.Sprintf("note: %s of %s is not used: %s", p.User, p.Origin, p.Why))
				}
			}
			if c.Note != "" {
				over = append(over, "note: "+c.Note)
			}
			t.Row(vc.Server, c.Component, c.User, c.Origin, term.Lines(over))
		}
	}
	return t
}
