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
)

const (
	gone   = "ocp-cluster1-csi-driver@vsphere.local"
	stays  = "ocp-cluster1-csi-driver-2@vsphere.local"
	right  = "right-Password-1"
	csiOwn = "kube-system/vsphere-creds-csi-driver"
)

// infrastructure is one by hand.
func infrastructure(name, platform string, servers ...string) string {
	text := "---\napiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata: {name: cluster}\nspec:\n  platformSpec:\n    type: " + platform + "\n"
	if len(servers) > 0 {
		text += "    vsphere:\n      vcenters:\n"
	}
	for _, server := range servers {
		text += "      - {server: " + server + ", datacenters: [DC1]}\n"
	}
	return text + "status: {apiServerURL: \"https://api." + strings.ToLower(name[:strings.LastIndex(name, "-")]) + ".example.com:6443\", infrastructureName: " + name + ", platformStatus: {type: " + platform + "}}\n"
}

// proving are the objects that prove of cluster1 that the first account of the CSI driver may go, by place.
func proving() map[string]string {
	all := map[string]string{"infrastructure": infrastructure("cluster1-x7k2p", "VSphere", vc1)}
	for _, at := range []string{csiOwn, objectstest.CSITarget} {
		all[at] = objectstest.SecretYAML(at, "", pair(stays, right)...)
	}
	for _, at := range []string{objectstest.MapiTarget, objectstest.CCMTarget, objectstest.VPDTarget} {
		all[at] = objectstest.SecretYAML(at, "", pair("ocp-cluster1-others@vsphere.local", "x")...)
	}
	return all
}

// asking is the question whether it may.
func asking() Question {
	return Question{
		Cluster: "cluster1",
		Of: func(user string) string {
			_, rest, _ := strings.Cut(Spelling(user), "ocp-")
			of, _, _ := strings.Cut(rest, "-")
			return of
		},
		Known: []string{vc1}, Servers: []string{vc1}, Going: []string{gone},
		Stays:   []Stay{{Component: component.CSIDriver, Servers: []string{vc1}, Account: account(stays, right)}},
		Readers: []component.Name{component.CSIDriver},
	}
}

// lacked are the parts that a proof lacks, in words.
func lacked(c *Cluster, q Question) []string {
	var all []string
	for _, l := range c.Proof(q) {
		what := map[Missing]string{
			LacksIdentity: "identity", LacksPlatform: "platform", LacksName: "name", LacksVCenter: "vCenter", LacksShown: "shown", LacksStaying: "staying", LacksFree: "free",
		}[l.Missing]
		words := append([]string{what}, l.Words...)
		for _, h := range l.Held {
			words = append(words, h.At.String()+" "+string(h.Form)+" "+h.Server)
		}
		all = append(all, strings.TrimSpace(strings.Join(words, " ")))
	}
	return all
}

