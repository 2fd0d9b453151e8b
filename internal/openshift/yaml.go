package openshift

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// head stands above the secrets.
const head = `# vSphere accounts per component, for ` + "`oc apply -f -`" + `. Keys: <vCenter>.username and <vCenter>.password, nothing else.
# The values are under data, not stringData, so that oc apply removes the keys of a vCenter that was dropped.
`

// labelComments says above the label why it has the value that it has.
var labelComments = map[string]string{
	LabelTrue: `    # "true", not the enhancement's "yes": cloud-credential-operator rewrites any other value to "true", and whoever
    # looks for "yes" finds nothing then. The secret is found by its name in either case.
`,
	LabelYes: `    # "yes" as in the enhancement. The cloud-credential-operator that ships rewrites it to "true".
`,
}

const noLabel = `# No label and no annotation: cloud-credential-operator finds the secrets by their names.
`

// WriteYAML writes the secrets as one stream of YAML documents. The passwords are in it: it belongs into a pipe to oc
// or into a file that only its owner reads.
func WriteYAML(w io.Writer, secrets []corev1.Secret, o EmitOptions) error {
	var b bytes.Buffer
	b.WriteString(head)
	if o.label() == LabelNone {
		b.WriteString(noLabel)
	}
	for _, s := range secrets {
		text, err := yaml.Marshal(s)
		if err != nil {
			return fmt.Errorf("secret %s/%s: %w", s.Namespace, s.Name, err)
		}
		b.WriteString("---\n")
		for line := range strings.Lines(string(text)) {
			b.WriteString(line)
			if line == "  labels:\n" {
				b.WriteString(labelComments[o.label()])
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
