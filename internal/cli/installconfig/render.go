package installconfig

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// RenderOptions are the flags of `install-config render`.
type RenderOptions struct {
	*command.Factory
	Config     string // the word; - for stdin
	File       command.CredentialsFlag
	Profile    string   // "" = the form that the file has, else kube-system
	Components []string // whose accounts are written; none = those of all
	Spec       string   // --file; "" = nothing is known of accounts that are disabled
	Output     output
	Allow      command.Allowed
	MainFor    []string // --main-account-for
}

func newCmdRender(f *command.Factory, runF func(*RenderOptions) error) *cobra.Command {
	o := &RenderOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "render FILE|-",
		Short: "Copy accounts from the credentials file to an install-config.yaml",
		Long: command.Text(`
			Writes the accounts of the credentials file into the install-config. Profiles kube-system and component-scoped
			write componentCredentials in their form; passthrough, manual and --components installer write user and password
			only. A component that -f or --components names and that has no account on a vCenter is an error; with
			kube-system, --main-account-for leaves it the main one.

			` + credfile.MainAccount + `.

			What openshift-install would refuse is an error with its line number. The output contains passwords.`),
		Example: command.Examples(`
			ocp-vsphere-admin install-config render install-config.yaml --out with-accounts.yaml
			ocp-vsphere-admin install-config render install-config.yaml --components installer --in-place`),
		Args: command.OneFile,
		RunE: command.Action(o, runF, Render, func(cmd *cobra.Command, args []string) error {
			o.Config = args[0]
			if err := o.CheckOutput(cmd, "an install-config is YAML", term.FormatYAML); err != nil {
				return err
			}
			return o.Output.check(o.Config)
		}, command.KnownComponents(&o.Components), command.KnownComponents(&o.MainFor)),
	}
	o.File.RegisterAlone(cmd)
	command.RegisterChoice(cmd, &o.Profile, "profile", "format of the accounts (default: the format in FILE, else "+spec.DefaultProfile+")", openshift.ProfileNames())
	command.RegisterComponents(cmd, &o.Components)
	command.RegisterFile(cmd, &o.Spec, "provisioning file: its credentials file, and which accounts it disables")
	o.Output.register(cmd, "the result")
	o.Allow.RegisterDisabled(cmd, "an install-config")
	command.RegisterMainAccountFor(cmd, &o.MainFor)
	return cmd
}

// Render writes the accounts of the credentials file into the install-config.
func Render(ctx context.Context, o *RenderOptions) error {
	config, err := o.ReadInstallConfig(o.Config)
	if err != nil {
		return err
	}
	form, profile := o.form(config), o.Profile
	var wanted *spec.Spec // nil = no provisioning file is named
	if o.Spec != "" {
		if wanted, err = spec.Load(o.Spec); err != nil {
			return err
		}
		profile = cmp.Or(profile, wanted.Profile)
	}
	if err := openshift.CheckOpenShift(profile, "install-config"); err != nil {
		return err
	}
	file, path, err := o.OpenCredentials(o.File, wanted)
	if err != nil {
		return err
	}
	if err := o.checkSame(wanted, config); err != nil {
		return err
	}
	o.Misread(file)
	all := openshift.FromFile(file, config.Servers())
	accounts := all.Only(command.NamedComponents(o.Components, file))
	if accounts.Count() == 0 {
		return noneFor(o, wanted, config, file, path)
	}
	if err := file.CheckFilled(accounts.Only(form.Holds())); err != nil {
		return err
	}
	if err := o.checkLacking(form, wanted, config, accounts, file); err != nil {
		return err
	}
	if err := o.checkOwn(wanted, config, accounts.Only(form.Holds()), file); err != nil {
		return err
	}
	text, warnings, err := config.Render(form, accounts)
	if err != nil {
		return err
	}
	p, _ := openshift.FindProfile(o.Profile)
	o.Warn(append(p.RenderWarnings(accounts), warnings...)...)
	rendered, err := installconfig.Parse(config.Name(), text)
	if err != nil {
		return err
	}
	after := rendered.Accounts()
	disabled := o.Allow.CheckDisabled(o.Factory, wanted, o.Said.Only("file"), func(meant func(user string) bool) []string {
		var fields []string // of the new text, which hold an account
		for _, server := range config.Servers() {
			for _, c := range component.Names() {
				if a, ok := after[server][c]; ok && meant(a.User) {
					fields = append(fields, server+" ("+string(c)+")")
				}
			}
		}
		return fields
	}, command.NoOthers)
	if disabled != nil {
		return disabled
	}
	overwrites := o.Output.InPlace || command.SameFile(o.Output.Out, o.Config)
	if lost := lostUsers(config, all, after); len(lost) > 0 && overwrites {
		return hint.Errorf("'"+command.Program+" install-config extract' saves them in the credentials file; --out writes another file",
			"%s is not overwritten: it has the only copy of the password of %s", o.Config, strings.Join(lost, ", "))
	}
	o.Warnf("the result holds passwords: keep it private, and keep it out of version control")
	if o.Output.none() {
		if err := o.SurePrints(ctx, "--out FILE"); err != nil {
			return err
		}
	}
	return write(o.Factory, o.Output, o.Config, text)
}

func (o *RenderOptions) form(config *installconfig.File) installconfig.AccountFormat {
	if o.Profile == "" && slices.Equal(o.Components, []string{string(component.Installer)}) &&
		config.Form() == installconfig.Passthrough {
		return installconfig.Passthrough // only the main account is written and there
	}
	return config.FormFor(o.Profile)
}

