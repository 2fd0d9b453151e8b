package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// writesFile is how the help of a flag that names an output file or a directory of them begins, or goes on behind a condition. A
// flag whose help says it otherwise is known by its name.
var writesFile = regexp.MustCompile(`^(?:also )?(?:write|save) |: write |file to write$`)

// outputNames are the names that flags of output files have.
func outputNames() []string {
	return []string{"out", "output-dir", "work-order", "work-order-dir", "markdown", "html", "dir", "ready-file", "record"}
}

// Whatever names a file to write refuses one that exists, in the same words, and leaves it as it is; --force overwrites it.
func TestOutputsAreNotOverwritten(t *testing.T) {
	t.Parallel()
	p, _, lab := newLab(t, vcsim.Options{VCenters: 1})
	p.run(t, termtest.NewFake(), "apply")
	install := clitest.WriteFile(t, "accounts.yaml", p.run(t, termtest.NewFake(), "install-config render", lab.InstallConfig), 0o600)
	dump := clitest.WriteFile(t, "dump.yaml", p.run(t, termtest.NewFake(), "secrets emit"), 0o600)
	const key = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	type output struct {
		words string
		dir   bool // the flag names a directory, and what is in it is taken
	}
	outputs := map[string]output{
		"plan --out":                          {words: "plan" + p.words["plan"]},
		"plan --markdown":                     {words: "plan" + p.words["plan"]},
		"plan --html":                         {words: "plan" + p.words["plan"]},
		"plan --work-order":                   {words: "plan" + p.words["plan"]},
		"plan --work-order-dir":               {words: "plan" + p.words["plan"], dir: true},
		"report --html":                       {words: "report" + p.words["plan"]},
		"report --html-dir":                   {words: "report --brief" + p.words["report"], dir: true},
		"report --markdown":                   {words: "report" + p.words["plan"]},
		"privileges record start --out":       {words: "privileges record start" + p.words["plan"]},
		"privileges record show --matrix-out": {words: "privileges record show" + p.words["plan"]},
		"secrets emit --output-dir":           {words: "secrets emit", dir: true},
		"secrets renew --output-dir":          {words: "secrets renew --no-verify --against " + dump, dir: true},
		"vcenter-lab contract --out":          {words: "vcenter-lab contract" + p.words["plan"]},
		"vcenter-lab export --out":            {words: "vcenter-lab export" + p.words["plan"]},
		"identity emit --output-dir":          {words: "identity emit --namespaces all --component machine-api" + p.words["plan"], dir: true},
		"install-config render --out":         {words: "install-config render " + lab.InstallConfig},
		"install-config extract --out":        {words: "install-config extract --strip " + install},
		"credentials export --out":            {words: "credentials export --recipient " + key},
	}
	elsewhere := map[string]string{ // what keeps the promise of the others
		"apply --out":                    "TestPromises/handover-apply: it may hold the only copy of passwords, so nothing overwrites it",
		"rotate --out":                   "TestPromises/handover-rotate: likewise",
		"create-all --output-dir":        "TestPromises/create-all: it refuses a directory with files before it does anything",
		"plan --metrics":                 "TestFileKeepsTimes of internal/metrics: a textfile is that of the last run",
		"verify --metrics":               "as plan",
		"report --metrics":               "as plan",
		"init --out":                     "TestPromises/init, TestOverwriteIsSaidOnce of internal/wizard",
		"credentials template --out":     "TestCredentialsTemplateIsFilledIn: whoever has a credentials file keeps it, so nothing overwrites it",
		"vcenter-lab serve --dir":        "TestPromises/simulate: a lab's files are its own, and --force would take another lab's",
		"vcenter-lab serve --ready-file": "as --dir",
		"vcenter-lab serve --record":     "as --dir",
		"secrets release --output-dir":   "TestDeliver of internal/held: a run that was killed goes on",
		"secrets manifests --dir":        "TestPromises/secrets-manifests: an object of an earlier run is replaced, anything else is kept",
	}
	seen := map[string]bool{}
	eachCommand(func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(fl *pflag.Flag) {
			isInput := strings.Contains(fl.Usage, "- for stdin")
			if fl.Value.Type() == "string" && !isInput && (slices.Contains(outputNames(), fl.Name) || writesFile.MatchString(fl.Usage)) {
				seen[words(cmd)+" --"+fl.Name] = true
			}
		})
	})
	for name := range seen {
		if _, here := outputs[name]; !here && elsewhere[name] == "" {
			t.Errorf("%s writes files: say how it is run", name)
		}
	}
	for _, name := range append(slices.Collect(maps.Keys(outputs)), slices.Collect(maps.Keys(elsewhere))...) {
		if !seen[name] {
			t.Errorf("there is no flag %s that names output files", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		o := outputs[name]
		flag := name[strings.LastIndex(name, "--"):]
		to := filepath.Join(t.TempDir(), "out")
		run := func(more ...string) (int, string) {
			fake := termtest.NewFake()
			fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.config, p.credentials
			code, _, stderr := program.Run(t, fake, append(append(strings.Fields(o.words), flag, to), more...)...)
			return code, stderr
		}
		if code, stderr := run(); code != command.ExitDone {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
			continue
		}
		paths := []string{to}
		if o.dir {
			paths = filesBelow(t, to)
		}
		for _, path := range paths {
			if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		path, n := paths[0], len(paths)
		code, stderr := run()
		want := flag + ": " + path + " exists: it is not overwritten\nhint: --force overwrites it"
		if n > 1 {
			want = flag + ": " + path + " and " + term.Count(n-1, "more file") + " exist: they are not overwritten\nhint: --force overwrites them"
		}
		if code != command.ExitFailed || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d\n%s\nwant\n%s", name, code, stderr, want)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "mine" {
			t.Errorf("%s has overwritten the file: %v", name, err)
		}
		if code, stderr := run("--force"); code != command.ExitDone {
			t.Errorf("%s --force: exit code %d\n%s", name, code, stderr)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) == "mine" || len(data) == 0 {
			t.Errorf("%s --force has not overwritten the file: %q, %v", name, data, err)
		}
		// A device is no file to put in place.
		if code, stderr := run("--force", flag, os.DevNull); code != command.ExitFailed {
			t.Errorf("%s %s: exit code %d\n%s", name, os.DevNull, code, stderr)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Fatalf("%s has overwritten %s: %v", name, os.DevNull, err)
		}
	}
}

// filesBelow are the files below a directory, by name.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("no file below %s: %v", dir, err)
	}
	return all
}

