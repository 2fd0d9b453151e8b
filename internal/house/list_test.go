// Package house_test keeps the rules that the compiler does not: which room may import what, where the process meets
// the terminal, and that every exported name says what it is. CONTRIBUTING.md explains the rules.
package house_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	module = "github.com/ocp-vsphere-admin/ocp-vsphere-admin"
	root   = "../.."
)

// listed is what `go list -json` says about one package of the module.
type listed struct {
	ImportPath                         string
	Path                               string `json:"-"` // inside the module: internal/spec
	GoFiles, CgoFiles                  []string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// testsOnly reports whether nothing of the package reaches the product.
func (p listed) testsOnly() bool { return len(p.GoFiles)+len(p.CgoFiles) == 0 }

// ours returns those of the import paths that lie in this module, as paths inside it.
func (p listed) ours(imports []string) []string {
	var in []string
	for _, i := range imports {
		if path, ok := strings.CutPrefix(i, module+"/"); ok {
			in = append(in, path)
		}
	}
	return in
}

// packages lists the module once for each operating system with files of its own, and merges what the lists say.
// -e, because a package that does not compile is the compiler's to report. The test cache cannot see what `go list` reads; sources makes this binary read the same files.
func packages(t *testing.T) []listed {
	t.Helper()
	sources(t)
	all, err := listModule()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var listModule = sync.OnceValues(func() ([]listed, error) {
	merged := map[string]*listed{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		if err := listFor(goos, merged); err != nil {
			return nil, err
		}
	}
	all := make([]listed, 0, len(merged))
	for _, p := range merged {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b listed) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
})

func listFor(goos string, merged map[string]*listed) error {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,GoFiles,CgoFiles,Imports,TestImports,XTestImports,Deps", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		p.Path = strings.TrimPrefix(p.ImportPath, module+"/")
		m := merged[p.Path]
		if m == nil {
			merged[p.Path] = &p
			continue
		}
		m.GoFiles = union(m.GoFiles, p.GoFiles)
		m.Imports, m.Deps = union(m.Imports, p.Imports), union(m.Deps, p.Deps)
		m.TestImports, m.XTestImports = union(m.TestImports, p.TestImports), union(m.XTestImports, p.XTestImports)
	}
}

func union(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// source is one Go file of the module, parsed lazily by those who need the tree.
type source struct {
	path string // inside the module, with slashes
	text []byte
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// room is the directory of the file.
func (s source) room() string {
	i := strings.LastIndexByte(s.path, '/')
	return s.path[:max(i, 0)]
}

// sources reads every Go file of the module. bench/, kubetest/, promtest/ and tools/ are modules of their own and left out.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == "bench" || rel == "tools" || rel == "kubetest" || rel == "promtest" || rel == "bin" || d.Name() == "testdata" || (rel != "." && strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		all = append(all, source{path: rel, text: text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
