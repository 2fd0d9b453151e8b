package privileges

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

var update = flag.Bool("update", false, "write matrix/minimal.yaml from the duties")

// The matrix minimal is written from the table of duties (-update). That it holds what they need, no more and no less, is held by
// access.TestMinimalIsWhatDutiesNeed, where permissions are computed.
func TestMinimalIsWritten(t *testing.T) {
	t.Parallel()
	const path = "matrix/minimal.yaml"
	want := minimalMatrix()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the duties need; write it anew: go test ./internal/privileges -run TestMinimalIsWritten -update (%v)", path, err)
	}
}

const minimalHead = `# What the calls of OpenShift's components need, and nothing that only a list asks for: written from the table of what each component
# does (internal/privileges/duty_*.go) by TestMinimalIsWritten. Do not edit it: change a duty, with its source.
apiVersion: ocp-vsphere-admin/v1
kind: PrivilegeMatrix
name: minimal
description: "what the calls of the components need, read in their code; this tool's own, and nobody's support statement"
source: the code of the components, which each row names with its calls
as-of: "2026-11-26"
notes:
  - "These rows are this tool's own. Neither Red Hat nor Broadcom supports accounts with less than the documented privileges: the documentation supports the full set (matrix documented, installer) and nothing else. Ask before you use it where support matters."
  - "They were read in the code at the commits that the rows name, and tried on the simulated vCenter call by call; no real vCenter has confirmed them. Another release may make other calls: compare with docs/privileges/components.md, and verify after each upgrade."
  - "The installer checks a list of its own before it starts, whatever its calls need. So its rows are those of the matrix installer, and what its calls need beyond them."
  - "With the profile component-scoped openshift-install checks the accounts of components, too (openshift/installer#10895, not merged): verify replays these checks with the accounts that this matrix makes."
  - "What only some clusters need has its condition, which has to be named: storage-policy, vsan-file, data-disks, boot-image-updates (of machine-api; an account of machine-config has it always), vcf-migration, vcf-migration-vmotion and those of Cluster API."
  - "The problem detector holds its own account against the privileges of a machine installation and reports what is missing for ever; verify predicts it."

ancestors:
  components: [machine-api, csi-driver, cloud-controller, diagnostics, installer, cluster-api, machine-config]
  privileges: [System.Read]
  why: "objects are found by their paths from the root folder on, and categories and tags are read there"
  source: what each component does (docs/privileges/components.md), look-ups

components:
`

// minimalRow is a privilege on a scope, with all that needs it.
type minimalRow struct {
	scope      Scope
	privilege  string
	conditions []Condition // none: always
	always     bool
	why, from  []string
}

func minimalMatrix() string {
	var b strings.Builder
	b.WriteString(minimalHead)
	for _, c := range component.Names() {
		if len(Duties(c)) == 0 {
			continue
		}
		fmt.Fprintf(&b, "  %s:\n", c)
		rows := minimalRows(c)
		if c == component.Installer {
			b.WriteString("    from: installer\n")
			rows = beyond(rows, "installer")
		}
		b.WriteString("    grants:\n")
		for i, r := range rows {
			if i == 0 || !r.with(rows[i-1]) {
				conditions := component.Words(r.conditions)
				if r.always {
					conditions = []string{string(Always)}
				}
				fmt.Fprintf(&b, "      - scope: %s\n        propagate: %t\n        conditions: [%s]\n        evidence: %s\n        source: %q\n        why: %q\n        privileges:\n",
					granted(r.scope), At(r.scope, "").Propagate, strings.Join(conditions, ", "), r.evidence(), strings.Join(r.from, "; "), strings.Join(r.why, ", "))
			}
			fmt.Fprintf(&b, "          - %s\n", r.privilege)
		}
	}
	return b.String()
}

// evidence is what a row rests on: what no source says in code is inferred from documents.
func (m *minimalRow) evidence() string {
	if slices.ContainsFunc(m.from, func(source string) bool { return source != vcfMove }) {
		return "code"
	}
	return "inferred"
}

// Which half of a move between vCenters asks for what is known from documents alone: its rows say
// that they are inferred. The source of every other duty names code.
func TestMinimalSaysWhatIsInferred(t *testing.T) {
	t.Parallel()
	m, err := loadEmbedded("minimal")
	if err != nil {
		t.Fatal(err)
	}
	inferred := map[component.Name]int{}
	for _, r := range m.Rows {
		if (r.Source == vcfMove) != (r.Evidence == "inferred") {
			t.Errorf("%s %s: evidence %s, source %s", r.Component, r.Privilege, r.Evidence, r.Source)
		}
		if r.Evidence == "inferred" {
			inferred[r.Component]++
		}
	}
	if inferred[component.MachineAPI] != 2 || inferred[component.Installer] != 1 {
		t.Errorf("inferred rows: %v", inferred)
	}
	for i := range duties {
		source := duties[i].Source
		if code := strings.Contains(source, ":pkg/") || strings.Contains(source, ":internal/"); code == (source == vcfMove) {
			t.Errorf("%s: %s", duties[i].Name, source)
		}
	}
}

