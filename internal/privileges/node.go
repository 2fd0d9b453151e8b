package privileges

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// word reads a field that has to be one of known; "" where it is left out or wrong.
func word[T ~string](p *parser, o yamldoc.Object, field, kind string, known []T) T {
	t := o.Text(field)
	if t.Bad || !o.Has(field) {
		return ""
	}
	return oneOf(p, t, kind, known)
}

// words reads a list of scalars that each have to be one of known, once.
func words[T ~string](p *parser, o yamldoc.Object, field, kind string, known []T) []T {
	var out []T
	list, _ := o.Texts(field)
	for _, t := range list {
		switch w := oneOf(p, t, kind, known); {
		case w == "":
		case slices.Contains(out, w):
			p.Report(t.Line, "%s %q is listed twice", kind, w)
		default:
			out = append(out, w)
		}
	}
	return out
}

func oneOf[T ~string](p *parser, t yamldoc.Text, kind string, known []T) T {
	if w := T(t.Value); slices.Contains(known, w) {
		return w
	}
	p.Report(t.Line, "%v", unknown(kind, t.Value, component.Words(known)))
	return ""
}

// values are the strings of a list.
func values(list []yamldoc.Text, _ bool) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.Value)
	}
	return out
}
