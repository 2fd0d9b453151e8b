package privileges

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

func exported(t rapid.TB, m *Matrix, f Format, o ExportOptions) string {
	t.Helper()
	o.Roles = RoleSet(m, o.RoleSetOptions)
	text, err := m.Export(f, o)
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	if again, _ := m.Export(f, o); again != text {
		t.Fatalf("%s: two exports differ", f)
	}
	return text
}

// hostile is what would leave quotes, comments, templates or lines if it could.
const hostile = "a'b\"c$(touch x)`touch y`${z}%{if}{{ q }}{% r %}\\ ‘’‚‛\n; rm -rf $HOME # \r\u2028end |<b>"

// hostileText is that, or pieces of it in any order.
func hostileText(t *rapid.T) string {
	return rapid.OneOf(rapid.Just(hostile), rapid.StringOf(rapid.SampledFrom([]rune(hostile+"\t\x00\x7f\u0085-~")))).Draw(t, "text")
}

// hostileMatrix says hostile things wherever a matrix may.
func hostileMatrix(t rapid.TB, text string) *Matrix {
	m, err := Load("default")
	if err != nil {
		t.Fatal(err)
	}
	bad := *m
	bad.Name, bad.Source, bad.Description, bad.AsOf, bad.Notes = text, text, text, text, []string{text}
	bad.Rows = slices.Clone(m.Rows)
	for i := range bad.Rows {
		bad.Rows[i].Why, bad.Rows[i].Source = text, text
	}
	rule := *m.Ancestors
	rule.Why, rule.Source = text, text
	bad.Ancestors = &rule
	return &bad
}

func prefixed(prefix string, servers ...string) ExportOptions {
	o := ExportOptions{RoleSetOptions: RoleSetOptions{Prefix: prefix, Holds: map[Condition]bool{FolderExisting: true}, Template: true}}
	for _, s := range servers {
		o.VCenters = append(o.VCenters, Address{Host: s})
	}
	return o
}

// wanted is name → privileges of the roles.
func wanted(m *Matrix, o ExportOptions) map[string][]string {
	out := map[string][]string{}
	for _, d := range RoleSet(m, o.RoleSetOptions) {
		out[d.Name] = d.Privileges
	}
	return out
}

func TestExportGovcRunsInEveryShell(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "dash", "bash"} {
		shell, err := exec.LookPath(name)
		if err != nil {
			t.Logf("no %s here", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, prefix := range []string{"openshift-", hostile, "-x", ""} {
				m, o := hostileMatrix(t, hostile), prefixed(prefix, "vc1.example.com", "fd00::1")
				got := runGovc(t, shell, exported(t, m, FormatGovc, o))
				for _, server := range []string{"https://vc1.example.com", "https://[fd00::1]"} {
					if d := cmp.Diff(wanted(m, o), got[server]); d != "" {
						t.Errorf("prefix %q, %s: %s", prefix, server, d)
					}
				}
			}
		})
	}
}

// TestExportGovcHidesPasswords runs the script with the login in GOVC_URL, as govc takes it.
func TestExportGovcHidesPasswords(t *testing.T) {
	t.Parallel()
	m, err := Load("default")
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"https://administrator@vsphere.local:can@ary#/?@vc1.example.com/sdk": "vc1.example.com/sdk",
		"administrator@vsphere.local:canary@vc1.example.com:8443":            "vc1.example.com:8443",
		"https://canary@vc1.example.com":                                     "vc1.example.com",
		"https://vc1.example.com/sdk":                                        "https://vc1.example.com/sdk",
	} {
		dir := t.TempDir()
		fake, path := filepath.Join(dir, "govc"), filepath.Join(dir, "roles.sh")
		if err := errors.Join(os.WriteFile(fake, []byte("#!/bin/sh\n"), 0o700), os.WriteFile(path, []byte(exported(t, m, FormatGovc, ExportOptions{})), 0o600)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", path)
		cmd.Env = append(os.Environ(), "GOVC="+fake, "GOVC_URL="+url)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "canary") || strings.Contains(string(out), "can@ary") || !strings.HasPrefix(string(out), want+": role ") {
			t.Errorf("%s: %v: %s", url, err, out)
		}
	}
}

// runGovc runs a script with a govc that writes down what it is asked for: server → role → privileges.
func runGovc(t *testing.T, shell, script string) map[string]map[string][]string {
	t.Helper()
	dir := t.TempDir()
	fake := filepath.Join(dir, "govc")
	catalogue := filepath.Join(dir, "catalogue")
	for path, text := range map[string]string{
		catalogue: strings.Join(Catalogue(), "\n") + "\n",
		fake: "#!/bin/sh\n" +
			"case \"$*\" in\n'role.ls Admin') cat '" + catalogue + "'; exit;;\nrole.ls*) exit 1;;\nesac\n" +
			"{ printf '%s\\0' \"$GOVC_URL\" \"$@\"; printf '\\001'; } >>'" + filepath.Join(dir, "calls") + "'\n",
		filepath.Join(dir, "roles.sh"): script,
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(shell, filepath.Join(dir, "roles.sh"))
	cmd.Dir, cmd.Env = filepath.Dir(fake), append(os.Environ(), "GOVC="+fake)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, script)
	}
	for _, made := range []string{"x", "y"} {
		if _, err := os.Stat(filepath.Join(dir, made)); err == nil {
			t.Errorf("a name was run as a command")
		}
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string][]string{}
	for _, call := range strings.Split(strings.TrimSuffix(string(calls), "\x01"), "\x01") {
		words := strings.Split(strings.TrimSuffix(call, "\x00"), "\x00")
		if len(words) < 5 || words[1] != "role.create" || words[2] != "--" {
			t.Fatalf("govc was called with %q", words)
		}
		if got[words[0]] == nil {
			got[words[0]] = map[string][]string{}
		}
		got[words[0]][words[3]] = Strip(words[4:])
	}
	return got
}

