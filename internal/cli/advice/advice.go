// Package advice is what to run next, as data: a table of commands for each finding.
package advice

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Advice makes commands for a specification.
type Advice struct {
	*command.Factory
	Source *command.SourceFlags
	Wanted *spec.Spec         // nil = it is not known whose the accounts are
	Said   command.Invocation // what the commands say as well

	Reached []string // the vCenters that secrets get accounts of; nil = all
}

// Of is advice for the command line of f. Where that names no source, the commands name a file.
func Of(f *command.Factory, source *command.SourceFlags, wanted *spec.Spec) Advice {
	a := Advice{Factory: f, Source: source, Wanted: wanted, Said: f.Said}
	if !source.NamesCluster() {
		a.Said = source.OfFile(f.Said)
	}
	return a
}

type way struct {
	what   string                     // it is for
	about  is                         // those with an account that is so; nil = all
	unless is                         // but those with an account that is so; nil = none
	line   func(Advice, group) string // "" = there is none
}

type is func(Advice, finding.Account) bool

// group is vCenters with accounts of the same components: one command serves them.
type group struct {
	components []component.Name  // none = all
	servers    []string          // none = all
	accounts   []finding.Account // of the finding
}

// ways are the commands that correct findings, least harmful first. Others say it in their text.
var ways = map[finding.Code][]way{
	finding.ExpiringPassword: { // nothing is lost, so there is time for a rotation without a gap
		{"first finish the last rotation: ", replaces, nil, run("rotate finish", "--secrets", "-")},
		{"", nil, nil, run("rotate")},
	},
	finding.ExpiringAdopted: {
		{"to request new ones from their owners: ", nil, nil, run("plan", "--work-order", "order.md")},
		{beforeVerify, nil, nil, run("credentials import", command.FilePlaceholder, "--replace")},
	},
	finding.BegunRotation:     begun,
	finding.AnnouncedRotation: begun,
	finding.AccountGone: {
		{"create it: ", absent, nil, run("apply")},
		{"apply the secrets: ", nil, nil, Advice.renew},
	},
	finding.LostPassword: {
		{elsewhere, nil, nil, run("credentials import", command.FilePlaceholder)},
		{inCluster, nil, nil, run("credentials import", "--secrets", "-")},
		{"to go back to the accounts before, without an outage: ", undoable, nil, run("rotate undo")},
		{nowhere, nil, undoable, Advice.inPlace},
	},
	finding.OutdatedPassword: {
		{elsewhere, nil, nil, run("credentials import", command.FilePlaceholder, "--replace")},
		{inCluster, nil, nil, run("credentials import", "--secrets", "-", "--replace")},
		{nowhere, stays, nil, Advice.inPlace},
		{"or finish the last rotation: ", replaces, stays, run("rotate finish", "--secrets", "-")},
		{"or replace the accounts, without an outage: ", nil, stays, run("rotate")},
	},
	finding.UnfinishedRotation: {
		{stillOpen, undoable, nil, run("rotate undo")},
		{"to finish it", nil, nil, Advice.inPlace},
	},
	finding.InstallConfigDiffers: {
		{"if the credentials file is right: ", nil, nil, Advice.render},
		{"if the install-config is right: ", sameUser, nil, Advice.importGiven},
	},
}

var begun = []way{
	{"to continue: ", nil, disabled, run("rotate")},
	{"it is disabled; to enable it, before rotate continues: ", disabled, nil, run("users enable")},
	{"to go back: ", held, nil, Advice.renew},
	{"to remove it: ", nil, held, run("rotate undo", "--secrets", "-")},
}

// lost are the ways to passwords that the credentials file lacks, if no vCenter was asked.
var lost = []way{
	{"if the accounts do not exist yet: ", nil, nil, run("apply")},
	{inCluster, nil, nil, run("credentials import", "--secrets", "-")},
	{nowhere, nil, nil, Advice.inPlace},
}

// Where passwords may be.
const (
	beforeVerify = "to import them, before verify tests them: "
	stillOpen    = "to keep the passwords of the credentials file where they still open the accounts: "
	elsewhere    = "if another machine set them, import its credentials file: "
	inCluster    = "if a cluster works with them: "
	nowhere      = "if nobody has the passwords"
)

