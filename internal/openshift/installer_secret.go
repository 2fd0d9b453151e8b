package openshift

import (
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// serverAccount is an account for a vCenter.
type serverAccount struct {
	server string
	credfile.Account
}

// InstallerSecret is a secret beside those of a profile: somebody who is no component of the cluster reads it, at a place that its
// administrator chooses, and works with the account that installs.
type InstallerSecret struct {
	Head string // comment above it
	data func([]serverAccount) (map[string][]byte, error)
}

// MigrationSecret is the secret that targetVCenterCredentialsSecret of a VmwareCloudFoundationMigration names: the accounts of the
// vCenters that a cluster moves to, with the keys of the cluster's own secrets. The operator prepares these vCenters with them, and puts
// them into kube-system/vsphere-creds, unless that has accounts for them already
// (openshift/vcf-migration-operator@8aeef145, api/v1alpha1, internal/openshift/secrets.go).
func MigrationSecret() InstallerSecret {
	return InstallerSecret{
		Head: "# The vSphere accounts that the vcf-migration-operator prepares the new vCenters with: targetVCenterCredentialsSecret.\n",
		data: func(all []serverAccount) (map[string][]byte, error) {
			data := map[string][]byte{}
			var errs []error
			for _, a := range all {
				errs = append(errs, checkServer(a.server))
				data[a.server+UserKey], data[a.server+PasswordKey] = []byte(a.User), []byte(a.Password.Reveal())
			}
			return data, errors.Join(errs...)
		},
	}
}

// Manifest makes the secret, with the account that installs on each server. Its error is [ErrNoAccount] where one is not there.
func (i InstallerSecret) Manifest(at component.Ref, servers []string, a Accounts, installs component.Name) (Manifest, error) {
	var list []serverAccount
	var errs []error
	for _, server := range servers {
		account, ok := a[server][installs]
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %w for %s", server, ErrNoAccount, installs))
			continue
		}
		if _, err := checkAccount(true, account); err != nil {
			errs = append(errs, errors.New(server+": "+err.Error()))
			continue
		}
		list = append(list, serverAccount{server, account})
	}
	if err := errors.Join(errs...); err != nil {
		return Manifest{}, err
	}
	data, err := i.data(list)
	if err != nil {
		return Manifest{}, err
	}
	s := sink{at: at}.secret(data)
	return Manifest{File: at.Namespace + "-" + at.Name + ".yaml", Secret: &s}, nil
}
