package openshift

import (
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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// knownRelease holds the four requests that every release has.
func knownRelease() map[string]string {
	text := ""
	for _, k := range release.Consumers() {
		if k.Component != "" && !k.Component.OptIn() {
			text += objectstest.RequestYAML(k.Name, k.Target.String(), objectstest.Provider)
		}
	}
	return map[string]string{"requests.yaml": text}
}

func TestProfiles(t *testing.T) {
	requests, err := release.ReadRequests(objectstest.Release(t, knownRelease()), false)
	if err != nil {
		t.Fatal(err)
	}
	withCAPI, err := release.ReadRequests(objectstest.Release(t, map[string]string{"a.yaml": objectstest.MapiRequest() + objectstest.CapiRequest()}), false)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		o        EmitOptions
		want     []string // file: namespace/name user
		warnings []string
		without  []string
	}{
		"kube-system with root": {
			EmitOptions{RootSecret: true, Components: []component.Name{"csi-driver"}},
			[]string{"99_vsphere-creds-csi-driver.yaml: kube-system/vsphere-creds-csi-driver csi-driver", "99_cloud-creds-secret.yaml: kube-system/vsphere-creds machine-api"},
			[]string{"gives that account to every component"},
			[]string{"MissingRootCredential", "managedBootImages"},
		},
		"component-scoped": {
			EmitOptions{Profile: ProfileComponentScoped, Components: component.Default()},
			[]string{
				"99_vsphere-machine-api-credentials.yaml: " + objectstest.MapiTarget + " machine-api", "99_vsphere-csi-credentials.yaml: " + objectstest.CSITarget + " csi-driver",
				"99_vsphere-cloud-controller-credentials.yaml: " + objectstest.CCMTarget + " cloud-controller", "99_vsphere-problem-detector-credentials.yaml: " + objectstest.VPDTarget + " diagnostics",
			},
			[]string{"still open", "Manual mode", "no secret here is for them"},
			[]string{"main account"},
		},
		"component-scoped with all": {
			EmitOptions{Profile: ProfileComponentScoped, Components: []component.Name{"machine-api"}, RootSecret: true, Extra: Extras()},
			[]string{
				"99_vsphere-machine-api-credentials.yaml: " + objectstest.MapiTarget + " machine-api", "99_vsphere-cluster-api-credentials.yaml: " + objectstest.CapiTarget + " machine-api",
				"99_vsphere-machine-config-credentials.yaml: openshift-machine-config-operator/vsphere-cloud-credentials machine-api",
				"99_cloud-creds-secret.yaml: kube-system/vsphere-creds machine-api",
			},
			nil,
			[]string{"no secret here is for them"},
		},
		"manual": {
			EmitOptions{Profile: ProfileManual, Requests: requests, Components: []component.Name{"diagnostics", "machine-api"}},
			[]string{
				"manifests/openshift-machine-api-vsphere-cloud-credentials-credentials.yaml: " + objectstest.MapiTarget + " machine-api",
				"manifests/openshift-cluster-storage-operator-vsphere-cloud-credentials-credentials.yaml: " + objectstest.VPDTarget + " diagnostics",
			},
			[]string{"csi-driver is not among the components", "no secret here is for them"},
			nil,
		},
		"manual with all": {
			EmitOptions{Profile: ProfileManual, Requests: requests, Components: []component.Name{"machine-api"}, RootSecret: true, Extra: []string{"cluster-api"}},
			[]string{
				"manifests/openshift-machine-api-vsphere-cloud-credentials-credentials.yaml: " + objectstest.MapiTarget + " machine-api",
				"manifests/openshift-cluster-api-capv-manager-bootstrap-credentials-credentials.yaml: " + objectstest.CapiTarget + " machine-api",
				"manifests/kube-system-vsphere-creds-credentials.yaml: kube-system/vsphere-creds machine-api",
			},
			nil,
			[]string{"no secret here is for them"},
		},
		"component-scoped, Cluster API has an account": {
			EmitOptions{Profile: ProfileComponentScoped, Extra: []string{"cluster-api"}},
			[]string{
				"99_vsphere-machine-api-credentials.yaml: " + objectstest.MapiTarget + " machine-api", "99_vsphere-csi-credentials.yaml: " + objectstest.CSITarget + " csi-driver",
				"99_vsphere-cloud-controller-credentials.yaml: " + objectstest.CCMTarget + " cloud-controller", "99_vsphere-problem-detector-credentials.yaml: " + objectstest.VPDTarget + " diagnostics",
				"99_vsphere-cluster-api-credentials.yaml: " + objectstest.CapiTarget + " cluster-api",
			},
			nil, nil,
		},
		"kube-system, Cluster API has an account": {
			EmitOptions{Components: []component.Name{"machine-api", "cluster-api"}},
			[]string{"99_vsphere-creds-machine-api.yaml: kube-system/vsphere-creds-machine-api machine-api"},
			[]string{"profile kube-system has no secret for cluster-api"},
			nil,
		},
		"manual, Cluster API has an account": {
			EmitOptions{Profile: ProfileManual, Requests: withCAPI},
			[]string{
				"manifests/openshift-machine-api-vsphere-cloud-credentials-credentials.yaml: " + objectstest.MapiTarget + " machine-api",
				"manifests/openshift-cluster-api-capv-manager-bootstrap-credentials-credentials.yaml: " + objectstest.CapiTarget + " cluster-api",
			},
			[]string{"only with feature gate ClusterAPIMachineManagement"},
			nil,
		},
		"passthrough": {
			EmitOptions{Profile: ProfilePassthrough},
			[]string{"99_cloud-creds-secret.yaml: kube-system/vsphere-creds installer", "99_role-cloud-creds-secret-reader.yaml: role"},
			[]string{"privileges of all of them", "not those of machine-api, csi-driver, cloud-controller, diagnostics, cluster-api"},
			[]string{"enhancement"},
		},
	} {
		manifests, warnings, err := Manifests([]string{vc1}, full(vc1), tt.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, m := range manifests {
			if m.Role != nil {
				got = append(got, m.File+": role")
				continue
			}
			user := strings.TrimSuffix(strings.TrimPrefix(string(m.Secret.Data[vc1+".username"]), "ocp-cluster1-"), "@vsphere.local")
			got = append(got, m.File+": "+m.Secret.Namespace+"/"+m.Secret.Name+" "+user)
			if mode := m.Secret.Annotations[modeKey]; (mode == "passthrough") != (m.Secret.Name == "vsphere-creds" && !tt.o.profile().Manual) {
				t.Errorf("%s: %s: mode %q", name, m.File, mode)
			}
			if !tt.o.profile().Labelled && len(m.Secret.Labels) > 0 {
				t.Errorf("%s: %s: labels %v", name, m.File, m.Secret.Labels)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, w := range tt.warnings {
			if !mentions(warnings, w) {
				t.Errorf("%s: no %q in %q", name, w, warnings)
			}
		}
		for _, w := range tt.without {
			if mentions(warnings, w) {
				t.Errorf("%s: %q in %q", name, w, warnings)
			}
		}
	}
}

func TestProfilesRefuse(t *testing.T) {
	lone := Accounts{vc1: {"installer": account("admin", "pw-x")}}
	half := full(vc1)
	delete(half[vc1], "diagnostics")
	for _, tt := range []struct {
		a    Accounts
		o    EmitOptions
		want string
	}{
		{half, EmitOptions{Profile: ProfileComponentScoped}, vc1 + ": no account for diagnostics, and profile component-scoped has no main account"},
		{Accounts{vc1: {}}, EmitOptions{Profile: ProfilePassthrough}, vc1 + ": no main account (installer), which all components share"},
		{lone, EmitOptions{Profile: ProfilePassthrough}, "CSI driver would not start"},
		{full(vc1), EmitOptions{Profile: ProfilePassthrough, RootSecret: true}, "already writes the root secret, with the main account"},
		{full(vc1), EmitOptions{Profile: ProfilePassthrough, Components: []component.Name{"csi-driver"}}, "has one account, installer"},
		{full(vc1), EmitOptions{Extra: []string{"cluster-api"}}, "has no extra secrets"},
		{full(vc1), EmitOptions{Profile: ProfileManual, Extra: []string{"mco"}}, `unknown extra secret "mco"`},
		{full(vc1), EmitOptions{Profile: ProfileManual}, "needs the CredentialsRequests"},
		{full(vc1), EmitOptions{Components: []component.Name{"cluster-api"}}, "profile kube-system has no secret for cluster-api"},
		{full(vc1), EmitOptions{Profile: "shared"}, `unknown profile "shared"`},
		{full(vc1), EmitOptions{Profile: ProfileComponentScoped, Components: []component.Name{"installer"}}, "no component with a secret is selected: the"},
	} {
		manifests, _, err := Manifests([]string{vc1}, tt.a, tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || manifests != nil || strings.Contains(err.Error(), "pw-") {
			t.Errorf("%+v: got %v", tt.o, err)
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

// The accounts of any profile come back from its YAML: read as accounts, and explained. What is printed is valid.
func TestEveryProfileRoundTrips(t *testing.T) {
	requests, err := release.ReadRequests(objectstest.Release(t, knownRelease()), false)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		o := EmitOptions{Profile: rapid.SampledFrom(ProfileNames()).Draw(t, "profile"), CCOLabel: rapid.SampledFrom([]string{"", LabelYes, LabelNone}).Draw(t, "label")}
		wanted := []component.Name{"machine-api", "csi-driver", "cloud-controller", "diagnostics"}
		switch o.Profile {
		case ProfilePassthrough:
			wanted = []component.Name{component.Installer}
		case ProfileManual:
			o.Requests = requests
		}
		if o.Profile != ProfilePassthrough {
			o.RootSecret = rapid.Bool().Draw(t, "root")
		}
		if o.profile().Manual {
			o.Extra = rapid.SampledFrom([][]string{nil, {"cluster-api"}, {"cluster-api", "machine-config"}}).Draw(t, "extra")
		}
		servers := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z0-9]([A-Za-z0-9.-]{0,20}[A-Za-z0-9])?`), 1, 3, strings.ToLower).Draw(t, "servers")
		a := Accounts{}
		for _, server := range servers {
			a[server] = map[component.Name]credfile.Account{}
			for i, c := range wanted {
				user := rapid.StringMatching(`[a-zA-Z0-9._-]{1,8}@[a-z.]{1,8}|[A-Z.-]{1,6}\\[a-z._-]{1,8}`).
					Filter(func(user string) bool { return len((credfile.Account{User: user}).Unfilled()) == 0 }).Draw(t, "user")
				a[server][c] = account(user, hostile(t, "password")+strings.Repeat("x", i)) // each its own
			}
		}
		text := written(t, servers, a, o)
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
		e, err := Explain(secrets, ExplainOptions{Requests: o.Requests})
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
				case o.Profile == ProfilePassthrough:
					account = a[use.Server][component.Installer]
				case o.profile().Manual:
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
