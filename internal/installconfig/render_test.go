package installconfig

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// plainConfig is an install-config with a main account, comments, odd spacing and things that YAML libraries rewrite.
const plainConfig = `# made by hand
apiVersion: v1
baseDomain: "example.com"   # quoted on purpose

metadata:
    name: cluster1
compute:
- name:   worker
  replicas: 3
platform:
  vsphere:
    # two vCenters
    vcenters:

    # the first
    - server: vcenter1.example.com
      user: administrator@vsphere.local
      password: "old # pw"   # ask the team
      datacenters: [ DC1 ]

    - server: vcenter2.example.com
      port: 443
      # who is this?
      user: 'administrator@vsphere.local'
      password: old2
      datacenters:
      - DC2
    failureDomains:
    - {name: a, server: vcenter1.example.com, region: r, zone: z1}
    - name: b
      server: vcenter2.example.com
pullSecret: '{"auths": {"x": {"auth": "aGk="}}}'
sshKey: |
  ssh-ed25519 AAAA
`

func acct(user, password string) credfile.Account {
	return credfile.Account{User: user, Password: secret.New(password)}
}

// both has every account on both vCenters.
func both() openshift.Accounts {
	all := openshift.Accounts{}
	for _, s := range []string{"vcenter1.example.com", "vcenter2.example.com"} {
		all[s] = map[component.Name]credfile.Account{}
		for _, c := range component.Names() {
			all[s][c] = acct(fmt.Sprintf("ocp-%s@vsphere.local", c), fmt.Sprintf("pw'%s\\ #1", c))
		}
	}
	return all
}

func parsed(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("install-config.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func rendered(t *testing.T, text string, form AccountFormat, a openshift.Accounts) (string, []string) {
	t.Helper()
	out, warnings, err := parsed(t, text).Render(form, a)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), warnings
}

func wantErr(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q is missing in: %v", p, err)
		}
	}
}

// changed compares line by line: minus what is only in before, plus what is only in after.
func changed(before, after string) []string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var out []string
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
		case len(a) > 0 && !slices.Contains(b, a[0]):
			out, a = append(out, "-"+a[0]), a[1:]
		default:
			out, b = append(out, "+"+b[0]), b[1:]
		}
	}
	return out
}

func TestRenderChangesNoOtherLine(t *testing.T) {
	t.Parallel()
	one := openshift.Accounts{"vcenter1.example.com": {
		"installer":  acct("administrator@vsphere.local", "new"),
		"csi-driver": acct(`CORP\csi`, "it's"),
	}}
	got, warnings := rendered(t, plainConfig, KubeSystem, one)
	want := []string{
		`-      password: "old # pw"   # ask the team`,
		`+      password: 'new'   # ask the team`,
		`+      componentCredentials:`,
		`+        csiDriver:`,
		`+          user: 'CORP\csi'`,
		`+          password: 'it''s'`,
	}
	if diff := cmp.Diff(want, changed(plainConfig, got)); diff != "" {
		t.Error(diff)
	}
	if all := strings.Join(warnings, "\n"); !strings.Contains(all, "vcenter1.example.com: no account of its own for machineAPI, cloudController, diagnostics: the main account") {
		t.Errorf("%s", all)
	}
	again, _ := rendered(t, got, KubeSystem, one)
	if again != got {
		t.Error("the second time changes something")
	}
	// Only the password of one component, with what others wrote beside it.
	edited := strings.Replace(got, "        csiDriver:\n", "        # storage\n        csiDriver: # theirs\n", 1)
	one["vcenter1.example.com"]["csi-driver"] = acct(`CORP\csi`, "next")
	one["vcenter1.example.com"]["machine-api"] = acct("m@d", "m")
	got, _ = rendered(t, edited, KubeSystem, one)
	want = []string{
		`-          password: 'it''s'`, `+          password: 'next'`,
		`+        machineAPI:`, `+          user: m@d`, `+          password: 'm'`,
	}
	if diff := cmp.Diff(want, changed(edited, got)); diff != "" {
		t.Error(diff)
	}
	stripped, _, err := parsed(t, got).Strip()
	if err != nil || strings.Contains(string(stripped), "csi") || !strings.Contains(string(stripped), "'new'") {
		t.Errorf("%v\n%s", err, stripped)
	}
}

