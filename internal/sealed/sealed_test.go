package sealed

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"filippo.io/age/plugin"
	"golang.org/x/crypto/ssh"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

const plain = "[vcenter1.example.com]\nuser = a\npassword = Kanarie&<vogel>7\n"

// pair is a public key and the file of its private one.
type pair struct{ name, recipient, identity string }

// ask is for keys that have no passphrase.
func ask(string) (secret.Secret, error) { return secret.Secret{}, errors.New("was asked") }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sshPair gives the two files of ssh-keygen.
func sshPair(private any, passphrase string) (recipient, identity string) {
	signer := must(ssh.NewSignerFromKey(private))
	var block *pem.Block
	if passphrase == "" {
		block = must(ssh.MarshalPrivateKey(private, "somebody@example.com"))
	} else {
		block = must(ssh.MarshalPrivateKeyWithPassphrase(private, "somebody@example.com", []byte(passphrase)))
	}
	return string(ssh.MarshalAuthorizedKey(signer.PublicKey())), string(pem.EncodeToMemory(block))
}

func newEd25519() ed25519.PrivateKey {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return must(key, err)
}

// pairs are one of each kind that can open what it is given.
var pairs = sync.OnceValue(func() []pair {
	x, h := must(age.GenerateX25519Identity()), must(age.GenerateHybridIdentity())
	rsaPublic, rsaPrivate := sshPair(must(rsa.GenerateKey(rand.Reader, 2048)), "")
	edPublic, edPrivate := sshPair(newEd25519(), "")
	return []pair{
		{"X25519", x.Recipient().String(), "# created: today\n# public key: " + x.Recipient().String() + "\n\n" + x.String() + "\r\n"},
		{"ed25519", edPublic, edPrivate},
		{"rsa", rsaPublic, rsaPrivate},
		{"hybrid", h.Recipient().String(), h.String()},
	}
})

