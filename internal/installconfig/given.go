package installconfig

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Given are an install-config's accounts, which precede a credentials file; may be nil.
type Given struct {
	file     *File
	accounts openshift.Accounts // with a user, and perhaps without a password
}

// Load reads an install-config as the specification that it comes to, with its accounts.
func Load(path string) (*spec.Spec, *Given, error) {
	data, err := files.Read(path, files.Text)
	if err != nil {
		return nil, nil, err
	}
	return Specify(path, data, spec.ParseInstallConfig)
}

// Specify is Load of a text; parse reads the rest, and name stands for the path in errors.
func Specify(name string, data []byte, parse func(string, []byte) (*spec.Spec, error)) (*spec.Spec, *Given, error) {
	s, err := parse(name, data)
	if err != nil {
		return nil, nil, err
	}
	f, err := Parse(name, data)
	if err != nil {
		return nil, nil, err
	}
	g := f.Given()
	s.NameAccounts(g.users())
	return s, g, nil
}

// Given are the accounts of the file, without vCenter's default administrator and placeholders.
func (f *File) Given() *Given {
	g := &Given{f, openshift.Accounts{}}
	for _, e := range f.entries {
		g.accounts[e.server] = map[component.Name]credfile.Account{}
		if !strings.EqualFold(strings.SplitN(e.main.user, "@", 2)[0], "administrator") {
			g.add(e.server, component.Installer, e.main)
		}
		for _, m := range f.form.members() {
			g.add(e.server, m.component, e.components[m.name])
		}
	}
	return g
}

func (g *Given) add(server string, c component.Name, a account) {
	of := credfile.Account{User: a.user, Password: a.password}
	unfilled := of.Unfilled()
	if slices.Contains(unfilled, passwordField) {
		of.Password = secret.Secret{}
	}
	if a.user != "" && !slices.Contains(unfilled, userField) {
		g.accounts[server][c] = of
	}
}

func (g *Given) users() map[string]map[component.Name]string {
	all := map[string]map[component.Name]string{}
	for server, of := range g.accounts {
		all[server] = map[component.Name]string{}
		for c, a := range of {
			all[server][c] = a.User
		}
	}
	return all
}

// Spec is the specification that the file comes to, without its accounts; nil if it is none.
func (f *File) Spec() *spec.Spec {
	s, err := spec.ParseServers(f.name, f.data)
	if err != nil {
		return nil
	}
	return s
}

// Differences are between the file and another specification of its cluster; none if it is no
// whole one.
func (f *File) Differences(other *spec.Spec) []spec.Difference {
	s, err := spec.ParseInstallConfig(f.name, f.data)
	if err != nil {
		return nil
	}
	return spec.Differences(s, other)
}

// Named are the accounts of components that only this file names: without it, a command would use
// the names that it gives. A stripped file keeps the main account. Nil if it is no specification.
func (f *File) Named() (users []string) {
	s := f.Spec()
	if s == nil {
		return nil
	}
	given := f.Given()
	for _, e := range f.entries {
		for _, c := range component.Names() {
			if a, ok := given.accounts[e.server][c]; ok && c != component.Installer && !s.Account(c).MayBe(a.User) {
				users = lists.AppendNew(users, a.User)
			}
		}
	}
	return users
}

// Get is the account of a component on a vCenter, with a password.
func (g *Given) Get(server string, c component.Name) (credfile.Account, bool) {
	if g == nil {
		return credfile.Account{}, false
	}
	a, ok := g.accounts[server][c]
	return a, ok && !a.Password.Empty()
}

// Name is that of the file; "" = there is none.
func (g *Given) Name() string {
	if g == nil {
		return ""
	}
	return g.file.name
}

// CheckFilled refuses placeholders of components, unless file, which may be nil, has the real
// values. No components are all of them.
func (g *Given) CheckFilled(file *credfile.File, servers []string, components []component.Name) error {
	if g == nil {
		return nil
	}
	asked := openshift.Accounts{}
	for server, of := range g.file.Accounts() {
		asked[server] = map[component.Name]credfile.Account{}
		for c, a := range of {
			stored, ok := credfile.Account{}, false
			if file != nil {
				stored, ok = file.Get(server, c)
			}
			filled := ok && len(stored.Unfilled()) == 0 &&
				(slices.Contains(a.Unfilled(), userField) || spec.SameUser(a.User, stored.User))
			if slices.Contains(servers, server) &&
				(len(components) == 0 || slices.Contains(components, c)) && !filled {
				asked[server][c] = a
			}
		}
	}
	return g.file.CheckFilled(asked)
}

