// Package secret holds values that must never be printed by accident.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// Redacted is what every rendering of a Secret says.
const Redacted = "(sensitive value)"

// Secret is a password or token. Formatting, JSON, YAML and slog all render [Redacted]; only Reveal
// returns the value. The zero value is an empty secret. The value is behind a pointer, because fmt
// does not call methods of unexported fields and would print it.
type Secret struct {
	value  *string
	random bool
}

// New wraps value.
func New(value string) Secret { return Secret{value: &value} }

// Random wraps value, which was drawn at random.
func Random(value string) Secret { return Secret{value: &value, random: true} }

// Drawn is a value that was drawn at random, and read again since.
func (s Secret) Drawn() Secret { return Secret{value: s.value, random: true} }

// tagged is the fewest characters of a value with a tag, tagDigits the hexadecimal digits of that.
// A tag tells 24 bits of the value, whatever the hash: 18 random characters keep some 80.
const (
	tagged    = 18
	tagDigits = 6
)

// Tag tells random values apart without revealing them: it may be published. A short value, or one
// that may be a person's choice, has none ("").
func (s Secret) Tag() string {
	if !s.random || len(s.Reveal()) < tagged {
		return ""
	}
	return tag(s.Reveal())
}

// Bears reports whether the value can be the one that a tag was published of.
func (s Secret) Bears(published string) bool { return tag(s.Reveal()) == published }

func tag(value string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte("ocp-vsphere-admin tag\x00"+value)))[:tagDigits]
}

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
