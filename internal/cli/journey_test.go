package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// journeys is how many estates TestJourney draws, unless -rapid.checks says otherwise.
const journeys = 12

// The accounts that apply makes from an install-config come back, user and password, from everything that is written
// for OpenShift: the install-config with accounts, and the secrets of every profile, which explain reads as the
// operators will.
func TestJourney(t *testing.T) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", fmt.Sprint(journeys)); err != nil {
			t.Fatal(err)
		}
	}
	tmp, cases := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		dir := filepath.Join(tmp, fmt.Sprint(cases))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		journey(t, dir)
	})
}

// traveller is a machine with a directory, and the flags that lead to a lab.
type traveller struct {
	t     *rapid.T
	dir   string
	flags []string
}

func (j *traveller) path(name string) string { return filepath.Join(j.dir, name) }

func (j *traveller) write(name, text string) string {
	if err := os.WriteFile(j.path(name), []byte(text), 0o600); err != nil {
		j.t.Fatal(err)
	}
	return j.path(name)
}

// run is a command line that has to succeed; what it printed.
func (j *traveller) run(words ...string) string {
	j.t.Helper()
	fake := termtest.NewFake()
	if code := Run(context.Background(), fake.Streams, words); code != command.ExitDone {
		j.t.Fatalf("%s: exit code %d\n%s\n%s", strings.Join(words, " "), code, fake.Stderr.String(), fake.Stdout.String())
	}
	return fake.Stdout.String()
}

// accounts are those of a credentials file of j.dir.
func (j *traveller) accounts(name string, servers []string) openshift.Accounts {
	file, err := credfile.Open(j.path(name))
	if err != nil {
		j.t.Fatal(err)
	}
	return openshift.FromFile(file, servers)
}

func journey(t *rapid.T, dir string) {
	lab, err := vcsim.Start(vcsim.Options{
		VCenters: rapid.IntRange(1, 3).Draw(t, "vcenters"),
		Linked:   rapid.Bool().Draw(t, "linked"),
		Domain:   rapid.SampledFrom([]string{"vsphere.local", "sso.example.com"}).Draw(t, "domain"),
		Estate:   vcsim.EstateOptions{Seed: rapid.Uint64Range(1, 1<<20).Draw(t, "seed")},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	profile := rapid.SampledFrom(lists.Without(openshift.ProfileNames(), []string{openshift.ProfileKubernetes})).Draw(t, "profile")
	j := &traveller{t: t, dir: dir}
	servers := j.pack(lab)
	config := j.write("install-config.yaml", drawInstallConfig(t, lab))
	j.run(append([]string{"apply", "--yes", "--install-config", config, "--profile", profile, "--credentials-file", j.path("made")}, j.flags...)...)
	made := j.accounts("made", servers)

	// the install-config with accounts, and what is read out of it again
	rendered := j.write("rendered.yaml", j.run("install-config", "render", config, "--profile", profile, "--credentials-file", j.path("made")))
	j.run("install-config", "extract", rendered, "--credentials-file", j.path("extracted"))
	inConfig := func(c component.Name) bool {
		return c == component.Installer || profile == openshift.ProfileKubeSystem || profile == openshift.ProfileComponentScoped
	}
	j.same("install-config", keep(made, inConfig), j.accounts("extracted", servers))

	// the secrets, what is read out of them, and what the operators will use
	emit := []string{"secrets", "emit", "--profile", profile, "--credentials-file", j.path("made")}
	explain := []string{"secrets", "explain", "-o", "json"}
	if profile == openshift.ProfileManual {
		emit = append(emit, "--credentials-requests", j.requests())
		explain = append(explain, "--credentials-requests", j.path("requests"))
	}
	dump := j.write("dump.yaml", j.run(emit...))
	j.run("credentials", "import", "--no-login", "--secrets", dump, "--credentials-file", j.path("imported"))
	inSecrets := func(c component.Name) bool {
		return c != component.Installer || profile == openshift.ProfilePassthrough
	}
	j.same("secrets", keep(made, inSecrets), j.accounts("imported", servers))
	j.explained(profile, made, j.run(append(explain, "-f", dump)...))
}

// pack writes what leads to the lab, and gives the names of its vCenters.
func (j *traveller) pack(lab *vcsim.Lab) []string {
	var servers []string
	var admins strings.Builder
	for _, v := range lab.VCenters {
		servers = append(servers, v.Server())
		fmt.Fprintf(&admins, "[%s]\nuser = %s\npassword = `%s`\n", v.Server(), v.AdminUser(), v.AdminPassword())
		j.flags = append(j.flags, "--connect-to", v.Server()+"="+v.Addr())
	}
	j.flags = append(j.flags, "--admin-credentials", j.write("admins.ini", admins.String()), "--cacert", j.write("ca.pem", string(lab.CA)))
	return servers
}

func drawInstallConfig(t *rapid.T, lab *vcsim.Lab) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# of the network team\napiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: %s\nplatform:\n  vsphere:\n    vcenters:\n",
		rapid.StringMatching(`[a-z][a-z0-9]{0,8}`).Draw(t, "cluster"))
	for _, v := range lab.VCenters {
		fmt.Fprintf(&b, "    - server: %s   # rack %d\n      port: 443\n", v.Server(), rapid.IntRange(1, 9).Draw(t, "rack"))
	}
	b.WriteString("    failureDomains:\n")
	for i, v := range lab.VCenters {
		usable := slices.DeleteFunc(slices.Clone(v.Estate().Datacenters), func(dc vcsim.Datacenter) bool {
			return len(dc.Clusters) == 0 || len(dc.Datastores) == 0 || len(dc.Networks) == 0
		})
		dc := rapid.SampledFrom(usable).Draw(t, "datacenter")
		fmt.Fprintf(&b, "    - name: zone-%d\n      server: %s\n      region: r\n      zone: z%d\n      topology:\n", i, v.Server(), i)
		fmt.Fprintf(&b, "        datacenter: %q\n        computeCluster: %q\n        datastore: %q\n        networks: [%q]\n",
			dc.Path, rapid.SampledFrom(dc.Clusters).Draw(t, "cluster").Path, rapid.SampledFrom(dc.Datastores).Draw(t, "datastore"), dc.Networks[0].Path)
	}
	return b.String()
}

