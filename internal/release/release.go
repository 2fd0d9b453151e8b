// Package release is about releases of OpenShift: their CredentialsRequests, the updates offered to
// a cluster, and what it says of prepared ones.
package release

import (
	"cmp"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// Ref is a release as offered to a cluster: openshift/api, config/v1, Release. Both fields identify
// it: a version has images for several architectures and mirrors.
type Ref struct {
	Version string `json:"version" yaml:"version"` // semantic: "4.20.3", "4.21.0-rc.1"
	Image   string `json:"image" yaml:"image"`     // pull spec: "quay.io/.../ocp-release@sha256:..."
}

// String is the version and the image.
func (r Ref) String() string { return r.Version + " (" + r.Image + ")" }

// maxPullSpec bounds a pull spec: a host name, a path of 255 characters, a tag of 128 and a digest.
const maxPullSpec = 1024

// The form of a pull spec: https://github.com/distribution/reference (host, path, tag and digest).
// A release always has the host.
var (
	semantic = pattern.Of(`^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	pullSpec = pattern.Of(`^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?` +
		`(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)+(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$`)
)

// CheckVersion refuses what is no version of a release.
func CheckVersion(text string) error {
	if semantic().MatchString(text) && len(text) <= 128 {
		if _, err := version.ParseSemantic(text); err == nil {
			return nil
		}
	}
	return errors.New("is not a release version: use x.y.z, such as 4.20.3 or 4.21.0-rc.1")
}

// CheckImage refuses what is no pull spec of a release: host/path with a tag, a digest or both.
func CheckImage(text string) error {
	const form = "use host/path@sha256:DIGEST, such as quay.io/openshift-release-dev/ocp-release@sha256:DIGEST"
	m := pullSpec().FindStringSubmatch(text)
	switch {
	case m == nil || len(text) > maxPullSpec:
		return errors.New("is not a pull spec of a release image: " + form)
	case m[1] == "" && m[2] == "":
		return errors.New("has neither a digest nor a tag, so the release is not known: " + form)
	}
	return nil
}

// Digested reports whether the image has a digest. A tag can be moved.
func (r Ref) Digested() bool { return strings.Contains(r.Image, "@sha256:") }

// Compare orders by version, then by image. A version that is none comes first.
func (r Ref) Compare(other Ref) int {
	a, errA := version.ParseSemantic(r.Version)
	b, errB := version.ParseSemantic(other.Version)
	switch {
	case errA != nil || errB != nil:
		return cmp.Or(strings.Compare(r.Version, other.Version), strings.Compare(r.Image, other.Image))
	case a.LessThan(b):
		return -1
	case b.LessThan(a):
		return 1
	}
	return strings.Compare(r.Image, other.Image)
}

// After reports whether r is later than a version. For a version without a patch number, only
// another minor release is.
func (r Ref) After(version string) bool {
	if CheckVersion(version) != nil {
		return minorAbove(r.Version, version)
	}
	return Ref{Version: r.Version}.Compare(Ref{Version: version}) > 0
}

// minorOf is MAJOR.MINOR of a version by golang.org/x/mod/semver, which cloud-credential-operator
// uses: a leading v, and missing patch or minor numbers, are fine. ok is false for others.
func minorOf(text string) (major, minor uint, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3)
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	v, err := version.ParseSemantic(strings.Join(parts, "."))
	if err != nil || CheckVersion(strings.Join(parts, ".")) != nil {
		return 0, 0, false
	}
	return v.Major(), v.Minor(), true
}

// minorAbove reports whether the minor release of a version is above that of another.
func minorAbove(text, than string) bool {
	major, minor, ok := minorOf(text)
	thanMajor, thanMinor, thanOK := minorOf(than)
	return ok && thanOK && cmp.Or(cmp.Compare(major, thanMajor), cmp.Compare(minor, thanMinor)) > 0
}
