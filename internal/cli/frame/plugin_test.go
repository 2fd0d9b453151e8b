package frame

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestPluginName(t *testing.T) {
	t.Parallel()
	for invoked, want := range map[string]string{
		"/root/.krew/bin/kubectl-vsphere_admin":            "kubectl vsphere-admin",
		"oc-vsphere_admin":                                 "oc vsphere-admin",
		`C:\Users\A B\.krew\bin\kubectl-vsphere_admin.exe`: "kubectl vsphere-admin",
		`C:\oc\OC-VSPHERE_ADMIN.EXE`:                       "oc vsphere-admin",
		"kubectl-vsphere-admin":                            "kubectl vsphere-admin",
		"/usr/bin/ocp-vsphere-admin":                       "",
		`C:\oc-tools\ocp-vsphere-admin.exe`:                "",
		"/oc-tools/vcenter-lab":                            "",
		"oc":                                               "",
		"oc-":                                              "",
		"":                                                 "",
	} {
		if got := pluginName(invoked); got != want {
			t.Errorf("%q: %q, want %q", invoked, got, want)
		}
	}
}

func TestSpokenAs(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "tool-x"}
	root.AddCommand(&cobra.Command{Use: "plan"}, &cobra.Command{Use: "roles"})
	say := spokenAs("oc x", root)
	for text, want := range map[string]string{
		"tool-x plan -f a":                      "oc x plan -f a",
		"'tool-x roles create' makes them":      "'oc x roles create' makes them",
		"oc get | tool-x plan -; tool-x help":   "oc get | oc x plan -; oc x help",
		"for 'tool-x'":                          "for 'oc x'",
		"see 'tool-x --help', tool-x <command>": "see 'oc x --help', oc x <command>",
		"~/.config/tool-x/config.yaml":          "~/.config/tool-x/config.yaml",
		"apiVersion: tool-x/v1":                 "apiVersion: tool-x/v1",
		"/usr/bin/tool-x plan":                  "/usr/bin/tool-x plan",
		"tool-x planned, tool-x 1.0, tool-x: a": "tool-x planned, tool-x 1.0, tool-x: a",
		"tool-x cluster=a: a mark in a vCenter": "tool-x cluster=a: a mark in a vCenter",
		"my-tool-x plan is another program":     "my-tool-x plan is another program",
	} {
		if got := say(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
