package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Narrow keeps only the named vCenters and components; nil keeps all. Naming an opt-in component
// adds it if the specification names none. An unknown name is an error without changes.
func (s *Spec) Narrow(vcenters, components []string) error {
	var errs []error
	keep := map[string]bool{}
	var servers []string
	for _, vc := range s.VCenters {
		servers = append(servers, vc.Server)
	}
	for _, name := range vcenters {
		vc, err := fromServer(name)
		i := slices.IndexFunc(s.VCenters,
			func(o VCenter) bool { return serverKey(o.Server) == serverKey(vc.Server) })
		switch {
		case err != nil:
			errs = append(errs, err)
		case i < 0:
			errs = append(errs, fmt.Errorf("vCenter %s is not in the file%s", hint.Quote(name), hint.Suggest(vc.Server, servers)))
		case name != vc.Server && vc.Port != s.VCenters[i].Port:
			errs = append(errs, fmt.Errorf("vCenter %s has port %d in the file, not %d", hint.Quote(vc.Server), s.VCenters[i].Port, vc.Port))
		default:
			keep[serverKey(vc.Server)] = true
		}
	}
	known, here := component.Words(component.Names()), component.Words(s.ComponentNames())
	kept, whole := map[component.Name]Component{}, *s
	for _, name := range components {
		c := component.Name(name)
		switch {
		case !slices.Contains(known, name):
			errs = append(errs, fmt.Errorf("component %s is unknown%s", hint.Quote(name), hint.Suggest(name, known)))
		case s.profile().Lacks(c) != nil:
			errs = append(errs, s.profile().Lacks(c))
		case c.OptIn() && len(s.Components) == 0 && s.accountOf(c) == c:
			kept[c] = Component{}
			whole.Components = whole.with(c)
		case !slices.Contains(here, name):
			why := "is not in the file, which names " + strings.Join(here, ", ")
			if unused := s.unused(c); unused != "" {
				why = "cannot be used alone: " + unused
			}
			errs = append(errs, fmt.Errorf("component %s %s", hint.Quote(name), why))
		default:
			for _, c := range s.named() { // those that share the account too: what they need is on it
				if s.accountOf(c) == component.Name(name) {
					kept[c] = s.Components[c]
				}
			}
		}
	}
	if len(components) > 0 {
		errs = append(errs, s.splitsPrincipal(kept)...)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if s.Before == nil && len(vcenters)+len(components) > 0 {
		s.Before = &whole
	}
	if len(vcenters) > 0 {
		s.VCenters = slices.DeleteFunc(slices.Clone(s.VCenters),
			func(vc VCenter) bool { return !keep[serverKey(vc.Server)] })
	}
	if len(components) > 0 {
		s.Components = kept
	}
	return nil
}

// with are the components of a specification, written out, and more.
func (s *Spec) with(more ...component.Name) map[component.Name]Component {
	all := map[component.Name]Component{}
	for _, c := range append(s.named(), more...) {
		all[c] = s.Components[c]
	}
	return all
}

// Whole is the specification before Narrow: what Narrow left out was not dropped.
func (s *Spec) Whole() *Spec {
	if s.Before != nil {
		return s.Before
	}
	return s
}

// splitsPrincipal refuses to leave out a component that shares another's account with one that is
// kept, because the account's one permission on an object would lose its privileges.
func (s *Spec) splitsPrincipal(kept map[component.Name]Component) []error {
	var errs []error
	for _, c := range s.ComponentNames() {
		of, keeps := kept[c]
		for _, other := range s.ComponentNames() {
			if _, both := kept[other]; keeps && !both && of.Principal != "" &&
				strings.EqualFold(of.Principal, s.Components[other].Principal) {
				errs = append(errs, fmt.Errorf("component %s cannot be used without %s: both use %s", hint.Quote(string(c)), other, of.Principal))
			}
		}
	}
	return errs
}
