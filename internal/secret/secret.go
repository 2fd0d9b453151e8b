// Package secret holds values that must never be printed by accident.
package secret

import (
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// Redacted is what every rendering of a Secret says.
const Redacted = "(sensitive value)"

// Secret is a password or token. Formatting, JSON, YAML and slog all render [Redacted]; only Reveal gives the value.
// The zero value is an empty secret. The value sits behind a pointer because fmt cannot call methods of unexported
// fields: a struct that keeps a Secret in one would otherwise print it.
type Secret struct{ value *string }

// New wraps value.
func New(value string) Secret { return Secret{value: &value} }

// Reveal returns the value. Call it only where the value leaves for its one destination.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty reports whether there is no value.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// Equal compares in constant time.
func (s Secret) Equal(o Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(o.Reveal())) == 1
}

// String implements fmt.Stringer.
func (Secret) String() string { return Redacted }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return Redacted }

// Format implements fmt.Formatter, so that no verb (%x, %q, %+v) reaches the value.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Redacted)) }

// MarshalText implements encoding.TextMarshaler, which JSON and YAML encoders use.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// MarshalJSON implements json.Marshaler.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Redacted + `"`), nil }

// MarshalYAML implements yaml.Marshaler.
func (Secret) MarshalYAML() (any, error) { return Redacted, nil }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }
