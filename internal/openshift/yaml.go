package openshift

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// dataNote is for all of them.
const dataNote = `# The cloud controller manager refuses a secret with any other key.
# The values are under data, not stringData, so that oc apply removes the keys of a vCenter that was dropped.
`

// disableNote is for the config map alone.
const disableNote = "# Takes the cloud-credential-operator out of work from the beginning: its bootstrap step reads this, and sets mode Manual.\n"

// labelComments says above the label why it has the value that it has.
var labelComments = map[string]string{
	LabelTrue: `    # "true", not the enhancement's "yes": cloud-credential-operator rewrites any other value to "true", and
    # a search for "yes" then finds nothing. The operator finds the secret by its name in either case.
`,
	LabelYes: `    # "yes" as in the enhancement. The cloud-credential-operator that ships rewrites it to "true".
`,
}

const noLabel = `# No label and no annotation: cloud-credential-operator finds the secrets by their names.
`

// WriteYAML writes manifests as one stream of YAML documents. The passwords are in it: it belongs into a pipe to oc or
// into a file that only its owner reads.
func WriteYAML(w io.Writer, manifests []Manifest, o EmitOptions) error {
	var b bytes.Buffer
	switch {
	case o.Head != "":
		b.WriteString(o.Head)
	case slices.ContainsFunc(manifests, func(m Manifest) bool { return m.ConfigMap == nil }):
		b.WriteString(o.profile().head + dataNote)
	case len(manifests) > 0:
		b.WriteString(disableNote)
	}
	if o.Head == "" && o.profile().Labelled && o.label() == LabelNone {
		b.WriteString(noLabel)
	}
	for _, m := range manifests {
		var object any = m.Secret
		switch {
		case m.Role != nil:
			object = m.Role
		case m.ConfigMap != nil:
			object = m.ConfigMap
		}
		text, err := yaml.Marshal(object)
		if err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
		b.WriteString("---\n")
		for line := range strings.Lines(string(text)) {
			b.WriteString(line)
			if line == "  labels:\n" && o.Head == "" {
				b.WriteString(labelComments[o.label()])
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
