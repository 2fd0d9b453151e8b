package diagnosis

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// dumped is the secrets of a cluster that a test changes.
type dumped map[string]*corev1.Secret

// enhanced is a cluster of the enhancement: a secret per component in kube-system, copied where the components read them, and
// the root secret with machine-api's account.
func enhanced(t *testing.T) dumped {
	t.Helper()
	d := dumped{}
	d.emit(t, openshift.EmitOptions{RootSecret: true})
	for _, k := range release.Consumers() {
		if k.Secret != "" {
			d.copied(k, "kube-system/"+k.Secret)
		}
	}
	return d
}

// passthrough is a cluster of a release: one account, which its operator has copied.
func passthrough(t *testing.T) dumped {
	t.Helper()
	d := dumped{}
	d.emit(t, openshift.EmitOptions{Profile: openshift.ProfilePassthrough})
	for _, k := range release.Consumers() {
		d.copied(k, root.String())
	}
	return d
}

func (d dumped) emit(t *testing.T, o openshift.EmitOptions) {
	t.Helper()
	manifests, _, err := openshift.Manifests([]string{vc1, vc2}, full(vc1, vc2), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifests {
		if s := m.Secret; s != nil {
			d[s.Namespace+"/"+s.Name] = s.DeepCopy()
		}
	}
}

// copied is what cloud-credential-operator does: data, and a label and an annotation of its own.
func (d dumped) copied(k release.Consumer, from string) {
	d.put(k.Target.String(), d[from].Data)
	d[k.Target.String()].Labels = map[string]string{openshift.RequestKey: openshift.LabelTrue}
	d[k.Target.String()].Annotations = map[string]string{openshift.RequestKey: release.RequestNamespace + "/" + k.Name}
}

func (d dumped) put(at string, data map[string][]byte) {
	s := &corev1.Secret{Data: maps.Clone(data)}
	s.Namespace, s.Name, _ = strings.Cut(at, "/")
	d[at] = s
}

// neutral gives accounts names that say nothing of who works with them.
func (d dumped) neutral() {
	for _, s := range d {
		for key, value := range s.Data {
			if user, ok := strings.CutPrefix(string(value), "ocp-cluster1-"); ok && strings.HasSuffix(key, openshift.UserKey) {
				s.Data[key] = []byte("svc" + user[:2] + user[8:9] + "1@vsphere.local")
			}
		}
	}
}

func (d dumped) secrets() []corev1.Secret {
	var all []corev1.Secret
	for _, at := range slices.Sorted(maps.Keys(d)) {
		all = append(all, *d[at])
	}
	return all
}

func (d dumped) compared(o asked, manifests []openshift.Manifest) *cluster.Comparison {
	c := o.of(d.secrets()...)
	return cluster.Diff(c, c.After(manifests), manifests)
}

// explain lists the errors, as code and subject, and who they are about.
func (d dumped) explain(t *testing.T, o asked) ([]string, *Explanation) {
	t.Helper()
	e, err := o.explain(d.secrets()...)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range e.Findings {
		if f.Advice() {
			continue
		}
		who := ""
		for _, a := range f.Accounts {
			if !strings.Contains(who, string(a.Component)) {
				who += " " + string(a.Component)
			}
		}
		list = append(list, string(f.Code)+" "+f.Subject+":"+who)
		if f.Code != finding.SecretMissing && f.Code != finding.SecretMalformed && len(f.Remedies) == 0 {
			t.Errorf("%s %s says not what to do", f.Code, f.Subject)
		}
	}
	return list, e
}

const (
	mapiDedicated = "kube-system/vsphere-creds-machine-api"
	csiDedicated  = "kube-system/vsphere-creds-csi-driver"
	csiRequest    = release.RequestNamespace + "/openshift-vmware-vsphere-csi-driver-operator"
	mapiRequested = release.RequestNamespace + "/openshift-machine-api-vsphere"
	capiDedicated = "kube-system/for-csi"
)

// A component that works with an account that is not its own gets no error from anybody: each way there is a finding.
func TestExplainWhoGetsWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	manual, operated := true, false
	for name, tt := range map[string]struct {
		of     func(*testing.T) dumped
		change func(*testing.T, dumped)
		o      asked
		want   []string
	}{
		"as it should be":                {of: enhanced},
		"one account on purpose":         {of: passthrough},
		"names that say nothing":         {of: enhanced, change: func(_ *testing.T, d dumped) { d.neutral() }},
		"one account, names say nothing": {of: passthrough, change: func(_ *testing.T, d dumped) { d.neutral() }},

		"a dedicated secret is gone": {
			of:     enhanced,
			change: func(_ *testing.T, d dumped) { delete(d, csiDedicated); d.neutral() },
			want:   []string{"secret-of-another kube-system/vsphere-creds: csi-driver"}, // which holds machine-api's
		},
		"a dedicated secret is gone, the root secret has an account of its own": {
			of: enhanced,
			change: func(t *testing.T, d dumped) {
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfilePassthrough})
				delete(d, csiDedicated)
			},
			want: []string{"secret-fallback " + csiDedicated + ": csi-driver"},
		},
		"the secret of who has the root secret's account is gone": {
			of:     enhanced,
			change: func(_ *testing.T, d dumped) { delete(d, mapiDedicated) },
			want:   []string{"secret-fallback " + mapiDedicated + ": machine-api"},
		},
		"a fallback that is meant": {
			of: enhanced,
			change: func(t *testing.T, d dumped) {
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfilePassthrough})
				delete(d, csiDedicated)
				d.copied(release.Consumers()[1], root.String())
			},
			o: asked{AllowFallback: []component.Name{component.CSIDriver}},
		},
		"the root secret has another component's account": {
			of: enhanced,
			change: func(_ *testing.T, d dumped) {
				d.neutral()
				d.put(root.String(), d[csiDedicated].Data)
			},
			want: []string{"secret-of-another kube-system/vsphere-creds:"}, // whom only direct readers get it from
		},
		"a dump of kube-system alone": {
			of: enhanced,
			change: func(t *testing.T, d dumped) {
				maps.DeleteFunc(d, func(at string, _ *corev1.Secret) bool { return !strings.HasPrefix(at, "kube-system/") })
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfilePassthrough})
				delete(d, csiDedicated)
			},
			want: []string{"secret-fallback " + csiDedicated + ": csi-driver"},
		},
		"a wrong annotation": {
			of: enhanced,
			change: func(_ *testing.T, d dumped) {
				d[csiDedicated].Annotations[openshift.RequestKey], d[csiDedicated].Labels[openshift.RequestKey] = mapiRequested, openshift.LabelYes
				d.neutral()
			},
			want: []string{"secret-of-another " + csiDedicated + ": machine-api"},
		},
		"a wrong annotation, copied": {
			of: enhanced,
			change: func(_ *testing.T, d dumped) {
				d[csiDedicated].Annotations[openshift.RequestKey], d[csiDedicated].Labels[openshift.RequestKey] = mapiRequested, openshift.LabelYes
				d.copied(release.Consumers()[0], csiDedicated)
				d.neutral()
			},
			want: []string{"secret-of-another " + csiDedicated + ": machine-api"},
		},
		"a wrong annotation on a secret of its own": {
			of: enhanced,
			change: func(_ *testing.T, d dumped) {
				d.put(capiDedicated, d[csiDedicated].Data)
				d[capiDedicated].Annotations = map[string]string{openshift.RequestKey: mapiRequested}
				d[capiDedicated].Labels = map[string]string{openshift.RequestKey: openshift.LabelYes}
				d.neutral()
			},
			want: []string{"secret-of-another " + capiDedicated + ": machine-api"},
		},
		"after the way back, the root secret still has machine-api's account": {
			of: enhanced,
			change: func(_ *testing.T, d dumped) {
				maps.DeleteFunc(d, func(at string, _ *corev1.Secret) bool { return strings.HasPrefix(at, "kube-system/vsphere-creds-") })
				for _, k := range release.Consumers() {
					d.copied(k, root.String())
				}
			},
			want: []string{"secret-of-another kube-system/vsphere-creds: csi-driver cloud-controller diagnostics"},
		},
		"on the way back, nothing is copied yet": {
			of: enhanced,
			change: func(_ *testing.T, d dumped) {
				maps.DeleteFunc(d, func(at string, _ *corev1.Secret) bool { return strings.HasPrefix(at, "kube-system/vsphere-creds-") })
				d.neutral()
			},
			want: []string{
				"secret-of-another kube-system/vsphere-creds: csi-driver cloud-controller diagnostics",
				"secret-stale " + objectstest.CSITarget + ": csi-driver",
				"secret-stale openshift-cloud-controller-manager/vsphere-cloud-credentials: cloud-controller",
				"secret-stale openshift-cluster-storage-operator/vsphere-cloud-credentials: diagnostics",
			},
		},
		"a stale copy": {
			of: enhanced,
			change: func(_ *testing.T, d dumped) {
				d[objectstest.CSITarget].Data[vc2+openshift.PasswordKey] = []byte("earlier")
			},
			want: []string{"secret-stale " + objectstest.CSITarget + ": csi-driver"},
		},
		"a stale copy of one account for all": {
			of: passthrough,
			change: func(_ *testing.T, d dumped) {
				d[objectstest.CSITarget].Data[vc2+openshift.UserKey] = []byte("earlier@vsphere.local")
			},
			want: []string{"secret-stale " + objectstest.CSITarget + ": csi-driver"},
		},
		"a stale copy without the operator's mark": {
			of: passthrough,
			change: func(_ *testing.T, d dumped) {
				for _, s := range d {
					s.Annotations, s.Labels = nil, nil
				}
				d[objectstest.CSITarget].Data[vc2+openshift.UserKey] = []byte("earlier@vsphere.local")
			},
			want: []string{"secret-stale " + objectstest.CSITarget + ": csi-driver"},
		},
		"an operator that does not know dedicated secrets": {
			of: enhanced,
			change: func(t *testing.T, d dumped) {
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfilePassthrough})
				d.copied(release.Consumers()[1], root.String())
			},
			want: []string{"secret-fallback " + objectstest.CSITarget + ": csi-driver"},
		},
		"a secret of its own that a label hides": {
			of: passthrough,
			change: func(_ *testing.T, d dumped) {
				d.put(capiDedicated, map[string][]byte{
					vc1 + openshift.UserKey: []byte("a@d"), vc1 + openshift.PasswordKey: []byte("pw"), vc2 + openshift.UserKey: []byte("a@d"), vc2 + openshift.PasswordKey: []byte("pw"),
				})
				d[capiDedicated].Annotations = map[string]string{openshift.RequestKey: csiRequest}
				d[capiDedicated].Labels = map[string]string{openshift.RequestKey: openshift.LabelTrue}
			},
			want: []string{"secret-unseen " + capiDedicated + ": csi-driver"},
		},
		"a secret for a request that is misspelt": {
			of: enhanced,
			change: func(t *testing.T, d dumped) {
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfilePassthrough})
				d.put(capiDedicated, d[csiDedicated].Data)
				d[capiDedicated].Annotations = map[string]string{openshift.RequestKey: csiRequest + "s"}
				delete(d, csiDedicated)
			},
			want: []string{"secret-fallback " + csiDedicated + ": csi-driver", "secret-unseen " + capiDedicated + ":"},
		},

		"Manual mode, as the secrets look": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				return d
			},
		},
		"Manual mode, names say nothing": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				d.neutral()
				return d
			},
		},
		"Manual mode, after the operator copied": {
			of: func(t *testing.T) dumped {
				d := passthrough(t)
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				d[objectstest.CSITarget].Annotations = map[string]string{openshift.RequestKey: csiRequest} // which oc apply leaves there
				return d
			},
			o: asked{Manual: &manual},
		},
		"Manual mode, the root secret has another component's account": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				d.put(root.String(), d[objectstest.CSITarget].Data)
				return d
			},
			o:    asked{Manual: &manual},
			want: []string{"secret-of-another kube-system/vsphere-creds:"},
		},
		"Manual mode, a component's secret is gone": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				delete(d, objectstest.CSITarget)
				return d
			},
			o:    asked{Manual: &manual, Whole: true},
			want: []string{"secret-missing " + objectstest.CSITarget + ": csi-driver"},
		},
		"Manual mode, a component's secret lacks a vCenter": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				delete(d[objectstest.CSITarget].Data, vc2+openshift.UserKey)
				delete(d[objectstest.CSITarget].Data, vc2+openshift.PasswordKey)
				return d
			},
			o:    asked{Manual: &manual},
			want: []string{"secret-missing " + objectstest.CSITarget + ": csi-driver"},
		},
		"Manual mode, a dump of kube-system alone": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				maps.DeleteFunc(d, func(at string, _ *corev1.Secret) bool { return at != root.String() })
				return d
			},
			o: asked{Manual: &manual},
		},
		"Manual mode, the account of another": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				d.put(objectstest.CSITarget, d["kube-system/vsphere-creds"].Data)
				return d
			},
			o:    asked{Manual: &manual},
			want: []string{"secret-of-another " + objectstest.CSITarget + ": csi-driver"},
		},
		"not in Manual mode, though the secrets look like it": {
			of: func(t *testing.T) dumped {
				d := dumped{}
				d.emit(t, openshift.EmitOptions{Profile: openshift.ProfileComponentScoped, RootSecret: true})
				return d
			},
			o: asked{Manual: &operated},
			want: []string{
				"secret-of-another kube-system/vsphere-creds: csi-driver cloud-controller diagnostics",
				"secret-stale " + objectstest.CSITarget + ": csi-driver",
				"secret-stale openshift-cloud-controller-manager/vsphere-cloud-credentials: cloud-controller",
				"secret-stale openshift-cluster-storage-operator/vsphere-cloud-credentials: diagnostics",
			},
		},
	} {
		d := tt.of(t)
		if tt.change != nil {
			tt.change(t, d)
		}
		got, e := d.explain(t, tt.o)
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
			for _, f := range e.Findings {
				t.Logf("%s: %s %s: %s", name, f.Code, f.Subject, f.Text)
			}
		}
	}
}
