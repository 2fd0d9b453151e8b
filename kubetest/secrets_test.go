package kubetest

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSecrets keeps this promise: for every profile, what `secrets emit` prints is accepted by an API server and read
// back byte for byte; a second time changes nothing; new passwords replace the old ones; a vCenter that is gone from
// the credentials file is gone from the secrets. Both ways of applying do the same.
func TestSecrets(t *testing.T) {
	p := need(t)
	c := start(t, p)
	for ns := range namespaces() {
		c.do(t, nil, "create", "namespace", ns)
	}
	t.Run("keys", c.refusesKeys)
	for _, prof := range profiles {
		for how, flags := range map[string][]string{"client side": nil, "server side": {"--server-side"}} {
			t.Run(prof.name+"/"+how, func(t *testing.T) {
				s := &scene{cluster: c, programs: p, profile: prof, home: t.TempDir(), apply: append([]string{"apply", "-f", "-"}, flags...)}
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
	programs
	profile profile
	home    string   // of the product; the credentials file and what the profile reads are here
	apply   []string // the words for kubectl
}

func (s *scene) play(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // inputs of a test, made again from the seed
	if s.profile.prepare != nil {
		s.profile.prepare(t, s.home)
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
	e = e.without(vCenters[1])
	s.applied(t, e)
	s.do(t, s.emit(t, e), "delete", "-f", "-")
	if rest := s.get(t, "secrets"); len(rest) > 0 {
		t.Errorf("left over: %v", slices.Sorted(maps.Keys(rest)))
	}
}

// emit runs `secrets emit`; its warnings are talk.
func (s *scene) emit(t *testing.T, e estate) []byte {
	t.Helper()
	words := append([]string{"secrets", "emit", "--credentials-file", e.write(t, s.home)}, s.profile.words...)
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
		component, ok := s.profile.secrets[name]
		if !ok {
			t.Errorf("secret %s was not expected", name)
			continue
		}
		got := map[string]string{}
		for k, v := range o.Data {
			got[k] = string(v)
		}
		if want := e.keys(component); !reflect.DeepEqual(got, want) {
			t.Errorf("secret %s:\n got %q\nwant %q", name, got, want)
		}
		if o.Type != "Opaque" {
			t.Errorf("secret %s has type %s", name, o.Type)
		}
		annotations := maps.Clone(o.Metadata.Annotations)
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		wantLabels, wantAnnotations := s.profile.marks(component)
		if !maps.Equal(o.Metadata.Labels, wantLabels) || !maps.Equal(annotations, wantAnnotations) {
			t.Errorf("secret %s has labels %v, want %v; annotations %v, want %v", name, o.Metadata.Labels, wantLabels, annotations, wantAnnotations)
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
