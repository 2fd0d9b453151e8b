// Package serve is the command that runs simulated vCenters.
package serve

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/estate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Options are the flags of `serve`.
type Options struct {
	*command.Factory
	Lab       vcsim.Options
	Estate    string // --estate; empty = what the other flags describe
	Copied    string // --copy-credentials: credentials file of the vCenters of the estate
	Dir       string // --dir; empty = a temporary one, removed at the end
	ReadyFile string // --ready-file; empty = none
	Record    string // --record; empty = none
	Faults    faultFlag
	Lockout   lockoutFlag

	Like      string           // --like, a report of contract; empty = none
	Resembled *contract.Report // what it says
}

type simulationView struct {
	command.Header
	VCenters         []simulatedView `json:"vcenters"`
	Spec             string          `json:"spec"`             // provisioning file for -f
	InstallConfig    string          `json:"installConfig"`    // the same for --install-config
	Infrastructure   string          `json:"infrastructure"`   // the same for --infrastructure: of the cluster that was installed from it
	AdminCredentials string          `json:"adminCredentials"` // INI file for --admin-credentials
	CACert           string          `json:"caCert"`           // PEM file for --cacert
	Credentials      string          `json:"credentials"`      // the credentials file of the lab, for --credentials-file
	Settings         string          `json:"settings"`         // Settings file for --config: how to reach all of them
	Flags            []string        `json:"flags"`            // point a command at all of them, with what is there to provision on
	environment      []string
}

