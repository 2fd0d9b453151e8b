package estate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// Replace gives the estate with other names for servers, domains, principals, custom roles and objects, so that it can be sent to
// somebody. The same name has the same replacement wherever it is; what every vCenter has keeps its name. Structure, types and
// privileges stay. The numbers in the new names are dealt by shuffle, so that they do not tell how the old ones were sorted;
// rand.Shuffle is one.
func (e *Estate) Replace(shuffle func(n int, swap func(i, j int))) *Estate {
	n := collectNames(e)
	n.deal(shuffle)
	out := &Estate{}
	for _, v := range e.VCenters {
		out.VCenters = append(out.VCenters, n.vcenter(v))
	}
	slices.SortFunc(out.VCenters, func(a, b VCenter) int { return strings.Compare(a.Server, b.Server) })
	first := map[string]string{} // of those that are linked, by the one that was the first
	for i := range out.VCenters {
		v := &out.VCenters[i]
		was := cmp.Or(v.LinkedWith, v.Server)
		v.LinkedWith = first[was]
		if first[was] == "" {
			first[was] = v.Server
		}
	}
	return out
}

// wellKnown are principals that the SSO domain or the appliance of every vCenter has.
// Source: vSphere Authentication, Groups in the vCenter Single Sign-On Domain.
func wellKnown(name string) bool {
	return slices.ContainsFunc([]string{
		"Administrator", "Administrators", "Users", "Everyone", "SolutionUsers", "ActAsUsers", "CAAdmins", "DCAdmins", "DCClients",
		"ExternalIDPUsers", "ComponentManager.Administrators", "LicenseService.Administrators", "SystemConfiguration.Administrators",
		"SystemConfiguration.BashShellAdministrators", "SystemConfiguration.ReadOnly", "SystemConfiguration.SupportUsers",
		"TrustedAdmins", "RegistryAdministrators", "AutoUpdate", "SyncUsers", "vSphereClientSolutionUsers", "ServiceProviderUsers",
		"NsxAdministrators", "NsxAuditors", "NsxViAdministrators", "vStatsGroup", "root",
	}, func(known string) bool { return strings.EqualFold(known, name) })
}

// failureDomainCategories are the categories of tags by which OpenShift knows regions and zones (installer, docs/user/vsphere).
func failureDomainCategories() []string { return []string{"openshift-region", "openshift-zone"} }

// names are the replacements, by kind of name.
type names struct{ servers, domains, aliases, principals, roles, objects, tags map[string]string }

func collectNames(e *Estate) *names {
	n := &names{
		servers: map[string]string{}, domains: map[string]string{}, aliases: map[string]string{}, principals: map[string]string{},
		roles: map[string]string{}, objects: map[string]string{}, tags: map[string]string{},
	}
	for _, v := range e.VCenters {
		n.servers[strings.ToLower(v.Server)] = ""
		n.domain(v.Domain)
		for _, s := range v.Sources {
			n.domain(s.Name)
			if s.Alias != "" {
				n.aliases[strings.ToLower(s.Alias)] = ""
			}
		}
		for _, u := range v.Users {
			n.principal(u.Name)
		}
		for _, g := range v.Groups {
			n.principal(g.Name)
			for _, m := range slices.Concat(g.Users, g.Groups) {
				n.principal(m)
			}
		}
		for _, r := range v.Roles {
			n.roles[r.Name] = ""
		}
		for _, o := range v.Objects {
			for name := range strings.SplitSeq(o.Path, "/") {
				if name != "" && !slices.Contains(ownFolders(), name) && name != rootPool {
					n.objects[name] = ""
				}
			}
			for _, h := range o.Hosts {
				n.objects[h] = ""
			}
		}
		for _, p := range v.Permissions {
			n.principal(p.Principal)
		}
		for _, t := range v.Tags {
			n.tags[t.Category], n.tags[t.Name] = "", ""
		}
	}
	for _, category := range failureDomainCategories() {
		delete(n.tags, category)
	}
	return n
}

