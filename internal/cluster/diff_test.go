package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

func record(server, id string) string {
	return "  annotations: {" + openshift.VCentersKey + ": '" + openshift.Instances{server: id}.String() + "'}\n"
}

// marked is the metadata of a secret that is for the CSI driver, with what the last oc apply noted and the record of a vCenter.
func marked(label, applied, server, id string) string {
	text := strings.TrimSuffix(record(server, id), "}\n") + ", " + openshift.RequestKey + ": " + csiRequest
	if applied != "" {
		text += ", " + lastApplied + ": '" + applied + "'"
	}
	return text + "}\n  labels: {" + openshift.RequestKey + ": \"" + label + "\"}\n"
}

// compared shows a comparison in words.
func compared(t *testing.T, dump string, a openshift.Accounts, o openshift.EmitOptions) []string {
	t.Helper()
	secrets, err := objects.ParseSecrets("dump.yaml", []byte(dump))
	if err != nil {
		t.Fatal(err)
	}
	manifests, _, err := openshift.Manifests(slices.Sorted(maps.Keys(a)), a, o)
	if err != nil {
		t.Fatal(err)
	}
	before := Of(secrets...)
	before.Requests = o.Requests
	before.Keep(manifests)
	c := Diff(before, before.After(manifests), manifests)
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

func TestDiff(t *testing.T) {
	t.Parallel()
	csi := openshift.Accounts{vc1: {component.CSIDriver: account("csi@d", "pw-c")}}
	only := openshift.EmitOptions{Components: []component.Name{component.CSIDriver}}
	shared := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw-m")...)
	own := objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", marked("true", "", vc1, idA), pair("csi@d", "pw-c")...)
	none := only
	none.CCOLabel = openshift.LabelNone
	wrong := strings.Replace(marked("yes", "", vc1, idA), "vmware-vsphere-csi-driver-operator", "machine-api-vsphere", 1)
	machine := objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "pw-m")...)
	manual := openshift.EmitOptions{Components: only.Components, Profile: openshift.ProfileComponentScoped}
	with := func(o openshift.EmitOptions, id string) openshift.EmitOptions {
		o.Instances = openshift.Instances{vc1: id}
		return o
	}
	for name, tt := range map[string]struct {
		dump string
		a    openshift.Accounts
		o    openshift.EmitOptions
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
			"kube-system/vsphere-creds-csi-driver changed; " + openshift.RequestKey + ` another label "" "true"; ` + openshift.RequestKey + ` another annotation "" "` + csiRequest + `"`,
		}},
		"a wrong annotation": {shared + machine + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", wrong, pair("csi@d", "pw-c")...), csi, only, []string{
			"kube-system/vsphere-creds-csi-driver changed; " + openshift.RequestKey + ` another label "yes" "true"; ` + openshift.RequestKey + fmt.Sprintf(" another annotation %q %q", mapiRequested, csiRequest),
			vc1 + ": machine-api: from csi@d (kube-system/vsphere-creds-csi-driver, annotation) to mapi@d (kube-system/vsphere-creds-machine-api, name) by enhancement",
		}},
		"a wrong annotation that oc apply did not write": {shared + machine + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", wrong, pair("csi@d", "pw-c")...), csi, none, []string{
			"kube-system/vsphere-creds-csi-driver same",
		}},
		"an annotation that oc apply wrote": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", marked("true", `{"metadata":{"annotations":{"`+openshift.RequestKey+`":"x"},"labels":{"`+openshift.RequestKey+`":"true"}}}`, vc1, idA), pair("csi@d", "pw-c")...), csi, none,
			[]string{"kube-system/vsphere-creds-csi-driver changed; " + openshift.RequestKey + ` another label "true" ""; ` + openshift.RequestKey + ` another annotation "` + csiRequest + `" ""`},
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
		"vCenter added": {objectstest.SecretYAML(objectstest.CSITarget, "", pair("csi@d", "pw-c")...), openshift.Accounts{vc1: csi[vc1], "vc2": {component.CSIDriver: account("csi@d", "pw-2")}}, manual, []string{
			objectstest.CSITarget + ` changed; vc2 vCenter added "" "csi@d"`,
		}},
		"first emission": {objectstest.SecretYAML("kube-system/other", "", "a=b"), csi, manual, []string{objectstest.CSITarget + " new; " + vc1 + ` vCenter added "" "csi@d"`}},
		"behind an annotation": { // somebody else's secret goes before the one that is written
			objectstest.SecretYAML("kube-system/mine", forCSI("yes"), pair("mine@d", "pw-mine")...), csi, only,
			[]string{"kube-system/vsphere-creds-csi-driver new; " + vc1 + ` vCenter added "" "csi@d"`},
		},
		"the root secret": {shared + objectstest.SecretYAML(objectstest.CapiTarget, "", pair("main@d", "pw-m")...), openshift.Accounts{vc1: {component.Installer: account("new@d", "pw-n")}}, openshift.EmitOptions{Profile: openshift.ProfilePassthrough}, append(
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
		if slices.Contains(Direct(), c) {
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
		known, want openshift.Instances
		kept        []string
	}{{nil, openshift.Instances{vc1: idA}, []string{vc1}}, {openshift.Instances{vc1: idB}, openshift.Instances{vc1: idB}, nil}, {openshift.Instances{vc2: idB}, openshift.Instances{vc1: idA}, []string{vc1}}} {
		manifests, _, err := openshift.Manifests([]string{vc1}, full(vc1), openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, Components: []component.Name{component.CSIDriver}, Instances: tt.known})
		if err != nil {
			t.Fatal(err)
		}
		if kept := Of(secrets...).Keep(manifests); !slices.Equal(kept, tt.kept) {
			t.Errorf("%v: kept %q, want %q", tt.known, kept, tt.kept)
		}
		if diff := cmp.Diff(tt.want, openshift.Recorded(manifests[0].Secret)); diff != "" {
			t.Errorf("%v: %s", tt.known, diff)
		}
	}
}
