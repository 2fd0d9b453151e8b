package frame

import (
	"path"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// pluginName is what people type for a program that oc or kubectl found by its file name:
// "oc vsphere-admin" for oc-vsphere_admin; "" = it is none.
func pluginName(invoked string) string {
	file := strings.ToLower(path.Base(strings.ReplaceAll(invoked, `\`, "/")))
	of, name, _ := strings.Cut(strings.TrimSuffix(file, ".exe"), "-")
	if name == "" || of != "oc" && of != "kubectl" {
		return ""
	}
	return of + " " + strings.ReplaceAll(name, "_", "-")
}

// spokenAs puts name in the place of the program's where a command line or usage begins with it,
// and leaves it in paths, versions of documents and marks.
func spokenAs(name string, root *cobra.Command) func(string) string {
	next := []string{"help", "<", `\[`, "-"}
	for _, cmd := range root.Commands() {
		next = append(next, cmd.Name()+`\b`)
	}
	own := regexp.MustCompile(`(^|[^\w./\\-])` + root.Name() +
		`('| (?:` + strings.Join(next, "|") + "))")
	return func(text string) string { return own.ReplaceAllString(text, "${1}"+name+"${2}") }
}
