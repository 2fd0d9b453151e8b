package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// wordFields are the fields with our words or vSphere's, which stay: all others may hold names.
var wordFields = map[string]bool{
	"apiVersion": true, "kind": true, "component": true, "components": true, "scope": true, "privilege": true, "label": true, "operation": true,
	"code": true, "severity": true, "profile": true, "digest": true, "roleLayout": true, "conditions": true, "evidence": true,
	"made": true, "time": true, "lastUse": true, "passwordSet": true, "state": true, "states": true, "stage": true, "type": true, "version": true, "tool": true,
	"standard": true, "id": true, "asks": true, "supports": true, "lacks": true, "missing": true, "excess": true, "unavoidable": true, "used": true, "unused": true,
	"privileges": true, "does": true, "calls": true, "reports": true, "alert": true, "drift": true, "view": true, "caution": true, "asOf": true,
	"grants": true, "allows": true, "expected": true, "can": true,
}

// omitted stands for a text with names that no field has: addresses, files, failed logins.
const omitted = "left out"

// withoutTexts drops free texts: errors, remedies and texts of findings. Their codes and the
// figures are enough for readers outside.
func (r *Report) withoutTexts() {
	for i := range r.VCenters {
		v := &r.VCenters[i]
		if v.Error != "" {
			v.Error = omitted
		}
		for n := range v.Others {
			v.Others[n].Removal = ""
		}
		if v.History.Unknown != "" {
			v.History.Unknown = omitted
		}
		v.Notes = nil
		if v.Usage != nil {
			v.Usage.Notes = nil
			if v.Usage.Error != "" {
				v.Usage.Error = omitted
			}
		}
	}
	for i := range r.Verification.VCenters {
		v := &r.Verification.VCenters[i]
		if v.Error != "" {
			v.Error = omitted
		}
		for k := range v.Accounts {
			a := &v.Accounts[k]
			if a.Reason != "" {
				a.Reason = omitted
			}
			if !slices.Contains(verify.Logins(), a.Login) {
				a.Login = "refused"
			}
			for n := range a.Objects {
				a.Objects[n].Reasons = nil
			}
		}
	}
	if !slices.Contains(privileges.Names(), r.Scope.Matrix) {
		r.Scope.Matrix, r.Scope.Source = "of its own", ""
		for i := range r.Grants {
			r.Grants[i].Why, r.Grants[i].Source = "", ""
		}
	}
	r.Since = nil // its changes name what is gone, too
	r.Complete()
	for _, f := range r.found() {
		about, _ := finding.Explain(f.Code)
		f.Text, f.Remedies = about.Means, []string{}
	}
}

// built are names that every vCenter has, and parts of the inventory that vSphere names itself.
var built = []string{"vm", "host", "network", "datastore", "Resources", "", "Administrator", "Administrators", inventory.GlobalPath}

// Redact replaces the names of people, accounts, vCenters, clusters and objects by numbers, the
// same everywhere, for readers who may see grants but not names. A role's name keeps the parts that
// tell its purpose only if it holds no cluster's name.
func (r *Report) Redact() (*Report, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	r = new(Report) // the one that was given stays as it is
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	if r.Verification == nil {
		r.Verification = &verify.Result{}
	}
	r.withoutTexts()
	n := &names{by: map[string]string{}, count: map[string]int{}, prefix: r.Scope.RolePrefix}
	n.collect(r)
	if data, err = json.Marshal(r); err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	if data, err = json.Marshal(n.replaced("", tree)); err != nil {
		return nil, err
	}
	out := new(Report)
	if err := json.Unmarshal(data, out); err != nil {
		return nil, err
	}
	out.Redacted = true
	return out, nil
}

// names is what is replaced, by lower-case name.
type names struct {
	by     map[string]string
	count  map[string]int
	prefix string // of roles of ours

	ofCluster string
	cluster   *regexp.Regexp
	find      *regexp.Regexp
}

func (n *names) add(kind, name string) {
	key := strings.ToLower(name)
	if n.by[key] != "" || slices.ContainsFunc(built, func(b string) bool { return strings.EqualFold(b, name) }) {
		return
	}
	n.count[kind]++
	n.by[key] = fmt.Sprintf("%s-%d", kind, n.count[kind])
}

