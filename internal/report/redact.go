package report

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Each field of a report that holds text says with the tag redact what the text is, also where the
// field is of another package. A field without it, unless its type is one of words, is left out.
//
//	account    of the cluster, NAME@DOMAIN or DOMAIN\NAME: each of the two gets a number
//	principal  the same of anybody else
//	vcenter, cluster, domain, instance: a number
//	path       in the inventory: each object gets a number, unless vSphere names it
//	secret     namespace/name: each of the two gets a number
//	role       a number, unless it is the system's, or made by this tool with the default prefix
//	matrix     a number, unless it is one of this tool
//	prefix     of roles: a number, unless it is the default
//	subject    of a finding, names with commas between: that of a vCenter or principal, else a number
//	text       a sentence: left out, unless it is one of this tool's that name nothing
//	made       a sentence that is made of other fields, and is made again
//	word       of this tool, of vSphere or of OpenShift: stays

// mapped is a copy of a value with what as makes of each text of a kind.
func mapped[T any](v T, as func(kind, text string) string) T {
	out, _ := reflect.TypeAssert[T](mappedValue(reflect.ValueOf(v), "", as)) // a copy
	return out
}

func mappedValue(v reflect.Value, kind string, as func(kind, text string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		if kind == "" && v.Type() != reflect.TypeFor[string]() {
			kind = "word" // such as a code
		}
		out.SetString(as(kind, v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(mappedValue(v.Elem(), kind, as))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(mappedValue(v.Index(i), kind, as))
		}
	case reflect.Struct:
		if made, ok := reflect.TypeAssert[interface {
			Renamed(as func(kind, text string) string) any
		}](v); ok {
			return reflect.ValueOf(made.Renamed(as))
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out.Field(i).Set(mappedValue(v.Field(i), f.Tag.Get("redact"), as))
			}
		}
	}
	return out
}

// omitted stands for a text that may name something: an error, an address, a reason in a matrix.
const omitted = "left out"

// built are names that every vCenter has, and parts of the inventory that vSphere names itself.
var built = []string{"vm", "host", "network", "datastore", "Resources", "*", "Administrator", "Administrators", inventory.GlobalPath}

// Redact is the report with numbers in the place of names, the same everywhere, for readers who may
// see grants but not names. It says what changed since an earlier report; nil = none.
func (r *Report) Redact(earlier *Report) *Report {
	n := &numbers{by: map[string]string{}, count: map[string]int{}, sentences: map[string]bool{}}
	n.know(r.Scope.Matrix)
	for _, v := range r.VCenters { // accounts are called so, wherever they come first
		mapped(v.Columns, n.replaced)
		mapped(v.Accounts, n.replaced)
	}
	out := n.redacted(r)
	out.Redacted, out.Since = true, nil
	if out.Complete(); earlier != nil {
		was := n.redacted(earlier)
		was.Complete()
		out.Compare(was)
	}
	return out
}

// numbers are what stands in the place of names, by kind and lower-case name.
type numbers struct {
	by        map[string]string
	count     map[string]int
	sentences map[string]bool      // that name nothing
	roles     privileges.RoleNames // that stay
}

// know notes which sentences name nothing, those of this tool and of the matrices that it has, and
// the roles of the matrix in use.
func (n *numbers) know(matrix string) {
	own := append(verify.Sentences(), perms.NotKnown(perms.UnseenRights), perms.NotKnown(perms.UnseenRelease), inspect.NoSessions)
	for _, name := range privileges.Names() {
		m, err := privileges.Load(name)
		if err != nil {
			continue // a test loads each
		}
		if name == matrix {
			n.roles = m.RoleNames(spec.DefaultRolePrefix, "", component.Names())
		}
		own = append(own, m.Source)
		for _, row := range m.Rows {
			own = append(own, row.Why, row.Source)
		}
		if rule := m.Ancestors; rule != nil {
			own = append(own, rule.Why, rule.Source)
		}
	}
	for _, text := range own {
		n.sentences[text] = true
	}
}

// redacted is a report without names; findings say what their code means.
func (n *numbers) redacted(r *Report) *Report {
	out := mapped(r, n.replaced)
	if out.Verification == nil {
		out.Verification = &verify.Result{}
	}
	for _, f := range out.Verification.Findings {
		about, _ := finding.Explain(f.Code)
		f.Text, f.Remedies = about.Means, []string{}
	}
	return out
}

// number is that of a name of a kind; names of accounts and of other principals are one kind.
func (n *numbers) number(kind, name string) string {
	if name == "" || slices.ContainsFunc(built, func(b string) bool { return strings.EqualFold(b, name) }) {
		return name
	}
	of := kind
	if kind == "account" {
		of = "principal"
	}
	key := of + "\x00" + strings.ToLower(name)
	if n.by[key] == "" {
		n.count[kind]++
		n.by[key] = fmt.Sprintf("%s-%d", kind, n.count[kind])
	}
	return n.by[key]
}

// replaced is what stands in the place of a text of a kind.
func (n *numbers) replaced(kind, text string) string {
	if text == "" {
		return ""
	}
	switch kind {
	case "word":
		return text
	case "made":
		return ""
	case "account", "principal":
		if group, ok := strings.CutPrefix(text, "group "); ok {
			return whom(n.replaced(kind, group), true)
		}
		if domain, name, ok := strings.Cut(text, `\`); ok {
			return n.number("domain", domain) + `\` + n.number(kind, name)
		}
		name, domain, ok := strings.Cut(text, "@")
		if !ok {
			return n.number(kind, name)
		}
		return n.number(kind, name) + "@" + n.number("domain", domain)
	case "path":
		return n.parts("object", text)
	case "secret":
		return n.parts(kind, text)
	case "role":
		if text == "Admin" || text == privileges.ReadOnly || text == "NoAccess" || n.roles.Sealed(text) {
			return text
		}
	case "prefix":
		if text == spec.DefaultRolePrefix {
			return text
		}
	case "matrix":
		if slices.Contains(privileges.Names(), text) {
			return text
		}
	case "subject":
		all := strings.Split(text, ", ")
		for i, part := range all {
			role, isRole := strings.CutPrefix(part, "role ")
			switch lower := strings.ToLower(part); {
			case isRole:
				all[i] = "role " + n.replaced("role", role)
			case strings.ContainsAny(part, `@\`):
				all[i] = n.replaced("principal", part)
			default:
				all[i] = cmp.Or(n.by["vcenter\x00"+lower], n.by["principal\x00"+lower], n.number(kind, part))
			}
		}
		return strings.Join(all, ", ")
	case "vcenter", "cluster", "domain", "instance":
	default:
		if !n.sentences[text] {
			return omitted
		}
		return text
	}
	return n.number(kind, text)
}

func (n *numbers) parts(kind, text string) string {
	all := strings.Split(text, "/")
	for i, part := range all {
		all[i] = n.number(kind, part)
	}
	return strings.Join(all, "/")
}
