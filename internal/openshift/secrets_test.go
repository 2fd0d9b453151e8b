package openshift

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

const (
	vc1 = "vcenter1.example.com"
	vc2 = "vcenter2.example.com"
)

func account(user, password string) credfile.Account {
	return credfile.Account{User: user, Password: secret.New(password)}
}

// full has an account of its own for every component on every server.
func full(servers ...string) Accounts {
	a := Accounts{}
	for _, s := range servers {
		a[s] = map[component.Name]credfile.Account{}
		for _, c := range append(component.Default(), component.ClusterAPI, component.Auditor) {
			a[s][c] = account(fmt.Sprintf("ocp-cluster1-%s@vsphere.local", c), fmt.Sprintf("pw-%s-%s", c, s))
		}
	}
	return a
}

// values shows secrets as name → key → value.
func values(secrets []corev1.Secret) map[string]map[string]string {
	m := map[string]map[string]string{}
	for _, s := range secrets {
		m[s.Namespace+"/"+s.Name] = map[string]string{}
		for k, v := range s.Data {
			m[s.Namespace+"/"+s.Name][k] = string(v)
		}
	}
	return m
}

// emit gives the secrets alone.
func emit(servers []string, a Accounts, o EmitOptions) ([]corev1.Secret, []string, error) {
	manifests, warnings, err := Manifests(servers, a, o)
	var secrets []corev1.Secret
	for _, m := range manifests {
		if m.Secret != nil {
			secrets = append(secrets, *m.Secret)
		}
	}
	return secrets, warnings, err
}

func written(t interface{ Fatal(...any) }, servers []string, a Accounts, o EmitOptions) []byte {
	manifests, _, err := Manifests(servers, a, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteYAML(&b, manifests, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func made(t *testing.T, servers []string, a Accounts, o EmitOptions) ([]corev1.Secret, []string) {
	t.Helper()
	secrets, warnings, err := emit(servers, a, o)
	if err != nil {
		t.Fatal(err)
	}
	return secrets, warnings
}

func mentions(list []string, parts ...string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
	})
}

func TestSingleVCenter(t *testing.T) {
	secrets, warnings := made(t, []string{vc1}, full(vc1), EmitOptions{})
	want := map[string]map[string]string{}
	for _, c := range []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics"} {
		want["kube-system/vsphere-creds-"+c] = map[string]string{
			vc1 + ".username": "ocp-cluster1-" + c + "@vsphere.local",
			vc1 + ".password": "pw-" + c + "-" + vc1,
		}
	}
	if diff := cmp.Diff(want, values(secrets)); diff != "" {
		t.Error(diff)
	}
	for _, s := range secrets {
		if s.Type != corev1.SecretTypeOpaque {
			t.Errorf("%s has type %q", s.Name, s.Type)
		}
	}
	if mentions(warnings, "main account") {
		t.Errorf("nothing fell back: %q", warnings)
	}
	if !mentions(warnings, "machine-config-operator", "kube-system/vsphere-creds", "managedBootImages") {
		t.Errorf("direct readers of the root secret not mentioned: %q", warnings)
	}
}

func TestSeveralVCenters(t *testing.T) {
	secrets, _ := made(t, []string{vc2, vc1}, full(vc1, vc2), EmitOptions{})
	want := map[string]string{
		vc1 + ".username": "ocp-cluster1-csi-driver@vsphere.local",
		vc1 + ".password": "pw-csi-driver-" + vc1,
		vc2 + ".username": "ocp-cluster1-csi-driver@vsphere.local",
		vc2 + ".password": "pw-csi-driver-" + vc2,
	}
	if diff := cmp.Diff(want, values(secrets)["kube-system/vsphere-creds-csi-driver"]); diff != "" {
		t.Error(diff)
	}
}