func identities(t *testing.T, text string) []Identity {
	t.Helper()
	all, err := parseIdentities("key", []byte(text), ask)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sealedTo encrypts the plain text to these.
func sealedTo(t *testing.T, keys ...string) []byte {
	t.Helper()
	to, _, err := ParseRecipients("keys", []byte(strings.Join(keys, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := Seal([]byte(plain), to)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("Kanarie")) || !Is(text) {
		t.Fatalf("not encrypted:\n%s", text)
	}
	return text
}

// Each kind of key opens what was encrypted to it, alone and beside others, and nothing else.
func TestEachKindOfKey(t *testing.T) {
	t.Parallel()
	stranger := must(age.GenerateX25519Identity()).String()
	for _, p := range pairs() {
		alone := sealedTo(t, p.recipient)
		if got, err := Open("f", alone, identities(t, p.identity)); string(got) != plain || err != nil {
			t.Errorf("%s: %q, %v", p.name, got, err)
		}
		both := append(identities(t, stranger), identities(t, p.identity)...)
		if got, err := Open("f", alone, both); string(got) != plain || err != nil {
			t.Errorf("%s behind a key that does not fit: %q, %v", p.name, got, err)
		}
		for _, other := range pairs() {
			if got, err := Open("f", alone, identities(t, other.identity)); other.name != p.name && (err == nil || len(got) > 0) {
				t.Errorf("%s opens what is %s's", other.name, p.name)
			}
		}
	}
	classic := pairs()[:3]
	text := sealedTo(t, classic[0].recipient, classic[1].recipient, classic[2].recipient)
	for _, p := range classic {
		if got, err := Open("f", text, identities(t, p.identity)); string(got) != plain || err != nil {
			t.Errorf("%s, one of three: %q, %v", p.name, got, err)
		}
	}
	to, _, err := ParseRecipients("keys", []byte(classic[0].recipient+"\n"+pairs()[3].recipient))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := Seal([]byte(plain), to); err == nil || text != nil || !strings.Contains(err.Error(), "post-quantum") {
		t.Errorf("a file that quantum computers break is made for a key that they do not break: %v", err)
	}
	if _, err := Seal([]byte(plain), nil); err == nil {
		t.Error("encrypted to nobody")
	}
}

// What is encrypted to a key in hardware is opened by age with its plugin; here it is only made.
func TestHardwareKey(t *testing.T) {
	t.Parallel()
	point := must(ecdh.P256().GenerateKey(rand.Reader)).PublicKey().Bytes() // uncompressed: 4, x, y
	compressed := append([]byte{2 + point[64]&1}, point[1:33]...)
	if text := sealedTo(t, plugin.EncodeRecipient("tag", compressed)); !bytes.HasPrefix(text, []byte(armor.Header)) {
		t.Errorf("%s", text)
	}
}

// errorOf opens a text, which has to fail and to give nothing.
func errorOf(t *testing.T, text []byte, with []Identity) string {
	t.Helper()
	got, err := Open("handover.age", text, with)
	if err == nil || len(got) > 0 {
		t.Fatalf("opened to %q", got)
	}
	return err.Error()
}

func TestWhatIsNotOpened(t *testing.T) {
	t.Parallel()
	p := pairs()[0]
	with := identities(t, p.identity)
	text := sealedTo(t, p.recipient)
	var binary, passphrase bytes.Buffer
	for to, key := range map[*bytes.Buffer]age.Recipient{
		&binary: must(ParseRecipient(p.recipient)).key, &passphrase: must(age.NewScryptRecipient("correct horse")),
	} {
		if s, ok := key.(*age.ScryptRecipient); ok {
			s.SetWorkFactor(10)
		}
		w := must(age.Encrypt(to, key))
		_, err := w.Write([]byte(plain))
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Open("f", binary.Bytes(), with); string(got) != plain || err != nil {
		t.Errorf("not armoured: %q, %v", got, err)
	}
	if got, err := Open("f", append([]byte("\r\n"), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))...), with); string(got) != plain || err != nil {
		t.Errorf("with line ends of Windows: %q, %v", got, err)
	}
	const damaged = "handover.age is damaged or truncated, so none of it was used: ask for it again"
	for what, c := range map[string]struct {
		text []byte
		with []Identity
		want string
	}{
		"another's":      {text, identities(t, pairs()[1].identity), "handover.age is encrypted to others: none of the given identities opens it"},
		"a passphrase":   {passphrase.Bytes(), with, "handover.age is encrypted with a passphrase, not to a key: ask for a file that is encrypted to your key"},
		"plain":          {[]byte(plain), with, "handover.age is not an age file"},
		"nothing":        {nil, with, "handover.age is not an age file"},
		"half":           {text[:len(text)/2], with, damaged},
		"no end":         {bytes.TrimSuffix(text, []byte(armor.Footer+"\n")), with, damaged},
		"half, binary":   {binary.Bytes()[:binary.Len()-1], with, damaged},
		"header alone":   {[]byte(header), with, damaged},
		"something more": {append(bytes.Clone(text), "more\n"...), with, damaged},
	} {
		if got := errorOf(t, c.text, c.with); got != c.want {
			t.Errorf("%s: %s", what, got)
		}
	}
	for i := range binary.Bytes() {
		changed := bytes.Clone(binary.Bytes())
		changed[i] ^= 1
		errorOf(t, changed, with)
		errorOf(t, binary.Bytes()[:i], with)
	}
}

func TestRecipientsFile(t *testing.T) {
	t.Parallel()
	x, ed := pairs()[0].recipient, strings.TrimSpace(pairs()[1].recipient)
	ecdsa := "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg= somebody"
	short, _ := sshPair(must(rsa.GenerateKey(rand.Reader, 1024)), "")
	all, warnings, err := ParseRecipients("team.txt", []byte("\xef\xbb\xbf# the team\r\n\r\n"+x+"\r\n  \n"+ecdsa+"\n"+ed+"\n"+short))
	if len(all) != 2 || err != nil {
		t.Errorf("%d of 2 recipients, %v", len(all), err)
	}
	want := "team.txt: line 5 is skipped: age does not support this key of type ecdsa-sha2-nistp256;" +
		"team.txt: line 7 is skipped: age does not support this key of type ssh-rsa"
	if got := strings.Join(warnings, ";"); got != want {
		t.Errorf("warnings: %s", got)
	}
	private := strings.TrimSpace(identityLine(pairs()[0].identity))
	for text, want := range map[string]string{
		"":                               "team.txt: contains no recipient",
		"# nobody\n":                     "team.txt: contains no recipient",
		ecdsa:                            "team.txt: contains no recipient",
		x + "\n\n" + x[:20]:              "team.txt: line 3 is malformed: a recipient is age1",
		x + "\n" + ed[:40]:               "team.txt: line 2 is malformed",
		"\n" + private:                   "team.txt: line 2 is a private key: use the public one",
		pairs()[1].identity:              "team.txt: line 1 is a private key",
		"age1yubikey1qqqqqqqqq":          "team.txt: line 1 needs an age plugin",
		"github:somebody":                "team.txt: line 1 is malformed",
		"ssh-ed25519 \xff":               "team.txt: line 1 is malformed",
		x + strings.Repeat(" x", maxKey): "team.txt: line 1 is malformed",
	} {
		_, _, err := ParseRecipients("team.txt", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
		if err != nil && (strings.Contains(err.Error(), private[:24]) || strings.Contains(err.Error(), "github:somebody")) {
			t.Errorf("repeats what it was given: %v", err)
		}
	}
	if _, err := ParseRecipient(ecdsa); err == nil || !strings.Contains(err.Error(), "of type ecdsa-sha2-nistp256") {
		t.Errorf("%v", err)
	}
}

// badKeys are well-formed public keys to which nothing can be encrypted.
var badKeys = sync.OnceValue(func() map[string]string {
	even := must(rsa.GenerateKey(rand.Reader, 2048)).PublicKey
	even.N = new(big.Int).Add(even.N, big.NewInt(1))
	return map[string]string{
		"RSA with an even modulus": string(ssh.MarshalAuthorizedKey(must(ssh.NewPublicKey(&even)))),
		"X25519 of low order":      "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z",
	}
})

func TestKeysThatDoNotEncrypt(t *testing.T) {
	t.Parallel()
	for name, text := range badKeys() {
		if _, err := ParseRecipient(text); err == nil || !strings.HasPrefix(err.Error(), "is ") {
			t.Errorf("%s: %v", name, err)
		}
		if all, _, err := ParseRecipients("team.txt", []byte(text)); err == nil || len(all) > 0 {
			t.Errorf("%s: %d, %v", name, len(all), err)
		}
	}
}

// identityLine is the line of an age identity file that has the key.
func identityLine(text string) string {
	_, key, _ := strings.Cut(text, "AGE-SECRET-KEY-")
	return "AGE-SECRET-KEY-" + key
}

func TestIdentityFiles(t *testing.T) {
	t.Parallel()
	private := strings.TrimSpace(identityLine(pairs()[0].identity))
	encrypted := sealedTo(t, pairs()[0].recipient)
	for text, want := range map[string]string{
		"":                         "key: contains no identity",
		"# none\n":                 "key: contains no identity",
		pairs()[0].recipient:       "key: line 1 is a public key: an identity is a private key",
		pairs()[1].recipient:       "key: line 1 is a public key",
		"\n\n#\n" + private[:30]:   "key: line 2 is not an identity", // blank lines at the beginning do not count
		"AGE-PLUGIN-YUBIKEY-1QQQQ": "key: line 1 needs an age plugin",
		string(encrypted):          "key is itself encrypted with a passphrase",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n": "key is not a private SSH key that age supports",
	} {
		got, err := parseIdentities("key", []byte(text), ask)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %d, %v", text, len(got), err)
		}
		if err != nil && strings.Contains(err.Error(), private[:24]) {
			t.Errorf("repeats the key: %v", err)
		}
	}
	for _, p := range pairs() {
		shown := fmt.Sprintf("%v %+v %#v %s", identities(t, p.identity), identities(t, p.identity)[0], identities(t, p.identity), identities(t, p.identity))
		if strings.Trim(strings.ReplaceAll(shown, "(identity)", ""), "[] {}.Idealnstyi") != "" {
			t.Errorf("%s is shown: %s", p.name, shown)
		}
	}
	path := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(path, []byte(pairs()[0].identity), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadIdentities(path, ask); runtime.GOOS != "windows" && (err == nil || !strings.Contains(err.Error(), "chmod 600 "+path)) {
		t.Errorf("a key that others can read: %v", err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadIdentities(path, ask); len(got) != 1 || err != nil {
		t.Errorf("%d, %v", len(got), err)
	}
}

// The passphrase of an SSH key is asked for when it is that key that opens the file, and only then.
func TestLockedKey(t *testing.T) {
	t.Parallel()
	recipient, identity := sshPair(newEd25519(), "open sesame")
	text, others := sealedTo(t, recipient), sealedTo(t, pairs()[0].recipient)
	asked := 0
	answer, failure := "open sesame", error(nil)
	keys, err := parseIdentities("/home/me/.ssh/id", []byte(identity), func(label string) (secret.Secret, error) {
		if asked++; label != "passphrase of /home/me/.ssh/id" {
			t.Errorf("asked for %s", label)
		}
		return secret.New(answer), failure
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := errorOf(t, others, keys); got != "handover.age is encrypted to others: none of the given identities opens it" || asked > 0 {
		t.Errorf("asked %d times: %s", asked, got)
	}
	answer = "open barley"
	if got := errorOf(t, text, keys); got != "this passphrase does not open /home/me/.ssh/id" {
		t.Error(got)
	}
	failure = errors.New("cannot prompt: there is no terminal")
	if got := errorOf(t, text, keys); got != "/home/me/.ssh/id has a passphrase: cannot prompt: there is no terminal" {
		t.Error(got)
	}
	answer, failure, asked = "open sesame", nil, 0
	for range 2 {
		if got, err := Open("f", text, keys); string(got) != plain || err != nil || asked != 1 {
			t.Errorf("asked %d times: %q, %v", asked, got, err)
		}
	}
}
