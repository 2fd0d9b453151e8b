package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The words of users disable, users enable and of users list for a scheduler.
func TestUsersWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]UsersDisableOptions{
		"--components installer --secrets d.yaml":                {Disabled: true, Secrets: command.UsedFlags{SecretsFlags: command.SecretsFlags{Dump: "d.yaml"}}},
		"--components installer --kubeconfig kc --context admin": {Disabled: true, Secrets: command.UsedFlags{SecretsFlags: command.SecretsFlags{Cluster: command.ClusterFlags{Kubeconfig: "kc", Context: "admin"}}}},
		"--components installer --dry-run":                       {Disabled: true, DryRun: true},
	} {
		var got *UsersDisableOptions
		cmd := newCmdUsersDisable(command.NewFactory(term.NewFake().Streams, command.Build{}), func(o *UsersDisableOptions) error {
			got = o
			return nil
		})
		cmd.SetArgs(strings.Fields(words))
		if err := cmd.Execute(); err != nil || got.Disabled != want.Disabled || got.Secrets != want.Secrets || got.DryRun != want.DryRun {
			t.Errorf("%s: %+v, %v", words, got, err)
		}
	}
	for words, want := range map[string]string{"": "--components", "--components etcd": "etcd"} {
		cmd := newCmdUsersEnable(command.NewFactory(term.NewFake().Streams, command.Build{}), nil)
		cmd.SetArgs(strings.Fields(words))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("enable %s: %v", words, err)
		}
	}
	var list *UsersListOptions
	cmd := newCmdUsersList(command.NewFactory(term.NewFake().Streams, command.Build{}), func(o *UsersListOptions) error {
		list = o
		return nil
	})
	cmd.SetArgs([]string{"--expiring-within", "14d", "--exit-code"})
	if err := cmd.Execute(); err != nil || *list.ExpiringWithin != 14*24*time.Hour || !list.ExitCode {
		t.Errorf("%+v, %v", list, err)
	}
}

// A password that expires is renewed by a rotation without a gap, and that of somebody else's account by asking for one.
func TestRemediesOfExpiringPasswords(t *testing.T) {
	t.Parallel()
	w := findingsOf(t, command.Invocation{"file": {"spec.yaml"}}, nil)
	accounts := func(c component.Name) []finding.Account { return []finding.Account{{Server: "vc2", Component: c}} }
	ours := &finding.Finding{Code: finding.ExpiringPassword, Accounts: accounts("csi-driver")}
	adopted := &finding.Finding{Code: finding.ExpiringAdopted, Accounts: accounts("diagnostics")}
	w.remedy([]*finding.Finding{ours, adopted})
	const want = "ocp-vsphere-admin rotate --components csi-driver --vcenters vc2 -f spec.yaml"
	if len(ours.Remedies) != 1 || ours.Remedies[0] != want {
		t.Errorf("%q", ours.Remedies)
	}
	if len(adopted.Remedies) != 2 || !strings.HasSuffix(adopted.Remedies[0], ": ocp-vsphere-admin plan --work-order order.md -f spec.yaml") ||
		!strings.HasSuffix(adopted.Remedies[1], ": ocp-vsphere-admin credentials import --replace FILE") {
		t.Errorf("%q", adopted.Remedies)
	}

	// an account that it has replaced is still there, and a rotation would refuse
	ours.Accounts[0].Earlier = []string{"ocp-cluster1-csi-driver@vsphere.local"}
	w.remedy([]*finding.Finding{ours})
	finish := "first finish the last rotation: oc get secrets -A -o yaml | ocp-vsphere-admin rotate finish --secrets - --components csi-driver --vcenters vc2 -f spec.yaml"
	if diff := cmp.Diff([]string{finish, want}, ours.Remedies); diff != "" {
		t.Error(diff)
	}

	// the names of vCenters are enough to list, but not to make accounts
	w = findingsOf(t, command.Invocation{"vcenters": {"vc1", "vc2"}, "cluster": {"cluster1"}}, []string{"vc1", "vc2"})
	w.wanted.VCenters[0].FailureDomains = nil
	w.remedy([]*finding.Finding{ours, adopted})
	for _, line := range slices.Concat(ours.Remedies, adopted.Remedies[:1]) {
		if !strings.Contains(line, " -f FILE") || strings.Contains(line, "--cluster") {
			t.Errorf("%q", line)
		}
	}
}
