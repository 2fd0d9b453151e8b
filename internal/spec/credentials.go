package spec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// ErrNoHome says that a path begins with ~ and HOME is not set.
var ErrNoHome = errors.New("credentialsFile begins with ~, but HOME is not set")

// credentialsFile reads the path of the credentials file, without variables and ~user.
func (r *reader) credentialsFile(t yamldoc.Text) string {
	rest, tilde := strings.CutPrefix(t.Value, "~")
	switch {
	case tilde && rest != "" && !os.IsPathSeparator(rest[0]):
		r.At(t.Place, "%s is not supported: use ~ only for your own home, as in ~/file", hint.Quote(t.Value))
	case strings.HasPrefix(t.Value, "$"):
		r.At(t.Place, "%s is not supported: variables are not replaced; write a path, or ~/file",
			hint.Quote(t.Value))
	case t.Value != "" && (rest == "" || os.IsPathSeparator(t.Value[len(t.Value)-1])):
		r.At(t.Place, "%s is a directory: add the file name", hint.Quote(t.Value))
	}
	return t.Value
}

// Locate makes a relative CredentialsFile absolute from dir, the directory of the file that names
// it. It keeps ~, the home of the current user.
func (s *Spec) Locate(dir string) {
	path := s.CredentialsFile
	if path == "" || path[0] == '~' || filepath.IsAbs(path) {
		return
	}
	path = filepath.Join(dir, path)
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	s.CredentialsFile = path
}

// CredentialsPath is the path of CredentialsFile here, "" if none. It may return [ErrNoHome].
func (s *Spec) CredentialsPath(home string) (string, error) {
	rest, tilde := strings.CutPrefix(s.CredentialsFile, "~")
	switch {
	case !tilde:
		return s.CredentialsFile, nil
	case home == "":
		return "", ErrNoHome
	}
	return filepath.Join(home, rest), nil
}
