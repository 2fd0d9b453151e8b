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
	Domains  []Topology // of failure domains, in place of the one that RoleSetOptions describe
	Roles    []RoleDef  // of those options (access.RoleSet), or of Domains
	VCenters []Address  // empty = the one that the environment of the script names
	Gaps     []*Gap     // what components cannot do with the matrix (access.Gaps); markdown says them
	Whole    bool       // tables have every row of the components, not only those that hold
}

// Topology is a failure domain as far as roles depend on it.
type Topology struct {
	Name     string // "" = it is assumed
	Holds    map[Condition]bool
	Template bool // its template is outside its folder
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

// domains are those of the options, or the one that they describe.
func (e *export) domains() []Topology {
	if len(e.o.Domains) > 0 {
		return e.o.Domains
	}
	return []Topology{{Holds: TopologyOf(e.o.Holds), Template: e.o.Template && e.o.Holds[FolderExisting]}}
}

// holds reports whether a row holds in one of the failure domains.
func (e *export) holds(r Row) bool {
	return slices.ContainsFunc(e.domains(), func(d Topology) bool { return r.Holds(d.Holds) })
}

// assumed says in words what the roles are made for: "fd1, fd2 (...); fd3 (...)".
func (e *export) assumed() string {
	var texts []string
	names := map[string][]string{}
	for _, d := range e.domains() {
		text := d.describe()
		if names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], d.Name)
	}
	for i, text := range texts {
		if said := strings.Join(names[text], ", "); said != "" {
			texts[i] = said + " (" + text + ")"
		}
	}
	return strings.Join(texts, "; ")
}

func (t Topology) describe() string {
	parts := []string{FolderCreated.Describe(), PoolRoot.Describe()}
	if t.Holds[FolderExisting] {
		parts[0] = FolderExisting.Describe()
	}
	if t.Holds[PoolExisting] {
		parts[1] = PoolExisting.Describe()
	}
	if t.Holds[HostGroup] {
		parts = append(parts, HostGroup.Describe())
	}
	if t.Template {
		parts = append(parts, "the template is outside the folder")
	}
	for _, c := range Selectable() {
		if on, said := t.Holds[c]; on || c == ManagedStorageClass && !said {
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
			!e.o.Whole && !e.holds(r)
	})
}

// roleOf names a row's roles, but that of a template, which no row is about: ReadOnly if it only
// reads, "" if the row does not hold or is not sent.
func (e *export) roleOf(r Row) string {
	if r.Unknown || !e.holds(r) {
		return ""
	}
	var names []string
	for _, d := range e.o.Roles {
		if d.Component == r.Component && !slices.Equal(d.Scopes, []Scope{ScopeTemplate}) && slices.ContainsFunc(d.Rows, func(own Row) bool {
			return own.Scope == r.Scope && own.Privilege == r.Privilege && own.Propagate == r.Propagate
		}) {
			names = append(names, d.Name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), ReadOnly)
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
