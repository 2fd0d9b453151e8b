package cli

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/reference"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// What is wrong with a provisioning file is followed by the one place that says what is right, once.
func TestErrorsOfTheFilePointToTheSchema(t *testing.T) {
	t.Parallel()
	const pointer = "hint: '" + command.Program + " spec schema' describes every field"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"unknown fields": {"apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\nclustr: a\nvcenters: [{sever: b}]\n", 1},
		"wrong value":    {"apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: a\nprofile: x\nvcenters: [{server: b}]\n", 1},
		"no YAML":        {"a: b: c\n", 0},
		"install-config": {"apiVersion: v1\nmetadata: {name: c1}\nplatform: {vsphere: {}}\n", 0},
	} {
		path := clitest.WriteFile(t, "provisioning.yaml", c.text, 0o600)
		code, _, stderr := program.Run(t, termtest.NewFake(), "plan", "-f", path)
		if n := strings.Count(stderr, pointer); code != command.ExitFailed || n != c.want {
			t.Errorf("%s: exit code %d, the schema is named %d times\n%s", name, code, n, stderr)
		}
	}
	code, _, stderr := program.Run(t, termtest.NewFake(), "init", "--no-input")
	if code != command.ExitFailed || !strings.Contains(stderr, pointer) {
		t.Errorf("init --no-input: exit code %d\n%s", code, stderr)
	}
}

const specPage = "../../docs/provisioning-file.md"

// TestProvisioningFilePage holds the reference of the provisioning file to the descriptions of its fields. With -update it writes it.
func TestProvisioningFilePage(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("../spec/testdata/complete.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := specMarkdown(string(example))
	if *update {
		if err := os.WriteFile(specPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(specPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not what the fields say (make docs):\n%s", specPage, diff)
	}
}

// TestProvisioningFileNamesRolesAsTheyAre: the names of roles in the page are those that a plan gives them, with a digest, which
// follows from the rows of the matrix.
func TestProvisioningFileNamesRolesAsTheyAre(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(specPage)
	if err != nil {
		t.Fatal(err)
	}
	m, err := privileges.Load(spec.DefaultMatrix)
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []string{privileges.LayoutScope, privileges.LayoutComponent} {
		_, said, found := strings.Cut(string(page), "  - `"+layout+"`: ")
		said, _, _ = strings.Cut(said, "\n")
		if !found || !strings.Contains(said, spec.DefaultRolePrefix) {
			t.Fatalf("the page names no role of layout %s: %s", layout, said)
		}
		roles := access.RoleSet(m, privileges.RoleSetOptions{
			Holds: map[privileges.Condition]bool{privileges.FolderExisting: true}, Layout: layout, Prefix: spec.DefaultRolePrefix,
		})
		said = regexp.MustCompile(`-[0-9a-f]{6}:`).ReplaceAllString(said, "-DIGEST:")
		if !slices.ContainsFunc(roles, func(d privileges.RoleDef) bool {
			return strings.Contains(said, " "+d.Name[:strings.LastIndex(d.Name, "-")]+"-DIGEST:")
		}) {
			t.Errorf("layout %s: no role that a plan makes is named like this: %s", layout, said)
		}
	}
}

// specMarkdown is the reference of the provisioning file.
func specMarkdown(example string) string {
	var b strings.Builder
	fields := spec.Fields()
	b.WriteString("<!-- Written by make docs from internal/spec/fields_*.go: change those, not this file. -->\n\n" +
		"# The provisioning file\n\n" + fields.Text + "\n\n" +
		"`init` writes it, `plan`, `apply`, `verify` and most other commands read it (`-f FILE`, or `-f -` for standard input). A field\n" +
		"that is not described here is an error. A field without a value is one that is left out.\n\n" +
		"## The state file\n\n" +
		"What the tool itself decides stands in a file of its own beside it, `prod.state.yaml` beside `prod.yaml`: accounts that `users disable`\n" +
		"and `users enable` set, what `reconcile` adds, the matrix and the components that it settles on, and the releases that the accounts are\n" +
		"ready for. Every command with `-f prod.yaml` reads both. The state file goes before the provisioning file; its `privileges.added` are\n" +
		"added to those there. Only the tool writes it, whole: keep it in version control beside the provisioning file. One that is broken, or of\n" +
		"another cluster, is an error. With `-f -` there is none: what it would say is printed, and belongs in the provisioning file.\n\n" +
		"A directory of a [fleet](fleet.md) may hold both: a file with this name is no cluster of its own.\n\n" +
		"## In an editor\n\n" +
		"`spec schema` prints this page as a JSON Schema, with which an editor completes and checks the file:\n\n" +
		"```sh\nocp-vsphere-admin spec schema > provisioning.schema.json\n```\n\n" +
		"Editors that use yaml-language-server (VS Code with the YAML extension, Neovim, Emacs and others) find it by the first\n" +
		"line of the file, a path relative to the file:\n\n" +
		"```yaml\n# yaml-language-server: $schema=provisioning.schema.json\n```\n\n" +
		"In VS Code, the setting `yaml.schemas` does the same for all files of a name:\n" +
		"`{\"./provisioning.schema.json\": \"provisioning*.yaml\"}`.\n\n" +
		"## Every field\n\n```yaml\n" + example + "```\n\n")
	specFields(&b, fields, "")
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// specFields describes the fields of an object, those with fields of their own after the others.
func specFields(b *strings.Builder, of spec.Field, path string) {
	for _, f := range of.Fields {
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		fmt.Fprintf(b, "### %s\n\n%s\n\n", reference.Escape(at), markdownText(f.Text))
		kind := string(f.Type)
		if f.Required {
			kind += ", required"
		}
		fmt.Fprintf(b, "- type: %s\n", kind)
		if f.Default != nil {
			fmt.Fprintf(b, "- default: `%v`\n", f.Default)
		}
		if f.Omitted != "" {
			fmt.Fprintf(b, "- if omitted: %s\n", markdownText(f.Omitted))
		}
		if f.Max > 0 {
			fmt.Fprintf(b, "- values: %d to %d\n", f.Min, f.Max)
		}
		specValues(b, f)
		if f.Example != "" {
			fmt.Fprintf(b, "- example: `%s: %s`\n", f.Name, f.Example)
		}
		b.WriteString("\n")
		below := at
		switch f.Type {
		case spec.Objects:
			below += "[]"
		case spec.ByComponent:
			below += ".NAME"
		}
		specFields(b, f, below)
	}
}

func specValues(b *strings.Builder, f spec.Field) {
	values := f.Values
	if f.Type == spec.ByComponent {
		for _, name := range f.Keys() {
			values = append(values, spec.Value{Word: name})
		}
	}
	var plain []string
	for _, v := range values {
		if v.Text == "" {
			plain = append(plain, "`"+v.Word+"`")
		}
	}
	if f.Path {
		plain = append(plain, "or a path")
	}
	switch {
	case len(plain) > 0:
		fmt.Fprintf(b, "- values: %s\n", strings.Join(plain, ", "))
	case len(values) > 0:
		b.WriteString("- values:\n")
		for _, v := range values {
			fmt.Fprintf(b, "  - `%s`: %s\n", v.Word, markdownText(v.Text))
		}
	}
}

// markdownText escapes what Markdown would read, but for code.
func markdownText(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "[", `\[`, `\`, `\\`).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}
