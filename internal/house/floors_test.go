package house_test

import (
	"slices"
	"strings"
	"testing"
)

// floors is the house: an import may only point to a lower floor. A package that is not named here has no place yet;
// give it one, at the lowest floor that works. Packages below internal/cli stand on the floor of internal/cli.
var floors = map[string]int{
	"internal/files":      0,
	"internal/component":  0,
	"internal/crash":      0,
	"internal/finding":    0,
	"internal/heap":       0,
	"internal/lists":      0,
	"internal/hint":       0,
	"internal/inventory":  0,
	"internal/objects":    0,
	"internal/pattern":    0,
	"internal/privileges": 0,
	"internal/program":    0,
	"internal/resolution": 0,
	"internal/script":     0,
	"internal/secret":     0,
	"internal/term":       0,
	"internal/visible":    0,
	"internal/yamldoc":    0,

	"internal/credfile":      1,
	"internal/installconfig": 1,
	"internal/kube":          1,
	"internal/markdown":      1,
	"internal/oc":            1,
	"internal/openshift":     1,
	"internal/refusal":       1,
	"internal/plan":          1,
	"internal/release":       1,
	"internal/sealed":        1,
	"internal/spec":          1,
	"internal/vcenter":       1,

	"internal/cluster":       2,
	"internal/held":          2,
	"internal/identity":      2,
	"internal/login":         2,
	"internal/perms":         2,
	"internal/plan/overview": 2,
	"internal/roles":         2,
	"internal/sso":           2,
	"internal/tags":          2,

	"internal/access":    3,
	"internal/accounts":  3,
	"internal/decision":  3,
	"internal/diagnosis": 3,
	"internal/inspect":   3,
	"internal/snapshot":  3,
	"internal/verify":    3,
	"internal/workorder": 3,

	"internal/provision": 4,
	"internal/reconcile": 4,
	"internal/usage":     4,
	"internal/report":    4,
	"internal/fleet":     4,
	"internal/metrics":   4,

	"internal/cli":    5,
	"internal/wizard": 5,

	"cmd/ocp-vsphere-admin": 6,
}

// beside is what stands beside the house: the laboratory, and what only tests use. No floor of the house leads there.
var beside = []string{"lab", "harness", "cmd/vcenter-lab"}

func isBeside(path string) bool {
	return slices.ContainsFunc(beside, func(of string) bool { return under(of)(path) })
}

