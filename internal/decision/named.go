package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// unnamed are the components that the credentials file has accounts of this cluster for, by servers that are neither in the specification
// nor other names of vCenters that are.
func (e *Snapshots) unnamed() map[string][]component.Name {
	found := e.LeftEntries()
	for _, s := range e.All {
		for _, name := range s.OtherSections() {
			delete(found, name)
		}
	}
	return found
}

// renamed are the findings that the credentials file has accounts of a vCenter under another name of it.
func (e *Snapshots) renamed() (all []*finding.Finding) {
	found := e.LeftEntries()
	for _, s := range e.All {
		for _, name := range s.OtherSections() {
			f := finding.New(finding.RenamedVCenter, "", "%s (%s has accounts of this cluster for %s: %s)",
				sameAs(s, name), e.Credentials.Path(), name, strings.Join(component.Words(found[name]), ", "))
			for _, c := range e.Spec.ComponentNames() {
				if s.Err == nil && s.Owns(c) && e.lost(s, c) && e.Stored(name, s.Principal(c), c) {
					f.Severity = finding.Error
					f.Accounts = append(f.Accounts, finding.Account{Server: s.VCenter.Server, Component: c, Principal: s.Principal(c)})
				}
			}
			if f.Severity == finding.Error {
				f.Text += ", and " + many(f, "the password of an account is", "the passwords of %d accounts are") + " only there"
			} else {
				f.About(s.VCenter.Server, "")
			}
			f.Remedies = renames(s, name)
			all = append(all, f)
		}
	}
	return all
}

// sameAs says that a server is another name of a vCenter, or may be.
func sameAs(s *snapshot.Snapshot, server string) string {
	if slices.Contains(s.Names, server) {
		return server + " and " + s.VCenter.Server + " are two names of one vCenter"
	}
	return server + " does not answer, and may be an earlier name of " + s.VCenter.Server
}

// renames are the ways to one section of the credentials file for a vCenter that has another name.
func renames(s *snapshot.Snapshot, server string) []string {
	command := s.Request.Command("credentials rename", server, s.VCenter.Server)
	if slices.Contains(s.Names, server) {
		return []string{command}
	}
	return []string{"if it is: " + command, "if it was another vCenter, which no longer exists: remove section [" + server + "] from " + s.Request.Credentials.Path() + " by hand"}
}

// checkNames refuses to change or take accounts that the credentials file also has for another name of their vCenter: the cluster may use
// them under that one. What only may be another name stops nobody but who removes everything.
func (dec *Decision) checkNames(s *snapshot.Snapshot, takes bool) error {
	found := dec.LeftEntries()
	for _, server := range s.OtherSections() {
		if takes && (dec.Undoing || slices.Contains(s.Names, server)) && (dec.Prune || slices.ContainsFunc(found[server], dec.Spec.Has)) {
			return hint.Wrap(fmt.Errorf("%s: %s, and %s has accounts for %s: the cluster may use them under either name; nothing was done",
				s.VCenter.Server, sameAs(s, server), dec.Credentials.Path(), server),
				append(renames(s, server), "if the cluster knows it as "+server+": name it so in the specification")...)
		}
	}
	return nil
}
