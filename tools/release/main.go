// Command release builds what people install: archives, packages, checksums and what explains them. `make release` calls it.
//
// For the same commit, version, platforms and Go toolchain, every file is the same byte for byte, in whatever directory it is built;
// only a signature is somebody's own.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	tool    = "ocp-vsphere-admin"
	lab     = "vcenter-lab"
	project = "https://github.com/ocp-vsphere-admin/ocp-vsphere-admin"
	about   = "Least-privilege vSphere accounts for OpenShift"
)

// release is what is built from what.
type release struct {
	version   string // 1.0.0-rc.1, without the v of its tag
	commit    string
	date      string    // of the commit, as it says
	at        time.Time // the same; of every file
	root, out string
	platforms []string // GOOS/GOARCH
	common    []file   // what every archive holds beside the programs
	commands  []string // what was run to build, for the provenance
}

// file is a file of an archive or package.
type file struct {
	name string
	mode int64
	data []byte
	link string // of a symbolic link
}

// semver is a version by semver.org without build metadata, which no tag and no package needs.
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

func main() {
	version := flag.String("version", "", "version by semver.org")
	platforms := flag.String("platforms", "", "GOOS/GOARCH of each, in one word")
	out := flag.String("out", "", "directory that is written anew")
	key := flag.String("sign-key", "", "private SSH key that signs SHA256SUMS; its public key with an agent")
	flag.Parse()
	if err := run(*version, *out, *key, strings.Fields(*platforms)); err != nil {
		fmt.Fprintln(os.Stderr, "make release:", err)
		os.Exit(1)
	}
}

func run(version, out, key string, platforms []string) error {
	if !semver.MatchString(version) {
		return fmt.Errorf("VERSION=%q is no version such as 1.0.0-rc.1, by semver.org and without v", version)
	}
	r := &release{version: version, out: out, platforms: platforms}
	if err := r.source(); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := r.build(work); err != nil {
		return err
	}
	for _, p := range platforms {
		if err := r.platform(filepath.Join(work, p), p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := r.manifests(); err != nil {
		return err
	}
	if err := r.provenance(work); err != nil {
		return err
	}
	return r.sums(key)
}

// source is the commit that is built. What is not committed could be built by nobody else.
func (r *release) source() (err error) {
	for into, words := range map[*string]string{
		&r.root: "rev-parse --show-toplevel", &r.commit: "rev-parse HEAD", &r.date: "log -1 --format=%cI",
	} {
		if *into, err = output("", nil, "git", strings.Fields(words)...); err != nil {
			return err
		}
	}
	if r.at, err = time.Parse(time.RFC3339, r.date); err != nil {
		return err
	}
	r.at = r.at.UTC()
	changed, err := output(r.root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("a release is built from a commit, and these files are not in %.12s:\n%s", r.commit, changed)
	}
	tag, _ := output(r.root, nil, "git", "rev-parse", "--quiet", "--verify", "v"+r.version+"^{commit}")
	switch tag {
	case "":
		fmt.Fprintf(os.Stderr, "no tag v%s yet: git tag -s v%[1]s %.12[2]s\n", r.version, r.commit)
	case r.commit:
	default:
		return fmt.Errorf("tag v%s is of %.12s, and this is %.12s: take another version", r.version, tag, r.commit)
	}
	return nil
}

// environment is what decides how Go builds, so that nobody's own settings do.
func environment(platform string) []string {
	goos, arch, _ := strings.Cut(platform, "/")
	return []string{
		"GOOS=" + goos, "GOARCH=" + arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off",
		"GOFLAGS=", "GOWORK=off",
	}
}

// build leaves both programs of each platform in WORK/GOOS/GOARCH, and makes what all archives hold. The toolchain's own record of the
// repository is left out, because it depends on the tags of a clone.
func (r *release) build(work string) error {
	stamp := "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/frame."
	ldflags := fmt.Sprintf("-s -w -X %[1]sversion=%[2]s -X %[1]scommit=%[3]s -X %[1]sdate=%[4]s", stamp, r.version, r.commit, r.date)
	own := runtime.GOOS + "/" + runtime.GOARCH
	for _, p := range r.platforms {
		words := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags}
		r.commands = append(r.commands, strings.Join(environment(p), " ")+" go "+
			strings.Replace(strings.Join(words, " "), ldflags, "'"+ldflags+"'", 1)+" ./cmd/...")
		fmt.Fprintln(os.Stderr, "building", p)
		if _, err := output(r.root, environment(p), "go", append(words, "-o", filepath.Join(work, p)+"/", "./cmd/...")...); err != nil {
			return err
		}
	}
	if !slices.Contains(r.platforms, own) {
		return fmt.Errorf("completions are written by the program itself: PLATFORMS needs %s, too", own)
	}
	return r.shared(filepath.Join(work, own))
}

// shared makes what every archive holds beside the programs; programs has those that run here.
func (r *release) shared(programs string) error {
	add := func(name string, data []byte) { r.common = append(r.common, file{name: name, mode: 0o644, data: data}) }
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		add(name, data)
	}
	pages, err := filepath.Glob(filepath.Join(r.root, "man", "*.1"))
	if err != nil {
		return err
	}
	for _, path := range pages {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		add("man/"+filepath.Base(path), data)
	}
	for _, name := range []string{tool, lab} {
		for shell, ending := range map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"} {
			text, err := output("", nil, filepath.Join(programs, name), "completion", shell)
			if err != nil {
				return err
			}
			add("completions/"+name+"."+ending, []byte(text+"\n"))
		}
	}
	text, err := r.licences(programs)
	if err != nil {
		return err
	}
	add("THIRD-PARTY-LICENSES", text)
	slices.SortFunc(r.common, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}

