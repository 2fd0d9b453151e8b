package spec

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// What is written into a file is one field, and everything else stays: comments, order, quotes, line ends.
func TestSetDisabled(t *testing.T) {
	t.Parallel()
	const all = "  machine-api: {}\n  csi-driver: {}\n  cloud-controller: {}\n  diagnostics: {}\n"
	for name, c := range map[string]struct{ before, after, back string }{
		"no components": {
			head + ok,
			head + ok + "components:\n" + all + "  installer: {disabled: true}\n",
			head + ok + "components:\n" + all + "  installer: {}\n",
		},
		"no components, no last line end": {
			head + strings.TrimSuffix(ok, "\n"),
			head + ok + "components:\n" + all + "  installer: {disabled: true}\n",
			head + ok + "components:\n" + all + "  installer: {}\n",
		},
		"empty, in braces": {
			head + "components: # five\n" + all + "  installer: { }  # once\n" + ok,
			head + "components: # five\n" + all + "  installer: {disabled: true}  # once\n" + ok,
			head + "components: # five\n" + all + "  installer: {}  # once\n" + ok,
		},
		"nothing": {
			head + "components:\n" + all + "  installer: # once\n  # the end\n" + ok,
			head + "components:\n" + all + "  installer: # once\n    disabled: true\n  # the end\n" + ok,
			"",
		},
		"nothing, and nothing behind it": {
			head + ok + "components:\n" + all + "  installer:",
			head + ok + "components:\n" + all + "  installer:\n    disabled: true\n",
			head + ok + "components:\n" + all + "  installer:\n",
		},
		"said to be in use": {
			head + "components:\n" + all + "  \"installer\":\n    # not yet\n    disabled: false # soon\n" + ok,
			head + "components:\n" + all + "  \"installer\":\n    # not yet\n    disabled: true # soon\n" + ok,
			head + "components:\n" + all + "  \"installer\":\n    # not yet\n" + ok,
		},
		"windows": {
			strings.ReplaceAll(head+"components:\n"+all+"  installer:\n"+ok, "\n", "\r\n"),
			strings.ReplaceAll(head+"components:\n"+all+"  installer:\n    disabled: true\n"+ok, "\n", "\r\n"),
			"",
		},
		"all in braces": {
			head + "components: {installer: {}, machine-api: {}, csi-driver: {}, cloud-controller: {}, diagnostics: {}}\n" + ok,
			head + "components: {installer: {disabled: true}, machine-api: {}, csi-driver: {}, cloud-controller: {}, diagnostics: {}}\n" + ok,
			"",
		},
	} {
		after, err := SetDisabled("spec.yaml", []byte(c.before), []component.Name{component.Installer}, true)
		if diff := cmp.Diff(c.after, string(after)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
			continue
		}
		back := c.back
		if back == "" {
			back = c.before
		}
		if again, err := SetDisabled("spec.yaml", after, []component.Name{component.Installer}, true); err != nil || !bytes.Equal(again, after) {
			t.Errorf("%s: a second time: %v\n%s", name, err, again)
		}
		enabled, err := SetDisabled("spec.yaml", after, []component.Name{component.Installer}, false)
		if diff := cmp.Diff(back, string(enabled)); diff != "" || err != nil {
			t.Errorf("%s: back: %v\n%s", name, err, diff)
		}
	}
}

// A file that another way of writing makes hard to edit is left to its author, and so is what would not be a specification.
func TestSetDisabledLeavesAlone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an alias":           head + "components: {machine-api: &none {}, csi-driver: {}, cloud-controller: {}, diagnostics: {}, installer: *none}\n" + ok,
		"a null":             head + "components: {machine-api: {}, csi-driver: {}, cloud-controller: {}, diagnostics: {}, installer: null}\n" + ok,
		"JSON":               `{"apiVersion": "ocp-vsphere-admin/v1", "kind": "Provisioning", "cluster": "c1", "vcenters": [{"server": "vc1.example.com"}]}`,
		"what is then wrong": head + "profile: passthrough\n" + ok,
	} {
		if out, err := SetDisabled("spec.yaml", []byte(text), []component.Name{component.Installer}, true); !errors.Is(err, ErrNotEdited) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if _, err := SetDisabled("spec.yaml", []byte("a: b\n"), nil, true); err == nil || errors.Is(err, ErrNotEdited) {
		t.Errorf("no specification: %v", err)
	}
}

// Whatever a specification says, it says the same afterwards but for this, or is not edited.
func TestSetDisabledProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		c := rapid.SampledFrom(component.Names()).Draw(t, "component")
		disabled := rapid.Bool().Draw(t, "disable")
		out, err := SetDisabled("spec.yaml", s.YAML(), []component.Name{c}, disabled)
		_, named := s.Components[c]
		if named = named || len(s.Components) == 0 && !c.OptIn(); err != nil {
			if s.CheckDisabled(c) == nil && named || !errors.Is(err, ErrNotEdited) {
				t.Fatalf("%v\n%s", err, s.YAML())
			}
			return
		}
		after, err := Parse("spec.yaml", out)
		if err != nil || named && after.Components[c].Disabled != disabled {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}
