package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// 'oc apply' takes out of a secret what its next version lacks: whatever part of a cluster was looked at, the command that mends a
// secret is for all vCenters of it. It says whose accounts these are as it was said.
func TestRemediesKeepEveryVCenter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		o    asked
		want string
	}{
		"all vCenters":       {asked{}, "--vcenters " + vc1 + "," + vc2},
		"one of them":        {asked{Servers: []string{vc1}}, "--vcenters " + vc1 + "," + vc2},
		"one more":           {asked{Servers: []string{"vc3"}}, "--vcenters vc3," + vc1 + "," + vc2},
		"a credentials file": {asked{Servers: []string{vc1}, Emit: []string{"--credentials-file", "a b"}}, "--credentials-file 'a b' --vcenters " + vc1 + "," + vc2},
		"a cluster's file":   {asked{Servers: []string{vc1}, Emit: []string{"-f", "two.yaml"}, Named: true}, "-f two.yaml"},
	} {
		d := enhanced(t)
		d[csiDedicated].Annotations[openshift.RequestKey], d[csiDedicated].Labels[openshift.RequestKey] = mapiRequested, openshift.LabelYes
		delete(d, "kube-system/vsphere-creds-diagnostics")
		_, e := d.explain(t, tt.o)
		var lines []string
		for _, f := range e.Findings {
			lines = append(lines, slices.DeleteFunc(slices.Clone(f.Remedies), func(r string) bool { return !strings.Contains(r, "secrets emit") })...)
		}
		if len(lines) == 0 {
			t.Errorf("%s: no command", name)
		}
		for _, line := range lines {
			if !strings.HasSuffix(line, " "+tt.want+" | oc apply -f -") {
				t.Errorf("%s: %s, want %s", name, line, tt.want)
			}
		}
	}
}

// One account for all is offered only where it would be one: components with a secret of their own keep theirs.
func TestOneAccountForAll(t *testing.T) {
	t.Parallel()
	offered := func(d dumped) bool {
		_, e := d.explain(t, asked{})
		return slices.ContainsFunc(e.Findings, func(f *finding.Finding) bool {
			return slices.ContainsFunc(f.Remedies, func(r string) bool {
				return strings.HasPrefix(r, "if one account is meant for all, the main one of the credentials file: ocp-vsphere-admin secrets emit --profile passthrough ")
			})
		})
	}
	d := enhanced(t)
	delete(d, csiDedicated)
	if offered(d) {
		t.Error("offered beside secrets of their own")
	}
	for _, c := range d {
		if c.Namespace == "kube-system" && c.Name != root.Name {
			delete(d, c.Namespace+"/"+c.Name)
		}
	}
	if !offered(d) {
		t.Error("not offered where nobody has one")
	}
}
