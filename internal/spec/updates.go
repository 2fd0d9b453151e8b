package spec

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// reconciledField is the field of [Spec.ReconciledUpdates], named as in the design that it comes from (openshift/enhancements,
// manual-cloud-credentials).
const reconciledField = "reconciledAvailableUpdates"

// ReconciledUpdateLines are the lines of a provisioning file that say that the accounts fit these releases.
func ReconciledUpdateLines(releases []release.Ref) []string {
	lines := []string{reconciledField + ":"}
	for _, r := range releases {
		fields := r.Lines()
		lines = append(lines, "- "+fields[0], "  "+fields[1])
	}
	return lines
}

// AddReconciledUpdate writes into a provisioning file that the accounts fit a release. What is there stays, byte for byte, with its
// comments and its order; the same release once more changes nothing, and an older image of the same version is replaced; where there
// are several the list is written anew, each version with its last image. The result is read back, and is the same specification
// but for that, or the error is [ErrNotEdited]. name stands for the path in errors.
func AddReconciledUpdate(name string, data []byte, r release.Ref) ([]byte, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	sameVersion := func(other release.Ref) bool { return other.Version == r.Version }
	want := append(slices.DeleteFunc(slices.Clone(before.ReconciledUpdates), sameVersion), r)
	if len(want) < len(before.ReconciledUpdates) { // several images of it: the list is written anew
		if data, err = ClearReconciledUpdates(name, data); err != nil {
			return nil, err
		}
		for _, one := range want {
			if data, err = AddReconciledUpdate(name, data, one); err != nil {
				return nil, err
			}
		}
		return data, nil
	}
	return setReconciledUpdates(name, data, func(before []release.Ref) []release.Ref {
		if slices.Contains(before, r) {
			return before
		}
		return want
	}, func(root *yaml.Node, t *lines) ([]byte, error) { return addReconciledUpdate(root, t, r) })
}

// ClearReconciledUpdates takes the list out of a provisioning file: the accounts were brought back to the running release, so that
// nothing is prepared any more. Comments within the list go with it; see [AddReconciledUpdate] for the rest.
func ClearReconciledUpdates(name string, data []byte) ([]byte, error) {
	return setReconciledUpdates(name, data, func([]release.Ref) []release.Ref { return nil }, clearReconciledUpdates)
}

// setReconciledUpdates edits, and reads back what came of it. What edit does not know how to edit, and what it edits wrongly, is
// found that way.
func setReconciledUpdates(name string, data []byte, change func([]release.Ref) []release.Ref, edit func(*yaml.Node, *lines) ([]byte, error)) ([]byte, error) {
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	want := *before
	want.ReconciledUpdates = change(before.ReconciledUpdates)
	if slices.Equal(want.ReconciledUpdates, before.ReconciledUpdates) {
		return data, nil
	}
	root, t, err := mapping(data)
	if err != nil {
		return nil, err
	}
	out, err := edit(root, t)
	if err != nil {
		return nil, err
	}
	after, err := Parse(name, out)
	if err != nil || !reflect.DeepEqual(inOrder(*after), inOrder(want)) {
		return nil, ErrNotEdited
	}
	return out, nil
}

// inOrder is a specification whose list is in order: what was said of which release counts, not when.
func inOrder(s Spec) Spec {
	s.ReconciledUpdates = slices.SortedFunc(slices.Values(s.ReconciledUpdates), release.Ref.Compare)
	return s
}

func addReconciledUpdate(root *yaml.Node, t *lines, r release.Ref) ([]byte, error) {
	entry := ReconciledUpdateLines([]release.Ref{r})
	key, value := fieldOf(root, reconciledField)
	if old := imageOf(value, r.Version); old != nil {
		image, length := strings.TrimPrefix(r.Lines()[1], "image: "), len(old.Value)
		if value.Style&yaml.FlowStyle != 0 {
			image = `"` + r.Image + `"`
		}
		if old.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			length += len(`""`)
		}
		return t.replace(t.Offset(old), length, image), nil
	}
	switch {
	case key == nil:
		return t.append(entry), nil
	case value.Kind == yaml.ScalarNode && value.Value == "" && value.Style == 0:
		return t.insert(key.Line+1, strings.Join(entry[1:], t.NL)), nil
	case value.Kind == yaml.SequenceNode && value.Style&yaml.FlowStyle != 0:
		flow := `[{version: "` + r.Version + `", image: "` + r.Image + `"}`
		if len(value.Content) > 0 {
			flow += ", "
		}
		return t.replace(t.Offset(value), len("["), flow), nil
	case value.Kind == yaml.SequenceNode:
		indent := strings.Repeat(" ", value.Column-1)
		return t.insert(last(value)+1, indent+entry[1]+t.NL+indent+entry[2]), nil
	}
	return nil, ErrNotEdited
}

// imageOf is the image of a version in the list; nil = there is none.
func imageOf(list *yaml.Node, version string) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	for _, entry := range list.Content {
		_, its := fieldOf(entry, "version")
		if _, image := fieldOf(entry, "image"); its != nil && image != nil && its.Value == version {
			return image
		}
	}
	return nil
}

func clearReconciledUpdates(root *yaml.Node, t *lines) ([]byte, error) {
	key, value := fieldOf(root, reconciledField)
	if key == nil || root.Style&yaml.FlowStyle != 0 {
		return nil, ErrNotEdited
	}
	return t.cut(key.Line, max(key.Line, last(value))), nil
}
