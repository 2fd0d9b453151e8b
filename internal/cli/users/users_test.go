package users

import (
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
)

// The words of users disable, users enable and of users list for a scheduler.
func TestUsersWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]DisableOptions{
		"--components installer --secrets d.yaml":                {Disabled: true, Options: job.Options{Used: command.UsedFlags{SecretsFlags: command.SecretsFlags{Dump: "d.yaml"}}}},
		"--components installer --kubeconfig kc --context admin": {Disabled: true, Options: job.Options{Used: command.UsedFlags{SecretsFlags: command.SecretsFlags{Cluster: command.ClusterFlags{Kubeconfig: "kc", Context: "admin"}}}}},
		"--components installer --dry-run":                       {Disabled: true, Options: job.Options{DryRun: true}},
	} {
		var got *DisableOptions
		cmd := newCmdDisable(command.NewFactory(termtest.NewFake().Streams, command.Build{}), func(o *DisableOptions) error {
			got = o
			return nil
		})
		cmd.SetArgs(strings.Fields(words))
		if err := cmd.Execute(); err != nil || got.Disabled != want.Disabled || got.Used != want.Used || got.DryRun != want.DryRun {
			t.Errorf("%s: %+v, %v", words, got, err)
		}
	}
	for words, want := range map[string]string{"": "--components", "--components etcd": "etcd"} {
		cmd := newCmdEnable(command.NewFactory(termtest.NewFake().Streams, command.Build{}), nil)
		cmd.SetArgs(strings.Fields(words))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("enable %s: %v", words, err)
		}
	}
	var list *ListOptions
	cmd := newCmdList(command.NewFactory(termtest.NewFake().Streams, command.Build{}), func(o *ListOptions) error {
		list = o
		return nil
	})
	cmd.SetArgs([]string{"--expiring-within", "14d", "--exit-code"})
	if err := cmd.Execute(); err != nil || *list.ExpiringWithin != 14*24*time.Hour || !list.ExitCode {
		t.Errorf("%+v, %v", list, err)
	}
}