// principal adds an account or group, its name and its domain each for itself, in both spellings.
func (n *names) principal(kind, p string) {
	p = strings.TrimPrefix(p, "group ")
	domain, name, ok := strings.Cut(p, `\`)
	if !ok {
		name, domain, _ = strings.Cut(p, "@")
	}
	n.add("domain", domain)
	n.add(kind, name)
}

func (n *names) path(p string) {
	for _, part := range strings.Split(p, "/") {
		n.add("object", part)
	}
}

// collect finds every name in the fields that hold names.
func (n *names) collect(r *Report) {
	n.add("cluster", r.Cluster)
	n.ofCluster, n.cluster = r.Cluster, regexp.MustCompile("(?i)"+whole(cmp.Or(r.Cluster, "\x00")))
	for _, v := range r.VCenters {
		n.add("vcenter", v.Server)
		n.add("instance", v.InstanceUUID)
		for _, c := range v.Columns {
			n.principal("account", c.Principal)
		}
		for _, a := range v.Accounts {
			n.principal("account", a.Principal)
			for _, s := range a.Secrets {
				for _, part := range strings.Split(s, "/") {
					n.add("secret", part)
				}
			}
		}
		n.principal("person", v.Reader)
		for _, a := range v.Administrators {
			n.principal("person", a.Principal)
			for _, m := range a.Members {
				n.principal("person", m)
			}
		}
		for _, g := range v.Global {
			n.principal("person", g.Principal)
			n.role(g.Role)
		}
		for _, node := range v.Map {
			n.path(node.Path)
			for _, c := range node.Cells {
				for _, e := range c.Entries {
					n.role(e.Role)
					n.principal("person", e.Through)
					n.path(e.From)
				}
			}
		}
		for _, d := range v.Needs {
			n.path(d.Object)
		}
		for _, o := range v.Others {
			n.principal("person", o.Principal)
			if !systemRole(o.Role) { // others chose its name, whatever it begins with
				n.add("role", o.Role)
			}
			n.path(o.Object)
		}
		n.usage(v)
		for _, e := range v.History.Events {
			n.principal("person", e.By)
			n.principal("person", e.Principal)
			n.path(e.Object)
			n.role(e.Role)
		}
	}
	for _, d := range r.Domains {
		n.add("domain", d.Domain)
		for _, o := range slices.Concat(d.VCenters, d.Others) {
			n.add("vcenter", o)
		}
		for _, u := range d.Users {
			n.principal("account", u.Principal)
			n.add("cluster", u.Cluster)
		}
	}
	n.verification(r)
	var all []string
	for name := range n.by {
		all = append(all, whole(name))
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	n.find = regexp.MustCompile("(?i)" + strings.Join(all, "|"))
}

// whole finds a name where it is not a part of a longer word.
func whole(name string) string {
	pattern := regexp.QuoteMeta(name)
	word := regexp.MustCompile(`^\w`)
	if word.MatchString(name) {
		pattern = `\b` + pattern
	}
	if word.MatchString(name[len(name)-1:]) {
		pattern += `\b`
	}
	return pattern
}

func systemRole(name string) bool {
	return name == "Admin" || name == privileges.ReadOnly || name == "NoAccess"
}

// role adds a role's name, unless every cluster has it: known names within it are replaced.
func (n *names) role(name string) {
	if !systemRole(name) && (n.prefix != spec.DefaultRolePrefix || !strings.HasPrefix(name, n.prefix)) {
		n.add("role", name)
	}
}

// usage finds those that only what was used has.
func (n *names) usage(v VCenter) {
	if v.Usage == nil {
		return
	}
	for _, a := range v.Usage.Accounts {
		n.principal("account", a.Principal)
		for _, p := range a.Permissions {
			n.path(p.Object)
			n.role(p.Role)
		}
		for _, o := range slices.Concat(a.Held, a.NotHeld) {
			n.path(o.Object)
		}
	}
}

// verification finds those that only the verification has.
func (n *names) verification(r *Report) {
	if r.Verification == nil {
		return
	}
	for _, v := range r.Verification.VCenters {
		n.add("vcenter", v.Server)
		for _, a := range v.Accounts {
			n.principal("account", a.Principal)
			n.principal("account", a.Member)
			for _, o := range a.Objects {
				n.path(o.Path)
				n.path(o.HiddenBy)
			}
		}
	}
	for _, f := range r.Verification.Findings {
		for _, a := range f.Accounts {
			n.add("vcenter", a.Server)
			n.principal("account", a.Principal)
		}
	}
}

// replaced is a part of the report as JSON with its names replaced.
func (n *names) replaced(field string, part any) any {
	switch part := part.(type) {
	case map[string]any:
		if field == "grants" { // rows of a matrix
			return part
		}
		for key, value := range part {
			part[key] = n.replaced(key, value)
		}
	case []any:
		for i, value := range part {
			part[i] = n.replaced(field, value)
		}
	case string:
		if wordFields[field] || len(n.by) == 0 {
			return part
		}
		if number := n.by[strings.ToLower(part)]; number != "" {
			return number
		}
		if strings.HasPrefix(part, spec.DefaultRolePrefix) && n.prefix == spec.DefaultRolePrefix &&
			(field == "role" || field == "value" || field == "before" || field == "after") {
			return n.cluster.ReplaceAllString(part, n.by[strings.ToLower(n.ofCluster)])
		}
		return n.find.ReplaceAllStringFunc(part, func(found string) string { return n.by[strings.ToLower(found)] })
	}
	return part
}
