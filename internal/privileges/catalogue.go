package privileges

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed data/catalogue.txt
var catalogue string

// Catalogue returns the 482 recorded ids of one vCenter, sorted. The file's header tells where they come from. It is for lint
// without a vCenter: releases differ, so what is sent has to be held against the vCenter that gets it.
func Catalogue() []string {
	var ids []string
	for line := range strings.Lines(catalogue) {
		if id := strings.TrimSpace(line); id != "" && !strings.HasPrefix(id, "#") {
			ids = append(ids, id)
		}
	}
	return ids
}

// ReadOnly is the name of the system role with no privilege but the implicit ones.
const ReadOnly = "ReadOnly"

// ImplicitIDs are those that vCenter puts into every role by itself, asked or not, sorted.
func ImplicitIDs() []string { return []string{"System.Anonymous", "System.Read", "System.View"} }

// Implicit reports whether an id is one of ImplicitIDs.
func Implicit(id string) bool { return slices.Contains(ImplicitIDs(), id) }

// Strip returns ids sorted, without duplicates and without the implicit three: the form in which two roles are compared.
func Strip(ids []string) []string {
	return slices.DeleteFunc(sortedUnique(ids), Implicit)
}

// UIName returns the path of labels that the vSphere Client shows for an id, "" if none is recorded. Labels are those of vSphere
// 8 in English; vSphere 7 calls the two StorageProfile ids "Profile-driven storage view" and "... update".
func UIName(id string) string { return labels[id].ui }

// Operation says in a few words what an account without the id cannot do, "" if none is recorded.
func Operation(id string) string { return labels[id].operation }

// sortedUnique returns a sorted copy without duplicates, never nil.
func sortedUnique(ids []string) []string {
	out := slices.Clone(ids)
	if out == nil {
		out = []string{}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
