package privileges

import (
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Fold returns the matrix for accounts that several components share: every row of a component becomes one of
// into[component]. Rows of components that into does not have are left out. words are what roles of a component are
// called, where that is not its name. The receiver stays as it is.
func (m *Matrix) Fold(into map[component.Name]component.Name, words map[component.Name]string) *Matrix {
	folded := *m
	folded.words = maps.Clone(words)
	folded.Rows = nil
	for _, c := range component.Names() { // a component's own rows first, as in every matrix
		for _, r := range m.Rows {
			if to, ok := into[r.Component]; ok && to == c {
				r.Component = to
				folded.Rows = append(folded.Rows, r)
			}
		}
	}
	if m.Ancestors != nil {
		rule := *m.Ancestors
		rule.Components = nil
		for _, c := range m.Ancestors.Components {
			if to, ok := into[c]; ok && !slices.Contains(rule.Components, to) {
				rule.Components = append(rule.Components, to)
			}
		}
		folded.Ancestors = &rule
	}
	return &folded
}

// RoleWord is what the roles of a component are called between prefix and scope: its name, if Fold gave no other.
func (m *Matrix) RoleWord(c component.Name) string {
	if word, ok := m.words[c]; ok {
		return word
	}
	return string(c)
}
