package term

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// Format is a value of -o.
type Format string

// The formats of commands that print data.
const (
	FormatTable Format = "table"
	FormatJSON  Format = "json"
	FormatYAML  Format = "yaml"
)

// Formats lists them, the default first.
func Formats() []Format { return []Format{FormatTable, FormatJSON, FormatYAML} }

// Print writes v to Out as JSON or YAML (by its json tags), or calls table for the table.
func (s *Streams) Print(f Format, v any, table func(w io.Writer) error) error {
	switch f {
	case FormatJSON:
		enc := json.NewEncoder(s.Out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	case FormatYAML:
		data, err := yaml.Marshal(v)
		if err != nil {
			return err
		}
		_, err = s.Out.Write(data)
		return err
	case FormatTable, "":
		return table(s.Out)
	}
	return fmt.Errorf("output format %q is unknown: one of table, json, yaml", f)
}
