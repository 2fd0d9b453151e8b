package workorder

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// commands are those of a page for one vCenter.
func commands(t *testing.T, page string, data any) string {
	t.Helper()
	text, err := (&Order{Spec: &spec.Spec{Cluster: "c"}}).page(page, data)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Paths hold names as the vCenter stores them; whoever makes a folder says its name as people write it.
func TestFolderNamesAreWritten(t *testing.T) {
	t.Parallel()
	v := &VCenter{Folders: []*plan.Change{{Verb: plan.Create, Kind: plan.Folder, Name: "/DC1/vm/100%25 of a%5cb"}}}
	govc, power := commands(t, "permissions.sh.tmpl", v), commands(t, "permissions.ps1.tmpl", v)
	if want := "\n" + `govc object.collect -s '/DC1/vm/100%25 of a%5cb' name >/dev/null 2>&1 || govc folder.create '/DC1/vm'/'100% of a\b'` + "\n"; !strings.Contains(govc, want) {
		t.Errorf("no %s in\n%s", want, govc)
	}
	if want := "\n" + `if (-not $search.FindByInventoryPath('/DC1/vm/100%25 of a%5cb')) { [void](Get-View (Find-OcpObject '/DC1/vm') -Server $vc).CreateFolder('100% of a\b') }` + "\n"; !strings.Contains(power, want) {
		t.Errorf("no %s in\n%s", want, power)
	}
	v.Folders[0].Name = "/DC1/vm/a%2fb"
	if govc, power := commands(t, "permissions.sh.tmpl", v), commands(t, "permissions.ps1.tmpl", v); strings.Contains(govc, "folder.create") || !strings.Contains(power, "'a/b'") {
		t.Errorf("govc would make a folder b: %s", govc)
	}
}

// A name is one word of a command in every place that takes one, whatever is in it: bash runs the pages with a govc that says
// what it is called with.
func TestNamesStayWords(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	const name = "a'b\"$(exit 9)`exit 9`${x}\n; exit 9 # \x1b‘’\u202e{{ .Name }}"
	change := func(verb plan.Verb, after plan.State) *plan.Change {
		return &plan.Change{Verb: verb, Name: name, Object: "/" + name, Principal: name, After: after}
	}
	v := &VCenter{
		VCenter: spec.VCenter{Server: name}, Unused: []*plan.Change{change(plan.Delete, nil)},
		Roles:       []*plan.Change{change(plan.Create, plan.RoleState{Privileges: []string{name}})},
		Tags:        []tags.Step{{Change: change(plan.Create, nil), Want: tags.Want{Tag: tags.Tag{Category: name, Name: name}}}},
		Permissions: []*plan.Change{change(plan.Create, plan.PermissionState{Role: name}), change(plan.Delete, nil)},
	}
	a := &Account{Name: name, Domain: name, Policy: &sso.Policy{}, Servers: []string{name}}
	for page, want := range map[string]struct {
		data  any
		calls [][]string
	}{
		"roles.sh.tmpl": {v, [][]string{{"role.create", "--", name, name}}},
		"permissions.sh.tmpl": {v, [][]string{
			{"tags.attach", "-c", name, "--", name, "/" + name},
			{"permissions.set", "-principal", name, "-role", name, "-propagate=false", "/" + name},
			{"permissions.remove", "-f", "-principal", name, "/" + name},
		}},
		"accounts.sh.tmpl": {Group{Account: a, All: []*Account{a}, VCenter: v}, [][]string{{"sso.user.create", "-d", "OpenShift cluster c, ", "-p", "secret", name}}},
	} {
		script := "govc() { case $1 in role.ls|sso.user.id) return 1; esac; printf '%s\\0' \"$GOVC_URL\" \"$@\"; printf '\\1'; }\n" + commands(t, page, want.data)
		cmd := exec.Command(bash, "-c", script)
		cmd.Stdin = strings.NewReader("secret\n")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", page, err, script)
		}
		var calls [][]string
		for _, call := range strings.Split(strings.TrimSuffix(strings.TrimLeft(string(out), "\n"), "\x01"), "\x01") {
			calls = append(calls, strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"))
		}
		if !slices.EqualFunc(calls, want.calls, func(got, want []string) bool { return slices.Equal(got, append([]string{"https://" + name}, want...)) }) {
			t.Errorf("%s: govc was called with %q\n%s", page, calls, script)
		}
	}
}