func absent(_ Advice, of finding.Account) bool   { return of.InUse == "" }
func disabled(_ Advice, of finding.Account) bool { return of.Disabled }
func held(_ Advice, of finding.Account) bool     { return len(of.Secrets) > 0 }
func replaces(_ Advice, of finding.Account) bool { return len(of.Earlier) > 0 }
func undoable(_ Advice, of finding.Account) bool { return of.Undo }

// sameUser reports whether an install-config has another password of an account, not another one.
func sameUser(_ Advice, of finding.Account) bool { return spec.SameUser(of.Principal, of.InUse) }

// stays reports whether no rotation replaces it: it is disabled, or the journal has another one.
func stays(a Advice, of finding.Account) bool {
	return of.Undo && len(of.Earlier) == 0 || a.Wanted.Disabled(of.Component)
}

// Fill gives findings the commands that correct them. path is the credentials file; "" = no others.
func (a Advice) Fill(path string, findings []*finding.Finding) {
	for _, f := range findings {
		if f.Code == finding.NoPassword {
			f.Remedies = []string{a.ImportFromOwners(slices.DeleteFunc(component.Names(), func(c component.Name) bool { return !f.Concerns(c) }))}
		}
		if ways[f.Code] == nil { // it has its own
			continue
		}
		f.Remedies = []string{}
		if f.Code == finding.LostPassword && path != "" {
			f.Remedies = a.Found(path, command.Servers(a.Wanted))
		}
		f.Remedies = lists.AppendNew(f.Remedies, lines(a.Steps(f))...)
	}
}

// Step is a command, and what it is for: "" = the next one.
type Step struct{ What, Line string }

// lines are steps as hints.
func lines(steps []Step) (all []string) {
	for _, s := range steps {
		all = append(all, s.What+s.Line)
	}
	return all
}

// Steps are the commands that correct a finding.
func (a Advice) Steps(f *finding.Finding) []Step {
	return a.steps(ways[f.Code], a.groups(f.Accounts, command.Servers(a.Wanted))...)
}

func (a Advice) steps(rows []way, groups ...group) (all []Step) {
	for _, g := range groups {
		has := func(c component.Name, so is) bool {
			return slices.ContainsFunc(g.accounts, func(of finding.Account) bool {
				return of.Component == c && so(a, of)
			})
		}
		for _, w := range rows {
			of := g
			of.components = slices.DeleteFunc(slices.Clone(g.components), func(c component.Name) bool {
				return w.about != nil && !has(c, w.about) || w.unless != nil && has(c, w.unless)
			})
			if len(of.components) == 0 && len(g.components) > 0 {
				continue
			}
			if line := w.line(a, of); line != "" {
				all = append(all, Step{w.what, line})
			}
		}
	}
	return all
}

// groups are the vCenters with accounts. A group of all names none, unless the command line does.
func (a Advice) groups(accounts []finding.Account, servers []string) (groups []group) {
	for _, g := range finding.Groups(accounts, servers) {
		groups = append(groups, group{g.Components, g.Servers, accounts})
	}
	narrowed := len(a.Source.VCenters)+len(a.Said["vcenters"]) > 0
	if !narrowed && len(groups) == 1 && len(groups[0].servers) == len(servers) {
		groups[0].servers = nil
	}
	return groups
}

// run is a command about a group, to which what it reads of the cluster is piped.
func run(name string, own ...string) func(Advice, group) string {
	return func(a Advice, g group) string {
		inv, from, words := a.Said, "", slices.Clone(own)
		if slices.Contains(own, "--secrets") {
			from = openshift.From(a.profile())
		}
		if slices.Contains([]string{"plan", "apply", "rotate", "rotate finish", "rotate undo"}, name) &&
			!slices.Contains(own, "--in-place") {
			inv = a.granting()
		}
		if len(g.components) > 0 {
			words = append(words, "--components", strings.Join(component.Words(g.components), ","))
		}
		if len(g.servers) > 0 {
			words, inv = append(words, "--vcenters", strings.Join(g.servers, ",")), inv.About(g.servers)
		}
		return from + a.CommandLine(name, inv.Without("components", "vcenters"), words...)
	}
}

