package held

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Nothing is handed out that no request asks for: not another account, not elsewhere, not to another user. Who wrote a file is not known.
func TestCheckRefusesWhatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	known, _ := release.ConsumerNamed("openshift-vmware-vsphere-csi-driver-operator")
	ref := component.At(release.RequestNamespace, known.Name)
	fresh := component.At(release.RequestNamespace, "new-one")
	moved := release.Request{Ref: ref, SecretRef: component.At("openshift-csi-next", "creds"), Component: component.CSIDriver}
	asks := release.Request{Ref: fresh, SecretRef: component.At("openshift-new-one", "creds"), Component: component.Diagnostics}
	mayBe := func(c component.Name, user string) bool { return user == string(c)+"@d" }
	for name, c := range map[string]struct {
		request  component.Ref
		at       component.Ref
		of       component.Name
		user     string
		requests []release.Request
		want     string
	}{
		"as every release asks":     {ref, known.Target, component.CSIDriver, "csi-driver@d", nil, ""},
		"the installer's account":   {ref, known.Target, component.Installer, "installer@d", nil, "gets that of csi-driver"},
		"another component's":       {ref, known.Target, component.MachineAPI, "machine-api@d", nil, "gets that of csi-driver"},
		"another user":              {ref, known.Target, component.CSIDriver, "installer@d", nil, "installer@d for vc, which is no account of csi-driver"},
		"elsewhere":                 {ref, component.At("mine", known.Target.Name), component.CSIDriver, "csi-driver@d", nil, "asks for " + known.Target.String()},
		"another name":              {ref, component.At(known.Target.Namespace, "mine"), component.CSIDriver, "csi-driver@d", nil, "asks for " + known.Target.String()},
		"a request like it":         {component.At("mine", known.Name), known.Target, component.CSIDriver, "csi-driver@d", nil, "is not known"},
		"moved":                     {ref, moved.SecretRef, component.CSIDriver, "csi-driver@d", []release.Request{moved}, ""},
		"moved, where it was":       {ref, known.Target, component.CSIDriver, "csi-driver@d", []release.Request{moved}, "asks for " + moved.SecretRef.String()},
		"new, and nobody tells":     {fresh, asks.SecretRef, component.Diagnostics, "diagnostics@d", nil, "is not known"},
		"new":                       {fresh, asks.SecretRef, component.Diagnostics, "diagnostics@d", []release.Request{moved, asks}, ""},
		"new, without an account":   {fresh, asks.SecretRef, component.Diagnostics, "diagnostics@d", []release.Request{{Ref: fresh, SecretRef: asks.SecretRef}}, "is not known"},
		"new, another component's":  {fresh, asks.SecretRef, component.MachineAPI, "machine-api@d", []release.Request{asks}, "gets that of diagnostics"},
		"new, in another namespace": {fresh, component.At("mine", "creds"), component.Diagnostics, "diagnostics@d", []release.Request{asks}, "asks for openshift-new-one/creds"},
	} {
		h := Secret{Request: c.request, Component: c.of, Manifest: openshift.Manifest{Secret: &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: c.at.Namespace, Name: c.at.Name}, Data: map[string][]byte{"vc.username": []byte(c.user), "vc.password": []byte("pw")},
		}}}
		err := h.Check(&release.Requests{List: c.requests}, mayBe)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
