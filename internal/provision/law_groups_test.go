package provision_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const lawDomain = "law.example.com"

// drawAdopted chooses principals that others made for two components: users and groups of the SSO domain and of an
// Active Directory, in the spellings that a vCenter takes. It gives the fields of the components, and makes the principals
// on every vCenter; linked ones have them already. Clusters of another kind of name have principals of their own: nobody can
// work for two.
func drawAdopted(t *rapid.T, lab *vcsim.Lab, clusters string) string {
	domain := lab.VCenters[0].Directory().Domain()
	for _, v := range lab.VCenters {
		d := v.Directory()
		_ = d.AddIdentitySource(directory.IdentitySource{Name: lawDomain, Alias: "LAW", Type: "ActiveDirectory"})
		for _, in := range []string{domain, lawDomain} {
			_ = d.AddUser(clusters+"svc-adopted@"+in, memberPassword, directory.Details{})
			_ = d.AddGroup(clusters+"grp-adopted@"+in, "")
			_ = d.AddGroup(clusters+"grp-inner@"+in, "")
			_ = d.AddMember(clusters+"grp-adopted@"+in, clusters+"grp-inner@"+in, true)
		}
		_ = d.AddUser(clusters+"member@"+lawDomain, memberPassword, directory.Details{})
		_ = d.AddMember(clusters+"grp-inner@"+lawDomain, clusters+"member@"+lawDomain, false)
		_ = d.AddMember(clusters+"grp-inner@"+domain, clusters+"member@"+lawDomain, false)
	}
	field := func(component string) string {
		kind := rapid.SampledFrom([]string{"svc", "svc", "grp"}).Draw(t, component+" is")
		in := rapid.SampledFrom([]string{domain, lawDomain, "LAW"}).Draw(t, component+" is in")
		kind = clusters + kind
		name := fmt.Sprintf("%s-adopted@%s", kind, in)
		if rapid.Bool().Draw(t, component+" with a backslash") {
			name = fmt.Sprintf(`%s\%s-ADOPTED`, in, kind)
		}
		said := ""
		if rapid.Bool().Draw(t, component+" says what it is") {
			said = fmt.Sprintf(", group: %t", kind == clusters+"grp")
		}
		return fmt.Sprintf("  %s: {principal: '%s'%s}\n", component, name, said)
	}
	return field("csi-driver") + field("diagnostics")
}

// lawMembers are the accounts that verify is given for them: right for the groups, somebody else's for the users.
func lawMembers(clusters string) map[component.Name]string {
	return map[component.Name]string{component.CSIDriver: clusters + "member@" + lawDomain, component.Diagnostics: `LAW\` + clusters + "member"}
}
