package diagnosis

import (
	"maps"
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

func TestExplainRecords(t *testing.T) {
	t.Parallel()
	two := append(pair("csi@d", "pw-c"), "vc2.username=csi@d", "vc2.password=pw-2")
	dump := objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", record(vc1, idA), two...) +
		objectstest.SecretYAML(objectstest.CSITarget, "  annotations: {"+openshift.VCentersKey+": '{'}\n", pair("csi@d", "pw-c")...)
	e := explained(t, dump, asked{})
	if !found(e, finding.SecretNote, "vsphere-creds-csi-driver", "does not say which vCenter vc2 is") || !found(e, finding.SecretVCenter, objectstest.CSITarget, "cannot be read: it") {
		t.Errorf("got %+v", e.Findings)
	}
	if got := e.Recorded(); !slices.Equal(got, []string{vc1}) {
		t.Errorf("recorded %q", got)
	}
	for _, tt := range []struct {
		now         openshift.Instances
		want, doubt string
	}{
		{openshift.Instances{vc1: idA}, "", ""},
		{openshift.Instances{vc1: idB}, "now leads to another vCenter: instance " + idB + ", recorded " + idA, doubtElsewhere},
		{nil, "cannot check", doubtUnasked},
	} {
		e := explained(t, objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", record(vc1, idA), two...), asked{})
		doubts := e.CompareInstances(tt.now)
		if found(e, finding.SecretVCenter, "", "") != (tt.want != "") || tt.want != "" && !found(e, finding.SecretVCenter, "vsphere-creds-csi-driver", tt.want) {
			t.Errorf("%v: got %+v", tt.now, e.Findings)
		}
		want := map[string]string{vc1: tt.doubt}
		if tt.doubt == "" {
			want = map[string]string{} // vc2 is not recorded: nothing is promised of it
		}
		if !maps.Equal(doubts, want) {
			t.Errorf("%v: doubts %q", tt.now, doubts)
		}
	}
	// a record that cannot be read confirms nothing, whatever another secret records
	if doubts := e.CompareInstances(openshift.Instances{vc1: idA}); !maps.Equal(doubts, map[string]string{vc1: doubtUnreadable}) {
		t.Errorf("unreadable: doubts %q", doubts)
	}
	if e := explained(t, dump, asked{Servers: []string{"vc2"}}); len(e.Recorded()) != 0 {
		t.Errorf("recorded %q of vCenters that were not asked for", e.Recorded())
	}
}
