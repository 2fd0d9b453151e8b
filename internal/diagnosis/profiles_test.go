package diagnosis

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// The accounts of any profile come back from its YAML: read as accounts, and explained. What is printed is valid.
func TestEveryProfileRoundTrips(t *testing.T) {
	four := ""
	for _, k := range release.Consumers() {
		if k.Component != "" && !k.Component.OptIn() {
			four += objectstest.RequestYAML(k.Name, k.Target.String(), objectstest.Provider)
		}
	}
	requests, err := release.ReadRequests(objectstest.Release(t, map[string]string{"requests.yaml": four}), false)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		o := openshift.EmitOptions{Profile: rapid.SampledFrom(openshift.ProfileNames()).Draw(t, "profile"), CCOLabel: rapid.SampledFrom([]string{"", openshift.LabelYes, openshift.LabelNone}).Draw(t, "label")}
		wanted := []component.Name{"machine-api", "csi-driver", "cloud-controller", "diagnostics"}
		switch o.Profile {
		case openshift.ProfilePassthrough:
			wanted = []component.Name{component.Installer}
		case openshift.ProfileManual:
			o.Requests = requests
		case openshift.ProfileKubernetes:
			wanted, o.Driver.Topology = []component.Name{"csi-driver", "cloud-controller"}, []string{"zone"}
		}
		if o.Profile != openshift.ProfilePassthrough && o.Profile != openshift.ProfileKubernetes {
			o.RootSecret = rapid.Bool().Draw(t, "root")
		}
		profile, _ := openshift.FindProfile(o.Profile)
		if profile.Manual {
			o.Extra = rapid.SampledFrom([][]string{nil, {"cluster-api"}, {"cluster-api", "machine-config"}}).Draw(t, "extra")
		}
		servers := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z0-9]([A-Za-z0-9.-]{0,20}[A-Za-z0-9])?`), 1, 3, strings.ToLower).Draw(t, "servers")
		a := openshift.Accounts{}
		for _, server := range servers {
			a[server] = map[component.Name]credfile.Account{}
			for i, c := range wanted {
				user := rapid.StringMatching(`[a-zA-Z0-9._-]{1,8}@[a-z.]{1,8}|[A-Z.-]{1,6}\\[a-z._-]{1,8}`).
					Filter(func(user string) bool { return len((credfile.Account{User: user}).Unfilled()) == 0 }).Draw(t, "user")
				password := hostile(t, "password") + strings.Repeat("x", i) // each its own
				if profile.Homes != nil {                                   // its configuration cannot hold others
					password = strings.ToValidUTF8(strings.ReplaceAll(password, "\x00", ""), "") + "y"
				}
				a[server][c] = account(user, password)
			}
		}
		manifests, _, err := openshift.Manifests(servers, a, o)
		if err != nil {
			t.Fatal(err)
		}
		var yaml bytes.Buffer
		if err := openshift.WriteYAML(&yaml, manifests, o); err != nil {
			t.Fatal(err)
		}
		text := yaml.Bytes()
		got, warnings, err := ReadAccounts("dump", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, got); diff != "" || len(warnings) > 0 && len(o.Extra) == 0 {
			t.Fatalf("%q %s", warnings, diff)
		}
		strictly(t, text)
		secrets, err := objects.ParseSecrets("dump", text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := (asked{Requests: o.Requests}).explain(secrets...)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range e.Findings {
			if f.Severity == finding.Error {
				t.Fatalf("%+v", f)
			}
		}
		for _, r := range e.Requests {
			for _, use := range r.Accounts {
				account := a[use.Server][r.Component]
				user := use.Enhancement
				switch {
				case r.Component == "" || r.Component.OptIn(): // not among those wanted
					continue
				case o.Profile == openshift.ProfilePassthrough:
					account = a[use.Server][component.Installer]
				case profile.Manual:
					user = use.Now
				}
				if user != account.User {
					t.Fatalf("%s: %s on %s, want %s", r.Request, user, use.Server, account.User)
				}
			}
		}
		held := map[string]bool{}
		for _, h := range e.Held() {
			held[h.Server+"\x00"+h.Account.User+"\x00"+h.Account.Password.Reveal()] = true
		}
		for server, accounts := range a {
			for c, account := range accounts {
				if !held[server+"\x00"+account.User+"\x00"+account.Password.Reveal()] {
					t.Fatalf("%s on %s is not among those to try", c, server)
				}
			}
		}
	})
}

// strictly reads every document as the API's types, refusing unknown and doubled fields.
func strictly(t *rapid.T, text []byte) {
	for i, doc := range strings.Split(string(text), "\n---\n")[1:] {
		var s corev1.Secret
		if strings.Contains(doc, "\nkind: Role\n") {
			if err := yaml.UnmarshalStrict([]byte(doc), &rbacv1.Role{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := yaml.UnmarshalStrict([]byte(doc), &s); err != nil {
			t.Fatalf("document %d: %v", i+1, err)
		}
		if s.APIVersion != "v1" || s.Kind != "Secret" || s.Type != corev1.SecretTypeOpaque || len(s.StringData) > 0 {
			t.Fatalf("document %d: %s %s %s", i+1, s.APIVersion, s.Kind, s.Type)
		}
	}
}

// hostile draws a password of any characters but line breaks.
func hostile(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.StringN(1, 30, -1).Filter(func(s string) bool { return !strings.ContainsAny(s, "\r\n") }),
		rapid.SampledFrom([]string{"yes", "null", "~", "*a", "&a", "{{ . }}", "|", "- x", "# x", "a: b", "'", `"`, `\`, "---", "0x1f", "1e3", " x ", "\t", "%(user)s", "\u2028", "=", "!!binary x"}),
	).Draw(t, name)
}
