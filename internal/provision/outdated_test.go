package provision_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// A record of another password says that the file's is outdated, unless SSO says that somebody set one after it was written.
func TestOutdatedPassword(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	const mark = "OpenShift cluster cluster1, component csi-driver; made by ocp-vsphere-admin"
	for name, tt := range map[string]struct {
		record   string
		outdated bool
	}{
		"another one":                     {"; password set " + time.Now().UTC().Format(time.DateOnly) + ", tag 000000", true},
		"another one, and later a change": {"; password set 2020-01-02, tag 000000", false},
		"no tag":                          {"; password set 2020-01-02", false},
		"nothing":                         {"", false},
	} {
		if err := h.lab.VCenters[0].Directory().SetDetails("ocp-cluster1-csi-driver", directory.Details{Description: mark + tt.record}); err != nil {
			t.Fatal(err)
		}
		p := h.plan(t)
		found := len(general(p)) > 0 && general(p)[0].Code == finding.OutdatedPassword && len(general(p)[0].Accounts) == 2 && strings.Contains(general(p)[0].Text, "ocp-cluster1-csi-driver@vsphere.local on 2 vCenters")
		if found != tt.outdated || p.Differs() != tt.outdated || !p.Empty() {
			t.Errorf("%s:\n%s", name, text(p))
		}
	}
}
