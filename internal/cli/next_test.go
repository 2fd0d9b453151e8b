package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func TestNextRepeatsWhatTheNextCommandNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words        []string
		next, source string // the flags of apply, those that a saved plan keeps for verify
	}{
		{[]string{"-f", "a b.yaml"}, "-f 'a b.yaml'", "-f 'a b.yaml'"},
		{[]string{"-f", "-"}, "-f FILE", "-f FILE"},
		{
			strings.Fields("--yes --exit-code --out p.json -v -o json --no-color --thumbprint vc=AA --components csi-driver,machine-api" +
				" --create-folders --additive --insecure=false --conditions vsan-file --matrix ./m.yaml --vcenters a,b --file s.yaml" +
				" --connect-to a=x:1 --connect-to b=y:1 --credentials-file c --admin-user u --admin-password-file - --cacert ca --timeout 5s"),
			"-f s.yaml --vcenters a,b --components csi-driver,machine-api --matrix ./m.yaml --conditions vsan-file --additive" +
				" --admin-password-file - --admin-user u --cacert ca --connect-to a=x:1 --connect-to b=y:1 --create-folders" +
				" --credentials-file c --insecure=false --thumbprint vc=AA --timeout 5s",
			"-f s.yaml --vcenters a,b --components csi-driver,machine-api --matrix ./m.yaml --conditions vsan-file --create-folders",
		},
	} {
		fake := term.NewFake()
		fake.Env["OCP_VSPHERE_ADMIN_PARALLEL"] = "3" // the next command finds it there
		f := NewFactory(fake.Streams, Build{})
		var next, source string
		cmd := newCmdPlan(f, func(o *PlanOptions) error {
			next, source = o.repeat("apply"), script.Line(o.source()...)
			return nil
		})
		if err := parseWords(t, f, cmd, append([]string{"plan"}, c.words...)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{c.next, c.source}, []string{next, source}); diff != "" {
			t.Errorf("%q: %s", c.words, diff)
		}
	}
}
