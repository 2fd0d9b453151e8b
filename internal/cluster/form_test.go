package cluster

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// hostile draws what is hard to write in YAML, and what nobody expects in a password.
func hostile(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.StringN(1, 30, -1).Filter(func(s string) bool {
			return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r&0xfffe == 0xfffe || r == 0xfeff }) // which no YAML has
		}),
		rapid.SampledFrom([]string{"yes", "null", "~", "*a", "{{ . }}", "|", "- x", "# x", "a: b", "'", `"`, `\`, "---", "0x1f", "1e3", " x ", "\t", "%(user)s", "\u2028", "=", "!!binary x"}),
	).Draw(t, name)
}

// held are the accounts of a cluster by place, form, vCenter, user and password.
func held(c *Cluster) []string {
	var all []string
	for _, o := range c.Objects() {
		for _, h := range o.Holdings() {
			all = append(all, fmt.Sprintf("%s %s %q %q %q", h.At, h.Form, h.Server, h.User, h.Password.Reveal()))
		}
	}
	slices.Sort(all)
	return all
}

// again is what is read of manifests that were printed.
func again(t *rapid.T, manifests []openshift.Manifest) *Cluster {
	var text bytes.Buffer
	if err := openshift.WriteYAML(&text, manifests, openshift.EmitOptions{Head: "# a\n"}); err != nil {
		t.Fatal(err)
	}
	c, faults, err := Read("written.yaml", text.Bytes())
	if err != nil || len(faults) > 0 {
		t.Fatal(faults, err)
	}
	return c
}

// A form reads what it put, and what the tool writes for components and for Hive: the same accounts for the same vCenters, and no others.
func TestFormsReadWhatIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z0-9]([A-Za-z0-9.-]{0,20}[A-Za-z0-9])?`), 1, 3, strings.ToLower).Draw(t, "servers")
		draw := func() credfile.Account {
			user := rapid.StringMatching(`[a-zA-Z0-9._-]{1,8}@[a-z.]{1,8}|[A-Z.-]{1,6}\\[a-z._-]{1,8}`).
				Filter(func(user string) bool { return len((credfile.Account{User: user}).Unfilled()) == 0 }).Draw(t, "user")
			password := hostile(t, "password")
			if (credfile.Account{User: user, Password: secret.New(password)}).CheckFilled() != nil {
				password = "x"
			}
			return account(user, password)
		}
		words := func(at string, f Form, server string, a credfile.Account) string {
			return fmt.Sprintf("%s %s %q %q %q", at, f, server, a.User, a.Password.Reveal())
		}
		a := openshift.Accounts{}
		var want []string
		for _, server := range servers {
			a[server] = map[component.Name]credfile.Account{component.CSIDriver: draw(), component.Installer: draw()}
			want = append(want, words(objectstest.CSITarget, FormKeys, server, a[server][component.CSIDriver]), words("hub/creds", FormHive, server, a[server][component.Installer]))
		}
		manifests, _, err := openshift.Manifests(servers, a, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, Components: []component.Name{component.CSIDriver}})
		if err != nil {
			t.Fatal(err)
		}
		hive, err := openshift.HiveSecret().Manifest(component.At("hub", "creds"), servers, a, component.Installer)
		if err != nil {
			t.Fatal(err)
		}
		kubernetes, _, err := openshift.Manifests(servers, a, openshift.EmitOptions{
			Profile: openshift.ProfileKubernetes, Components: []component.Name{component.CSIDriver}, Driver: openshift.Driver{Topology: []string{"x"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		const home = "vmware-system-csi/vsphere-config-secret"
		for _, server := range servers {
			want = append(want, words(home, FormConf, server, a[server][component.CSIDriver]))
		}
		there := again(t, slices.Concat(manifests, []openshift.Manifest{hive}, kubernetes))
		slices.Sort(want)
		if diff := cmp.Diff(want, held(there)); diff != "" {
			t.Fatal(diff)
		}

		// and every form that is put
		var all []corev1.Secret
		for _, o := range there.Objects() {
			all = append(all, o.Secret)
		}
		for at, keys := range map[string][]string{
			"capv-system/east": {"username=old@d", "password=old"}, objectstest.CapiTarget: {"credentials.yaml={username: old@d, password: old, more: 1}"},
		} {
			all = append(all, in(at, keys...))
		}
		now := map[string]credfile.Account{"": draw()}
		for _, server := range servers {
			now[server] = draw()
		}
		renewed, others := Of(all...).Renew(func(_ component.Name, server string, _ credfile.Account) (credfile.Account, bool) {
			return now[server], true
		}, nothingMore)
		want = []string{words("capv-system/east", FormFlat, "", now[""]), words(objectstest.CapiTarget, FormCAPV, "", now[""])}
		for _, server := range servers {
			want = append(want, words(objectstest.CSITarget, FormKeys, server, now[server]), words("hub/creds", FormHive, server, now[server]), words(home, FormConf, server, now[server]))
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, held(again(t, renewed))); diff != "" || len(others) > 0 {
			t.Fatalf("%q %s", others, diff)
		}
		put := map[Form]bool{}
		for _, f := range forms() {
			put[f.Form] = f.put != nil
		}
		if want := map[Form]bool{FormKeys: true, FormNumbered: false, FormFlat: true, FormCAPV: true, FormHive: true, FormConf: true, FormProvider: false}; !maps.Equal(put, want) {
			t.Fatalf("another form is put than is tried here: %v", put)
		}
	})
}

// Whatever stands in a secret, no form breaks, none reads an account without a user name but by keys, and what a form puts takes out the old one.
func FuzzForms(f *testing.F) {
	f.Add("cloud.conf", "[Global]\nuser = a\npassword = x\n[VirtualCenter \"vc1\"]\n[VirtualCenter \"vc2\"]\nuser=\"b@d\"\n", "x", "y")
	f.Add("vCenters", "- {vCenter: vc1, username: a@b, password: c}\n- {}\n", "username", "a")
	f.Add("credentials.yaml", "{username: a, password: 1}", "password", "")
	f.Add("url", "https://vc1:443/sdk", "user", "a@b")
	f.Add("server_1", "vc1", "username_1", "a")
	f.Add("vc1.username", "a@b", "vc1.password", "x")
	f.Add("username", "old@d", "password", "p")
	f.Fuzz(func(t *testing.T, key, value, other, more string) {
		s := in("kube-system/x")
		s.Data[key], s.Data[other], s.Data["password"] = []byte(value), []byte(more), []byte("p")
		c := Of(s)
		before := c.Objects()[0].Holdings()
		list, _ := c.Renew(func(_ component.Name, _ string, _ credfile.Account) (credfile.Account, bool) {
			return account("new@d", "new"), true
		}, nothingMore)
		for _, m := range list {
			for _, h := range objectOf(*m.Secret).Holdings() {
				written := !slices.Contains([]Form{FormNumbered, FormProvider}, h.Form)
				if written && h.User != "new@d" {
					t.Errorf("%s is still there: %q of %q", h.Form, h.User, before)
				}
			}
		}
		for _, h := range before {
			if (len(list) == 0) == slices.Contains([]Form{FormKeys, FormFlat, FormCAPV, FormHive, FormConf}, h.Form) {
				t.Errorf("%s: %d secrets", h.Form, len(list))
			}
		}
	})
}

// What YAML cannot express is not put in place of what is there.
func TestPutLosesNothing(t *testing.T) {
	t.Parallel()
	s := in("hub/creds", "vCenters=[{vCenter: vc1, username: old@d, password: p}]", "credentials.yaml={username: old@d, password: p}", "username=old@d", "password=p")
	list, _ := Of(s).Renew(func(component.Name, string, credfile.Account) (credfile.Account, bool) {
		return account("new@d", "a\x7f"), true
	}, nothingMore)
	for _, m := range list {
		for key := range s.Data {
			if len(m.Secret.Data[key]) == 0 {
				t.Errorf("%s is lost", key)
			}
		}
	}
	if len(list) != 1 {
		t.Errorf("%d secrets", len(list))
	}
}
