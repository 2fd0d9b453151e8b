package many

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Flags are those of a command that does the same for many clusters.
type Flags struct {
	Clusters []string // --clusters; none = all
	Shard    string   // --shard i/n; "" = all
	Results  string   // --results; "" = nowhere
	Resume   bool     // --resume
	Metrics  command.MetricsFlags
	Event    bool // --event
	Brief    bool // --brief

	job   *job.Options
	force *command.OverwriteFlag
	given bool                    // many clusters are meant
	asked *command.Administrators // the logins that were asked for; nil = none
}

const resultsFlag, resumeFlag, eventFlag = "results", "resume", "event"

// Help is for the help of a command with [Flags].
const Help = `With -f DIR, or -f for each of several files, it does so for many clusters and prints a line for each; with -o json each
has its whole document. A cluster that fails harms no other: exit code 3 if some could not be looked at, 1 if none could.
See 'help clusters'.`

// Names are those of the flags, which mean something for many clusters alone.
func Names() []string {
	return []string{
		"clusters", "shard", resultsFlag, resumeFlag, command.MetricsFlag, command.ListenFlag, command.EveryFlag, "brief", eventFlag,
		canaryFlag, batchFlag, maxFailuresFlag, kubeconfigsFlag,
	}
}

// Register adds the flags to cmd, whose -f o has. --listen excludes those named in once.
func (m *Flags) Register(cmd *cobra.Command, o *job.Options, force *command.OverwriteFlag, once ...string) {
	m.job, m.force = o, force
	p := cmd.Flags()
	m.registerChoice(cmd)
	p.StringVar(&m.Shard, "shard", "", "only a part of the clusters: i of n, as i/n with i from 0")
	m.Metrics.Register(cmd, append(once, resultsFlag)...)
	p.BoolVar(&m.Brief, "brief", false, "figures alone, without the documents of clusters")
	p.BoolVar(&m.Event, eventFlag, false, "in a pod: post an Event that says what was found")
	command.MarkSettings(cmd, "shard", command.MetricsFlag, command.ListenFlag, command.EveryFlag, "brief", eventFlag)
	notHandedOn(p)
}

// registerChoice adds the flags of the clusters, and of where it is kept what comes of each.
func (m *Flags) registerChoice(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringSliceVar(&m.Clusters, "clusters", nil, "only these clusters")
	command.DirFlag(cmd, &m.Results, resultsFlag, "keep what is found of each cluster in this directory")
	p.BoolVar(&m.Resume, resumeFlag, false, "with --results: go on with a run that was interrupted")
	command.MarkSettings(cmd, "clusters", resultsFlag, resumeFlag)
}

// notHandedOn keeps the flags for many clusters out of commands for one.
func notHandedOn(p *pflag.FlagSet) {
	for _, name := range Names() {
		if p.Lookup(name) != nil {
			_ = p.SetAnnotation(name, command.NotHandedOn, []string{"many"})
		}
	}
}

