package privileges

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Format is a form in which a matrix can be handed to somebody who does not use this tool.
type Format string

// The formats. The first four make roles; then come the tables, to be read; the last is a matrix file, to be edited and used.
const (
	FormatGovc      Format = "govc"
	FormatPowerCLI  Format = "powercli"
	FormatTerraform Format = "terraform"
	FormatAnsible   Format = "ansible"
	FormatMarkdown  Format = "markdown"
	FormatCSV       Format = "csv"
	FormatJSON      Format = "json"
	FormatMatrix    Format = "matrix"
)

// Formats returns all formats, those that make roles first.
func Formats() []Format {
	return []Format{FormatGovc, FormatPowerCLI, FormatTerraform, FormatAnsible, FormatMarkdown, FormatCSV, FormatJSON, FormatMatrix}
}

// ExportOptions say what of a matrix is exported.
type ExportOptions struct {
	RoleSetOptions
	Roles    []RoleDef // of those options (access.RoleSet)
	VCenters []Address // empty = the one that the environment of the script names
	Whole    bool      // tables have every row of the components, not only those that hold
}

// Address is where a vCenter listens.
type Address struct {
	Host string // name or IP address, without brackets
	Port int    // 0 = 443
}

// String is what stands in a URL: the port only where it is not the usual one, IPv6 in brackets.
func (a Address) String() string {
	if a.Port != 0 && a.Port != 443 {
		return net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	}
	if strings.Contains(a.Host, ":") {
		return "[" + a.Host + "]"
	}
	return a.Host
}

// Export writes the matrix in a format. The same matrix and options give the same text, byte for byte. Whatever stands in a
// matrix or in a name is quoted or, in comments, put on one line: nothing of it is ever run.
//
// A matrix whose rule for ancestors grants more than reading is refused by the formats that make roles: which containers need
// such a role depends on the inventory.
func (m *Matrix) Export(f Format, o ExportOptions) (string, error) {
	e := &export{m: m, o: o, roles: o.Roles}
	var write func()
	makesRoles := true
	switch f {
	case FormatGovc:
		write = e.govc
	case FormatPowerCLI:
		write = e.powercli
	case FormatTerraform:
		write = e.terraform
	case FormatAnsible:
		write = e.ansible
	case FormatMarkdown:
		write, makesRoles = e.markdown, false
	case FormatCSV:
		write, makesRoles = e.csv, false
	case FormatJSON:
		write, makesRoles = e.json, false
	case FormatMatrix:
		write, makesRoles = e.matrix, false
	default:
		return "", unknown("format", string(f), names(Formats()))
	}
	if makesRoles {
		if m.Ancestors != nil && len(Strip(m.Ancestors.Privileges)) > 0 {
			return "", fmt.Errorf("matrix %s grants %s on containers above the objects: which of them need a role depends on the inventory, so %s cannot create it",
				m.Name, strings.Join(Strip(m.Ancestors.Privileges), ", "), f)
		}
		if len(e.roles) == 0 {
			return "", errors.New("no role to create: these components only need read access here, which the system role ReadOnly gives")
		}
	}
	write()
	return e.out.String(), nil
}

// export is one text in the making.
type export struct {
	m     *Matrix
	o     ExportOptions
	roles []RoleDef
	out   strings.Builder
}

// line writes one line.
func (e *export) line(format string, args ...any) { fmt.Fprintf(&e.out, format+"\n", args...) }

// head writes what a reader has to know as comments.
func (e *export) head(more ...string) {
	for _, text := range append([]string{
		"Roles for the components of OpenShift on vSphere.",
		fmt.Sprintf("matrix: %s, as of %s", e.m.Name, cmp.Or(e.m.AsOf, "no date")),
		"source: " + e.m.Source,
		"for: " + e.assumed(),
		"",
		"An existing role is set to exactly these privileges, even if another cluster shares it under other conditions.",
		"This creates only roles, no accounts and no permissions. Objects that a component only reads need no custom role:",
		"grant the system role ReadOnly there.",
	}, more...) {
		e.line("%s", strings.TrimRight("# "+oneLine(text), " "))
	}
}

