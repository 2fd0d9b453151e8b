package command

import (
	"os"
	"path/filepath"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// passwordSet finds a password in an install-config, a credentials file or the secrets of a cluster, be they YAML or JSON.
var passwordSet = pattern.Of(`(?im)^[^#;\n]*password["']?[ \t]*[:=][ \t]*["']?[^\s"'{}#]`)

// WarnReadable warns of a file with passwords that everybody can read; one that cannot be read is somebody else's error.
func (f *Factory) WarnReadable(path string) {
	if files.ReadableByAll(path) {
		data, _ := files.Read(path, files.Text)
		f.warnReadable(path, data)
	}
}

// warnReadable is WarnReadable for data that was read from path. It says it once.
func (f *Factory) warnReadable(path string, data []byte) {
	if f.exposed[path] || !files.ReadableByAll(path) || !passwordSet().Match(AsUTF8(data)) {
		return
	}
	if f.exposed == nil {
		f.exposed = map[string]bool{}
	}
	f.exposed[path] = true
	f.Warnf("%s holds passwords and everybody can read it: run chmod 600 %s", path, script.Word(path))
}

// warnWorkTree warns of files with passwords, by their paths, where git would take them up; those encrypted for somebody may go there.
func (f *Factory) warnWorkTree(files map[string][]byte) {
	for _, path := range SortedKeys(files) {
		if top := workTree(filepath.Dir(path)); top != "" && filepath.Ext(path) != ".age" {
			f.Warnf("%s is in the git work tree %s and holds passwords, as do all files that are written with it: keep them out of version control", path, top)
			return
		}
	}
}

// workTree is the directory of the git work tree that dir is in; "" = none.
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
