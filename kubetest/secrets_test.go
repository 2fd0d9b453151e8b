package kubetest

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSecrets keeps this promise: for every profile, what `secrets emit` prints is accepted by an API server and read
// back byte for byte; a second time changes nothing; new passwords replace the old ones; `secrets explain` finds in
// what kubectl prints the accounts that were written; a vCenter that is gone from the credentials file is gone from the
// secrets. Both ways of applying do the same.
func TestSecrets(t *testing.T) {
	p := need(t)
	c := start(t, p)
	for _, ns := range namespaces() {
		c.do(t, nil, "create", "namespace", ns)
	}
	t.Run("keys", c.refusesKeys)
	for _, prof := range profiles {
		for _, how := range []string{"client", "server"} {
			t.Run(prof.name+"/"+how, func(t *testing.T) {
				s := &scene{cluster: c, product: p.product, profile: prof, home: t.TempDir()}
				s.apply = []string{"apply", "-f", "-", "--server-side=" + strconv.FormatBool(how == "server")}
				s.play(t)
			})
		}
	}
}

// refusesKeys keeps this promise: what `secrets emit` refuses to make a key of, the API server would refuse too.
func (c *cluster) refusesKeys(t *testing.T) {
	for _, server := range []string{"[fd00::1]", "fd00::1", "vcenter1.example.com:8443"} {
		text := "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: kube-system}\nstringData: {\"" + server + ".username\": u}\n"
		if _, stderr, err := c.try(t, []byte(text), "apply", "-f", "-"); err == nil || !strings.Contains(stderr, "Invalid value") {
			t.Errorf("%s: %v, %s", server, err, stderr)
		}
	}
}

// scene is one profile on an API server that holds no other secrets.
type scene struct {
	*cluster
	product string
	profile profile
	home    string   // of the product; the credentials file and what the profile reads are here
	apply   []string // the words for kubectl
}

func (s *scene) play(t *testing.T) {
	seed := seed(t)
	t.Logf("KUBETEST_SEED=%d makes these passwords again", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	_, _, _ = s.try(t, nil, "delete", "secrets", "--all", "--all-namespaces") // what a failure before left
	if s.profile.requests != nil {
		s.profile.requests(t, s.home)
	}
	// All hostile passwords, as many rounds of new passwords as that takes, then one by chance.
	left := slices.Clone(hostile)
	rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	var e estate
	for more := true; more; {
		more = len(left) > 0
		e = deal(rng, vCenters, s.profile.components, &left)
		s.applied(t, e)
	}
	before := s.get(t, "secrets,roles")
	s.applied(t, e)
	after := s.get(t, "secrets,roles")
	for name, o := range before {
		if v := after[name].Metadata.ResourceVersion; v == "" || v != o.Metadata.ResourceVersion {
			t.Errorf("%s: the second time made resource version %s of %s", name, v, o.Metadata.ResourceVersion)
		}
	}
	s.explained(t, e)
	e = e.without(vCenters[1])
	s.applied(t, e)
	s.do(t, s.emit(t, e), "delete", "-f", "-")
	if rest := s.get(t, "secrets"); len(rest) > 0 {
		t.Errorf("left over: %v", slices.Sorted(maps.Keys(rest)))
	}
}

func seed(t *testing.T) uint64 {
	t.Helper()
	text, ok := os.LookupEnv("KUBETEST_SEED")
	if !ok {
		return rand.Uint64()
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("KUBETEST_SEED: %v", err)
	}
	return n
}

// emit runs `secrets emit`; its warnings are talk.
func (s *scene) emit(t *testing.T, e estate) []byte {
	t.Helper()
	words := append([]string{"secrets", "emit", "--credentials-file", e.write(t, s.home)}, s.profile.words...)
	if s.profile.fields != "" {
		text := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\n" + s.profile.fields + "vcenters:\n"
		for _, server := range slices.Sorted(maps.Keys(e)) {
			text += "- server: " + server + "\n"
		}
		file := filepath.Join(s.home, "provisioning.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		words = append(words, "-f", file)
	}
	stdout, stderr, err := run(t, s.home, nil, nil, s.product, words...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, stderr)
	}
	return stdout
}

// applied emits and applies, and compares what the API server then holds with the accounts: these and nothing else.
func (s *scene) applied(t *testing.T, e estate) {
	t.Helper()
	s.do(t, s.emit(t, e), s.apply...)
	found := s.get(t, "secrets")
	for name, o := range found {
		want, ok := s.profile.secrets[name]
		if !ok {
			t.Errorf("secret %s was not expected", name)
			continue
		}
		got := map[string]string{}
		for k, v := range o.Data {
			got[k] = string(v)
		}
		if data := e.keys(want.component); !reflect.DeepEqual(got, data) {
			t.Errorf("secret %s:\n got %q\nwant %q", name, got, data)
		}
		if o.Type != "Opaque" {
			t.Errorf("secret %s has type %s", name, o.Type)
		}
		annotations := maps.Clone(o.Metadata.Annotations)
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		if !maps.Equal(o.Metadata.Labels, want.labels) || !maps.Equal(annotations, want.annotations) {
			t.Errorf("secret %s has labels %v, want %v; annotations %v, want %v", name, o.Metadata.Labels, want.labels, annotations, want.annotations)
		}
	}
	for name := range s.profile.secrets {
		if _, ok := found[name]; !ok {
			t.Errorf("secret %s is not there", name)
		}
	}
	roles := s.get(t, "roles")
	for name, want := range s.profile.roles {
		if !reflect.DeepEqual(roles[name].Rules, want) {
			t.Errorf("role %s: got %+v, want %+v", name, roles[name].Rules, want)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// explained gives the secrets, as kubectl prints them, to `secrets explain`, which must find each component's account.
func (s *scene) explained(t *testing.T, e estate) {
	t.Helper()
	words := []string{"secrets", "explain", "-f", "-", "-o", "json"}
	if i := slices.Index(s.profile.words, "--credentials-requests"); i >= 0 {
		words = append(words, s.profile.words[i:i+2]...)
	}
	stdout, stderr, err := run(t, s.home, nil, s.do(t, nil, "get", "secrets", "--all-namespaces", "-o", "yaml"), s.product, words...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, stderr)
	}
	var explanation struct {
		Requests []struct {
			Component string           `json:"component"`
			Accounts  []map[string]any `json:"accounts"`
		} `json:"requests"`
	}
	if err := json.Unmarshal(stdout, &explanation); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range explanation.Requests {
		if consumers[r.Component] == "" {
			continue // nobody has an account for Cluster API and the like
		}
		for _, a := range r.Accounts {
			server, _ := a["server"].(string)
			seen[server+" "+r.Component] = true
			for column, component := range s.profile.explained {
				if component == "" {
					component = r.Component
				}
				if want := e[server][component].user; a[column] != want {
					t.Errorf("secrets explain: %s of %s on %s is %v, want %s", column, r.Component, server, a[column], want)
				}
			}
		}
	}
	if want := len(vCenters) * len(consumers); len(seen) != want {
		t.Errorf("secrets explain knows %d accounts, want %d: %v", len(seen), want, slices.Sorted(maps.Keys(seen)))
	}
}
