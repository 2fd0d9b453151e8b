package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// byHand is a cluster in Manual mode: a secret beside each component, and the root secret with machine-api's account.
func byHand(t *testing.T) dumped {
	t.Helper()
	d := dumped{}
	d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
	return d
}

// all gives a secret one account for both vCenters.
func (d dumped) all(at, user string) {
	d.put(at, map[string][]byte{
		vc1 + openshift.UserKey: []byte(user), vc1 + openshift.PasswordKey: []byte("pw"), vc2 + openshift.UserKey: []byte(user), vc2 + openshift.PasswordKey: []byte("pw"),
	})
}

const (
	ccmTarget  = "openshift-cloud-controller-manager/vsphere-cloud-credentials"
	diagTarget = "openshift-cluster-storage-operator/vsphere-cloud-credentials"
	mcoTarget  = "openshift-machine-config-operator/vsphere-cloud-credentials"
)

// In Manual mode nobody copies, so a component that has no account of its own has one that somebody wrote there for all.
func TestExplainManualMode(t *testing.T) {
	t.Parallel()
	manual, copied := true, false
	const admin, svc = "administrator@vsphere.local", "svc-ocp@corp.example.com"
	for name, tt := range map[string]struct {
		change  func(dumped)
		mode    *bool
		allowed []component.Name
		want    []string
	}{
		"as it should be":       {mode: &manual},
		"nobody says the mode":  {},
		"an account of a team":  {mode: &manual, change: func(d dumped) { d.all(diagTarget, svc) }},
		"machine-api's is root": {mode: &manual, change: func(d dumped) { d.all(objectstest.MapiTarget, svc); d.all(root.String(), svc) }},
		"one account for all": {mode: &manual, change: func(d dumped) {
			for _, at := range []string{objectstest.MapiTarget, objectstest.CSITarget, ccmTarget, diagTarget, root.String()} {
				d.all(at, admin)
			}
		}},
		"the root secret's account": {
			mode:   &manual,
			change: func(d dumped) { d.all(root.String(), svc); d.all(objectstest.CSITarget, svc) },
			want:   []string{"secret-fallback " + objectstest.CSITarget + ": csi-driver"},
		},
		"the administrator's": {
			mode:   &manual,
			change: func(d dumped) { d.all(objectstest.CSITarget, admin) },
			want:   []string{"secret-fallback " + objectstest.CSITarget + ": csi-driver"},
		},
		"nobody says the mode, the administrator's": {
			change: func(d dumped) { d.all(objectstest.CSITarget, admin) },
			want:   []string{"secret-fallback " + objectstest.CSITarget + ": csi-driver"},
		},
		"one that is meant": {
			mode: &manual, allowed: []component.Name{component.CSIDriver},
			change: func(d dumped) { d.all(objectstest.CSITarget, admin) },
		},
		"two share": {
			mode:   &manual,
			change: func(d dumped) { d.all(objectstest.CSITarget, svc); d.all(ccmTarget, svc) },
			want:   []string{"secret-fallback " + ccmTarget + ": cloud-controller", "secret-fallback " + objectstest.CSITarget + ": csi-driver"},
		},
		"secrets of kube-system that nobody reads": {
			mode: &manual,
			change: func(d dumped) {
				for _, k := range release.Consumers() {
					if k.Secret != "" {
						d.put("kube-system/"+k.Secret, d[k.Target.String()].Data)
					}
				}
			},
		},
		"secrets of kube-system that nobody reads, and an account for all": {
			mode: &manual,
			change: func(d dumped) {
				d.all(root.String(), admin)
				for _, k := range release.Consumers() {
					if k.Secret != "" {
						d.put("kube-system/"+k.Secret, d[k.Target.String()].Data)
						d.all(k.Target.String(), admin)
					}
				}
			},
			want: []string{
				"secret-unseen kube-system/vsphere-creds-cloud-controller: cloud-controller", "secret-unseen " + csiDedicated + ": csi-driver",
				"secret-unseen kube-system/vsphere-creds-diagnostics: diagnostics", "secret-unseen " + mapiDedicated + ": machine-api",
			},
		},
		"a secret of machine-config-operator": {
			mode:   &manual,
			change: func(d dumped) { d.put(mcoTarget, d[objectstest.MapiTarget].Data) },
		},
		"a secret of machine-config-operator with another's account": {
			mode:   &manual,
			change: func(d dumped) { d.put(mcoTarget, d[objectstest.CSITarget].Data) },
			want:   []string{"secret-of-another " + mcoTarget + ": machine-config"},
		},
		"no Manual mode, all copied": {mode: &copied, change: func(d dumped) {
			for _, k := range release.Consumers() {
				if k.Secret != "" {
					d.put("kube-system/"+k.Secret, d[k.Target.String()].Data)
				}
			}
		}},
	} {
		d := byHand(t)
		if tt.change != nil {
			tt.change(d)
		}
		got, e := d.explain(t, asked{Manual: tt.mode, AllowFallback: tt.allowed})
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		for _, f := range e.Findings {
			if tt.mode == &manual && strings.Contains(f.Text, "the enhancement") {
				t.Errorf("%s: speaks of what copies: %s", name, f.Text)
			}
		}
	}
}

