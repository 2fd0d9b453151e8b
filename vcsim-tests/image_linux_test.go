package vcsimtests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// TestImage looks into the container image that `make image` leaves in bin/image (IMAGEDIR says otherwise), builds it once more and runs it
// as Kubernetes would. `make image-test` runs it; TEST_IMAGE=required fails where there is no image.
func TestImage(t *testing.T) {
	mode := os.Getenv("TEST_IMAGE")
	if mode == "" {
		t.Skip("'make image-test' runs it")
	}
	dir := os.Getenv("IMAGEDIR")
	if dir == "" {
		dir = filepath.Join("..", "bin", "image")
	}
	archive := tarFiles(t, filepath.Join(dir, "image.oci.tar"), mode == "required")
	root := t.TempDir()
	var labels map[string]string
	t.Run("holds", func(t *testing.T) { labels = imageHolds(t, archive, dir, root) })
	t.Run("again", func(t *testing.T) { imageAgain(t, dir, labels) })
	t.Run("runs", func(t *testing.T) { imageRuns(t, root) })
}

// tarFiles are the files of an archive; a missing one skips the test.
func tarFiles(t *testing.T, path string, required bool) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	switch {
	case err != nil && required:
		t.Fatal(err)
	case err != nil:
		t.Skipf("%v: 'make image' builds it", err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// descriptor names a blob of an image.
type descriptor struct{ Digest string }

// blob reads one, which is JSON.
func blob(t *testing.T, archive map[string][]byte, d descriptor, into any) {
	t.Helper()
	if err := json.Unmarshal(archive["blobs/"+strings.Replace(d.Digest, ":", "/", 1)], into); err != nil {
		t.Fatalf("%s: %v", d.Digest, err)
	}
}

// The image holds the program, its SBOM and public authorities in one layer, without a shell, and runs the program as somebody who is not root.
func imageHolds(t *testing.T, archive map[string][]byte, dir, root string) map[string]string {
	t.Helper()
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(archive["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("%v: %s", err, archive["index.json"])
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	blob(t, archive, index.Manifests[0], &manifest)
	if digest, err := os.ReadFile(filepath.Join(dir, "digest")); err != nil || string(digest) != index.Manifests[0].Digest {
		t.Errorf("digest %s, %v; want %s", digest, err, index.Manifests[0].Digest)
	}
	var config struct {
		OS, Created string
		Config      struct {
			User            string
			Entrypoint, Cmd []string
			Env             []string
			Labels          map[string]string
		}
	}
	blob(t, archive, manifest.Config, &config)
	c := config.Config
	if config.OS != "linux" || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/ocp-vsphere-admin"}) || len(c.Cmd) > 0 {
		t.Errorf("config: %+v", config)
	}
	for label, want := range map[string]string{"licenses": "Apache-2.0", "version": "", "revision": "", "source": "https://github.com/ocp-vsphere-admin/ocp-vsphere-admin"} {
		if got := c.Labels[imageLabel+label]; got == "" || want != "" && got != want {
			t.Errorf("label %s is %q, want %q", label, got, want)
		}
	}
	created, err := time.Parse(time.RFC3339, c.Labels[imageLabel+"created"])
	if at, atErr := time.Parse(time.RFC3339, config.Created); err != nil || atErr != nil || !at.Equal(created) {
		t.Errorf("created at %s, by its label %s", config.Created, created)
	}
	if len(manifest.Layers) != 1 {
		t.Fatalf("%d layers", len(manifest.Layers))
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(archive["blobs/"+strings.Replace(manifest.Layers[0].Digest, ":", "/", 1)]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%s %o %d:%d", h.Name, h.Mode&0o777, h.Uid, h.Gid))
		text, err := io.ReadAll(r)
		if err == nil {
			path := filepath.Join(root, h.Name)
			if h.Typeflag == tar.TypeDir {
				err = os.MkdirAll(path, 0o755)
			} else {
				err = os.WriteFile(path, text, h.FileInfo().Mode())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{
		"etc/ 755 0:0", "etc/ssl/ 755 0:0", "etc/ssl/certs/ 755 0:0", "etc/ssl/certs/ca-certificates.crt 644 0:0",
		"ocp-vsphere-admin 755 0:0", "sbom.cdx.json 644 0:0",
	}; !slices.Equal(names, want) {
		t.Errorf("it holds %q, want %q", names, want)
	}
	// where Go looks for authorities on Linux
	authorities, err := os.ReadFile(filepath.Join(root, "etc", "ssl", "certs", "ca-certificates.crt"))
	if n := bytes.Count(authorities, []byte("-----BEGIN CERTIFICATE-----")); err != nil || n < 100 || !x509.NewCertPool().AppendCertsFromPEM(authorities) {
		t.Errorf("%d public authorities: %v", n, err)
	}
	billOfMaterials(t, filepath.Join(root, "sbom.cdx.json"), filepath.Join(dir, "sbom.cdx.json"), c.Labels[imageLabel+"version"])
	return c.Labels
}

const imageLabel = "org.opencontainers.image."

// billOfMaterials is the same in the image and beside it, and names what go.mod requires.
func billOfMaterials(t *testing.T, within, beside, of string) {
	t.Helper()
	text, err := os.ReadFile(within)
	other, otherErr := os.ReadFile(beside)
	if err := errors.Join(err, otherErr); err != nil || !bytes.Equal(text, other) {
		t.Errorf("%v: two SBOMs", err)
	}
	var sbom struct {
		BOMFormat  string
		Metadata   struct{ Component struct{ Version string } }
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(text, &sbom); err != nil || sbom.BOMFormat != "CycloneDX" || sbom.Metadata.Component.Version != of {
		t.Fatalf("%v: %+v", err, sbom.Metadata)
	}
	required, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/vmware/govmomi").Output()
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(required))
	if !slices.ContainsFunc(sbom.Components, func(c struct{ Name, Version, PURL string }) bool {
		return c.Name == "github.com/vmware/govmomi" && c.Version == version && c.PURL == "pkg:golang/github.com/vmware/govmomi@"+version
	}) {
		t.Errorf("no govmomi %s in %s", version, text)
	}
}

// The same files make the same image.
func imageAgain(t *testing.T, dir string, labels map[string]string) {
	created, err := time.Parse(time.RFC3339, labels[imageLabel+"created"])
	if err != nil {
		t.Fatal(err)
	}
	again := t.TempDir()
	files, err := filepath.Abs(filepath.Join(dir, "root"))
	if err == nil {
		err = os.Symlink(files, filepath.Join(again, "root"))
	}
	want, readErr := os.ReadFile(filepath.Join(dir, "digest"))
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("../tools/image.sh", again)
	build.Env = append(os.Environ(), "VERSION="+labels[imageLabel+"version"], "REVISION="+labels[imageLabel+"revision"], fmt.Sprint("SOURCE_DATE_EPOCH=", created.Unix()))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(again, "digest")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the second time it is %s, %v; want %s", got, err, want)
	}
}

// The program of the image works where nothing can be written, without a home, as somebody who owns nothing, with mounted Secrets.
func imageRuns(t *testing.T, root string) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change what / is")
	}
	served, err := vcsim.Start(vcsim.Options{VCenters: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(served.Close)
	lab := t.TempDir()
	if _, err := kit.Write(served, lab, ""); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(root, "ocp-vsphere-admin")
	env := []string{"HOME=" + lab, "OCP_VSPHERE_ADMIN_CONFIG=" + filepath.Join(lab, "config.yaml")}
	apply := exec.CommandContext(t.Context(), program, "apply", "--yes", "-f", filepath.Join(lab, "provisioning.yaml"))
	apply.Env = env
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const group = 2000
	for name, from := range map[string]string{
		"provisioning.yaml": "provisioning.yaml", "ca.pem": "ca.pem", "admin.ini": "admin.ini", "config.yaml": "config.yaml", "credentials": "credentials",
	} {
		text, err := os.ReadFile(filepath.Join(lab, from))
		path := filepath.Join(root, name)
		if err == nil {
			err = os.WriteFile(path, bytes.ReplaceAll(text, []byte(lab+"/"), []byte("/")), 0o440)
		}
		if err := errors.Join(err, os.Chown(path, 0, group)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(root, 0o555), os.Chmod(filepath.Dir(root), 0o755)); err != nil {
		t.Fatal(err)
	}
	for words, says := range map[string]string{
		"version":                                " linux/",
		"plan --exit-code -f /provisioning.yaml": "nothing to change",
		"verify -f /provisioning.yaml":           "verified: 5 accounts",
		"doctor -f /provisioning.yaml":           "administrator logs in",
		"verify -f /provisioning.yaml --brief":   "",
		"help":                                   "Usage:",
	} {
		cmd := exec.CommandContext(t.Context(), "/ocp-vsphere-admin", strings.Fields(words)...)
		cmd.Dir, cmd.Env = "/", []string{"OCP_VSPHERE_ADMIN_CONFIG=/config.yaml", "VSPHERE_CREDENTIALS_FILE=/credentials"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532, Groups: []uint32{group}}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), says) || strings.Contains(string(out), "permissions 4") {
			t.Errorf("%s: %v\n%s", words, err, out)
		}
	}
}
