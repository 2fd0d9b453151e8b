package term

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
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

// Print writes v to Out as [JSON] or [YAML], at the end of the run after [Streams.Keep], or the
// table.
func (s *Streams) Print(f Format, v any, table func(w io.Writer) error) error {
	if s.device.Printing != nil {
		s.device.Printing(v, table)
	}
	switch {
	case f == FormatTable || f == "":
		var text bytes.Buffer
		err := table(shown(&text))
		_, writeErr := io.WriteString(s.Out, s.Say(text.String()))
		return cmp.Or(err, writeErr)
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

// NextCommand is what a person is told to run, as data.
type NextCommand struct {
	Command string `json:"command"`
	When    string `json:"when,omitempty"` // the condition or the moment, as words; "" = at once
}

// Failure is the document of a command that failed before it printed one.
type Failure struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"` // Failure
}

// document is the last JSON or YAML value of a command, delayed for what is known at the end.
type document struct {
	format Format
	value  any // nil = none was printed
	next   []NextCommand
	wrote  atomic.Bool // something went to Out by another way, or before
}

// ending is a document with the errors of the run and what comes next.
type ending struct {
	value  any
	Errors []ErrorLine   `json:"errors,omitempty"`
	Next   []NextCommand `json:"next,omitempty"`
}

// MarshalJSON adds the fields behind those of the document, if that is an object.
func (e ending) MarshalJSON() ([]byte, error) {
	plain := func(v any) ([]byte, error) {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		err := enc.Encode(v)
		return bytes.TrimSpace(buf.Bytes()), err
	}
	type fields ending
	more, err := plain(fields(e))
	if err != nil {
		return nil, err
	}
	data, err := plain(e.value)
	if err != nil || len(more) == len("{}") || !bytes.HasPrefix(data, []byte("{")) {
		return data, err
	}
	between := ","
	if len(data) == len("{}") {
		between = ""
	}
	return append(append(data[:len(data)-1], between...), more[1:]...), nil
}

// Keep has the documents of [Streams.Print] wait for [Streams.Deliver].
func (s *Streams) Keep() {
	s.document = &document{}
	if f, ok := s.Out.(*filter); ok {
		f.wrote = &s.document.wrote
	}
}

// Flush writes the document that waits, as it is: the command goes on for as long as it is let.
func (s *Streams) Flush() error {
	if s.document == nil || s.document.value == nil {
		return nil
	}
	value := s.document.value
	s.document.value = nil
	return s.encode(s.document.format, value)
}

// Deliver writes the delayed document, with the errors of the run and the next commands. Without a
// document or other output, errors are a document of their own in this format.
func (s *Streams) Deliver(f Format, failure Failure, errs []ErrorLine) error {
	d := s.document
	switch {
	case d == nil:
		return nil
	case d.value == nil && (f != FormatJSON && f != FormatYAML || len(errs) == 0 || d.wrote.Load()):
		return nil
	case d.value == nil:
		d.format, d.value = f, failure
	}
	d.value = ending{d.value, together(errs), d.next}
	return s.Flush()
}

// named keeps a command that a person is told to run.
func (s *Streams) named(label, command string) {
	if s.document == nil {
		return
	}
	when := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(label, ":"), "next"), ", ")
	s.document.next = append(s.document.next, NextCommand{command, when})
}

// JSON is v indented, with a final newline. Signs that steer a terminal or hide become \u escapes,
// which are the same to every reader of JSON.
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
	if text, err := sigs.JSONToYAML(data); err == nil &&
		visible.Replace(string(text), "\n", escape) == string(text) {
		return text, nil
	}
	// JSON is YAML, and so are its escapes; YAML would not read some signs raw. Styles of JSON are
	// dropped.
	return quoteHidden(visible.Replace(string(data), "", escape), func(n *yaml.Node) { n.Style = 0 })
}

// SafeYAML returns equal YAML documents with signs that steer a terminal or hide escaped in double
// quotes. Other documents keep their bytes. Line and paragraph separators, which YAML folds, must
// be quoted already.
func SafeYAML(data []byte) ([]byte, error) {
	text := string(data)
	if visible.Replace(text, "\n", escape) == text {
		return data, nil
	}
	return quoteHidden(text, func(*yaml.Node) {})
}

// quoteHidden quotes the scalars that need escapes, after style changed the nodes.
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
