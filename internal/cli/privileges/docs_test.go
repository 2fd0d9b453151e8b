package privileges_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

const privilegeDocs = "../../../docs/privileges"

// TestPrivilegeDocs holds docs/privileges to what the export writes now. With -update it writes them.
func TestPrivilegeDocs(t *testing.T) {
	t.Parallel()
	want := privilegePages(t)
	if *update {
		if err := os.MkdirAll(privilegeDocs, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(privilegeDocs, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(privilegeDocs, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch text, known := want[name]; {
		case !known:
			t.Errorf("%s is no page that is generated: remove it", path)
		case string(got) != text:
			t.Errorf("%s is not what the matrices say; write it anew: go test ./internal/cli/privileges -run TestPrivilegeDocs -update", path)
		}
		delete(want, name)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s is missing: go test ./internal/cli/privileges -run TestPrivilegeDocs -update", name)
	}
}

// privilegePages are the pages by file name.
func privilegePages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	index := []string{
		"# The privilege tables", "",
		"Which privilege each component needs, on which object, under which condition, why, and where that is known from.",
		"These pages are written by `ocp-vsphere-admin privileges export --format markdown` from the matrices in the program.", "",
	}
	for _, name := range privileges.Names() {
		code, text, stderr := program.Run(t, termtest.NewFake(), "privileges", "export", "--format", "markdown", "--matrix", name)
		if code != 0 {
			t.Fatal(stderr)
		}
		pages[name+".md"] = text
		m := loadMatrix(t, name)
		index = append(index, fmt.Sprintf("- [%s](%s.md): %s; as of %s", name, name, m.Description, m.AsOf))
	}
	page := "enhancement-to-default.md"
	pages[page] = privilegeDiffPage(t)
	index = append(index, "", "[From enhancement to default]("+page+") explains what the tool grants beyond the design, each privilege with its source.", "",
		"The same on the command line: `ocp-vsphere-admin privileges show`, `ocp-vsphere-admin privileges diff enhancement default`.")
	pages["components.md"], pages["able.md"] = dutiesPage(), ablePage(t)
	index = append(index, "", "[What each component does](components.md) on vCenter, call by call, and [what it can do with each matrix](able.md).")
	pages["README.md"] = strings.Join(index, "\n") + "\n"
	return pages
}
