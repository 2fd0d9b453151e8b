package privileges_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	matrices "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// cell keeps a text in its cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "<", "&lt;", ">", "&gt;").Replace(text)
}

func row(cells ...string) string {
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// dutiesPage says what each component does on vCenter, from the table of duties.
func dutiesPage() string {
	page := []string{
		"# What each component does", "",
		"What OpenShift's components ask of a vCenter with their accounts, read in their code: each thing that they do, the calls that it is",
		"made of, in their order, and what each call needs on which object. From this table come what `verify` and `plan` say that a component",
		"cannot do, what `explain` makes of a message, [what each component can do with each matrix](able.md), and the matrix",
		"[minimal](minimal.md). <!-- TestWhatComponentsCannot, TestMinimalIsWhatDutiesNeed -->", "",
		"On the simulated vCenter each is tried call by call, with and without each privilege. <!-- TestOperations, TestDutiesAskForWhatIsRefused -->",
		"No real vCenter has confirmed them; where a call is known from prose alone the simulation's [rules](../lab/rules.md) say so.", "",
		"*machine* is a virtual machine of the cluster, *host* a host of the compute cluster. *found* means that the object and everything above it is visible.",
		"System.Read is in every role.",
	}
	for _, c := range component.Names() {
		all := privileges.Duties(c)
		if len(all) == 0 {
			continue
		}
		page = append(page, "", "## "+string(c))
		for len(all) > 0 {
			d := all[0]
			n := slices.IndexFunc(all, func(o *privileges.Duty) bool { return o.Reports != d.Reports || o.Source != d.Source })
			if n < 0 {
				n = len(all)
			}
			page = append(page, "", "When it is refused: "+cell(d.Reports)+".", "", "| does | call | needs | if |", "|---|---|---|---|")
			for _, one := range all[:n] {
				page = append(page, dutyRows(one)...)
			}
			page = append(page, "", "Source: "+cell(d.Source)+".")
			all = all[n:]
		}
	}
	return strings.Join(page, "\n") + "\n"
}

// dutyRows has a row for each of the calls of a duty, those that have the same needs together.
func dutyRows(d *privileges.Duty) (rows []string) {
	name, when := d.Name, strings.Join(component.Words(d.Conditions), ", ")
	for i := 0; i < len(d.Asks); {
		calls := d.Asks[i].Calls
		var needs []string
		for ; i < len(d.Asks) && slices.Equal(d.Asks[i].Calls, calls); i++ {
			a := d.Asks[i]
			if a.Find {
				needs = append(needs, string(a.Scope)+" found")
			}
			if len(a.Privileges) > 0 {
				needs = append(needs, string(a.Scope)+": "+strings.Join(a.Privileges, ", "))
			}
		}
		call := strings.Join(calls, ", ")
		if call == "" {
			call = "properties"
		}
		rows = append(rows, row(name, call, strings.Join(needs, "; "), when))
		name, when = "", ""
	}
	return rows
}

// ablePage says for each matrix, profile, release of vCenter and kind of failure domain what components cannot do.
func ablePage(t *testing.T) string {
	t.Helper()
	page := []string{
		"# What each component can do with each matrix", "",
		"For each matrix: which of [the things that components do](components.md) their accounts cannot do, with no permissions but those of the",
		"matrix. Answers were computed for the profiles " + strings.Join(profileNames(), ", ") + ", for vCenter",
		strings.Join(vcsim.Releases(), ", ") + ", and for failure domains with and without a folder, a resource pool and host groups. Where a column",
		"says *all*, they are the same. The conditions of the last column have to be named in `privileges.conditions`; managed-storageclass holds unless",
		"it is switched off. On the simulated vCenter the accounts are refused just that. <!-- TestWhatComponentsCannot -->",
	}
	for _, name := range privileges.Names() {
		m := loadMatrix(t, name)
		of := slices.DeleteFunc(m.Components(), func(c component.Name) bool { return len(privileges.Duties(c)) == 0 })
		if len(of) == 0 {
			continue
		}
		rows, where := answers(m)
		able := slices.DeleteFunc(slices.Clone(of), func(c component.Name) bool {
			return slices.ContainsFunc(rows, func(r answer) bool { return r.component == c })
		})
		page = append(page, "", "## "+name, "", "able to do everything: "+joined(able)+".")
		if len(rows) > 0 {
			page = append(page, "", "| component | cannot | call | missing | profiles | vCenter | failure domains | if |", "|---|---|---|---|---|---|---|---|")
		}
		for _, r := range rows {
			profiles, releases := sets(where[r])
			page = append(page, row(string(r.component), r.does, r.call, r.why, profiles, releases, r.where, r.when))
		}
	}
	return strings.Join(page, "\n") + "\n"
}

func joined(all []component.Name) string {
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(component.Words(all), ", ")
}

// answer is one line of the page.
type answer struct {
	component                    component.Name
	does, call, why, where, when string
}

// answers are the lines of a matrix, each with the profiles and releases in which it holds.
func answers(m *privileges.Matrix) (rows []answer, where map[answer][][2]string) {
	where = map[answer][][2]string{}
	var asked []string
	for _, c := range m.Components() {
		for _, d := range privileges.Duties(c) {
			asked = append(asked, d.Privileges("")...)
		}
	}
	computed := map[string][]privileges.GapRow{} // by what they depend on
	for _, name := range profileNames() {
		p, _ := openshift.FindProfile(name)
		holds := map[privileges.Condition]bool{privileges.ManagedStorageClass: true}
		for _, c := range p.Implies {
			holds[c] = true
		}
		for _, release := range vcsim.Releases() {
			known := vcsim.Privileges(release)
			key := fmt.Sprint(p.Works, holds, slices.DeleteFunc(slices.Clone(asked), func(id string) bool { return slices.Contains(known, id) }))
			if _, done := computed[key]; !done {
				computed[key] = privileges.GapRows(matrices.Gaps(m, p, holds, known))
			}
			for _, g := range computed[key] {
				a := answer{g.Duty.Component, strings.Join(g.Does, ", "), g.Call(), g.Why(), g.Where(), string(g.When)}
				if where[a] == nil {
					rows = append(rows, a)
				}
				where[a] = append(where[a], [2]string{p.Name, release})
			}
		}
	}
	order := component.Names()
	slices.SortStableFunc(rows, func(a, b answer) int { return slices.Index(order, a.component) - slices.Index(order, b.component) })
	return rows, where
}

// profileNames are the profiles for OpenShift; outside of it components answer as in the first, without what its operators do.
func profileNames() []string {
	return lists.Without(openshift.ProfileNames(), []string{openshift.ProfileKubernetes})
}

// sets names the profiles and the releases of some pairs.
func sets(pairs [][2]string) (profiles, releases string) {
	seen := [2]map[string]bool{{}, {}}
	for _, pair := range pairs {
		seen[0][pair[0]], seen[1][pair[1]] = true, true
	}
	if len(pairs) != len(seen[0])*len(seen[1]) {
		return fmt.Sprint(pairs), ""
	}
	words := func(i int, all []string) string {
		if len(seen[i]) == len(all) {
			return "all"
		}
		return strings.Join(slices.Sorted(maps.Keys(seen[i])), ", ")
	}
	return words(0, profileNames()), words(1, vcsim.Releases())
}