// CheckHolds refuses an install-config into which accounts of components cannot be written, before
// they are made.
func (o *RenderOptions) CheckHolds(config *installconfig.File, components []component.Name) error {
	accounts := openshift.Accounts{}
	for _, server := range config.Servers() {
		accounts[server] = map[component.Name]credfile.Account{}
		for _, c := range components {
			accounts[server][c] = credfile.Account{User: "user@vsphere.local", Password: secret.New("Any-1")}
		}
	}
	_, _, err := config.Render(o.form(config), accounts)
	return err
}

// checkLacking refuses an install-config in which a named component would get the main account.
func (o *RenderOptions) checkLacking(form installconfig.AccountFormat, wanted *spec.Spec,
	config *installconfig.File, accounts openshift.Accounts, file *credfile.File,
) error {
	meant := component.Of(o.Components)
	if wanted != nil && len(meant) == 0 {
		meant = wanted.ComponentNames()
	}
	lacking := map[string][]component.Name{}
	for _, server := range config.Servers() {
		for _, c := range form.Holds() {
			_, here := accounts[server][c]
			_, there := config.Accounts()[server][c]
			chosen := form == installconfig.KubeSystem && slices.Contains(o.MainFor, string(c))
			if !here && !there && !chosen && c != component.Installer && slices.Contains(meant, c) {
				lacking[server] = append(lacking[server], c)
			}
		}
	}
	return o.advice(wanted, config).CheckLacking(string(form), file, config.Servers(), lacking)
}

// checkOwn refuses accounts of another cluster, but those that the install-config names already.
func (o *RenderOptions) checkOwn(wanted *spec.Spec, config *installconfig.File, accounts openshift.Accounts, file *credfile.File) error {
	for server, of := range accounts {
		maps.DeleteFunc(of, func(c component.Name, a credfile.Account) bool {
			return spec.SameUser(config.Accounts()[server][c].User, a.User)
		})
	}
	return o.advice(wanted, config).CheckOwn(file, accounts)
}

// advice is about the provisioning file, else about the install-config.
func (o *RenderOptions) advice(wanted *spec.Spec, config *installconfig.File) advice.Advice {
	a := advice.Of(o.Factory, &command.SourceFlags{File: o.Spec}, wanted)
	if wanted == nil && o.Config != "-" {
		a.Wanted, a.Said = config.Spec(), o.Said.With("install-config", o.Config)
	}
	return a
}

// checkSame refuses the provisioning file of another cluster, and warns of places that differ:
// there the accounts lack permissions.
func (o *RenderOptions) checkSame(wanted *spec.Spec, config *installconfig.File) error {
	of := config.Spec()
	if wanted == nil || of == nil {
		return nil
	}
	differ := o.CommandLine("spec diff", o.Said.Only("file"), "--install-config", o.Config)
	if wanted.Cluster != "" && wanted.Cluster != of.Cluster {
		return hint.Errorf("name the provisioning file of "+of.Cluster+"; to compare them: "+differ,
			"%s is about cluster %s, and %s about %s; nothing was written", o.Spec, wanted.Cluster, o.Config, of.Cluster)
	}
	var fields []string
	for _, d := range config.Differences(wanted) {
		fields = lists.AppendNew(fields, strings.TrimSpace(cmp.Or(d.Domain, d.Server)+" "+d.Field))
	}
	if len(fields) > 0 {
		o.Warnf("%s and %s differ: %s", o.Spec, o.Config, lists.Few(fields))
		o.Hint("to compare them: " + differ)
	}
	return nil
}

// lostUsers are users with a password in the install-config, but not in text or credentials file.
func lostUsers(config *installconfig.File, accounts, after openshift.Accounts) []string {
	var lost []string
	for _, server := range config.Servers() {
		kept := map[string]bool{}
		for _, source := range []openshift.Accounts{accounts, after} {
			for _, a := range source[server] {
				kept[strings.ToLower(a.User)] = true
			}
		}
		for _, c := range component.Names() {
			if a, ok := config.Accounts()[server][c]; ok && !kept[strings.ToLower(a.User)] {
				lost = append(lost, a.User)
			}
		}
	}
	slices.Sort(lost)
	return slices.Compact(lost)
}

// noneFor explains why no account is found; wanted may be nil.
func noneFor(o *RenderOptions, wanted *spec.Spec, config *installconfig.File, file *credfile.File, path string) error {
	servers, of := strings.Join(config.Servers(), ", "), ""
	if len(o.Components) > 0 {
		of = " of " + strings.Join(o.Components, ", ")
	}
	if command.Missing(path) {
		return hint.Wrap(fmt.Errorf("credentials file %s does not exist", path),
			o.advice(wanted, config).IfNone(path)...)
	}
	for _, section := range file.Servers() {
		if i := slices.IndexFunc(config.Servers(), func(s string) bool { return s != section && strings.EqualFold(s, section) }); i >= 0 {
			return hint.Errorf("use the same spelling in both", "%s: section [%s] is not %s: the installer is case-sensitive", path, section, config.Servers()[i])
		}
	}
	return hint.Errorf("'"+command.Program+" credentials import' imports accounts from elsewhere",
		"credentials file %s has no account%s for %s", path, of, servers)
}
