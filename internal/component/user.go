package component

import (
	"slices"
	"strings"
)

// plain is a spelling that accounts of anybody end in, so that it says nothing of whose they are.
const plain = "storage"

// OfUser is the component in an account's name, as in ocp-cluster1-machine-api-2@vsphere.local; or "".
func OfUser(user string) Name {
	user = user[strings.Index(user, `\`)+1:]
	user, _, _ = strings.Cut(user, "@")
	words := strings.FieldsFunc(strings.ToLower(user),
		func(r rune) bool { return strings.ContainsRune("-_.", r) })
	if n := len(words); n > 1 && strings.Trim(words[n-1], "0123456789") == "" {
		words = words[:n-1]
	}
	for from := range words {
		end := strings.Join(words[from:], "")
		for _, c := range all() {
			if is(c, end) {
				return c.Name
			}
		}
	}
	return ""
}

// is reports whether a word, without hyphens, is a name of a component.
func is(c Component, word string) bool {
	names := append([]string{string(c.Name)}, c.Spellings...)
	if c.InCluster != nil {
		names = append(names, c.InCluster.Request.File)
	}
	return word != plain && slices.ContainsFunc(names,
		func(n string) bool { return strings.ReplaceAll(n, "-", "") == word })
}