type simulatedView struct {
	Server     string `json:"server"`
	Release    string `json:"release"` // of vCenter
	Address    string `json:"address"` // host:port
	Thumbprint string `json:"thumbprint"`
	AdminUser  string `json:"adminUser"`
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run simulated vCenters until interrupted",
		Long: command.Text(`
			Starts vCenters in this process: inventory, roles, permissions, accounts and the errors of a real vCenter. Prints
			their addresses and what makes the commands of ocp-vsphere-admin use them, and writes for their inventory a provisioning file, an
			install-config and the Infrastructure of a cluster that was installed from it, the CA of their certificates, the
			administrator's password in an INI file that only you can read, and a settings file with all of these.

			The inventory is a small default estate, one generated from a seed (--seed-estate), or one from a file: --estate
			reads what 'vcenter-lab export' writes from live vCenters, or what you write yourself. Users in such a file have no
			password, so nobody can log in as one of them, unless --copy-credentials names the credentials file that has
			their passwords: it is copied into the lab with its journal, so that rotate and destroy of a cluster can be
			rehearsed. The administrator's password is generated.

			The line that it prints names a credentials file of the lab: your own is neither read nor written then.

			At the end the files are removed, except those that you changed. --ready-file is for scripts: it is created once
			all vCenters answer, and contains what -o json prints.`),
		Example: command.Examples(`
			vcenter-lab serve --vcenters 2
			vcenter-lab serve --vcenters 3 --linked --latency 50ms --seed-estate 7
			vcenter-lab serve --vcenters 2 --release 8.0.3,7.0.3
			vcenter-lab serve --estate estate.yaml --dir lab
			vcenter-lab serve --listen 127.0.0.1:8989 --dir lab --ready-file lab.json -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(cmd *cobra.Command, _ []string) error {
			if o.Lab.VCenters < 1 {
				return command.BadFlag("vcenters", "%d: must be at least 1", o.Lab.VCenters)
			}
			if err := kit.CheckNumbers(o.Lab); err != nil {
				return err
			}
			if !isListenAddress(o.Lab.Listen) {
				return command.BadFlag("listen", "%q: must be address:port, port 0 for any, and an IPv6 address in brackets", o.Lab.Listen)
			}
			if err := o.like(cmd); err != nil {
				return err
			}
			if o.Copied != "" && o.Estate == "" {
				return command.BadFlag("copy-credentials", "add --estate, which has the accounts")
			}
			return o.checkReleases()
		}),
	}
	p := cmd.Flags()
	p.IntVar(&o.Lab.VCenters, "vcenters", 1, "number of vCenters: vcenter1.example.com, vcenter2.example.com, ...")
	p.StringSliceVar(&o.Lab.Names, "names", nil, "names of the vCenters, instead of --vcenters")
	p.BoolVar(&o.Lab.Linked, "linked", false, "link all vCenters: one SSO domain with the same accounts")
	p.StringVar(&o.Lab.Domain, "domain", "vsphere.local", "name of the SSO domain")
	p.DurationVar(&o.Lab.Latency, "latency", 0, "delay of each request")
	p.DurationVar(&o.Lab.TaskTime, "task-time", 0, "time that each task takes")
	p.DurationVar(&o.Lab.UserDelay, "user-delay", 0, "time until a new account can be used in permissions")
	p.StringSliceVar(&o.Lab.Releases, "release", nil, "vCenter release, one for all or one for each, such as 8.0.3,7.0.3: "+strings.Join(vcsim.Releases(), ", ")+
		" (default "+vcsim.DefaultRelease+")")
	p.StringSliceVar(&o.Lab.Without, "without", nil, "privilege ids that these vCenters do not know")
	p.Uint64Var(&o.Lab.Estate.Seed, "seed-estate", 0, "generate the inventory from this seed (0: the small one of the demo)")
	p.IntVar(&o.Lab.Estate.Objects, "objects", 0, "add about this many virtual machines")
	p.BoolVar(&o.Lab.Estate.Foreign, "foreign", false, "add roles, accounts and permissions of others")
	p.StringVar(&o.Lab.Listen, "listen", "127.0.0.1:0", "address of the first vCenter; the others take the next ports")
	p.StringVar(&o.Estate, "estate", "", "inventory file, as 'vcenter-lab export' writes it")
	p.StringVar(&o.Copied, "copy-credentials", "", "with --estate: copy this credentials file for the rehearsal, and give the accounts its passwords")
	p.StringVar(&o.ReadyFile, "ready-file", "", "write what -o json prints to this file once all vCenters answer; it is removed at the end")
	p.StringVar(&o.Like, "like", "", "simulate the vCenters of a 'contract' report: release, delays, password and lockout policies, missing privileges")
	p.StringVar(&o.Dir, "dir", "", "write the generated files to this directory (default: a temporary directory)")
	o.registerFaults(cmd)
	_ = cmd.MarkFlagDirname("dir")
	_ = cmd.MarkFlagFilename("estate", "yaml", "yml")
	_ = cmd.MarkFlagFilename("copy-credentials")
	_ = cmd.MarkFlagFilename("ready-file", "json")
	_ = cmd.MarkFlagFilename("like", "json")
	cmd.MarkFlagsMutuallyExclusive("vcenters", "names")
	for _, other := range []string{"vcenters", "names", "linked", "domain", "seed-estate", "objects", "foreign"} {
		cmd.MarkFlagsMutuallyExclusive("estate", other)
	}
	command.MarkCommandLineOnly(cmd, "vcenters", "names", "domain")
	return cmd
}

// checkReleases holds --release against what can be simulated, and against how many vCenters there are.
func (o *Options) checkReleases() error {
	for _, r := range o.Lab.Releases {
		if !slices.Contains(vcsim.Releases(), r) {
			return command.BadFlag("release", "%q: must be one of %s", r, strings.Join(vcsim.Releases(), ", "))
		}
	}
	vcenters := o.Lab.VCenters
	if len(o.Lab.Names) > 0 {
		vcenters = len(o.Lab.Names)
	}
	if n := len(o.Lab.Releases); n > 1 && n != vcenters && o.Estate == "" { // the lab counts those of a file
		return command.BadFlag("release", "%d releases for %d vCenters: give one for all, or one for each", n, vcenters)
	}
	return nil
}

func isListenAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && port == "0" || command.IsHostPort(s)
}

func run(ctx context.Context, o *Options) (err error) {
	if o.Estate != "" {
		if err := o.fromFile(); err != nil {
			return err
		}
	}
	if o.ReadyFile != "" && !command.Missing(o.ReadyFile) {
		return kit.NotOfLab("ready-file", "file", o.ReadyFile)
	}
	calls, err := o.record()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, calls.close()) }()
	lab, err := vcsim.Start(o.Lab) //nolint:contextcheck // it is built in this process, and Close ends it
	if err != nil {
		return err
	}
	defer lab.Close()
	if o.Resembled != nil {
		o.Resemble(lab)
	}
	if o.Estate == "" {
		if err := kit.TagFailureDomains(lab); err != nil {
			return err
		}
	}
	if err := o.afflict(lab); err != nil {
		return err
	}
	defer kit.SurviveClosedPipes()() // the files are removed
	files, err := kit.Write(lab, o.Dir, o.Copied)
	if err != nil {
		return err
	}
	defer func() {
		left, failed := files.Remove()
		for _, path := range left {
			o.Infof("kept, because it was changed: %s", path)
		}
		err = errors.Join(err, failed)
	}()
	view := simulation(lab, files)
	if err := errors.Join(o.Print(o.Output, view, func(w io.Writer) error { return view.table(w, o.Width()) }), o.Flush()); err != nil {
		return err
	}
	if o.ReadyFile != "" { // last: whoever waits for it finds everything else
		if err := files.Ready(o.ReadyFile, view); err != nil {
			return command.BadFlag("ready-file", "%w", err)
		}
	}
	o.Infof("serving until interrupted")
	<-ctx.Done()
	return nil
}

// fromFile takes what is in the vCenters from a file.
func (o *Options) fromFile() error {
	e, err := estate.Load(o.Estate)
	if errors.Is(err, fs.ErrNotExist) {
		return command.BadFlag("estate", "%w", err)
	}
	if err != nil {
		return err
	}
	o.Lab.Names, o.Lab.Estate.Contents = contents(e, o.Lab.Without)
	if o.Copied == "" {
		return nil
	}
	return open(o.Copied, o.Lab.Names, o.Lab.Estate.Contents)
}

func simulation(lab *vcsim.Lab, files *kit.Files) simulationView {
	v := simulationView{
		Header: command.NewHeader("Simulation"), Spec: files.Spec, InstallConfig: files.InstallConfig,
		Infrastructure: files.Infrastructure, AdminCredentials: files.AdminCredentials, CACert: files.CACert, Settings: files.Settings,
		Credentials: files.Credentials, environment: files.Environment(),
		Flags: []string{"-f", files.Spec, "--cacert", files.CACert, "--admin-credentials", files.AdminCredentials},
	}
	for _, vc := range lab.VCenters {
		v.VCenters = append(v.VCenters, simulatedView{vc.Server(), vc.Release(), vc.Addr(), vc.Thumbprint(), vc.AdminUser()})
	}
	return v
}

func (v simulationView) table(w io.Writer, width int) error {
	t := term.NewTable("vcenter", "release", "address", "administrator", "thumbprint")
	for _, vc := range v.VCenters {
		t.Row(vc.Server, vc.Release, vc.Address, vc.AdminUser, vc.Thumbprint)
	}
	if err := t.Render(w, width); err != nil {
		return err
	}
	term.Fprintf(w, "\n")
	t = term.NewTable()
	t.Row("administrator's password", v.AdminCredentials)
	t.Row("CA of the certificates", v.CACert)
	t.Row("provisioning file", v.Spec)
	t.Row("install-config", v.InstallConfig)
	t.Row("Infrastructure of its cluster", v.Infrastructure)
	t.Row("credentials file of the lab", v.Credentials)
	if err := t.Render(w, 0); err != nil { // paths are to be copied
		return err
	}
	term.Fprintf(w, "\nin another terminal, for all commands of ocp-vsphere-admin:\n")
	term.Fprintf(w, "  %s\n", script.Export(v.environment...))
	term.Fprintf(w, "  %s plan %s\n", command.Program, script.Line("-f", v.Spec))
	return nil
}
