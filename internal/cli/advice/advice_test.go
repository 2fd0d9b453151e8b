package advice_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

// Every command that the table can make, whatever the command line named and whatever is known of the accounts, is one that the
// program takes. With a file, it lacks nothing but that.
func TestEveryWayCanBeTyped(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	lines := map[string]bool{} // and whether it is run
	for name, said := range map[string]command.Invocation{
		"file": {"file": {missing}}, "install-config": {"install-config": {missing}}, "infrastructure": {"infrastructure": {missing}},
		"vCenters": {"vcenters": {"vc1", "vc2"}, "cluster": {"cluster1"}, command.ConnectToFlag: {"vc1=a:1"}, "credentials-file": {"x"}},
	} {
		a := findingsOf(t, said, said["vcenters"])
		a.Wanted.Cluster = "cluster1"
		if name == "vCenters" {
			a.Wanted.VCenters[0].FailureDomains = nil
		}
		for code := range advice.Ways {
			made := 0
			for bits := range 1 << 5 {
				f := finding.New(code, "", "")
				for _, server := range []string{"vc1", "vc2"}[bits>>4:] {
					of := finding.Account{Server: server, Component: component.CSIDriver, Principal: "ocp-cluster1-csi-driver-2@vsphere.local"}
					of.Undo, of.Disabled = bits&1 != 0, bits&2 != 0
					if bits&4 != 0 {
						of.Earlier, of.InUse = []string{"ocp-cluster1-csi-driver@vsphere.local"}, "ocp-cluster1-csi-driver@vsphere.local"
					}
					if bits&8 != 0 {
						of.Secrets = []string{"ns/name"}
					}
					f.Accounts = append(f.Accounts, of)
				}
				a.Fill("", []*finding.Finding{f})
				for _, remedy := range f.Remedies {
					made++
					_, words, _ := strings.Cut(remedy, command.Program+" ")
					for _, line := range program.CommandLines(command.Program + " " + words) {
						lines[line] = lines[line] || name == "file"
					}
				}
			}
			if made == 0 && (code != finding.InstallConfigDiffers || name == "install-config") {
				t.Errorf("%s has no command with %s", code, name)
			}
		}
	}
	for line, run := range lines {
		if program.Parses(t, line); !run || t.Failed() || strings.Contains(line, command.FilePlaceholder) {
			continue
		}
		words := strings.Fields(line)[1:]
		code, _, stderr := program.Run(t, termtest.NewFake(), words...)
		if code != command.ExitFailed || !strings.Contains(stderr, missing+": no such file") && !strings.Contains(stderr, "stdin is empty") {
			t.Errorf("%s: %d %s", line, code, stderr)
		}
	}
}

