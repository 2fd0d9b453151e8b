package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// heldInstead is the error for an account in the credentials file that is not the specification's.
func (e *Snapshots) heldInstead(s *snapshot.Snapshot, c component.Name, user string, held credfile.Account) error {
	err := fmt.Errorf("%s: %s already holds %s for %s, not %s", s.VCenter.Server,
		e.Request.Credentials.Path(), held.User, c, user)
	name, _, _ := strings.Cut(held.User, "@")
	if s.Compared(name, c).Ours() {
		return hint.Wrap(err, "it is this cluster's, of another accounts.username: name it so again, or keep the new accounts in a file of their own: "+otherFile)
	}
	return hint.Wrap(err, e.asFiled(s)...)
}

// otherFile says how to name another credentials file.
const otherFile = "credentialsFile in the specification, or " + credfile.Variable + "=FILE"

// asFiled says how to go on beside a vCenter's accounts in the credentials file.
func (e *Snapshots) asFiled(s *snapshot.Snapshot) []string {
	return AsFiled(e.Request, e.Request.Credentials, e.instead(s))
}

// Principal is the field of a provisioning file that makes a component use an existing account.
func Principal(c component.Name, user string) string {
	return "components." + string(c) + ".principal: " + user
}

// AsFiled says how to go on beside accounts that are in the credentials file and not in the
// specification: with another file, which is all if they are another cluster's, or with them,
// through the install-config or these fields of a provisioning file.
func AsFiled(q *snapshot.Request, file *credfile.File, has []finding.Account) (ways []string) {
	other := otherFile
	if q.Repeat != nil {
		other = q.Repeat("--credentials-file", credfile.Apart(file.Path(), q.Spec.Cluster))
	}
	var fields []string
	for _, a := range has {
		if of := q.Spec.AnotherCluster(a.Component, a.Principal); of != "" {
			return []string{"these are accounts of cluster " + of + ": keep those of " + q.Spec.Cluster + " in a file of their own: " + other}
		}
		fields = lists.AppendNew(fields, Principal(a.Component, a.Principal))
	}
	switch {
	case len(fields) == 0:
	case q.Renders == "":
		ways = append(ways, "to use the accounts of that file as they are, in the provisioning file: "+strings.Join(fields, ", ")+" (list the other components too: once components is there, it names all)")
	default:
		for _, server := range q.Servers() { // else the command reports them
			_, given := q.Given.Get(server, component.Installer)
			if _, ok := file.Get(server, component.Installer); !ok && !given {
				ways = append(ways, "add section ["+server+"] to that file, with user and password of the main account, which openshift-install needs")
			}
		}
		ways = append(ways, "to use the accounts of that file as they are, put them into a copy of the install-config, and name the copy with --install-config: "+q.Renders)
	}
	return append(ways, "if they are another cluster's, keep this one's in a file of their own: "+other)
}

// filed returns the account that the credentials file has on a vCenter in place of ours.
func (e *Snapshots) filed(s *snapshot.Snapshot, c component.Name) (credfile.Account, bool) {
	held, ok := e.Request.Credentials.Get(s.VCenter.Server, c)
	return held, ok && s.Owns(c) && !s.Request.Spec.Account(c).MayBe(held.User)
}

// instead returns all accounts that the credentials file has on a vCenter in place of ours.
func (e *Snapshots) instead(s *snapshot.Snapshot) (has []finding.Account) {
	for _, c := range s.Request.Spec.ComponentNames() {
		if held, ok := e.filed(s, c); ok {
			has = append(has, finding.Account{Component: c, Principal: held.User})
		}
	}
	return has
}

// checkFiled refuses to create accounts while another vCenter's stored ones belong to another.
func (d *Decision) checkFiled(s *snapshot.Snapshot) error {
	if d.filedElsewhere == nil {
		d.filedElsewhere = []*snapshot.Snapshot{}
		for _, other := range d.Read.All {
			if other.Err == nil && other.SSO != nil && other.SSO.Users != nil && len(d.Read.instead(other)) > 0 {
				d.filedElsewhere = append(d.filedElsewhere, other)
			}
		}
	}
	i := slices.IndexFunc(d.filedElsewhere, func(other *snapshot.Snapshot) bool { return other != s })
	if i < 0 {
		return nil
	}
	other := d.filedElsewhere[i]
	has := d.Read.instead(other)
	return hint.Wrap(fmt.Errorf("%s: no account is created here while %s holds %s for %s on %s, which the specification does not name",
		s.VCenter.Server, d.Request.Credentials.Path(), has[0].Principal, has[0].Component,
		other.VCenter.Server), d.Read.asFiled(other)...)
}

