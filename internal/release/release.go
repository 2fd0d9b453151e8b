// Package release is about releases of OpenShift: the CredentialsRequests that they bring, the updates that a cluster is offered,
// and what it says of those that are prepared for.
package release

import (
	"cmp"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// Ref is a release of OpenShift as a cluster is offered it: openshift/api, config/v1, Release. Two are the same when
// both fields are: one version is built for several architectures, and mirrored.
type Ref struct {
	Version string `json:"version" yaml:"version"` // semantic: "4.20.3", "4.21.0-rc.1"
	Image   string `json:"image" yaml:"image"`     // pull spec: "quay.io/openshift-release-dev/ocp-release@sha256:..."
}

// String is the version and the image.
func (r Ref) String() string { return r.Version + " (" + r.Image + ")" }

// maxPullSpec is how long a pull spec may be: a host name, a path of 255 characters, a tag of 128 and a digest.
const maxPullSpec = 1024

// The form of a pull spec: https://github.com/distribution/reference (a host, a path, a tag and a digest). A release is
// never the short name of an image, so the host is required.
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

// Digested reports whether the image is named by its digest. A tag can be moved to another image later.
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

// After reports whether r is a later release than that of a version. Where the version lacks its patch number, only another minor
// release is later.
func (r Ref) After(version string) bool {
	if CheckVersion(version) != nil {
		return minorAbove(r.Version, version)
	}
	return Ref{Version: r.Version}.Compare(Ref{Version: version}) > 0
}

// minorOf is MAJOR.MINOR of a version, as golang.org/x/mod/semver gives it, by which cloud-credential-operator compares: a
// leading v, and versions without a patch or a minor number, are fine. ok is false where it is none.
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
