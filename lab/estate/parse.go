package estate

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// mostNodes is enough for as many objects as a file of the largest size can name.
const mostNodes = 2_000_000

// reader reads one file.
type reader struct{ *yamldoc.Reader }

// Parse is Load for text at hand; name stands for the path in errors.
func Parse(name string, data []byte) (*Estate, error) {
	r := &reader{yamldoc.New(name, yamldoc.Rules{Closed: true, MaxNodes: mostNodes, Unknown: noSecrets})}
	root := r.Document(data)
	if root == nil {
		return nil, r.Err()
	}
	o := r.Object(root, yamldoc.Place{Line: 1}, "apiVersion", "kind", "linked", "vcenters")
	r.header(o)
	e, linked := &Estate{}, o.Truth("linked")
	items, ok := o.List("vcenters")
	if ok && len(items) == 0 {
		r.At(o.Where("vcenters"), "is missing: list at least one vCenter")
	}
	for _, item := range items {
		e.VCenters = append(e.VCenters, r.vcenter(linked, item.Object(
			"server", "ssoDomain", "linkedWith", "identitySources", "privileges", "guests",
			"users", "groups", "roles", "objects", "permissions", "tags"), e))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

// noSecrets is the remedy for a field that would make somebody think that passwords belong here.
func noSecrets(field string) string {
	switch strings.ToLower(field) {
	case "password", "passwords", "description", "annotation":
		return ": an estate contains no passwords, descriptions or annotations; omit it"
	}
	return ""
}

func (r *reader) header(o yamldoc.Object) {
	for _, h := range []struct{ name, want string }{{"apiVersion", APIVersion}, {"kind", Kind}} {
		t := o.Text(h.name)
		switch {
		case t.Bad || t.Value == h.want:
		case t.Value == "":
			r.At(t.Place, "is missing: write %s: %s", h.name, h.want)
		default:
			r.At(t.Place, "%s is not valid: use %s", hint.Quote(t.Value), h.want)
		}
	}
}

// vcenter reads one vCenter. Those before it are in e.
func (r *reader) vcenter(linked bool, o yamldoc.Object, e *Estate) VCenter {
	v := VCenter{Domain: DefaultDomain}
	r.server(o.Text("server"), e, &v)
	r.domain(o, &v)
	r.link(linked, o, e, &v)
	w := &rights{reader: r, v: &v, domains: map[string]string{}}
	w.sources(o)
	w.privileges(o.Object("privileges", "knows", "without"))
	if guests := o.Text("guests"); guests.Value != "" {
		if _, err := netip.ParsePrefix(guests.Value); err != nil {
			r.At(guests.Place, "%s is not a network: they look like 192.0.2.0/24", hint.Quote(guests.Value))
		}
		v.Guests = guests.Value
	}
	w.principals(o)
	w.roles(o)
	p := newPlaces(r, &v)
	p.objects(o)
	w.permissions(o, p)
	p.tags(o)
	return v
}

func (r *reader) server(t yamldoc.Text, e *Estate, v *VCenter) {
	v.Server = t.Value
	if t.Value == "" {
		r.missing(t)
		return
	}
	s, err := spec.FromServers([]string{t.Value})
	if err != nil || s.VCenters[0].Server != t.Value {
		r.At(t.Place, "%s is not the name of a server: write it as in vcenter1.example.com", hint.Quote(t.Value))
	}
	for _, other := range e.VCenters {
		if strings.EqualFold(other.Server, t.Value) {
			r.At(t.Place, "%s is listed twice: remove one", hint.Quote(t.Value))
		}
	}
}

func (r *reader) domain(o yamldoc.Object, v *VCenter) {
	t := o.Text("ssoDomain")
	if t.Value != "" {
		v.Domain = t.Value
	}
	if !plain(v.Domain) || strings.EqualFold(v.Domain, localOS) {
		r.At(t.Place, "%s is not the name of an SSO domain: write it as in vsphere.local", hint.Quote(v.Domain))
	}
}

// link finds the vCenter that one shares its SSO domain with: the first of all where they are linked, else the one that it names.
func (r *reader) link(linked bool, o yamldoc.Object, e *Estate, v *VCenter) {
	t, i := o.Text("linkedWith"), 0
	switch {
	case linked && t.Value != "":
		r.At(t.Place, "all vCenters are linked already: omit it, or linked: true")
		return
	case !linked && t.Value == "" || len(e.VCenters) == 0 && linked:
		return
	case !linked:
		if i = slices.IndexFunc(e.VCenters, func(other VCenter) bool { return strings.EqualFold(other.Server, t.Value) }); i < 0 {
			r.At(t.Place, "%s is none of the vCenters before this one", hint.Quote(t.Value))
			return
		}
	}
	with := e.VCenters[i]
	if !strings.EqualFold(with.Domain, v.Domain) {
		r.At(o.Where("ssoDomain"), "linked vCenters share one SSO domain, and %s has %s: write that, or omit linked", with.Server, with.Domain)
	}
	v.LinkedWith = cmp.Or(with.LinkedWith, with.Server)
}

// plain reports whether a name of a domain can stand behind an @ and before a backslash.
func plain(domain string) bool {
	return domain != "" && !strings.ContainsAny(domain, "@\\/\" \t")
}

// missing reports a text that is required, once.
func (r *reader) missing(t yamldoc.Text) {
	if t.Value == "" && !t.Bad {
		r.At(t.Place, "is missing")
	}
}

// unique reports a value that was there before, whatever its case: the line of each.
type unique map[string]int

func (u unique) check(r *reader, t yamldoc.Text, key string) bool {
	key = strings.ToLower(key)
	if first, twice := u[key]; twice {
		r.At(t.Place, "%s is listed twice, first on line %d: remove one", hint.Quote(t.Value), first)
		return false
	}
	u[key] = t.Line
	return true
}