// insteadOf says how to continue where accounts that this tool did not create have the names it
// needs: use them, choose other names, or remove what the enhancement's script left.
func (v *VCenterPlan) insteadOf(wants []sso.Want) (ways []string) {
	var adopt, fields, removals []string
	for _, w := range wants {
		c := sso.Compare(w, v.At.SSO)
		if c.User == nil || !c.Foreign {
			continue
		}
		if _, _, ours := sso.ParseMark(c.User.Description); ours { // another cluster's is refused as a principal
			continue
		}
		ways = append(ways, v.At.MarkBack(w.Component, *c.User)...)
		principal := w.Name + "@" + v.At.SSO.Domain
		adopt = append(adopt, string(w.Component)+"="+principal)
		fields = append(fields, Principal(w.Component, principal))
		if c.User.Description == "" && v.At.Perms != nil &&
			len(v.At.PermissionsOf(access.Principal{Name: principal})) == 0 {
			removals = append(removals, "if the enhancement's script left it and nobody uses it, remove it on "+v.At.VCenter.Server+": "+script.Line("govc", "sso.user.rm", w.Name))
		}
	}
	config := v.At.Request.Given.Name()
	if config == "stdin" { // stdin has been read by now
		config = "FILE"
	}
	switch {
	case adopt == nil:
		return []string{"choose other names with accounts.username"}
	case ways != nil: // otherwise all of them would have to be replaced
	case v.At.Request.Given != nil:
		ways = []string{
			"to use what exists as it is: " + v.At.Request.Command("init", "--install-config", config,
				"--no-input", "--adopt", strings.Join(adopt, ",")),
			"or choose other names with accounts.username, in that file",
		}
	default:
		ways = []string{"choose other names with accounts.username"}
		for _, f := range fields {
			ways = append(ways, "or use it as it is: "+f+" (list the other components too: once components is there, it names all)")
		}
	}
	return append(ways, removals...)
}

// unnamed returns components with stored accounts of this cluster, by servers not specified.
func (e *Snapshots) unnamed() map[string][]component.Name {
	found := e.Request.LeftEntries()
	for _, s := range e.All {
		for _, name := range s.OtherSections() {
			delete(found, name)
		}
	}
	return found
}

// renamed finds vCenters whose accounts the credentials file has under another name.
func (e *Snapshots) renamed() (all []*finding.Finding) {
	found := e.Request.LeftEntries()
	for _, s := range e.All {
		for _, name := range s.OtherSections() {
			f := finding.New(finding.RenamedVCenter, "", "%s (%s has accounts of this cluster for %s: %s)",
				sameAs(s, name), e.Request.Credentials.Path(), name, strings.Join(component.Words(found[name]), ", "))
			for _, c := range e.Request.Spec.ComponentNames() {
				if s.Err == nil && s.Owns(c) && e.lost(s, c) && e.Request.Stored(name, s.Principal(c), c) {
					f.Severity = finding.Error
					f.Accounts = append(f.Accounts,
						finding.Account{Server: s.VCenter.Server, Component: c, Principal: s.Principal(c)})
				}
			}
			if f.Severity == finding.Error {
				f.Text += ", and " + many(f, "the password of an account is",
					"the passwords of %d accounts are") + " only there"
			} else {
				f.About(s.VCenter.Server, "")
			}
			f.Remedies = renames(s, name)
			all = append(all, f)
		}
	}
	return all
}

// sameAs says that a server is, or may be, another name of a vCenter.
func sameAs(s *snapshot.Snapshot, server string) string {
	if slices.Contains(s.Names, server) {
		return server + " and " + s.VCenter.Server + " are two names of one vCenter"
	}
	return server + " does not answer, and may be an earlier name of " + s.VCenter.Server
}

// renames says how to move the credentials file to one name of a vCenter.
func renames(s *snapshot.Snapshot, server string) []string {
	command := s.Request.Command("credentials rename", server, s.VCenter.Server)
	if slices.Contains(s.Names, server) {
		return []string{command}
	}
	return []string{"if it is: " + command, "if it was another vCenter, which no longer exists: remove section [" + server + "] from " + s.Request.Credentials.Path() + " by hand"}
}

// checkNames refuses to change or remove accounts that the credentials file also has under another
// name of their vCenter. An uncertain name stops only a complete removal.
func (d *Decision) checkNames(s *snapshot.Snapshot, takes bool) error {
	others := s.OtherSections()
	if !takes || len(others) == 0 {
		return nil
	}
	found := d.Request.LeftEntries()
	for _, server := range others {
		if (d.Request.Undoing || slices.Contains(s.Names, server)) &&
			(d.Request.Prune || slices.ContainsFunc(found[server], d.Request.Spec.Has)) {
			return hint.Wrap(fmt.Errorf("%s: %s, and %s has accounts for %s: the cluster may use them under either name; nothing was done",
				s.VCenter.Server, sameAs(s, server), d.Request.Credentials.Path(), server),
				append(renames(s, server), "if the cluster knows it as "+server+": name it so in the specification")...)
		}
	}
	return nil
}
