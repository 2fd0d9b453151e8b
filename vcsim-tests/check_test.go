package vcsimtests

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// cmdSays holds the whole of stderr to the lines given, with variables replaced; none means silence.
//
//	says 'ocp-vsphere-admin: no vCenter is named' 'hint: ...'
func cmdSays(ts *testscript.TestScript, neg bool, args []string) {
	want := ""
	for _, line := range args {
		want += os.Expand(line, func(name string) string {
			if v := ts.Getenv(name); v != "" {
				return v
			}
			return "$" + name
		}) + "\n"
	}
	if diff := cmp.Diff(want, ts.ReadFile("stderr")); diff != "" {
		ts.Fatalf("stderr (-want +got):\n%s", diff)
	}
}

// cmdRemember keeps the estates and the files of the home and the working directory as they are now: remember NAME.
func cmdRemember(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(filepath.Join(ts.Getenv("TMPDIR"), "remembered"))
	ts.Check(os.MkdirAll(dir, 0o700))
	for part, text := range state(ts) {
		ts.Check(os.WriteFile(filepath.Join(dir, args[0]+"."+part), []byte(text), 0o600))
	}
}

// cmdUnchanged compares with what was remembered: unchanged NAME [estate|home|files]...; all of them by default.
func cmdUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	dir := filepath.Join(ts.Getenv("TMPDIR"), "remembered")
	differs := ""
	for part, text := range state(ts) {
		if len(args) > 1 && !slices.Contains(args[1:], part) {
			continue
		}
		was, err := os.ReadFile(filepath.Join(dir, args[0]+"."+part))
		ts.Check(err)
		if diff := cmp.Diff(strings.Split(string(was), "\n"), strings.Split(text, "\n")); diff != "" {
			differs += part + " (-before +now):\n" + diff
		}
	}
	if (differs == "") == neg {
		ts.Fatalf("changed: %v\n%s", differs != "", differs)
	}
}

func state(ts *testscript.TestScript) map[string]string {
	parts := map[string]string{"home": tree(ts, ts.Getenv("HOME")), "files": tree(ts, ts.Getenv("WORK"))}
	if lab := benchOf(ts).lab; lab != nil {
		for _, v := range lab.VCenters {
			parts["estate"] += v.Server() + "\n" + passwordTags.ReplaceAllString(v.Snapshot(), "")
		}
	}
	return parts
}

// passwordTags are in the descriptions of accounts, and others after each new password.
var passwordTags = regexp.MustCompile(`, tag [0-9a-f]{6}\b`)

// tree lists everything below a directory with its mode and a digest of its content; links are not followed.
func tree(ts *testscript.TestScript, root string) string {
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if rel == ".tmp" || strings.HasPrefix(rel, "home") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := ""
		switch {
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what = fmt.Sprintf("%x", sha256.Sum256(data))[:12]
		case d.Type()&fs.ModeSymlink != 0:
			what, err = os.Readlink(path)
		}
		fmt.Fprintf(&b, "%s %s %s\n", rel, info.Mode(), what)
		return err
	})
	ts.Check(err)
	return b.String()
}

// cmdSecrets reads the last output as Secret YAML and holds it against the credentials file.
//
//	secrets FILE NAME...    these secrets and no others, each with the accounts of its component (vsphere-creds-X) on
//	                        every vCenter of the file, under data, and no other key
func cmdSecrets(ts *testscript.TestScript, neg bool, args []string) {
	file, err := credfile.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, doc := range strings.Split("\n"+ts.ReadFile("stdout"), "\n---\n")[1:] {
		var s corev1.Secret
		ts.Check(yaml.UnmarshalStrict([]byte(doc), &s))
		names = append(names, s.Name)
		of := component.Name(strings.TrimPrefix(s.Name, "vsphere-creds-"))
		want := map[string][]byte{}
		for _, server := range file.Servers() {
			a, ok := file.Get(server, of)
			if !ok {
				a, _ = file.Get(server, component.Installer)
			}
			want[server+".username"], want[server+".password"] = []byte(a.User), []byte(a.Password.Reveal())
		}
		if !cmp.Equal(want, s.Data) || len(s.StringData) > 0 {
			ts.Fatalf("secret %s does not hold exactly what %s does", s.Name, args[0])
		}
		if s.Kind != "Secret" || s.APIVersion != "v1" || s.Namespace != "kube-system" || s.Type != corev1.SecretTypeOpaque {
			ts.Fatalf("secret %s: %s %s in %s of type %s", s.Name, s.APIVersion, s.Kind, s.Namespace, s.Type)
		}
	}
	if diff := cmp.Diff(args[1:], names); diff != "" {
		ts.Fatalf("secrets (-want +got):\n%s", diff)
	}
}

// cmdINI looks into a credentials file: ini FILE SERVER COMPONENT USER [same-password SERVER]. The account is there,
// or with ! it is not; passwords are compared, never shown.
func cmdINI(ts *testscript.TestScript, neg bool, args []string) {
	file, err := credfile.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	a, ok := file.Get(args[1], component.Name(args[2]))
	if neg {
		if ok {
			ts.Fatalf("%s has an account for %s", args[1], args[2])
		}
		return
	}
	if !ok || a.Password.Empty() || len(args) > 3 && a.User != args[3] {
		ts.Fatalf("%s: account of %s: found %v, user %q", args[1], args[2], ok, a.User)
	}
	if len(args) == 6 && (args[4] == "same-password") != sameAs(file, args[5], component.Name(args[2]), a) {
		ts.Fatalf("%s and %s: not %s for %s", args[1], args[5], args[4], args[2])
	}
	ts.Setenv("PASSWORD_BASE64", base64.StdEncoding.EncodeToString([]byte(a.Password.Reveal())))
	ts.Setenv("PASSWORD", a.Password.Reveal())
}