// platform writes the archive of a platform, its packages and the SBOM of each program.
func (r *release) platform(programs, platform string) error {
	goos, arch, _ := strings.Cut(platform, "/")
	var files []file
	for _, name := range []string{tool, lab} {
		path := filepath.Join(programs, name)
		if goos == "windows" {
			path += ".exe"
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, file{name: filepath.Base(path), mode: 0o755, data: data})
		sbom, err := output(filepath.Join(r.root, "tools"), []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.at.Unix(), 10)},
			"go", "run", "./sbom", path, r.version)
		if err != nil {
			return err
		}
		if err := r.write(fmt.Sprintf("%s_%s_%s_%s.cdx.json", name, r.version, goos, arch), []byte(sbom+"\n")); err != nil {
			return err
		}
	}
	files = append(files, r.common...)
	name := r.archive(platform)
	top := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz")
	pack := r.tarball
	if goos == "windows" {
		pack = r.zipped
	}
	data, err := pack(under(top, files))
	if err == nil {
		err = r.write(name, data)
	}
	if err == nil && goos == "linux" {
		err = r.packages(arch, files)
	}
	return err
}

// archive is the name of a platform's.
func (r *release) archive(platform string) string {
	ending := ".tar.gz"
	if strings.HasPrefix(platform, "windows/") {
		ending = ".zip"
	}
	return tool + "_" + r.version + "_" + strings.ReplaceAll(platform, "/", "_") + ending
}

func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// digests gives the SHA-256 of every file that is there.
func (r *release) digests() (map[string]string, error) {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		sums[e.Name()] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}

// sums writes the checksums of everything else, and signs them where somebody gave a key.
func (r *release) sums(key string) error {
	all, err := r.digests()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, "%s  %s\n", all[name], name)
	}
	if err := r.write("SHA256SUMS", []byte(text.String())); err != nil {
		return err
	}
	if key == "" {
		fmt.Fprintf(os.Stderr, "%s: %d files, not signed: SIGN_KEY names a private SSH key\n", r.out, len(all)+1)
		return nil
	}
	sign := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", key, filepath.Join(r.out, "SHA256SUMS"))
	sign.Stdin, sign.Stdout, sign.Stderr = os.Stdin, os.Stderr, os.Stderr // it may ask for a passphrase
	if err := sign.Run(); err != nil {
		return fmt.Errorf("signing with %s: %w", key, err)
	}
	fmt.Fprintf(os.Stderr, "%s: %d files, signed with %s\n", r.out, len(all)+2, key)
	return nil
}

// output is what a program prints, without the last line end.
func output(dir string, env []string, name string, words ...string) (string, error) {
	cmd := exec.Command(name, words...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(words, " "), err, complaint.String())
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}
