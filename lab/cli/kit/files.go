// Package kit writes the files with which commands log in to a lab, and what a person would have for its clusters.
package kit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// CheckNumbers refuses negative ones, by the name of their flag.
func CheckNumbers(o vcsim.Options) error {
	for _, of := range []struct {
		flag  string
		value int64
		text  any
	}{
		{"latency", int64(o.Latency), o.Latency},
		{"task-time", int64(o.TaskTime), o.TaskTime},
		{"user-delay", int64(o.UserDelay), o.UserDelay},
		{"objects", int64(o.Estate.Objects), o.Estate.Objects},
	} {
		if of.value < 0 {
			return command.BadFlag(of.flag, "%v: must not be negative", of.text)
		}
	}
	return nil
}

// Files are what lets the other commands log in to a lab, and what a person would have for it.
type Files struct {
	Spec, InstallConfig      string
	Infrastructure           string
	AdminCredentials, CACert string
	Settings                 string // the flags that lead there, as a settings file
	Credentials              string // of the lab, never the one that people have
	own                      string // the directory, when it is ours to remove

	written map[string][sha256.Size]byte // what we wrote, by path: at the end, another content is somebody else's
}

func (f *Files) all() []string {
	return append(credfile.Beside(f.Credentials), spec.StatePath(f.Spec), f.Spec, f.InstallConfig, f.Infrastructure,
		f.AdminCredentials, f.CACert, f.Settings)
}

// Write writes them into a directory, "" for a temporary one; a file that is there is an error. credentials is the file to copy for a
// rehearsal; "" = none, and the commands begin one in the directory.
func Write(lab *vcsim.Lab, dir, credentials string) (_ *Files, err error) {
	f := &Files{written: map[string][sha256.Size]byte{}}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "vcenter-lab-"); err != nil {
			return nil, err
		}
		f.own = dir
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, command.BadFlag("dir", "%w", err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	f.Spec, f.InstallConfig, f.AdminCredentials, f.CACert, f.Settings = at("provisioning.yaml"), at("install-config.yaml"), at("admin.ini"), at("ca.pem"), at("config.yaml")
	f.Infrastructure, f.Credentials = at("infrastructure.yaml"), at("credentials")
	for _, path := range f.all() {
		if !command.Missing(path) { // it may hold what nobody wants to lose
			return nil, NotOfLab("dir", "directory", path)
		}
	}
	defer func() {
		if err != nil {
			_, failed := f.Remove()
			err = errors.Join(err, failed)
		}
	}()
	if err = f.write(lab); err == nil && credentials != "" {
		err = f.copy(credentials)
	}
	return f, err
}

func (f *Files) write(lab *vcsim.Lab) error {
	admin, err := credfile.Open(f.AdminCredentials)
	if err != nil {
		return err
	}
	for _, vc := range lab.VCenters {
		a := credfile.Account{User: vc.AdminUser(), Password: secret.New(vc.AdminPassword())}
		if err := admin.Set(vc.Server(), component.Installer, a); err != nil {
			return err
		}
	}
	s, err := specOf(lab)
	if err != nil {
		return err
	}
	s.CredentialsFile = f.Credentials
	settings, err := f.settings(lab)
	if err != nil {
		return err
	}
	err = errors.Join(
		admin.Save(),
		files.WritePrivate(f.Spec, s.YAML()),
		files.WritePrivate(f.InstallConfig, installConfigOf(s)),
		files.WritePrivate(f.Infrastructure, infrastructureOf(s)),
		files.WritePrivate(f.CACert, lab.CA),
		files.WritePrivate(f.Settings, settings),
	)
	for _, path := range f.all() {
		err = errors.Join(err, f.Wrote(path))
	}
	return err
}