// Works is a component's account on a vCenter of a specification: the install-config's, else the
// credentials file's. After a rotation, the next generation in the credentials file counts.
func (g *Given) Works(s *spec.Spec, file *credfile.File, server string, c component.Name) (credfile.Account, bool) {
	filed, ok := file.Get(server, c)
	of := s.At(server).Account(c)
	if a, given := g.Get(server, c); given && of.MayBe(a.User) &&
		of.Generation(filed.User) <= of.Generation(a.User) &&
		!(spec.SameUser(a.User, filed.User) && a.Password.Equal(filed.Password)) {
		return a, true
	}
	return filed, ok
}

// Refused finds what openshift-install refuses of the file's topology, and accounts do not need.
func (g *Given) Refused() (found []*finding.Finding) {
	if g == nil {
		return nil
	}
	for _, err := range g.file.reader(g.file.checkPlaces).Problems() {
		found = append(found, finding.New(finding.InstallConfigRefused, "", "%v", err))
	}
	return found
}

// Lacks reports whether the install-config lacks accounts of file, or has others. Without accounts
// of components, only the main account counts: openshift-install reads the others from file.
func (g *Given) Lacks(file *credfile.File, s *spec.Spec) (lacks, components bool) {
	if g == nil || file == nil {
		return false, false
	}
	for _, of := range g.accounts {
		_, main := of[component.Installer]
		components = components || len(of) > 1 || len(of) == 1 && !main
	}
	for _, vc := range s.VCenters {
		for _, c := range s.ComponentNames() {
			filed, ok := file.Get(vc.Server, c)
			a := g.accounts[vc.Server][c]
			differs := !spec.SameUser(a.User, filed.User) || !a.Password.Equal(filed.Password)
			lacks = lacks || ok && differs && (components || c == component.Installer)
		}
	}
	return lacks, components
}

// Over makes file, which is only read, answer like [Given.Works] for a whole specification.
func (g *Given) Over(s *spec.Spec, file *credfile.File) { g.overlay(s, file, false) }

// Beside is Over where what the file has of the same user counts: a rotation has set its password.
func (g *Given) Beside(s *spec.Spec, file *credfile.File) { g.overlay(s, file, true) }

func (g *Given) overlay(s *spec.Spec, file *credfile.File, filed bool) {
	if g == nil {
		return
	}
	over := openshift.Accounts{}
	for server, of := range g.accounts {
		over[server] = map[component.Name]credfile.Account{}
		for c, given := range of {
			a, ok := g.Works(s, file, server, c)
			if stored, has := file.Get(server, c); filed && has && spec.SameUser(given.User, stored.User) {
				a = stored
			}
			if ok {
				over[server][c] = a
			}
		}
	}
	file.Overlay(over)
}

// Differing finds other accounts, or other passwords, in file than in the install-config: one
// finding for each kind. It names both, without passwords.
func (g *Given) Differing(file *credfile.File, servers []string, components []component.Name) []*finding.Finding {
	if g == nil || file == nil {
		return nil
	}
	users, passwords := &differences{}, &differences{}
	for _, server := range servers {
		for _, c := range component.Names() {
			a, given := g.accounts[server][c]
			b, stored := file.Get(server, c)
			if !given || !stored || len(components) > 0 && !slices.Contains(components, c) {
				continue
			}
			of := finding.Account{Server: server, Component: c, Principal: a.User, InUse: b.User}
			switch {
			case !spec.SameUser(a.User, b.User):
				users.add(fmt.Sprintf("%s and %s for %s", a.User, b.User, c), of)
			case !a.Password.Empty() && !b.Password.Empty() && !a.Password.Equal(b.Password):
				passwords.add(a.User, of)
			}
		}
	}
	return slices.Concat(
		users.finding("%s and %s name different accounts: %s: openshift-install uses those of the install-config", g.file.name, file.Path()),
		passwords.finding("%s and %s have different passwords of %s: openshift-install uses those of the install-config", g.file.name, file.Path()),
	)
}

// differences are told by what they are, with the vCenters that have the same together.
type differences struct {
	texts    []string
	servers  map[string][]string // by text
	accounts []finding.Account
}

func (d *differences) add(text string, of finding.Account) {
	if d.servers == nil {
		d.servers = map[string][]string{}
	}
	d.texts = lists.AppendNew(d.texts, text)
	d.servers[text] = append(d.servers[text], of.Server)
	d.accounts = append(d.accounts, of)
}

// finding is none without differences; they are the last of the words that format takes.
func (d *differences) finding(format string, words ...any) []*finding.Finding {
	if len(d.texts) == 0 {
		return nil
	}
	var places []string
	same := map[string][]string{} // texts by the vCenters that have them
	for _, text := range d.texts {
		on := strings.Join(d.servers[text], ", ")
		places = lists.AppendNew(places, on)
		same[on] = append(same[on], text)
	}
	for i, on := range places {
		places[i] = strings.Join(same[on], ", ") + " on " + on
	}
	f := finding.New(finding.InstallConfigDiffers, "", format, append(words, strings.Join(places, "; "))...)
	f.Accounts = d.accounts
	return []*finding.Finding{f}
}
