package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// By their own view alone nothing is said of permissions, which nobody read, and what mends a difference is somebody else's.
func TestJudgeByOwnView(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		saw    func(lab) Seen
		added  bool
		others []component.Name
		want   []string
	}{
		"as it must be": {saw: func(lab) Seen { return Seen{Held: implicit(allocate)} }, want: []string{"/DC1/datastore/ds1 (datastore)"}},
		"lacks it": {
			saw:  func(lab) Seen { return Seen{Held: implicit()} },
			want: []string{"/DC1/datastore/ds1 (datastore)", "missing " + allocate, "it does not hold all that it needs: " + remedyAsk},
		},
		"made for another": {
			saw: func(lab) Seen { return Seen{Held: implicit(browse)} }, others: []component.Name{component.CSIDriver},
			want: []string{
				"/DC1/datastore/ds1 (datastore)", "missing " + allocate, "excess " + browse, "it does not hold all that it needs: put csi-driver's own account into its secret",
				"it holds what nothing needs: put csi-driver's own account into its secret",
			},
		},
		"a request asks for it": {
			saw: func(lab) Seen { return Seen{Held: implicit()} }, added: true,
			want: []string{"/DC1/datastore/ds1 (datastore)", "missing " + allocate, "it does not hold all that it needs: a request requires it: " + remedyAsk},
		},
		"not seen": {
			saw:  func(l lab) Seen { return Seen{Hidden: l.ds1} },
			want: []string{"/DC1/datastore/ds1 (datastore)", "missing Datastore.AllocateSpace System.Anonymous System.Read System.View", "it cannot see /DC1/datastore/ds1: " + remedyAsk},
		},
		"too much": {
			saw: func(lab) Seen { return Seen{Held: implicit(allocate, browse)} },
			want: []string{
				"/DC1/datastore/ds1 (datastore)", "excess " + browse,
				"it holds what nothing needs: " + remedyAsk + ", or to check its groups and global permissions",
			},
		},
	} {
		l := newLab()
		l.Own, l.Others = true, map[string][]component.Name{"csi@sso": c.others}
		if c.added {
			l.Needs[0].Row.Added, l.Needs[0].Row.Why = true, "a request requires it"
		}
		who, a := access.Subject{Key: "csi@sso"}, Account{Login: login.OK}
		l.Judge(&a, Case{Who: who, Holder: who, Objects: []*inventory.Object{l.ds1}}, map[*inventory.Object]Seen{l.ds1: c.saw(l)})
		if diff := cmp.Diff(c.want, said(a.Objects[0])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Who has no administrator is sent to nobody's lists: a refused account is named with its secrets.
func TestFailingsOfOwnView(t *testing.T) {
	t.Parallel()
	s, err := spec.FromServers([]string{"vc1"})
	if err != nil {
		t.Fatal(err)
	}
	v := &Result{View: ViewAccounts, VCenters: []VCenter{{Server: "vc1", Accounts: []Account{
		{Component: "csi-driver", Principal: "p", Login: login.RefusedOrLocked, Secrets: []string{"kube-system/a"}},
	}}}}
	all := v.Failings(s, func(name string, _ ...string) string { t.Errorf("%s is printed", name); return name })
	if len(all) != 1 || all[0].Code != finding.RefusedAccount || len(all[0].Remedies) != 1 ||
		all[0].Text != "p on vc1 cannot be used: "+login.RefusedOrLocked+": it is in kube-system/a" {
		t.Errorf("%+v", all[0])
	}
}