// sideways are the arrows between two rooms of one floor. Each needs a reason, so that none comes to be by accident.
var sideways = map[string]string{
	"internal/objects -> internal/component":       "an object of a namespace is named as everywhere",
	"internal/objects -> internal/hint":            "who gives something else is told what prints them",
	"internal/objects -> internal/yamldoc":         "objects are read as strictly as every other file",
	"internal/held -> internal/cluster":            "what a cluster has already is no longer held",
	"internal/identity -> internal/cluster":        "which secret has an identity's account, and in which form, is said once",
	"internal/openshift -> internal/release":       "the CredentialsRequests of a release say who wants which secret",
	"internal/spec -> internal/release":            "the specification keeps which releases were prepared for",
	"internal/openshift -> internal/credfile":      "secrets are made from the accounts that the credentials file holds",
	"internal/installconfig -> internal/credfile":  "its accounts go to and come from the credentials file",
	"internal/installconfig -> internal/spec":      "the accounts of an install-config are those of the specification that it comes to",
	"internal/installconfig -> internal/openshift": "Accounts is the common form of what an install-config, a credentials file and secrets hold",
	"internal/cli/initcmd -> internal/wizard":      "the command init asks its questions through the wizard",
	"internal/cli/command -> internal/wizard":      "the logins that the wizard was given are not asked for again",
	"internal/provision -> internal/report":        "a job reads what a report shows",
	"internal/metrics -> internal/fleet":           "what is exported is the result of a fleet",
	"internal/report -> internal/usage":            "a report shows what was used, where somebody asks",
	"internal/provision -> internal/usage":         "a job reads what vCenters recorded of the accounts",
	"internal/finding -> internal/component":       "the accounts of a finding are those of components",
	"internal/privileges -> internal/finding":      "an id that no catalogue confirms is as bad as a finding",
	"internal/privileges -> internal/component":    "the rows of a matrix name components",
	"internal/privileges -> internal/hint":         "a misspelt name is answered with the nearest",
	"internal/privileges -> internal/yamldoc":      "a matrix is read as strictly as every other file",
	"internal/snapshot -> internal/access":         "what is wanted on the objects that were read is needs, and the permissions that satisfy them",
	"internal/snapshot -> internal/accounts":       "which generation of an account is in use follows from what was read of its SSO domain",
	"internal/snapshot -> internal/verify":         "what accounts are expected to have on a vCenter is judged there",
	"internal/decision -> internal/snapshot":       "a decision is a function of snapshots",
	"internal/decision -> internal/access":         "the permissions that are wanted become changes",
	"internal/decision -> internal/accounts":       "what an operation makes of an account is one table, and a refusal of it becomes a sentence",
	"internal/decision -> internal/verify":         "what a plan leaves a component unable to do is told as after it",
	"internal/decision -> internal/workorder":      "a work order is a plan that other teams carry out",
	"internal/inspect -> internal/access":          "what may be done on an object is explained by the permissions that reach it",
	"internal/verify -> internal/access":           "what somebody was seen to have is judged by the needs and the permissions that satisfy them",
	"internal/workorder -> internal/access":        "why a permission is needed depends on what its object is for the component",
	"internal/yamldoc -> internal/files":           "what is too large for a file is said once",
	"internal/yamldoc -> internal/pattern":         "its expressions are compiled when they are used, as everywhere",
	"internal/yamldoc -> internal/hint":            "an unknown field is answered with the nearest",
	"internal/privileges -> internal/files":        "a matrix may be a file, which is read as far as every other",
	"internal/spec -> internal/openshift":          "what a profile is, and which accounts it has, is one value there",
	"internal/spec -> internal/credfile":           "which user names the CSI driver takes is said once",
	"internal/privileges -> internal/pattern":      "its expressions are compiled when they are used, as everywhere",
	"internal/privileges -> internal/script":       "roles are exported as scripts",
	"internal/files -> internal/script":            "the remedy of a file that others can read is a command",
	"internal/script -> internal/visible":          "a word that hides something is written in escapes",
	"internal/term -> internal/visible":            "what steers a terminal is shown, not printed",
	"internal/term -> internal/lists":              "a hint that several errors have is printed once",
	"internal/term -> internal/pattern":            "its expressions are compiled when they are used, as everywhere",
	"internal/term -> internal/secret":             "a prompt for a password returns a Secret",
}

// floorOf returns the floor of a package given by its path inside the module.
func floorOf(path string) (int, bool) {
	if strings.HasPrefix(path, "internal/cli/") {
		path = "internal/cli"
	}
	floor, ok := floors[path]
	return floor, ok
}

func TestEveryPackageHasAFloor(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		if p.testsOnly() || isBeside(p.Path) {
			continue
		}
		seen[p.Path] = true
		if _, ok := floorOf(p.Path); !ok {
			t.Errorf("%s stands on no floor: name it in the table of floors_test.go, at the lowest floor that works", p.Path)
		}
	}
	if !seen["internal/secret"] {
		t.Error("internal/secret was not listed: this test no longer sees the module")
	}
}

func TestArrowsPointDown(t *testing.T) {
	t.Parallel()
	rooms, arrows, used := map[int][]string{}, map[bool]int{}, map[string]bool{}
	for _, p := range packages(t) {
		from, ok := floorOf(p.Path)
		if !ok || p.testsOnly() {
			continue // reported by TestEveryPackageHasAFloor
		}
		rooms[from] = append(rooms[from], strings.TrimPrefix(p.Path, "internal/"))
		for _, dep := range p.ours(p.Imports) {
			to, ok := floorOf(dep)
			arrows[to == from]++
			used[p.Path+" -> "+dep] = true
			switch arrow := p.Path + " -> " + dep; {
			case !ok:
			case to > from:
				t.Errorf("%s points up, from floor %d to floor %d", arrow, from, to)
			case to == from && !sameRoom(p.Path, dep) && sideways[arrow] == "":
				t.Errorf("%s stays on floor %d: move what both need down, or give the reason in the table of floors_test.go", arrow, from)
			}
		}
	}
	for arrow := range sideways {
		if !used[arrow] {
			t.Errorf("%s is no arrow any more: take it out of the table", arrow)
		}
	}
	for floor := 6; floor >= 0; floor-- { // go test -v draws the house
		t.Logf("%d  %s", floor, strings.Join(rooms[floor], ", "))
	}
	t.Logf("%d arrows point down, %d stay on a floor", arrows[false], arrows[true])
}

