package advice

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Lacking are the components without an account, by vCenter.
type Lacking = map[string][]component.Name

// IfLost are the ways out for components that lack an account on some vCenters. Passwords of
// others' accounts are imported. A section in another case than its vCenter is not lost.
func (a Advice) IfLost(file *credfile.File, servers []string, lacking Lacking) (hints []string) {
	var theirs []component.Name
	var own []finding.Account
	for _, server := range servers {
		missing, other := slices.Clone(lacking[server]), file.OtherCase(server)
		for _, section := range file.Servers() {
			way := "rename section [" + section + "] of " + file.Path() + " to [" + server +
				"]: the installer is case-sensitive"
			if section != other { // it may be of a vCenter that left, or of a former name
				if a.Wanted == nil || slices.Contains(command.Servers(a.Wanted.Whole()), section) {
					continue
				}
				way = "if " + section + " is a former name of " + server + ": " +
					a.CommandLine("credentials rename", a.Said.Without("vcenters"), section, server)
			}
			had := len(missing)
			missing = slices.DeleteFunc(missing, func(c component.Name) bool {
				stored, there := file.Get(section, c)
				return there && (section == other || a.Wanted.Account(c).Generation(stored.User) > 0)
			})
			if len(missing) < had {
				hints = append(hints, way)
			}
		}
		for _, c := range missing {
			if a.Wanted == nil || a.Wanted.Account(c).Ours() {
				own = append(own, finding.Account{Server: server, Component: c})
			} else {
				theirs = lists.AppendNew(theirs, c)
			}
		}
	}
	if len(theirs) > 0 {
		hints = append(hints, a.ImportFromOwners(theirs))
	}
	hints = append(hints, lines(a.steps(lost, a.groups(own, servers)...))...)
	if len(hints) > 0 {
		hints = append(a.Found(file.Path(), servers), hints...)
	}
	return hints
}

