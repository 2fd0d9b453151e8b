package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Identity is a private key, which opens what was encrypted to its public one.
type Identity struct{ key age.Identity }

// Format implements fmt.Formatter: a private key is never shown.
func (Identity) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "(identity)") }

// ReadIdentities reads a file of private keys: age's, one on a line with comments as of age-keygen,
// or one SSH key, ed25519 or RSA. It refuses a file that others can read. ask is called once for an
// SSH key's passphrase, when a file is encrypted to it.
func ReadIdentities(path string, ask func(label string) (secret.Secret, error)) ([]Identity, error) {
	data, err := files.Read(path, files.Text, files.CheckPrivate)
	if err != nil {
		return nil, err
	}
	return parseIdentities(path, data, ask)
}

func parseIdentities(name string, data []byte, ask func(string) (secret.Secret, error)) ([]Identity, error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	switch {
	case Is(text):
		return nil, fmt.Errorf("%s is itself encrypted with a passphrase: pass the decrypted key through a pipe: --identity <(age -d FILE)", name)
	case bytes.HasPrefix(text, []byte("-----BEGIN")):
		key, err := sshIdentity(name, text, ask)
		return []Identity{{key}}, err
	}
	var all []Identity
	n := 0
	for line := range bytes.Lines(text) {
		n++
		word := strings.TrimSpace(string(line))
		var key age.Identity
		var err error
		switch {
		case word == "" || strings.HasPrefix(word, "#"):
			continue
		case strings.HasPrefix(word, "AGE-SECRET-KEY-PQ-1"):
			key, err = age.ParseHybridIdentity(word)
		case strings.HasPrefix(word, "AGE-SECRET-KEY-1"):
			key, err = age.ParseX25519Identity(word)
		case strings.HasPrefix(word, "AGE-PLUGIN-"):
			return nil, fmt.Errorf("%s: line %d needs an age plugin, which is not supported: decrypt with 'age -d' and pipe the result", name, n)
		default:
			if _, public := ParseRecipient(word); public == nil {
				return nil, fmt.Errorf("%s: line %d is a public key: an identity is a private key", name, n)
			}
			err = errForm
		}
		if err != nil { // which may quote the key
			return nil, fmt.Errorf("%s: line %d is not an identity: use a file from age-keygen or a private SSH key", name, n)
		}
		all = append(all, Identity{key})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: contains no identity", name)
	}
	return all, nil
}

func sshIdentity(name string, pem []byte, ask func(string) (secret.Secret, error)) (age.Identity, error) {
	key, err := agessh.ParseIdentity(pem)
	if err == nil {
		return key, nil
	}
	locked, isLocked := errors.AsType[*ssh.PassphraseMissingError](err)
	switch {
	case isLocked && locked.PublicKey == nil:
		return nil, fmt.Errorf("%s has a passphrase and an old format without the public key: convert it with 'ssh-keygen -p'", name)
	case isLocked:
		l := &lockedKey{}
		l.EncryptedSSHIdentity, err = agessh.NewEncryptedSSHIdentity(locked.PublicKey, pem, func() ([]byte, error) {
			var passphrase secret.Secret
			passphrase, l.unasked = ask("passphrase of " + name)
			return []byte(passphrase.Reveal()), l.unasked
		})
		l.name = name
		if err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%s is not a private SSH key that age supports: use ed25519 or RSA", name)
}

// lockedKey is an SSH key with a passphrase, whose errors differ from those of a file.
type lockedKey struct {
	*agessh.EncryptedSSHIdentity
	name    string
	unasked error // why the passphrase is not known
}

type lockedError struct{ error }

// Unwrap implements age.Identity.
func (l *lockedKey) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	fileKey, err := l.EncryptedSSHIdentity.Unwrap(stanzas)
	switch {
	case err == nil, errors.Is(err, age.ErrIncorrectIdentity):
		return fileKey, err
	case l.unasked != nil:
		return nil, lockedError{fmt.Errorf("%s has a passphrase: %w", l.name, l.unasked)}
	}
	return nil, lockedError{fmt.Errorf("this passphrase does not open %s", l.name)}
}

// The two forms that begin an age file.
const (
	header         = "age-encryption.org/v1\n"
	armouredHeader = armor.Header
)

// Is reports whether data is an age file, by how it begins.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(header)) ||
		bytes.HasPrefix(bytes.TrimSpace(data), []byte(armouredHeader))
}

// Open decrypts a whole age file, armoured or not, with the first fitting key; name is for errors.
func Open(name string, data []byte, with []Identity) ([]byte, error) {
	if !Is(data) {
		return nil, fmt.Errorf("%s is not an age file", name)
	}
	var from io.Reader = bytes.NewReader(data)
	if !bytes.HasPrefix(data, []byte(header)) {
		from = armor.NewReader(from)
	}
	keys := make([]age.Identity, len(with))
	for i, w := range with {
		keys[i] = w.key
	}
	r, err := age.Decrypt(from, keys...)
	if locked, ok := errors.AsType[lockedError](err); ok {
		return nil, locked.error
	}
	if none, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		if slices.Contains(none.StanzaTypes, "scrypt") {
			return nil, fmt.Errorf("%s is encrypted with a passphrase, not to a key: ask for a file that is encrypted to your key", name)
		}
		return nil, fmt.Errorf("%s is encrypted to others: none of the given identities opens it", name)
	}
	var plain []byte
	if err == nil {
		plain, err = io.ReadAll(r) // no longer than data, which had a limit
	}
	if err != nil { // which may quote what it read
		return nil, fmt.Errorf("%s is damaged or truncated, so none of it was used: ask for it again", name)
	}
	return plain, nil
}