func TestRenderComponentScoped(t *testing.T) {
	t.Parallel()
	got, warnings := rendered(t, plainConfig, ComponentScoped, both())
	f := parsed(t, got)
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	all := strings.Join(warnings, "\n")
	for _, part := range []string{
		"user administrator@vsphere.local and its password are removed", "credentialsMode: Manual", "machineManagement (ocp-machine-api@vsphere.local)",
	} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing in %s", part, all)
		}
	}
	diff := changed(plainConfig, got)
	if diff[0] != "+    credentialType: component-scoped" || len(diff) != 1+4+2*13 {
		t.Errorf("%d lines:\n%s", len(diff), strings.Join(diff, "\n"))
	}
	if !strings.Contains(got, "    credentialType: component-scoped\n    vcenters:") && !strings.Contains(got, "credentialType: component-scoped\n    # two vCenters\n    vcenters:") {
		t.Error(got)
	}
	stripped, warned, err := f.Strip()
	if err != nil || len(warned) != 2 || strings.Contains(string(stripped), "ocp-") || strings.Contains(string(stripped), typeScoped) {
		t.Errorf("%v %q\n%s", err, warned, stripped)
	}
	less := both()
	delete(less["vcenter2.example.com"], "diagnostics")
	_, _, err = parsed(t, plainConfig).Render(ComponentScoped, less)
	wantErr(t, err, "install-config.yaml:", "vcenters[1].componentCredentials.vsphereProblemDetector: is missing", "on vcenter2.example.com")
}

