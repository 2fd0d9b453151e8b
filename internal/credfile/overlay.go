package credfile

import (
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Overlay has Get and Servers answer with these accounts, by server, before those of the file. Save does not write them.
func (f *File) Overlay(accounts map[string]map[component.Name]Account) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = accounts
}

// overlaid are the sections that hold no account in the file, and one above it.
func (f *File) overlaid(sections []string) []string {
	above := slices.Sorted(maps.Keys(f.over))
	return slices.DeleteFunc(above, func(s string) bool { return len(f.over[s]) == 0 || slices.Contains(sections, s) })
}
