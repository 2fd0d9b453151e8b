package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// noManagedStorageClass switches off the one condition that holds by itself.
const noManagedStorageClass = "no-managed-storageclass"

func (r *reader) provisioning(root *yaml.Node) *Spec {
	if r.isAnother(root, "a provisioning file", "file") {
		return nil
	}
	root, err := r.underlay(root)
	if err != nil {
		r.common = err
		return nil
	}
	known := Fields()
	o := r.Object(root, yamldoc.Place{Line: 1}, known.Keys()...)
	s := blank()
	r.header(o, Kind)
	o.Text("common") // taken in above
	username := r.clusterSettings(o, s)
	r.checkSecrets(o.Object("secrets"), s)
	cluster := o.Text("cluster")
	s.Cluster = cluster.Value
	s.CredentialsFile = strings.ReplaceAll(s.CredentialsFile, "{cluster}", s.Cluster)
	r.accounts(s, cluster, username)

	items, ok := o.List("vcenters")
	if ok && len(items) == 0 {
		r.missing(o.Where("vcenters"))
	}
	var sources []vcenterSource
	for _, item := range items {
		sources = append(sources, r.vcenterSource(item, known.Field("vcenters")))
	}
	s.VCenters = r.vcenters(sources)
	s.ReconciledUpdates = release.ReadReconciled(r.Reader, o)
	return s
}

// clusterSettings reads what clusters may share. The template of account names is checked later.
func (r *reader) clusterSettings(o yamldoc.Object, s *Spec) (username yamldoc.Text) {
	known := Fields()
	s.CredentialsFile = r.credentialsFile(o.Text("credentialsFile"))
	s.LinkedGroup = r.linkedGroup(o.Text("linkedGroup"))
	s.Profile = o.Choice("profile", DefaultProfile, known.Field("profile").Words()...)
	s.Privileges = r.privileges(o, known.Field("privileges"))
	username = o.Object("accounts", known.Field("accounts").Keys()...).Text("username")
	if username.Value != "" {
		s.Accounts.Username = username.Value
	}
	s.Secrets = r.secrets(o, known.Field("secrets"))
	s.Components = r.components(o, known.Field("components"), s)
	return username
}

// linkedGroup is a name like that of a cluster.
func (r *reader) linkedGroup(t yamldoc.Text) string {
	if t.Value != "" && !clusterName().MatchString(t.Value) {
		r.At(t.Place, "%s is not a name: use letters, digits, dots, hyphens and underscores, with a letter or a digit at both ends", hint.Quote(t.Value))
	}
	return t.Value
}

func topField(root *yaml.Node, name string) bool {
	key, _ := fieldOf(root, name)
	return key != nil
}

// missing reports a required field that is absent, null or empty.
func (r *reader) missing(p yamldoc.Place) { r.Report(p.Line, "%s is missing", p.Path) }

// require reports a required text that is missing, once.
func (r *reader) require(t yamldoc.Text) {
	if t.Value == "" && !t.Bad {
		r.missing(t.Place)
	}
}

func (r *reader) header(o yamldoc.Object, kind string) {
	for _, h := range []struct{ name, want string }{{"apiVersion", APIVersion}, {"kind", kind}} {
		t := o.Text(h.name)
		switch {
		case t.Bad || t.Value == h.want:
		case t.Value == "":
			r.Report(t.Line, "%s is missing: write %s: %s", t.Path, h.name, h.want)
		default:
			r.At(t.Place, "%s is not valid: use %s", hint.Quote(t.Value), h.want)
		}
	}
}

// rolePrefix leaves out what vCenter escapes in names, and a space at the start.
var rolePrefix = pattern.Of(`^[^\pC\s/\\%][^\pC/\\%]*$`)

// CheckRolePrefix refuses what roles' names cannot begin with; "" is no prefix.
func CheckRolePrefix(prefix string) error {
	if prefix == "" || rolePrefix().MatchString(prefix) {
		return nil
	}
	return fmt.Errorf("%s: a role's name begins with no space, and has neither control characters nor '/', '\\' or '%%', which vCenter escapes", hint.Quote(prefix))
}

func (r *reader) privileges(in yamldoc.Object, known Field) Privileges {
	o := in.Object(known.Name, known.Keys()...)
	p := Privileges{
		Matrix:     r.matrix(o.Text("matrix")),
		RoleLayout: o.Choice("roleLayout", DefaultRoleLayout, known.Field("roleLayout").Words()...),
		RolePrefix: o.Text("rolePrefix").Value,
	}
	if err := CheckRolePrefix(p.RolePrefix); err != nil {
		r.At(o.Where("rolePrefix"), "%v", err)
	}
	p.RolePrefix = cmp.Or(p.RolePrefix, DefaultRolePrefix)
	conditions, _ := o.Texts("conditions")
	for _, c := range conditions {
		r.condition(c, p.Conditions, known.Field("conditions").Words())
		p.Conditions = append(p.Conditions, c.Value)
	}
	p.Added = r.added(o, known.Field("added"))
	return p
}

func (r *reader) secrets(in yamldoc.Object, known Field) Secrets {
	o := in.Object(known.Name, known.Keys()...)
	s := Secrets{
		CCOLabel:   o.Choice("ccoLabel", "", known.Field("ccoLabel").Words()...),
		RootSecret: o.Truth("rootSecret"),
	}
	extra, _ := o.Texts("extra")
	for _, e := range extra {
		switch words := known.Field("extra").Words(); {
		case slices.Contains(s.Extra, e.Value):
			r.At(e.Place, "%s is named twice", hint.Quote(e.Value))
		case !slices.Contains(words, e.Value):
			r.At(e.Place, "%s is unknown%s", hint.Quote(e.Value), hint.Suggest(e.Value, words))
		}
		s.Extra = append(s.Extra, e.Value)
	}
	return s
}