// sameRoom reports whether both are internal/cli or below it.
func sameRoom(a, b string) bool {
	return strings.HasPrefix(a+"/", "internal/cli/") && strings.HasPrefix(b+"/", "internal/cli/")
}

// The compiler refuses a circle of imports, but not one that an external test package closes by way of a listed arrow.
func TestSidewaysArrowsMakeNoCircle(t *testing.T) {
	t.Parallel()
	for arrow, reason := range sideways {
		from, to, _ := strings.Cut(arrow, " -> ")
		if reason == "" {
			t.Errorf("%s has no reason", arrow)
		}
		if _, ok := sideways[to+" -> "+from]; ok {
			t.Errorf("%s is listed in both directions", arrow)
		}
		a, _ := floorOf(from)
		b, _ := floorOf(to)
		if a != b {
			t.Errorf("%s is no arrow within one floor (%d, %d): take it out of the table", arrow, a, b)
		}
	}
}

// plainRooms know nothing of vCenters, terminals and processes.
var plainRooms = []string{"internal/component", "internal/files", "internal/finding", "internal/hint", "internal/pattern", "internal/script", "internal/visible", "internal/yamldoc"}

func TestPrivilegesStandsAlone(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.Path != "internal/privileges" {
			continue
		}
		ours := slices.DeleteFunc(p.ours(p.Deps), func(dep string) bool { return slices.Contains(plainRooms, dep) })
		if len(ours) > 0 {
			t.Errorf("internal/privileges depends on %s: it imports nothing of ours but %s", strings.Join(ours, ", "), strings.Join(plainRooms, ", "))
		}
		i := slices.IndexFunc(p.Deps, isGovmomi)
		if i >= 0 {
			t.Errorf("internal/privileges depends on %s: a matrix is data, no vCenter is needed to read it", p.Deps[i])
		}
	}
}

// Needs, permissions and what they let somebody do are worked out from plain values.
func TestAccessKnowsNoVCenter(t *testing.T) {
	t.Parallel()
	found := false
	for _, p := range packages(t) {
		if p.Path != "internal/access" && p.Path != "internal/inventory" {
			continue
		}
		found = true
		if i := slices.IndexFunc(p.Deps, isGovmomi); i >= 0 {
			t.Errorf("%s depends on %s: it works on plain values", p.Path, p.Deps[i])
		}
	}
	if !found {
		t.Error("internal/access was not listed")
	}
}

