package spec

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// What is written into a file is one entry, and everything else stays: comments, order, line ends. Taking the list out gives
// the file that was there before.
func TestAddAndClearReconciledUpdates(t *testing.T) {
	t.Parallel()
	a, b := release.Ref{Version: "4.20.3", Image: digest("a")}, release.Ref{Version: "4.21.0-rc.1", Image: digest("b")}
	older, oldest := release.Ref{Version: b.Version, Image: digest("c")}, release.Ref{Version: b.Version, Image: releaseImage + ":4.21.0-rc.1"}
	entry := func(r release.Ref, indent string) string {
		return indent + "- version: " + r.Version + "\n" + indent + "  image: " + r.Image + "\n"
	}
	const field = "reconciledAvailableUpdates:"
	for name, c := range map[string]struct{ before, after, cleared string }{
		"none so far":    {head + "# ours\n" + ok, head + "# ours\n" + ok + field + "\n" + entry(b, ""), head + "# ours\n" + ok},
		"no line end":    {head + strings.TrimSuffix(ok, "\n"), head + ok + field + "\n" + entry(b, ""), head + ok},
		"one, in blocks": {head + field + " # prepared\n" + entry(a, "  ") + "# ours\n" + ok, head + field + " # prepared\n" + entry(a, "  ") + entry(b, "  ") + "# ours\n" + ok, head + "# ours\n" + ok},
		"at the end":     {head + ok + "\n# for the upgrade\n" + field + "\n" + strings.TrimSuffix(entry(a, ""), "\n"), head + ok + "\n# for the upgrade\n" + field + "\n" + entry(a, "") + entry(b, ""), head + ok + "\n# for the upgrade\n"},
		"nothing in it":  {head + field + " # soon\n" + ok, head + field + " # soon\n" + entry(b, "") + ok, head + ok},
		"empty":          {head + field + " [] # soon\n" + ok, head + field + ` [{version: "` + b.Version + `", image: "` + b.Image + "\"}] # soon\n" + ok, head + ok},
		"in braces": {
			head + field + ` [{version: "4.20.3", image: "` + a.Image + "\"}] # one\n" + ok,
			head + field + ` [{version: "` + b.Version + `", image: "` + b.Image + `"}, {version: "4.20.3", image: "` + a.Image + "\"}] # one\n" + ok,
			head + ok,
		},
		"windows": {
			strings.ReplaceAll(head+field+"\n"+entry(a, "")+ok, "\n", "\r\n"), strings.ReplaceAll(head+field+"\n"+entry(a, "")+entry(b, "")+ok, "\n", "\r\n"),
			strings.ReplaceAll(head+ok, "\n", "\r\n"),
		},
		"its older image": {
			head + field + "\n" + entry(older, "  ") + "  # the first\n" + entry(a, "  ") + ok,
			head + field + "\n" + entry(b, "  ") + "  # the first\n" + entry(a, "  ") + ok, head + ok,
		},
		"its older image, in braces": {
			head + field + ` [{version: "4.21.0-rc.1", image: '` + older.Image + `'}, {version: 4.20.3, image: "` + a.Image + "\"}]\n" + ok,
			head + field + ` [{version: "4.21.0-rc.1", image: "` + b.Image + `"}, {version: 4.20.3, image: "` + a.Image + "\"}]\n" + ok, head + ok,
		},
		"two older images": {
			head + field + "\n" + entry(older, "") + entry(a, "") + entry(oldest, "") + ok, head + ok + field + "\n" + entry(a, "") + entry(b, ""), head + ok,
		},
	} {
		after, err := AddReconciledUpdate("spec.yaml", []byte(c.before), b)
		if diff := cmp.Diff(c.after, string(after)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
			continue
		}
		if again, err := AddReconciledUpdate("spec.yaml", after, b); err != nil || !bytes.Equal(again, after) {
			t.Errorf("%s: a second time: %v\n%s", name, err, again)
		}
		cleared, err := ClearReconciledUpdates("spec.yaml", after)
		if diff := cmp.Diff(c.cleared, string(cleared)); diff != "" || err != nil {
			t.Errorf("%s: cleared: %v\n%s", name, err, diff)
		}
		if again, err := ClearReconciledUpdates("spec.yaml", cleared); err != nil || !bytes.Equal(again, cleared) {
			t.Errorf("%s: cleared twice: %v\n%s", name, err, again)
		}
	}
}

// A file that another way of writing makes hard to edit is left to its author; what is no release is not written.
func TestReconciledUpdatesLeaveAlone(t *testing.T) {
	t.Parallel()
	b := release.Ref{Version: "4.21.0", Image: digest("b")}
	json := `{"apiVersion": "ocp-vsphere-admin/v1", "kind": "Provisioning", "cluster": "c1", "vcenters": [{"server": "vc1.example.com"}]`
	for name, text := range map[string]string{
		"JSON":     json + "}",
		"an alias": head + "vcenters: [{server: &x vc1.example.com}]\nreconciledAvailableUpdates: &l []\n" + "---\n",
	} {
		if out, err := AddReconciledUpdate("spec.yaml", []byte(text), b); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
	full := json + `, "reconciledAvailableUpdates": [{"version": "4.20.3", "image": "` + digest("a") + `"}]}`
	if out, err := ClearReconciledUpdates("spec.yaml", []byte(full)); !errors.Is(err, ErrNotEdited) {
		t.Errorf("JSON: %v\n%s", err, out)
	}
	for _, r := range []release.Ref{{}, {Version: "4.21", Image: b.Image}, {Version: b.Version, Image: "ocp-release"}, {Version: "4.21.0\n", Image: b.Image}} {
		if out, err := AddReconciledUpdate("spec.yaml", []byte(head+ok), r); err == nil || errors.Is(err, ErrNotEdited) {
			t.Errorf("%v: %v\n%s", r, err, out)
		}
	}
}

// Whatever a specification says, it says the same afterwards but for this, or is not edited.
func TestReconciledUpdatesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		more := drawReleases(t)
		text := s.YAML()
		for _, r := range more {
			var err error
			if text, err = AddReconciledUpdate("spec.yaml", text, r); err != nil {
				t.Fatalf("%v\n%s", err, s.YAML())
			}
		}
		after, err := Parse("spec.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		// Of several images of a version the last counts: a list that is written anew has no other.
		last := func(list ...release.Ref) map[string]release.Ref {
			all := map[string]release.Ref{}
			for _, r := range list {
				all[r.Version] = r
			}
			return all
		}
		if diff := cmp.Diff(last(append(slices.Clone(s.ReconciledUpdates), more...)...), last(after.ReconciledUpdates...)); diff != "" {
			t.Fatalf("%s\n%s", diff, text)
		}
		for _, r := range more {
			if slices.ContainsFunc(after.ReconciledUpdates, func(a release.Ref) bool { return a.Version == r.Version && a != last(more...)[r.Version] }) {
				t.Fatalf("%s has an older image, too:\n%s", r.Version, text)
			}
		}
		cleared, err := ClearReconciledUpdates("spec.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s.ReconciledUpdates = nil
		if diff := cmp.Diff(string(s.YAML()), string(cleared)); diff != "" {
			t.Fatal(diff)
		}
	})
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
