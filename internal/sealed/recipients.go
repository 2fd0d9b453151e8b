// Package sealed encrypts passwords to their recipients, and opens files encrypted to us: age files
// (https://age-encryption.org/v1), armoured. Only this package knows age.
//
// No error repeats input, which may be a private key.
package sealed

import (
	"bytes"
	"crypto/fips140"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
	"filippo.io/age/tag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// Allowed is an error where nothing can be encrypted or opened, whatever the keys.
func Allowed() error {
	if fips140.Enforced() {
		return errors.New("age needs X25519 and ChaCha20-Poly1305, which GODEBUG=fips140=only forbids")
	}
	return nil
}

// Recipient is a public key: what is encrypted to it, its owner can read, and we cannot.
type Recipient struct{ key age.Recipient }

// maxKey is how long a line with a key may be, as for age and sshd(8).
const maxKey = 8 << 10

var (
	errPrivate = errors.New("is a private key: use the public one, from 'age-keygen -y' or the .pub file")
	errPlugin  = errors.New("needs an age plugin, which is not supported: use an age1, ssh-ed25519 or ssh-rsa key")
	errForm    = errors.New("is malformed: a recipient is age1..., or an ssh-ed25519 or ssh-rsa line from a .pub file")
)

// ParseRecipient reads one key: age1... (also post-quantum age1pq1..., and age1tag1... in
// hardware), ssh-ed25519, or ssh-rsa of 2048 bits or more.
func ParseRecipient(text string) (Recipient, error) {
	text = strings.TrimSpace(text)
	var key age.Recipient
	var err error
	switch {
	case strings.HasPrefix(strings.ToUpper(text), "AGE-SECRET-KEY-"),
		strings.HasPrefix(text, "AGE-PLUGIN-"), strings.HasPrefix(text, "-----BEGIN"):
		return Recipient{}, errPrivate
	case len(text) > maxKey || !utf8.ValidString(text):
		return Recipient{}, errForm
	case strings.HasPrefix(text, "age1pq1"):
		key, err = age.ParseHybridRecipient(text)
	case strings.HasPrefix(text, "age1tag1"), strings.HasPrefix(text, "age1tagpq1"):
		key, err = tag.ParseRecipient(text)
	case strings.HasPrefix(text, "age1") && strings.Count(text, "1") > 1: // bech32 has no other 1
		return Recipient{}, errPlugin
	case strings.HasPrefix(text, "age1"):
		key, err = age.ParseX25519Recipient(text)
	case strings.HasPrefix(text, "ssh-"):
		key, err = agessh.ParseRecipient(text)
	default:
		err = errForm
	}
	if err == nil {
		_, err = key.Wrap(make([]byte, 16)) // a file key; parsers take numbers that are no key, such as an even RSA modulus
	}
	if err != nil {
		if kind := otherSSHKey(text); kind != "" {
			return Recipient{}, fmt.Errorf("is a key of type %s that age does not support: use an age1, ssh-ed25519 or ssh-rsa key, RSA of 2048 bits or more", kind)
		}
		return Recipient{}, errForm
	}
	return Recipient{key}, nil
}

// ParseRecipients reads a file of keys like age -R: one on a line, without empty lines and those
// that begin with #. It skips other SSH keys with a warning. Errors have name and line.
func ParseRecipients(name string, data []byte) (all []Recipient, warnings []string, err error) {
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		r, err := ParseRecipient(text)
		if err == nil {
			all = append(all, r)
			continue
		}
		kind := otherSSHKey(text)
		if kind == "" {
			return nil, nil, fmt.Errorf("%s: line %d %w", name, n, err)
		}
		warnings = append(warnings,
			fmt.Sprintf("%s: line %d is skipped: age does not support this key of type %s", name, n, kind))
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: contains no recipient", name)
	}
	return all, warnings, nil
}

var sshType = pattern.Of(`^[a-z0-9@.-]{1,64}$`)

// otherSSHKey is the type of an SSH public key that age does not take, such as short or malformed RSA; or "".
func otherSSHKey(line string) (kind string) {
	fields := strings.Fields(line)
	if len(fields) < 2 || len(line) > maxKey {
		return ""
	}
	key, err := base64.StdEncoding.DecodeString(fields[1])
	if err != nil || len(key) < 4 {
		return ""
	}
	size := binary.BigEndian.Uint32(key)
	if key = key[4:]; uint64(size) >= uint64(len(key)) || string(key[:size]) != fields[0] ||
		!sshType().MatchString(fields[0]) || fields[0] == "ssh-ed25519" {
		return ""
	}
	return fields[0]
}

// Seal encrypts so that each recipient can read alone. Post-quantum keys are not mixed with others.
func Seal(plain []byte, to []Recipient) ([]byte, error) {
	if len(to) == 0 {
		return nil, errors.New("no recipients")
	}
	keys := make([]age.Recipient, len(to))
	for i, r := range to {
		keys[i] = r.key
	}
	var out bytes.Buffer
	armoured := armor.NewWriter(&out)
	w, err := age.Encrypt(armoured, keys...)
	if err != nil {
		return nil, fmt.Errorf("cannot be encrypted to these recipients: %w", err)
	}
	_, written := w.Write(plain)
	if err := errors.Join(written, w.Close(), armoured.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