// with reports whether two rows are of one grant.
func (m *minimalRow) with(o *minimalRow) bool {
	return m.scope == o.scope && m.always == o.always && slices.Equal(m.conditions, o.conditions) && slices.Equal(m.from, o.from) && slices.Equal(m.why, o.why)
}

// minimalRows are what the duties of a component ask for. What is asked of a virtual machine is granted on its folder, of a host on its
// cluster, of a template on the folder, from where it is bound to the template's.
func minimalRows(c component.Name) (rows []*minimalRow) {
	for _, d := range Duties(c) {
		for _, a := range d.Asks {
			scope := a.Scope
			if scope != ScopeMoveFolder && scope != ScopeRootPool {
				scope = granted(scope)
			}
			ids := a.Privileges
			if a.Find || slices.ContainsFunc(ids, Implicit) {
				ids = append([]string{"System.Read"}, Strip(ids)...)
			}
			for _, id := range ids {
				rows = askFor(rows, scope, id, d, a)
			}
		}
	}
	rows = slices.DeleteFunc(rows, func(r *minimalRow) bool { return r.privilege == "System.Read" && implied(r, rows) })
	slices.SortStableFunc(rows, func(a, b *minimalRow) int {
		return cmp.Or(cmp.Compare(slices.Index(Scopes(), granted(a.scope)), slices.Index(Scopes(), granted(b.scope))), cmp.Compare(a.scope, b.scope), slices.Compare(a.conditions, b.conditions), slices.Compare(a.why, b.why))
	})
	return rows
}

func askFor(rows []*minimalRow, scope Scope, id string, d *Duty, a Ask) []*minimalRow {
	i := slices.IndexFunc(rows, func(r *minimalRow) bool { return r.scope == scope && r.privilege == id })
	if i < 0 {
		i = len(rows)
		rows = append(rows, &minimalRow{scope: scope, privilege: id})
	}
	r := rows[i]
	why := d.Name
	if len(a.Calls) > 0 {
		why += " (" + strings.Join(a.Calls, ", ") + ")"
	}
	r.why, r.from = appendNew(r.why, why), appendNew(r.from, d.Source)
	r.always = r.always || len(d.Conditions) == 0
	for _, c := range d.Conditions {
		r.conditions = appendNew(r.conditions, c)
	}
	if r.always {
		r.conditions = nil
	}
	return rows
}

// implied reports whether nothing has to be granted for reading: the rule for what is above objects does it, or another privilege there
// that is needed always or under the same conditions, because every role lets its holder read.
func implied(r *minimalRow, rows []*minimalRow) bool {
	return r.scope == ScopeVCenter || r.scope == ScopeDatacenter || slices.ContainsFunc(rows, func(o *minimalRow) bool {
		return o.scope == r.scope && (o.always || !r.always && slices.Equal(o.conditions, r.conditions)) && !Implicit(o.privilege)
	})
}

// granted is the scope of what is granted for a scope of duties. Rows of the last two do not propagate.
func granted(s Scope) Scope {
	return cmp.Or(map[Scope]Scope{ScopeMachine: ScopeFolder, ScopeTemplate: ScopeFolder, ScopeHost: ScopeCluster, ScopeMoveFolder: ScopeFolder, ScopeRootPool: ScopeCluster}[s], s)
}

// beyond are the rows that an embedded matrix lacks for the installer: it has what is asked of a folder on the datacenter where the folder
// is made, and what is asked of a pool on the cluster where none is given.
func beyond(rows []*minimalRow, matrix string) []*minimalRow {
	m, err := loadEmbedded(matrix)
	if err != nil {
		panic(err)
	}
	instead := map[Scope]Scope{ScopeFolder: ScopeDatacenter, ScopeResourcePool: ScopeCluster}
	return slices.DeleteFunc(rows, func(r *minimalRow) bool {
		under := map[Condition]bool{}
		for _, have := range m.Rows {
			if (have.Privilege == r.privilege || Implicit(r.privilege)) && (have.Scope == r.scope || have.Scope == instead[r.scope]) {
				for _, c := range have.Conditions {
					under[c] = true
				}
			}
		}
		r.conditions = slices.DeleteFunc(r.conditions, func(c Condition) bool { return under[c] })
		return under[Always] || under[FolderExisting] && under[FolderCreated] || under[PoolExisting] && under[PoolRoot] || !r.always && len(r.conditions) == 0
	})
}

func appendNew[T comparable](all []T, one T) []T {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}
