package vcsimtests

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"
)

// ageDir is where age was built; it goes when the tests end.
var ageDir string

// age builds age's own commands once, from the module that the product is built with: nothing is fetched for that.
var age = sync.OnceValues(func() (dir string, err error) {
	if ageDir, err = os.MkdirTemp("", "age"); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-C", "..", "-o", ageDir+string(filepath.Separator), "filippo.io/age/cmd/age", "filippo.io/age/cmd/age-keygen").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("age cannot be built here: %w: %s", err, out)
	}
	return ageDir, nil
})

// cmdAge runs the real age: age WORDS...
func cmdAge(ts *testscript.TestScript, neg bool, args []string) {
	dir, err := age()
	ts.Check(err)
	if err := ts.Exec(filepath.Join(dir, "age"), args...); (err != nil) != neg {
		ts.Fatalf("%v: %v", args, err)
	}
}

// cmdKeys makes somebody's keys, NAME.key and NAME.pub, with age-keygen, and puts the public one into $NAME. With -ssh they
// are of SSH; with -locked they have a passphrase, too.
func cmdKeys(ts *testscript.TestScript, neg bool, args []string) {
	name := args[len(args)-1]
	private, public := ts.MkAbs(name+".key"), ts.MkAbs(name+".pub")
	if len(args) == 1 {
		dir, err := age()
		ts.Check(err)
		ts.Check(exec.Command(filepath.Join(dir, "age-keygen"), "-o", private).Run())
		ts.Check(exec.Command(filepath.Join(dir, "age-keygen"), "-y", "-o", public, private).Run())
	} else {
		pub, key, err := ed25519.GenerateKey(rand.Reader)
		ts.Check(err)
		var block *pem.Block
		if args[0] == "-locked" {
			block, err = ssh.MarshalPrivateKeyWithPassphrase(key, name, []byte("open sesame"))
		} else {
			block, err = ssh.MarshalPrivateKey(key, name)
		}
		ts.Check(err)
		line, err := ssh.NewPublicKey(pub)
		ts.Check(err)
		ts.Check(os.WriteFile(private, pem.EncodeToMemory(block), 0o600))
		ts.Check(os.WriteFile(public, ssh.MarshalAuthorizedKey(line), 0o600))
	}
	text, err := os.ReadFile(public)
	ts.Check(err)
	ts.Setenv(name, strings.TrimSpace(string(text)))
}
