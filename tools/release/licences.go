package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// modules are those that any program of the release was built from, by the toolchain's own record, and the toolchain.
func (r *release) modules(work string) (all []*debug.Module, toolchain string, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(work, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		toolchain = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				return fmt.Errorf("%s is replaced: a release takes modules as they are published", m.Path)
			}
			if !seen[m.Path] {
				seen[m.Path] = true
				all = append(all, m)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return all, toolchain, err
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|patents)([.-].*)?$`)

// licences are the texts of all modules in the programs and of Go, each with the name of the module.
func (r *release) licences(programs string) ([]byte, error) {
	modules, _, err := r.modules(filepath.Dir(filepath.Dir(programs)))
	if err != nil {
		return nil, err
	}
	goroot, err := output(r.root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	words := []string{"mod", "download", "-json"}
	for _, m := range modules {
		words = append(words, m.Path+"@"+m.Version)
	}
	text, err := output(r.root, nil, "go", words...)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s and %s hold code of these modules and of Go, under these licences.\n", tool, lab)
	if err := licencesOf(&out, "The Go standard library", goroot); err != nil {
		return nil, err
	}
	for from := json.NewDecoder(strings.NewReader(text)); ; {
		var m struct{ Path, Version, Dir string }
		if err := from.Decode(&m); errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		} else if err != nil {
			return nil, err
		}
		if err := licencesOf(&out, m.Path+" "+m.Version, m.Dir); err != nil {
			return nil, err
		}
	}
}

// licencesOf writes those of one module; one without a licence may not be passed on.
func licencesOf(out io.Writer, name, dir string) error {
	found := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if d.IsDir() {
			return filepath.SkipDir
		}
		if !licence.MatchString(d.Name()) || strings.HasSuffix(d.Name(), ".go") {
			return nil
		}
		data, err := os.ReadFile(path)
		found++
		fmt.Fprintf(out, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("=", 100), name, d.Name(), bytes.TrimSpace(data))
		return err
	})
	if err == nil && found == 0 {
		err = fmt.Errorf("%s has no licence in %s", name, dir)
	}
	return err
}
