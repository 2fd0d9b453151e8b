package spec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const withCredentials = "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\ncredentialsFile: %s\nvcenters:\n- server: vc1\n"

// A relative path is relative to the file that holds it, wherever the command runs.
func TestCredentialsFileIsBesideTheSpecification(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for written, want := range map[string]string{
		"":             "",
		"c":            filepath.Join(dir, "c"),
		"../c":         filepath.Join(filepath.Dir(dir), "c"),
		"'/a b/c'":     "/a b/c",
		"~/c":          "/home/me/c",
		"~/.vsphere/c": "/home/me/.vsphere/c",
	} {
		path := filepath.Join(dir, "spec.yaml")
		if err := os.WriteFile(path, []byte(fmt.Sprintf(withCredentials, written)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(path)
		if err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		want = filepath.FromSlash(want)
		if strings.HasPrefix(want, `\`) && !strings.Contains(written, "~") {
			want = filepath.Join(dir, want) // an absolute path has a drive here
		}
		if got, err := s.CredentialsPath("/home/me"); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", written, got, err, want)
		}
		again, err := Parse("again", s.YAML())
		if err != nil || again.CredentialsFile != s.CredentialsFile {
			t.Errorf("%s: written and read again it is %+v, %v", written, again, err)
		}
	}
}

func TestHomeOfNobody(t *testing.T) {
	t.Parallel()
	s := &Spec{CredentialsFile: "~/c"}
	if path, err := s.CredentialsPath(""); !errors.Is(err, ErrNoHome) {
		t.Errorf("%s, %v", path, err)
	}
}