// A plan is saved before the change request that names it, and one file is not written twice.
func TestOutputsOfOnePlan(t *testing.T) {
	t.Parallel()
	p, _, _ := newLab(t, vcsim.Options{VCenters: 1})
	dir := t.TempDir()
	run := func(more ...string) (int, string) {
		fake := termtest.NewFake()
		fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.config, p.credentials
		code, _, stderr := program.Run(t, fake, append(strings.Fields("plan"+p.words["plan"]), more...)...)
		return code, stderr
	}
	request, order := filepath.Join(dir, "change.md"), filepath.Join(dir, "order.md")
	if code, stderr := run("--out", filepath.Join(dir, "none", "plan.json"), "--markdown", request, "--work-order", order); code != command.ExitFailed || !strings.Contains(stderr, "--out: ") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if !command.Missing(request) || !command.Missing(order) {
		t.Error("something was written beside a plan that could not be saved")
	}
	linked := filepath.Join(dir, "linked")
	if err := os.Symlink(dir, linked); err != nil {
		t.Fatal(err)
	}
	same := filepath.Join(dir, "same")
	for _, c := range []struct{ a, b, other string }{
		{"--out", "--markdown", same},
		{"--out", "--work-order", same},
		{"--work-order", "--markdown", dir + "/./same"},
		{"--out", "--markdown", filepath.Join(linked, "same")},
	} {
		code, stderr := run(c.a, same, c.b, c.other, "--force")
		want := "ocp-vsphere-admin: " + c.b + ": " + c.other + " is also the file of " + c.a + ": name another one\n"
		if code != command.ExitFailed || stderr != want || !command.Missing(same) {
			t.Errorf("%s %s: exit code %d\n%s", c.a, c.b, code, stderr)
		}
	}
}
