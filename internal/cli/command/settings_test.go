package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	t.Parallel()
	config := clitest.WriteFile(t, "config.yaml", "parallel: 3\ntimeout: 5s\ncomponents: [csi-driver, diagnostics]\nno-color: true\n", 0o600)
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_PARALLEL"] = "4"
	fake.Env["OCP_VSPHERE_ADMIN_TIMEOUT"] = "6s"
	f, source, err := program.Settled(t, fake, "--config", config, "--timeout", "7s")
	if err != nil {
		t.Fatal(err)
	}
	if f.Parallel != 4 || f.Timeout.String() != "7s" || !f.NoColor {
		t.Errorf("parallel %d, timeout %s, no-color %v", f.Parallel, f.Timeout, f.NoColor)
	}
	if len(source.Components) != 2 || source.Components[1] != "diagnostics" {
		t.Errorf("components %q", source.Components)
	}
}

func TestSettingsFileIsFoundBelowHome(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(clitest.WriteFile(t, "x", "", 0o600))
	fake := termtest.NewFake()
	fake.Home = dir
	if path, required := command.NewFactory(fake.Streams, command.Build{}).ConfigPath(); path != filepath.Join(dir, ".config", command.Program, "config.yaml") || required != "" {
		t.Errorf("path %s, required %v", path, required)
	}
	if _, _, err := program.Settled(t, fake); err != nil {
		t.Errorf("a missing settings file: %v", err)
	}
}

func TestNearerSettingSilencesWhatItExcludes(t *testing.T) {
	t.Parallel()
	config := clitest.WriteFile(t, "config.yaml", "install-config: from-config.yaml\n", 0o600)
	fake := termtest.NewFake()
	_, source, err := program.Settled(t, fake, "--config", config, "-f", "spec.yaml")
	if err != nil || source.InstallConfig != "" || source.File != "spec.yaml" {
		t.Errorf("%v: file %q, install-config %q", err, source.File, source.InstallConfig)
	}
	fake.Env["OCP_VSPHERE_ADMIN_FILE"] = "env.yaml"
	_, source, err = program.Settled(t, fake, "--config", config)
	if err != nil || source.InstallConfig != "" || source.File != "env.yaml" {
		t.Errorf("%v: file %q, install-config %q", err, source.File, source.InstallConfig)
	}
}

// Repeatable flags have lists in the file and commas in the variable; one that lists all vCenters is of use for fewer.
func TestSettingsOfRepeatableFlags(t *testing.T) {
	t.Parallel()
	both := []string{"a=127.0.0.1:1", "b=127.0.0.1:2"}
	config := clitest.WriteFile(t, "config.yaml", "connect-to: ["+strings.Join(both, ", ")+"]\n", 0o600)
	ofFile, ofEnv, ofVariable := termtest.NewFake(), termtest.NewFake(), termtest.NewFake()
	ofEnv.Env["OCP_VSPHERE_ADMIN_CONNECT_TO"] = strings.Join(both, ",")
	ofVariable.Env["OCP_VSPHERE_ADMIN_CONFIG"] = config
	for name, run := range map[string]struct {
		fake  *termtest.Fake
		words []string
	}{
		"file": {ofFile, []string{"--config", config}}, "environment": {ofEnv, nil}, "file of the environment": {ofVariable, nil},
	} {
		f, source, err := program.Settled(t, run.fake, append(run.words, "--vcenters", "b")...)
		if err != nil || !slices.Equal(source.ConnectTo.Words, both) {
			t.Errorf("%s: %v: %q", name, err, source.ConnectTo.Words)
			continue
		}
		if s, err := source.Resolve(t.Context(), f); err != nil || s.VCenters[0].Address != "127.0.0.1:2" {
			t.Errorf("%s: %v: %+v", name, err, s)
		}
	}
	f, source, err := program.Settled(t, termtest.NewFake(), "--vcenters", "b", "--connect-to", both[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = source.Resolve(t.Context(), f)
	clitest.WantErr(t, err, "--connect-to", `"a" is not one of b`)
}

// A settings file may say nothing, and a setting may have no value.
func TestSettingsThatSayNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# parallel: 3\n", "---\n", "~\n", "parallel:\n", "parallel: ~\ncomponents: []\n"} {
		f, source, err := program.Settled(t, termtest.NewFake(), "--config", clitest.WriteFile(t, "config.yaml", text, 0o600))
		if err != nil || f.Parallel != 32 || len(source.Components) > 0 {
			t.Errorf("%q: %v, parallel %d, components %q", text, err, f.Parallel, source.Components)
		}
	}
}

// Values are what stands in the file, of whatever type YAML takes them to be.
func TestValuesOfSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"parallel: 0x10": "16", "parallel: '7'": "7", "admin-user: 0123": "0123", "admin-user: 2026-01-02": "2026-01-02", "admin-user: 'true'": "true",
		"vcenters: [a, 1, true]": "[a 1 true]", "vcenters: a,b": "[a b]", "x: &a [c]\nvcenters: *a": "", "vcenters: &a [c, d]": "[c d]", "insecure: True": "true",
	} {
		fake := termtest.NewFake()
		f, source, admin, tls := command.NewFactory(fake.Streams, command.Build{}), &command.SourceFlags{}, &command.AdminFlags{}, &command.TLSFlags{}
		cmd := &cobra.Command{Use: "probe", RunE: func(*cobra.Command, []string) error { return nil }}
		source.Register(cmd)
		admin.Register(cmd)
		tls.Register(cmd)
		err := program.Parse(t, f, cmd, "probe", "--config", clitest.WriteFile(t, "config.yaml", text+"\n", 0o600))
		name, _, _ := strings.Cut(text, ":")
		got := map[string]string{
			"parallel": fmt.Sprint(f.Parallel), "admin-user": admin.User, "vcenters": fmt.Sprint(source.VCenters), "insecure": strconv.FormatBool(tls.Insecure),
		}[name]
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

// A variable that names the settings of a lab that is gone does not keep the next lab from starting.
func TestMissingFileOfTheVariable(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]int{"version": command.ExitDone, "plan -f x": command.ExitFailed, "version --config /nowhere/else": command.ExitFailed} {
		fake := termtest.NewFake()
		fake.Env["OCP_VSPHERE_ADMIN_CONFIG"] = "/nowhere/config.yaml"
		if code, _, stderr := program.Run(t, fake, strings.Fields(words)...); code != want {
			t.Errorf("%s: exit code %d: %s", words, code, stderr)
		}
	}
}

func TestWrongSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"parallel: 2\ncomponets: [x]\n":    {"config.yaml:2: unknown field", `"componets"`, `did you mean "components"?`},
		"qwertyuiop: 1\n":                  {"config.yaml:1: unknown field", "settings are flag names without the leading dashes, such as parallel or components"},
		"x1: 1\nmatrx: y\n":                {"config.yaml:1: unknown field", "config.yaml:2: unknown field"}, // all at once
		"- a\n":                            {"config.yaml:1", "must be fields with values, not a list"},
		"no-color: true\nparallel: many\n": {"config.yaml:2: parallel", "many", "write a whole number"},
		"parallel: [1]\n":                  {"config.yaml:1: parallel: must be one value"},
		"parallel: {a: 1}\n":               {"config.yaml:1: parallel: must be a value or a list, not fields"},
		"components: [{a: 1}]\n":           {"config.yaml:1: components[0]: must be text, not fields"},
		"parallel: 2\n\nparallel: 3\n":     {"config.yaml:3: parallel: is given twice, first on line 1"},
		"parallel: 2\n---\nparallel: 3\n":  {"config.yaml:3: a second document begins here"},
		"output: xml\n":                    {"output", `"xml" is not one of`},
		"a: [\n":                           {"config.yaml:", "not valid YAML"},
		"admin-user: *secret\n":            {"config.yaml:1: not valid YAML", "an alias (*name) has no anchor"},
	} {
		_, _, err := program.Settled(t, termtest.NewFake(), "--config", clitest.WriteFile(t, "config.yaml", text, 0o600))
		clitest.WantErr(t, err, want...)
	}
	_, _, err := program.Settled(t, termtest.NewFake(), "--config", "/nowhere/config.yaml")
	clitest.WantErr(t, err, "/nowhere/config.yaml")
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_TIMEOUT"] = "soon"
	_, _, err = program.Settled(t, fake)
	clitest.WantErr(t, err, "OCP_VSPHERE_ADMIN_TIMEOUT", "soon")
}

// A setting for all commands is no wish for JSON from those whose output is YAML.
func TestSettledOutputStopsNoYAML(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	config := clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600)
	for _, words := range []string{
		"secrets emit --vcenters vcenter1.example.com --components csi-driver",
		"install-config render " + config,
		"install-config extract " + config + " --strip --credentials-file " + t.TempDir() + "/c",
		"privileges export --format csv", "completion bash",
		"credentials export --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
	} {
		fake := termtest.NewFake()
		fake.Env["OCP_VSPHERE_ADMIN_OUTPUT"] = "json"
		fake.Env["VSPHERE_CREDENTIALS_FILE"] = credentials
		code, stdout, stderr := program.Run(t, fake, strings.Fields(words)...)
		if code != 0 || stdout == "" || strings.HasPrefix(stdout, "{") {
			t.Errorf("%s: exit code %d, %s%s", words, code, stdout, stderr)
		}
	}
}

// The --out of a plan and the --replace of other commands are no business of what writes passwords.
func TestSettingsDecideNothingAboutPasswords(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	config := clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600)
	plan := clitest.WriteFile(t, "plan.json", "{}", 0o600)
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_OUT"] = plan
	code, stdout, stderr := program.Run(t, fake, "install-config", "render", config, "--credentials-file", credentials)
	if text, err := os.ReadFile(plan); code != 0 || err != nil || string(text) != "{}" || !strings.Contains(stdout, "componentCredentials") {
		t.Errorf("render: exit code %d, %v, %s", code, err, stderr)
	}
	fake = termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_REPLACE"] = "true"
	if code, _, stderr := program.Run(t, fake, "install-config", "extract", config, "--credentials-file", credentials); code != command.ExitFailed {
		t.Errorf("extract: exit code %d, %s", code, stderr)
	}
	fake = termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_REVEAL"] = "true"
	if code, stdout, stderr := program.Run(t, fake, "credentials", "show", "--credentials-file", credentials); code != 0 || strings.Contains(stdout, "m#1") {
		t.Errorf("show: exit code %d, %s", code, stderr)
	}
}

func TestDirectoriesAreNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, words := range [][]string{{"credentials", "import", dir}, {"install-config", "render", dir}, {"credentials", "resolve", "--install-config", dir}} {
		fake := termtest.NewFake()
		fake.Home = t.TempDir()
		code, _, stderr := program.Run(t, fake, words...)
		clitest.WantText(t, strings.Join(words[:2], " "), stderr, dir+" is a directory")
		if code != command.ExitFailed {
			t.Errorf("exit code %d", code)
		}
	}
}
