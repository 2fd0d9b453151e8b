package credentials_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// keyPair is a public key of age and the file of the private one.
func keyPair(t *testing.T) (public, private string) {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key.Recipient().String(), clitest.WriteFile(t, "key.txt", key.String(), 0o600)
}

// What comes out of Windows is taken: recipients that PowerShell wrote, and an export that it kept.
func TestHandoverByWayOfPowerShell(t *testing.T) {
	t.Parallel()
	public, private := keyPair(t)
	utf16le := func(text string) string {
		out := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r\n"))) {
			out = binary.LittleEndian.AppendUint16(out, u)
		}
		return string(out)
	}
	file := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	recipients := clitest.WriteFile(t, "team.txt", utf16le("# team\n"+public+"\n"), 0o600)
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "credentials", "export", "--credentials-file", file, "--recipients-file", recipients)
	if code != 0 {
		t.Fatal(stderr)
	}
	clitest.WantText(t, "stderr", stderr, "4 accounts of 2 vCenters, encrypted to 1 recipient\n")
	to := filepath.Join(t.TempDir(), "credentials")
	code, stdout, stderr = program.Run(t, termtest.NewFake(), "credentials", "import", "--identity", private, "--credentials-file", to, clitest.WriteFile(t, "out.age", utf16le(stdout), 0o600))
	if code != 0 {
		t.Fatalf("%s%s", stdout, stderr)
	}
	want, err := credfile.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := credfile.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, server := range want.Servers() {
		for _, c := range component.Names() {
			a, ok := want.Get(server, c)
			if b, there := got.Get(server, c); ok != there || a.User != b.User || !a.Password.Equal(b.Password) {
				t.Errorf("%s of %s: %v, %v", c, server, a.User, b.User)
			}
			if ok {
				n++
			}
		}
	}
	if n != 4 {
		t.Errorf("%d accounts are compared", n)
	}
}

// The passphrase of an SSH key is asked on the terminal, also when the file comes through stdin; nothing else is asked.
func TestImportAsksForThePassphrase(t *testing.T) {
	t.Parallel()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "me", []byte("open sesame"))
	if err != nil {
		t.Fatal(err)
	}
	line, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	private := clitest.WriteFile(t, "id_ed25519", string(pem.EncodeToMemory(block)), 0o600)
	code, exported, stderr := program.Run(t, termtest.NewFake(), "credentials", "export", "--credentials-file", clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600),
		"--recipient", strings.TrimSpace(string(ssh.MarshalAuthorizedKey(line))))
	if code != 0 {
		t.Fatal(stderr)
	}
	for answer, want := range map[string]string{
		"open sesame": "4 added", "open barley": "this passphrase does not open " + private,
	} {
		fake := termtest.NewFake().WithAnswers(answer)
		fake.Stdin.WriteString(exported)
		to := filepath.Join(t.TempDir(), ".vsphere", "credentials")
		_, stdout, stderr := program.Run(t, fake, "credentials", "import", "--identity", private, "--credentials-file", to, "-")
		clitest.WantText(t, answer, stderr, want)
		if diff := cmp.Diff([]string{"passphrase of " + private + ": (hidden)"}, fake.Asked); diff != "" {
			t.Error(diff)
		}
		if strings.Contains(stdout+stderr, answer) {
			t.Error("the passphrase is printed")
		}
		if _, err := os.Stat(to); (err == nil) != (answer == "open sesame") {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// Keys for after quantum computers and others do not go together; that is said before a vCenter is asked for anything.
func TestRecipientsThatDoNotGoTogether(t *testing.T) {
	t.Parallel()
	public, _ := keyPair(t)
	hybrid, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "x.age")
	for _, words := range [][]string{
		{"credentials", "export", "--credentials-file", clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)},
		{"apply", "-f", clitest.WriteFile(t, "spec.yaml", clitest.SmallSpec, 0o600)},
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), append(words, "--out", out, "--recipient", public, "--recipient", hybrid.Recipient().String())...)
		if code != command.ExitFailed || stdout != "" {
			t.Errorf("exit code %d, %s", code, stdout)
		}
		clitest.WantText(t, words[0], stderr, "post-quantum")
		if _, err := os.Stat(out); err == nil {
			t.Error("something is written")
		}
	}
}
