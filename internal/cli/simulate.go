package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// SimulateOptions are the words of `simulate`.
type SimulateOptions struct {
	*Factory
	Lab vcsim.Options
	Dir string // --dir; empty = a temporary one, removed at the end

	Like   string           // --like, a report of contract; "" = none
	report *contract.Report // what it says

	ctx context.Context //nolint:containedctx // the command's own, for the length of its run
}

type simulationView struct {
	header
	VCenters         []simulatedView `json:"vcenters"`
	Spec             string          `json:"spec"`             // provisioning file for -f
	InstallConfig    string          `json:"installConfig"`    // the same for --install-config
	AdminCredentials string          `json:"adminCredentials"` // INI file for --admin-credentials
	CACert           string          `json:"caCert"`           // PEM file for --cacert
	Settings         string          `json:"settings"`         // settings file for --config: how to reach all of them
	Flags            []string        `json:"flags"`            // point a command at all of them, with what is there to provision on
}

type simulatedView struct {
	Server     string `json:"server"`
	Address    string `json:"address"` // host:port
	Thumbprint string `json:"thumbprint"`
	AdminUser  string `json:"adminUser"`
}

func newCmdSimulate(f *Factory, runF func(*SimulateOptions) error) *cobra.Command {
	o := &SimulateOptions{Factory: f}
	cmd := &cobra.Command{
		Use:     "simulate",
		Short:   "Serve simulated vCenters that refuse what a vCenter refuses, until interrupted",
		GroupID: groupLab,
		Long: text(`
			Starts vCenters in this process: inventory, roles, permissions, accounts and the refusals that go with them.
			Prints where they are and the flags that point the other commands at them: a provisioning file and an
			install-config for what is in them, the authority of their certificates, the administrator's password in an INI
			file that only you can read, and a settings file that says all of it.`),
		Example: examples(`
			ocp-vsphere-admin simulate --vcenters 2
			ocp-vsphere-admin simulate --vcenters 3 --linked --latency 50ms --seed-estate 7
			ocp-vsphere-admin simulate --listen 127.0.0.1:8989 --dir lab -o json`),
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ctx = cmd.Context()
			if o.Lab.VCenters < 1 {
				return badFlag("vcenters", "%d: at least one", o.Lab.VCenters)
			}
			if !isListenAddress(o.Lab.Listen) {
				return badFlag("listen", "%q: must be address:port, port 0 for any", o.Lab.Listen)
			}
			if o.Like != "" {
				r, err := readContract(o.Like)
				if err != nil {
					return err
				}
				o.like(cmd, r)
			}
			return run(runF, simulateRun)(o)
		},
	}
	p := cmd.Flags()
	p.IntVar(&o.Lab.VCenters, "vcenters", 1, "how many: vcenter1.example.com, vcenter2.example.com, ...")
	p.StringSliceVar(&o.Lab.Names, "names", nil, "their names instead")
	p.BoolVar(&o.Lab.Linked, "linked", false, "all share one SSO domain and its accounts")
	p.StringVar(&o.Lab.Domain, "domain", "vsphere.local", "name of the SSO domain")
	p.DurationVar(&o.Lab.Latency, "latency", 0, "delay of each request")
	p.DurationVar(&o.Lab.UserDelay, "user-delay", 0, "how long a new account is unknown to permissions")
	p.StringSliceVar(&o.Lab.Without, "without", nil, "privilege ids that these vCenters do not know")
	p.Uint64Var(&o.Lab.Estate.Seed, "seed-estate", 0, "generate the inventory from this seed (0: the small one of the demo)")
	p.IntVar(&o.Lab.Estate.Objects, "objects", 0, "about so many virtual machines more")
	p.BoolVar(&o.Lab.Estate.Foreign, "foreign", false, "roles, accounts and permissions of others as well")
	p.StringVar(&o.Lab.Listen, "listen", "127.0.0.1:0", "address of the first vCenter; the others take the next ports")
	p.StringVar(&o.Like, "like", "", "report of 'contract': vCenters with its delays, password and lockout policies, and without the privileges that it lacks")
	p.StringVar(&o.Dir, "dir", "", "where to write those files (default: a temporary directory)")
	_ = cmd.MarkFlagDirname("dir")
	_ = cmd.MarkFlagFilename("like", "json")
	cmd.MarkFlagsMutuallyExclusive("vcenters", "names")
	markCommandLineOnly(cmd, "vcenters", "names", "domain")
	return cmd
}

func isListenAddress(s string) bool { return strings.HasSuffix(s, ":0") || isHostPort(s) }

func simulateRun(o *SimulateOptions) (err error) {
	lab, err := vcsim.Start(o.Lab)
	if err != nil {
		return err
	}
	defer lab.Close()
	if o.report != nil {
		o.resemble(lab)
	}
	files, err := writeLabFiles(lab, o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.remove()) }()
	view := simulation(lab, files)
	if err := o.Print(o.Output, view, func(w io.Writer) error { return view.table(w, o.Width()) }); err != nil {
		return err
	}
	o.Infof("serving until interrupted")
	<-o.ctx.Done()
	return nil
}

func simulation(lab *vcsim.Lab, files *labFiles) simulationView {
	v := simulationView{
		header: newHeader("Simulation"), Spec: files.spec, InstallConfig: files.installConfig, AdminCredentials: files.ini, CACert: files.ca, Settings: files.settings,
		Flags: []string{"-f", files.spec, "--cacert", files.ca, "--admin-credentials", files.ini},
	}
	for _, vc := range lab.VCenters {
		v.VCenters = append(v.VCenters, simulatedView{vc.Server(), vc.Addr(), vc.Thumbprint(), vc.AdminUser()})
	}
	return v
}

func (v simulationView) table(w io.Writer, width int) error {
	t := term.NewTable("vcenter", "address", "administrator", "thumbprint")
	for _, vc := range v.VCenters {
		t.Row(vc.Server, vc.Address, vc.AdminUser, vc.Thumbprint)
	}
	if err := t.Render(w, width); err != nil {
		return err
	}
	term.Fprintf(w, "\n")
	t = term.NewTable()
	t.Row("administrator's password", v.AdminCredentials)
	t.Row("authority of the certificates", v.CACert)
	t.Row("provisioning file", v.Spec)
	t.Row("install-config", v.InstallConfig)
	if err := t.Render(w, 0); err != nil { // paths are to be copied
		return err
	}
	term.Fprintf(w, "\nflags for the other commands:\n")
	printFlags(w, v.Flags)
	term.Fprintf(w, "\nto use the install-config, a file of your own, or names alone, add the addresses:\n")
	for _, vc := range v.VCenters {
		term.Fprintf(w, "  --connect-to %s\n", script.Word(vc.Server+"="+vc.Address))
	}
	term.Fprintf(w, "\nor let a settings file say all of that, in another terminal:\n")
	term.Fprintf(w, "  export %s=%s\n", envName("config"), script.Word(v.Settings))
	return nil
}

// printFlags prints flags with their values for a shell, a line each, the last without a backslash.
func printFlags(w io.Writer, flags []string) {
	for i := 0; i < len(flags); i += 2 {
		end := " \\"
		if i+2 >= len(flags) {
			end = ""
		}
		term.Fprintf(w, "  %s %s%s\n", flags[i], script.Word(flags[i+1]), end)
	}
}