// Shapes that other people's files have. The accounts come back, or the error says what to write differently.
func TestShapes(t *testing.T) {
	t.Parallel()
	head, a := "platform:\n  vsphere:\n    vcenters:\n", openshift.Accounts{"vc": {"installer": acct("i@d", "new"), "csi-driver": acct("c@d", "x")}}
	for name, c := range map[string]struct{ text, want, err string }{
		"no password yet":       {head + "    - server: vc\n      user: i@d", "", ""},
		"no account yet":        {head + "    - server: vc\n", "", ""},
		"empty values":          {head + "    - server: vc\n      user:\n      password:   # fill in\n", "password: 'new' # fill in", ""},
		"value below":           {head + "    - server: vc\n      user:\n        i@d\n      password:\n        old\n      x: 1\n", "password: 'new'\n", ""},
		"several lines":         {head + "    - server: vc\n      user: i@d\n      password: old\n        more # secret\n      x: 1\n", "password: 'new'\n", ""},
		"block":                 {head + "    - server: vc\n      user: i@d\n      password: |-\n        # old\n      x: 1\n", "password: 'new'\n", ""},
		"quotes over lines":     {head + "    - server: vc\n      user: i@d\n      password: \"old\n        # more\"\n      x: 1\n", "password: 'new'\n", ""},
		"tag":                   {head + "    - server: vc\n      user: i@d\n      password: !!str \"a # b\"\n", "password: 'new'\n", ""},
		"dash alone":            {head + "    -\n      user: i@d\n      password: old\n      server: vc\n", "", ""},
		"CRLF":                  {strings.ReplaceAll(head+"    - server: vc\n      user: i@d\n      password: old\n", "\n", "\r\n"), "password: 'new'\r\n", ""},
		"byte order mark":       {"\uFEFF" + head + "    - server: vc\n      user: i@d\n      password: old\n", "", ""},
		"wide characters":       {"# über\n" + head + "    - {}\n", "", "is missing"},
		"other case":            {strings.ReplaceAll(head, "vcenters", "vCenters") + "    - Server: vc\n      User: i@d\n      PASSWORD: old\n", "PASSWORD: 'new'", ""},
		"quoted key":            {head + "    - server: vc\n      'user': i@d\n      \"password\" : old\n", "\"password\" : 'new'", ""},
		"alias kept":            {"x: &pw old\n" + head + "    - server: vc\n      user: i@d\n      password: *pw\n", "x: &pw old\n", ""},
		"anchor elsewhere":      {head + "    - server: vc\n      user: i@d\n      password: &pw old\ny: *pw\n", "", "anchor &pw"},
		"merged account":        {"x: &d\n  user: i@d\n  password: old\n" + head + "    - <<: *d\n      server: vc\n", "password: 'new'", ""},
		"aliased credentials":   {"x: &d\n  csiDriver: {user: a@b, password: c}\n" + head + "    - server: vc\n      user: i@d\n      password: p\n      componentCredentials: *d\n", "", "is an alias"},
		"in braces":             {head + "    - {server: vc, user: i@d, password: old}\n", "", "braces"},
		"JSON":                  {`{"platform":{"vsphere":{"vcenters":[{"server":"vc","user":"i@d","password":"p"}]}}}`, "", "braces"},
		"credentials in braces": {head + "    - server: vc\n      user: i@d\n      password: p\n      componentCredentials: {}\n", "", "braces"},
		"credentials without":   {head + "    - server: vc\n      user: i@d\n      password: p\n      componentCredentials: # soon\n      datacenters: []\n", "# soon\n        csiDriver:\n", ""},
		"a mark as the end":     {head + "    - server: vc\n      user: i@d\n      password: p\n---\n", "", ""},
		"two documents":         {head + "    - server: vc\n---\na: 1\n", "", "second document"},
		"NEL":                   {head + "    - server: vc # \u0085\n      user: i@d\n      password: p\n", "", "line breaks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse("install-config.yaml", []byte(c.text))
			var out []byte
			if err == nil {
				out, _, err = f.Render(KubeSystem, a)
			}
			if c.err != "" {
				wantErr(t, err, "install-config.yaml:", c.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := string(out)
			if !strings.Contains(got, c.want) || strings.Contains(got, "secret") || strings.Contains(got, "more") || strings.Contains(got, "# b") {
				t.Errorf("%q is missing, or something is left, in:\n%s", c.want, got)
			}
			if strings.HasSuffix(c.text, "\n") != strings.HasSuffix(got, "\n") {
				t.Errorf("end of file:\n%q", got)
			}
			if diff := cmp.Diff(a, parsed(t, got).Accounts(), same); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var same = cmp.Comparer(func(a, b secret.Secret) bool { return a.Equal(b) })

func TestRemovingTheFirstField(t *testing.T) {
	t.Parallel()
	text := "platform:\n  vsphere:\n    vcenters:\n    - user: a@b\n      # kept\n      password: p\n      server: vc\n"
	a := openshift.Accounts{"vc": both()["vcenter1.example.com"]}
	got, _ := rendered(t, text, ComponentScoped, a)
	if !strings.Contains(got, "    -\n      # kept\n      server: vc\n      componentCredentials:\n") {
		t.Error(got)
	}
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	const head = "platform:\n  vsphere:\n"
	vc := func(name string) string { return "    - server: " + name + "\n      user: a@b\n      password: p\n" }
	ok := acct("a@b", "p")
	for name, c := range map[string]struct {
		text string
		form AccountFormat
		a    openshift.Accounts
		want []string
	}{
		"not listed":     {head + "    vcenters:\n" + vc("vc1.example.com"), KubeSystem, openshift.Accounts{"VC1.example.com": {}}, []string{":3: platform.vsphere.vcenters: \"VC1.example.com\" is not listed", "did you mean vc1.example.com?"}},
		"four":           {head + "    vcenters:\n" + vc("a") + vc("b") + vc("c") + vc("d"), KubeSystem, nil, []string{":13: ", "is vCenter 4: the installer accepts at most 3"}},
		"twice":          {head + "    vcenters:\n" + vc("a") + vc("a"), KubeSystem, nil, []string{":7: ", `"a" is listed twice, first on line 4`}},
		"field twice":    {head + "    vcenters:\n" + vc("a") + "      user: c@d\n", KubeSystem, nil, []string{":7: ", "given twice, first on line 5"}},
		"no main":        {head + "    vcenters:\n    - server: a\n", KubeSystem, openshift.Accounts{"a": {"csi-driver": ok}}, []string{":4: platform.vsphere.vcenters[0].user: is missing"}},
		"empty password": {head + "    vcenters:\n    - server: a\n      user: a@b\n      password: ''\n", KubeSystem, nil, []string{":6: platform.vsphere.vcenters[0].password: is empty"}},
		"half":           {head + "    vcenters:\n" + vc("a") + "      componentCredentials:\n        machineAPI: {user: x}\n", KubeSystem, nil, []string{":8: ", "machineAPI.password: is missing"}},
		"number":         {head + "    vcenters:\n    - server: a\n      user: a@b\n      password: 1234\n", KubeSystem, nil, []string{":6: ", "must be text, not a number", "quotes"}},
		"line break":     {head + "    vcenters:\n    - server: a\n      user: a@b\n      password: \"p\\n\"\n", KubeSystem, nil, []string{":6: ", "line break"}},
		"new line break": {head + "    vcenters:\n" + vc("a"), KubeSystem, openshift.Accounts{"a": {"installer": acct("a@b", "x\ny")}}, []string{":6: ", "line break"}},
		"nothing new":    {head + "    vcenters:\n" + vc("a"), KubeSystem, openshift.Accounts{"a": {"machine-api": acct("", "")}}, []string{":4: ", "machineAPI.user: is empty", "machineAPI.password: is empty"}},
		"CSI user":       {head + "    vcenters:\n" + vc("a"), KubeSystem, openshift.Accounts{"a": {"csi-driver": acct("csi", "x")}}, []string{":4: ", `csiDriver.user: user "csi" has no domain`, "CSI driver would not start"}},
		"CSI main user":  {head + "    vcenters:\n    - server: a\n      user: a+b@c\n      password: p\n", Passthrough, nil, []string{":5: ", `user "a+b@c" is not of the form`}},
		"placeholder":    {head + "    vcenters:\n    - server: a\n      user: a@b\n      password: <installer-password>\n", KubeSystem, nil, []string{":6: platform.vsphere.vcenters[0].password is a placeholder: fill it in"}},
		"placeholder's":  {head + "    vcenters:\n" + vc("a") + "      componentCredentials:\n        csiDriver:\n          user: c@d\n          password: <csi-password>\n", KubeSystem, nil, []string{":10: platform.vsphere.vcenters[0].componentCredentials.csiDriver.password is a placeholder"}},
		"domain":         {head + "    vcenters:\n" + vc("vc1.x") + "    failureDomains:\n    - server: vc2.x\n", KubeSystem, nil, []string{":8: ", `failureDomains[0].server: "vc2.x" is not a server of platform.vsphere.vcenters; did you mean "vc1.x"?`}},
		"global":         {head + "    credentialType: global\n    vcenters:\n" + vc("a"), KubeSystem, openshift.Accounts{"a": {"csi-driver": ok}}, []string{":3: ", "must not be set when credentialType is global"}},
		"type":           {head + "    credentialType: other\n    vcenters:\n" + vc("a"), Passthrough, nil, []string{":3: ", "must be global or component-scoped"}},
		"mode":           {"credentialsMode: Mint\n" + head + "    vcenters:\n" + vc("vcenter1.example.com"), ComponentScoped, openshift.Accounts{"vcenter1.example.com": both()["vcenter1.example.com"]}, []string{":1: credentialsMode: ", "Manual"}},
		"other form":     {head + "    vcenters:\n" + vc("a") + "      componentCredentials:\n        machineAPI: {user: x, password: y}\n", ComponentScoped, nil, []string{":7: ", "has accounts in the form kube-system", "extract --strip"}},
		"mixture":        {head + "    vcenters:\n" + vc("a") + "      componentCredentials:\n        machineAPI: {user: x, password: y}\n        storage: {user: x, password: y}\n", KubeSystem, nil, []string{":9: ", "mixes the form component-scoped with the form kube-system of line 8"}},
		"no component":   {head + "    vcenters:\n" + vc("a") + "      componentCredentials:\n        csi: {user: x, password: y}\n", KubeSystem, nil, []string{":8: ", "is not a component: machineAPI, csiDriver"}},
		"no member":      {head + "    vcenters:\n" + vc("a") + "      componentCredentials:\n        csiDriver: {username: x, password: y}\n", KubeSystem, nil, []string{":8: ", "username: is unknown"}},
		"flat":           {head + "    vCenter: a\n    username: u\n    password: p\n", KubeSystem, nil, []string{"is missing", "need the list"}},
		"flat's account": {head + "    vCenter: a\n    username: ''\n", Passthrough, openshift.Accounts{"a": {"installer": {User: "x"}}}, []string{":3: platform.vsphere.password: is empty"}},
		"aws":            {"platform:\n  aws: {}\n", KubeSystem, nil, []string{":2: ", "platform.vsphere is missing: this install-config is not for vSphere"}},
		"MicroShift":     {"dns: {baseDomain: e.example.com}\nnetwork: {}\n", KubeSystem, nil, []string{":1: ", "is a configuration of MicroShift, not an install-config"}},
		"spec":           {"kind: Provisioning\nvcenters: [{server: a}]\n", KubeSystem, nil, []string{"is a provisioning file"}},
		"syntax":         {head + "    vcenters:\n    - password: *secret-pw\n", KubeSystem, nil, []string{"put a value that begins with * in quotes"}},
		"empty":          {"", KubeSystem, nil, []string{"install-config.yaml: is empty"}},
		"text":           {"hello", KubeSystem, nil, []string{":1: must be fields with values, not text"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse("install-config.yaml", []byte(c.text))
			if err == nil {
				_, _, err = f.Render(c.form, c.a)
			}
			wantErr(t, err, c.want...)
			if err != nil && strings.Contains(err.Error(), "secret-pw") {
				t.Error(err)
			}
		})
	}
}

func TestFormattingShowsNoPassword(t *testing.T) {
	t.Parallel()
	f := parsed(t, plainConfig)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, f); got != "install-config install-config.yaml" {
			t.Errorf("%s: %s", verb, got)
		}
	}
}