// checkSecrets refuses what the profile has no use for.
func (r *reader) checkSecrets(o yamldoc.Object, s *Spec) {
	profile, known := openshift.FindProfile(s.Profile)
	if known && !profile.Labelled && s.Secrets.CCOLabel != "" {
		r.At(o.Where("ccoLabel"), "is never used: profile %s has no label", s.Profile)
	}
	for field, used := range map[string]bool{"rootSecret": s.Secrets.RootSecret, "extra": len(s.Secrets.Extra) > 0} {
		if used && profile.Homes != nil {
			r.At(o.Where(field), "is never used: it is for OpenShift, and profile %s is for other clusters", s.Profile)
		}
	}
	if known && !profile.Manual && len(s.Secrets.Extra) > 0 {
		r.At(o.Where("extra"), "is never used: profile %s has no extra secrets, cloud-credential-operator makes them", s.Profile)
	}
}

// matrix takes a name or a path, without opening it.
func (r *reader) matrix(t yamldoc.Text) string {
	if t.Value == "" {
		return DefaultMatrix
	}
	isPath := strings.ContainsAny(t.Value, `/\`) || strings.HasSuffix(t.Value, ".yaml") || strings.HasSuffix(t.Value, ".yml")
	if names := privileges.Names(); !isPath && !slices.Contains(names, t.Value) {
		r.At(t.Place, "%s is unknown (the path of a file contains a / or ends with .yaml)%s",
			hint.Quote(t.Value), hint.Suggest(t.Value, names))
	}
	return t.Value
}

func (r *reader) condition(t yamldoc.Text, before, known []string) {
	opposite := map[string]string{
		noManagedStorageClass: string(privileges.ManagedStorageClass), string(privileges.ManagedStorageClass): noManagedStorageClass,
	}[t.Value]
	switch {
	case slices.Contains(before, t.Value):
		r.At(t.Place, "%s is named twice", hint.Quote(t.Value))
	case opposite != "" && slices.Contains(before, opposite):
		r.At(t.Place, "%s contradicts %s", hint.Quote(t.Value), hint.Quote(opposite))
	case slices.Contains(known, t.Value):
	case privileges.Condition(t.Value).Topology():
		r.At(t.Place, "%s follows from the failure domains and cannot be set here", hint.Quote(t.Value))
	default:
		r.At(t.Place, "%s is unknown%s", hint.Quote(t.Value), hint.Suggest(t.Value, known))
	}
}

func (r *reader) components(o yamldoc.Object, known Field, s *Spec) map[component.Name]Component {
	list := o.Object(known.Name, known.Keys()...)
	var components map[component.Name]Component
	disabled := map[string]yamldoc.Place{}
	for _, name := range list.Names {
		if components == nil {
			components = map[component.Name]Component{}
		}
		fields := list.Object(name, known.Names()...)
		if err := s.profile().Lacks(component.Name(name)); err != nil {
			r.At(list.Where(name), "%s", err)
		}
		principal, group := fields.Text("principal"), fields.Maybe("group")
		if principal.Value == "" && !principal.Bad && group != nil {
			r.At(fields.Where("group"), "requires a principal")
		}
		if principal.Value != "" {
			r.principal(principal, group)
			if why := s.unused(component.Name(name)); why != "" {
				r.At(principal.Place, "is never used: %s", why)
			}
		}
		memberOf := fields.Text("memberOf")
		if memberOf.Value != "" {
			r.memberOf(memberOf, principal.Value, components)
			if why := s.unused(component.Name(name)); why != "" {
				r.At(memberOf.Place, "is never used: %s", why)
			}
		}
		disabled[name] = fields.Where("disabled")
		components[component.Name(name)] = Component{
			Principal: principal.Value, Group: group, MemberOf: memberOf.Value, Disabled: fields.Truth("disabled"),
		}
	}
	s.Components = components
	for _, name := range list.Names {
		if c := component.Name(name); components[c].Disabled {
			if err := s.CheckDisabled(c); err != nil {
				r.At(disabled[name], "cannot be set: %s", err)
			}
		}
	}
	return components
}

func (r *reader) vcenterSource(in yamldoc.Item, known Field) vcenterSource {
	o := in.Object(known.Keys()...)
	src := vcenterSource{
		server: o.Text("server"), address: o.Text("address"),
		port: o.Number("port", DefaultPort), portAt: o.Where("port"), maxPort: 65535,
	}
	list := o.Object("accounts", known.Field("accounts").Keys()...)
	for _, name := range list.Names {
		user := list.Object(name, known.Field("accounts").Names()...).Text("user")
		if r.require(user); user.Value == "" {
			continue
		}
		if !accountName().MatchString(user.Value) { // without a domain: of the vCenter's own
			r.principal(user, new(bool))
		}
		if src.accounts == nil {
			src.accounts = map[component.Name]string{}
		}
		src.accounts[component.Name(name)] = user.Value
	}
	items, _ := o.List("failureDomains")
	for _, item := range items {
		src.domains = append(src.domains, r.domainSource(item.Object(known.Field("failureDomains").Keys()...)))
	}
	return src
}

// domainSource reads a failure domain whose fields are all in one mapping.
func (r *reader) domainSource(o yamldoc.Object) domainSource {
	src := domainSource{
		name: o.Text("name"), datacenter: o.Text("datacenter"), computeCluster: o.Text("computeCluster"),
		datastore: o.Text("datastore"), folder: o.Text("folder"), resourcePool: o.Text("resourcePool"),
		template: o.Text("template"), hostGroup: o.Truth("hostGroup"), region: o.Text("region"), zone: o.Text("zone"),
	}
	src.networks, _ = o.Texts("networks")
	return src
}
