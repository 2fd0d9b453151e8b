package vcsimtests

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// releaseVersion is the one that is built here; nobody publishes it.
const releaseVersion = "1.0.0-rc.1"

// TestRelease builds the release of the commit twice, in two clones, for this machine and Windows, and uses it as somebody new does:
// `make release-test`. What is not committed is not in it. RELEASETOOLS has krew, its validator and Debian's rpm; TEST_RELEASE=required
// fails without them.
func TestRelease(t *testing.T) {
	mode := os.Getenv("TEST_RELEASE")
	if mode == "" {
		t.Skip("'make release-test' runs it")
	}
	tools := os.Getenv("RELEASETOOLS")
	if _, err := os.Stat(filepath.Join(tools, "rpm")); err != nil {
		if mode == "required" {
			t.Fatal(err)
		}
		t.Skipf("%v: 'make release-tools' puts it there", err)
	}
	work := t.TempDir()
	key := filepath.Join(work, "key")
	output(t, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "nobody", "-f", key)
	first := filepath.Join(work, "a clone")
	dir := released(t, "..", first, key)
	again := released(t, first, filepath.Join(work, "b", "c"), key) // the same commit, whatever happens here meanwhile
	commit := strings.TrimSpace(output(t, first, "git", "rev-parse", "HEAD"))
	if diff := cmp.Diff(contents(t, dir), contents(t, again)); diff != "" {
		t.Errorf("two builds differ (-first +second): %s", diff)
	}
	t.Run("sums", func(t *testing.T) { releaseSums(t, dir, key) })
	t.Run("provenance", func(t *testing.T) { releaseProvenance(t, dir, commit) })
	t.Run("archive", func(t *testing.T) { releaseArchive(t, dir, commit) })
	t.Run("zip", func(t *testing.T) { releaseZip(t, dir) })
	t.Run("deb", func(t *testing.T) { releaseDeb(t, dir) })
	t.Run("rpm", func(t *testing.T) { releaseRPM(t, dir, tools) })
	t.Run("krew", func(t *testing.T) { releaseKrew(t, dir, tools) })
	t.Run("refused", func(t *testing.T) { releaseRefused(t, first) })
}

// output is what a program prints; its failure is the test's.
func output(t *testing.T, dir, name string, words ...string) string {
	t.Helper()
	cmd := exec.Command(name, words...)
	cmd.Dir = dir
	var complaint strings.Builder
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(words, " "), err, text, complaint.String())
	}
	return string(text)
}

// released is the directory of a release that a clone of a repository built.
func released(t *testing.T, of, clone, key string) string {
	t.Helper()
	output(t, of, "git", "clone", "-q", "--shared", ".", clone)
	output(t, clone, "make", "-s", "release", "VERSION="+releaseVersion, "SIGN_KEY="+key,
		"PLATFORMS=linux/"+runtime.GOARCH+" windows/amd64")
	return filepath.Join(clone, "dist")
}

