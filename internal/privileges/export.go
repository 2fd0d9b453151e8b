package privileges

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Format is a form in which a matrix is exported for other tools.
type Format string

// The formats. The first four make roles, the tables are for reading, the last is a matrix file.
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
	Gaps     []*Gap    // what components cannot do with the matrix (access.Gaps); markdown says them
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

// Export writes the matrix in a format, byte for byte the same for equal input. Text of a matrix is
// quoted or put on one line of a comment, so none of it is ever run.
//
// Formats that make roles refuse a rule for ancestors that grants more than reading, because the
// inventory decides which containers need the role.
func (m *Matrix) Export(f Format, o ExportOptions) (string, error) {
	e := &export{m, o}
	switch f {
	case FormatMarkdown:
		return e.markdown()
	case FormatCSV:
		return e.csv(), nil
	case FormatJSON:
		return e.json(), nil
	case FormatMatrix:
		return e.matrix(), nil
	case FormatGovc, FormatPowerCLI, FormatTerraform, FormatAnsible:
	default:
		return "", unknown("format", string(f), component.Words(Formats()))
	}
	if m.Ancestors != nil && len(Strip(m.Ancestors.Privileges)) > 0 {
		return "", fmt.Errorf("matrix %s grants %s on containers above the objects: which of them need a role depends on the inventory, so %s cannot create it",
			m.Name, strings.Join(Strip(m.Ancestors.Privileges), ", "), f)
	}
	if len(o.Roles) == 0 {
		return "", errors.New("no role to create: these components only need read access here, which the system role ReadOnly gives")
	}
	return e.script(f)
}

// export is one text in the making.
type export struct {
	m *Matrix
	o ExportOptions
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
		return len(e.o.Components) > 0 && !slices.Contains(e.o.Components, r.Component) ||
			!e.o.Whole && !r.Holds(TopologyOf(e.o.Holds))
	})
}

// roleOf names a row's role: ReadOnly if it only reads, "" if the row does not hold or is not sent.
func (e *export) roleOf(r Row) string {
	if r.Unknown || !r.Holds(TopologyOf(e.o.Holds)) {
		return ""
	}
	for _, d := range e.o.Roles {
		if d.Component == r.Component && slices.ContainsFunc(d.Rows, func(own Row) bool {
			return own.Scope == r.Scope && own.Privilege == r.Privilege && own.Propagate == r.Propagate
		}) {
			return d.Name
		}
	}
	return ReadOnly
}

// omitted says for each id that no script sends for whom and why: no vCenter has it, or every role
// has it by itself.
func (e *export) omitted() []string {
	var ids, said []string
	for _, r := range e.kept() {
		if !r.Unknown && !Implicit(r.Privilege) || slices.Contains(ids, r.Privilege) {
			continue
		}
		ids = append(ids, r.Privilege)
		why := cmp.Or(r.Why, "no vCenter has this id")
		if !r.Unknown {
			why = fmt.Sprintf("every role has it, and %s, without being given them",
				strings.Join(slices.DeleteFunc(ImplicitIDs(), func(id string) bool { return id == r.Privilege }), " and "))
		}
		said = append(said, fmt.Sprintf("%s, listed for %s: %s", r.Privilege, e.listing(r.Privilege), why))
	}
	return said
}

func (e *export) listing(id string) string {
	scopes := map[component.Name][]Scope{}
	for _, r := range e.kept() {
		if r.Privilege == id && !slices.Contains(scopes[r.Component], r.Scope) {
			scopes[r.Component] = append(scopes[r.Component], r.Scope)
		}
	}
	var parts []string
	for _, c := range e.m.Components() {
		if len(scopes[c]) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", c, strings.Join(component.Words(scopes[c]), ", ")))
		}
	}
	return strings.Join(parts, ", ")
}
