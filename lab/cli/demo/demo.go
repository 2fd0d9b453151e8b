// Package demo is the command that runs the whole job on simulated vCenters.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/program"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Options are the flags of `demo`.
type Options struct {
	*command.Factory
	Keep bool // --keep
	Lab  vcsim.Options
	Tool string // path of ocp-vsphere-admin; "" = where [find] finds it
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole job on two simulated vCenters",
		Long: command.Text(`
			Starts two simulated vCenters and runs ocp-vsphere-admin on them, one command after the other, with an
			install-config of two failure domains: the program that lies beside this one, else the one on PATH. Nothing
			outside a temporary directory is changed. The simulated vCenters refuse what a real vCenter refuses.`),
		Example: command.Examples(`
			vcenter-lab demo
			vcenter-lab demo --keep       # afterwards, leave them running and say how to use them`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(*cobra.Command, []string) error { return kit.CheckNumbers(o.Lab) }),
	}
	cmd.Flags().BoolVar(&o.Keep, "keep", false, "leave the vCenters running until interrupted, and say how to use them")
	cmd.Flags().BoolVar(&o.Lab.Linked, "linked", false, "the vCenters share one SSO domain")
	cmd.Flags().DurationVar(&o.Lab.Latency, "latency", 0, "delay of each request")
	return cmd
}

// find is the tool that lies beside this program, else the one on PATH.
func find() (string, error) {
	if own, err := os.Executable(); err == nil {
		if path, err := program.Find(filepath.Join(filepath.Dir(own), command.Program)); err == nil {
			return path, nil
		}
	}
	path, err := program.Find(command.Program)
	if err != nil {
		return "", hint.Errorf("'make build' writes both programs to bin/; 'go install' of cmd/"+command.Program+" this one", "%s is neither beside this program nor on PATH", command.Program)
	}
	return filepath.Abs(path)
}

func run(ctx context.Context, o *Options) (err error) {
	if o.Tool == "" {
		if o.Tool, err = find(); err != nil {
			return err
		}
	}
	o.Lab.VCenters = 2
	lab, err := vcsim.Start(o.Lab) //nolint:contextcheck // it is built in this process, and Close ends it
	if err != nil {
		return err
	}
	defer lab.Close()
	defer kit.SurviveClosedPipes()() // the files are removed
	dir, err := os.MkdirTemp("", "vcenter-lab-demo-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return err
	}
	files := &kit.Files{}
	defer func() {
		if changed := files.Changed(); len(changed) > 0 { // while they kept running, somebody did something of his own
			o.Infof("kept, because %s was changed: %s", filepath.Base(changed[0]), dir)
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	config := filepath.Join(dir, Config)
	written, err := kit.Write(lab, dir, "")
	if err == nil {
		err = os.WriteFile(config, []byte(installConfig), 0o600)
	}
	if err == nil {
		err = written.Wrote(config)
	}
	if err != nil {
		return err
	}
	files = written
	o.say("two simulated vCenters are running, and this is the " + Config + ":")
	_, _ = io.WriteString(o.Out, installConfig)
	for _, s := range steps {
		if err := o.step(ctx, dir, files, s); err != nil {
			return err
		}
	}
	return o.keep(ctx, dir, files)
}

// Config is the name of the install-config.
const Config = "install-config.yaml"

// installConfig has a failure domain on each vCenter: one whose folder exists, one whose pool does.
const installConfig = `apiVersion: v1
baseDomain: example.com
metadata:
  name: cluster1
platform:
  vsphere:
    vcenters:
    - server: vcenter1.example.com
      datacenters: [DC1]
    - server: vcenter2.example.com
      datacenters: [DC2]
    failureDomains:
    - name: zone-a
      server: vcenter1.example.com
      region: region-a
      zone: zone-a
      topology:
        datacenter: DC1
        computeCluster: /DC1/host/C1
        datastore: /DC1/datastore/ds1
        networks: [ocp-net]
        folder: /DC1/vm/openshift/cluster1
        template: /DC1/vm/templates/rhcos
    - name: zone-b
      server: vcenter2.example.com
      region: region-b
      zone: zone-b
      topology:
        datacenter: DC2
        computeCluster: /DC2/host/C2
        datastore: /DC2/datastore/ds2
        networks: [VM Network]
        folder: /DC2/vm/openshift/cluster1
        resourcePool: /DC2/host/C2/Resources/openshift
`

// steps are the commands, each with why.
var steps = [][2]string{
	{"check network, logins and rights:", "doctor --install-config " + Config},
	{"show what has to change:", "plan --out plan.json --install-config " + Config},
	{"apply it:", "apply --plan plan.json --yes"},
	{"log in as each account and compare its rights with what it needs:", "verify --install-config " + Config},
	{"write the secrets for 'oc apply -f -':", "secrets emit --install-config " + Config},
	{"show that a second plan is empty:", "plan --exit-code --install-config " + Config},
}

func (o *Options) say(text string) { term.Fprintf(o.Out, "\n%s\n", o.OutColors().Bold("# "+text)) }

// patience is how long a step may take.
const patience = 10 * time.Minute

// step shows a command and runs it, as somebody would in that directory.
func (o *Options) step(ctx context.Context, dir string, files *kit.Files, s [2]string) error {
	o.say(s[0])
	term.Fprintf(o.Out, "$ %s %s\n", command.Program, s[1])
	out, err := o.Unfiltered()
	tool := program.Command{
		Path: o.Tool, Args: strings.Fields(s[1]), Dir: dir, Env: files.Environment(), Out: out, Err: err,
		Patience: patience, Grace: program.Grace,
	}
	if err := tool.Run(ctx); err != nil {
		return fmt.Errorf("the demonstration ended: %w", err)
	}
	return nil
}

// typed is what somebody types to run a program: its name, where that is found on PATH.
func typed(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	if onPath, err := program.Find(name); err == nil && onPath == path {
		return name
	}
	return script.Program(path)
}

// keep leaves the vCenters running, if that was asked for.
func (o *Options) keep(ctx context.Context, dir string, files *kit.Files) error {
	if !o.Keep {
		own, err := os.Executable()
		if err != nil {
			own = o.Program
		}
		o.say("done; everything is cleaned up. To leave the vCenters running: " + typed(own) + " demo --keep")
		return nil
	}
	o.say("the vCenters keep running; in another terminal:")
	term.Fprintf(o.Out, "cd %s\n%s\n%s plan --install-config %s\n", script.Word(dir), script.Export(files.Environment()...), typed(o.Tool), Config)
	o.Infof("serving until interrupted")
	<-ctx.Done()
	return nil
}
