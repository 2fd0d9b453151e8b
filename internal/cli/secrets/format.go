package secrets

import (
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const formatFlag = "format"

// The formats of secrets emit: those of the profile, and secrets for other readers than components.
const (
	formatOpenShift = "openshift"
	formatHive      = "hive"
	formatMigration = "vcf-migration"
)

// ofInstaller is a format of one secret, with the installer's account.
type ofInstaller struct {
	what   string // the account, for people
	where  string // how its name is found
	secret openshift.InstallerSecret
}

// ofInstaller finds the format; false for the secrets of a profile.
func (o *EmitOptions) ofInstaller() (ofInstaller, bool) {
	switch o.Format {
	case formatHive:
		return ofInstaller{
			"the account that installs the cluster",
			"'oc get clusterdeployment -A' lists the clusters of a hub; the secret is in the same namespace, under spec.platform.vsphere",
			openshift.HiveSecret(),
		}, true
	case formatMigration:
		return ofInstaller{
			"the account that prepares the new vCenter, the installer's",
			"the one that spec.targetVCenterCredentialsSecret of the VmwareCloudFoundationMigration names: 'oc get vmwarecloudfoundationmigrations -A -o yaml'",
			openshift.MigrationSecret(),
		}, true
	}
	return ofInstaller{}, false
}

func (o *EmitOptions) checkFormat(cmd *cobra.Command) error {
	format, one := o.ofInstaller()
	if !one {
		if o.Name != "" {
			return command.BadFlag("name", "requires --format hive or --format vcf-migration")
		}
		return nil
	}
	for _, name := range append([]string{"components", command.MainAccountForFlag, command.AgainstFlag, command.KubeconfigFlag}, whichSecrets...) {
		if command.LevelOf(cmd.Flags(), name) == command.OfCommandLine {
			return command.BadFlag(name, "cannot be combined with --format %s: its one secret has %s",
				o.Format, format.what)
		}
	}
	ns, name, _ := strings.Cut(o.Name, "/")
	if len(validation.IsDNS1123Label(ns)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return hint.Wrap(command.BadFlag("name", "--format %s needs NAMESPACE/NAME of the secret", o.Format), format.where)
	}
	if o.Name == component.RootSecret().String() {
		return hint.Wrap(command.BadFlag("name", "%s is the secret of the running cluster, which would lose its other accounts", o.Name), format.where)
	}
	if o.Format == formatMigration && len(o.Source.VCenters) == 0 {
		return hint.Errorf("the secret holds no account of the vCenter that the cluster leaves",
			"--format %s needs --vcenters: those that the cluster moves to", o.Format)
	}
	return nil
}

func (o *EmitOptions) chosen(format ofInstaller, file *credfile.File, asked *spec.Spec, there *command.ClusterDump) (*emission, error) {
	var from []string
	var err error
	emit := openshift.EmitOptions{Profile: o.Profile, Head: format.secret.Head}
	if asked == nil {
		from, err = command.NarrowServers(file.Servers(), o.Source.VCenters)
	} else {
		from = o.ofSpec(asked, &emit)
	}
	if err != nil {
		return nil, err
	}
	if err := openshift.CheckOpenShift(emit.Profile, "installer"); err != nil {
		return nil, err
	}
	profile, _ := openshift.FindProfile(emit.Profile)
	ns, name, _ := strings.Cut(o.Name, "/")
	installs := profile.AccountOf(component.Installer)
	accounts := openshift.FromFile(file, from)
	if err := file.CheckFilled(accounts.Only([]component.Name{installs})); err != nil {
		return nil, err
	}
	if err := advice.Of(o.Factory, &o.Source, asked).CheckLacking(openshift.ProfilePassthrough, file,
		from, file.Lacking(from, []component.Name{installs})); err != nil {
		return nil, err
	}
	m, err := format.secret.Manifest(component.At(ns, name), from, accounts, installs)
	if err != nil {
		return nil, err
	}
	if o.Format == formatMigration {
		o.tellMove(asked, installs)
	}
	all := []openshift.Manifest{m}
	return &emission{asked: asked, file: file, emit: emit, manifests: all, cluster: there}, nil
}

// tellMove says what a move asks for beside its secret. Source: internal/controller of
// openshift/vcf-migration-operator@8aeef145 (checkVSphereStorageManagement, getTargetCredentials).
func (o *EmitOptions) tellMove(asked *spec.Spec, installs component.Name) {
	hints := []string{
		"the operator begins when the vSphere CSI driver is removed; pods with its volumes lose them, " +
			"so first move these until none is left, then: " +
			"oc patch clustercsidriver csi.vsphere.vmware.com --type merge " +
			`-p '{"spec":{"managementState":"Removed"}}'`,
		"it reads this secret at each step: after a rotation 'secrets renew' writes it again, " +
			"before 'rotate finish'",
	}
	if asked != nil {
		holds := asked.Conditions(nil)
		if !holds[privileges.VCFMigration] {
			o.Warnf("the preflight of the vcf-migration-operator asks for more than the account of %s has: "+
				"add %s to privileges.conditions and run apply", installs, privileges.VCFMigration)
		}
		if !holds[privileges.VCFMigrationVMotion] {
			hints = append(hints, "if it is to move the machines (spec.nodeMigration, type VMotion), "+
				"as for a UPI cluster, add "+string(privileges.VCFMigrationVMotion)+
				" to privileges.conditions and run apply on both vCenters")
		}
	}
	o.Hint(hints...)
}
