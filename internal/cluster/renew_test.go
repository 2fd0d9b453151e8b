package cluster

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Every form in which a secret holds an account is renewed, and nothing else in it changes.
func TestRenew(t *testing.T) {
	t.Parallel()
	const applied = "  annotations: {kubectl.kubernetes.io/last-applied-configuration: pw-old, mine: stays}\n"
	old := pair("csi@d", "pw-old")
	for name, c := range map[string]struct {
		dump, want, not string
	}{
		"kube-system": {objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", forCSI("true"), append(old, "vc2.username=x@d", "vc2.password=pw-x")...), "vc2.username", "comment"},
		"its own":     {objectstest.SecretYAML(objectstest.CSITarget, "", old...), objectstest.CSITarget, ""},
		"applied":     {objectstest.SecretYAML(objectstest.CSITarget, applied, old...), "stays", "last-applied"},
		"identity":    {objectstest.SecretYAML("capv-system/east", "", "username=csi@d", "password=pw-old"), "capv-system/east", ""},
		"a copy":      {objectstest.SecretYAML("openshift-cluster-api/c-abcde", "", "username=csi@d", "password=pw-old"), "c-abcde", ""},
		"a file":      {objectstest.SecretYAML(objectstest.CapiTarget, "", "credentials.yaml={username: csi@d, password: pw-old, more: 1}"), objectstest.CapiTarget, ""},
		"Hive":        {objectstest.SecretYAML("hub/creds", "", "vCenters=[{vCenter: "+vc1+", username: csi@d, password: pw-old}, {vCenter: vc2, username: x@d, password: pw-x}]"), "hub/creds", ""},
		"nobody's":    {objectstest.SecretYAML("mine/copy", "", old...), "", ""},
		"left alone":  {objectstest.SecretYAML(objectstest.CSITarget, "", "gone.username=x@d", "gone.password=pw-x"), "", ""},
		"another":     {objectstest.SecretYAML(objectstest.CSITarget, "", pair("x@d", "pw-x")...), "", ""},
	} {
		secrets, err := objects.ParseSecrets("dump.yaml", []byte(c.dump))
		if err != nil {
			t.Fatal(err)
		}
		list, others := Of(secrets...).Renew(func(_ component.Name, server string, held credfile.Account) (credfile.Account, bool) {
			if server == "gone" {
				return credfile.Account{}, true
			}
			return credfile.Account{User: "csi-2@d", Password: secret.New("pw-new")}, held.User == "csi@d"
		}, nothingMore)
		for _, h := range Of(secrets...).Holding(Meant{Names: []string{"csi@d"}}) {
			if renews := Of(secrets...).Renews(h); renews != (c.want != "") {
				t.Errorf("%s: %s as %s: it says %t", name, h.At, h.Form, renews)
			}
		}
		var b bytes.Buffer
		if err := openshift.WriteYAML(&b, list, openshift.EmitOptions{Head: "# renewed\n"}); err != nil {
			t.Fatal(err)
		}
		again, err := objects.ParseSecrets("again.yaml", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if (len(others) > 0) != (name == "nobody's") || (len(list) == 0) != (c.want == "") {
			t.Errorf("%s: %d secrets, others %q", name, len(list), others)
		}
		if c.want == "" {
			continue
		}
		written := Of(again...)
		if len(written.Holding(Meant{Names: []string{"csi-2@d"}})) != 1 || len(written.Holding(Meant{Names: []string{"csi@d"}})) != 0 {
			t.Errorf("%s: %s", name, b.String())
		}
		if what := again[0].Namespace + "/" + again[0].Name + b.String(); !strings.Contains(what, c.want) || c.not != "" && strings.Contains(what, c.not) {
			t.Errorf("%s: %s", name, what)
		}
		if c := ChangeOf(objectOf(secrets[0]), list[0].Secret); len(again[0].Data) != len(secrets[0].Data) || c.Change != ChangeSecret {
			t.Errorf("%s: other keys, or no change: %v", name, c)
		}
	}
}

func nothingMore(map[string]credfile.Account) map[string]credfile.Account { return nil }

// A vCenter that came is in the secrets that say which vCenter an account is for, and in no other.
func TestRenewWithAnotherVCenter(t *testing.T) {
	t.Parallel()
	secrets, err := objects.ParseSecrets("dump.yaml", []byte(objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw")...)+
		objectstest.SecretYAML("capv-system/east", "", "username=csi@d", "password=pw")+
		objectstest.SecretYAML("openshift-vcf-migration/target-vcenter-creds", "", pair("csi@d", "pw")...)+ // written for the vCenters of a move
		objectstest.SecretYAML("openshift-machine-api/other", "", pair("x@d", "pw-x")...)))
	if err != nil {
		t.Fatal(err)
	}
	list, _ := Of(secrets...).Renew(func(_ component.Name, _ string, held credfile.Account) (credfile.Account, bool) {
		return held, held.User == "csi@d"
	},
		func(held map[string]credfile.Account) map[string]credfile.Account {
			if held[vc1].User != "csi@d" {
				return nil
			}
			return map[string]credfile.Account{"came": {User: "csi@d", Password: secret.New("pw-2")}}
		})
	if len(list) != 3 || string(list[0].Secret.Data["came.password"]) != "pw-2" || len(list[0].Secret.Data) != 4 || len(list[1].Secret.Data) != 2 || len(list[2].Secret.Data) != 2 {
		t.Errorf("%+v", list)
	}
}

// A vCenter that left goes out of a secret; Hive still removes what is there.
func TestRenewWithoutAVCenter(t *testing.T) {
	t.Parallel()
	secrets, err := objects.ParseSecrets("dump.yaml", []byte(objectstest.SecretYAML(objectstest.CSITarget, "", append(pair("csi@d", "pw"), "gone.username=csi@d", "gone.password=pw-x")...)+
		objectstest.SecretYAML("hub/creds", "", "vCenters=[{vCenter: "+vc1+", username: csi@d, password: pw}, {vCenter: gone, username: csi@d, password: pw-x}]")))
	if err != nil {
		t.Fatal(err)
	}
	list, _ := Of(secrets...).Renew(func(_ component.Name, server string, held credfile.Account) (credfile.Account, bool) {
		if server == "gone" {
			return credfile.Account{}, true
		}
		return held, true
	}, nothingMore)
	if len(list) != 2 || len(list[0].Secret.Data) != 2 || !strings.Contains(string(list[1].Secret.Data[openshift.HiveKey]), "gone") {
		t.Errorf("%+v", list)
	}
}

// What a component's own secret holds was copied from kube-system, or nobody copies.
func TestUncopied(t *testing.T) {
	t.Parallel()
	shared := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw-m")...)
	own := objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("csi@d", "pw-c")...)
	for name, c := range map[string]struct {
		dump string
		want int
	}{
		"a release":           {shared + objectstest.SecretYAML(objectstest.CSITarget, "", pair("main@d", "pw-m")...), 0},
		"the enhancement":     {shared + own + objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-c")...), 0},
		"not copied yet":      {shared, 0},
		"Manual":              {shared + objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-c")...), 1},
		"Manual, no root":     {objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-c")...), 1},
		"Manual, nobody asks": {shared + own + objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-older")...), 1},
	} {
		secrets, err := objects.ParseSecrets("dump.yaml", []byte(c.dump))
		if err != nil {
			t.Fatal(err)
		}
		if got := Of(secrets...).Uncopied(); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What takes the place of another account, in whatever form a secret holds it, is told from what is new or the same.
func TestReplaces(t *testing.T) {
	t.Parallel()
	const hive = "vCenters=[{vCenter: " + vc1 + ", username: csi@d, password: "
	next := credfile.Account{User: "csi@d", Password: secret.New("pw-new")}
	for name, c := range map[string]struct {
		before, after []string
		at            string
		want          bool
	}{
		"another password":  {pair("csi@d", "pw-old"), pair("csi@d", "pw-new"), "", true},
		"another user":      {pair("csi-1@d", "pw-old"), pair("csi@d", "pw-new"), "", true},
		"the same":          {pair("csi@d", "pw-new"), pair("csi@d", "pw-new"), "", false},
		"another vCenter's": {[]string{"vc2.username=csi@d", "vc2.password=pw-old"}, append(pair("csi@d", "pw-new"), "vc2.username=csi@d", "vc2.password=pw-2"), "", false},
		"none":              {[]string{"other=1"}, pair("csi@d", "pw-new"), "", false},
		"a new secret":      {pair("csi@d", "pw-old"), pair("csi@d", "pw-new"), "elsewhere/csi", false},
		"Hive":              {[]string{hive + "pw-old}]"}, []string{hive + "pw-new}]"}, "", true},
		"no vCenter said":   {[]string{"username=csi@d", "password=pw-old"}, []string{"username=csi@d", "password=pw-new"}, "", true},
		"somebody else's":   {pair("csi@d", "pw-old"), pair("x@d", "pw-x"), "", false},
	} {
		parsed := func(at string, data []string) []corev1.Secret {
			secrets, err := objects.ParseSecrets("dump.yaml", []byte(objectstest.SecretYAML(at, "", data...)))
			if err != nil {
				t.Fatal(err)
			}
			return secrets
		}
		before, after := parsed(objectstest.CSITarget, c.before), parsed(cmp.Or(c.at, objectstest.CSITarget), c.after)
		if got := Of(before...).Replaces([]openshift.Manifest{{Secret: &after[0]}, {}}, vc1, next); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
