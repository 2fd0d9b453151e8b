package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// JSON is v indented, with a newline at its end. What encoding/json leaves raw though it steers a terminal or hides
// stands in \u escapes: every reader of JSON gets the same value from it.
func JSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return EscapeJSON(buf.Bytes()), nil
}

// EscapeJSON is what encoding/json wrote, with \u escapes for what [JSON] escapes.
func EscapeJSON(data []byte) []byte { return []byte(visible.Replace(string(data), "\n", inJSON)) }

// inJSON is a sign as JSON writes it. encoding/json has written U+FFFD for what is no UTF-8.
func inJSON(r rune, _ int, _ string) string {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// YAML is v by its json tags. Whatever steers a terminal or hides is escaped within double quotes.
func YAML(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if text, err := sigs.JSONToYAML(data); err == nil && visible.Replace(string(text), "\n", escape) == string(text) {
		return text, nil
	}
	// JSON is YAML, and so are these escapes; some signs YAML would not even read raw.
	// Without JSON's styles it is as somebody writes it.
	return quoteHidden(visible.Replace(string(data), "", escape), func(n *yaml.Node) { n.Style = 0 })
}

// SafeYAML gives a stream of YAML documents that says the same, in which whatever steers a terminal or hides is escaped
// within double quotes. Documents without such signs keep their bytes. Line and paragraph separators, which YAML folds,
// must be quoted already.
func SafeYAML(data []byte) ([]byte, error) {
	text := string(data)
	if visible.Replace(text, "\n", escape) == text {
		return data, nil
	}
	return quoteHidden(text, func(*yaml.Node) {})
}

// quoteHidden quotes the scalars in which something has to be escaped, of nodes as style leaves them.
func quoteHidden(text string, style func(*yaml.Node)) ([]byte, error) {
	var out bytes.Buffer
	in, enc := yaml.NewDecoder(strings.NewReader(text)), yaml.NewEncoder(&out)
	enc.SetIndent(2)
	for {
		var n yaml.Node
		switch err := in.Decode(&n); {
		case err == io.EOF: //nolint:errorlint // as yaml.v3 documents it
			if err := enc.Close(); err != nil {
				return nil, err
			}
			return []byte(visible.Replace(out.String(), "\n", escape)), nil
		case err != nil:
			return nil, err
		}
		restyle(&n, style)
		if err := enc.Encode(&n); err != nil {
			return nil, err
		}
	}
}

func restyle(n *yaml.Node, style func(*yaml.Node)) {
	style(n)
	if n.Kind == yaml.ScalarNode && !visible.Plain(n.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		restyle(c, style)
	}
}
