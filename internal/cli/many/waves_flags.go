package many

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// WaveFlags are those of a command that changes many clusters, in waves.
type WaveFlags struct {
	Flags
	Canary      int    // --canary: clusters of the first wave; 0 = as many as of the others
	Batch       int    // --batch: clusters of each other wave; 0 = all that are left
	MaxFailures int    // --max-failures
	Kubeconfigs string // --kubeconfig-dir; "" = none
	Digest      string // --digest; "" = nothing was approved
	over        command.OverwriteFlag
}

const (
	canaryFlag, batchFlag, maxFailuresFlag = "canary", "batch", "max-failures"
	kubeconfigsFlag, digestFlag            = "kubeconfig-dir", "digest"
)

// WavesHelp is for the help of a command with [WaveFlags].
const WavesHelp = `With -f DIR, or -f for each of several files, it does so for many clusters: all are planned and agreed to as one
(--dry-run prints the digest for --digest), then changed one after the other, --canary first, then --batch at a time. Each wave is
verified before the next begins. It stops at --max-failures and prints the command that goes on. See 'help clusters'.`

// Register adds the flags to cmd, whose -f o has.
func (m *WaveFlags) Register(cmd *cobra.Command, o *job.Options) {
	m.job, m.force = o, &m.over
	p := cmd.Flags()
	m.registerChoice(cmd)
	p.IntVar(&m.Canary, canaryFlag, 0, "so many clusters first, as a wave of their own")
	p.IntVar(&m.Batch, batchFlag, 0, "so many clusters in each later wave (default: all that are left)")
	p.IntVar(&m.MaxFailures, maxFailuresFlag, 1, "stop when so many clusters have failed, or all of --canary")
	command.DirFlag(cmd, &m.Kubeconfigs, kubeconfigsFlag,
		"the clusters' kubeconfigs, as NAME, NAME.kubeconfig or NAME/auth/kubeconfig: the accounts that each uses are verified")
	if p.Lookup(digestFlag) == nil {
		p.StringVar(&m.Digest, digestFlag, "", "change many clusters only by the plan with this digest, as --dry-run printed it")
	}
	m.over.Register(cmd)
	command.MarkSettings(cmd, canaryFlag, batchFlag, maxFailuresFlag, kubeconfigsFlag)
	notHandedOn(p)
}

// Check is that of [Flags] for changes.
func (m *WaveFlags) Check(own ...string) func(*cobra.Command, []string) error {
	own = append(own, digestFlag, "dry-run", "displace", "secrets", "applied", "components")
	many := m.Flags.Check(own...)
	return func(cmd *cobra.Command, args []string) error {
		err := many(cmd, args)
		if f := cmd.Flags().Lookup(digestFlag); err == nil && f.Changed {
			if m.Digest = f.Value.String(); !m.given && cmd.Name() != "apply" {
				return command.BadFlag(digestFlag, "is for many clusters")
			}
			if err := plan.CheckDigest(m.Digest); err != nil {
				return command.BadFlag(digestFlag, "%w", err)
			}
		}
		for name, n := range map[string]int{canaryFlag: m.Canary, batchFlag: m.Batch, maxFailuresFlag: m.MaxFailures - 1} {
			if n < 0 {
				err = errors.Join(err, command.BadFlag(name, "must not be less than %d", map[bool]int{true: 1}[name == maxFailuresFlag]))
			}
		}
		if dump := m.job.Used.Dump; m.given && dump != "" && !isDir(dump) {
			err = errors.Join(err, command.BadFlag("secrets", "%s is no directory: for many clusters it has a dump for each, NAME.yaml", dump))
		}
		return err
	}
}

// kubeconfig is the file of a cluster; "" = none is asked for.
func (m *WaveFlags) kubeconfig(name string) (string, error) {
	if m.Kubeconfigs == "" {
		return "", nil
	}
	forms := []string{name, name + ".kubeconfig", filepath.Join(name, "auth", "kubeconfig")}
	for _, form := range forms {
		if path := filepath.Join(m.Kubeconfigs, form); !command.Missing(path) && !isDir(path) {
			return path, nil
		}
	}
	return "", command.BadFlag(kubeconfigsFlag, "%s has no %s", m.Kubeconfigs, strings.Join(forms, ", "))
}

// cut gives the waves of clusters.
func (m *WaveFlags) cut(names []string) (all [][]string) {
	for n := m.Canary; len(names) > 0; n = m.Batch {
		if n == 0 {
			n = m.Batch
		}
		if n = min(n, len(names)); n == 0 {
			n = len(names)
		}
		all, names = append(all, names[:n]), names[n:]
	}
	return all
}
