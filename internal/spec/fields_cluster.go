package spec

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// clusterFields are those of the top that hold one value.
func clusterFields() []Field {
	var profiles []Value
	for _, p := range openshift.Profiles() {
		profiles = append(profiles, Value{p.Name, p.Note})
	}
	return []Field{
		{
			Name: "apiVersion", Type: Text, Required: true, Values: []Value{{Word: APIVersion}}, Example: APIVersion,
			Text: "The version of this format.",
		},
		{
			Name: "kind", Type: Text, Required: true, Values: []Value{{Word: Kind}}, Example: Kind,
			Text: "The kind of this document.",
		},
		{
			Name: "cluster", Type: Text, Required: true, Pattern: clusterName().String(), Example: "cluster1",
			Text: "The name of the cluster. It is part of the account names, so two clusters that share a vCenter need different names. " +
				"Letters, digits, dots, hyphens and underscores, with a letter or a digit at both ends.",
		},
		{
			Name: "credentialsFile", Type: Text, Example: "~/.vsphere/cluster1",
			Text: "The path of the credentials file, where the passwords of the accounts are stored. A relative path begins at the directory " +
				"of the provisioning file, and ~/ is the home directory of the user who runs the program. Variables are not replaced. " +
				"{cluster} stands for the name of the cluster. Two clusters on the same vCenter need different credentials files.",
			Omitted: "VSPHERE_CREDENTIALS_FILE, then the settings file, then ~/.vsphere/credentials. --credentials-file and the variable always win",
		},
		{
			Name: "common", Type: Text, Example: "common.yaml",
			Text: "The path of a file with what several clusters have in common (`kind: CommonSettings`): credentialsFile, linkedGroup, profile, " +
				"privileges, accounts, secrets and components, written as here. What the provisioning file says itself goes before it, field by field; " +
				"a list counts as a whole. A relative path begins at the directory of the provisioning file, and so does that of credentialsFile in it.",
			Omitted: "the provisioning file says everything itself",
		},
		{
			Name: "linkedGroup", Type: Text, Pattern: clusterName().String(), Example: "europe",
			Text: "A name for clusters whose vCenters are linked (Enhanced Linked Mode) without sharing one: runs over many clusters keep clusters of the " +
				"same name in one shard, as it does clusters that share a vCenter. The names of SSO domains cannot tell: most are vsphere.local.",
			Omitted: "the vCenters alone tell which clusters belong together",
		},
		{
			Name: "profile", Type: Text, Default: DefaultProfile, Values: profiles, Example: openshift.ProfileManual,
			Text: "How OpenShift receives the accounts: which components have an account of their own, and which secrets hold them.",
		},
	}
}

func privilegesField() Field {
	var matrices, conditions []Value
	for _, name := range privileges.Names() {
		matrices = append(matrices, Value{Word: name})
	}
	for _, c := range privileges.Selectable() {
		conditions = append(conditions, Value{string(c), c.Describe()})
	}
	conditions = append(conditions,
		Value{noManagedStorageClass, "the CSI operator does not manage the default StorageClass"})
	return Field{
		Name: "privileges", Type: Object, Omitted: "the defaults of its fields",
		Text: "Which privileges are granted, and how they are grouped into roles.",
		Fields: []Field{
			{
				Name: "matrix", Type: Text, Default: DefaultMatrix, Values: matrices, Path: true, Example: "documented",
				Text: "The privilege matrix: the name of an embedded one (`ocp-vsphere-admin privileges list` describes them), or the path of a file. " +
					"A path contains a / or ends with .yaml or .yml.",
			},
			{
				Name: "roleLayout", Type: Text, Default: DefaultRoleLayout, Example: privileges.LayoutComponent,
				Values: []Value{
					{privileges.LayoutScope, "a role per component and kind of object, like openshift-machine-api-folder-f065b3: each object gets only the privileges that it needs"},
					{privileges.LayoutComponent, "a role per component, like openshift-machine-api-025e57: fewer roles, but every object gets all privileges of the component"},
				},
				Text: "How the privileges of a component are split into roles. The end of a role's name is a digest " +
					"of its privileges: clusters with the same needs share a role, other needs are another role, so " +
					"that one cluster's needs never change what another one has, and a role that somebody edited is found.",
			},
			{
				Name: "rolePrefix", Type: Text, Default: DefaultRolePrefix, Example: "ocp-",
				Text: "What the names of the roles begin with, without /, \\ and %. A role's name has at most 80 characters.",
			},
			{
				Name: "conditions", Type: Texts, Values: conditions, Distinct: true, Example: "[vsan-file, storage-policy]",
				Omitted: "managed-storageclass holds, and the others do not",
				Text: "Which rows of the matrix apply that only some clusters need. What follows from the failure domains, such as whether a " +
					"folder is set, is not named here.",
			},
			addedField(),
		},
	}
}