func TestExportTerraform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := hostileText(t)
		m, o := hostileMatrix(t, text), prefixed(text, "vc1.example.com", "vc2.example.com")
		file, diags := hclparse.NewParser().ParseHCL([]byte(exported(t, m, FormatTerraform, o)), "roles.tf")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		var blocks []string
		got := map[string][]string{}
		for _, b := range file.Body.(*hclsyntax.Body).Blocks {
			blocks = append(blocks, strings.Join(append([]string{b.Type}, b.Labels...), " "))
			if b.Type != "locals" {
				continue
			}
			value, diags := b.Body.Attributes["roles"].Expr.Value(nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			for name, list := range value.AsValueMap() {
				for _, id := range list.AsValueSlice() {
					got[name] = append(got[name], id.AsString())
				}
				got[name] = Strip(got[name])
			}
		}
		want := []string{"terraform", "locals", "provider vsphere", "resource vsphere_role vcenter1", "provider vsphere", "resource vsphere_role vcenter2"}
		if d := cmp.Diff(want, blocks); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(wanted(m, o), got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestExportTerraformIsFormatted(t *testing.T) {
	for _, o := range []ExportOptions{prefixed("openshift-"), prefixed("openshift-", "vc1.example.com", "vc2.example.com")} {
		text := exported(t, load(t, "default"), FormatTerraform, o)
		if d := cmp.Diff(string(hclwrite.Format([]byte(text))), text); d != "" {
			t.Error(d)
		}
	}
}

func TestExportTerraformLeavesPermissionsOut(t *testing.T) {
	text := exported(t, load(t, "default"), FormatTerraform, prefixed("openshift-"))
	if strings.Contains(text, `resource "vsphere_entity_permissions"`) || !strings.Contains(text, "# Permissions are omitted on purpose.") {
		t.Error(text)
	}
}

func TestExportAnsible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := hostileText(t)
		m, o := hostileMatrix(t, text), prefixed(text, "vc1.example.com", "fd00::1")
		o.VCenters[1].Port = 8443
		playbook := exported(t, m, FormatAnsible, o)
		var doc []struct {
			Vars struct {
				VCenters []struct {
					Hostname string
					Port     int
				} `yaml:"vcenters"`
			}
			Tasks []struct {
				Name string
				Role struct {
					Hostname, State, Action string
					Name                    string   `yaml:"local_role_name"`
					Privileges              []string `yaml:"local_privilege_ids"`
				} `yaml:"community.vmware.vmware_local_role_manager"`
				Loop string
			}
		}
		if err := yaml.Unmarshal([]byte(playbook), &doc); err != nil {
			t.Fatalf("%v\n%s", err, playbook)
		}
		got := map[string][]string{}
		for _, task := range doc[0].Tasks {
			r := task.Role
			if r.State != "present" || r.Action != "set" || r.Hostname != "{{ item.hostname }}" || task.Loop != "{{ vcenters }}" {
				t.Fatalf("%+v", task)
			}
			got[r.Name] = Strip(r.Privileges)
		}
		if d := cmp.Diff(wanted(m, o), got); d != "" {
			t.Fatal(d)
		}
		if v := doc[0].Vars.VCenters; len(v) != 2 || v[1].Hostname != "fd00::1" || v[1].Port != 8443 || v[0].Port != 443 {
			t.Fatalf("%+v", v)
		}
	})
	if got := script.Ansible("x{{ lookup('pipe', 'id') }}"); !strings.HasPrefix(got, "!unsafe ") {
		t.Errorf("%s is a template", got)
	}
}

