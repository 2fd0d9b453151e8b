package diagnosis

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// Whatever the cluster has and whatever is written: where the comparison names no switch, nobody who had an account gets
// another one, or none; and where it names one, somebody does.
func TestNobodyIsMovedUnnoticed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		servers := []string{vc1, vc2}
		secrets, err := objects.ParseSecrets("dump", []byte(drawDump(t, servers)))
		if err != nil {
			t.Fatal(err)
		}
		to := rapid.SliceOfNDistinct(rapid.SampledFrom(servers), 1, 2, rapid.ID).Draw(t, "written")
		a := openshift.Accounts{}
		for _, server := range to {
			a[server] = map[component.Name]credfile.Account{}
			for _, c := range component.Names() {
				a[server][c] = account(rapid.SampledFrom([]string{"main@d", "csi@d", "mapi@d"}).Draw(t, "user"), "p")
			}
		}
		o := openshift.EmitOptions{
			Profile:   rapid.SampledFrom([]string{openshift.ProfileKubeSystem, openshift.ProfileComponentScoped, openshift.ProfilePassthrough}).Draw(t, "profile"),
			CCOLabel:  rapid.SampledFrom([]string{"", openshift.LabelYes, openshift.LabelNone}).Draw(t, "label"),
			Instances: rapid.SampledFrom([]openshift.Instances{nil, {vc1: idA}, {vc1: idB, vc2: idA}}).Draw(t, "instances"),
		}
		if o.Profile != openshift.ProfilePassthrough {
			o.RootSecret = rapid.Bool().Draw(t, "root")
			o.Components = rapid.SampledFrom([][]component.Name{nil, {component.CSIDriver}, {component.MachineAPI, component.Diagnostics}}).Draw(t, "components")
		}
		manifests, _, err := openshift.Manifests(to, a, o)
		if err != nil {
			t.Fatal(err)
		}
		before := cluster.Of(secrets...)
		before.Keep(manifests)
		c := cluster.Diff(before, before.After(manifests), manifests)

		var yaml bytes.Buffer
		if err := openshift.WriteYAML(&yaml, manifests, o); err != nil {
			t.Fatal(err)
		}
		after, err := objects.ParseSecrets("written", yaml.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets { // what is not written stays
			if !slices.ContainsFunc(after, func(w corev1.Secret) bool { return w.Namespace == s.Namespace && w.Name == s.Name }) {
				after = append(after, s)
			}
		}
		var moved []string
		is := uses(after, servers)
		for who, was := range uses(secrets, servers) {
			if was != "" && is[who] != was {
				moved = append(moved, fmt.Sprintf("%s: %s, now %s", who, was, is[who]))
			}
		}
		named := slices.ContainsFunc(c.Unasked(), func(s cluster.Switch) bool { return s.Change != cluster.ChangeInstance })
		if named != (len(moved) > 0) {
			t.Fatalf("moved %q, the comparison says %+v", moved, c.Switches)
		}
		for _, s := range secrets {
			at := component.At(s.Namespace, s.Name)
			written := slices.IndexFunc(manifests, func(m openshift.Manifest) bool {
				return m.Secret != nil && component.At(m.Secret.Namespace, m.Secret.Name) == at
			})
			for server, id := range openshift.Recorded(&s) {
				_, used := cluster.ReadKeys(s.Data).Accounts[server]
				if written < 0 || !used {
					continue
				}
				if now := openshift.Recorded(manifests[written].Secret)[server]; now == "" && slices.Contains(to, server) || now != "" && now != id && o.Instances[server] != now {
					t.Fatalf("%s recorded %s as %s, and now %q", at, server, id, now)
				}
			}
		}
	})
}

// uses is what the explanation of a dump says of every consumer: the oracle of the guard.
func uses(secrets []corev1.Secret, servers []string) map[string]string {
	all := map[string]string{}
	e, err := (asked{Servers: servers}).explain(secrets...)
	if err != nil {
		return all
	}
	for _, r := range e.Requests {
		if (r.Component == "" || r.FeatureGate != "") && !r.InDump && r.Enhancement.Step != cluster.StepAnnotation {
			continue // not in every cluster
		}
		for _, a := range r.Accounts {
			all[r.Request+" "+a.Server+" enhancement"] = strings.ToLower(a.Enhancement)
			all[r.Request+" "+a.Server+" release"] = strings.ToLower(a.Mainline)
			all[r.Request+" "+a.Server+" now"] = strings.ToLower(a.Now)
		}
	}
	for _, r := range e.Readers {
		all[r.Who+" "+r.Server] = strings.ToLower(r.User)
	}
	return all
}

// drawDump makes the secrets of a cluster.
func drawDump(t *rapid.T, servers []string) string {
	users := rapid.SampledFrom([]string{"main@d", "csi@d", "mapi@d", "MAIN@d"})
	more := map[string][]string{
		"kube-system/vsphere-creds": {"", passthroughMode}, "kube-system/vsphere-creds-csi-driver": {"", forCSI("yes"), forCSI("true")},
		"kube-system/vsphere-creds-machine-api": {""}, "kube-system/vsphere-creds-diagnostics": {""}, "kube-system/mine": {forCSI("yes"), forCSI("true")},
		objectstest.CSITarget: {""}, objectstest.MapiTarget: {""}, objectstest.CapiTarget: {""}, objectstest.CCMTarget: {""}, "elsewhere/vsphere-creds": {""},
	}
	var text string
	for _, at := range slices.Sorted(maps.Keys(more)) {
		var keys []string
		for _, server := range servers {
			if rapid.Bool().Draw(t, at+server) {
				keys = append(keys, server+".username="+users.Draw(t, "user"), server+".password="+rapid.SampledFrom([]string{"p", "q"}).Draw(t, "password"))
			}
		}
		if len(keys) == 0 {
			continue
		}
		meta := rapid.SampledFrom(more[at]).Draw(t, "metadata")
		if meta == "" && rapid.Bool().Draw(t, "recorded") {
			meta = record(rapid.SampledFrom(servers).Draw(t, "of"), rapid.SampledFrom([]string{idA, idB}).Draw(t, "instance"))
		}
		text += objectstest.SecretYAML(at, meta, keys...)
	}
	return text
}
