package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Options are the flags that plan, verify and report of a fleet share.
type Options struct {
	*command.Factory
	Paths     []string // provisioning files, and directories of them
	Admin     command.AdminFlags
	TLS       command.TLSFlags
	ConnectTo command.AddressFlag

	Clusters  []string // --clusters; none = all
	Shard     string   // --shard i/n; "" = all
	Results   string   // --results; "" = nowhere
	Resume    bool     // --resume
	Overwrite command.OverwriteFlag
	Metrics   command.MetricsFlags
	Event     bool // --event
	Brief     bool // --brief

	asked *command.Administrators // the logins that were asked for; nil = none
}

func (o *Options) register(cmd *cobra.Command) {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return hint.Errorf("name a directory with a provisioning file for each cluster, or the files",
				"no provisioning file is given")
		}
		return nil
	}
	o.Admin.Register(cmd)
	o.TLS.Register(cmd)
	o.ConnectTo.Register(cmd)
	o.Overwrite.Register(cmd)
	p := cmd.Flags()
	p.StringSliceVar(&o.Clusters, "clusters", nil, "only these")
	p.StringVar(&o.Shard, "shard", "", "only a part: i of n, as i/n with i from 0")
	command.DirFlag(cmd, &o.Results, resultsFlag, "keep what is found of each cluster in this directory")
	p.BoolVar(&o.Resume, resumeFlag, false, "with --results: go on with a run that was interrupted")
	o.Metrics.Register(cmd, resultsFlag)
	p.BoolVar(&o.Brief, "brief", false, "figures alone, without the documents of clusters")
	p.BoolVar(&o.Event, "event", false, "in a pod: post an Event that says what was found")
}

const resultsFlag, resumeFlag = "results", "resume"

func (o *Options) take(cmd *cobra.Command, args []string) error {
	o.Paths = args
	if err := o.Metrics.Check(cmd, o.Factory); err != nil {
		return err
	}
	if o.Resume && o.Results == "" {
		return hint.Wrap(command.BadFlag(resumeFlag, "no run is named to go on with"), "add --results DIR")
	}
	if o.Shard != "" {
		if _, err := fleet.ParseShard(o.Shard); err != nil {
			return command.BadFlag("shard", "%w", err)
		}
	}
	_, err := o.ConnectTo.Parse()
	return err
}

func (o *Options) members() ([]fleet.Member, error) {
	all, skipped, err := fleet.Load(o.Paths)
	if err != nil {
		return nil, err
	}
	for _, dir := range skipped {
		o.Warnf("%s is not read, because it is a directory in a directory: name it, too", dir)
	}
	if err := o.reach(all); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	if err := command.AllOf("clusters", o.Clusters, names); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(fleet.Take(all, o.shard()), func(m fleet.Member) bool {
		return len(o.Clusters) > 0 && !slices.Contains(o.Clusters, m.Name)
	}), nil
}

// shard is the part of the fleet to look at; nil = all.
func (o *Options) shard() *fleet.Shard {
	if o.Shard == "" {
		return nil
	}
	shard, _ := fleet.ParseShard(o.Shard) // checked before
	return shard
}

func (o *Options) reach(all []fleet.Member) error {
	addresses, err := o.ConnectTo.Parse()
	if err != nil {
		return err
	}
	var errs []error
	known := servers(all)
	for _, server := range command.SortedKeys(addresses) {
		if err := command.OneOf(server, known); err != nil && !o.ConnectTo.Settled() {
			errs = append(errs, command.BadFlag(command.ConnectToFlag, "%w", err))
		}
		errs = append(errs, command.CheckAddress(server, addresses[server]))
	}
	for _, m := range all {
		if m.Spec == nil {
			continue
		}
		for i, v := range m.Spec.VCenters {
			if at := addresses[v.Server]; at != "" {
				m.Spec.VCenters[i].Address = at
			}
		}
	}
	return errors.Join(errs...)
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
func (o *Options) store(verb string, asked any) (*fleet.Store, error) {
	if o.Results == "" {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	if info, err := os.Stat(o.Results); err == nil && !info.IsDir() {
		return nil, command.BadFlag(resultsFlag, "%s is no directory", o.Results)
	}
	options, err := json.Marshal([]any{asked, o.Brief})
	if err != nil {
		return nil, err
	}
	s, err := fleet.OpenStore(o.Results, strings.Join([]string{verb, o.tool(), string(options)}, " "),
		o.Resume, o.Overwrite.Force)
	if err != nil {
		return nil, command.BadFlag(resultsFlag, "%w", err)
	}
	return s, nil
}

func (o *Options) tool() string { return command.Program + " " + o.Build.Version }
