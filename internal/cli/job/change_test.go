package job_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// changers are the commands that change vCenters, with the words of a run that any guard can hold.
func changers() map[string]string {
	return map[string]string{
		"apply":              "--prune",
		"create-all":         "",
		"destroy":            "",
		"permissions grant":  "",
		"permissions revoke": "",
		"reconcile":          "--requests requests",
		"reconcile prune":    "--requests requests",
		"roles create":       "",
		"roles delete":       "",
		"rotate":             "",
		"rotate finish":      "",
		"rotate undo":        "",
		"users create":       "",
		"users delete":       "",
		"users disable":      "--components diagnostics",
		"users enable":       "--components diagnostics",
	}
}

// readers log in to vCenters and change nothing there, or do it by a change of another command (init).
var readers = []string{
	"credentials validate", "doctor", "init", "permissions check", "permissions list", "plan", "privileges lint",
	"privileges record show", "privileges record start", "report", "roles diff", "roles list", "rotate status", "secrets emit", "secrets renew",
	"status", "users list", "verify",
}

const victim = "ocp-cluster1-csi-driver@vsphere.local"

// guard is something that may not be done, or not so, with the words that allow it.
type guard struct {
	plan    func() *plan.Plan
	words   string // besides --yes
	refused string // what the error says
	allows  string // instead of words; "" = nothing does
}

// guards are what every change passes.
func guards() map[string]guard {
	one := func(changes ...*plan.Change) func() *plan.Plan {
		return func() *plan.Plan {
			p := plan.New("cluster1")
			p.Add("vcenter1.example.com", changes, nil)
			if c := changes[0]; c.Object == "/DC1/vm/left" {
				p.Findings = append(p.Findings, c.Tell(finding.StillNeeded, "the folder still holds 2 virtual machines"))
			}
			return p
		}
	}
	gone := &plan.Change{Verb: plan.Delete, Kind: plan.User, Name: victim, Before: plan.UserState{}}
	disabled := &plan.Change{Verb: plan.Update, Kind: plan.User, Name: victim, Before: plan.UserState{}, After: plan.UserState{Disabled: true}}
	displacing := &plan.Change{Verb: plan.Update, Kind: plan.Role, Name: "theirs", Displaces: true, Before: plan.RoleState{}, After: plan.RoleState{}}
	left := &plan.Change{Verb: plan.Delete, Kind: plan.Permission, Principal: victim, Object: "/DC1/vm/left", Before: plan.PermissionState{}}
	stripped := &plan.Change{Verb: plan.Update, Kind: plan.Permission, Principal: victim, Object: "/DC1", Before: plan.PermissionState{Role: "many"}, After: plan.PermissionState{Role: "one"}, Strips: true}
	narrowed := &plan.Change{Verb: plan.Update, Kind: plan.Permission, Principal: victim, Object: "/DC1", Before: plan.PermissionState{Role: "many"}, After: plan.PermissionState{Role: "one"}, TakenBy: "matrix documented"}
	create := &plan.Change{Verb: plan.Create, Kind: plan.Role, Name: "r", After: plan.RoleState{}}
	unread := plan.New("cluster1")
	unread.Add("vcenter1.example.com", nil, errors.New("vcenter1.example.com: unreachable"))
	return map[string]guard{
		"unread":             {func() *plan.Plan { return unread }, "", "unreachable", ""},
		"unconfirmed":        {one(create), "--yes=false", "needs confirmation", "--yes"},
		"removed, unproven":  {one(gone), "", "", "--applied"},
		"disabled, unproven": {one(disabled), "", "", "--applied"},
		"removed, in part":   {one(gone), "--secrets part.yaml", "", "--secrets proof.yaml"},
		"removed, in use":    {one(gone), "--secrets dump.yaml", "still", "--secrets proof.yaml"},
		"removed, in place":  {one(gone), "--secrets placed.yaml", "", "--applied"},
		"disabled, in use":   {one(disabled), "--secrets dump.yaml", "still", "--secrets proof.yaml"},
		"machines left":      {one(left), "", "still", "--applied"},
		"machines, proved":   {one(left), "--secrets proof.yaml", "", "--applied"},
		"stripped, unproven": {one(stripped), "", "", "--applied"},
		"stripped, in use":   {one(stripped), "--secrets dump.yaml", "still", "--secrets proof.yaml"},
		"narrowed, unproven": {one(narrowed), "", "matrix documented takes privileges", "--applied"},
		"narrowed, proved":   {one(narrowed), "--secrets proof.yaml", "", "--applied"},
		"displacing":         {one(displacing), "", "alters permissions or roles of others", "--displace"},
	}
}