// contents are the digests of the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		sum := sha256.Sum256(read(t, dir, e.Name()))
		all[e.Name()] = hex.EncodeToString(sum[:])
	}
	return all
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// releaseSums checks as the README says, and then with a changed archive and by another key.
func releaseSums(t *testing.T, dir, key string) {
	t.Helper()
	copied := t.TempDir()
	output(t, "", "cp", "-r", dir+"/.", copied)
	output(t, copied, "sha256sum", "--check", "--strict", "SHA256SUMS")
	signers := "releases@ocp-vsphere-admin " + string(read(t, key+".pub"))
	verify := func() error {
		if err := os.WriteFile(filepath.Join(copied, "signers"), []byte(signers), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", "signers", "-I", "releases@ocp-vsphere-admin", "-n", "file", "-s", "SHA256SUMS.sig")
		cmd.Dir, cmd.Stdin = copied, bytes.NewReader(read(t, copied, "SHA256SUMS"))
		return cmd.Run()
	}
	if err := verify(); err != nil {
		t.Errorf("the signature: %v", err)
	}
	listed := strings.Count(string(read(t, dir, "SHA256SUMS")), "\n")
	if all := len(contents(t, dir)); listed != all-2 { // itself and its signature
		t.Errorf("%d files are listed, %d there", listed, all)
	}
	other := filepath.Join(copied, "other")
	output(t, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other)
	signers = "releases@ocp-vsphere-admin " + string(read(t, other+".pub"))
	if verify() == nil {
		t.Error("a signature by another key is accepted")
	}
	archive := filepath.Join(copied, archiveName())
	if err := os.WriteFile(archive, append(read(t, archive), 0), 0o600); err != nil {
		t.Fatal(err)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = copied
	if check.Run() == nil {
		t.Error("a changed archive is accepted")
	}
}

// archiveName is that of this machine's archive.
func archiveName() string {
	return "ocp-vsphere-admin_" + releaseVersion + "_linux_" + runtime.GOARCH + ".tar.gz"
}

// The provenance names every file but those that were written after it, the commit, Go, and the modules that the programs record.
func releaseProvenance(t *testing.T, dir, commit string) {
	t.Helper()
	type resource struct {
		Name, URI string
		Digest    map[string]string
	}
	var statement struct {
		Type          string `json:"_type"`
		PredicateType string
		Subject       []resource
		Predicate     struct {
			BuildDefinition struct{ ResolvedDependencies []resource }
		}
	}
	name := "ocp-vsphere-admin_" + releaseVersion + ".intoto.json"
	if err := json.Unmarshal(read(t, dir, name), &statement); err != nil {
		t.Fatal(err)
	}
	if statement.Type != "https://in-toto.io/Statement/v1" || statement.PredicateType != "https://slsa.dev/provenance/v1" {
		t.Errorf("%s, %s", statement.Type, statement.PredicateType)
	}
	got, want := map[string]string{}, contents(t, dir)
	for _, s := range statement.Subject {
		got[s.Name] = s.Digest["sha256"]
	}
	for _, later := range []string{name, "SHA256SUMS", "SHA256SUMS.sig"} {
		delete(want, later)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("subjects (-want +got): %s", diff)
	}
	inputs := statement.Predicate.BuildDefinition.ResolvedDependencies
	for _, ok := range []func(resource) bool{
		func(r resource) bool { return r.Digest["gitCommit"] == commit },
		func(r resource) bool { return r.Name == runtime.Version() },
		func(r resource) bool {
			return strings.Contains(r.URI, "/govmomi@") && strings.HasPrefix(r.Digest["goModuleH1"], "h1:")
		},
	} {
		if !slices.ContainsFunc(inputs, ok) {
			t.Errorf("an input is missing: %+v", inputs)
		}
	}
}

// releaseArchive installs by hand, and runs the demo and the plugin.
func releaseArchive(t *testing.T, dir, commit string) {
	t.Helper()
	to := t.TempDir()
	output(t, to, "tar", "-xzf", filepath.Join(dir, archiveName()))
	top := filepath.Join(to, strings.TrimSuffix(archiveName(), ".tar.gz"))
	holdsAll(t, top, "ocp-vsphere-admin", "vcenter-lab")
	licences := string(read(t, top, "THIRD-PARTY-LICENSES"))
	for _, of := range []string{"The Go standard library, LICENSE", "github.com/vmware/govmomi v", "filippo.io/age v"} {
		if !strings.Contains(licences, of) {
			t.Errorf("no licence of %s", of)
		}
	}
	said := output(t, top, "./ocp-vsphere-admin", "version", "-o", "json")
	var version struct{ Version, Commit, Date string }
	if err := json.Unmarshal([]byte(said), &version); err != nil || version.Version != releaseVersion || version.Commit != commit || version.Date == "" {
		t.Errorf("%v: %s", err, said)
	}
	for _, name := range []string{"ocp-vsphere-admin", "vcenter-lab"} {
		var sbom struct {
			Metadata struct{ Component struct{ Version string } }
		}
		text := read(t, dir, name+"_"+releaseVersion+"_linux_"+runtime.GOARCH+".cdx.json")
		if err := json.Unmarshal(text, &sbom); err != nil || sbom.Metadata.Component.Version != releaseVersion || !bytes.Contains(text, []byte("pkg:golang/std@")) {
			t.Errorf("SBOM of %s: %v", name, err)
		}
	}
	demo := exec.Command(filepath.Join(top, "vcenter-lab"), "demo")
	demo.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH=/usr/bin:/bin")
	if text, err := demo.CombinedOutput(); err != nil || !bytes.Contains(text, []byte("verified: ")) {
		t.Errorf("demo: %v\n%s", err, text)
	}
}

// holdsAll looks for the files of an archive.
func holdsAll(t *testing.T, top string, programs ...string) {
	t.Helper()
	pages, err := filepath.Glob("../man/*.1")
	if err != nil || len(pages) == 0 {
		t.Fatal(err)
	}
	names := append(slices.Clone(programs), "LICENSE", "README.md", "CHANGELOG.md", "THIRD-PARTY-LICENSES")
	for _, page := range pages {
		names = append(names, "man/"+filepath.Base(page))
	}
	for _, program := range []string{"ocp-vsphere-admin", "vcenter-lab"} {
		for _, ending := range []string{".bash", ".zsh", ".fish", ".ps1"} {
			names = append(names, "completions/"+program+ending)
		}
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(top, name))
		if err != nil || info.Size() == 0 || (info.Mode()&0o111 != 0) != slices.Contains(programs, name) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func releaseZip(t *testing.T, dir string) {
	t.Helper()
	name := "ocp-vsphere-admin_" + releaseVersion + "_windows_amd64"
	r, err := zip.OpenReader(filepath.Join(dir, name+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	to := t.TempDir()
	if err := os.CopyFS(to, r); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"ocp-vsphere-admin.exe", "vcenter-lab.exe"} { // modes say nothing on Windows
		if err := os.Chmod(filepath.Join(to, name, program), 0o755); err != nil || !bytes.HasPrefix(read(t, to, name, program), []byte("MZ")) {
			t.Errorf("%s: %v", program, err)
		}
	}
	holdsAll(t, filepath.Join(to, name), "ocp-vsphere-admin.exe", "vcenter-lab.exe")
}

// releaseDeb installs the package below a directory and removes it, which leaves nothing.
func releaseDeb(t *testing.T, dir string) {
	t.Helper()
	root := t.TempDir()
	for _, path := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(root, "var", "lib", "dpkg", path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(root, "var", "lib", "dpkg", path), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := []string{"--root=" + root, "--force-not-root", "--force-script-chrootless", "--log=/dev/null"}
	output(t, "", "dpkg", append(dpkg, "-i", filepath.Join(dir, "ocp-vsphere-admin_"+releaseVersion+"_"+runtime.GOARCH+".deb"))...)
	if status := output(t, "", "dpkg-query", "--admindir="+root+"/var/lib/dpkg", "-W", "-f", "${Version} ${db:Status-Status}", program); status != "1.0.0~rc.1 installed" {
		t.Errorf("installed: %s", status)
	}
	if text := output(t, "", "dpkg", append(dpkg, "--verify", program)...); text != "" {
		t.Errorf("files are not what the package says: %s", text)
	}
	installedProgram(t, root)
	output(t, "", "dpkg", append(dpkg, "-r", program)...)
	if _, err := os.Stat(filepath.Join(root, "usr")); err == nil {
		t.Errorf("left: %s", output(t, root, "find", "usr"))
	}
}

// installedProgram runs the program below a root by the name by which oc finds it, and reads a man page and completions.
func installedProgram(t *testing.T, root string) {
	t.Helper()
	if text := output(t, "", filepath.Join(root, "usr", "bin", "oc-vsphere_admin"), "--help"); !strings.Contains(text, "  oc vsphere-admin <command> [flags]") {
		t.Errorf("as a plugin: %s", text)
	}
	page, err := gzip.NewReader(bytes.NewReader(read(t, root, "usr/share/man/man1/ocp-vsphere-admin-plan.1.gz")))
	var text bytes.Buffer
	if err == nil {
		_, err = text.ReadFrom(page)
	}
	if err != nil || !bytes.Equal(text.Bytes(), read(t, "../man/ocp-vsphere-admin-plan.1")) {
		t.Errorf("the man page: %v", err)
	}
	if !bytes.Contains(read(t, root, "usr/share/bash-completion/completions/ocp-vsphere-admin"), []byte("__start_ocp-vsphere-admin")) {
		t.Error("no completion for bash")
	}
}

// releaseRPM lets Debian's rpm check, install and remove the package below a directory.
func releaseRPM(t *testing.T, dir, tools string) {
	t.Helper()
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	path := filepath.Join(dir, "ocp-vsphere-admin-"+releaseVersion+"."+machine+".rpm")
	root := t.TempDir()
	run := func(program string, words ...string) string {
		return output(t, "", filepath.Join(tools, program), append([]string{"--dbpath", root + "/var/lib/rpm"}, words...)...)
	}
	if text := run("rpmkeys", "--checksig", path); !strings.Contains(text, "digests OK") {
		t.Errorf("digests: %s", text)
	}
	if text := run("rpm", "-qp", "--qf", "%{VERSION} %{LICENSE} %{BUILDHOST}", path); text != "1.0.0~rc.1 Apache-2.0 localhost" {
		t.Errorf("it says: %s", text)
	}
	run("rpm", "-i", "--relocate", "/usr="+root+"/usr", "--badreloc", "--nodeps", path)
	installedProgram(t, root)
	run("rpm", "-e", program)
	if _, err := os.Stat(filepath.Join(root, "usr", "bin", "ocp-vsphere-admin")); err == nil {
		t.Error("removed, and the program is still there")
	}
}

// releaseKrew holds the manifest against krew's validator, and lets krew install the archive, whose checksum it compares.
func releaseKrew(t *testing.T, dir, tools string) {
	t.Helper()
	manifest := filepath.Join(dir, "vsphere-admin.yaml")
	output(t, "", filepath.Join(tools, "validate-krew-manifest"), "-manifest", manifest, "-skip-install")
	root := t.TempDir()
	install := func(archive string) error {
		cmd := exec.Command(filepath.Join(tools, "krew"), "install", "--manifest", manifest, "--archive", archive)
		cmd.Env = append(os.Environ(), "KREW_ROOT="+root)
		return cmd.Run()
	}
	changed := filepath.Join(t.TempDir(), "changed.tar.gz")
	if err := os.WriteFile(changed, append(read(t, dir, archiveName()), 0), 0o600); err != nil {
		t.Fatal(err)
	}
	if install(changed) == nil {
		t.Error("krew installs a changed archive")
	}
	if err := install(filepath.Join(dir, archiveName())); err != nil {
		t.Fatal(err)
	}
	if text := output(t, "", filepath.Join(root, "bin", "kubectl-vsphere_admin"), "plan", "--help"); !strings.Contains(text, "kubectl vsphere-admin plan ") {
		t.Errorf("as a plugin: %s", text)
	}
	formula := string(read(t, dir, "ocp-vsphere-admin.rb"))
	if sum := contents(t, dir)[archiveName()]; !strings.Contains(formula, sum) || !strings.Contains(string(read(t, manifest)), sum) {
		t.Errorf("no checksum %s in the formula or the manifest", sum)
	}
}

// releaseRefused: a version that is none, and a tree that is no commit.
func releaseRefused(t *testing.T, clone string) {
	t.Helper()
	for version, why := range map[string]string{"": "is no version", "v1.0.0": "is no version", "1.0": "is no version", releaseVersion: "these files are not in"} {
		if version == releaseVersion {
			if err := os.WriteFile(filepath.Join(clone, "README.md"), []byte("changed"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("make", "-s", "release", "VERSION="+version)
		cmd.Dir = clone
		if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), why) {
			t.Errorf("%q: %v, %s", version, err, text)
		}
		output(t, clone, "git", "checkout", "-q", ".")
	}
}