// CheckLacking is the error of components that lack an account, with the ways out; nil = none does.
func (a Advice) CheckLacking(of string, file *credfile.File, on []string, lacking Lacking) error {
	var errs []error
	var who []string
	p, _ := openshift.FindProfile(of)
	main := p.Main && !p.Shared()
	for _, server := range on {
		if lack := component.Words(lacking[server]); len(lack) > 0 {
			who = lists.AppendNew(who, lack...)
			errs = append(errs, fmt.Errorf("%s: %w for %s in %s",
				server, openshift.ErrNoAccount, strings.Join(lack, ", "), file.Path()))
			_, has := file.Get(server, component.Installer)
			main = main && has
		}
	}
	if len(errs) == 0 {
		return nil
	}
	hints := a.IfLost(file, on, lacking)
	if main {
		hints = append(hints, "--"+command.MainAccountForFlag+" "+strings.Join(who, ",")+
			" gives the main account in place of theirs, which then needs their privileges")
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}

// CheckOwn refuses to hand over accounts of a credentials file that are another cluster's by their
// names.
func (a Advice) CheckOwn(file *credfile.File, accounts openshift.Accounts) error {
	if a.Wanted == nil {
		return nil
	}
	users, of := a.Wanted.OfOthers(accounts)
	if users == nil {
		return nil
	}
	return hint.Wrap(fmt.Errorf("%s has accounts of cluster %s, and this is %s: %s; nothing was written",
		file.Path(), strings.Join(of, ", "), a.Wanted.Cluster, strings.Join(users, ", ")),
		append(a.Found(file.Path(), command.Servers(a.Wanted)),
			"keep those of "+a.Wanted.Cluster+" in a file of their own: "+
				a.Granting("apply", "--"+command.CredentialsFileFlag, credfile.Apart(file.Path(), a.Wanted.Cluster)),
			"if this cluster works with these: name each as principal in the provisioning file, and that with -f")...)
}

// OverGiven lets accounts of an install-config precede those of a credentials file that is only
// read, and reports differences. Placeholders, and different passwords of one user, are refused.
func (a Advice) OverGiven(file *credfile.File, components []component.Name) error {
	given := a.Source.Accounts
	if a.Wanted == nil || given == nil {
		return nil
	}
	servers := command.Servers(a.Wanted)
	if err := given.CheckFilled(file, servers, components); err != nil {
		return err
	}
	differing := given.Differing(file, servers, components)
	a.Fill("", differing)
	for _, d := range differing {
		if sameUser(a, d.Accounts[0]) {
			return hint.Wrap(errors.New(d.Text), d.Remedies...)
		}
		a.Warnf("%s", d.Text)
		a.Hint(d.Remedies...)
	}
	given.Over(a.Wanted, file)
	return nil
}

// IfNone are the ways out if there is no credentials file, or no account in it.
func (a Advice) IfNone(path string) (hints []string) {
	var all, theirs []component.Name
	if a.Wanted != nil {
		all = a.Wanted.ComponentNames()
		theirs = slices.DeleteFunc(slices.Clone(all), func(c component.Name) bool {
			return a.Wanted.Account(c).Ours()
		})
	}
	if len(theirs) < len(all) || a.Wanted == nil {
		asked := group{component.Of(a.Said["components"]), a.Source.VCenters, nil}
		hints = append(a.Found(path, a.Source.VCenters), lines(a.steps(lost, asked))...)
	}
	if len(theirs) > 0 {
		hints = append(hints, a.ImportFromOwners(theirs))
	}
	return hints
}

// ImportFromOwners imports passwords of accounts that others made, which no rotation changes.
func (a Advice) ImportFromOwners(components []component.Name) string {
	var of []string
	for _, c := range components {
		principal := a.Wanted.Account(c).Principal
		if group := a.Wanted.Account(c).Group; group != nil && *group {
			principal = "a member of " + principal
		}
		of = append(of, string(c)+" ("+principal+")")
	}
	what, from := "the passwords of ", "their owners"
	if len(of) == 1 {
		what, from = "the password of ", "its owner"
	}
	inv := a.Said.Only(command.CredentialsFileFlag)
	return "get " + what + strings.Join(of, ", ") + " from " + from +
		" as a credentials file, and import it: " +
		a.CommandLine("credentials import", inv, command.FilePlaceholder)
}

// Found are hints at other credentials files with accounts of these vCenters.
func (a Advice) Found(path string, servers []string) (hints []string) {
	for _, at := range a.others(path) {
		full, _ := filepath.Abs(at)
		if file, err := credfile.Open(at); err == nil && a.has(file, servers) {
			variable := credfile.Variable
			if ours := command.EnvName(command.CredentialsFileFlag); a.Getenv(ours) != "" { // it counts more
				variable = ours
			}
			hints = append(hints, at+" has accounts of these vCenters; if they are these: --"+
				command.CredentialsFileFlag+" "+script.Word(at)+", or "+script.Export(variable+"="+full))
		}
	}
	return hints
}

// Recorded is another credentials file beside which displaced permissions of the cluster on these
// vCenters are recorded; "" if there is none.
func (a Advice) Recorded(path string, instanceUUIDs []string) string {
	for _, at := range a.others(path) {
		record, err := credfile.OpenDisplaced(at, a.Wanted.Cluster)
		there := func(instance string) bool { return len(record.On(instance)) > 0 }
		if err == nil && slices.ContainsFunc(instanceUUIDs, there) {
			return at
		}
	}
	return ""
}

// others are paths of credentials files, which need not exist: of the specification, beside path and
// the specification, in the working directory, and where the installer looks.
func (a Advice) others(path string) (others []string) {
	dirs := []string{filepath.Dir(path), "."}
	if a.Source.File != "" && a.Source.File != "-" {
		dirs = append(dirs, filepath.Dir(a.Source.File))
	}
	if a.Home != "" {
		dirs = append(dirs, filepath.Join(a.Home, ".vsphere"))
	}
	var paths []string
	if a.Wanted != nil {
		paths = append(paths, credfile.Apart(path, a.Wanted.Cluster))
		if own, err := a.Wanted.CredentialsPath(a.Home); err == nil && a.Wanted.CredentialsFile != "" {
			paths = append(paths, own)
		}
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // one that cannot be read has nothing to find
		for _, e := range entries {
			of, recorded := credfile.OfRecord(e.Name())
			named := recorded || strings.Contains(of, "credentials") || filepath.Ext(of) == ".ini"
			if named && e.Type().IsRegular() && !credfile.IsCompanion(of) {
				paths = append(paths, filepath.Join(dir, of))
			}
		}
	}
	others = []string{path}
	for _, at := range paths {
		if !slices.ContainsFunc(others, func(o string) bool { return command.SameFile(at, o) }) {
			others = append(others, at)
		}
	}
	return others[1:]
}

// has reports whether a file has an account of ours on one of these vCenters; none named = all.
// Without a specification the installer's does not count: administrators' files have it too.
func (a Advice) has(file *credfile.File, servers []string) bool {
	for _, server := range file.Servers() {
		for _, c := range component.Names() {
			of, ok := file.Get(server, c)
			switch {
			case !ok || of.Password.Empty() || len(servers) > 0 && !slices.Contains(servers, server):
			case a.Wanted == nil && c != component.Installer,
				a.Wanted != nil && a.Wanted.Account(c).Ours() && a.Wanted.Account(c).MayBe(of.User):
				return true
			}
		}
	}
	return false
}
