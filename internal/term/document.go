package term

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync/atomic"
)

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

// document is what a command prints as JSON or YAML: the last value, which waits for what is known at the end.
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

// Deliver writes the document that waits, with the errors of the run and the commands that were named as the next ones. Where there
// is none, and nothing else was written, errors are a document of their own in this format.
func (s *Streams) Deliver(f Format, failure Failure, errs []ErrorLine) error {
	d := s.document
	switch {
	case d == nil:
		return nil
	case d.value == nil && (f == FormatTable || f == "" || len(errs) == 0 || d.wrote.Load()):
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
	when := strings.TrimSuffix(label, ":")
	if when == "next" {
		when = ""
	}
	s.document.next = append(s.document.next, NextCommand{command, when})
}