func (n *names) domain(name string) {
	if !strings.EqualFold(name, DefaultDomain) && !strings.EqualFold(name, localOS) {
		n.domains[strings.ToLower(name)] = ""
	}
}

func (n *names) principal(principal string) {
	if name, _ := splitPrincipal(principal); !wellKnown(name) {
		n.principals[strings.ToLower(name)] = ""
	}
}

// deal numbers the names of each kind.
func (n *names) deal(shuffle func(n int, swap func(i, j int))) {
	for _, kind := range []struct {
		of     map[string]string
		format string
	}{
		{n.servers, "vcenter%d.example.com"},
		{n.domains, "domain%d.example.com"},
		{n.aliases, "DOMAIN%d"},
		{n.principals, "principal-%d"},
		{n.roles, "role-%d"},
		{n.objects, "name-%d"},
		{n.tags, "tag-%d"},
	} {
		all := slices.Sorted(maps.Keys(kind.of))
		shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for i, name := range all {
			kind.of[name] = fmt.Sprintf(kind.format, i+1)
		}
	}
}

// get is the replacement of a name, or the name where there is none.
func get(of map[string]string, key, name string) string {
	if other, ok := of[key]; ok {
		return other
	}
	return name
}

func (n *names) vcenter(v VCenter) VCenter {
	out := VCenter{
		Server: n.servers[strings.ToLower(v.Server)], Domain: n.newDomain(v.Domain), LinkedWith: n.servers[strings.ToLower(v.LinkedWith)],
		Knows: v.Knows, Without: v.Without,
	}
	for _, s := range v.Sources {
		out.Sources = append(out.Sources, Source{n.newDomain(s.Name), get(n.aliases, strings.ToLower(s.Alias), s.Alias), s.Type})
	}
	for _, u := range v.Users {
		out.Users = append(out.Users, User{Name: n.newPrincipal(u.Name), Disabled: u.Disabled})
	}
	for _, g := range v.Groups {
		out.Groups = append(out.Groups, Group{n.newPrincipal(g.Name), each(g.Users, n.newPrincipal), each(g.Groups, n.newPrincipal)})
	}
	for _, r := range v.Roles {
		out.Roles = append(out.Roles, Role{n.roles[r.Name], r.Privileges})
	}
	for _, o := range v.Objects {
		hosts := each(o.Hosts, func(h string) string { return n.objects[h] })
		out.Objects = append(out.Objects, Object{ // what guests tell stays here
			Path: n.newPath(o.Path), Type: o.Type, Hosts: hosts,
			Switch: n.newPath(o.Switch), Pool: n.newPath(o.Pool),
			Template: o.Template, Encrypted: o.Encrypted,
		})
	}
	for _, p := range v.Permissions {
		out.Permissions = append(out.Permissions, Permission{
			n.newPath(p.Object), n.newPrincipal(p.Principal), p.Group,
			get(n.roles, p.Role, p.Role), p.Propagate,
		})
	}
	for _, t := range v.Tags {
		out.Tags = append(out.Tags, Tag{get(n.tags, t.Category, t.Category), get(n.tags, t.Name, t.Name), each(t.Objects, n.newPath)})
	}
	out.sort()
	return out
}

func each(list []string, f func(string) string) (out []string) {
	for _, s := range list {
		out = append(out, f(s))
	}
	slices.SortFunc(out, byName)
	return out
}

func (n *names) newDomain(name string) string { return get(n.domains, strings.ToLower(name), name) }

func (n *names) newPrincipal(principal string) string {
	name, domain := splitPrincipal(principal)
	domain = get(n.aliases, strings.ToLower(domain), n.newDomain(domain))
	return get(n.principals, strings.ToLower(name), name) + "@" + domain
}

func (n *names) newPath(p string) string {
	if p == inventory.GlobalPath {
		return p
	}
	parts := strings.Split(p, "/")
	for i, name := range parts {
		parts[i] = get(n.objects, name, name)
		if one, beside := strings.CutSuffix(name, besideOther); beside && n.objects[name] == "" {
			parts[i] = get(n.objects, one, one) + besideOther
		}
	}
	return strings.Join(parts, "/")
}
