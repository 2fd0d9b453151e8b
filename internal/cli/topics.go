package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/frame"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// newTopics are pages of no single command, for the help, the reference and the man page.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		frame.NewTopic("exit-codes", "Exit codes", `
			  0    done, or nothing to do
			  1    failed, or bad usage
			  2    differences or problems found: verify, doctor, reconcile status, privileges lint, every diff, check,
			       secrets explain, validate and resolve; with --exit-code also plan, report, rotate status,
			       users list --expiring-within, and with --dry-run reconcile and the create, delete, grant and revoke of
			       roles, users and permissions
			  3    some vCenters failed and others did not, or some of what was asked for is left, as with
			       secrets sync: the report says which
			  130  interrupted: run it again to finish

			Standard output is data (-o table, json or yaml), standard error is messages. Every JSON and YAML document carries
			apiVersion `+command.APIVersion+` and a kind. These fields come last in it, if there is something to say, whatever the
			exit code:

			  errors  what failed: text, and hints with remedies, best first; as on standard error
			  next    what to run next: command, and when, if not at once

			If a command fails before it has a document, it prints one of kind Failure with errors and next. The output for
			other tools (emitted secrets, scripts, install-config.yaml) does not carry these fields.`),
		frame.NewTopic("clusters", "The same for many clusters", `
			Some commands take several provisioning files: -f for each of them, or -f DIR for those in a directory and in the
			directories below it. plan, verify and report look at several vCenters at a time and print a line for each cluster; -o json
			has the whole document of each. A cluster that fails harms no other one. Each file says where the passwords of
			its accounts are (credentialsFile). What files have in common goes into one that each of them names
			(common: common.yaml), so that every other command reads the same.

			apply, rotate, rotate finish, rotate undo, reconcile and reconcile prune plan all clusters and ask once; --digest
			takes the one approved plan of all, whose digest plan or --dry-run printed. Then they change one cluster after the
			other, in waves: --canary clusters first, then --batch at a time. Each wave is verified before the next begins. At
			--max-failures they stop, and print the command that goes on. --secrets names a directory with the dump of each
			cluster as proof, NAME.yaml; --kubeconfig-dir one with their kubeconfigs.

			Exit code 3 if some clusters could not be looked at or changed, 1 if none could; else that of the command for one.

			With --shard a run takes a part of the clusters, as the pods of an Indexed Job do; 'report merge' joins what they
			found. Clusters that share a vCenter, or name the same linkedGroup, stay in one shard. With --results an
			interrupted run goes on with --resume: what is done is not done again.

			--metrics writes what was found as Prometheus metrics for node-exporter's textfile collector, over those of an
			earlier run. --listen serves them, and repeats the run until interrupted: see docs/metrics.md.`),
		frame.NewTopic("proof", "Proof before something is taken away", `
			What removes or disables an account, or takes its permissions, can stop a cluster. Before it does so with --yes, a
			command wants proof that no cluster uses the account, or your word. On a terminal, the answer to its question is
			your word.

			  --secrets DUMP   the proof: all secrets of the cluster and its Infrastructure (oc get secrets,infrastructures -A
			                   -o yaml, - for stdin). A secret that still holds the account, in whatever form and spelling,
			                   stops the command before it changes anything
			  --kubeconfig     the same, read from the cluster
			  --applied        your word: no cluster uses it, or the cluster is gone

			Nothing is proved by absence. The dump has to be this cluster's, by the name, platform and vCenters of its
			Infrastructure or by accounts of the cluster in it, and to show the namespaces in which components find their
			accounts. The command names what is missing.

			Secrets prove nothing about virtual machines. If some are left in a folder where --prune takes the permissions that
			the cluster removes machines with, only --applied lets it.

			Nor do they prove that nobody needs the privileges that a changed matrix takes with --prune from accounts that stay
			in use: --applied confirms it, after profile component-scoped too. After profile passthrough, --prune narrows the
			account that components shared: a dump in which no secret holds it proves that they left it. On objects that the
			specification no longer names, an Infrastructure without failure domains there proves it.

			rotate finish and rotate undo want a dump in which the secrets hold the accounts that stay.

			A plain apply takes nothing that wants proof, unless the file disables an account. Accounts and objects that the
			specification no longer names keep what they have until apply --prune; a changed profile or matrix that would take
			privileges from accounts in use is refused until then.`),
		frame.NewTopic("environment", "Environment variables and the settings file", `
			A flag that is not on the command line is taken from its variable, then from the settings file, then from its
			default.

			If two settings conflict, the one that takes precedence wins: --admin-user on the command line over
			admin-credentials of the settings file, --cacert over insecure, -f over install-config. A password is used only
			with the user that is set at the same place.

			The variable of a flag is `+command.EnvPrefix+` and the flag's name in capitals with _ for -: for example
			`+command.EnvName("install-config")+` for --install-config. Separate the values of a list with commas.

			An empty variable or setting counts as not set. On the command line an empty value is an error: a shell passes one
			for a variable that is not set.

			The settings file is --config FILE, else the file that `+command.EnvName("config")+` names, else
			`+command.Program+`/config.yaml below $XDG_CONFIG_HOME (default ~/.config). It is a YAML map of flags' names:

			  install-config: install-config.yaml
			  cacert: /etc/pki/vcenter-ca.pem
			  parallel: 8
			  components: [machine-api, csi-driver]

			Only you may be able to write that file: its admin-command is a program that is run. If it sets admin-credentials,
			admin-password-file, account-passwords or credentials-file, only you may be able to read it: chmod 600; in
			a mounted Secret or ConfigMap, its group too: defaultMode: 0440.

			Variables without a flag:

			  `+command.EnvAdminUser+`   the administrator to log in as
			  `+command.EnvAdminPassword+`   the administrator's password (there is no flag or setting for it)
			  GOVC_USERNAME, GOVC_PASSWORD, GOVC_INSECURE, GOVC_TLS_CA_CERTS
			                               as in govc, if nothing above is set
			  `+credfile.Variable+`     the credentials file, as for openshift-install (default ~/.vsphere/credentials);
			                               a flag wins over it; credentialsFile of a provisioning file and the
			                               settings file come after it
			  NO_COLOR                     any value: no colours; TERM=dumb does the same
			  HTTPS_PROXY, NO_PROXY        the proxy for connections to the vCenters

			Colours only repeat what signs and words say. Plans, tables, messages and help are wrapped to the width of the
			terminal, commands never. In a pipe or a file only help is wrapped.`),
	}
}