// copy copies a credentials file and what belongs to it.
func (f *Files) copy(credentials string) error {
	to := credfile.Beside(f.Credentials)
	for i, from := range credfile.Beside(credentials) {
		data, err := files.Read(from, files.Text)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = files.WritePrivate(to[i], data)
		}
		if err == nil {
			err = f.Wrote(to[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Wrote remembers the content of a file that was written. One that is not there was not.
func (f *Files) Wrote(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f.written[path] = sha256.Sum256(data)
	return nil
}

// Ready writes the file that tells scripts that everything is there.
func (f *Files) Ready(path string, view any) error {
	data, err := term.JSON(view)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		err = files.WritePrivate(path, data)
	}
	if err == nil {
		err = f.Wrote(path)
	}
	return err
}

// NotOfLab refuses to overwrite a file: it may be precious, and if it belongs to another simulation, that one removes it at its
// end. names is what the flag names: file or directory.
func NotOfLab(flag, names, path string) error {
	return command.ErrExist(flag, []string{path}, "choose another "+names+", or remove the file if an earlier simulation left it")
}

// Environment has a command use them wherever it runs, whatever its own environment says.
func (f *Files) Environment() []string {
	return []string{command.EnvName("config") + "=" + f.Settings, command.EnvName(command.CredentialsFileFlag) + "=" + f.Credentials}
}

// settings are the flags that lead to a lab from an install-config or from names of vCenters alone.
func (f *Files) settings(lab *vcsim.Lab) ([]byte, error) {
	var addresses []string
	for _, vc := range lab.VCenters {
		addresses = append(addresses, vc.Server()+"="+vc.Addr())
	}
	return yaml.Marshal(map[string]any{
		"cacert": f.CACert, "admin-credentials": f.AdminCredentials, "connect-to": addresses,
		command.CredentialsFileFlag: f.Credentials,
	})
}

// installConfigOf says in an install-config what s says.
func installConfigOf(s *spec.Spec) []byte {
	return fmt.Appendf(nil, "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: %s\nplatform:\n  vsphere:\n%s", quoted(s.Cluster), topologyOf(s, "    "))
}

// infrastructureOf is the Infrastructure of a cluster that was installed from it.
func infrastructureOf(s *spec.Spec) []byte {
	return fmt.Appendf(nil, "apiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata:\n  name: cluster\nspec:\n  platformSpec:\n    type: VSphere\n    vsphere:\n%s"+
		"status:\n  apiServerURL: %s\n  infrastructureName: %s\n", topologyOf(s, "      "), quoted("https://api."+s.Cluster+".example.com:6443"), quoted(spec.InfrastructureName(s.Cluster, "x7k2p")))
}

// topologyOf is what both have, each of its lines behind an indent.
func topologyOf(s *spec.Spec, indent string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, indent+format+"\n", args...) }
	line("vcenters:")
	for _, vc := range s.VCenters {
		line("- server: %s", quoted(vc.Server))
		line("  datacenters:")
		for _, fd := range vc.FailureDomains {
			line("  - %s", quoted(fd.Datacenter))
		}
	}
	line("failureDomains:")
	for _, vc := range s.VCenters {
		for _, fd := range vc.FailureDomains {
			line("- name: %s", quoted(fd.Name))
			line("  server: %s", quoted(vc.Server))
			line("  region: %s", quoted(fd.Region))
			line("  zone: %s", quoted(fd.Zone))
			line("  topology:")
			for _, field := range []struct{ name, value string }{
				{"datacenter", fd.Datacenter},
				{"computeCluster", fd.ComputeCluster},
				{"datastore", fd.Datastore},
				{"folder", fd.Folder},
				{"resourcePool", fd.ResourcePool},
				{"template", fd.Template},
			} {
				if field.value != "" {
					line("    %s: %s", field.name, quoted(field.value))
				}
			}
			line("    networks:")
			for _, n := range fd.Networks {
				line("    - %s", quoted(path.Base(n))) // openshift-install looks for a name
			}
		}
	}
	return b.String()
}

// quoted is a text as a value in YAML.
func quoted(text string) string {
	out, err := yaml.Marshal(text)
	if err == nil {
		out, err = term.SafeYAML(out)
	}
	if err != nil {
		return fmt.Sprintf("%q", text)
	}
	return strings.TrimSpace(string(out))
}

// Changed are the files that are no longer what we wrote, by name; one that is gone is not among them. What cannot be read may
// be anything.
func (f *Files) Changed() (paths []string) {
	for _, path := range command.SortedKeys(f.written) {
		data, err := os.ReadFile(path)
		if !errors.Is(err, fs.ErrNotExist) && (err != nil || sha256.Sum256(data) != f.written[path]) {
			paths = append(paths, path)
		}
	}
	return paths
}

// SurviveClosedPipes keeps a write to standard output or error that nobody reads any more, as
// behind head, from ending the process, which has something to remove: the write fails instead,
// until stop.
func SurviveClosedPipes() (stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// Remove takes away what we wrote, as far as it is still what we wrote; left are the files that somebody has changed. A
// directory that the user named stays, and so does our own with anything in it.
func (f *Files) Remove() (left []string, err error) {
	left = f.Changed()
	var errs []error
	for path := range f.written {
		if !slices.Contains(left, path) {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	if f.own == "" {
		for _, path := range append(credfile.Beside(f.Credentials), spec.StatePath(f.Spec)) { // what commands wrote
			if f.written[path] == [sha256.Size]byte{} && !command.Missing(path) {
				left = append(left, path)
			}
		}
		return left, errors.Join(errs...)
	}
	rest, err := os.ReadDir(f.own)
	for _, entry := range rest {
		if path := filepath.Join(f.own, entry.Name()); !slices.Contains(left, path) {
			left = append(left, path)
		}
	}
	if len(rest) == 0 && err == nil {
		err = os.Remove(f.own)
	}
	return left, errors.Join(append(errs, err)...)
}
