package cluster

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

// Whatever holds the account that goes, in whatever form and spelling, is found; what is another account, or of another vCenter, is not.
func TestProofFindsTheNameInEveryForm(t *testing.T) {
	t.Parallel()
	const at, user = "mine/x", gone
	encoded := base64.StdEncoding.EncodeToString
	conf := func(global, of string) string {
		return "data=[Global]\ncluster-id = c\n" + global + "[VirtualCenter \"" + vc1 + "\"]\ninsecure-flag           = true\n" + of
	}
	for name, tt := range map[string]struct {
		key  string // key=value, more after NUL
		want string // form and vCenter; "" = it is not held
	}{
		"keys":                             {vc1 + ".username=" + user + "\x00" + vc1 + ".password=x", "keys " + vc1},
		"keys, in another case":            {strings.ToUpper(vc1) + ".username=" + strings.ToUpper(user) + "\x00" + strings.ToUpper(vc1) + ".password=x", "keys " + strings.ToUpper(vc1)},
		`keys, DOMAIN\user`:                {vc1 + `.username=VSPHERE.LOCAL\ocp-cluster1-csi-driver` + "\x00" + vc1 + ".password=x", "keys " + vc1},
		"keys, a bare name":                {vc1 + ".username=ocp-cluster1-csi-driver\x00" + vc1 + ".password=x", "keys " + vc1},
		"keys, another domain":             {vc1 + ".username=ocp-cluster1-csi-driver@corp.example.com\x00" + vc1 + ".password=x", ""},
		"keys, another vCenter":            {vc2 + ".username=" + user + "\x00" + vc2 + ".password=x", ""},
		"half of keys":                     {vc1 + ".username=" + user, "text"},
		"numbered":                         {"server_1=" + vc1 + "\x00username_1=" + user + "\x00password_1=x", "numbered " + vc1},
		"numbered, another vCenter":        {"server_1=" + vc2 + "\x00username_1=" + user + "\x00password_1=x", ""},
		"flat":                             {"username=" + user + "\x00password=x", "flat"},
		"flat, a template":                 {"username=" + user, "text"},
		"CAPV":                             {"credentials.yaml={username: " + user + ", password: x}", "capv"},
		"Hive, YAML":                       {"vCenters=- vCenter: " + vc1 + "\n  username: " + user + "\n  password: x\n", "hive " + vc1},
		"Hive, JSON":                       {`vCenters=[{"vCenter":"` + strings.ToUpper(vc1) + `","username":"` + user + `","password":"x"}]`, "hive " + strings.ToUpper(vc1)},
		"Hive, another vCenter":            {"vCenters=[{vCenter: " + vc2 + ", username: " + user + ", password: x}]", ""},
		"Hive, changed over":               {"vCenters=[{vCenter: " + vc1 + ", username: " + stays + ", password: x}]", ""},
		"a list of something else":         {"vCenters=many", ""},
		"cloud.conf":                       {conf("", "password                = \"Old1!\"\nuser                    = \""+user+"\"\n"), "conf " + vc1},
		"cloud.conf, of all vCenters":      {conf("user = "+user+"\npassword = x\n", ""), "conf " + vc1},
		"cloud.conf, one has its own":      {conf("user = a@b\npassword = x\n", "user = "+user+"\npassword = y\n"), "conf " + vc1},
		"cloud.conf, another vCenter":      {"data=[VirtualCenter \"" + vc2 + "\"]\nuser = \"" + user + "\"\npassword = x\n", ""},
		"provider":                         {"url=https://" + vc1 + "/sdk\x00user=" + user + "\x00password=x", "provider " + vc1},
		"provider, with a port":            {"url=https://" + vc1 + ":443/sdk\x00user=" + user + "\x00password=x", "provider " + vc1},
		"provider, another vCenter":        {"url=https://" + vc2 + "/sdk\x00user=" + user + "\x00password=x", ""},
		"provider, another account":        {"url=https://" + vc1 + "/sdk\x00user=" + stays + "\x00password=x", ""},
		"an install-config":                {"install-config.yaml=platform:\n  vsphere:\n    vcenters:\n    - server: " + vc1 + "\n      user: " + user + "\n      password: x\n", "text"},
		"upper case in a text":             {"note=USER=" + strings.ToUpper(user) + ";", "text"},
		`DOMAIN\user in a text`:            {`note=VSPHERE.LOCAL\ocp-cluster1-csi-driver, and more`, "text"},
		"base64 within text":               {"note=config: " + encoded([]byte("user: "+user+"\n")) + "\n", "text"},
		"base64 of base64":                 {"note=" + encoded([]byte("x: "+encoded([]byte("user: "+user)))), "text"},
		"base64 in lines":                  {"note=" + wrapped(encoded([]byte(strings.Repeat("x", 40)+" "+user+" and more of it"))), "text"},
		"base64 for URLs":                  {"note=x " + base64.URLEncoding.EncodeToString([]byte("~~~???>>>"+" "+user+" ~~~")), "text"},
		"JSON in JSON":                     {`note="{\"user\": \"ocp-cluster1-csi-driver\u0040vsphere.local\"}"`, "text"},
		`DOMAIN\user in JSON`:              {`note={"user": "VSPHERE.LOCAL\\ocp-cluster1-csi-driver"}`, "text"},
		`DOMAIN\user in JSON, as a number`: {`note={"user": "VSPHERE.LOCAL\u005cocp-cluster1-csi-driver"}`, "text"},
		"a URL":                            {"note=https://ocp-cluster1-csi-driver%40vsphere.local:x@" + vc1 + "/sdk", "text"},
		"a URL, DOMAIN\\user":              {"note=https://vsphere.local%5Cocp-cluster1-csi-driver:x@" + vc1 + "/sdk", "text"},
		"the end of a sentence":            {"note=logs in as " + user + ".", "text"},
		"a bare name in a text":            {"note=user ocp-cluster1-csi-driver.", "text"},
		"after one that it is in":          {"note=" + stays + " " + user, "text"},

		"the name in another one, keys":  {vc1 + ".username=" + stays + "\x00" + vc1 + ".password=x", ""},
		"the name in another one, text":  {"note=" + stays, ""},
		"the end of another name":        {"note=my-" + user, ""},
		"another domain, text":           {"note=ocp-cluster1-csi-driver@corp.example.com", ""},
		"a domain below":                 {"note=" + user + ".example.com", ""},
		"the start of a host":            {"note=https://ocp-cluster1-csi-driver.apps.example.com", ""},
		"base64 of another one":          {"note=" + encoded([]byte("user: "+stays)), ""},
		"a password with the domain":     {"note=pass@vsphere.local", ""},
		"nothing":                        {"note=", ""},
		"something that is no base64":    {"note=" + strings.Repeat("A", 33), ""},
		"JSON with the name of another":  {`note={"user": "ocp-cluster1-csi-driver-2\u0040vsphere.local"}`, ""},
		"a directory of the same domain": {"note=ocp-cluster1-csi-driver-2 vsphere.local", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []corev1.Secret
			for at, text := range proving() {
				if at != "infrastructure" {
					parsed, err := objects.ParseSecrets("d", []byte(text))
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, parsed...)
				}
			}
			c := Of(append(all, in(at, strings.Split(tt.key, "\x00")...))...)
			var want []string
			if tt.want != "" {
				want = []string{"free " + at + " " + tt.want}
			}
			if diff := cmp.Diff(want, lacked(c, asking())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// wrapped is base64 as openssl prints it.
func wrapped(text string) string {
	const line = 64
	if len(text) <= line {
		return text
	}
	return text[:line] + "\n" + wrapped(text[line:])
}
