package openshift

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

const (
	idA = "11111111-2222-3333-4444-555555555555"
	idB = "aaaaaaaa-2222-3333-4444-555555555555"
)

func record(server, id string) string {
	return "  annotations: {" + VCentersKey + ": '" + Instances{server: id}.String() + "'}\n"
}

// marked is the metadata of a secret that is for the CSI driver, with what the last oc apply noted and the record of a vCenter.
func marked(label, applied, server, id string) string {
	text := strings.TrimSuffix(record(server, id), "}\n") + ", " + requestKey + ": " + csiRequest
	if applied != "" {
		text += ", " + lastApplied + ": '" + applied + "'"
	}
	return text + "}\n  labels: {" + requestKey + ": \"" + label + "\"}\n"
}

// compared shows a comparison in words.
func compared(t *testing.T, dump string, a Accounts, o EmitOptions) []string {
	t.Helper()
	secrets, err := objects.ParseSecrets("dump.yaml", []byte(dump))
	if err != nil {
		t.Fatal(err)
	}
	manifests, _, err := Manifests(slices.Sorted(maps.Keys(a)), a, o)
	if err != nil {
		t.Fatal(err)
	}
	Keep(secrets, manifests)
	c := Compare(secrets, manifests, ExplainOptions{Requests: o.Requests})
	if text := fmt.Sprintf("%+v", *c); strings.Contains(text, "pw-") {
		t.Errorf("a password is in %s", text)
	}
	var words []string
	for _, s := range c.Secrets {
		text := s.Secret + " " + s.Change
		for _, v := range s.VCenters {
			text += fmt.Sprintf("; %s %s %q %q", v.Server, v.Change, v.From, v.To)
		}
		words = append(words, text)
	}
	for _, s := range c.Switches {
		if (s.Change == ChangeRemoved) != (s.To.User == "") {
			t.Errorf("%s is called %q", s, s.Change)
		}
		words = append(words, s.String()+" by "+strings.Join(s.By, ","))
	}
	return words
}

