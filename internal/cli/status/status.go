// Package status is the command that says what is in force.
package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Options are the flags of `status`.
type Options struct {
	*command.Factory
	Connection      command.Connection
	CredentialsFile command.CredentialsFlag
	Cluster         command.ClusterFlags

	view view
}

type view struct {
	command.Header
	Settings  []command.Setting  `json:"settings"`
	Files     []file             `json:"files"`
	Variables []command.Variable `json:"variables"`
	Logins    []command.Login    `json:"logins"`
	Cluster   string             `json:"cluster,omitempty"` // URL of its API server
}

type file struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	From     string    `json:"from"` // what names it
	Mode     string    `json:"mode"` // "" = missing
	Modified time.Time `json:"modified,omitzero"`
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f, view: view{Header: command.NewHeader("Status"), Logins: []command.Login{}}}
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show what is in force: settings, files, variables, logins",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Shows the settings in force and where each comes from, the files that are read, with mode and age, the variables
			of this program and of govc that are set, the administrator's login of each vCenter, and the cluster of
			--kubeconfig. Passwords are never shown. No vCenter is contacted, and --admin-command is not run.`),
		Example: command.Examples(`
			ocp-vsphere-admin status
			ocp-vsphere-admin status -f provisioning.yaml --kubeconfig kubeconfig`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(cmd *cobra.Command, _ []string) error {
			o.view.Variables, o.view.Settings = o.Variables(cmd.Root()), o.InForce(cmd)
			return nil
		}),
	}
	o.Connection.Register(cmd)
	o.CredentialsFile.Register(cmd)
	o.Cluster.Register(cmd)
	return cmd
}

func run(ctx context.Context, o *Options) error {
	v, c := &o.view, &o.Connection
	var wanted *spec.Spec
	var err error
	if c.Source.Given() {
		var admin *command.Administrators
		if wanted, admin, _, err = c.Resolve(ctx, o.Factory); err == nil {
			v.Logins = admin.Logins(command.Servers(wanted))
		}
	}
	if o.Cluster.Given() {
		cluster, unopened := kube.Open(o.Cluster.Kubeconfig, o.Cluster.Context)
		if err = errors.Join(err, unopened); unopened == nil {
			v.Cluster = cluster.Server()
		}
	}
	o.files(wanted)
	return errors.Join(o.Table(v, v.table), err)
}

// files are those that are read with these settings, there or not.
func (o *Options) files(wanted *spec.Spec) {
	add := func(name, path, from string) {
		if path == "" || path == "-" || command.OfCluster(path) {
			return
		}
		f := file{Name: name, Path: path, From: from}
		if info, err := os.Stat(path); err == nil {
			f.Mode, f.Modified = fmt.Sprintf("%04o", info.Mode().Perm()), info.ModTime().UTC().Truncate(time.Second)
		}
		o.view.Files = append(o.view.Files, f)
	}
	c := o.Connection
	path, named := o.ConfigPath()
	if named == "" {
		named = "default"
	}
	add("settings", path, named)
	add("provisioning file", c.Source.File, "-f")
	add("install-config", c.Source.InstallConfig, "--install-config")
	add("infrastructure", c.Source.Infrastructure, "--"+command.InfrastructureFlag)
	if path, from, err := o.CredentialsFile.Resolve(o.Streams, wanted); err == nil {
		for i, path := range credfile.Beside(path) {
			if name := []string{"credentials file", "its rotation journal", "what it displaced", "its lock"}[i]; i == 0 || !command.Missing(path) {
				add(name, path, from)
			}
		}
	}
	add("administrators", c.Admin.Credentials, "--admin-credentials")
	add("administrator's password", c.Admin.PasswordFile, "--admin-password-file")
	add("CA certificates", c.TLS.CACert, "--"+command.CACertFlag)
	add("kubeconfig", o.Cluster.Kubeconfig, "--"+command.KubeconfigFlag)
}

func (v *view) table() *term.Table {
	t := term.NewTable("what", "name", "value", "from")
	for _, s := range v.Settings {
		t.Row("setting", s.Name, s.Value, s.From)
	}
	for _, f := range v.Files {
		state := "missing"
		if f.Mode != "" {
			state = "mode " + f.Mode + ", changed " + f.Modified.Local().Format(time.DateTime) // the age in the reader's clock
		}
		t.Row("file", f.Name, f.Path, f.From+", "+state)
	}
	for _, x := range v.Variables {
		t.Row("variable", x.Name, x.Value, map[bool]string{true: "read", false: "not read"}[x.Read])
	}
	for _, l := range v.Logins {
		t.Row("login", l.Server, l.User, l.From+"; password "+l.Password)
	}
	if v.Cluster != "" {
		t.Row("cluster", "API server", v.Cluster, "--"+command.KubeconfigFlag)
	}
	return t
}
