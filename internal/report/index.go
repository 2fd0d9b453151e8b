package report

import (
	"bytes"
	"crypto/rand"
	"crypto/sha512"
	_ "embed" // the page
	"encoding/pem"
	"errors"
	"fmt"
	"html/template"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

//go:embed index.tmpl
var indexTemplate string

// Index is a page that names the reports of several clusters.
type Index struct {
	Made    time.Time // UTC
	Tool    string    // name and version of what wrote it
	Verdict string
	Bad     bool // something is wrong, or was not looked at
	Rows    []IndexRow
}

// IndexRow is one cluster.
type IndexRow struct {
	Cluster  string
	File     string // of its report, beside the page; "" = there is none
	LoggedIn string // accounts, or that none was tried
	VCenters, Accounts, Missing,
	Excess int
	Outcome string
	Bad     bool
	Why     string // why there is no report, or the first problem
}

// HTML is the page as one file that needs no network.
func (i Index) HTML() ([]byte, error) {
	var b bytes.Buffer
	page := template.Must(template.New("index").Funcs(template.FuncMap{"date": formatTime}).Parse(indexTemplate))
	err := page.Execute(&b, struct {
		Index
		Style     template.CSS
		StyleHash string
	}{shown(i), template.CSS(pageStyle), markdown.SourceHash(pageStyle)}) //nolint:gosec // our own style
	return b.Bytes(), err
}

// namespace is that of signatures of files, as ssh-keygen -Y expects to be told with -n.
const namespace = "file"

// magic begins a signature, and what is signed. Source: OpenSSH, PROTOCOL.sshsig.
const magic = "SSHSIG"

// armour is the type of the PEM block.
const armour = "SSH SIGNATURE"

// signature is what follows the magic in a signature.
type signature struct {
	Version                     uint32
	PublicKey                   []byte
	Namespace, Reserved, Hashes string
	Signature                   []byte
}

// signed is what follows the magic in what is signed.
type signed struct {
	Namespace, Reserved, Hashes string
	Sum                         []byte
}

// Sign signs a file like ssh-keygen -Y sign; ssh-keygen -Y verify -n file checks it.
func Sign(data []byte, by ssh.Signer) ([]byte, error) {
	what := message(data, "sha512")
	var sig *ssh.Signature
	var err error
	if algorithms, ok := by.(ssh.AlgorithmSigner); ok && by.PublicKey().Type() == ssh.KeyAlgoRSA {
		// SHA-1 is refused
		sig, err = algorithms.SignWithAlgorithm(rand.Reader, what, ssh.KeyAlgoRSASHA512)
	} else {
		sig, err = by.Sign(rand.Reader, what)
	}
	if err != nil {
		return nil, err
	}
	blob := append([]byte(magic),
		ssh.Marshal(signature{1, by.PublicKey().Marshal(), namespace, "", "sha512", ssh.Marshal(sig)})...)
	return pem.EncodeToMemory(&pem.Block{Type: armour, Bytes: blob}), nil
}

func message(data []byte, hashes string) []byte {
	sum := sha512.Sum512(data)
	return append([]byte(magic), ssh.Marshal(signed{namespace, "", hashes, sum[:]})...)
}

// CheckSignature returns the key that signed a file, or why the signature is wrong. The caller
// decides whether to trust the key.
func CheckSignature(data, armoured []byte) (ssh.PublicKey, error) {
	block, _ := pem.Decode(armoured)
	if block == nil || block.Type != armour {
		return nil, errors.New("this is no SSH signature")
	}
	rest, ok := bytes.CutPrefix(block.Bytes, []byte(magic))
	if !ok {
		return nil, errors.New("this is no SSH signature")
	}
	var s signature
	if err := ssh.Unmarshal(rest, &s); err != nil {
		return nil, fmt.Errorf("this is no SSH signature: %w", err)
	}
	if s.Version != 1 || s.Namespace != namespace || s.Hashes != "sha512" {
		return nil, fmt.Errorf("the signature is of version %d, namespace %q and hash %q: only 1, %q and sha512 are read", s.Version, s.Namespace, s.Hashes, namespace)
	}
	key, err := ssh.ParsePublicKey(s.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("the key of the signature cannot be read: %w", err)
	}
	var sig ssh.Signature
	if err := ssh.Unmarshal(s.Signature, &sig); err != nil {
		return nil, fmt.Errorf("this is no SSH signature: %w", err)
	}
	if sig.Format == ssh.KeyAlgoRSA {
		return nil, errors.New("the signature uses SHA-1, which proves nothing")
	}
	if err := key.Verify(message(data, s.Hashes), &sig); err != nil {
		return nil, errors.New("the signature is not of this file: one of the two was changed")
	}
	return key, nil
}

// ParseSigner reads a private key of SSH. ask is called for its passphrase where it has one.
func ParseSigner(name string, data []byte, ask func(label string) (secret.Secret, error)) (ssh.Signer, error) {
	signer, err := ssh.ParsePrivateKey(data)
	if _, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		passphrase, err := ask("passphrase of " + name)
		if err != nil {
			return nil, err
		}
		if signer, err = ssh.ParsePrivateKeyWithPassphrase(data, []byte(passphrase.Reveal())); err != nil {
			return nil, fmt.Errorf("%s: the passphrase does not open this key", name)
		}
		return signer, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: this is no private key of SSH", name)
	}
	return signer, nil
}
