package secrets

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const (
	formatFlag      = "format"
	formatOpenShift = "openshift"
	formatHive      = "hive"
)

// checkFormat refuses flags that do not go together with --format.
func (o *EmitOptions) checkFormat(cmd *cobra.Command) error {
	if o.Format != formatHive {
		if o.Name != "" {
			return command.BadFlag("name", "requires --format hive")
		}
		return nil
	}
	for _, name := range append([]string{"components", command.RenewFlag, command.AgainstFlag, command.KubeconfigFlag}, whichSecrets...) {
		if command.LevelOf(cmd.Flags(), name) == command.OfCommandLine {
			return command.BadFlag(name, "cannot be combined with --format hive: its one secret has the account that installs the cluster")
		}
	}
	ns, name, _ := strings.Cut(o.Name, "/")
	if len(validation.IsDNS1123Label(ns)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return hint.Wrap(command.BadFlag("name", "--format hive needs NAMESPACE/NAME of the secret"),
			"'oc get clusterdeployment -A' lists the clusters of a hub; the secret is in the same namespace, under spec.platform.vsphere")
	}
	return nil
}

// hive makes the secret that Hive installs and removes the cluster with.
func (o *EmitOptions) hive(file *credfile.File, asked *spec.Spec, cluster *command.ClusterDump) (*emission, error) {
	var from []string
	var err error
	emit := openshift.EmitOptions{Profile: o.Profile, Head: openshift.HiveHead}
	if asked == nil {
		from, err = command.NarrowServers(file.Servers(), o.Source.VCenters)
	} else {
		from = o.ofSpec(asked, &emit)
	}
	if err != nil {
		return nil, err
	}
	profile, _ := openshift.FindProfile(emit.Profile)
	ns, name, _ := strings.Cut(o.Name, "/")
	installs := profile.AccountOf(component.Installer)
	accounts := openshift.FromFile(file, from)
	if err := file.CheckFilled(accounts.Only([]component.Name{installs})); err != nil {
		return nil, err
	}
	m, err := openshift.HiveManifest(component.At(ns, name), from, accounts, installs)
	if errors.Is(err, openshift.ErrNoAccount) {
		return nil, hint.Wrap(err, o.IfLostOf(&o.Source, file, asked, from, file.Lacking(from, []component.Name{installs}))...)
	}
	if err != nil {
		return nil, err
	}
	return &emission{asked, file, emit, []openshift.Manifest{m}, cluster}, nil
}
