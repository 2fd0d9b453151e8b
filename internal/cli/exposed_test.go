package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
)

// exposed runs a command line in which FILE is a file, and returns what it says on stderr.
func exposed(t *testing.T, words, file string) string {
	t.Helper()
	fake := termtest.NewFake()
	fake.Home = t.TempDir()
	words = strings.ReplaceAll(words, "ACCOUNTS", clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600))
	_, _, stderr := clitest.Program{Main: Run, NewRoot: NewCmdRoot}.Run(t, fake, strings.Fields(strings.ReplaceAll(words, "FILE", file))...)
	return stderr
}

// A file with passwords that everybody can read gets one line on stderr, whatever command reads it.
func TestReadableFilesWithPasswords(t *testing.T) {
	t.Parallel()
	const secrets = "apiVersion: v1\nkind: Secret\nmetadata: {name: vsphere-creds, namespace: kube-system}\ndata:\n" +
		"  vcenter1.example.com.username: YUBi\n  vcenter1.example.com.password: eA==\n"
	bare := strings.ReplaceAll(strings.ReplaceAll(clitest.SmallConfig, "password:", "port: 443 #"), "user:", "#")
	for words, texts := range map[string][2]string{ // with passwords, without
		"credentials resolve --install-config FILE --credentials-file ACCOUNTS":  {clitest.SmallConfig, bare},
		"credentials validate --install-config FILE --credentials-file ACCOUNTS": {clitest.SmallConfig, bare},
		"install-config extract FILE":                                            {clitest.SmallConfig, bare},
		"credentials import FILE":                                                {clitest.TwoVCenters, "[vc1]\n# password = x\n"},
		"secrets explain -f FILE":                                                {secrets, "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n"},
		"secrets diff --against FILE --credentials-file ACCOUNTS":                {secrets, "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n"},
	} {
		for with, text := range texts {
			for _, mode := range []os.FileMode{0o644, 0o640, 0o600} { // openshift-install gives an install-config 0640
				file := clitest.WriteFile(t, "file", text, mode)
				if err := os.Chmod(file, mode); err != nil {
					t.Fatal(err)
				}
				want := "warning: " + file + " holds passwords and everybody can read it: run chmod 600 " + file + "\n"
				got, once := exposed(t, words, file), 0
				if with == 0 && mode == 0o644 {
					once = 1
				}
				if strings.Count(got, want) != once || strings.Count(got, "everybody can read") != once {
					t.Errorf("%s, mode %o, with passwords %v:\n%s", words, mode, with == 0, got)
				}
			}
		}
	}
}

// Files with passwords that are written inside a git work tree get a warning, encrypted ones and those outside none.
func TestWritingInsideAWorkTree(t *testing.T) {
	t.Parallel()
	const key = " --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	for _, linked := range []bool{false, true} { // .git is a directory, or a file of `git worktree`
		top := t.TempDir()
		git := filepath.Join(top, ".git")
		if linked {
			if err := os.WriteFile(git, []byte("gitdir: /elsewhere\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Mkdir(git, 0o700); err != nil {
			t.Fatal(err)
		}
		for words, want := range map[string]bool{
			"secrets emit --components csi-driver,machine-api --vcenters vcenter1.example.com --credentials-file ACCOUNTS --output-dir FILE":               true,
			"secrets emit --components csi-driver,machine-api --vcenters vcenter1.example.com --credentials-file ACCOUNTS --output-dir FILE --force" + key: false,
			"secrets emit --components csi-driver,machine-api --vcenters vcenter1.example.com --credentials-file ACCOUNTS":                                 false,
		} {
			got := exposed(t, words, filepath.Join(top, "a", "b"))
			if strings.Count(got, "git work tree "+top) != map[bool]int{true: 1}[want] {
				t.Errorf("%s: .git is a file %v:\n%s", words, linked, got)
			}
		}
		outside := exposed(t, "secrets emit --components csi-driver,machine-api --vcenters vcenter1.example.com --credentials-file ACCOUNTS --output-dir FILE", t.TempDir())
		if strings.Contains(outside, "git work tree") {
			t.Errorf("outside: %s", outside)
		}
	}
}
