package cli

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

// overwriteFlag says whether files that exist are overwritten. Every command with a flag that names an output file, or a directory
// of them, has it, but for those whose file may hold the only copy of something.
type overwriteFlag struct {
	Force bool // --force
}

const forceFlag = "force"

// Register adds the flag to cmd. Only the command line says it: a setting would say it of every file.
func (o *overwriteFlag) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Force, forceFlag, false, "overwrite output files that exist")
	markCommandLineOnly(cmd, forceFlag)
}

// check refuses output files that cannot be written: those that exist, unless --force is given, and what is no file. It is asked
// before the work begins; [overwriteFlag.private] and [overwriteFlag.public] see what comes in between. Paths that are "" are ignored.
func (o *overwriteFlag) check(flag string, paths ...string) error {
	var there []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-":
			return badFlag(flag, "- is no file: name one")
		case path != "" && missing(filepath.Dir(path)):
			return badFlag(flag, "%s: its directory does not exist", path)
		case err == nil && !info.Mode().IsRegular():
			return badFlag(flag, "%s is not a regular file", path)
		case path != "" && !missing(path):
			there = append(there, path)
		}
	}
	if o.Force || len(there) == 0 {
		return nil
	}
	return exist(flag, there)
}

// private puts data at path with mode 0600: whole, or not at all.
func (o *overwriteFlag) private(flag, path string, data []byte) error {
	return o.write(flag, path, data, files.CreatePrivate, files.WritePrivate)
}

// public is private for a file that others may read.
func (o *overwriteFlag) public(flag, path string, data []byte) error {
	return o.write(flag, path, data, files.CreatePublic, files.WritePublic)
}

func (o *overwriteFlag) write(flag, path string, data []byte, create, overwrite func(string, []byte) error) error {
	if err := o.check(flag, path); err != nil {
		return err
	}
	if o.Force {
		create = overwrite
	}
	err := create(path, data)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exist(flag, []string{path})
	case err != nil:
		return badFlag(flag, "%w", err)
	}
	return nil
}

// privateAll writes the files of a directory, by their paths, and prints those on stdout. Where one is refused, none is written.
func (o *overwriteFlag) privateAll(f *Factory, flag string, files map[string][]byte) error {
	paths := sortedKeys(files)
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return badFlag(flag, "%w", err)
		}
	}
	if err := o.check(flag, paths...); err != nil {
		return err
	}
	for _, path := range paths {
		if err := o.private(flag, path, files[path]); err != nil {
			return err
		}
	}
	for _, path := range paths {
		term.Fprintf(f.Out, "%s\n", path)
	}
	return nil
}

// publicAll writes the files of a directory, which is made, by their paths. Where one is refused, none is written.
func (o *overwriteFlag) publicAll(flag, dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the umask decides
		return badFlag(flag, "%w", err)
	}
	paths := sortedKeys(files)
	if err := o.check(flag, paths...); err != nil {
		return err
	}
	for _, path := range paths {
		if err := o.public(flag, path, files[path]); err != nil {
			return err
		}
	}
	return nil
}

// exist says that files are there, and how they are overwritten all the same; hints replace that where nothing does it.
func exist(flag string, paths []string, hints ...string) error {
	more, one := term.Count(len(paths)-1, "more file"), len(paths) == 1
	if len(hints) == 0 {
		hints = []string{"--" + forceFlag + " overwrites " + map[bool]string{true: "it", false: "them"}[one]}
	}
	if one {
		return hint.Wrap(badFlag(flag, "%s exists: it is not overwritten", paths[0]), hints...)
	}
	return hint.Wrap(badFlag(flag, "%s and %s exist: they are not overwritten", paths[0], more), hints...)
}
