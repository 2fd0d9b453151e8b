package savedplan

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// readTrusted reads a saved plan and refuses one that others could have changed since its approval:
// a file that they own or may write, or may replace in its directory. In a directory that a group
// may write, a replaced file has another owner. On Windows access lists tell.
func readTrusted(path string) ([]byte, error) {
	return files.UTF8(files.Read(path, files.Plan, files.Regular, checkWriters))
}

func checkWriters(path string, info fs.FileInfo) error {
	if owner := files.Owner(info); owner != 0 && owner != os.Geteuid() {
		return hint.Wrap(fmt.Errorf("%s belongs to user id %d, who may have changed it: it must belong to you or root", path, owner),
			"review it or plan again, then make your own copy: cp "+script.Word(path)+" "+script.Word("own-"+filepath.Base(path)))
	}
	if mode := files.Perm(path, info); mode&files.OthersWrite != 0 {
		return hint.Wrap(fmt.Errorf("%s has mode %04o, so others may have changed it", path, mode),
			"review it or plan again, then run: "+script.Chmod("go-w", path))
	}
	dirs := []string{filepath.Dir(path)}
	if target, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(target) != dirs[0] {
		dirs = append(dirs, filepath.Dir(target))
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if files.Perm(dir, info)&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return hint.Wrap(fmt.Errorf("%s: anyone may replace files in its directory %s (mode %04o)", path,
				dir, files.Perm(dir, info)),
				"review it or plan again, then move it or run: "+script.Chmod("o-w", dir))
		}
	}
	return nil
}
