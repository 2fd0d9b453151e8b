package spec

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

func vcentersField() Field {
	return Field{
		Name: "vcenters", Type: Objects, Required: true,
		Text: "The vCenters of the cluster, at least one.",
		Fields: []Field{
			{
				Name: "server", Type: Text, Required: true, Example: "vcenter1.example.com",
				Text: "The host name or IP address of the vCenter, as in install-config.yaml: without scheme, port and user. The credentials file " +
					"and the secrets use it as the key, and the certificate is checked against it.",
			},
			{Name: "port", Type: Number, Default: DefaultPort, Min: 1, Max: 65535, Example: "8443", Text: "The HTTPS port of the vCenter."},
			{
				Name: "address", Type: Text, Example: "10.0.0.5:443", Omitted: "server and port",
				Text: "Another address to connect to, as host or host:port. The certificate is still checked against server. --connect-to does the same.",
			},
			{
				Name: "accounts", Type: ByComponent, Omitted: "accounts.username and components say it, the same on all vCenters",
				Text: "The accounts of components on this vCenter alone, by component, before accounts.username and principal. An account that exists " +
					"is granted the permissions, and not changed; one of the vCenter's own SSO domain that does not exist is created. " +
					"An install-config fills this in from its users.",
				Fields: []Field{{
					Name: "user", Type: Text, Required: true, Example: "ocp-csi@vsphere.local", Text: "The account, as name@domain or DOMAIN\\name. A name alone is of the vCenter's own SSO domain.",
				}},
			},
			failureDomainsField(),
		},
	}
}

func failureDomainsField() Field {
	return Field{
		Name: "failureDomains", Type: Objects, Omitted: "enough for the commands about roles and users alone; plan, apply and verify need at least one on each vCenter",
		Text: "The places for machines on this vCenter. A path is an absolute inventory path like /DC1/datastore/ds1. " +
			"A name or a path without a leading slash begins at the folder of the datacenter for that kind of object: ds1 is /DC1/datastore/ds1.",
		Fields: []Field{
			{
				Name: "name", Type: Text, Required: true, Example: "zone-a",
				Text: "The name of the failure domain, as in install-config.yaml. Unique in the file.",
			},
			{
				Name: "datacenter", Type: Text, Required: true, Example: "DC1",
				Text: "The datacenter: its name, or its path if it is in a folder, like /emea/DC1.",
			},
			{
				Name: "computeCluster", Type: Text, Required: true, Example: "/DC1/host/C1",
				Text: "The vSphere cluster, below /<datacenter>/host.",
			},
			{
				Name: "datastore", Type: Text, Required: true, Example: "/DC1/datastore/ds1",
				Text: "The datastore, below /<datacenter>/datastore.",
			},
			{
				Name: "networks", Type: Texts, Distinct: true, Example: "[VM Network]",
				Omitted: "people make the machines (a user-provisioned installation), and no account has a permission on a network",
				Text:    "The networks of the machines, below /<datacenter>/network: a name is found in its folders, too.",
			},
			{
				Name: "folder", Type: Text, Example: "/DC1/vm/cluster1",
				Omitted: "openshift-install creates a folder, so the privileges for folders are granted on the datacenter and reach every virtual machine in it",
				Text:    "The folder for virtual machines, below /<datacenter>/vm. --create-folders creates it if it is missing.",
			},
			{
				Name: "resourcePool", Type: Text, Example: "/DC1/host/C1/Resources/openshift",
				Omitted: "the root pool of the cluster, so the privileges for resource pools are granted on the cluster",
				Text:    "The resource pool, below <computeCluster>/Resources.",
			},
			{
				Name: "template", Type: Text, Example: "/DC1/vm/templates/rhcos",
				Omitted: "openshift-install imports the RHCOS image; name condition ova-import if the account of a component has to do that",
				Text:    "The virtual machine template to clone, below /<datacenter>/vm. The accounts that clone it get permissions on its folder.",
			},
			{
				Name: "hostGroup", Type: Truth, Default: false, Example: "true",
				Text: "Whether the failure domain is a host group of the cluster, so that virtual machines are placed by groups and affinity rules.",
			},
			{
				Name: "region", Type: Text, Example: "emea",
				Omitted: "--create-tags asks for it",
				Text:    "The name of the tag of category openshift-region on the datacenter, or on the vSphere cluster if the zone is a host group; as in install-config.yaml. --create-tags creates it.",
			},
			{
				Name: "zone", Type: Text, Example: "emea-a",
				Omitted: "--create-tags asks for it",
				Text:    "The name of the tag of category openshift-zone on the vSphere cluster, or on the hosts of the group if the zone is a host group; as in install-config.yaml. --create-tags creates it, and leaves hosts to you.",
			},
		},
	}
}

func reconciledUpdatesField() Field {
	return Field{
		Name: reconciledField, Type: Objects, Omitted: "no update is prepared",
		Text: "The releases that the accounts are ready for ahead of an upgrade. `reconcile` with `--release` and `--image` keeps the list in the state file, " +
			"which takes the place of this one. `reconcile prune`, `destroy`, and other commands that remove accounts or permissions clear it.",
		Fields: []Field{
			{Name: "version", Type: Text, Required: true, Example: "4.20.3", Text: "The version of the release."},
			{
				Name: "image", Type: Text, Required: true, Text: "The pull spec of the release image, with a digest or a tag.",
				Example: "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64",
			},
		},
	}
}

func addedField() Field {
	var components, scopes, conditions []Value
	for _, c := range component.All() {
		components = append(components, Value{string(c.Name), c.Short})
	}
	for _, s := range privileges.Scopes() {
		scopes = append(scopes, Value{Word: string(s)})
	}
	for _, c := range privileges.Conditions() {
		conditions = append(conditions, Value{string(c), c.Describe()})
	}
	return Field{
		Name: "added", Type: Objects, Omitted: "nothing is granted beyond the matrix",
		Text: "Privileges that a release needs beyond the matrix. `reconcile` keeps its own in the state file, which are added to these.",
		Fields: []Field{
			{Name: "component", Type: Text, Required: true, Values: components, Example: "machine-api", Text: "The component whose account gets the privileges."},
			{Name: "scope", Type: Text, Required: true, Values: scopes, Example: "folder", Text: "The kind of object that they are granted on."},
			{Name: "propagate", Type: Truth, Default: false, Example: "true", Text: "Whether they reach everything below the object."},
			{
				Name: "conditions", Type: Texts, Values: conditions, Example: "[folder-existing]", Omitted: "always",
				Text: "When they are needed: if at least one of these holds.",
			},
			{
				Name: "privileges", Type: Texts, Required: true, Pattern: `^[A-Za-z0-9._-]+$`, Example: "[VirtualMachine.Provisioning.Clone]",
				Text: "The ids of the privileges, as the vSphere API spells them. At least one.",
			},
			{Name: "release", Type: Text, Example: "4.20.3", Omitted: "not recorded", Text: "The version of the release that needs them."},
			{Name: "reason", Type: Text, Example: "the machine controller clones between datacenters", Omitted: "not recorded", Text: "Why they are needed."},
		},
	}
}