// assumed says in words what the roles are made for.
func (e *export) assumed() string {
	holds := TopologyOf(e.o.Holds)
	parts := []string{FolderCreated.Describe(), PoolRoot.Describe()}
	if holds[FolderExisting] {
		parts[0] = FolderExisting.Describe()
	}
	if holds[PoolExisting] {
		parts[1] = PoolExisting.Describe()
	}
	if holds[HostGroup] {
		parts = append(parts, HostGroup.Describe())
	}
	if e.o.Template && holds[FolderExisting] {
		parts = append(parts, "the template is outside the folder")
	}
	for _, c := range Selectable() {
		if on, said := holds[c]; on || c == ManagedStorageClass && !said {
			parts = append(parts, string(c))
		}
	}
	return strings.Join(parts, "; ")
}

// about says what a role is for.
func (d RoleDef) about() string {
	text := fmt.Sprintf("%s, on %s", d.Component, strings.Join(names(d.Scopes), ", "))
	if d.Propagate {
		return text + "; its permission propagates"
	}
	return text + "; its permission does not propagate"
}

// scopeGroup is the part of a role's privileges that one scope asks for.
type scopeGroup struct {
	scope      Scope
	privileges []string
}

// byScope groups a role's privileges by the first of its scopes that asks for them.
func (d RoleDef) byScope() []scopeGroup {
	groups := make([]scopeGroup, len(d.Scopes))
	for i, s := range d.Scopes {
		groups[i].scope = s
	}
	for _, id := range d.Privileges {
		at := slices.IndexFunc(d.Scopes, func(s Scope) bool {
			return slices.ContainsFunc(d.Rows, func(r Row) bool { return r.Privilege == id && r.Scope == s })
		})
		at = max(at, 0) // a template has no rows of its own scope
		groups[at].privileges = append(groups[at].privileges, id)
	}
	return slices.DeleteFunc(groups, func(g scopeGroup) bool { return len(g.privileges) == 0 })
}

// oneLine keeps a text from leaving the comment that it stands in.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf)
	}), " ")
}

// privileges writes the lines of one scope, with the vSphere Client's names as comments in one column.
func (e *export) privileges(g scopeGroup, indent string, item func(id string) string) {
	e.line("%s# on %s", indent, g.scope)
	width := 0
	for _, id := range g.privileges {
		width = max(width, len(item(id)))
	}
	for _, id := range g.privileges {
		text := item(id)
		if ui := UIName(id); ui != "" {
			text = fmt.Sprintf("%-*s # %s", width, text, ui)
		}
		e.line("%s%s", indent, text)
	}
}

// kept are the rows of a table.
func (e *export) kept() []Row {
	out := e.rows()
	slices.SortStableFunc(out, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(component.Names(), a.Component), slices.Index(component.Names(), b.Component)),
			cmp.Compare(slices.Index(Scopes(), a.Scope), slices.Index(Scopes(), b.Scope)),
			cmp.Compare(a.Privilege, b.Privilege),
		)
	})
	return out
}

// rows are those of kept in the order of the matrix.
func (e *export) rows() []Row {
	return slices.DeleteFunc(slices.Clone(e.m.Rows), func(r Row) bool {
		return len(e.o.Components) > 0 && !slices.Contains(e.o.Components, r.Component) || !e.o.Whole && !r.Holds(TopologyOf(e.o.Holds))
	})
}

// roleOf names the role that carries a row, "ReadOnly" where reading is all, "" where the row does not hold or is never sent.
func (e *export) roleOf(r Row) string {
	if r.Unknown || !r.Holds(TopologyOf(e.o.Holds)) {
		return ""
	}
	for _, d := range e.roles {
		if d.Component == r.Component && slices.ContainsFunc(d.Rows, func(own Row) bool {
			return own.Scope == r.Scope && own.Privilege == r.Privilege && own.Propagate == r.Propagate
		}) {
			return d.Name
		}
	}
	return ReadOnly
}
