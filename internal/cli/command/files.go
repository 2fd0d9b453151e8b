package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Rewrite replaces the file at path atomically, with the readers of like. A link is followed.
func Rewrite(path, like string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(like)
	if err != nil {
		return err
	}
	if err := files.WritePrivate(path, data); err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
}

// SameFile reports whether two paths lead to one file. Missing ones may differ in case: where files
// do not, as on a Mac, they will be one.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return os.SameFile(one, other) || err != nil && otherErr != nil && strings.EqualFold(resolved(a), resolved(b))
}

// resolved is a path without links to its directory.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// ReadText reads a file, or stdin for "-"; name is for errors, advice the hint for an empty text.
func (f *Factory) ReadText(path string, advice ...string) (name string, data []byte, err error) {
	if name = path; path == "-" {
		name = "stdin"
		data, err = files.ReadFrom(f.In, name, files.Dump)
	} else {
		data, err = f.Interruptible(func() ([]byte, error) { return files.Read(path, files.Dump) })
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return name, nil, err
	case len(bytes.TrimSpace(data)) == 0:
		return name, nil, hint.Wrap(fmt.Errorf("%s is empty", name), advice...)
	}
	f.warnReadable(path, data)
	return name, data, nil
}

// OverwriteFlag allows to overwrite files. Every command with a flag for an output file or
// directory has it, unless that file may be the only copy of something.
type OverwriteFlag struct {
	Force bool // --force
}

const forceFlag = "force"

// Register adds the flag to cmd, for the command line alone: a setting would apply to every file.
func (o *OverwriteFlag) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Force, forceFlag, false, "overwrite output files that exist")
	MarkCommandLineOnly(cmd, forceFlag)
}

// Check refuses output files that exist, unless --force is given, and what is not a file. It is
// called before the work begins; Private and Public check again. Paths that are "" are ignored.
func (o *OverwriteFlag) Check(flag string, paths ...string) error {
	var there []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-":
			return BadFlag(flag, "- is no file: name one")
		case path != "" && Missing(filepath.Dir(path)):
			return BadFlag(flag, "%s: its directory does not exist", path)
		case err == nil && !info.Mode().IsRegular():
			return BadFlag(flag, "%s is not a regular file", path)
		case path != "" && !Missing(path):
			there = append(there, path)
		}
	}
	if o.Force || len(there) == 0 {
		return nil
	}
	return ErrExist(flag, there)
}

// Private writes path atomically with mode 0600.
func (o *OverwriteFlag) Private(flag, path string, data []byte) error {
	return o.write(flag, path, data, files.CreatePrivate, files.WritePrivate)
}

// PrivateText is Private unless the file has this text, which only gets the mode.
func (o *OverwriteFlag) PrivateText(flag, path string, data []byte) (wrote bool, err error) {
	if !hasText(path, data) {
		return true, o.Private(flag, path, data)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return false, BadFlag(flag, "%w", err)
	}
	return false, nil
}

// Public is Private for a file that others may read.
func (o *OverwriteFlag) Public(flag, path string, data []byte) error {
	return o.write(flag, path, data, files.CreatePublic, files.WritePublic)
}

func (o *OverwriteFlag) write(flag, path string, data []byte, create, overwrite func(string, []byte) error) error {
	if err := o.Check(flag, path); err != nil {
		return err
	}
	if o.Force {
		create = overwrite
	}
	err := create(path, data)
	switch {
	case errors.Is(err, fs.ErrExist):
		return ErrExist(flag, []string{path})
	case err != nil:
		return BadFlag(flag, "%w", err)
	}
	return nil
}

// hasText reports whether a file has this text.
func hasText(path string, data []byte) bool {
	there, err := files.Read(path, files.Dump, files.Regular)
	return err == nil && bytes.Equal(there, data)
}