func TestCompare(t *testing.T) {
	t.Parallel()
	csi := Accounts{vc1: {component.CSIDriver: account("csi@d", "pw-c")}}
	only := EmitOptions{Components: []component.Name{component.CSIDriver}}
	shared := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw-m")...)
	own := objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", marked("true", "", vc1, idA), pair("csi@d", "pw-c")...)
	none := only
	none.CCOLabel = LabelNone
	wrong := strings.Replace(marked("yes", "", vc1, idA), "vmware-vsphere-csi-driver-operator", "machine-api-vsphere", 1)
	machine := objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "pw-m")...)
	manual := EmitOptions{Components: only.Components, Profile: ProfileComponentScoped}
	with := func(o EmitOptions, id string) EmitOptions {
		o.Instances = Instances{vc1: id}
		return o
	}
	for name, tt := range map[string]struct {
		dump string
		a    Accounts
		o    EmitOptions
		want []string
	}{
		"shared to own": {shared, csi, only, []string{
			"kube-system/vsphere-creds-csi-driver new; " + vc1 + ` vCenter added "" "csi@d"`,
			vc1 + ": csi-driver: from main@d (kube-system/vsphere-creds, root) to csi@d (kube-system/vsphere-creds-csi-driver, name) by enhancement",
		}},
		"nothing changes":               {shared + own, csi, only, []string{"kube-system/vsphere-creds-csi-driver same"}},
		"the same instance in capitals": {shared + own, csi, with(only, strings.ToUpper(idA)), []string{"kube-system/vsphere-creds-csi-driver same"}},
		"another vCenter": {shared + own, csi, with(only, idB), []string{
			"kube-system/vsphere-creds-csi-driver changed; " + vc1 + fmt.Sprintf(" another vCenter %q %q", idA, idB),
			vc1 + ": csi-driver: from instance " + idA + ", recorded in kube-system/vsphere-creds-csi-driver to instance " + idB + " by enhancement",
		}},
		"a label that is not there": {shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("csi@d", "pw-c")...), csi, only, []string{
			"kube-system/vsphere-creds-csi-driver changed; " + requestKey + ` another label "" "true"; ` + requestKey + ` another annotation "" "` + csiRequest + `"`,
		}},
		"a wrong annotation": {shared + machine + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", wrong, pair("csi@d", "pw-c")...), csi, only, []string{
			"kube-system/vsphere-creds-csi-driver changed; " + requestKey + ` another label "yes" "true"; ` + requestKey + fmt.Sprintf(" another annotation %q %q", mapiRequested, csiRequest),
			vc1 + ": machine-api: from csi@d (kube-system/vsphere-creds-csi-driver, annotation) to mapi@d (kube-system/vsphere-creds-machine-api, name) by enhancement",
		}},
		"a wrong annotation that oc apply did not write": {shared + machine + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", wrong, pair("csi@d", "pw-c")...), csi, none, []string{
			"kube-system/vsphere-creds-csi-driver same",
		}},
		"an annotation that oc apply wrote": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", marked("true", `{"metadata":{"annotations":{"`+requestKey+`":"x"},"labels":{"`+requestKey+`":"true"}}}`, vc1, idA), pair("csi@d", "pw-c")...), csi, none,
			[]string{"kube-system/vsphere-creds-csi-driver changed; " + requestKey + ` another label "true" ""; ` + requestKey + ` another annotation "` + csiRequest + `" ""`},
		},
		"marks of the operator stay": {objectstest.SecretYAML(objectstest.CSITarget, marked("true", "", vc1, idA), pair("csi@d", "pw-c")...), csi, manual, []string{objectstest.CSITarget + " same"}},
		"recorded": {objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-c")...), csi, with(manual, idA), []string{
			objectstest.CSITarget + " changed; " + vc1 + fmt.Sprintf(" recorded %q %q", "", idA),
		}},
		"another password": {objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-old")...), csi, manual, []string{objectstest.CSITarget + " changed; " + vc1 + ` another password "csi@d" "csi@d"`}},
		"another user": {objectstest.SecretYAML(objectstest.CSITarget, "", pair("old@d", "pw-c")...), csi, manual, []string{
			objectstest.CSITarget + " changed; " + vc1 + ` another user "old@d" "csi@d"`,
			vc1 + ": csi-driver: from old@d (" + objectstest.CSITarget + ", target) to csi@d (" + objectstest.CSITarget + ", target) by now",
		}},
		"vCenter removed": {objectstest.SecretYAML(objectstest.CSITarget, "", append(pair("csi@d", "pw-c"), "vc2.username=csi@d", "vc2.password=pw-2", "note=x", "half.username=x")...), csi, manual, []string{
			objectstest.CSITarget + ` changed; vc2 vCenter removed "csi@d" ""; half.username other key removed "" ""; note other key removed "" ""`,
			"vc2: csi-driver: from csi@d (" + objectstest.CSITarget + ", target) to no account by now",
		}},
		"vCenter added": {objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-c")...), Accounts{vc1: csi[vc1], "vc2": {component.CSIDriver: account("csi@d", "pw-2")}}, manual, []string{
			objectstest.CSITarget + ` changed; vc2 vCenter added "" "csi@d"`,
		}},
		"first emission": {objectstest.SecretYAML("kube-system/other", "", "a=b"), csi, manual, []string{objectstest.CSITarget + " new; " + vc1 + ` vCenter added "" "csi@d"`}},
		"behind an annotation": { // somebody else's secret goes before the one that is written
			objectstest.SecretYAML("kube-system/mine", forCSI("yes"), pair("mine@d", "pw-mine")...), csi, only,
			[]string{"kube-system/vsphere-creds-csi-driver new; " + vc1 + ` vCenter added "" "csi@d"`},
		},
		"the root secret": {shared + objectstest.SecretYAML(objectstest.CapiTarget, "", pair("main@d", "pw-m")...), Accounts{vc1: {component.Installer: account("new@d", "pw-n")}}, EmitOptions{Profile: ProfilePassthrough}, append(
			[]string{"kube-system/vsphere-creds changed; " + vc1 + ` another user "main@d" "new@d"`},
			switchesOfRoot("machine-api", "csi-driver", "cloud-controller", "diagnostics", "cluster-api", "machine-config-operator", "cluster-capi-operator")...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, compared(t, tt.dump, tt.a, tt.o)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whoever is switched makes a difference, whatever the secrets look like.
func TestDifferent(t *testing.T) {
	t.Parallel()
	alike := []SecretChange{{Secret: objectstest.CSITarget, Change: ChangeNone}}
	for _, c := range []struct {
		of   Comparison
		want bool
	}{
		{Comparison{Secrets: alike}, false},
		{Comparison{Secrets: alike, Switches: []Switch{{Consumer: "csi-driver"}}}, true},
		{Comparison{Secrets: []SecretChange{{Secret: objectstest.CSITarget, Change: ChangeNew}}}, true},
	} {
		if c.of.Different() != c.want {
			t.Errorf("%+v: %v", c.of, !c.want)
		}
	}
}

func switchesOfRoot(consumers ...string) []string {
	var all []string
	for _, c := range consumers {
		step, by := StepRoot, "enhancement,release"
		if slices.Contains(directNames(), c) {
			step, by = StepDirect, "now"
		}
		all = append(all, fmt.Sprintf("%s: %s: from main@d (%s, %s) to new@d (%[3]s, %[4]s) by %s", vc1, c, root, step, by))
	}
	return all
}

// What a secret records is not forgotten when it is written by somebody who did not ask the vCenters.
func TestKeep(t *testing.T) {
	t.Parallel()
	secrets, err := objects.ParseSecrets("d", []byte(objectstest.SecretYAML(objectstest.CSITarget, record(vc1, idA), pair("csi@d", "pw-c")...)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		known, want Instances
		kept        []string
	}{{nil, Instances{vc1: idA}, []string{vc1}}, {Instances{vc1: idB}, Instances{vc1: idB}, nil}, {Instances{vc2: idB}, Instances{vc1: idA}, []string{vc1}}} {
		manifests, _, err := Manifests([]string{vc1}, full(vc1), EmitOptions{Profile: ProfileComponentScoped, Components: []component.Name{component.CSIDriver}, Instances: tt.known})
		if err != nil {
			t.Fatal(err)
		}
		if kept := Keep(secrets, manifests); !slices.Equal(kept, tt.kept) {
			t.Errorf("%v: kept %q, want %q", tt.known, kept, tt.kept)
		}
		if diff := cmp.Diff(tt.want, recorded(manifests[0].Secret)); diff != "" {
			t.Errorf("%v: %s", tt.known, diff)
		}
	}
}

// uses is what the explanation of a dump says of every consumer: the oracle of the guard.
func uses(secrets []corev1.Secret, servers []string) map[string]string {
	all := map[string]string{}
	e, err := Explain(secrets, ExplainOptions{Servers: servers})
	if err != nil {
		return all
	}
	for _, r := range e.Requests {
		if (r.Component == "" || r.FeatureGate != "") && !r.InDump && r.Enhancement.Step != StepAnnotation {
			continue // not in every cluster
		}
		for _, a := range r.Accounts {
			all[r.Request+" "+a.Server+" enhancement"] = strings.ToLower(a.Enhancement)
			all[r.Request+" "+a.Server+" release"] = strings.ToLower(a.Mainline)
			all[r.Request+" "+a.Server+" now"] = strings.ToLower(a.Now)
		}
	}
	for _, r := range e.Readers {
		all[r.Who+" "+r.Server] = strings.ToLower(r.User)
	}
	return all
}

// drawDump makes the secrets of a cluster.
func drawDump(t *rapid.T, servers []string) string {
	users := rapid.SampledFrom([]string{"main@d", "csi@d", "mapi@d", "MAIN@d"})
	more := map[string][]string{
		"kube-system/vsphere-creds": {"", passthroughMode}, "kube-system/vsphere-creds-csi-driver": {"", forCSI("yes"), forCSI("true")},
		"kube-system/vsphere-creds-machine-api": {""}, "kube-system/vsphere-creds-diagnostics": {""}, "kube-system/mine": {forCSI("yes"), forCSI("true")},
		objectstest.CSITarget: {""}, objectstest.MapiTarget: {""}, objectstest.CapiTarget: {""}, objectstest.CCMTarget: {""}, "elsewhere/vsphere-creds": {""},
	}
	var text string
	for _, at := range slices.Sorted(maps.Keys(more)) {
		var keys []string
		for _, server := range servers {
			if rapid.Bool().Draw(t, at+server) {
				keys = append(keys, server+".username="+users.Draw(t, "user"), server+".password="+rapid.SampledFrom([]string{"p", "q"}).Draw(t, "password"))
			}
		}
		if len(keys) == 0 {
			continue
		}
		meta := rapid.SampledFrom(more[at]).Draw(t, "metadata")
		if meta == "" && rapid.Bool().Draw(t, "recorded") {
			meta = record(rapid.SampledFrom(servers).Draw(t, "of"), rapid.SampledFrom([]string{idA, idB}).Draw(t, "instance"))
		}
		text += objectstest.SecretYAML(at, meta, keys...)
	}
	return text
}

// Whatever the cluster has and whatever is written: where the comparison names no switch, nobody who had an account gets
// another one, or none; and where it names one, somebody does.
func TestNobodyIsMovedUnnoticed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		servers := []string{vc1, vc2}
		secrets, err := objects.ParseSecrets("dump", []byte(drawDump(t, servers)))
		if err != nil {
			t.Fatal(err)
		}
		written := rapid.SliceOfNDistinct(rapid.SampledFrom(servers), 1, 2, rapid.ID).Draw(t, "written")
		a := Accounts{}
		for _, server := range written {
			a[server] = map[component.Name]credfile.Account{}
			for _, c := range component.Names() {
				a[server][c] = account(rapid.SampledFrom([]string{"main@d", "csi@d", "mapi@d"}).Draw(t, "user"), "p")
			}
		}
		o := EmitOptions{
			Profile:   rapid.SampledFrom([]string{ProfileKubeSystem, ProfileComponentScoped, ProfilePassthrough}).Draw(t, "profile"),
			CCOLabel:  rapid.SampledFrom([]string{"", LabelYes, LabelNone}).Draw(t, "label"),
			Instances: rapid.SampledFrom([]Instances{nil, {vc1: idA}, {vc1: idB, vc2: idA}}).Draw(t, "instances"),
		}
		if o.Profile != ProfilePassthrough {
			o.RootSecret = rapid.Bool().Draw(t, "root")
			o.Components = rapid.SampledFrom([][]component.Name{nil, {component.CSIDriver}, {component.MachineAPI, component.Diagnostics}}).Draw(t, "components")
		}
		manifests, _, err := Manifests(written, a, o)
		if err != nil {
			t.Fatal(err)
		}
		Keep(secrets, manifests)
		c := Compare(secrets, manifests, ExplainOptions{})

		var yaml bytes.Buffer
		if err := WriteYAML(&yaml, manifests, o); err != nil {
			t.Fatal(err)
		}
		after, err := objects.ParseSecrets("written", yaml.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets { // what is not written stays
			if !slices.ContainsFunc(after, func(w corev1.Secret) bool { return w.Namespace == s.Namespace && w.Name == s.Name }) {
				after = append(after, s)
			}
		}
		var moved []string
		is := uses(after, servers)
		for who, was := range uses(secrets, servers) {
			if was != "" && is[who] != was {
				moved = append(moved, fmt.Sprintf("%s: %s, now %s", who, was, is[who]))
			}
		}
		named := slices.ContainsFunc(c.Unasked(), func(s Switch) bool { return s.Change != ChangeInstance })
		if named != (len(moved) > 0) {
			t.Fatalf("moved %q, the comparison says %+v", moved, c.Switches)
		}
		for _, s := range secrets {
			at := component.At(s.Namespace, s.Name)
			written := slices.IndexFunc(manifests, func(m Manifest) bool { return m.Secret != nil && component.At(m.Secret.Namespace, m.Secret.Name) == at })
			for server, id := range recorded(&s) {
				_, used := read(s.Data).accounts[server]
				if written < 0 || !used {
					continue
				}
				if now := recorded(manifests[written].Secret)[server]; now == "" && slices.Contains(a.servers(), server) || now != "" && now != id && o.Instances[server] != now {
					t.Fatalf("%s recorded %s as %s, and now %q", at, server, id, now)
				}
			}
		}
	})
}

func (a Accounts) servers() []string { return slices.Sorted(maps.Keys(a)) }