// requests writes the CredentialsRequests of a release into a directory.
func (j *traveller) requests() string {
	if err := os.MkdirAll(j.path("requests"), 0o700); err != nil {
		j.t.Fatal(err)
	}
	for name, target := range map[string][2]string{
		"openshift-machine-api-vsphere":                {"openshift-machine-api", "vsphere-cloud-credentials"},
		"openshift-vmware-vsphere-csi-driver-operator": {"openshift-cluster-csi-drivers", "vmware-vsphere-cloud-credentials"},
		"openshift-vsphere-cloud-controller-manager":   {"openshift-cloud-controller-manager", "vsphere-cloud-credentials"},
		"openshift-vsphere-problem-detector":           {"openshift-cluster-storage-operator", "vsphere-cloud-credentials"},
	} {
		j.write(filepath.Join("requests", name+".yaml"), fmt.Sprintf(`apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata:
  name: %s
  namespace: openshift-cloud-credential-operator
spec:
  providerSpec:
    apiVersion: cloudcredential.openshift.io/v1
    kind: VSphereProviderSpec
  secretRef:
    namespace: %s
    name: %s
`, name, target[0], target[1]))
	}
	return j.path("requests")
}

// keep are the accounts of some components.
func keep(all openshift.Accounts, want func(component.Name) bool) openshift.Accounts {
	some := openshift.Accounts{}
	for server, accounts := range all {
		some[server] = map[component.Name]credfile.Account{}
		for c, account := range accounts {
			if want(c) {
				some[server][c] = account
			}
		}
	}
	return some
}

func (j *traveller) same(what string, want, got openshift.Accounts) {
	j.t.Helper()
	if diff := cmp.Diff(bare(want), bare(got)); diff != "" {
		j.t.Fatalf("%s: other accounts came back:\n%s", what, diff)
	}
	for server, accounts := range want {
		if len(accounts) == 0 {
			j.t.Fatalf("%s: no account on %s: nothing was compared", what, server)
		}
	}
}

// bare are users and passwords in the open, for comparison.
func bare(all openshift.Accounts) map[string]string {
	open := map[string]string{}
	for server, accounts := range all {
		for c, account := range accounts {
			open[server+" "+string(c)] = account.User + " " + account.Password.Reveal()
		}
	}
	return open
}

// explained holds what explain says against the accounts: in kube-system and passthrough what the
// cloud-credential-operator hands out, in the other profiles what stands where the component reads it.
func (j *traveller) explained(profile string, made openshift.Accounts, text string) {
	j.t.Helper()
	var doc struct {
		Requests []struct {
			Component component.Name
			Accounts  []struct{ Server, Enhancement, Mainline, Now string }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		j.t.Fatalf("%v in:\n%s", err, text)
	}
	seen := 0
	for _, r := range doc.Requests {
		for _, a := range r.Accounts {
			uses, of := a.Now, r.Component
			switch profile {
			case openshift.ProfileKubeSystem:
				uses = a.Enhancement
			case openshift.ProfilePassthrough:
				uses, of = a.Mainline, component.Installer
			}
			if r.Component == "" || r.Component.OptIn() {
				continue // of a component that no account is for
			}
			seen++
			if want := made[a.Server][of].User; uses != want || want == "" {
				j.t.Fatalf("explain says that %s uses %q on %s, not %q:\n%s", r.Component, uses, a.Server, want, text)
			}
		}
	}
	if want := 4 * len(made); seen != want {
		j.t.Fatalf("explain tells of %d accounts, not %d:\n%s", seen, want, text)
	}
}
