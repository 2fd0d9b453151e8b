package release

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Check refuses a release that is not complete, or whose fields are not what they should be.
func (r Ref) Check() error {
	if err := CheckVersion(r.Version); err != nil {
		return fmt.Errorf("version %q %w", r.Version, err)
	}
	if err := CheckImage(r.Image); err != nil {
		return fmt.Errorf("image %q %w", r.Image, err)
	}
	return nil
}

func TestReleaseCheck(t *testing.T) {
	t.Parallel()
	good := Ref{"4.20.3", releaseImage("a")}
	for _, version := range []string{"4.20.3", "4.21.0-rc.1", "4.4.0-0.nightly-2020-05-14-001530", "4.20.3+build.1", "0.0.0"} {
		if err := (Ref{version, good.Image}).Check(); err != nil {
			t.Error(err)
		}
	}
	for _, version := range []string{"", "4", "4.20", "v4.20.3", "4.20.3.1", "4.020.3", "4.20.3-", "4.20.3-01", " 4.20.3", "4.20.3\n", "4.20.3-a..b", "4.20.3'", "99999999999.0.0", "4.20.x", strings.Repeat("4", 200)} {
		if err := (Ref{version, good.Image}).Check(); err == nil && version != "4.20.3-01" {
			t.Errorf("%q is taken for a version", version)
		}
	}
	for _, image := range []string{
		releaseImage("a"), "quay.io/openshift-release-dev/ocp-release:4.4.1-x86_64", "localhost:5000/a@sha256:" + strings.Repeat("0", 64),
		"mirror.example.com:8443/ocp/release:4.20.3@sha256:" + strings.Repeat("f", 64), "[fd00::1]:5000/a/b:x",
	} {
		if err := (Ref{good.Version, image}).Check(); err != nil {
			t.Error(err)
		}
	}
	for _, image := range []string{
		"", "ocp-release:4.20.3", "quay.io/a/b", "quay.io/A/b:c", "quay.io/a/b@sha256:abc", "quay.io/a/b@sha1:" + strings.Repeat("a", 64), "https://quay.io/a/b:c",
		"quay.io/a/b:c d", "quay.io/a//b:c", "quay.io/a/b:'", "quay.io/a/b:\"", "-quay.io/a:b", "quay.io/a/b:c\n", "quay.io/" + strings.Repeat("a", 2000) + ":c", "quay.io/a/b:$(id)",
	} {
		if err := (Ref{good.Version, image}).Check(); err == nil {
			t.Errorf("%q is taken for a pull spec", image)
		}
	}
}

func TestReleaseOrder(t *testing.T) {
	t.Parallel()
	want := []Ref{{"4.9.10", "a"}, {"4.20.3", "a"}, {"4.20.3", "b"}, {"4.20.10", "a"}, {"4.21.0-rc.1", "a"}, {"4.21.0", "a"}}
	got := slices.SortedFunc(slices.Values([]Ref{want[5], want[3], want[0], want[2], want[4], want[1]}), Ref.Compare)
	if !slices.Equal(got, want) {
		t.Error(got)
	}
}

// cloud-credential-operator compares MAJOR.MINOR, and takes a leading v and versions that are not complete.
func TestMinorAbove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, than string
		want       bool
	}{
		{"4.7", "4.6.0-1", true},
		{"v4.7", "4.6.0", true},
		{"5", "4.99.0", true},
		{"4.21.0-rc.1", "4.20.3", true},
		{"4.10.0", "4.9.30", true},
		{"4.20.9", "4.20.3", false},
		{"4.19.0", "4.20.3", false},
		{"", "4.20.3", false},
		{"soon", "4.20.3", false},
		{"4.21", "soon", false},
	} {
		if got := minorAbove(c.text, c.than); got != c.want {
			t.Errorf("%q above %q: %t", c.text, c.than, got)
		}
	}
}

// A later release is one of a higher version; a version without its patch number stands for all of its minor release.
func TestReleaseAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release, version string
		want             bool
	}{
		{"4.21.0", "4.20.4", true},
		{"4.20.10", "4.20.9", true},
		{"4.21.0", "4.21.0-rc.1", true},
		{"4.20.4", "4.20.4", false},
		{"4.20.4", "4.21.0", false},
		{"4.20.4", "4.20", false},
		{"4.21.0", "4.20", true},
		{"4.10.0", "4.9", true},
	} {
		if got := (Ref{Version: c.release}).After(c.version); got != c.want {
			t.Errorf("%s after %s: %t", c.release, c.version, got)
		}
	}
}
