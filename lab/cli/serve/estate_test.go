package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/export"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/serve"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/estate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func TestSimulateExportWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	var got *export.Options
	cmd := export.NewCmd(f, func(o *export.Options) error { got = o; return nil })
	if err := program.Parse(t, f, cmd, "export", "--vcenters", "a,b", "--out", "e.yaml", "--replace-names", "--machines"); err != nil {
		t.Fatal(err)
	}
	if got.Save != "e.yaml" || !got.Replace || !got.Machines || !slices.Equal(got.Connection.Source.VCenters, []string{"a", "b"}) {
		t.Errorf("%+v", got)
	}
	for words, want := range map[string]string{
		"export -o json --vcenters a":      "--output: an estate is YAML",
		"export":                           "no vCenter is given",
		"exprot":                           `unknown command "exprot" for 'vcenter-lab'`,
		"serve --estate x --linked":        "--estate and --linked exclude each other",
		"serve --estate x --seed-estate 7": "--estate and --seed-estate exclude each other",
		"serve --estate no-such-file.yaml": "--estate: ",
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), strings.Fields(words)...)
		if code != command.ExitFailed || stdout != "" && !strings.Contains(words, "-o json") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want %q: %s%s", words, code, want, stdout, stderr)
		}
	}
}

// Help of a misspelt command is an error, and does not serve vCenters for ever.
func TestHelpOfSimulate(t *testing.T) {
	t.Parallel()
	code, _, stderr := program.Run(t, termtest.NewFake(), "help", "exprot")
	if code != command.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "stderr", stderr, `unknown command "exprot"`, `did you mean "export"?`)
	if code, stdout, _ := program.Run(t, termtest.NewFake(), "help", "serve"); code != command.ExitDone || !strings.Contains(stdout, "serve [flags]\n") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// A bad estate is answered with file, line and remedy, before anything is started.
func TestSimulateRefusesABadEstate(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "estate.yaml", "apiVersion: ocp-vsphere-admin/v1\nkind: Estate\nvcenters:\n- server: vc\n  objects:\n  - {path: /DC, type: DataCentre}\n", 0o600)
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "serve", "--estate", path)
	if code != command.ExitFailed || stdout != "" {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	clitest.WantText(t, "stderr", stderr, path+":6: ", `unknown type "DataCentre"; did you mean "Datacenter"?`)
}

