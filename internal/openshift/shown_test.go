package openshift

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A dump proves that a namespace has no account only if it would show it.
func TestUnshown(t *testing.T) {
	t.Parallel()
	const csi, machines, own = "openshift-cluster-csi-drivers", "openshift-machine-api", "my-operator"
	for name, tt := range map[string]struct{ dump, written, want []string }{
		"all there":                      {[]string{csi, machines}, []string{csi, machines}, nil},
		"one is missing":                 {[]string{"kube-system", machines}, []string{csi, machines}, []string{csi}},
		"kube-system for the components": {[]string{"kube-system"}, []string{machines, csi}, []string{csi, machines}},
		"kube-system for itself":         {[]string{"kube-system"}, []string{"kube-system"}, nil},
		"empty":                          {nil, []string{csi}, []string{csi}},
		"no namespace is said":           {[]string{""}, []string{csi}, []string{csi}},
		"the whole cluster":              {[]string{"openshift-etcd", "openshift-ingress"}, []string{csi, machines}, nil},
		"the current project":            {[]string{"default"}, []string{csi}, []string{csi}},
		"several, but of components":     {[]string{"kube-system", machines, "openshift-cluster-api"}, []string{csi}, []string{csi}},
		"several, but of given requests": {[]string{own, "default"}, []string{csi, own}, []string{csi}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var secrets []corev1.Secret
			for _, namespace := range tt.dump {
				secrets = append(secrets, corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a"}})
			}
			var manifests []Manifest
			for _, namespace := range tt.written {
				manifests = append(manifests, Manifest{Secret: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "b"}}})
			}
			if got := Unshown(secrets, WrittenTo(append(manifests, Manifest{Role: readerRole()}))); !slices.Equal(got, tt.want) {
				t.Errorf("%q is not shown, want %q", got, tt.want)
			}
		})
	}
}

func TestReadFrom(t *testing.T) {
	t.Parallel()
	if got, want := ReadFrom(), []string{"kube-system", "openshift-machine-api", "openshift-cluster-csi-drivers", "openshift-cloud-controller-manager", "openshift-cluster-storage-operator"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