// In Manual mode the secret that a component reads is the one that is chosen, and applying the same again moves nobody.
func TestManualModeChoosesWhatIsRead(t *testing.T) {
	t.Parallel()
	manual := true
	d := byHand(t)
	_, e := d.explain(t, asked{Manual: &manual})
	for _, q := range e.Requests {
		if q.InDump && (q.Enhancement.Secret != q.SecretRef || q.Enhancement.Step != cluster.StepTarget || q.Mainline != q.Enhancement) {
			t.Errorf("%s: %+v, %+v", q.Request, q.Enhancement, q.Mainline)
		}
	}
	d.all(root.String(), "main@d")
	manifests, _, err := openshift.Manifests([]string{vc1, vc2}, full(vc1, vc2), openshift.EmitOptions{Profile: openshift.ProfileComponentScoped})
	if err != nil {
		t.Fatal(err)
	}
	if c := d.compared(asked{Manual: &manual}, manifests); c.Different() {
		t.Errorf("got %+v", c)
	}
	delete(d, objectstest.CSITarget)
	if c := d.compared(asked{Manual: &manual}, manifests); len(c.Switches) > 0 {
		t.Errorf("who has no account is moved: %+v", c.Switches)
	}
	d.all(objectstest.CSITarget, "old@d")
	if c := d.compared(asked{Manual: &manual}, manifests); len(c.Switches) != 2 || !slices.Equal(c.Switches[0].By, []string{cluster.ByNow}) {
		t.Errorf("who has another account is not: %+v", c.Switches)
	}
}

// What the operator should have copied and did not, or has nothing to copy for, is missing: a dump says so of the namespaces that it
// shows and of no other.
func TestExplainMissingCopies(t *testing.T) {
	t.Parallel()
	manual, copied := true, false
	const csi = "openshift-cluster-csi-drivers"
	gone := func(d dumped) { delete(d, objectstest.CSITarget) }
	other := func(at string) func(dumped) {
		return func(d dumped) { gone(d); d.put(at, map[string][]byte{"tls.crt": []byte("x")}) }
	}
	missing := []string{"secret-missing " + objectstest.CSITarget + ": csi-driver"}
	for name, tt := range map[string]struct {
		of     func(*testing.T) dumped
		change func(dumped)
		o      asked
		want   []string
	}{
		"its namespace is shown":              {of: enhanced, change: other(csi + "/metrics-serving-cert"), want: missing},
		"one account for all":                 {of: passthrough, change: other(csi + "/metrics-serving-cert"), want: missing},
		"Manual mode":                         {of: byHand, change: other(csi + "/metrics-serving-cert"), o: asked{Manual: &manual}, want: missing},
		"a cluster that was asked itself":     {of: enhanced, change: gone, o: asked{Whole: true}, want: missing},
		"its namespace is not shown":          {of: enhanced, change: gone},
		"its namespace is not shown, Manual":  {of: byHand, change: gone, o: asked{Manual: &manual}},
		"another namespace":                   {of: enhanced, change: other("openshift-cluster-storage-operator/serving-cert")},
		"readers that not every cluster has":  {of: enhanced, change: func(d dumped) { delete(d, objectstest.CapiTarget) }, o: asked{Whole: true}},
		"a dump of one component's namespace": {of: byHand, change: only(objectstest.CSITarget)},
		"of one component's, Manual":          {of: byHand, change: only(objectstest.CSITarget), o: asked{Manual: &manual}},

		"nothing to copy": {
			of: enhanced, o: asked{Manual: &copied},
			change: func(d dumped) { delete(d, csiDedicated); delete(d, root.String()) },
			want:   []string{"secret-missing " + csiDedicated + ": csi-driver"},
		},
		"nothing to copy, nobody says the mode": {
			of: enhanced, change: func(d dumped) { delete(d, csiDedicated); delete(d, root.String()) },
		},
		"nothing to copy for anybody": {
			of: passthrough, o: asked{Manual: &copied},
			change: func(d dumped) { delete(d, root.String()); d.put("kube-system/other", nil) },
			want: []string{
				"secret-missing kube-system/vsphere-creds-cloud-controller: cloud-controller", "secret-missing " + csiDedicated + ": csi-driver",
				"secret-missing kube-system/vsphere-creds-diagnostics: diagnostics", "secret-missing " + mapiDedicated + ": machine-api",
			},
		},
		"kube-system is not shown": {of: byHand, change: func(d dumped) { delete(d, root.String()) }, o: asked{Manual: &copied}},
	} {
		d := tt.of(t)
		if tt.change != nil {
			tt.change(d)
		}
		got, e := d.explain(t, tt.o)
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		for _, f := range e.Findings {
			if f.Code == finding.SecretMissing && len(f.Remedies) == 0 {
				t.Errorf("%s: %s says not what to do", name, f.Text)
			}
		}
		for _, u := range e.InUse() {
			if slices.Contains(u.Components, component.CSIDriver) && slices.Equal(tt.want, missing) {
				t.Errorf("%s: csi-driver works with %s of %v", name, u.Account.User, u.Secrets)
			}
		}
	}
}

func only(at string) func(dumped) {
	return func(d dumped) {
		for other := range d {
			if other != at {
				delete(d, other)
			}
		}
	}
}

// A released operator copies the root secret, whatever kube-system has for a component: to write that again changes nothing.
func TestExplainReleasedOperator(t *testing.T) {
	t.Parallel()
	d := enhanced(t)
	for _, k := range release.Consumers() {
		d.copied(k, root.String()) // with machine-api's account
	}
	got, e := d.explain(t, asked{})
	if len(got) != 3 {
		t.Errorf("got %q", got)
	}
	for _, f := range e.Findings {
		if f.Code != finding.SecretOfAnother {
			continue
		}
		if all := strings.Join(f.Remedies, "\n"); strings.Contains(all, "secrets emit") || !strings.Contains(all, "use Manual mode and profile manual") {
			t.Errorf("%s: %q", f.Subject, f.Remedies)
		}
	}
}