func TestExportTables(t *testing.T) {
	m, o := hostileMatrix(t, hostile), prefixed("openshift-")
	o.Whole = true
	records, err := csv.NewReader(strings.NewReader(exported(t, m, FormatCSV, o))).ReadAll()
	if err != nil || len(records) != len(m.Rows)+1 {
		t.Fatalf("%d records for %d rows: %v", len(records), len(m.Rows), err)
	}
	var doc exportDocument
	if err := json.Unmarshal([]byte(exported(t, m, FormatJSON, o)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Rows) != len(m.Rows) || len(doc.Roles) != len(RoleSet(m, o.RoleSetOptions)) || doc.Rows[0].Why != hostile {
		t.Errorf("%d rows, %d roles, %q", len(doc.Rows), len(doc.Roles), doc.Rows[0].Why)
	}
	for i, r := range doc.Rows {
		role := records[i+1][8]
		holds := slices.ContainsFunc(doc.Roles, func(d roleItem) bool {
			return d.Name == role && (slices.Contains(d.Privileges, r.Privilege) || Implicit(r.Privilege))
		})
		if r.Role != role || role != "" && role != "ReadOnly" && !holds || role == "ReadOnly" && !Implicit(r.Privilege) {
			t.Errorf("%s %s %s: role %q and %q", r.Component, r.Scope, r.Privilege, r.Role, role)
		}
	}
	o.Whole, o.Components = false, []component.Name{component.CSIDriver}
	if err := json.Unmarshal([]byte(exported(t, m, FormatJSON, o)), &doc); err != nil {
		t.Fatal(err)
	}
	for _, r := range doc.Rows {
		if r.Component != component.CSIDriver || r.Role == "" && !r.Unknown {
			t.Errorf("%+v", r)
		}
	}
	for line := range strings.Lines(exported(t, m, FormatMarkdown, o)) {
		if strings.HasPrefix(line, "|") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 7 && strings.Count(line, "|") != 6 || strings.Contains(line, "<") {
			t.Errorf("a cell leaves its place: %s", line)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	read := parseText(t, "name: r\ncomponents: {diagnostics: {grants: [{scope: vcenter, propagate: false, privileges: [System.Read]}]}}\n")
	above := parseText(t, "name: r\nancestors: {components: [diagnostics], privileges: [Folder.Create]}\n"+
		"components: {diagnostics: {grants: [{scope: vcenter, propagate: false, privileges: [Cns.Searchable]}]}}\n")
	for _, f := range Formats() {
		makes := slices.Contains([]Format{FormatGovc, FormatPowerCLI, FormatTerraform, FormatAnsible}, f)
		if _, err := read.Export(f, ExportOptions{Roles: RoleSet(read, RoleSetOptions{})}); (err != nil) != makes {
			t.Errorf("%s: nothing but reading: %v", f, err)
		}
		if _, err := above.Export(f, ExportOptions{Roles: RoleSet(above, RoleSetOptions{})}); (err != nil) != makes || makes && !strings.Contains(err.Error(), "Folder.Create") {
			t.Errorf("%s: an ancestor rule that is more than reading: %v", f, err)
		}
	}
	if _, err := read.Export("gvoc", ExportOptions{}); err == nil || !strings.Contains(err.Error(), `nearest: "govc"`) {
		t.Errorf("%v", err)
	}
}

// Every script names what it does under the vSphere Client's names, by scope.
func TestExportNamesWhatTheClientShows(t *testing.T) {
	for _, f := range []Format{FormatGovc, FormatPowerCLI, FormatTerraform, FormatAnsible} {
		text := exported(t, load(t, "default"), f, prefixed("openshift-"))
		for _, part := range []string{
			"# Virtual machine > Change Configuration > Add new disk\n", "# csi-driver, on datastore; its permission does not propagate\n",
			"# on cluster\n", "openshift-machine-api-template", "# matrix: default, as of ",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is missing", f, part)
			}
		}
	}
}

// A script sends neither what no vCenter has nor what every role has, and says in a comment whose table lists it, and why not.
func TestExportSaysWhatItLeavesOut(t *testing.T) {
	for _, f := range []Format{FormatGovc, FormatPowerCLI, FormatTerraform, FormatAnsible} {
		for _, matrix := range []string{"enhancement", "default"} {
			text := exported(t, load(t, matrix), f, prefixed("openshift-"))
			for _, left := range []string{
				"# omitted: VirtualMachine.Config.Query, listed for cloud-controller (folder): no vCenter has this id: ",
				"# omitted: Host.Inventory.View, listed for cloud-controller (cluster): no vCenter has this id: ",
				"# omitted: System.Read, listed for ", " diagnostics (vcenter, datacenter",
				"): every role has it, and System.Anonymous and System.View",
			} {
				if !strings.Contains(text, left) {
					t.Errorf("%s of %s: %q is missing", f, matrix, left)
				}
			}
			for line := range strings.Lines(text) {
				for _, id := range []string{"VirtualMachine.Config.Query", "Host.Inventory.View", "System.Read"} {
					if strings.Contains(line, id) && !strings.HasPrefix(line, "#") {
						t.Errorf("%s of %s sends %s: %s", f, matrix, id, line)
					}
				}
			}
		}
		o := prefixed("openshift-")
		o.Components = []component.Name{component.MachineAPI}
		if text := exported(t, load(t, "enhancement"), f, o); strings.Contains(text, "omitted: ") {
			t.Errorf("%s leaves nothing of machine-api out, and says so:\n%s", f, text)
		}
	}
}

func TestAddress(t *testing.T) {
	for want, a := range map[string]Address{
		"vc": {"vc", 443}, "vc:8443": {"vc", 8443}, "[fd00::1]": {"fd00::1", 0}, "[fd00::1]:1": {"fd00::1", 1},
	} {
		if a.String() != want {
			t.Errorf("%+v is %s, want %s", a, a, want)
		}
	}
}