func accountsField() Field {
	return Field{
		Name: "accounts", Type: Object, Omitted: "the defaults of its fields",
		Text: "How the accounts are named that are created in the SSO domain of each vCenter.",
		Fields: []Field{{
			Name: "username", Type: Text, Default: DefaultUsername, Example: `"{component}.{cluster}"`,
			Text: "The template of account names, without a domain. {cluster} and {component} are filled in. {generation} is the number that " +
				"a rotation by replacement counts up; without it, -2, -3 and so on are appended. " +
				"Letters, digits, dots, hyphens and underscores, at most 64 characters when filled in.",
		}},
	}
}

func secretsField() Field {
	var extras []Value
	for _, word := range openshift.Extras() {
		extras = append(extras, Value{Word: word})
	}
	return Field{
		Name: "secrets", Type: Object, Omitted: "the defaults of its fields",
		Text: "Which secrets the cluster has beside those of its profile, and how they are labelled.",
		Fields: []Field{
			{
				Name: "ccoLabel", Type: Text, Example: `"yes"`, Omitted: `"true"`,
				Values: []Value{
					{openshift.LabelTrue, "what cloud-credential-operator keeps"},
					{openshift.LabelYes, "the value of the enhancement, which the operator rewrites"},
					{openshift.LabelNone, "neither label nor annotation"},
				},
				Text: "The label for cloud-credential-operator, in quotes. Only with a profile whose secrets the operator copies.",
			},
			{
				Name: "rootSecret", Type: Truth, Default: false, Example: "true",
				Text: "Whether `kube-system/vsphere-creds` is written too, with the account of machine-api, " +
					"or in Manual mode of machine-config, for components that read it directly. " +
					"A profile with one shared account writes it anyway, and `openshift-install` writes that of a first installation.",
			},
			{
				Name: "extra", Type: Texts, Values: extras, Distinct: true, Example: "[cluster-api, machine-config]", Omitted: "none",
				Text: "Readers without an account of their own that get a secret with that of machine-api, " +
					"as with `--assign`. Only with a profile for Manual mode.",
			},
		},
	}
}

func componentsField() Field {
	return Field{
		Name: "components", Type: ByComponent, Omitted: "all of " + strings.Join(component.Words(component.Default()), ", "),
		Text: "The components that the cluster has, by name. A component that is named without fields gets an account of its own " +
			"with the defaults, unless the profile shares one.",
		Fields: []Field{
			{
				Name: "principal", Type: Text, Example: "svc-ocp-diag@corp.example.com", Omitted: "an account is created, named by accounts.username",
				Text: "An existing user or group, as name@domain or DOMAIN\\name. It is granted the permissions, but never created, changed or removed.",
			},
			{
				Name: "group", Type: Truth, Example: "true", Omitted: "the identity sources of the vCenter tell whether it is a user or a group",
				Text: "Whether principal is a group. Only together with principal.",
			},
			{
				Name: "memberOf", Type: Text, Example: "ocp-csi-driver", Omitted: "the permissions are given to the account itself",
				Text: "A group of the SSO domain of each vCenter, without a domain: it gets the permissions, and the account that is created " +
					"becomes a member of it. One that does not exist is created, and removed by `destroy` and `--prune` if nobody else uses it. Not together with principal, and of one component only.",
			},
			{
				Name: "disabled", Type: Truth, Default: false, Example: "true",
				Text: "Whether the account is disabled: it keeps its permissions, and nobody can log in with it. `users disable` and `users enable` " +
					"record it in the state file, which goes before this. Only for an account that this program created and that no other component uses.",
			},
		},
	}
}
