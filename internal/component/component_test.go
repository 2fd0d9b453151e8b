package component_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// A forgotten entry would print an empty string somewhere: each field of each row is filled. None is told by nil, by an
// empty list that is there, or by the exceptions below.
func TestEveryFieldOfEveryComponentIsFilled(t *testing.T) {
	t.Parallel()
	for _, c := range component.All() {
		if c.InCluster == nil && c.Name != component.Installer && c.Name != component.Auditor {
			t.Errorf("%s gets its account inside the cluster: fill InCluster", c.Name)
			continue
		}
		for _, field := range empty(reflect.ValueOf(c), string(c.Name)) {
			switch field {
			case string(component.Installer) + ".InCluster", string(component.Auditor) + ".InCluster": // they run outside
			case string(c.Name) + ".InCluster.Request.Gate": // always there
			case string(c.Name) + ".OptIn": // in every cluster
			case string(component.ClusterAPI) + ".InCluster.Secret", // the designs have no place for it
				string(component.ClusterAPI) + ".InCluster.Member",
				string(component.ClusterAPI) + ".InCluster.Scoped",
				string(component.MachineConfig) + ".InCluster.Secret",
				string(component.MachineConfig) + ".InCluster.Member",
				string(component.MachineConfig) + ".InCluster.Scoped":
			default:
				t.Errorf("%s is empty", field)
			}
		}
	}
}

// empty lists the fields below v that hold nothing.
func empty(v reflect.Value, path string) []string {
	switch {
	case v.Kind() == reflect.Struct:
		var all []string
		for i := range v.NumField() {
			all = append(all, empty(v.Field(i), path+"."+v.Type().Field(i).Name)...)
		}
		return all
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return empty(v.Elem(), path)
	case v.IsZero():
		return []string{path}
	}
	return nil
}

// The test above is no good if it overlooks a field: an empty row has to be named field by field.
func TestAnEmptyRowIsNoticed(t *testing.T) {
	t.Parallel()
	want := []string{
		"x.Name", "x.Short", "x.Purpose", "x.Spellings",
		"x.InCluster.Request.Name", "x.InCluster.Request.Target.Namespace", "x.InCluster.Request.Target.Name",
		"x.InCluster.Request.File", "x.InCluster.Request.Gate", "x.InCluster.Request.Who",
		"x.InCluster.Secret", "x.InCluster.Member", "x.InCluster.Scoped", "x.OptIn",
	}
	if got := empty(reflect.ValueOf(component.Component{InCluster: &component.Cluster{}}), "x"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Whatever a component is found by belongs to one alone.
func TestNamesAreTold(t *testing.T) {
	t.Parallel()
	seen := map[string]component.Name{}
	once := func(c component.Name, kind, word string) {
		if first, taken := seen[kind+word]; taken {
			t.Errorf("%s %s belongs to %s and to %s", kind, word, first, c)
		}
		seen[kind+word] = c
	}
	for _, c := range component.All() {
		once(c.Name, "name", string(c.Name))
		for _, s := range c.Spellings {
			once(c.Name, "spelling", s)
		}
		if in := c.InCluster; in != nil {
			once(c.Name, "request", in.Request.Name)
			once(c.Name, "target", in.Request.Target.String())
			once(c.Name, "file", in.Request.File)
			for kind, word := range map[string]string{"secret": in.Secret, "member": in.Member, "scoped": in.Scoped} {
				if word != "" {
					once(c.Name, kind, word)
				}
			}
		}
		if found, ok := component.Find(c.Name); !ok || !reflect.DeepEqual(found, c) {
			t.Errorf("%s is not found by its name: %+v", c.Name, found)
		}
	}
	if c, ok := component.Find("machine"); ok {
		t.Errorf("machine is found as %+v", c)
	}
}

// A specification that names no component means those of every cluster.
func TestOptInComponentsAreNotAmongTheDefault(t *testing.T) {
	t.Parallel()
	want := []component.Name{component.MachineAPI, component.CSIDriver, component.CloudController, component.Diagnostics, component.Installer}
	if got := component.Default(); !slices.Equal(got, want) {
		t.Errorf("the default is %v", got)
	}
	for _, c := range component.Names() {
		if c.OptIn() == slices.Contains(want, c) {
			t.Errorf("%s: has to be named: %t", c, c.OptIn())
		}
	}
	if !component.ClusterAPI.OptIn() || !component.MachineConfig.OptIn() || !component.Auditor.OptIn() || component.Name("x").OptIn() {
		t.Error("cluster-api, machine-config and auditor are to be named")
	}
}

// What this tool and the designs call accounts says whose they are; what anybody might be called does not.
func TestOfUser(t *testing.T) {
	t.Parallel()
	for user, want := range map[string]component.Name{
		"ocp-cluster1-machine-api@vsphere.local":    component.MachineAPI,
		"ocp-cluster1-machine-api-2@vsphere.local":  component.MachineAPI,
		`CORP\ocp_csi_driver`:                       component.CSIDriver,
		"ocp-csi@vsphere.local":                     component.CSIDriver,
		"OCP-CCM@vsphere.local":                     component.CloudController,
		"ocp-problem-detector@vsphere.local":        component.Diagnostics,
		"ocp-csi-machine-api@vsphere.local":         component.MachineAPI, // of a cluster that is called csi
		"ocp-shared-installer@vsphere.local":        component.Installer,
		"ocp-cluster1-machine-config@vsphere.local": component.MachineConfig,
		"ocp-mco-2@vsphere.local":                   component.MachineConfig,
		"machine-api@vsphere.local":                 component.MachineAPI,
		"svc-storage@corp.example.com":              "",
		"ocp@csi":                                   "",
		"svc-42":                                    "",
		"42":                                        "",
		"machine-api-reader@vsphere.local":          "",
		"":                                          "",
	} {
		if got := component.OfUser(user); got != want {
			t.Errorf("%s: %q, want %q", user, got, want)
		}
	}
}
