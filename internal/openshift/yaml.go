package openshift

import (
	"bytes"
	"encoding/json"
	"errors"
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

// ParseSecrets reads a stream of YAML or JSON documents: secrets, or lists of them as `oc get secrets -o yaml` prints.
// Other kinds are passed over. stringData is merged into data, as the API server does. Errors hold no values.
func ParseSecrets(data []byte) ([]corev1.Secret, error) {
	var secrets []corev1.Secret
	for n, document := range documents(data) {
		text, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, fmt.Errorf("document %d does not parse as YAML", n+1)
		}
		found, err := secretsOf(text)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n+1, err)
		}
		secrets = append(secrets, found...)
	}
	return secrets, nil
}

// secretsOf returns the secrets of one JSON object.
func secretsOf(text []byte) ([]corev1.Secret, error) {
	var object struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, errors.New("is not a Kubernetes object")
	}
	switch object.Kind {
	case "Secret":
		var s corev1.Secret
		if err := yaml.Unmarshal(text, &s); err != nil { // takes a number under stringData for its digits
			return nil, errors.New("is not a secret: are the values under data in base64?")
		}
		for k, v := range s.StringData {
			if s.Data == nil {
				s.Data = map[string][]byte{}
			}
			s.Data[k] = []byte(v)
		}
		s.StringData = nil
		return []corev1.Secret{s}, nil
	case "List", "SecretList":
		var all []corev1.Secret
		for _, item := range object.Items {
			found, err := secretsOf(item)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	}
	return nil, nil
}

// documents splits a stream at its `---` lines and leaves out what holds comments only.
func documents(data []byte) [][]byte {
	var all [][]byte
	var current []byte
	content := false
	end := func() {
		if content {
			all = append(all, current)
		}
		current, content = nil, false
	}
	for line := range bytes.Lines(data) {
		text := bytes.TrimSpace(line)
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok && (len(bytes.TrimSpace(rest)) == 0 || bytes.HasPrefix(rest, []byte(" #"))) {
			end()
			continue
		}
		content = content || len(text) > 0 && text[0] != '#'
		current = append(current, line...)
	}
	end()
	return all
}