// What was read, and what is decided about it, leads back to no server: these rooms import neither what talks to one nor the contexts
// that such a call takes. The states that they hold are values of the rooms below, which read them.
func TestDecidingTalksToNobody(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range packages(t) {
		if p.Path != "internal/snapshot" && p.Path != "internal/decision" {
			continue
		}
		seen++
		talks := func(path string) bool {
			return isGovmomi(path) || slices.Contains([]string{"context", "net", "net/http"}, path)
		}
		if i := slices.IndexFunc(p.Imports, talks); i >= 0 {
			t.Errorf("%s imports %s: it is made of plain values", p.Path, p.Imports[i])
		}
		for _, dep := range p.ours(p.Imports) {
			if dep == "internal/vcenter" || dep == "internal/login" {
				t.Errorf("%s imports %s: reading and changing is the job's", p.Path, dep)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of the two rooms were listed", seen)
	}
}

// The tool does not have the laboratory in it: only its tests know it. It is a program of its own.
func TestHouseKnowsNoLaboratory(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if isBeside(p.Path) {
			continue
		}
		if i := slices.IndexFunc(p.ours(p.Deps), isBeside); i >= 0 {
			t.Errorf("%s depends on %s: only tests may", p.Path, p.ours(p.Deps)[i])
		}
	}
}

// labMay is what the commands of the laboratory take from the house, with why: what a command line is made of, sessions, and the files
// that both programs speak.
var labMay = map[string]string{
	"internal/cli/command": "flags, connections, logins and settings are the same",
	"internal/cli/frame":   "it is a program of commands, too",
	"internal/program":     "the demonstration runs the tool",

	"internal/vcenter": "contract and export read real vCenters",
	"internal/sso":     "likewise",
	"internal/perms":   "likewise",

	"internal/spec":       "the lab writes a provisioning file for its vCenters",
	"internal/credfile":   "and the administrator's credentials",
	"internal/accounts":   "a rehearsal takes passwords from a credentials file and its journal",
	"internal/component":  "which has sections by component",
	"internal/inventory":  "an estate names objects as the tool does",
	"internal/privileges": "an estate and a report name privileges that are in the catalogue",

	"internal/crash": "", "internal/files": "", "internal/hint": "", "internal/script": "", "internal/secret": "", "internal/term": "", "internal/yamldoc": "",
}

func TestLaboratoryTakesFewThings(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, p := range packages(t) {
		if !under("lab")(p.Path) {
			continue
		}
		for _, dep := range p.ours(p.Imports) {
			_, may := labMay[dep]
			if used[dep] = true; !may && !under("lab")(dep) {
				t.Errorf("%s imports %s: the laboratory takes files, sessions and flags of the house", p.Path, dep)
			}
		}
	}
	for room := range labMay {
		if !used[room] {
			t.Errorf("the laboratory does not import %s: take it out of the table", room)
		}
	}
}

// The arrows of the laboratory point down as well: its program, its commands, what these do, the servers.
func TestArrowsOfTheLaboratoryPointDown(t *testing.T) {
	t.Parallel()
	floorOf := func(path string) int {
		for i, floor := range [][]string{
			{"lab/vcsim/directory"},
			{"lab/vcsim/automation", "lab/vcsim/policy", "lab/vcsim/volumes", "lab/vcsim/wsdl"},
			{"lab/vcsim"},
			{"lab/estate", "lab/contract", "lab/consumers"},
			{"lab/cli/kit", "lab/cli/contract"},
			{"lab/cli/serve", "lab/cli/demo", "lab/cli/export", "lab/cli/explain"},
			{"lab/cli"},
			{"cmd/vcenter-lab"},
		} {
			if slices.Contains(floor, path) {
				return i
			}
		}
		t.Errorf("%s has no floor in the laboratory", path)
		return 0
	}
	for _, p := range packages(t) {
		if !under("lab")(p.Path) && p.Path != "cmd/vcenter-lab" || p.testsOnly() {
			continue
		}
		for _, dep := range p.ours(p.Imports) {
			if under("lab")(dep) && floorOf(dep) >= floorOf(p.Path) {
				t.Errorf("%s -> %s does not point down", p.Path, dep)
			}
		}
	}
}

// The simulation is the oracle: what the tool believes about a vCenter is held against it. If both had a rule from one place,
// one mistake would be in both and no test would see it. Its tests are bound as well: they say what a vCenter does.
func TestSimulationSharesNoRule(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range packages(t) {
		if !under("lab/vcsim")(p.Path) {
			continue
		}
		seen++
		for _, dep := range p.ours(slices.Concat(p.Deps, p.Imports, p.TestImports, p.XTestImports)) {
			if !under("lab/vcsim")(dep) {
				t.Errorf("%s depends on %s: the simulation knows nothing of the tool", p.Path, dep)
			}
		}
		if i := slices.IndexFunc(p.Deps, isGovmomi); i >= 0 && p.Path == "lab/vcsim/directory" {
			t.Errorf("%s depends on %s: accounts and passwords need no vCenter", p.Path, p.Deps[i])
		}
	}
	if seen < 2 {
		t.Errorf("%d packages of the simulation were listed: this test no longer sees them", seen)
	}
}
