package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// An account in a secret is one of a component's, in a phase that the files tell without a vCenter.
func TestKnow(t *testing.T) {
	const server = "vc1.example.com"
	read := func(text string) *credfile.File {
		f, err := credfile.Parse("credentials", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	account := func(user, password string) credfile.Account {
		return credfile.Account{User: user, Password: secret.New(password)}
	}
	s := &spec.Spec{Cluster: "cluster1", Profile: "kube-system", Accounts: spec.Accounts{Username: "ocp-{cluster}-{component}"}}
	file := read("[" + server + "]\ncsi-driver.user = ocp-cluster1-csi-driver-3@vsphere.local\ncsi-driver.password = now\n" +
		"diagnostics.user = bob@corp.example.com\ndiagnostics.password = his\n")
	journal := read("[" + server + "]\ncsi-driver.user = ocp-cluster1-csi-driver-5@vsphere.local\ncsi-driver.password = begun\n")
	for _, c := range []struct {
		name      string
		files     Files
		held      credfile.Account
		want      Known // but Now, which the file tells
		takes     bool
		takenBack bool // for the component of --switch
	}{
		{"of the file", Files{s, file, journal}, account("OCP-cluster1-csi-driver-3@vsphere.local", "now"), Known{Generation: 3, Phase: Stored, current: true}, true, true},
		{"with another password", Files{s, file, journal}, account("ocp-cluster1-csi-driver-3@vsphere.local", "old"), Known{Generation: 3, Phase: Stored}, true, true},
		{"replaced, and in no file", Files{s, file, journal}, account("ocp-cluster1-csi-driver@vsphere.local", "old"), Known{Generation: 1, Phase: Former}, true, true},
		{"of another domain", Files{s, file, journal}, account("ocp-cluster1-csi-driver@other.local", "old"), Known{Generation: 1, Phase: Unstored}, false, false},
		{"in the journal", Files{s, file, journal}, account("ocp-cluster1-csi-driver-5@vsphere.local", "begun"), Known{Generation: 5, Phase: Journaled, current: true}, true, true},
		{"later, and in no file", Files{s, file, journal}, account("ocp-cluster1-csi-driver-4@vsphere.local", "x"), Known{Generation: 4, Phase: Later}, false, true},
		{"the same without a journal", Files{s, file, nil}, account("ocp-cluster1-csi-driver-5@vsphere.local", "begun"), Known{Generation: 5, Phase: Later}, false, true},
		{"in the journal, without a specification", Files{nil, file, journal}, account("ocp-cluster1-csi-driver-5@vsphere.local", "begun"), Known{Phase: Journaled, current: true}, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Component = component.CSIDriver
			c.want.Now, _ = file.Get(server, component.CSIDriver)
			all := c.files.Know(server, c.held)
			if diff := cmp.Diff([]Known{c.want}, all, cmp.Comparer(secret.Secret.Equal), cmp.AllowUnexported(Known{})); diff != "" {
				t.Fatal(diff)
			}
			if takes, back := all[0].Takes(nil), all[0].Takes([]string{"csi-driver"}); takes != c.takes || back != c.takenBack {
				t.Errorf("takes its place %t, for the component of --switch %t", takes, back)
			}
		})
	}
	if all := (Files{s, file, journal}).Know(server, account("carol@corp.example.com", "x")); all != nil {
		t.Errorf("an account of nobody here is %v", all)
	}
	if all := (Files{nil, file, nil}).Know(server, account("ocp-cluster1-csi-driver@vsphere.local", "x")); all != nil {
		t.Errorf("without a specification nothing tells whose it is: %v", all)
	}
	if all := (Files{s, file, nil}).Know(server, account("ocp-cluster1-machine-api@vsphere.local", "x")); len(all) != 1 || all[0].Phase != Unstored || all[0].Takes([]string{"machine-api"}) {
		t.Errorf("an account that the file does not have: %v", all)
	}
}