// granting is the invocation of commands about permissions: they need a file with failure domains.
func (a Advice) granting() command.Invocation {
	if a.Wanted == nil {
		return a.Said
	}
	for _, v := range a.Wanted.VCenters {
		if len(v.FailureDomains) == 0 && len(a.Said["install-config"]) == 0 {
			return a.Said.Without("cluster").With("file", command.FilePlaceholder)
		}
	}
	return a.Said
}

// Granting is the command called name, which makes, removes or compares permissions.
func (a Advice) Granting(name string, own ...string) string {
	return a.Line(name, a.granting(), own...)
}

// render copies the accounts into the install-config: the main account alone, if no other differs.
func (a Advice) render(g group) string {
	return a.Renders(a.Said, !slices.Equal(g.components, []component.Name{component.Installer}))
}

func (a Advice) importGiven(g group) string {
	if a.render(g) == "" {
		return ""
	}
	return a.CommandLine("credentials import", a.Said.Only(command.CredentialsFileFlag),
		"--install-config", a.Said["install-config"][0], "--replace")
}

// profile is that of the specification, or the default.
func (a Advice) profile() string {
	if a.Wanted == nil {
		return spec.DefaultProfile
	}
	return a.Wanted.Profile
}

// inPlace sets new passwords and names who has an outage until the secrets have them.
func (a Advice) inPlace(g group) string {
	profile, _ := openshift.FindProfile(a.profile())
	running := slices.DeleteFunc(component.Words(g.components), func(c string) bool {
		return c == string(component.Installer) && !profile.Shared()
	})
	who := strings.Join(running, ", ")
	switch {
	case len(g.components) == 0:
		who = "every component"
	case who == "": // its own secret does not exist, but kube-system/vsphere-creds may hold it
		who = "whoever works with it"
	}
	return ", with an outage of " + who + " until the new secrets are applied: " +
		run("rotate", "--in-place")(a, g)
}

// renew gives the cluster the existing accounts. Going back to an earlier one is a switch.
func (a Advice) renew(g group) string {
	var back, own []string
	for _, of := range g.accounts {
		account := a.Wanted.Account(of.Component)
		if of.InUse != "" && account.Generation(of.Principal) > account.Generation(of.InUse) &&
			slices.Contains(g.components, of.Component) {
			back = lists.AppendNew(back, string(of.Component))
		}
	}
	if back != nil {
		own = []string{"--switch", strings.Join(back, ",")}
	}
	inv := a.Said.With("components", component.Words(g.components)...)
	return a.Delivery(g.components, inv, own...)
}

// Delivery is the command that gives the cluster the accounts of components; "" = none. Mode,
// --assign, secrets.rootSecret and identities of Cluster API decide which secrets hold them.
func (a Advice) Delivery(of []component.Name, inv command.Invocation, own ...string) string {
	profile, _ := openshift.FindProfile(a.Wanted.Profile)
	of = slices.DeleteFunc(slices.Clone(of), func(c component.Name) bool {
		return !profile.Writes(c) && (!c.OptIn() || !c.InCluster())
	})
	if len(of) == 0 {
		return ""
	}
	return a.Secrets(of, inv, own...)
}

// Secrets is the command that writes the secrets of the cluster with accounts of components.
func (a Advice) Secrets(of []component.Name, inv command.Invocation, own ...string) string {
	inv = inv.Without("vcenters").At(a.Reached) // a secret has the accounts of all
	written := a.Wanted.ComponentNames()
	if len(inv["components"]) > 0 {
		inv, written = inv.With("components", component.Words(of)...), of
	}
	if slices.ContainsFunc(written, a.Wanted.Disabled) { // whose secrets are to be current once enabled
		own = append(own, "--allow", command.AllowDisabled)
	}
	return a.Renews(a.Wanted.Profile, inv, own...)
}
