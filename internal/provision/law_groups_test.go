package provision_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const lawDomain = "law.example.com"

// drawAdopted chooses principals that others made for two components: users and groups of the SSO domain and of an
// Active Directory, in the spellings that a vCenter takes. It gives the fields of the components, and makes the principals
// on every vCenter; linked ones have them already. Clusters of another kind of name have principals of their own: nobody can
// work for two.
func drawAdopted(t *rapid.T, lab *vcsim.Lab, clusters string) string {
	domain := lab.VCenters[0].Directory().Domain()
	for _, v := range lab.VCenters {
		d := v.Directory()
		_ = d.AddIdentitySource(directory.IdentitySource{Name: lawDomain, Alias: "LAW", Type: "ActiveDirectory"})
		for _, in := range []string{domain, lawDomain} {
			_ = d.AddUser(clusters+"svc-adopted@"+in, memberPassword, directory.Details{})
			_ = d.AddGroup(clusters+"grp-adopted@"+in, "")
			_ = d.AddGroup(clusters+"grp-inner@"+in, "")
			_ = d.AddMember(clusters+"grp-adopted@"+in, clusters+"grp-inner@"+in, true)
		}
		_ = d.AddUser(clusters+"member@"+lawDomain, memberPassword, directory.Details{})
		_ = d.AddMember(clusters+"grp-inner@"+lawDomain, clusters+"member@"+lawDomain, false)
		_ = d.AddMember(clusters+"grp-inner@"+domain, clusters+"member@"+lawDomain, false)
	}
	field := func(component string) string {
		kind := rapid.SampledFrom([]string{"svc", "svc", "grp"}).Draw(t, component+" is")
		in := rapid.SampledFrom([]string{domain, lawDomain, "LAW"}).Draw(t, component+" is in")
		kind = clusters + kind
		name := fmt.Sprintf("%s-adopted@%s", kind, in)
		if rapid.Bool().Draw(t, component+" with a backslash") {
			name = fmt.Sprintf(`%s\%s-ADOPTED`, in, kind)
		}
		said := ""
		if rapid.Bool().Draw(t, component+" says what it is") {
			said = fmt.Sprintf(", group: %t", kind == clusters+"grp")
		}
		return fmt.Sprintf("  %s: {principal: '%s'%s}\n", component, name, said)
	}
	return field("csi-driver") + field("diagnostics")
}