// An account may go when the cluster is the one that is meant, shows what its components read, has what stays where its readers find it,
// and has the one that goes nowhere.
func TestProof(t *testing.T) {
	t.Parallel()
	const other = "ocp-cluster2-csi-driver@vsphere.local"
	nothingOfOurs := func(all map[string]string) {
		for at := range all {
			if at != "infrastructure" {
				all[at] = objectstest.SecretYAML(at, "", pair("svc@vsphere.local", right)...)
			}
		}
	}
	staying := func(q *Question) { q.Stays[0].Account.User = "svc@vsphere.local" }
	for name, tt := range map[string]struct {
		change func(map[string]string)
		ask    func(*Question)
		manual bool
		whole  bool
		want   []string
	}{
		"it is proof":                  {},
		"it is proof, in Manual mode":  {manual: true},
		"no Infrastructure, but ours":  {change: func(all map[string]string) { delete(all, "infrastructure") }},
		"nothing of ours, but by name": {change: nothingOfOurs, ask: staying},

		"another platform": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all["infrastructure"] = infrastructure("cluster1-x7k2p", "AWS")
			},
			ask: staying, want: []string{"platform AWS"},
		},
		"another platform, with an account of ours": {
			change: func(all map[string]string) { all["infrastructure"] = infrastructure("aws-x7k2p", "AWS") },
			want:   []string{"platform AWS"},
		},
		"no Infrastructure, nothing of ours": {
			change: func(all map[string]string) { nothingOfOurs(all); delete(all, "infrastructure") },
			ask:    staying, want: []string{"identity"},
		},
		"another name": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all["infrastructure"] = infrastructure("cluster2-x7k2p", "VSphere", vc1)
			},
			ask: staying, want: []string{"name cluster2-x7k2p"},
		},
		"another cluster that holds ours": { // applied with the wrong context
			change: func(all map[string]string) { all["infrastructure"] = infrastructure("other-x7k2p", "VSphere", vc1) },
			want:   []string{"name other-x7k2p"},
		},
		"another name without an address, but ours": {change: func(all map[string]string) {
			all["infrastructure"] = strings.Replace(infrastructure("other-x7k2p", "VSphere", vc1), "apiServerURL", "etcdDiscoveryDomain", 1)
		}},
		"another name, and ours for another vCenter": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all["infrastructure"] = infrastructure("cluster2-x7k2p", "VSphere", vc2)
				all["mine/x"] = objectstest.SecretYAML("mine/x", "", vc2+".username="+stays, vc2+".password=x")
			},
			ask: staying, want: []string{"name cluster2-x7k2p"},
		},
		"no Infrastructure, and another's": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				delete(all, "infrastructure")
				all["mine/x"] = objectstest.SecretYAML("mine/x", "", pair(other, "x")...)
			},
			ask: staying, want: []string{"name cluster2"},
		},
		"its name, on other vCenters": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all["infrastructure"] = infrastructure("cluster1-x7k2p", "VSphere", vc2)
			},
			ask: staying, want: []string{"vCenter " + vc2},
		},
		"its name, no vCenter": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all["infrastructure"] = infrastructure("cluster1-x7k2p", "VSphere") // as before 4.13
			},
			ask: staying,
		},
		"its name, a vCenter under another name of it": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all["infrastructure"] = infrastructure("cluster1-x7k2p", "VSphere", "10.0.0.1", strings.ToUpper("alias.example.com"))
			},
			ask: func(q *Question) { staying(q); q.Known = append(q.Known, "alias.example.com") },
		},
		"accounts of no one cluster": {
			change: func(all map[string]string) { nothingOfOurs(all); delete(all, "infrastructure") },
			ask:    func(q *Question) { staying(q); q.Cluster = "" },
		},

		"kube-system is not shown": {
			change: func(all map[string]string) { delete(all, csiOwn) },
			manual: true, want: []string{"shown kube-system"},
		},
		"two secrets of other namespaces": {
			change: func(all map[string]string) {
				clear(all)
				all["infrastructure"] = infrastructure("cluster1-x7k2p", "VSphere", vc1)
				all["default/a"], all["openshift-config/b"] = objectstest.SecretYAML("default/a", "", "k=v"), objectstest.SecretYAML("openshift-config/b", "", "k=v")
			},
			ask: func(q *Question) { q.Stays = nil },
			want: []string{
				"shown kube-system openshift-cloud-controller-manager openshift-cluster-csi-drivers openshift-cluster-storage-operator openshift-machine-api",
			},
		},
		"the API server was asked": {
			change: func(all map[string]string) {
				clear(all)
				all["infrastructure"] = infrastructure("cluster1-x7k2p", "VSphere", vc1)
			},
			ask: func(q *Question) { q.Stays = nil }, whole: true,
		},
		"a namespace of a reader that not every cluster has": {
			ask: func(q *Question) { q.Readers = append(q.Readers, component.ClusterAPI) }, want: []string{"shown openshift-cluster-api"},
		},
		"a namespace that the cluster has not": {
			change: func(all map[string]string) {
				delete(all, objectstest.VPDTarget)
				all["namespaces"] = "---\nkind: Namespace\nmetadata: {name: default}\n---\nkind: Namespace\nmetadata: {name: kube-system}\n"
			},
		},
		"a list of one namespace": {
			change: func(all map[string]string) {
				delete(all, objectstest.VPDTarget)
				all["namespaces"] = "---\nkind: Namespace\nmetadata: {name: kube-system}\n"
			},
			want: []string{"shown openshift-cluster-storage-operator"},
		},

		"nothing stays": {change: func(all map[string]string) { nothingOfOurs(all) }, ask: func(q *Question) { q.Stays = nil }},
		"what stays is nowhere": {
			change: func(all map[string]string) { nothingOfOurs(all) }, want: []string{"staying"},
		},
		"what stays has another password": {
			change: func(all map[string]string) {
				for _, at := range []string{csiOwn, objectstest.CSITarget} {
					all[at] = objectstest.SecretYAML(at, "", pair(stays, "an-earlier-Password")...)
				}
			},
			want: []string{"staying " + csiOwn + " keys " + vc1 + " " + objectstest.CSITarget + " keys " + vc1},
		},
		"what stays is copied still": {change: func(all map[string]string) {
			all[objectstest.CSITarget] = objectstest.SecretYAML(objectstest.CSITarget, "", pair("somebody@vsphere.local", "x")...)
		}},
		"what stays is in kube-system alone, in Manual mode": {
			change: func(all map[string]string) {
				all[objectstest.CSITarget] = objectstest.SecretYAML(objectstest.CSITarget, "", pair("somebody@vsphere.local", "x")...)
			},
			manual: true, want: []string{"staying"},
		},
		"what stays is beside another component": {
			change: func(all map[string]string) {
				for _, at := range []string{csiOwn, objectstest.CSITarget} {
					all[at] = objectstest.SecretYAML(at, "", "k=v")
				}
				all[objectstest.MapiTarget] = objectstest.SecretYAML(objectstest.MapiTarget, "", pair(stays, right)...)
			},
			want: []string{"staying"},
		},
		"what stays is somebody's copy": {
			change: func(all map[string]string) {
				for _, at := range []string{csiOwn, objectstest.CSITarget} {
					all[at] = objectstest.SecretYAML(at, "", "k=v")
				}
				all["mine/copy"] = objectstest.SecretYAML("mine/copy", "", pair(stays, right)...)
			},
			want: []string{"staying"},
		},
		"what stays stands in a text": {
			change: func(all map[string]string) {
				for _, at := range []string{csiOwn, objectstest.CSITarget} {
					all[at] = objectstest.SecretYAML(at, "", "note="+stays)
				}
			},
			want: []string{"staying"},
		},
		"what stays is for another vCenter": {
			change: func(all map[string]string) {
				for _, at := range []string{csiOwn, objectstest.CSITarget} {
					all[at] = objectstest.SecretYAML(at, "", vc2+".username="+stays, vc2+".password="+right)
				}
			},
			want: []string{"staying"},
		},
		"the main account is in the root secret": {
			change: func(all map[string]string) {
				all[root.String()] = objectstest.SecretYAML(root.String(), "", pair("main@vsphere.local", right)...)
			},
			ask: func(q *Question) {
				q.Stays[0] = Stay{component.Installer, []string{vc1}, account("main@vsphere.local", right)}
			},
		},
		"the main account is with a component": {
			ask:  func(q *Question) { q.Stays[0].Component = component.Installer },
			want: []string{"staying"},
		},
		"an identity of Cluster API": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all["capv-system/east"] = objectstest.SecretYAML("capv-system/east", "", "username="+stays, "password="+right)
			},
		},
		"Hive's": {change: func(all map[string]string) {
			nothingOfOurs(all)
			all["hub/x"] = objectstest.SecretYAML("hub/x", "", "vCenters=[{vCenter: "+vc1+", username: "+stays+", password: "+right+"}]")
		}},

		"both are lacking": {
			change: func(all map[string]string) {
				nothingOfOurs(all)
				all[objectstest.CSITarget] = objectstest.SecretYAML(objectstest.CSITarget, "", pair(gone, "x")...)
			},
			want: []string{"staying", "free " + objectstest.CSITarget + " keys " + vc1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, q := proving(), asking()
			if tt.change != nil {
				tt.change(all)
			}
			if tt.ask != nil {
				tt.ask(&q)
			}
			c, faults, err := Read("dump.yaml", []byte(strings.Join(slices.Sorted(maps.Values(all)), "")))
			if err != nil || len(faults) > 0 {
				t.Fatal(faults, err)
			}
			if c.Whole = tt.whole; tt.manual {
				c.Manual = &tt.manual
			}
			if diff := cmp.Diff(tt.want, lacked(c, q)); diff != "" {
				t.Error(diff)
			}
			if text := fmt.Sprintf("%+v", c.Proof(q)); strings.Contains(text, "assword-1") || strings.Contains(text, "earlier") {
				t.Errorf("a password is in %s", text)
			}
		})
	}
}