func TestOrderAndChoice(t *testing.T) {
	manifests, _, err := Manifests([]string{vc1}, full(vc1), EmitOptions{
		Components: []component.Name{component.Diagnostics, component.Installer, component.MachineAPI},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range manifests {
		got = append(got, m.File)
	}
	if diff := cmp.Diff([]string{"99_vsphere-creds-machine-api.yaml", "99_vsphere-creds-diagnostics.yaml"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFallbackPerComponentAndVCenter(t *testing.T) {
	a := full(vc1, vc2)
	delete(a[vc2], "csi-driver")
	delete(a[vc2], "diagnostics")
	secrets, warnings := made(t, []string{vc1, vc2}, a, EmitOptions{MainFor: component.Names()})
	got := values(secrets)
	want := map[string]string{
		vc1 + ".username": "ocp-cluster1-csi-driver@vsphere.local",
		vc1 + ".password": "pw-csi-driver-" + vc1,
		vc2 + ".username": "ocp-cluster1-installer@vsphere.local",
		vc2 + ".password": "pw-installer-" + vc2,
	}
	if diff := cmp.Diff(want, got["kube-system/vsphere-creds-csi-driver"]); diff != "" {
		t.Error(diff)
	}
	if got := got["kube-system/vsphere-creds-machine-api"][vc2+".username"]; got != "ocp-cluster1-machine-api@vsphere.local" {
		t.Errorf("machine-api has its own account, got %s", got)
	}
	if !mentions(warnings, vc2, "csi-driver, diagnostics", "main account ocp-cluster1-installer@vsphere.local") || mentions(warnings, vc1) {
		t.Errorf("got %q", warnings)
	}
}

func TestNoFallback(t *testing.T) {
	a := full(vc1, vc2)
	delete(a[vc1], "csi-driver")
	delete(a[vc1], "installer")
	delete(a, vc2)
	_, _, err := emit([]string{vc1, vc2}, a, EmitOptions{})
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || !mentions(lines[:1], vc1, "no account for csi-driver") ||
		!mentions(lines[1:], vc2, "machine-api, csi-driver, cloud-controller, diagnostics") {
		t.Errorf("got %q", lines)
	}
	if strings.Contains(err.Error(), "pw-") {
		t.Errorf("password in %q", err)
	}
}

func TestLabel(t *testing.T) {
	const key = "cloudcredential.openshift.io/credentials-request"
	const annotation = "openshift-cloud-credential-operator/openshift-vmware-vsphere-csi-driver-operator"
	for choice, want := range map[string]string{"": "true", "true": "true", "yes": "yes", "none": ""} {
		secrets, warnings := made(t, []string{vc1}, full(vc1), EmitOptions{CCOLabel: choice})
		csi := secrets[1]
		if got := csi.Labels[key]; got != want {
			t.Errorf("%q: label %q, want %q", choice, got, want)
		}
		wantAnnotation := annotation
		if want == "" {
			wantAnnotation = ""
		}
		if got := csi.Annotations[key]; got != wantAnnotation {
			t.Errorf("%q: annotation %q, want %q", choice, got, wantAnnotation)
		}
		if got := mentions(warnings, `label "yes"`); got != (want == "yes") {
			t.Errorf("%q: %q", choice, warnings)
		}
		text := string(written(t, []string{vc1}, full(vc1), EmitOptions{CCOLabel: choice}))
		if strings.Contains(text, "  # ") {
			t.Errorf("%q: comments within the manifests:\n%s", choice, text)
		}
	}
	if _, _, err := emit([]string{vc1}, full(vc1), EmitOptions{CCOLabel: "on"}); err == nil || !strings.Contains(err.Error(), "true, yes or none") {
		t.Errorf("got %v", err)
	}
}

func TestServersThatCannotBeKeys(t *testing.T) {
	for server, want := range map[string]string{
		"fd00::1": "IPv6", "[fd00::1]": "IPv6", vc1 + ":8443": "port", "vc 1": "253 of the characters", "vc_ä": "253 of the characters",
		strings.Repeat("a", 250): "253 of the characters", "": "without a name",
	} {
		_, _, err := emit([]string{vc1, server}, full(vc1, server), EmitOptions{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), vc1+": ") {
			t.Errorf("%q: got %v", server, err)
		}
	}
	for _, server := range []string{"10.0.0.1", "VC1", "vc_1-a.example.com"} {
		made(t, []string{server}, full(server), EmitOptions{})
	}
	if _, _, err := emit([]string{vc1, vc1}, full(vc1), EmitOptions{}); err == nil || !strings.Contains(err.Error(), "listed twice") {
		t.Errorf("got %v", err)
	}
	if _, _, err := emit(nil, nil, EmitOptions{}); err == nil {
		t.Error("no error without vCenters")
	}
}

func TestUserNamesAndPasswords(t *testing.T) {
	const canary = "canary-pw-3310"
	tests := []struct {
		component              component.Name
		user, password         string
		wantError, wantWarning string
	}{
		{"csi-driver", "svc@corp.example.com", canary, "", ""},
		{"csi-driver", `CORP\svc.ocp`, canary, "", ""},
		{"csi-driver", "svc@corp", canary + `"`, "", "OCPBUGS-84895"},
		{"csi-driver", "svc@corp", canary + `\x`, "", "OCPBUGS-84895"},
		{"machine-api", "svc@corp", canary + `"\`, "", ""},
		{"csi-driver", "svc", canary, "CSI driver would not start", ""},
		{"csi-driver", "svc+ocp@corp", canary, "CSI driver would not start", ""},
		{"diagnostics", "svc", canary, "", "UsernameWithoutDomain"},
		{"machine-api", "svc", canary, "", "UsernameWithoutDomain"},
		{"cloud-controller", "svc@corp", canary + "\n", "password holds a line break", ""},
		{"cloud-controller", "svc@corp\n", canary, "user name holds a line break", ""},
		{"cloud-controller", "svc@corp", "", "password is empty", ""},
		{"cloud-controller", "", canary, "user name is empty", ""},
	}
	for _, tt := range tests {
		a := full(vc1)
		a[vc1][tt.component] = account(tt.user, tt.password)
		_, warnings, err := emit([]string{vc1}, a, EmitOptions{})
		switch {
		case tt.wantError == "" && err != nil:
			t.Errorf("%q: %v", tt.user, err)
		case tt.wantError != "" && (err == nil || !strings.Contains(err.Error(), vc1+": "+string(tt.component)+": ") || !strings.Contains(err.Error(), tt.wantError)):
			t.Errorf("%q: got %v", tt.user, err)
		case mentions(warnings, vc1+": "+string(tt.component)+": ", tt.wantWarning) != (tt.wantWarning != ""):
			t.Errorf("%q: %q", tt.user, warnings)
		}
		if strings.Contains(fmt.Sprint(err, warnings), canary) {
			t.Errorf("password in %v %q", err, warnings)
		}
	}
}

func TestLimits(t *testing.T) {
	for n, want := range map[int][2]bool{3: {false, false}, 4: {true, false}, 6: {true, true}} {
		var servers []string
		for i := range n {
			servers = append(servers, fmt.Sprintf("vc%d.example.com", i))
		}
		_, warnings := made(t, servers, full(servers...), EmitOptions{})
		got := [2]bool{mentions(warnings, "installer accepts at most 3"), mentions(warnings, "CSI driver accepts at most 5")}
		if got != want {
			t.Errorf("%d vCenters: %q", n, warnings)
		}
	}
}

func TestFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials")
	const text = "[" + vc1 + "]\nuser = main@d\npassword = m\ncsi-driver.user = csi@d\ncsi-driver.password = `c#`\n[other]\nuser = x\npassword = y\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := credfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got := FromFile(f, []string{vc1, vc2})
	want := Accounts{vc1: {"installer": account("main@d", "m"), "csi-driver": account("csi@d", "c#")}, vc2: {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whoever makes secrets without having looked at the file gets none with a placeholder either.
func TestNoSecretOfAPlaceholder(t *testing.T) {
	t.Parallel()
	_, err := checkAccount(false, credfile.Account{User: "a@vsphere.local", Password: secret.New("REPLACE_WITH_PASSWORD")})
	if !errors.Is(err, credfile.ErrPlaceholder) {
		t.Errorf("%v", err)
	}
}
