package term

import (
	"fmt"
	"io"
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

// Print writes v to Out as [JSON] or [YAML], at the end of the run after [Streams.Keep], or calls table for the table.
func (s *Streams) Print(f Format, v any, table func(w io.Writer) error) error {
	if s.device.Printing != nil {
		s.device.Printing(v, table)
	}
	switch {
	case f == FormatTable || f == "":
		return table(always(s.Out))
	case s.document == nil:
		return s.encode(f, v)
	}
	err := s.Flush()
	s.document.format, s.document.value = f, v
	return err
}

func (s *Streams) encode(f Format, v any) error {
	switch f {
	case FormatJSON:
		return s.write(JSON(v))
	case FormatYAML:
		return s.write(YAML(v))
	case FormatTable:
	}
	return fmt.Errorf("output format %q is unknown: one of table, json, yaml", f)
}

func (s *Streams) write(data []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = s.Out.Write(data)
	return err
}
