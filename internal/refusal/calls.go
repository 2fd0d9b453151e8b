package refusal

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Calls that a line names otherwise than by their methods: by path, and by what a component says of its session.
var (
	taggingPath  = pattern.Of(`(?:\b(GET|POST|PATCH|DELETE)\s+"?\S*)?\btagging/(tag-association|tag|category)\b([^\s"]*)`)
	action       = pattern.Of(`\baction=([a-z-]+)`)
	sessionWords = pattern.Of(`(?i)check(?:ing)? if (?:vim )?session is active|performing (?:SOAP )?session check request`)
)

// callOf is the call that a line names, in any spelling of a library.
func callOf(line string) string {
	if m := taggingPath().FindStringSubmatch(line); m != nil {
		if call := taggingCall(m[1], m[2], m[3]); call != "" {
			return call
		}
	}
	if sessionWords().MatchString(line) {
		return "SessionIsActive"
	}
	text := strings.ToLower(line)
	best := ""
	for _, c := range component.Names() {
		for _, d := range privileges.Duties(c) {
			for _, call := range d.Calls() {
				word := strings.ToLower(strings.TrimSuffix(call, "_Task"))
				if strings.Contains(text, word) && len(call) > len(best) {
					best = call
				}
			}
		}
	}
	return best
}

// taggingCall is the operation of a request about tags; "" = the line does not tell its method.
func taggingCall(method, noun, rest string) string {
	noun = strings.ReplaceAll(noun, "-", "_") + "."
	if m := action().FindStringSubmatch(rest); m != nil {
		return noun + strings.ReplaceAll(m[1], "-", "_")
	}
	switch method {
	case "":
		return ""
	case "GET":
		if strings.Trim(rest, "/:,") == "" {
			return noun + "list"
		}
		return noun + "get"
	}
	return noun + map[string]string{"POST": "create", "PATCH": "update", "DELETE": "delete"}[method]
}

// cited are the components by the files, with their directories, that the duties of one alone have as their source: loggers that
// write where a line comes from write these.
var cited = sync.OnceValue(func() map[string]component.Name {
	file, by := regexp.MustCompile(`[\w-]+/[\w-]+\.go\b`), map[string]component.Name{}
	for _, c := range component.Names() {
		for _, d := range privileges.Duties(c) {
			for _, name := range file.FindAllString(d.Source, -1) {
				if other, ok := by[name]; ok && other != c {
					by[name] = "" // several
				} else {
					by[name] = c
				}
			}
		}
	}
	return by
})

// loggedFrom is a place in a source file, as a logger writes it.
var loggedFrom = pattern.Of(`\b[\w-]+/[\w-]+\.go:[0-9]+`)