// The way out names what is lost and nothing else: an account that is well would be refused everywhere until its cluster
// has the new secrets.
func TestRemediesAreAsNarrowAsTheCause(t *testing.T) {
	t.Parallel()
	undo := func(findings []*finding.Finding, c component.Name) []*finding.Finding {
		for i := range findings[0].Accounts {
			findings[0].Accounts[i].Undo = findings[0].Accounts[i].Component == c
		}
		return findings
	}
	of := func(code finding.Code, pairs ...string) []*finding.Finding {
		f := finding.New(code, "", "")
		for _, p := range pairs {
			server, c, _ := strings.Cut(p, " ")
			f.Accounts = append(f.Accounts, finding.Account{Server: server, Component: component.Name(c)})
		}
		return []*finding.Finding{f}
	}
	lost := func(pairs ...string) []*finding.Finding { return of(finding.LostPassword, pairs...) }
	for name, c := range map[string]struct {
		findings []*finding.Finding
		asked    []string // --vcenters
		want     []string
	}{
		"everywhere": {
			findings: lost("vc1 csi-driver", "vc1 machine-api", "vc2 machine-api", "vc2 csi-driver"),
			want:     ways("machine-api, csi-driver", "--components machine-api,csi-driver -f spec.yaml"),
		},
		"on one of two": {
			findings: lost("vc2 csi-driver"),
			want:     ways("csi-driver", "--components csi-driver --vcenters vc2 -f spec.yaml"),
		},
		"others on each": {
			findings: lost("vc1 csi-driver", "vc2 diagnostics"),
			want: append(ways("csi-driver", "--components csi-driver --vcenters vc1 -f spec.yaml"),
				ways("diagnostics", "--components diagnostics --vcenters vc2 -f spec.yaml")...),
		},
		"of those that were asked for": {
			findings: lost("vc1 csi-driver", "vc2 csi-driver"), asked: []string{"vc1", "vc2"},
			want: ways("csi-driver", "--components csi-driver --vcenters vc1,vc2 -f spec.yaml"),
		},
		"of the installer, which no cluster has": {
			findings: lost("vc1 installer", "vc2 installer"),
			want:     ways("whoever works with it", "--components installer -f spec.yaml"),
		},
		"to be undone": {
			findings: undo(lost("vc1 csi-driver", "vc1 diagnostics"), "csi-driver"), asked: []string{"vc1"},
			want: append(ways("", "--components csi-driver,diagnostics --vcenters vc1 -f spec.yaml")[:2],
				"to go back to the accounts before, without an outage: ocp-vsphere-admin rotate undo --components csi-driver --vcenters vc1 -f spec.yaml",
				ways("diagnostics", "--components diagnostics --vcenters vc1 -f spec.yaml")[2]),
		},
		"unfinished in place": {
			findings: undo(of(finding.UnfinishedRotation, "vc1 csi-driver", "vc2 csi-driver", "vc1 diagnostics", "vc2 diagnostics"), "csi-driver"),
			want: []string{
				"to keep the passwords of the credentials file where they still open the accounts: ocp-vsphere-admin rotate undo --components csi-driver -f spec.yaml",
				"to finish it, with an outage of csi-driver, diagnostics until the new secrets are applied: ocp-vsphere-admin rotate --in-place --components csi-driver,diagnostics -f spec.yaml",
			},
		},
	} {
		w := findingsOf(t, command.Invocation{"file": {"spec.yaml"}}, c.asked)
		w.Fill("", c.findings)
		if diff := cmp.Diff(c.want, c.findings[0].Remedies); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, hint := range c.findings[0].Remedies {
			program.Parses(t, hint[strings.LastIndex(hint, command.Program):])
		}
	}
}

// ways are those out of lost passwords: what causes an outage is the last one, and says for whom.
func ways(who, words string) []string {
	return []string{
		"if another machine set them, import its credentials file: ocp-vsphere-admin credentials import FILE " + words,
		"if a cluster works with them: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin credentials import --secrets - " + words,
		"if nobody has the passwords, with an outage of " + who + " until the new secrets are applied: ocp-vsphere-admin rotate --in-place " + words,
	}
}

