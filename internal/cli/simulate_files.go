package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// labFiles are what lets the other commands log in to a lab, and what a person would have for it.
type labFiles struct {
	spec, installConfig string
	ini, ca             string
	settings            string // the flags that lead there, as a settings file
	own                 string // the directory, when it is ours to remove
}

func (f *labFiles) all() []string {
	return []string{f.spec, f.installConfig, f.ini, f.ca, f.settings}
}

func writeLabFiles(lab *vcsim.Lab, dir string) (_ *labFiles, err error) {
	f := &labFiles{}
	if dir == "" {
		if dir, err = os.MkdirTemp("", program+"-lab-"); err != nil {
			return nil, err
		}
		f.own = dir
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, badFlag("dir", "%w", err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	f.spec, f.installConfig, f.ini, f.ca, f.settings = at("provisioning.yaml"), at("install-config.yaml"), at("admin.ini"), at("ca.pem"), at("config.yaml")
	for _, path := range f.all() {
		if !missing(path) { // it may hold what nobody wants to lose
			return nil, hint.Errorf("name another directory, or remove the file if a lab left it behind", "--dir: %s is there already", path)
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.remove())
		}
	}()
	err = f.write(lab)
	return f, err
}

func (f *labFiles) write(lab *vcsim.Lab) error {
	admin, err := credfile.Open(f.ini)
	if err != nil {
		return err
	}
	for _, vc := range lab.VCenters {
		a := credfile.Account{User: vc.AdminUser(), Password: secret.New(vc.AdminPassword())}
		if err := admin.Set(vc.Server(), component.Installer, a); err != nil {
			return err
		}
	}
	s, err := labSpec(lab)
	if err != nil {
		return err
	}
	settings, err := f.labSettings(lab)
	if err != nil {
		return err
	}
	return errors.Join(
		admin.Save(),
		writePrivate(f.spec, s.YAML()),
		writePrivate(f.installConfig, labInstallConfig(s)),
		writePrivate(f.ca, lab.CA),
		writePrivate(f.settings, settings),
	)
}

// labSettings are the flags that lead to a lab from an install-config or from names of vCenters alone.
func (f *labFiles) labSettings(lab *vcsim.Lab) ([]byte, error) {
	var addresses []string
	for _, vc := range lab.VCenters {
		addresses = append(addresses, vc.Server()+"="+vc.Addr())
	}
	return yaml.Marshal(map[string]any{"cacert": f.ca, "admin-credentials": f.ini, "connect-to": addresses})
}

// labInstallConfig says in an install-config what s says.
func labInstallConfig(s *spec.Spec) []byte {
	var b strings.Builder
	quote := func(text string) string {
		out, err := yaml.Marshal(text)
		if err == nil {
			out, err = term.SafeYAML(out)
		}
		if err != nil {
			return fmt.Sprintf("%q", text)
		}
		return strings.TrimSpace(string(out))
	}
	fmt.Fprintf(&b, "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: %s\nplatform:\n  vsphere:\n    vcenters:\n", quote(s.Cluster))
	for _, vc := range s.VCenters {
		fmt.Fprintf(&b, "    - server: %s\n      datacenters:\n", quote(vc.Server))
		for _, fd := range vc.FailureDomains {
			fmt.Fprintf(&b, "      - %s\n", quote(fd.Datacenter))
		}
	}
	b.WriteString("    failureDomains:\n")
	for i, vc := range s.VCenters {
		for _, fd := range vc.FailureDomains {
			fmt.Fprintf(&b, "    - name: %s\n      server: %s\n      region: region-%d\n      zone: zone-%[3]d\n      topology:\n", quote(fd.Name), quote(vc.Server), i+1)
			for _, field := range []struct{ name, value string }{
				{"datacenter", fd.Datacenter},
				{"computeCluster", fd.ComputeCluster},
				{"datastore", fd.Datastore},
				{"folder", fd.Folder},
				{"resourcePool", fd.ResourcePool},
				{"template", fd.Template},
			} {
				if field.value != "" {
					fmt.Fprintf(&b, "        %s: %s\n", field.name, quote(field.value))
				}
			}
			b.WriteString("        networks:\n")
			for _, n := range fd.Networks {
				fmt.Fprintf(&b, "        - %s\n", quote(n))
			}
		}
	}
	return []byte(b.String())
}

// remove takes the files away; a directory that the user named stays.
func (f *labFiles) remove() error {
	if f.own != "" {
		return os.RemoveAll(f.own)
	}
	var errs []error
	for _, path := range f.all() {
		errs = append(errs, removeIfThere(path))
	}
	return errors.Join(errs...)
}