func sameAs(f *credfile.File, server string, c component.Name, a credfile.Account) bool {
	b, ok := f.Get(server, c)
	return ok && b.Password.Equal(a.Password)
}

// cmdCanary looks for passwords, plain and in base64, in the last output: those of the administrators and those of the
// credentials files named.
func cmdCanary(ts *testscript.TestScript, neg bool, args []string) {
	var passwords []string
	for _, v := range benchOf(ts).lab.VCenters {
		passwords = append(passwords, v.AdminPassword())
	}
	for _, name := range args {
		file, err := credfile.Open(ts.MkAbs(name))
		ts.Check(err)
		for _, server := range file.Servers() {
			for _, c := range component.Names() {
				if a, ok := file.Get(server, c); ok {
					passwords = append(passwords, a.Password.Reveal())
				}
			}
		}
	}
	for _, stream := range []string{"stdout", "stderr"} {
		for i, p := range passwords {
			text := ts.ReadFile(stream)
			if strings.Contains(text, p) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(p))) {
				ts.Fatalf("password %d of %d is on %s", i+1, len(passwords), stream)
			}
		}
	}
}

// cmdPlain looks which files below the script's directory hold a password of a credentials file, plain or in base64: plain
// CREDENTIALS FILE... names all of them but that one, by patterns.
func cmdPlain(ts *testscript.TestScript, neg bool, args []string) {
	file, err := credfile.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	var passwords []string
	for _, server := range file.Servers() {
		for _, c := range component.Names() {
			if a, ok := file.Get(server, c); ok {
				passwords = append(passwords, a.Password.Reveal(), base64.StdEncoding.EncodeToString([]byte(a.Password.Reveal())))
			}
		}
	}
	if len(passwords) == 0 {
		ts.Fatalf("%s holds no password", args[0])
	}
	root := ts.MkAbs(".")
	met := map[string]bool{}
	ts.Check(filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		if err != nil || !slices.ContainsFunc(passwords, func(p string) bool { return strings.Contains(string(data), p) }) {
			return err
		}
		for _, pattern := range args {
			if ok, _ := filepath.Match(pattern, filepath.ToSlash(name)); ok {
				met[pattern] = true
				return nil
			}
		}
		ts.Fatalf("a password is in %s", name)
		return nil
	}))
	for _, pattern := range args {
		if !met[pattern] {
			ts.Fatalf("no password is in %s", pattern)
		}
	}
}

// cmdHold takes the lock of a credentials file as another run does: hold FILE; ! hold gives it back.
func cmdHold(ts *testscript.TestScript, neg bool, args []string) {
	b := benchOf(ts)
	if neg {
		b.unlock()
		return
	}
	unlock, err := credfile.Lock(ts.MkAbs(args[0]), "")
	ts.Check(err)
	b.unlock = sync.OnceFunc(unlock)
	ts.Defer(b.unlock)
}

// cmdMode holds files to their mode: mode 0600 FILE...
func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args[1:] {
		info, err := os.Lstat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", name, got, args[0])
		}
	}
}

// cmdEdit replaces a text that must be in a file: edit FILE OLD NEW. \n stands for a new line.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	lines := strings.NewReplacer(`\n`, "\n")
	before := lines.Replace(args[1])
	if !strings.Contains(text, before) {
		ts.Fatalf("%s holds no %q:\n%s", args[0], before, text)
	}
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, []byte(strings.Replace(text, before, lines.Replace(args[2]), 1)), info.Mode()))
}

// cmdLong replaces a word that must be in a file by n letters: long FILE WORD N.
func cmdLong(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	cmdEdit(ts, neg, []string{args[0], args[1], strings.Repeat("p", n)})
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*)  +\S`)

// cmdExamples walks the help of every command: each has a sentence, a usage and an example that names it.
func cmdExamples(ts *testscript.TestScript, neg bool, args []string) {
	var bad []string
	seen := 0
	var walk func(words []string)
	walk = func(words []string) {
		a := askWorker(ts, append(slices.Clone(words), "--help"))
		if a.Code != 0 {
			ts.Fatalf("%s --help: exit code %d: %s", strings.Join(words, " "), a.Code, a.Stderr)
		}
		help := a.Stdout
		seen++
		_, commands, noun := strings.Cut(help, "Available Commands:")
		if !noun {
			_, commands, noun = strings.Cut(help, "\nThe job:")
		}
		_, shown, _ := strings.Cut(help, "\nExamples:\n")
		shown, _, _ = strings.Cut(shown, "\n\n")
		example := program + " " + strings.Join(words, " ")
		if len(words) > 0 && words[0] != "help" && !noun && !strings.Contains(shown, example) {
			bad = append(bad, example)
		}
		if noun {
			commands, _, _ = strings.Cut(commands, "\nFlags:")
			for _, m := range commandLine.FindAllStringSubmatch(commands, -1) {
				walk(append(slices.Clone(words), m[1]))
			}
		}
	}
	walk(nil)
	fmt.Fprintf(ts.Stdout(), "%d commands\n", seen)
	if len(bad) > 0 {
		ts.Fatalf("without an example of their own: %s", strings.Join(bad, ", "))
	}
}
