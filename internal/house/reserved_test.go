package house_test

import (
	"slices"
	"strings"
	"testing"
)

// reservation keeps one import in one room, so that the library can be replaced there without anybody else noticing.
type reservation struct {
	what   string
	match  func(importPath string) bool
	rooms  []string // packages that may import it; packages below them too
	tests  bool     // tests of other rooms are bound as well
	reason string
}

func reservations() []reservation {
	return []reservation{
		{what: "cobra", match: under("github.com/spf13/cobra"), rooms: []string{"internal/cli", "lab/cli", "harness"}, reason: "commands live in cli"},
		{what: "pflag", match: under("github.com/spf13/pflag"), rooms: []string{"internal/cli", "lab/cli", "harness"}, reason: "flags live in cli"},
		{what: "viper", match: under("github.com/spf13/viper"), rooms: []string{"internal/cli"}, reason: "settings are read in cli"},
		{what: "survey", match: under("github.com/AlecAivazis/survey"), rooms: []string{"internal/wizard"}, reason: "questions are asked in wizard"},
		{what: "tablewriter", match: under("github.com/olekukonko/tablewriter"), rooms: []string{"internal/term"}, reason: "tables are drawn in term"},
		{what: "ini.v1", match: under("gopkg.in/ini.v1"), rooms: []string{"internal/credfile"}, reason: "the credentials file has one reader"},
		{what: "age", match: under("filippo.io/age"), rooms: []string{"internal/sealed"}, reason: "what is encrypted, and to whom, is decided in one room"},
		{what: "client-go", match: under("k8s.io/client-go"), rooms: []string{"internal/kube"}, reason: "a running cluster is read in one room, and gets what is applied and Events from there"},
		{what: "os/exec", match: under("os/exec"), rooms: []string{"internal/program"}, reason: "another program is run in one room, where somebody asked for it, and never with a login of ours"},
		{
			what: "govmomi's simulators", match: isSimulator, rooms: []string{"lab/vcsim"}, tests: true,
			reason: "they grant everything to everybody: a test against them proves nothing",
		},
		{what: "the simulation", match: under(module + "/lab/vcsim"), rooms: []string{"lab/cli", "lab/consumers", "lab/vcsim"}, reason: "what serves it, and tests, need a simulated vCenter"},
		{what: "the model of a cluster", match: under(module + "/lab/consumers"), reason: "it shows what a rotation does to those who log in"},
		{what: "the harness", match: under(module + "/harness"), rooms: []string{"harness"}, reason: "it is for tests"},
		{what: "a test library", match: isTestLibrary, rooms: []string{"harness"}, reason: "it belongs into tests"},
	}
}

// under matches the import path and everything below it.
func under(prefix string) func(string) bool {
	return func(path string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
}

func isGovmomi(path string) bool { return under("github.com/vmware/govmomi")(path) }

// isSimulator matches govmomi/simulator and its kin: lookup/simulator, sts/simulator, ssoadmin/simulator, vapi/simulator.
func isSimulator(path string) bool {
	return isGovmomi(path) && slices.Contains(strings.Split(path, "/"), "simulator")
}

func isTestLibrary(path string) bool {
	return path == "testing" || under("github.com/google/go-cmp")(path) ||
		under("github.com/rogpeppe/go-internal/testscript")(path) || under("pgregory.net/rapid")(path)
}

func TestReservedImports(t *testing.T) {
	t.Parallel()
	for _, r := range reservations() {
		for _, p := range packages(t) {
			if slices.ContainsFunc(r.rooms, func(room string) bool { return under(room)(p.Path) }) {
				continue
			}
			imports := p.Imports
			if r.tests {
				imports = slices.Concat(p.Imports, p.TestImports, p.XTestImports)
			}
			if i := slices.IndexFunc(imports, r.match); i >= 0 {
				where := "allowed in tests only"
				if len(r.rooms) > 0 {
					where = "allowed in " + strings.Join(r.rooms, ", ")
				}
				t.Errorf("%s imports %s: %s (%s)", p.Path, imports[i], where, r.reason)
			}
		}
	}
}