// PrivateAll writes the files of a directory, by path: all or none. It returns their paths.
func (o *OverwriteFlag) PrivateAll(f *Factory, flag string, files map[string][]byte) ([]string, error) {
	paths := SortedKeys(files)
	changed := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return hasText(path, files[path]) })
	for _, path := range changed {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, BadFlag(flag, "%w", err)
		}
	}
	if err := o.Check(flag, changed...); err != nil {
		return nil, err
	}
	for _, path := range paths {
		var err error
		if slices.Contains(changed, path) {
			err = o.Private(flag, path, files[path])
		} else if err = os.Chmod(path, 0o600); err != nil {
			err = BadFlag(flag, "%w", err)
		}
		if err != nil {
			return nil, err
		}
	}
	if n := len(paths) - len(changed); n > 0 {
		f.Infof("%s up to date", term.Count(n, "file"))
	}
	f.warnWorkTree(files)
	return paths, nil
}

// PrintPaths prints the paths of what was written, for programs.
func (f *Factory) PrintPaths(paths []string) {
	for _, path := range paths {
		term.Fprintf(f.Out, "%s\n", path)
	}
}

// PublicAll makes a directory and writes its files, by path. If one is refused, none is written.
func (o *OverwriteFlag) PublicAll(flag, dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the umask decides
		return BadFlag(flag, "%w", err)
	}
	paths := SortedKeys(files)
	if err := o.Check(flag, paths...); err != nil {
		return err
	}
	for _, path := range paths {
		if err := o.Public(flag, path, files[path]); err != nil {
			return err
		}
	}
	return nil
}

// ErrExist is the error of files that exist, with how to overwrite them; hints replace that.
func ErrExist(flag string, paths []string, hints ...string) error {
	more, one := term.Count(len(paths)-1, "more file"), len(paths) == 1
	if len(hints) == 0 {
		hints = []string{"--" + forceFlag + " overwrites " + map[bool]string{true: "it", false: "them"}[one]}
	}
	if one {
		return hint.Wrap(BadFlag(flag, "%w", existError(paths[0]+" exists: it is not overwritten")), hints...)
	}
	return hint.Wrap(BadFlag(flag, "%w", existError(paths[0]+" and "+more+" exist: they are not overwritten")), hints...)
}

// existError is an fs.ErrExist.
type existError string

// Error implements error.
func (e existError) Error() string { return string(e) }

// Is makes it an fs.ErrExist.
func (existError) Is(target error) bool { return target == fs.ErrExist }

// passwordSet finds a password in an install-config, credentials file or secret, in YAML or JSON.
var passwordSet = pattern.Of(`(?im)^[^#;\n]*password["']?[ \t]*[:=][ \t]*["']?[^\s"'{}#]`)

// WarnReadable warns of a file with passwords that all users can read. It ignores read errors.
func (f *Factory) WarnReadable(path string) {
	if files.ReadableByAll(path) {
		data, _ := files.Read(path, files.Text)
		f.warnReadable(path, data)
	}
}

// warnReadable is WarnReadable for data that was read from path. It warns once.
func (f *Factory) warnReadable(path string, data []byte) {
	if f.exposed[path] || !files.ReadableByAll(path) || !passwordSet().Match(files.AsUTF8(data)) {
		return
	}
	if f.exposed == nil {
		f.exposed = map[string]bool{}
	}
	f.exposed[path] = true
	f.Warnf("%s holds passwords and everybody can read it: run %s", path, script.Chmod("600", path))
}

// warnWorkTree warns of files with passwords, by path, that git would add, except encrypted ones.
func (f *Factory) warnWorkTree(files map[string][]byte) {
	for _, path := range SortedKeys(files) {
		if top := workTree(filepath.Dir(path)); top != "" && filepath.Ext(path) != ".age" {
			f.Warnf("%s is in the git work tree %s and holds passwords, as do all files that are written with it: keep them out of version control", path, top)
			return
		}
	}
}

// workTree is the git work tree that dir is in; "" = none.
func workTree(dir string) string {
	for dir := resolved(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil { // a file in a linked work tree
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
