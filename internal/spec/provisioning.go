package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// noManagedStorageClass switches off the one condition that holds by itself.
const noManagedStorageClass = "no-managed-storageclass"

// The fields and words of a provisioning file.
var (
	rootFields      = []string{"apiVersion", "kind", "cluster", "credentialsFile", "profile", "privileges", "accounts", "components", "vcenters"}
	privilegeFields = []string{"matrix", "roleLayout", "rolePrefix", "conditions"}
	vcenterFields   = []string{"server", "port", "address", "failureDomains"}
	domainFields    = []string{
		"name", "datacenter", "computeCluster", "datastore", "networks", "folder", "resourcePool", "template", "hostGroup",
	}
	profiles    = []string{ProfileKubeSystem, ProfileComponentScoped, ProfileManual, ProfilePassthrough}
	roleLayouts = []string{"scope", "component"}
)

// provisioning reads a provisioning file.
func (r *reader) provisioning(root *yaml.Node) *Spec {
	if topField(root, "platform") && topField(root, "metadata") {
		r.report(0, "is an install-config, not a provisioning file: pass it with --install-config")
		return nil
	}
	o := r.object(root, place{line: 1}, rootFields...)
	s := blank()
	r.header(o)
	s.CredentialsFile = r.credentialsFile(o.text("credentialsFile"))
	s.Profile = o.choice("profile", DefaultProfile, profiles...)
	s.Privileges = r.privileges(o.object("privileges", privilegeFields...))
	username := o.object("accounts", "username").text("username")
	if username.value != "" {
		s.Accounts.Username = username.value
	}
	s.Components = r.components(o, s)
	cluster := o.text("cluster")
	s.Cluster = cluster.value
	r.accounts(s, cluster, username)

	nodes, places, ok := o.list("vcenters")
	if ok && len(nodes) == 0 {
		r.missing(o.where("vcenters"))
	}
	var sources []vcenterSource
	for i, n := range nodes {
		sources = append(sources, r.vcenterSource(r.object(n, places[i], vcenterFields...)))
	}
	s.VCenters = r.vcenters(sources)
	return s
}

func topField(root *yaml.Node, name string) bool {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == name {
			return true
		}
	}
	return false
}

// missing reports a required field that is absent, null or empty.
func (r *reader) missing(p place) { r.report(p.line, "%s is missing", p.path) }

// require reports a required text that is missing, once.
func (r *reader) require(t text) {
	if t.value == "" && !t.bad {
		r.missing(t.place)
	}
}

func (r *reader) header(o object) {
	for _, h := range []struct{ name, want string }{{"apiVersion", APIVersion}, {"kind", Kind}} {
		t := o.text(h.name)
		switch {
		case t.bad || t.value == h.want:
		case t.value == "":
			r.report(t.line, "%s is missing: write %s: %s", t.path, h.name, h.want)
		default:
			r.at(t.place, "%s is not understood: write %s", quote(t.value), h.want)
		}
	}
}

func (r *reader) privileges(o object) Privileges {
	p := Privileges{
		Matrix:     r.matrix(o.text("matrix")),
		RoleLayout: o.choice("roleLayout", DefaultRoleLayout, roleLayouts...),
		RolePrefix: o.text("rolePrefix").value,
	}
	if p.RolePrefix == "" {
		p.RolePrefix = DefaultRolePrefix
	}
	conditions, _ := o.texts("conditions")
	for _, c := range conditions {
		r.condition(c, p.Conditions)
		p.Conditions = append(p.Conditions, c.value)
	}
	return p
}

// matrix takes a name or a path. A path is opened by whoever loads the matrix, not here.
func (r *reader) matrix(t text) string {
	if t.value == "" {
		return DefaultMatrix
	}
	isPath := strings.ContainsAny(t.value, `/\`) || strings.HasSuffix(t.value, ".yaml") || strings.HasSuffix(t.value, ".yml")
	if names := privileges.Names(); !isPath && !slices.Contains(names, t.value) {
		r.at(t.place, "%s is unknown (the path of a file holds a / or ends with .yaml)%s", quote(t.value), suggest(t.value, names))
	}
	return t.value
}

func (r *reader) condition(t text, before []string) {
	known := []string{}
	for _, c := range privileges.Selectable() {
		known = append(known, string(c))
	}
	if !slices.Contains(known, noManagedStorageClass) {
		known = append(known, noManagedStorageClass)
	}
	opposite := map[string]string{
		noManagedStorageClass: string(privileges.ManagedStorageClass), string(privileges.ManagedStorageClass): noManagedStorageClass,
	}[t.value]
	switch {
	case slices.Contains(before, t.value):
		r.at(t.place, "%s is named twice", quote(t.value))
	case opposite != "" && slices.Contains(before, opposite):
		r.at(t.place, "%s contradicts %s", quote(t.value), quote(opposite))
	case slices.Contains(known, t.value):
	case privileges.Condition(t.value).Topology():
		r.at(t.place, "%s follows from the failure domains and cannot be named here", quote(t.value))
	default:
		r.at(t.place, "%s is unknown%s", quote(t.value), suggest(t.value, known))
	}
}

func (r *reader) components(o object, s *Spec) map[component.Name]Component {
	list := o.object("components", component.Words(component.Names())...)
	var components map[component.Name]Component
	for name := range list.fields {
		if components == nil {
			components = map[component.Name]Component{}
		}
		fields := list.object(name, "principal", "group")
		principal, group := fields.text("principal"), fields.maybe("group")
		if principal.value == "" && !principal.bad && group != nil {
			r.at(fields.where("group"), "says something of a principal, and none is named")
		}
		if principal.value != "" {
			r.principal(principal, group)
			if why := s.unused(component.Name(name)); why != "" {
				r.at(principal.place, "is never used: %s", why)
			}
		}
		components[component.Name(name)] = Component{Principal: principal.value, Group: group}
	}
	return components
}

func (r *reader) vcenterSource(o object) vcenterSource {
	src := vcenterSource{
		server: o.text("server"), address: o.text("address"),
		port: o.number("port", DefaultPort), portAt: o.where("port"), maxPort: 65535,
	}
	nodes, places, _ := o.list("failureDomains")
	for i, n := range nodes {
		src.domains = append(src.domains, r.domainSource(r.object(n, places[i], domainFields...)))
	}
	return src
}

// domainSource reads a failure domain whose fields are all in one mapping.
func (r *reader) domainSource(o object) domainSource {
	src := domainSource{
		name: o.text("name"), datacenter: o.text("datacenter"), computeCluster: o.text("computeCluster"),
		datastore: o.text("datastore"), folder: o.text("folder"), resourcePool: o.text("resourcePool"),
		template: o.text("template"), hostGroup: o.truth("hostGroup"),
	}
	src.networks = r.networks(o)
	return src
}

// networks reads the required list of networks.
func (r *reader) networks(o object) []text {
	networks, ok := o.texts("networks")
	if ok && len(networks) == 0 {
		r.missing(o.where("networks"))
	}
	return networks
}

// suggest is the end of an error about an unknown word: the nearest known one, else all of them.
func suggest(word string, known []string) string {
	// Distance costs length times length for each known word: bound it, for nobody misspells so much.
	if len(word) <= 200 && len(known) <= 200 {
		if near := privileges.Nearest(word, known); near != "" {
			return fmt.Sprintf("; did you mean %s?", quote(near))
		}
	}
	if len(known) == 0 || len(known) > 12 {
		return ""
	}
	return "; known: " + strings.Join(known, ", ")
}

// quote renders a value for an error: escaped, and cut where nobody would read on.
func quote(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "..."
	}
	return strconv.Quote(s)
}