// The list of system roles is that of the vCenters that are simulated.
func TestSystemRolesOfEstates(t *testing.T) {
	t.Parallel()
	v, err := vcsim.Start(vcsim.Options{Estate: vcsim.EstateOptions{Contents: []vcsim.Contents{{}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	for line := range strings.Lines(v.VCenters[0].Snapshot()) {
		if name, ok := strings.CutPrefix(line, `role "`); ok {
			name, _, _ = strings.Cut(name, `"`)
			if !slices.Contains(estate.SystemRoles(), name) {
				t.Errorf("%s is not in the list", name)
			}
		}
	}
	for _, name := range estate.SystemRoles() {
		if !strings.Contains(v.VCenters[0].Snapshot(), `role "`+name+`"`) {
			t.Errorf("no vCenter has %s", name)
		}
	}
}

// rehearsal is a lab with the files that lead to it.
type rehearsal struct {
	lab   *vcsim.Lab
	files *kit.Files
	dir   string
}

func rehearse(t *testing.T, o vcsim.Options) rehearsal {
	t.Helper()
	l, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	dir := t.TempDir()
	files, err := kit.Write(l, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return rehearsal{l, files, dir}
}

// run is a command line on the lab; it wants an exit code.
func (r rehearsal) run(t *testing.T, want int, words ...string) (stdout, stderr string) {
	t.Helper()
	fake := termtest.NewFake()
	p := tool
	if words[0] == "export" {
		p = program
	}
	code, stdout, stderr := p.Run(t, fake, append(words, "--config", r.files.Settings)...)
	if code != want {
		t.Fatalf("%s: exit code %d, want %d\n%s%s", strings.Join(words, " "), code, want, stdout, stderr)
	}
	return stdout, stderr
}

// export gives the estate of the lab.
func (r rehearsal) export(t *testing.T, words ...string) string {
	t.Helper()
	var names []string
	for _, v := range r.lab.VCenters {
		names = append(names, v.Server())
	}
	stdout, _ := r.run(t, command.ExitDone, append([]string{"export", "--vcenters", strings.Join(names, ",")}, words...)...)
	return stdout
}

// again is a lab from an estate.
func again(t *testing.T, text string) rehearsal {
	t.Helper()
	e, err := estate.Parse("exported", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	o := vcsim.Options{}
	o.Names, o.Estate.Contents = serve.Contents(e, nil)
	return rehearse(t, o)
}

const ours = "OpenShift cluster prod, component csi-driver; made by ocp-vsphere-admin"

// What tells that an account is ours, and who is linked with whom, is exported; what is private is not, nor are marks with other names.
func TestExportedAccounts(t *testing.T) {
	t.Parallel()
	first := rehearse(t, vcsim.Options{Names: []string{"a.example.com", "b.example.com", "c.example.com"}, Estate: vcsim.EstateOptions{Contents: []vcsim.Contents{
		{Users: []vcsim.Account{{Name: "x@vsphere.local", Description: ours + "; password set 2026-11-25, tag 012345"}, {Name: "y@vsphere.local", Description: "private"}}},
		{},
		{LinkedWith: "a.example.com"},
	}}})
	text := first.export(t)
	for what, n := range map[string]int{"mark: " + ours + "; password set 2026-11-25\n": 2, "linkedWith: a.example.com\n": 1, "private": 0, "012345": 0, "linked: true": 0} {
		if got := strings.Count(text, what); got != n {
			t.Errorf("%q is there %d times, want %d, in\n%s", what, got, n, text)
		}
	}
	other := first.export(t, "--replace-names")
	if strings.Count(other, "linkedWith: ") != 1 || strings.Contains(other, "mark") || strings.Contains(other, "prod") {
		t.Error(other)
	}
	second := again(t, text)
	if a, c := second.lab.VCenters[0], second.lab.VCenters[2]; a.Directory().AddUser("new@vsphere.local", "", directory.Details{}) != nil || !strings.Contains(c.Snapshot(), `\new `) {
		t.Error("they are not linked any more")
	}
	if strings.Contains(second.lab.VCenters[1].Snapshot(), `\new `) {
		t.Error("another one is linked too")
	}
}

// A lab, exported, simulated and exported again is the same, whatever is in it, and with other names too.
func TestEstateRoundTrip(t *testing.T) {
	t.Parallel()
	labs := []vcsim.Options{
		{VCenters: 2, Linked: true},
		{Names: []string{"a.example.com", "b.example.com", "c.example.com"}, Estate: vcsim.EstateOptions{Contents: []vcsim.Contents{
			{Users: []vcsim.Account{{Name: "x@vsphere.local", Description: ours + "; password set 2026-11-25, tag 012345"}, {Name: "y@vsphere.local", Description: "private"}}},
			{},
			{LinkedWith: "a.example.com"},
		}}},
		{Domain: "corp-sso.internal", Without: []string{"Cns.Searchable"}, Estate: vcsim.EstateOptions{Seed: 3, Foreign: true}},
	}
	if os.Getenv("LONG") != "" {
		for seed := range uint64(8) {
			labs = append(labs, vcsim.Options{VCenters: 2, Estate: vcsim.EstateOptions{Seed: seed + 4, Foreign: true}})
		}
	}
	for i, o := range labs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			first := rehearse(t, o)
			text := first.export(t, "--machines")
			second := again(t, text)
			if diff := cmp.Diff(text, second.export(t, "--machines")); diff != "" {
				t.Errorf("(-first +second)\n%s", diff)
			}
			for i, v := range first.lab.VCenters {
				if diff := cmp.Diff(inventoryLines(v), inventoryLines(second.lab.VCenters[i])); diff != "" {
					t.Errorf("%s (-first +second)\n%s", v.Server(), diff)
				}
			}
			other := first.export(t, "--machines", "--replace-names")
			if diff := cmp.Diff(other, again(t, other).export(t, "--machines")); diff != "" {
				t.Errorf("with other names (-first +second)\n%s", diff)
			}
		})
	}
}

// inventoryLines are the facts of a snapshot but for accounts and groups, which have descriptions, and for whether machines run.
func inventoryLines(v *vcsim.VCenter) (lines []string) {
	for line := range strings.Lines(v.Snapshot()) {
		if kind, _, _ := strings.Cut(line, " "); kind != "account" && kind != "group" {
			lines = append(lines, line)
		}
	}
	return lines
}

// On the copy of a vCenter the job is planned as on the original, and it is done, proved and undone there.
func TestJobOnACopy(t *testing.T) {
	t.Parallel()
	seeds := []uint64{5}
	if os.Getenv("LONG") != "" {
		seeds = []uint64{0, 5, 6, 7}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			original := rehearse(t, vcsim.Options{VCenters: 2, Estate: vcsim.EstateOptions{Seed: seed, Foreign: true}})
			text := original.export(t)
			rehearsed := again(t, text)
			config := []string{"--install-config", original.files.InstallConfig}
			plan := func(r rehearsal) map[string]any {
				out, _ := r.run(t, command.ExitDone, append([]string{"plan", "-o", "json"}, config...)...)
				doc := clitest.Document(t, "Plan", out)
				delete(doc, "digest")
				delete(doc, "next") // which names files, as remedies do
				for _, f := range doc["findings"].([]any) {
					delete(f.(map[string]any), "remedies")
				}
				return doc
			}
			wanted := plan(original)
			if diff := cmp.Diff(wanted, plan(rehearsed), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the plans differ (-original +copy)\n%s", diff)
			}
			before := rehearsed.export(t, "--machines")
			rehearsed.run(t, command.ExitDone, append([]string{"apply", "--yes"}, config...)...)
			rehearsed.run(t, command.ExitDone, append([]string{"plan", "--exit-code"}, config...)...)
			rehearsed.run(t, command.ExitDone, append([]string{"verify"}, config...)...)
			if with := rehearsed.export(t, "--machines"); with == before {
				t.Error("apply did nothing")
			}
			rehearsed.run(t, command.ExitDone, append([]string{"destroy", "--yes", "--applied"}, config...)...)
			if diff := cmp.Diff(before, rehearsed.export(t, "--machines")); diff != "" {
				t.Errorf("destroy left something (-before +after)\n%s", diff)
			}
			if all, _ := wanted["vcenters"].([]any); len(all) != 2 {
				t.Errorf("the plan has %d vCenters", len(all))
			}
		})
	}
}

// A vCenter that cannot be read is said, and those that can be are written.
func TestSimulateExportOfSome(t *testing.T) {
	t.Parallel()
	r := rehearse(t, vcsim.Options{VCenters: 2})
	down := r.lab.VCenters[0].Server()
	r.lab.VCenters[0].SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Blocked} })
	path := filepath.Join(t.TempDir(), "estate.yaml")
	_, stderr := r.run(t, command.ExitPartly, "export", "--vcenters", down+","+r.lab.VCenters[1].Server(), "--out", path)
	clitest.WantText(t, "stderr", stderr, down, "next: vcenter-lab serve --estate "+path)
	e, err := estate.Load(path)
	if err != nil || len(e.VCenters) != 1 || e.VCenters[0].Server == down {
		t.Errorf("%v: %+v", err, e)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	_, stderr = r.run(t, command.ExitFailed, "export", "--vcenters", down, "--out", path+"2")
	if !command.Missing(path+"2") || !strings.Contains(stderr, down) {
		t.Errorf("a file was written: %s", stderr)
	}
}

// The command itself serves what a file says, less the privileges that its vCenters shall not know.
func TestSimulateServesAnEstate(t *testing.T) {
	t.Parallel()
	text := rehearse(t, vcsim.Options{}).export(t)
	path := clitest.WriteFile(t, "estate.yaml", text, 0o600)
	for without, want := range map[string]string{
		"":                 text,
		"Datastore.Browse": strings.Replace(strings.Replace(text, "          - Datastore.Browse\n", "", 1), "    users:\n", "    privileges:\n      without:\n        - Datastore.Browse\n    users:\n", 1),
	} {
		words := []string{"--estate", path}
		if without != "" {
			words = append(words, "--without", without)
		}
		l := startLab(t, words...)
		settings, _ := l.view["settings"].(string)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), "export", "--vcenters", "vcenter1.example.com", "--config", settings)
		if diff := cmp.Diff(want, stdout); code != command.ExitDone || diff != "" {
			t.Errorf("without %q: exit code %d: %s\n%s", without, code, stderr, diff)
		}
	}
}
