package simulate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// DemoOptions are the flags of `demo`.
type DemoOptions struct {
	*command.Factory
	Keep bool // --keep
	Lab  vcsim.Options
	Root func(*command.Factory) *cobra.Command // makes the commands that it runs
}

// NewCmdDemo is the command demo; root makes the commands that it runs.
func NewCmdDemo(f *command.Factory, root func(*command.Factory) *cobra.Command, runF func(*DemoOptions) error) *cobra.Command {
	o := &DemoOptions{Factory: f, Root: root}
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Run the whole job on two simulated vCenters",
		GroupID: command.GroupLab,
		Long: command.Text(`
			Starts two simulated vCenters in this process and runs the real commands on them, one after the other, with an
			install-config of two failure domains. Nothing outside a temporary directory is changed. The simulated vCenters
			refuse what a real vCenter refuses.`),
		Example: command.Examples(`
			ocp-vsphere-admin demo
			ocp-vsphere-admin demo --keep       # afterwards, leave them running and say how to use them`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, demoRun),
	}
	cmd.Flags().BoolVar(&o.Keep, "keep", false, "leave the vCenters running until interrupted, and print the flags to use them")
	cmd.Flags().BoolVar(&o.Lab.Linked, "linked", false, "the vCenters share one SSO domain")
	cmd.Flags().DurationVar(&o.Lab.Latency, "latency", 0, "delay of each request")
	return cmd
}

func demoRun(ctx context.Context, o *DemoOptions) (err error) {
	o.Lab.VCenters = 2
	lab, err := vcsim.Start(o.Lab) //nolint:contextcheck // it is built in this process, and Close ends it
	if err != nil {
		return err
	}
	defer lab.Close()
	defer term.SurviveClosedPipes()() // the files are removed
	dir, err := os.MkdirTemp("", command.Program+"-demo-")
	if err != nil {
		return err
	}
	files := &Files{}
	defer func() {
		if changed := files.changed(); len(changed) > 0 { // while they kept running, somebody did something of his own
			o.Infof("kept, because %s was changed: %s", filepath.Base(changed[0]), dir)
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if files, err = WriteFiles(lab, dir, "", false); err != nil {
		files = &Files{}
		return err
	}
	d := &demo{o: o, lab: lab, dir: dir, flags: connectionFlags(lab, files)}
	if err := d.installConfig(); err != nil {
		return err
	}
	if err := files.wrote(filepath.Join(dir, demoConfig)); err != nil {
		return err
	}
	if err := d.steps(ctx); err != nil {
		return err
	}
	d.keep(ctx)
	return nil
}

// connectionFlags point a command at a lab.
func connectionFlags(lab *vcsim.Lab, files *Files) []string {
	flags := []string{"--cacert", files.CACert, "--admin-credentials", files.AdminCredentials}
	for _, vc := range lab.VCenters {
		flags = append(flags, "--connect-to", vc.Server()+"="+vc.Addr())
	}
	return flags
}

// demo runs commands in this process as a person would run them one by one.
type demo struct {
	o     *DemoOptions
	lab   *vcsim.Lab
	dir   string
	flags []string
}

const demoConfig = "install-config.yaml"

// demoInstallConfig has a failure domain on each vCenter: one whose folder exists, one whose pool does.
const demoInstallConfig = `apiVersion: v1
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

func (d *demo) installConfig() error {
	path := filepath.Join(d.dir, demoConfig)
	d.say("two simulated vCenters are running, and this is the " + demoConfig + ":")
	_, _ = io.WriteString(d.o.Out, demoInstallConfig)
	return os.WriteFile(path, []byte(demoInstallConfig), 0o600)
}

func (d *demo) steps(ctx context.Context) error {
	config := []string{"--install-config", demoConfig}
	for _, s := range []struct {
		why       string
		args      []string
		connected bool
	}{
		{"check network, logins and rights:", append([]string{"doctor"}, config...), true},
		{"show what has to change:", append([]string{"plan", "--out", "plan.json"}, config...), true},
		{"apply it:", []string{"apply", "--plan", "plan.json", "--yes"}, true},
		{"log in as each account and compare its rights with what it needs:", append([]string{"verify"}, config...), true},
		{"write the secrets for 'oc apply -f -':", append([]string{"secrets", "emit"}, config...), false},
		{"show that a second plan is empty:", append([]string{"plan", "--exit-code"}, config...), true},
	} {
		if err := d.run(ctx, s.why, s.args, s.connected); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) say(text string) { term.Fprintf(d.o.Out, "\n%s\n", d.o.OutColors().Bold("# "+text)) }

// run shows a command and runs it, with the flags that point it at the lab left out of sight.
func (d *demo) run(ctx context.Context, why string, args []string, connected bool) error {
	d.say(why)
	term.Fprintf(d.o.Out, "$ %s %s\n", command.Program, strings.Join(args, " "))
	var words []string
	for _, a := range args {
		if strings.HasSuffix(a, ".yaml") || strings.HasSuffix(a, ".json") {
			a = filepath.Join(d.dir, a)
		}
		words = append(words, a)
	}
	if connected {
		words = append(words, d.flags...)
	}
	streams := *d.o.Streams
	streams.NoInput = true
	streams.Getenv = d.getenv
	root := d.o.Root(command.NewFactory(&streams, d.o.Build)) //nolint:contextcheck // commands take that of their execution
	root.SetArgs(words)
	return root.ExecuteContext(ctx)
}

// getenv hides the user's own settings from the demonstration: it has a credentials file of its own.
func (d *demo) getenv(name string) string {
	if name == credfile.Variable {
		return filepath.Join(d.dir, ".vsphere", "credentials")
	}
	if strings.HasPrefix(name, command.EnvPrefix) || strings.HasPrefix(name, "GOVC_") {
		return ""
	}
	return d.o.Getenv(name)
}

// keep leaves the vCenters running, if that was asked for.
func (d *demo) keep(ctx context.Context) {
	if !d.o.Keep {
		d.say("done; everything is cleaned up. Use --keep to leave the vCenters running")
		return
	}
	d.say("the vCenters keep running; in another terminal:")
	term.Fprintf(d.o.Out, "export %s=%s\ncd %s\n%s plan --install-config %s \\\n", credfile.Variable, d.getenv(credfile.Variable), d.dir, command.Program, demoConfig)
	printFlags(d.o.Out, d.flags)
	d.o.Infof("serving until interrupted")
	<-ctx.Done()
}