// findingsOf is advice about vc1 and vc2, begun by a command line that says this.
func findingsOf(t *testing.T, said command.Invocation, vcenters []string) advice.Advice {
	t.Helper()
	wanted, err := spec.FromServers([]string{"vc1", "vc2"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range wanted.VCenters {
		wanted.VCenters[i].FailureDomains = []spec.FailureDomain{{Name: "zone-a"}}
	}
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	cli.NewCmdRoot(f)
	return advice.Advice{Factory: f, Source: &command.SourceFlags{VCenters: vcenters}, Wanted: wanted, Said: said}
}

// A flag about another vCenter than the hint is about would be refused.
func TestRemedyKeepsFlagsOfItsVCenters(t *testing.T) {
	t.Parallel()
	said := command.Invocation{
		"file": {"spec.yaml"}, "timeout": {"5s"}, "components": {"csi-driver"},
		command.ConnectToFlag: {"vc1=127.0.0.1:1", "vc2=[::1]:2"}, command.ThumbprintFlag: {"vc1=AA:BB", "vc2=CC:DD"},
	}
	for _, c := range []struct {
		servers []string
		want    string
	}{
		{[]string{"vc2"}, "--vcenters vc2 -f spec.yaml --connect-to 'vc2=[::1]:2' --thumbprint vc2=CC:DD --timeout 5s"},
		{[]string{"vc1", "vc2"}, "-f spec.yaml --connect-to vc1=127.0.0.1:1 --connect-to 'vc2=[::1]:2' --thumbprint vc1=AA:BB --thumbprint vc2=CC:DD --timeout 5s"},
	} {
		f := finding.New(finding.ExpiringPassword, "", "")
		for _, server := range c.servers {
			f.About(server, component.MachineAPI)
		}
		findingsOf(t, said, nil).Fill("", []*finding.Finding{f})
		if diff := cmp.Diff([]string{command.Program + " rotate --components machine-api " + c.want}, f.Remedies); diff != "" {
			t.Error(diff)
		}
	}
}

// A plan that was saved for one vCenter of many is about no other, though apply --plan does not say which.
func TestRemedyOfASavedPlanIsAsNarrowAsThePlan(t *testing.T) {
	t.Parallel()
	saved := command.Invocation{"file": {"spec.yaml"}, "vcenters": {"vc1", "vc2"}, command.ConnectToFlag: {"vc1=old:1", "vc2=b:1"}}
	w := findingsOf(t, saved.Then(command.Invocation{command.ConnectToFlag: {"vc1=new:1"}}), nil)
	f := &finding.Finding{Code: finding.LostPassword, Accounts: []finding.Account{{Server: "vc1", Component: "csi-driver"}, {Server: "vc2", Component: "csi-driver"}}}
	w.Fill("", []*finding.Finding{f})
	want := []string{"if nobody has the passwords, with an outage of csi-driver until the new secrets are applied: ocp-vsphere-admin rotate --in-place --components csi-driver --vcenters vc1,vc2 -f spec.yaml --connect-to vc1=new:1 --connect-to vc2=b:1"}
	if diff := cmp.Diff(want, f.Remedies[2:]); diff != "" {
		t.Error(diff)
	}
}

// A password that expires is renewed by a rotation without a gap, and that of somebody else's account by asking for one.
func TestRemediesOfExpiringPasswords(t *testing.T) {
	t.Parallel()
	w := findingsOf(t, command.Invocation{"file": {"spec.yaml"}}, nil)
	accounts := func(c component.Name) []finding.Account { return []finding.Account{{Server: "vc2", Component: c}} }
	ours := &finding.Finding{Code: finding.ExpiringPassword, Accounts: accounts("csi-driver")}
	adopted := &finding.Finding{Code: finding.ExpiringAdopted, Accounts: accounts("diagnostics")}
	w.Fill("", []*finding.Finding{ours, adopted})
	const want = "ocp-vsphere-admin rotate --components csi-driver --vcenters vc2 -f spec.yaml"
	if len(ours.Remedies) != 1 || ours.Remedies[0] != want {
		t.Errorf("%q", ours.Remedies)
	}
	if len(adopted.Remedies) != 2 || !strings.HasSuffix(adopted.Remedies[0], ": ocp-vsphere-admin plan --work-order order.md --components diagnostics --vcenters vc2 -f spec.yaml") ||
		!strings.HasSuffix(adopted.Remedies[1], ": ocp-vsphere-admin credentials import FILE --replace --components diagnostics --vcenters vc2 -f spec.yaml") {
		t.Errorf("%q", adopted.Remedies)
	}

	// an account that it has replaced is still there, and a rotation would refuse
	ours.Accounts[0].Earlier = []string{"ocp-cluster1-csi-driver@vsphere.local"}
	w.Fill("", []*finding.Finding{ours})
	finish := "first finish the last rotation: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin rotate finish --secrets - --components csi-driver --vcenters vc2 -f spec.yaml"
	if diff := cmp.Diff([]string{finish, want}, ours.Remedies); diff != "" {
		t.Error(diff)
	}

	// the names of vCenters are enough to list, but not to make accounts
	w = findingsOf(t, command.Invocation{"vcenters": {"vc1", "vc2"}, "cluster": {"cluster1"}}, []string{"vc1", "vc2"})
	w.Wanted.VCenters[0].FailureDomains = nil
	w.Fill("", []*finding.Finding{ours, adopted})
	for _, line := range slices.Concat(ours.Remedies, adopted.Remedies[:1]) {
		if !strings.Contains(line, " -f FILE") || strings.Contains(line, "--cluster") {
			t.Errorf("%q", line)
		}
	}
}
