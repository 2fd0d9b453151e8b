package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// request is one of a release: its component, name, and what is said of it.
func request(c component.Name, name string, change ...func(*release.Request)) release.Request {
	q := release.Request{
		Ref: component.At("openshift-cloud-credential-operator", name), File: "release/" + name + ".yaml",
		SecretRef: component.At("openshift-"+name, "creds"), Component: c,
	}
	for _, f := range change {
		f(&q)
	}
	return q
}

func asking(ids ...string) func(*release.Request) {
	return func(q *release.Request) { q.Privileges = ids }
}

func target(namespace, name string) func(*release.Request) {
	return func(q *release.Request) { q.SecretRef = component.At(namespace, name) }
}

func accounts(names ...string) func(*release.Request) {
	return func(q *release.Request) { q.ServiceAccounts = names }
}

func gate(name string) func(*release.Request) {
	return func(q *release.Request) { q.FeatureGate = name }
}

func set(name string) func(*release.Request) {
	return func(q *release.Request) { q.FeatureSet = name }
}

func requests(list ...release.Request) *release.Requests {
	return &release.Requests{Dir: "release", List: list, Others: map[string]int{}}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	machine, csi := request(component.MachineAPI, "machine-api"), request(component.CSIDriver, "csi")
	for name, tt := range map[string]struct {
		from, to *release.Requests
		want     []string
	}{
		"the same":   {requests(machine, csi), requests(csi, machine), nil},
		"added":      {requests(machine), requests(machine, csi), []string{"added csi of csi-driver"}},
		"removed":    {requests(machine, csi), requests(machine), []string{"removed csi of csi-driver"}},
		"no account": {requests(machine), requests(machine, request("", "mine")), []string{"added mine of nobody"}},
		"gated": {
			requests(), requests(request(component.CSIDriver, "csi", gate("NewStorage"))),
			[]string{"added csi of csi-driver (applies only with feature gate NewStorage)"},
		},
		"marked for deletion": {
			requests(machine, csi),
			&release.Requests{List: []release.Request{machine}, Skipped: []release.Skipped{{Request: csi, Reason: "is marked for deletion in the cluster", Deleted: true}}},
			[]string{"removed csi of csi-driver (the next release has it, and it is marked for deletion in the cluster)"},
		},
		"renamed, with the same secret": {
			requests(machine, request("", "old", target("a", "b"))), requests(machine, request("", "new", target("a", "b"))),
			[]string{"renamed new of nobody: name"},
		},
		"renamed, the only one of its component": {
			requests(csi), requests(request(component.CSIDriver, "storage", asking("Datastore.Browse"))),
			[]string{"renamed storage of csi-driver: name, secret, privileges +Datastore.Browse"},
		},
		"two for one: nobody knows which": {
			requests(csi), requests(request(component.CSIDriver, "storage-a"), request(component.CSIDriver, "storage-b")),
			[]string{"removed csi of csi-driver", "added storage-a of csi-driver", "added storage-b of csi-driver"},
		},
		"another secret":   {requests(csi), requests(request(component.CSIDriver, "csi", target("x", "y"))), []string{"changed csi of csi-driver: secret"}},
		"service accounts": {requests(csi), requests(request(component.CSIDriver, "csi", accounts("a"))), []string{"changed csi of csi-driver: service accounts"}},
		"privileges": {
			requests(request(component.CSIDriver, "csi", asking("A", "B"))), requests(request(component.CSIDriver, "csi", asking("B", "C"))),
			[]string{"changed csi of csi-driver: privileges +C -A"},
		},
		"another component by --assign is the same request": {requests(request("", "mine")), requests(request(component.MachineAPI, "mine")), nil},
		"no gate any more": {requests(request(component.CSIDriver, "csi", gate("G"))), requests(csi), []string{"changed csi of csi-driver: feature gate (was behind feature gate G)"}},
		"another gate": {
			requests(request(component.CSIDriver, "csi", gate("G"))), requests(request(component.CSIDriver, "csi", gate("H"))),
			[]string{"changed csi of csi-driver: feature gate (applies only with feature gate H)"},
		},
		"no feature set any more": {
			requests(request(component.CSIDriver, "csi", set("TechPreviewNoUpgrade"))), requests(csi),
			[]string{"changed csi of csi-driver: feature gate (was behind feature set TechPreviewNoUpgrade)"},
		},
	} {
		var got []string
		for _, c := range reconcile.Diff(tt.from, tt.to) {
			who := string(c.Component)
			if who == "" {
				who = "nobody"
			}
			text := fmt.Sprintf("%s %s of %s", c.Kind, c.Request(), who)
			if len(c.Fields) > 0 {
				text += ": " + strings.Join(c.Fields, ", ")
				for _, id := range c.PrivilegesAdded {
					text += " +" + id
				}
				for _, id := range c.PrivilegesRemoved {
					text += " -" + id
				}
			}
			if c.Note != "" {
				text += " (" + c.Note + ")"
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNetNew(t *testing.T) {
	t.Parallel()
	from := requests(request(component.MachineAPI, "a", target("x", "y")), request(component.Diagnostics, "lost", gate("G")), request(component.ClusterAPI, "kept", gate("G")))
	to := requests(request(component.MachineAPI, "b", target("x", "y")), request(component.CSIDriver, "csi"), request("", "mine"),
		request(component.Diagnostics, "lost"), request(component.ClusterAPI, "kept", gate("G")))
	var got []string
	for _, q := range reconcile.NetNew(from, to) {
		got = append(got, q.Name)
	}
	if diff := cmp.Diff([]string{"csi", "lost", "kept"}, got); diff != "" {
		t.Errorf("what is renamed keeps its secret, what gets no account has none, and what was behind a gate may have none: %s", diff)
	}
	if len(from.List) != 3 {
		t.Error("the requests were changed")
	}
}