// lawMembers are the accounts that verify is given for them: right for the groups, somebody else's for the users.
func lawMembers(clusters string) map[component.Name]string {
	return map[component.Name]string{component.CSIDriver: clusters + "member@" + lawDomain, component.Diagnostics: `LAW\` + clusters + "member"}
}

// drawGroups puts accounts of ours into groups of the SSO domain, now and then: groups that others made, on all vCenters or on some,
// and groups that are to be made.
func drawGroups(t *rapid.T, lab *vcsim.Lab, s *spec.Spec) {
	for _, c := range groupable(s) {
		if kind := rapid.SampledFrom([]string{"", "", "", "kept", "made"}).Draw(t, string(c)+" by a group"); kind != "" {
			setGroup(t, lab, s, c, kind)
		}
	}
}

// groupable are the components whose accounts may be in groups.
func groupable(s *spec.Spec) (all []component.Name) {
	for _, c := range s.ComponentNames() {
		if a := s.Account(c); a.Ours() && a.Component == c {
			all = append(all, c)
		}
	}
	return all
}

// setGroup names the group of a component: one that others made, one that is to be made, or none.
func setGroup(t *rapid.T, lab *vcsim.Lab, s *spec.Spec, c component.Name, kind string) {
	all := map[component.Name]spec.Component{}
	for _, named := range component.Default() {
		if of, ok := s.Components[named]; ok || len(s.Components) == 0 {
			all[named] = of
		}
	}
	of := all[c]
	of.MemberOf = ""
	if kind != "" {
		of.MemberOf = fmt.Sprintf("%s %s %s", s.Cluster, kind, c)
	}
	all[c], s.Components = of, all
	for _, v := range lab.VCenters {
		if kind == "kept" && rapid.Bool().Draw(t, "on "+v.Server()) {
			_ = v.Directory().AddGroup(of.MemberOf+"@"+v.Directory().Domain(), keptByHand) // linked vCenters have it
		}
	}
}

const keptByHand = "kept by hand"

// groups are all groups of all vCenters, with their members, by server and name.
func (h *house) groups() map[string]directory.Group {
	all := map[string]directory.Group{}
	for _, v := range h.lab.VCenters {
		for _, g := range v.Directory().Groups() {
			all[v.Server()+" "+g.Name+"@"+g.Domain] = g
		}
	}
	return all
}

// takeBack removes the groups that others made meanwhile, which have to be there, without members.
func (h *house) takeBack(t *rapid.T, before map[string]directory.Group) {
	for _, v := range h.lab.VCenters {
		for _, g := range v.Directory().Groups() {
			name := g.Name + "@" + g.Domain
			if _, was := before[v.Server()+" "+name]; was || g.Description != keptByHand {
				continue
			}
			if err := v.Directory().RemoveGroup(name); err != nil || len(g.Members) > 0 {
				t.Fatalf("group %s of others: %+v, %v", name, g, err)
			}
		}
	}
}

// groupsOfOthers is the law's sentence for groups: one that others made stays, with its description and its members, and none is there
// more that lacks our mark. What others put into one of ours keeps it.
func (h *house) groupsOfOthers(t *rapid.T, after string, before map[string]directory.Group) {
	now := h.groups()
	for name, was := range before {
		_, _, ours := sso.ParseMark(was.Description)
		var foreign []directory.Principal // members
		for _, m := range was.Members {
			if m.Group || !h.spec.Makes(m.Name) {
				foreign = append(foreign, m)
			}
		}
		g, there := now[name]
		switch {
		case !there && (!ours || len(foreign) > 0):
			t.Fatalf("%s removed group %s", after, name)
		case there && g.Description != was.Description:
			t.Fatalf("%s gave group %s the description %q", after, name, g.Description)
		}
		for _, m := range foreign {
			if !slices.Contains(g.Members, m) {
				t.Fatalf("%s took %v out of group %s", after, m, name)
			}
		}
	}
	for name, g := range now {
		if _, was := before[name]; !was && !strings.HasPrefix(g.Description, "OpenShift cluster "+h.spec.Cluster+", component ") {
			t.Fatalf("%s made group %s with the description %q", after, name, g.Description)
		}
	}
}

// moveGroups gives an account another group, or none, now and then, and takes back what the former one has. A stranger in that one keeps
// it until the stranger has left.
func (h *house) moveGroups(t *rapid.T) {
	components := groupable(h.spec)
	if len(components) == 0 || rapid.IntRange(0, 2).Draw(t, "another group") > 0 {
		return
	}
	c := rapid.SampledFrom(components).Draw(t, "of")
	former := h.spec.Account(c).MemberOf
	whole := h.spec.Components
	setGroup(t, h.lab, h.spec, c, rapid.SampledFrom([]string{"", "kept", "made"}).Draw(t, "next"))
	before := h.groups()
	stop, _ := disturb(t, h.lab)
	h.until(t, "apply of another group", h.apply)
	stop()
	h.groupsOfOthers(t, "apply of another group", before)
	if v := h.verify(t); v.Err() != nil || h.misses(v) { // what it had itself may stay until --prune
		t.Fatalf("verify after apply of another group:\n%s\n%s", failing(v), h.spec.YAML())
	}
	server := h.lab.VCenters[0]
	d := server.Directory()
	at := former + "@" + d.Domain()
	_, left := d.Group(at)
	stranger := left && h.spec.Account(c).MemberOf != former && rapid.Bool().Draw(t, "a stranger")
	if stranger {
		if err := errors.Join(d.AddUser("stranger@"+d.Domain(), memberPassword, directory.Details{}),
			d.AddMember(at, "stranger@"+d.Domain(), false)); err != nil {
			t.Fatal(err)
		}
	}
	h.o.Request.Prune = true
	defer func() { h.o.Request.Prune = false }()
	before = h.groups()
	stop, _ = disturb(t, h.lab)
	h.until(t, "apply --prune of another group", h.apply)
	stop()
	h.groupsOfOthers(t, "apply --prune of another group", before)
	if stranger {
		if err := d.RemoveUser("stranger@" + d.Domain()); err != nil {
			t.Fatal(err)
		}
		h.until(t, "apply --prune after the stranger", h.apply)
	}
	for _, v := range h.lab.VCenters {
		g, there := v.Directory().Group(former + "@" + v.Directory().Domain())
		if there && h.spec.Account(c).MemberOf != former && (g.Description != keptByHand || len(g.Members) > 0) {
			t.Fatalf("group %s is left: %+v", former, g)
		}
	}
	if p := h.plan(t); p.Err() != nil || p.Differs() {
		t.Fatalf("another group leaves something (%v):\n%s", p.Err(), text(p))
	}
	h.proved(t, "apply --prune of another group", h.verify(t))
	if rapid.Bool().Draw(t, "and back") {
		h.o.Request.Prune = false
		h.spec.Components = whole
		h.until(t, "apply of the former group", h.apply)
		h.o.Request.Prune = true
		h.until(t, "apply --prune of the former group", h.apply)
		h.proved(t, "apply --prune of the former group", h.verify(t))
	}
}
