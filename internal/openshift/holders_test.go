package openshift_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

func holding(namespace, name, server, user, password string) corev1.Secret {
	return corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data:       map[string][]byte{server + ".username": []byte(user), server + ".password": []byte(password)},
	}
}

func identityOf(namespace, user, password string) corev1.Secret {
	return corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "east"},
		Data:       map[string][]byte{"username": []byte(user), "password": []byte(password)},
	}
}

func hiveOf(name, text string) corev1.Secret {
	return corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "hub", Name: name}, Data: map[string][]byte{"vCenters": []byte(text)}}
}

// An account may go when no secret holds it any more, and one of OpenShift's own holds the account that stays, with its password.
func TestSwitched(t *testing.T) {
	const server, from, to = "vcenter1.example.com", "csi@vsphere.local", "csi-2@vsphere.local"
	stays := credfile.Account{User: to, Password: secret.New("right-Password-1")}
	good := holding("kube-system", "vsphere-creds-csi-driver", server, to, "right-Password-1")
	for name, c := range map[string]struct {
		secrets []corev1.Secret
		needed  bool
		want    []string // nothing = it may go
	}{
		"changed over":              {[]corev1.Secret{good}, true, nil},
		"its target":                {[]corev1.Secret{holding("openshift-cluster-csi-drivers", "vmware-vsphere-cloud-credentials", server, to, "right-Password-1")}, true, nil},
		"not needed, and not there": {nil, false, nil},
		"nothing there":             {nil, true, []string{"no secret in kube-system or openshift-* has " + to}},
		"still held": {
			[]corev1.Secret{good, holding("kube-system", "vsphere-creds", server, strings.ToUpper(from), "x")},
			true,
			[]string{from + " is still in kube-system/vsphere-creds"},
		},
		"still held, not needed": {[]corev1.Secret{holding("mine", "copy", server, from, "x")}, false, []string{from + " is still in mine/copy"}},
		"a cluster identity":     {[]corev1.Secret{identityOf("capv-system", to, "right-Password-1")}, true, nil},
		"an identity with it": {
			[]corev1.Secret{good, identityOf("capv-system", from, "x")},
			true,
			[]string{"^" + from + " is still in capv-system/east"}, // no vCenter is blamed: it says none
		},
		"Hive, YAML": {
			[]corev1.Secret{good, hiveOf("creds", "- vCenter: "+server+"\n  username: "+from+"\n  password: x\n")},
			true,
			[]string{from + " is still in hub/creds"},
		},
		"Hive, JSON": {
			[]corev1.Secret{good, hiveOf("creds", `[{"vCenter":"VCENTER1.example.com","username":"`+from+`","password":"x"}]`)},
			true,
			[]string{from + " is still in hub/creds"},
		},
		"Hive, another vCenter":      {[]corev1.Secret{good, hiveOf("creds", "[{vCenter: vcenter2.example.com, username: "+from+", password: x}]")}, true, nil},
		"Hive, changed over":         {[]corev1.Secret{good, hiveOf("creds", "[{vCenter: "+server+", username: "+to+", password: x}]")}, true, nil},
		"vCenters of something else": {[]corev1.Secret{good, hiveOf("creds", "many")}, true, nil},
		"another vCenter's":          {[]corev1.Secret{good, holding("kube-system", "other", "vcenter2.example.com", from, "x")}, true, nil},
		"another password": {
			[]corev1.Secret{holding("kube-system", "vsphere-creds-csi-driver", server, to, "an-earlier-Password")},
			true,
			[]string{"kube-system/vsphere-creds-csi-driver has " + to + " with another password than the credentials file"},
		},
		"somebody's copy": {[]corev1.Secret{holding("mine", "copy", server, to, "right-Password-1")}, true, []string{"no secret in kube-system or openshift-* has"}},
	} {
		err := errors.Join(openshift.Switched(c.secrets, server, from, stays, c.needed)...)
		if (err == nil) != (len(c.want) == 0) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains("^"+err.Error(), want) || strings.Contains(err.Error(), "Password-1") {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}
