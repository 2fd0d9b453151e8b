package vcsim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// What may be unset does not name hidden objects, wherever it is; what the API requires does.
func TestHiddenObjectsAreNotNamed(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant(clusterVM, "u", false)
	r.user("p")
	r.grant("/DC0/host/DC0_C0/Resources/DC0_C0_RP1", "p", false)
	c := r.login("u@vsphere.local")
	vm := r.ref(clusterVM)
	got := r.properties(c, vm, "parent", "resourcePool", "runtime", "runtime.host", "summary", "datastore", "network", "environmentBrowser", "name")
	for _, unset := range []string{"parent", "resourcePool", "runtime.host"} {
		if v, ok := got[unset]; ok {
			t.Errorf("%s is %v", unset, v)
		}
	}
	if host := got["runtime"].(types.VirtualMachineRuntimeInfo).Host; host != nil {
		t.Errorf("the host in runtime: %v", host)
	}
	summary := got["summary"].(types.VirtualMachineSummary)
	if summary.Runtime.Host != nil || summary.Vm == nil || *summary.Vm != vm {
		t.Errorf("in the summary: host %v, virtual machine %v", summary.Runtime.Host, summary.Vm)
	}
	for _, list := range []string{"datastore", "network"} {
		if refs := got[list].(types.ArrayOfManagedObjectReference).ManagedObjectReference; len(refs) != 0 {
			t.Errorf("%s: %v", list, refs)
		}
	}
	if got["environmentBrowser"] == nil || got["name"] == nil {
		t.Errorf("what names nothing hidden: %v", got)
	}
	pool := r.properties(r.login("p@vsphere.local"), r.ref("/DC0/host/DC0_C0/Resources/DC0_C0_RP1"), "owner", "parent")
	if owner, ok := pool["owner"].(types.ManagedObjectReference); !ok || owner != r.ref("/DC0/host/DC0_C0") {
		t.Errorf("the owner of the pool is %v", pool["owner"])
	}
	if pool["parent"] != nil {
		t.Errorf("the parent of the pool is %v", pool["parent"])
	}
	var all, seen mo.VirtualMachine
	for client, into := range map[*govmomi.Client]*mo.VirtualMachine{r.admin: &all, c: &seen} {
		if err := client.RetrieveOne(ctx, vm, []string{"runtime", "parent", "resourcePool"}, into); err != nil {
			t.Fatal(err)
		}
	}
	if all.Runtime.Host == nil || all.Parent == nil || all.ResourcePool == nil {
		t.Fatalf("the administrator does not see them either: %+v", all)
	}
	all.Runtime.Host = nil
	if d := cmp.Diff(all.Runtime, seen.Runtime); d != "" {
		t.Errorf("the rest of the runtime differs: %s", d)
	}
}

// mo.Ancestors, which is below every path that govmomi composes, never returns when an object names a hidden parent.
func TestTheWayUpEnds(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", false)
	r.grant("/DC0/host/DC0_C0", "u", true)
	c := r.login("u@vsphere.local")
	cluster := r.ref("/DC0/host/DC0_C0")
	if parent := r.properties(c, cluster, "parent")["parent"]; parent != nil {
		t.Fatalf("the parent of the cluster is %v", parent)
	}
	up, err := mo.Ancestors(ctx, c, c.ServiceContent.PropertyCollector, r.ref("/DC0/host/DC0_C0/Resources"))
	if err != nil || len(up) != 2 || up[0].Self != cluster {
		t.Errorf("the way up: %v, %v", up, err)
	}
}