// Check decides whether many clusters are meant: by several files, a directory, or one of the flags.
// Then it refuses flags for one cluster, but own ones and those of the connection.
func (m *Flags) Check(own ...string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		paths := m.job.Connection.Source.Files
		m.given = len(paths) > 1 || slices.ContainsFunc(paths, isDir)
		flags := cmd.Flags()
		typed := func(name string) bool { return command.LevelOf(flags, name) == command.OfCommandLine }
		m.given = m.given || slices.ContainsFunc(Names(), typed)
		if !m.given {
			return nil
		}
		switch {
		case len(paths) == 0:
			return hint.Errorf("add -f DIR, a directory with a provisioning file for each cluster, or -f for each of them",
				"no provisioning file is given")
		case slices.Contains(paths, "-"):
			return command.BadFlag("file", "stdin is one provisioning file: it goes with none of the flags for many clusters")
		}
		var errs []error
		for _, name := range apart(cmd, append(own, "force")) {
			switch {
			case typed(name):
				errs = append(errs, command.BadFlag(name, "is for one cluster, and many are given"))
			case name != command.CredentialsFileFlag: // a lab's is for whom the file says none
				m.job.Warnf("the setting of --%s is not read for many clusters, whose files say it", name)
			}
		}
		return errors.Join(append(errs, m.check(cmd))...)
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// apart are the flags that are set and mean something for one cluster alone.
func apart(cmd *cobra.Command, own []string) (names []string) {
	known := slices.Concat(Names(), command.ConnectionFlags(), own, []string{"file"})
	cmd.LocalNonPersistentFlags().VisitAll(func(fl *pflag.Flag) {
		if fl.Changed && !slices.Contains(known, fl.Name) {
			names = append(names, fl.Name)
		}
	})
	return names
}

func (m *Flags) check(cmd *cobra.Command) error {
	if err := m.Metrics.Check(cmd, m.job.Factory); err != nil {
		return err
	}
	if m.Resume && m.Results == "" {
		return hint.Wrap(command.BadFlag(resumeFlag, "no run is named to go on with"), "add --results DIR")
	}
	if m.Shard != "" {
		if _, err := fleet.ParseShard(m.Shard); err != nil {
			return command.BadFlag("shard", "%w", err)
		}
	}
	_, err := m.job.Connection.Source.ConnectTo.Parse()
	return err
}

// Given reports whether many clusters are meant.
func (m *Flags) Given() bool { return m.given }

// Resumed allows to overwrite what the run writes besides: with --resume that of an interrupted one.
func (m *Flags) Resumed() *command.OverwriteFlag {
	return &command.OverwriteFlag{Force: m.force.Force || m.Resume}
}

func (m *Flags) members() ([]fleet.Member, error) {
	all, err := fleet.Load(m.job.Connection.Source.Files)
	if err != nil {
		return nil, err
	}
	if err := m.reach(all); err != nil {
		return nil, err
	}
	var names []string
	for _, member := range all {
		names = append(names, member.Name)
	}
	if err := command.AllOf("clusters", m.Clusters, names); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(fleet.Take(all, m.shard()), func(of fleet.Member) bool {
		return len(m.Clusters) > 0 && !slices.Contains(m.Clusters, of.Name)
	}), nil
}

// shard is the part of the clusters to look at; nil = all.
func (m *Flags) shard() *fleet.Shard {
	if m.Shard == "" {
		return nil
	}
	shard, _ := fleet.ParseShard(m.Shard) // checked before
	return shard
}

func (m *Flags) reach(all []fleet.Member) error {
	connectTo := &m.job.Connection.Source.ConnectTo
	addresses, err := connectTo.Parse()
	if err != nil {
		return err
	}
	var errs []error
	known := servers(all)
	for _, server := range command.SortedKeys(addresses) {
		if !connectTo.Settled() && !slices.Contains(known, server) {
			errs = append(errs, command.BadFlag(command.ConnectToFlag, "%w", command.OneOf(server, known)))
		}
		errs = append(errs, command.CheckAddress(server, addresses[server]))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	each := connectTo.ForEach()
	for _, member := range all {
		if member.Spec != nil {
			_ = each.Apply(member.Spec) // checked above
		}
	}
	return nil
}

func servers(all []fleet.Member) (names []string) {
	for _, m := range all {
		if m.Spec != nil {
			names = lists.AppendNew(names, command.Servers(m.Spec)...)
		}
	}
	return names
}

// digest is that of a cluster's specification, with what it shares with others, and of its matrix.
func digest(s *spec.Spec) string {
	h := sha256.New()
	h.Write(s.YAML())
	if name := s.Privileges.Matrix; !slices.Contains(privileges.Names(), name) {
		if text, err := files.Read(name, files.Text, files.Regular); err == nil {
			h.Write(text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// store opens the directory of results; nil = none is named. asked are options that decide results.
func (m *Flags) store(verb string, asked any, strict bool) (*fleet.Store, error) {
	if m.Results == "" {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	if info, err := os.Stat(m.Results); err == nil && !info.IsDir() {
		return nil, command.BadFlag(resultsFlag, "%s is no directory", m.Results)
	}
	options, err := json.Marshal([]any{asked, m.Brief})
	if err != nil {
		return nil, err
	}
	s, err := fleet.OpenStore(m.Results, strings.Join([]string{verb, m.tool(), string(options)}, " "),
		fleet.Earlier{Resume: m.Resume, Drop: m.force.Force, Strict: strict})
	if err != nil {
		return nil, command.BadFlag(resultsFlag, "%w", err)
	}
	return s, nil
}

// unkept is the error of results that could not be kept.
func unkept(s *fleet.Store) error {
	if s.Err() == nil {
		return nil
	}
	return command.BadFlag(resultsFlag, "%w", s.Err())
}

func (m *Flags) tool() string { return command.Program + " " + m.job.Build.Version }
