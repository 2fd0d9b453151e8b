package wizard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// A CA file stands for the comparing of thumbprints: one that vouches for the vCenter, kept with the answers and handed on.
func TestCertificateByCAFile(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{VCenters: 2})
	one, two := r.lab.VCenters[0], r.lab.VCenters[1]
	file := filepath.Join(r.dir, "ca.pem")
	if err := os.WriteFile(file, r.lab.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	answers := r.answers()
	answers["is this thumbprint"] = []string{"check it with a CA file"}
	answers["CA file"] = []string{goBack, file}
	answers["next vCenter"] = []string{two.Server()}
	answers["another vCenter?"] = []string{"yes", "no"}
	answers["failure domain"] = []string{"zone-a", "zone-b"}
	answers["zone-b: networks"] = []string{"VM Network"}
	p := &person{t: t, answers: answers}
	done, _ := r.run(t, p)
	if done.CACert != file || len(done.Thumbprints) != 0 {
		t.Errorf("CA file %q, thumbprints %v", done.CACert, done.Thumbprints)
	}
	asked := 0
	for _, q := range p.asked {
		if strings.HasPrefix(q, "is this thumbprint") {
			asked++
		}
	}
	if asked != 2 { // before and after going back; not for the second vCenter
		t.Errorf("asked about the certificate %d times: %q", asked, p.asked)
	}

	other, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	wrong := filepath.Join(r.dir, "other.pem")
	if err := os.WriteFile(wrong, other.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	w := &wizard{o: r.options(p), a: blank()}
	v := spec.VCenter{Server: one.Server(), Port: spec.DefaultPort, Address: one.Addr()}
	for file, want := range map[string]string{wrong: wrong + " does not verify the certificate: " + one.Server(), "": "a path is required", "/nowhere": "/nowhere", file: ""} {
		if err := w.checkCA(t.Context(), v, file); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// What the first vCenter has taken is sent to the next when the person says so, and not before.
func TestNextLoginIsAskedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{VCenters: 2})
	one, two := r.lab.VCenters[0], r.lab.VCenters[1]
	answers := r.answers()
	answers["next vCenter"] = []string{two.Server()}
	answers["another vCenter?"] = []string{"yes", "no"}
	answers["failure domain"] = []string{"zone-a", "zone-b"}
	answers["zone-b: networks"] = []string{"VM Network"}
	answers["log in to "+two.Server()] = []string{"no"}
	p := &person{t: t, answers: answers}
	p.before = func(_ int, message string) error {
		if strings.HasPrefix(message, "log in to ") && two.Requests()["Login"] > 0 {
			t.Error("the password was sent before the question")
		}
		return nil
	}
	r.run(t, p)
	if n := slices.Index(p.asked, "administrator of "+two.Server()); n < 0 || p.defaults[n] != one.AdminUser() || len(p.passwords) != 2 {
		t.Errorf("asked %q", p.asked)
	}
}
