package spec

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

const releaseImage = "quay.io/openshift-release-dev/ocp-release"

func digest(letter string) string { return releaseImage + "@sha256:" + strings.Repeat(letter, 64) }

// drawReleases draws a list as a provisioning file may have it.
func drawReleases(t *rapid.T) []release.Ref {
	one := rapid.Custom(func(t *rapid.T) release.Ref {
		return release.Ref{
			Version: rapid.SampledFrom([]string{"4.20.3", "4.21.0-rc.1", "4.4.0-0.nightly-2020-05-14-001530", "4.20.10"}).Draw(t, "version"),
			Image:   rapid.SampledFrom([]string{digest("a"), digest("b"), releaseImage + ":4.4.1-x86_64", "[fd00::1]:5000/a/b:x"}).Draw(t, "image"),
		}
	})
	list := rapid.SliceOfNDistinct(one, 0, 4, rapid.ID).Draw(t, "reconciled")
	if len(list) == 0 {
		return nil
	}
	return list
}

// A release takes the place of other images of its version, and the same one changes nothing.
func TestPrepare(t *testing.T) {
	t.Parallel()
	a, b := release.Ref{Version: "4.20.3", Image: digest("a")}, release.Ref{Version: "4.21.0-rc.1", Image: digest("b")}
	older, oldest := release.Ref{Version: b.Version, Image: digest("c")}, release.Ref{Version: b.Version, Image: releaseImage + ":4.21.0-rc.1"}
	for _, c := range []struct{ before, want []release.Ref }{
		{nil, []release.Ref{b}},
		{[]release.Ref{a}, []release.Ref{a, b}},
		{[]release.Ref{b, a}, []release.Ref{b, a}},
		{[]release.Ref{older, a, oldest}, []release.Ref{a, b}},
		{[]release.Ref{b, a, oldest}, []release.Ref{b, a}},
	} {
		s := &Spec{ReconciledUpdates: slices.Clone(c.before)}
		if got := s.Prepare(b).ReconciledUpdates; !slices.Equal(got, c.want) || !slices.Equal(s.ReconciledUpdates, c.before) {
			t.Errorf("%v: %v, want %v", c.before, got, c.want)
		}
		if got := s.Prepare(b).Unprepared().ReconciledUpdates; got != nil {
			t.Error(got)
		}
	}
}

// The list is read as strictly as everything else.
func TestReconciledUpdatesRefuse(t *testing.T) {
	t.Parallel()
	const field = "reconciledAvailableUpdates"
	for text, want := range map[string]string{
		"[{version: 4.20.3}]":                                                      "spec.yaml:5: " + field + "[0]: has no image",
		"[{image: " + digest("a") + "}]":                                           "spec.yaml:5: " + field + "[0]: has no version",
		"[{version: 4.20, image: " + digest("a") + "}]":                            "spec.yaml:5: " + field + "[0].version: must be text, not a number: put it in quotes",
		"[{version: \"4.20\", image: " + digest("a") + "}]":                        "spec.yaml:5: " + field + "[0].version: is not a release version: use x.y.z, such as 4.20.3 or 4.21.0-rc.1",
		"[{version: 4.20.3, image: ocp-release}]":                                  "spec.yaml:5: " + field + "[0].image: is not a pull spec of a release image: use host/path@sha256:DIGEST, such as quay.io/openshift-release-dev/ocp-release@sha256:DIGEST",
		"[{version: 4.20.3, image: quay.io/a/b}]":                                  "spec.yaml:5: " + field + "[0].image: has neither a digest nor a tag, so the release is not known: use host/path@sha256:DIGEST, such as quay.io/openshift-release-dev/ocp-release@sha256:DIGEST",
		"[{version: 4.20.3, image: quay.io/a/b:c, digest: x}]":                     `spec.yaml:5: unknown field "digest"; known: version, image`,
		"[{version: 4.20.3, image: a.b/c:d}, {version: 4.20.3, image: 'a.b/c:d'}]": "spec.yaml:5: " + field + "[1]: is named twice",
		"4.20.3": "spec.yaml:5: " + field + ": must be a list, not text",
	} {
		_, err := Parse("spec.yaml", []byte(head+ok+field+": "+text+"\n"))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}
