package kubetest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// syncing is a cluster that gets its secrets by `secrets sync`.
type syncing struct {
	*testing.T
	*cluster
	product, home, kubeconfig string
	rng                       *rand.Rand
}

// TestSync runs each promise on one API server, which holds no secrets when it begins.
func TestSync(t *testing.T) {
	p := need(t)
	c := start(t, p)
	c.do(t, nil, "create", "namespace", "vsphere-admin")
	c.do(t, nil, "create", "serviceaccount", "syncer", "-n", "vsphere-admin")
	rng := rand.New(rand.NewPCG(seed(t), 0))
	for name, keep := range map[string]func(*syncing){
		"writes": (*syncing).writes, "conflicts": (*syncing).conflicts, "least": (*syncing).withTheLeast, "interrupted": (*syncing).interrupted,
	} {
		t.Run(name, func(t *testing.T) {
			s := &syncing{T: t, cluster: c, product: p.product, home: t.TempDir(), kubeconfig: filepath.Join(c.dir, "kubeconfig"), rng: rng}
			keep(s)
			s.do(t, nil, "delete", "secrets", "--all", "--all-namespaces")
			_, _, _ = s.try(t, nil, "delete", "clusterrolebinding", "vsphere-secrets-reader")
		})
	}
}

// estate are new accounts, with passwords that are easy to find.
func (s *syncing) estate() estate {
	none := []string{}
	e := deal(s.rng, vCenters[:2], []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics", "installer"}, &none)
	for _, of := range e {
		for c, a := range of {
			of[c] = account{a.user, fmt.Sprintf("pw-canary-%d", s.rng.Uint64())}
		}
	}
	return e
}

// sync runs `secrets sync` with the accounts of e; code is how it ends, "" = well. No password is in what it says.
func (s *syncing) sync(e estate, code string, words ...string) (stdout, stderr string) {
	s.Helper()
	words = append([]string{"secrets", "sync", "--credentials-file", e.write(s.T, s.home), "--kubeconfig", s.kubeconfig, "--no-verify"}, words...)
	out, stderr, err := run(s.T, s.home, nil, nil, s.product, words...)
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != code {
		s.Fatalf("%s: %q, want %q:\n%s%s", strings.Join(words, " "), got, code, out, stderr)
	}
	if strings.Contains(string(out)+stderr, "canary") {
		s.Errorf("%s shows a password:\n%s%s", strings.Join(words, " "), out, stderr)
	}
	return string(out), stderr
}

// holds compares the secrets of the cluster with the accounts.
func (s *syncing) holds(e estate) map[string]object {
	s.Helper()
	found := s.get(s.T, "secrets")
	for name, want := range kubeSystem() {
		got := map[string]string{}
		for k, v := range found[name].Data {
			got[k] = string(v)
		}
		if !reflect.DeepEqual(got, e.keys(want.component)) {
			s.Errorf("%s holds %q", name, got)
		}
		if !maps.Equal(found[name].Metadata.Labels, want.labels) || !maps.Equal(found[name].Metadata.Annotations, want.annotations) {
			s.Errorf("%s is marked %v %v", name, found[name].Metadata.Labels, found[name].Metadata.Annotations)
		}
	}
	return found
}

// changed are the secrets whose version is another one.
func (s *syncing) changed(before map[string]object) (names []string) {
	s.Helper()
	for name, o := range s.get(s.T, "secrets") {
		if o.Metadata.ResourceVersion != before[name].Metadata.ResourceVersion {
			names = append(names, name)
		}
	}
	return names
}

const diagnostics = "kube-system/vsphere-creds-diagnostics"

// writes keeps this promise: `secrets sync` creates the secrets that `secrets emit` prints, as a field manager of its own; a second
// time nothing is written, a new password changes its secret alone, and a vCenter that is gone takes its keys along. Without --yes, and with
// --dry-run, nothing is written.
func (s *syncing) writes() {
	e := s.estate()
	if out, _ := s.sync(e, "", "--dry-run"); strings.Count(out, " new\n") != 4 {
		s.Errorf("dry run: %s", out)
	}
	if _, stderr := s.sync(e, "exit status 1"); !strings.Contains(stderr, "secrets sync needs confirmation") || !strings.Contains(stderr, "--yes confirms") {
		s.Errorf("unasked: %s", stderr)
	}
	if found := s.get(s.T, "secrets"); len(found) > 0 {
		s.Fatalf("written: %v", found)
	}
	s.sync(e, "", "--yes")
	before := s.holds(e)
	const managers = "jsonpath={.items[*].metadata.managedFields[*]['manager','operation']}"
	if got := string(s.do(s.T, nil, "get", "secrets", "-n", "kube-system", "-o", managers)); strings.Count(got, "ocp-vsphere-admin") != 4 || strings.Count(got, "Apply") != 4 || len(strings.Fields(got)) != 8 {
		s.Errorf("managers: %s", got)
	}
	s.sync(e, "", "--yes")
	if names := s.changed(before); len(names) > 0 {
		s.Errorf("the second time it wrote %v", names)
	}

	e[vCenters[0]]["diagnostics"] = account{e[vCenters[0]]["diagnostics"].user, "pw-canary-new"}
	out, _ := s.sync(e, "", "--yes", "-o", "json")
	var view struct {
		Kind, Cluster string
		Objects       []struct {
			Name, Change, Status string
			VCenters             []struct{ Server, Change string }
		}
	}
	if err := json.Unmarshal([]byte(out), &view); err != nil || view.Kind != "SecretsSync" || view.Cluster != s.url || len(view.Objects) != 4 {
		s.Fatalf("%v: %s", err, out)
	}
	for _, o := range view.Objects {
		switch {
		case o.Name != diagnostics && o.Change == "same" && o.Status == "":
		case o.Name == diagnostics && o.Change == "changed" && o.Status == "done" && len(o.VCenters) == 1 && o.VCenters[0].Change == "another password":
		default:
			s.Errorf("%+v", o)
		}
	}
	if names := s.changed(before); !reflect.DeepEqual(names, []string{diagnostics}) {
		s.Errorf("changed: %v", names)
	}
	s.holds(e)

	e = e.without(vCenters[1])
	if _, stderr := s.sync(e, "exit status 1", "--yes"); !strings.Contains(stderr, "nothing was written") || !strings.Contains(stderr, "--switch") {
		s.Errorf("unguarded: %s", stderr)
	}
	s.sync(e, "", "--yes", "--switch", "machine-api,csi-driver,cloud-controller,diagnostics")
	s.holds(e)

	s.do(s.T, nil, "delete", "secrets", "--all", "-n", "kube-system")
	for _, p := range profiles { // every object that emit prints, roles too
		if p.name != "passthrough" {
			continue
		}
		s.sync(e, "", append([]string{"--yes"}, p.words...)...)
		secrets, roles := s.get(s.T, "secrets"), s.get(s.T, "roles")
		for name := range p.secrets {
			if string(secrets[name].Data[vCenters[0]+".password"]) != e[vCenters[0]]["installer"].password {
				s.Errorf("%s: %v", name, secrets[name])
			}
		}
		for name, want := range p.roles {
			if !reflect.DeepEqual(roles[name].Rules, want) {
				s.Errorf("role %s: %v", name, roles[name].Rules)
			}
		}
	}
}

// conflicts keeps this promise: fields that another manager has set to other values stay, and then nothing is written at all;
// the error says whose they are; with --force-conflicts they are taken over, and that is said. What others have added stays.
func (s *syncing) conflicts() {
	e := s.estate()
	out, stderr, err := run(s.T, s.home, nil, nil, s.product, "secrets", "emit", "--credentials-file", e.write(s.T, s.home))
	if err != nil {
		s.Fatalf("%v: %s", err, stderr)
	}
	s.do(s.T, out, "apply", "-f", "-")
	s.do(s.T, nil, "label", "secret", "-n", "kube-system", "vsphere-creds-diagnostics", "team=a")
	before := s.get(s.T, "secrets")
	s.sync(e, "", "--dry-run")
	e[vCenters[0]]["diagnostics"] = account{e[vCenters[0]]["diagnostics"].user, "pw-canary-new"}
	_, stderr = s.sync(e, "exit status 1", "--yes")
	for _, want := range []string{
		"secret " + diagnostics + ": fields of another manager differ: kubectl-client-side-apply: .data." + vCenters[0] + ".password\n",
		"hint: nothing was written\n", "--force-conflicts takes them over",
	} {
		if !strings.Contains(stderr, want) {
			s.Errorf("no %q in %s", want, stderr)
		}
	}
	if names := s.changed(before); len(names) > 0 {
		s.Fatalf("half applied: %v", names)
	}
	s.do(s.T, []byte(`{"data": {"other": "eA=="}}`), "patch", "secret", "-n", "kube-system", "vsphere-creds-csi-driver", "--patch-file=/dev/stdin")
	_, stderr = s.sync(e, "", "--yes", "--force-conflicts")
	if !strings.Contains(stderr, "warning: "+diagnostics+": taken over from other managers: kubectl-client-side-apply: .data."+vCenters[0]+".password\n") ||
		!strings.Contains(stderr, "warning: kube-system/vsphere-creds-csi-driver keeps other, which another field manager set") {
		s.Error(stderr)
	}
	found := s.get(s.T, "secrets")
	if string(found[diagnostics].Data[vCenters[0]+".password"]) != "pw-canary-new" || found[diagnostics].Metadata.Labels["team"] != "a" || string(found["kube-system/vsphere-creds-csi-driver"].Data["other"]) != "x" {
		s.Errorf("%v", found)
	}
	e[vCenters[0]]["diagnostics"] = account{e[vCenters[0]]["diagnostics"].user, "pw-canary-again"}
	s.sync(e, "", "--yes") // it is ours now
}

// withTheLeast keeps this promise: the roles that the guide prints are enough for `secrets sync`, and who has them may do nothing
// else. Who may not write one of the secrets writes none.
func (s *syncing) withTheLeast() {
	e := s.estate()
	s.kubeconfig = filepath.Join(s.home, "syncer")
	if err := os.WriteFile(s.kubeconfig, []byte(s.kubeconfigOf(s.T, "vsphere-admin", "syncer")), 0o600); err != nil {
		s.Fatal(err)
	}
	if _, stderr := s.sync(e, "exit status 1", "--yes"); !strings.Contains(stderr, "may not read secrets") {
		s.Error(stderr)
	}
	roles := string(documented(s.T, "cluster-admin.md", "secrets-sync.yaml"))
	s.do(s.T, []byte(strings.Replace(roles, ", vsphere-creds-diagnostics]", "]", 1)), "apply", "--validate=strict", "-f", "-")
	_, stderr := s.sync(e, "exit status 1", "--yes")
	if !strings.Contains(stderr, "secret "+diagnostics+": kubeconfig "+s.kubeconfig+" may not get it\n") || !strings.Contains(stderr, "hint: nothing was written") {
		s.Error(stderr)
	}
	if found := s.get(s.T, "secrets"); len(found) > 0 {
		s.Fatalf("half applied: %v", found)
	}
	s.do(s.T, []byte(roles), "apply", "--validate=strict", "-f", "-")
	s.sync(e, "", "--yes")
	s.holds(e)
	s.sync(e, "", "--yes")
	for _, words := range []string{
		"delete secrets/vsphere-creds-diagnostics -n kube-system", "update secrets/vsphere-creds-diagnostics -n kube-system", "patch secrets/other -n kube-system",
		"create secrets/other -n kube-system", "patch secrets/vsphere-creds-diagnostics -n vsphere-admin", "watch secrets -A", "get configmaps -n kube-system", "list nodes",
	} {
		args := append([]string{"auth", "can-i"}, strings.Fields(words)...)
		if stdout, _, err := s.try(s.T, nil, append(args, "--as=system:serviceaccount:vsphere-admin:syncer")...); err == nil || !strings.HasPrefix(string(stdout), "no") {
			s.Errorf("%s: %v, %s", words, err, stdout)
		}
	}
}

// interrupted keeps this promise: an interrupt ends the run between two writes, with exit code 130 and a report of what was
// written; the same command again completes it.
func (s *syncing) interrupted() {
	e := s.estate()
	s.do(s.T, documented(s.T, "cluster-admin.md", "secrets-sync.yaml"), "apply", "--validate=strict", "-f", "-")
	target, err := url.Parse(s.url)
	if err != nil {
		s.Fatal(err)
	}
	var product *exec.Cmd
	ended := make(chan struct{})
	var writes sync.Mutex
	wrote := 0
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.Transport = trusting(s.T, filepath.Join(s.dir, "ca.crt"))
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && r.URL.Query().Get("dryRun") == "" {
			writes.Lock()
			defer writes.Unlock()
			if wrote++; wrote == 2 {
				_ = product.Process.Signal(os.Interrupt)
				<-ended // it is not answered
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	s.Cleanup(proxy.Close)
	text := strings.ReplaceAll(s.kubeconfigOf(s.T, "vsphere-admin", "syncer"), s.url, proxy.URL)
	text = strings.ReplaceAll(text, fmt.Sprintf("certificate-authority: %q", filepath.Join(s.dir, "ca.crt")), "insecure-skip-tls-verify: true")
	through := filepath.Join(s.home, "through")
	if err := os.WriteFile(through, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	var said strings.Builder
	product = exec.CommandContext(s.Context(), s.product, "secrets", "sync", "--credentials-file", e.write(s.T, s.home), "--kubeconfig", through, "--no-verify", "--yes", "-o", "json")
	product.Env, product.Dir, product.Stdout, product.Stderr = []string{"HOME=" + s.home}, s.home, &said, &said
	err = product.Run()
	close(ended)
	if err == nil || err.Error() != "exit status 130" || strings.Count(said.String(), `"status": "done"`) != 1 || strings.Count(said.String(), `"status": "skipped"`) != 2 {
		s.Errorf("%v: %s", err, said.String())
	}
	if found := s.get(s.T, "secrets"); len(found) != 1 {
		s.Errorf("there are %d secrets", len(found))
	}
	s.sync(e, "", "--yes")
	s.holds(e)
}

// trusting is a transport that trusts an authority.
func trusting(t *testing.T, path string) *http.Transport {
	t.Helper()
	text, err := os.ReadFile(path)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(text) {
		t.Fatalf("%s: %v", path, err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}
