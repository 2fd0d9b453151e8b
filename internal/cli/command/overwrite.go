package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// OverwriteFlag says whether files that exist are overwritten. Every command with a flag that names an output file, or a directory
// of them, has it, but for those whose file may hold the only copy of something.
type OverwriteFlag struct {
	Force bool // --force
}

const forceFlag = "force"

// Register adds the flag to cmd. Only the command line says it: a setting would say it of every file.
func (o *OverwriteFlag) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Force, forceFlag, false, "overwrite output files that exist")
	MarkCommandLineOnly(cmd, forceFlag)
}

// Check refuses output files that cannot be written: those that exist, unless --force is given, and what is no file. It is asked
// before the work begins; [OverwriteFlag.private] and [OverwriteFlag.public] see what comes in between. Paths that are "" are ignored.
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

// Private puts data at path with mode 0600: whole, or not at all.
func (o *OverwriteFlag) Private(flag, path string, data []byte) error {
	return o.write(flag, path, data, files.CreatePrivate, files.WritePrivate)
}

// Public is private for a file that others may read.
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

// PrivateAll writes the files of a directory, by their paths, and prints those on stdout. Where one is refused, none is written.
func (o *OverwriteFlag) PrivateAll(f *Factory, flag string, files map[string][]byte) error {
	paths := SortedKeys(files)
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return BadFlag(flag, "%w", err)
		}
	}
	if err := o.Check(flag, paths...); err != nil {
		return err
	}
	for _, path := range paths {
		if err := o.Private(flag, path, files[path]); err != nil {
			return err
		}
	}
	f.warnWorkTree(files)
	for _, path := range paths {
		term.Fprintf(f.Out, "%s\n", path)
	}
	return nil
}

// PublicAll writes the files of a directory, which is made, by their paths. Where one is refused, none is written.
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

// ErrExist says that files are there, and how they are overwritten all the same; hints replace that where nothing does it.
func ErrExist(flag string, paths []string, hints ...string) error {
	more, one := term.Count(len(paths)-1, "more file"), len(paths) == 1
	if len(hints) == 0 {
		hints = []string{"--" + forceFlag + " overwrites " + map[bool]string{true: "it", false: "them"}[one]}
	}
	if one {
		return hint.Wrap(BadFlag(flag, "%s exists: it is not overwritten", paths[0]), hints...)
	}
	return hint.Wrap(BadFlag(flag, "%s and %s exist: they are not overwritten", paths[0], more), hints...)
}
