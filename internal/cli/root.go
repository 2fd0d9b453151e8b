// Package cli is the command line: it parses words into Options, calls one function and prints.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/apply"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/createall"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/credentials"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/destroy"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/doctor"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/explain"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/frame"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/identity"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/initcmd"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/permissions"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/rotate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/secrets"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/status"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/users"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Run executes the words of a command line and returns the exit code. When ctx ends with
// [term.ErrInterrupted] and the command fails for it, the code is 130.
func Run(ctx context.Context, streams *term.Streams, args []string) int {
	return frame.Run(ctx, streams, args, NewCmdRoot)
}

// NewCmdRoot assembles all commands. A new noun is a package of its own and a line here.
func NewCmdRoot(f *command.Factory) *cobra.Command {
	return frame.New(f, frame.Program{
		Root: &cobra.Command{
			Use:   command.Program,
			Short: "Least-privilege vSphere accounts for OpenShift",
			Long: command.Text(`
				Creates roles, accounts and scoped permissions for the components of OpenShift on one or more vCenters, logs
				in as each account to name every privilege that is missing or in excess, and writes the credentials file and
				the secrets.`),
			Example: command.Examples(`
				# see it work, on simulated vCenters
				vcenter-lab demo

				# what would be done, then do it, then prove it
				ocp-vsphere-admin plan --install-config install-config.yaml
				ocp-vsphere-admin apply --install-config install-config.yaml
				ocp-vsphere-admin verify --install-config install-config.yaml`),
		},
		Groups: []*cobra.Group{
			{ID: command.GroupJob, Title: "Main commands:"},
			{ID: command.GroupParts, Title: "Single steps:"},
			{ID: command.GroupOutput, Title: "Files and secrets that OpenShift reads:"},
		},
		Commands: []*cobra.Command{
			initcmd.NewCmd(f, nil),
			createall.NewCmd(f, nil),
			plan.NewCmd(f, nil),
			apply.NewCmd(f, nil),
			verify.NewCmd(f, nil),
			report.NewCmd(f, nil),
			rotate.NewCmd(f, nil),
			reconcile.NewCmd(f, nil),
			destroy.NewCmd(f, nil),
			doctor.NewCmd(f, nil),
			status.NewCmd(f, nil),
			roles.NewCmd(f),
			users.NewCmd(f),
			permissions.NewCmd(f),
			privileges.NewCmd(f),
			credentials.NewCmd(f),
			identity.NewCmd(f),
			secrets.NewCmd(f),
			installconfig.NewCmd(f),
			spec.NewCmd(f),
			explain.NewCmd(f, nil),
		},
		Topics: newTopics(),
		Meant: map[string]string{ //nolint:gosec // words of commands
			"identity emit --allow":    "--namespaces",
			"reconcile --prune":        "reconcile prune",
			"reconcile --secrets":      "reconcile prune",
			"reconcile --applied":      "reconcile prune",
			"reconcile --release-held": "secrets release",
			"reconcile --namespaces":   "secrets release",
			"reconcile --output-dir":   "secrets release",
			"reconcile --manifests":    "secrets manifests",
			"secrets emit --renew":     "secrets renew",
			"--allow-disabled":         "--allow disabled",
			"--allow-fallback":         "--allow fallback=COMPONENT",
			"--allow-unable":           "--allow unable",
			"--allow-unseen":           "--allow unseen",
			"--allow-unverified":       "--allow unverified",
			"--cco-label":              `secrets: {ccoLabel: "yes"}`,
			"--with-extra":             "secrets: {extra: [cluster-api]}",
			"--with-root-secret":       "secrets: {rootSecret: true}",
			"fleet merge":              "ocp-vsphere-admin report merge",
			"fleet plan":               "ocp-vsphere-admin plan -f",
			"fleet report":             "ocp-vsphere-admin report -f",
			"fleet verify":             "ocp-vsphere-admin verify -f",
			"simulate":                 "vcenter-lab serve",
			"simulate export":          "vcenter-lab export",
			"simulate --explain":       "vcenter-lab explain",
			"demo":                     "vcenter-lab demo",
			"contract":                 "vcenter-lab contract",
			// ccoctl's, kubectl's and terraform's
			"apply --dry-run":             "plan",
			"create-all --dry-run":        "plan",
			"plan --dry-run":              "plan",
			"--dir":                       "--output-dir",
			"--out":                       "--output-dir",
			"credentials check":           "credentials validate",
			"users remove":                "users delete",
			"permissions create":          "permissions grant",
			"privileges show --component": "privileges show COMPONENT",
			"report --out":                "--html",
			"-u":                          "--admin-user",
			"--user":                      "--admin-user",
			"-p":                          "--admin-password-file",
			"--password":                  "--admin-password-file",
			"--json":                      "-o json",
			"--yaml":                      "-o yaml",
		},
	})
}