// TestEveryChangeIsGuarded runs each command that changes vCenters into each guard: without the word for it nothing is done, with it all is.
func TestEveryChangeIsGuarded(t *testing.T) {
	t.Parallel()
	known := changers()
	command.EachCommand(cli.NewCmdRoot(command.NewFactory(termtest.NewFake().Streams, command.Build{})), func(cmd *cobra.Command) {
		name := command.Spoken(cmd)
		switch _, named := known[name]; {
		case cmd.Annotations[job.ChangesMark] != "" && !named:
			t.Errorf("%s changes vCenters: name it in changers", name)
		case cmd.Annotations[job.ChangesMark] == "" && cmd.Flags().Lookup("admin-user") != nil && !slices.Contains(readers, name):
			t.Errorf("%s logs in to vCenters: mark it with changes, or name it in readers", name)
		}
		if cmd.Annotations[job.ChangesMark] == "" {
			return
		}
		for of, g := range guards() {
			t.Run(name+"/"+of, func(t *testing.T) {
				t.Parallel()
				c := changing{t: t, cmd: cmd, dir: t.TempDir()}
				done, err := c.run(g.plan(), strings.Fields(g.words))
				switch has := c.has(g.words); {
				case done:
					t.Fatalf("done: %v", err)
				case err == nil || has && !strings.Contains(err.Error(), g.refused):
					t.Errorf("%v", err)
				}
				if g.allows == "" || !c.has(g.allows) {
					return
				}
				words := g.allows
				if strings.HasPrefix(name, "rotate ") { // a proof names the accounts that stay, too: rotate-replace.txtar
					words = strings.Replace(words, "--secrets proof.yaml", "--applied", 1)
				}
				if done, err := c.run(g.plan(), strings.Fields(words)); !done || err != nil {
					t.Errorf("with %q: %t, %v", words, done, err)
				}
			})
		}
		t.Run(name+"/recorded", func(t *testing.T) {
			t.Parallel()
			c := changing{t: t, cmd: cmd, dir: t.TempDir()}
			if !c.has("--applied") {
				return // no account goes without
			}
			if done, err := c.run(guards()["removed, unproven"].plan(), []string{"--applied"}); !done || err != nil {
				t.Fatalf("%t, %v", done, err)
			}
			s, err := spec.Load(filepath.Join(c.dir, "spec.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if kept, replaced := s.ReconciledUpdates != nil, strings.HasPrefix(name, "rotate "); kept != replaced {
				t.Errorf("the releases are recorded: %t", kept)
			}
		})
	})
}

// changing runs a command whose plan is given, and which only notes that it would be done.
type changing struct {
	t   *testing.T
	cmd *cobra.Command
	dir string
}

// has reports whether the command has the flag that the words begin with.
func (c *changing) has(words string) bool {
	flag, _, _ := strings.Cut(strings.TrimPrefix(words, "--"), " ")
	flag, _, _ = strings.Cut(flag, "=")
	return flag == "" || flag == "yes" || c.cmd.Flags().Lookup(flag) != nil
}

func (c *changing) run(p *plan.Plan, words []string) (done bool, err error) {
	c.t.Helper()
	proof, bare := "", "" // secrets of all namespaces that are read, with another account of cluster1 and without any
	for _, namespace := range openshift.Profiles()[0].ReadFrom() {
		proof += objectstest.SecretYAML(namespace+"/other", "", "vcenter1.example.com.username=ocp-cluster1-diagnostics@vsphere.local", "vcenter1.example.com.password=x")
		bare += objectstest.SecretYAML(namespace+"/other", "", "note=x")
	}
	for name, text := range map[string]string{
		"spec.yaml": `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
vcenters:
- server: vcenter1.example.com
  failureDomains: [{name: a, datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [net]}]
reconciledAvailableUpdates:
- {version: 4.21.0, image: "quay.io/a/b@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
`,
		"password":   "secret",
		"dump.yaml":  "apiVersion: v1\nkind: Secret\nmetadata: {name: creds, namespace: mine}\nstringData: {vcenter1.example.com.username: " + victim + ", vcenter1.example.com.password: x}\n",
		"part.yaml":  "apiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: mine}\nstringData: {username: somebody, password: x}\n",
		"proof.yaml": proof,
		"placed.yaml": bare + `---
apiVersion: config.openshift.io/v1
kind: Infrastructure
metadata: {name: cluster}
spec:
  platformSpec:
    type: VSphere
    vsphere:
      vcenters: [{server: vcenter1.example.com, datacenters: [DC1]}]
      failureDomains:
      - {name: b, server: vcenter1.example.com, region: r, zone: b, topology: {datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [net], folder: /DC1/vm/f}}
status: {apiServerURL: "https://api.cluster1.example.com:6443", infrastructureName: cluster1-x7k2p}
`,
		"requests/mapi.yaml": "apiVersion: cloudcredential.openshift.io/v1\nkind: CredentialsRequest\nmetadata: {name: openshift-machine-api-vsphere, namespace: openshift-cloud-credential-operator}\nspec:\n  secretRef: {name: vsphere-cloud-credentials, namespace: openshift-machine-api}\n  providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec}\n",
	} {
		path := filepath.Join(c.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			c.t.Fatal(err)
		}
	}
	fake := termtest.NewFake()
	fake.Home = c.dir
	f := command.NewFactory(fake.Streams, command.Build{})
	alter := func(x *job.Change) {
		x.Plan = func(context.Context) *plan.Plan { return p }
		x.Do = func(context.Context, *plan.Plan) error {
			done = true
			return nil
		}
		x.Proof, x.Next = nil, nil
		if x.Replaced != nil {
			x.Replaced = func() []provision.Replacement {
				return []provision.Replacement{{Component: "csi-driver", Server: "vcenter1.example.com", From: victim}}
			}
		}
	}
	line := append(strings.Fields(command.Spoken(c.cmd)), "--file", "spec.yaml", "--admin-user", "root", "--admin-password-file", "password", "--yes")
	line = append(append(line, strings.Fields(changers()[command.Spoken(c.cmd)])...), slices.DeleteFunc(words, func(w string) bool { return !c.has(w) && strings.HasPrefix(w, "--") })...)
	for i, w := range line {
		if _, err := os.Stat(filepath.Join(c.dir, w)); err == nil && w != "" && !slices.Contains(strings.Fields(command.Spoken(c.cmd)), w) {
			line[i] = filepath.Join(c.dir, w)
		}
	}
	root := cli.NewCmdRoot(f)
	root.SetArgs(line)
	root.SetOut(fake.Out)
	root.SetErr(fake.Err)
	err = root.ExecuteContext(context.WithValue(c.t.Context(), job.Alteration{}, alter))
	return done, err
}
