package cluster

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/gcfg.v1"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// parsed is a configuration as the CSI driver reads it.
type parsed struct {
	Global        struct{ User, Password string }
	VirtualCenter map[string]*struct{ User, Password, Datacenters string }
	Snapshot      struct {
		Max int `gcfg:"global-max-snapshots-per-block-volume"`
	}
}

func parse(t interface{ Fatalf(string, ...any) }, text string) (p parsed) {
	if err := gcfg.FatalOnly(gcfg.ReadStringInto(&p, text)); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

const handmade = `; by hand
[Global]
cluster-id = "mine" # not the tool's
User = "ocp-csi@vsphere.local"
password = "gl\"ob\\al"

[virtualcenter "` + vc1 + `"] # own account
  user=ocp-csi@vsphere.local ; plain
  password = 'it''s
datacenters = "DC1"

[VirtualCenter "` + vc2 + `"]
datacenters = "DC2"
[Snapshot]
global-max-snapshots-per-block-volume = 5`

// It is read as the driver's own parser does, and written so that it reads the new account, and all else as before.
func TestConfIsRenewed(t *testing.T) {
	t.Parallel()
	was := parse(t, handmade)
	data := map[string][]byte{openshift.ConfKey: []byte(handmade)}
	if diff := cmp.Diff([]string{vc1 + " ocp-csi@vsphere.local 'it''s", vc2 + ` ocp-csi@vsphere.local gl"ob\al`}, listed(readConf(data))); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if was.VirtualCenter[vc1].Password != "'it''s" || was.Global.Password != `gl"ob\al` {
		t.Errorf("the driver reads %+v", was)
	}
	if !putConf(data, func(server string, _ credfile.Account) (credfile.Account, bool) {
		return account("ocp-csi-2@vsphere.local", `n"e\w;`+server), server == vc2
	}) {
		t.Fatal("nothing was written")
	}
	got := parse(t, string(data[openshift.ConfKey]))
	if got.VirtualCenter[vc2].Password != `n"e\w;`+vc2 || got.VirtualCenter[vc2].User != "ocp-csi-2@vsphere.local" ||
		got.VirtualCenter[vc1].Password != "'it''s" || got.VirtualCenter[vc1].Datacenters != "DC1" || got.Snapshot.Max != 5 ||
		got.Global.Password != "" || !strings.Contains(string(data[openshift.ConfKey]), `cluster-id = "mine"`) {
		t.Errorf("%+v in\n%s", got, data[openshift.ConfKey])
	}
}

// A vCenter leaves with its section, unless it is the last one.
func TestConfLosesVCenters(t *testing.T) {
	t.Parallel()
	none := func(server string, held credfile.Account) (credfile.Account, bool) {
		return credfile.Account{}, server == vc2
	}
	data := map[string][]byte{openshift.ConfKey: []byte(handmade)}
	if !putConf(data, none) || len(parse(t, string(data[openshift.ConfKey])).VirtualCenter) != 1 {
		t.Errorf("%s", data[openshift.ConfKey])
	}
	all := map[string][]byte{openshift.ConfKey: []byte(handmade)}
	if putConf(all, func(string, credfile.Account) (credfile.Account, bool) { return credfile.Account{}, true }) || string(all[openshift.ConfKey]) != handmade {
		t.Error("every account was taken out")
	}
}

// What is quoted is read back, here and by gcfg; what gcfg reads without quotes is read here, too.
func TestConfValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := hostile(t, "value")
		if strings.ContainsFunc(value, unicode.IsControl) {
			t.Skip()
		}
		if got := confValue(openshift.Quoted(value)); got != value {
			t.Fatalf("%q is %q", value, got)
		}
		if p := parse(t, "[Global]\nuser = "+openshift.Quoted(value)); p.Global.User != value {
			t.Fatalf("%q is %q for gcfg", value, p.Global.User)
		}
		bare := rapid.StringMatching(`[a-z.@ ;#'%=]{1,12}`).Draw(t, "bare")
		if p := parse(t, "[Global]\nuser = "+bare); confValue(bare) != p.Global.User {
			t.Fatalf("%q is %q, and %q for gcfg", bare, confValue(bare), p.Global.User)
		}
	})
}

// What the driver's parser refuses is said with its line, and never what is there.
func TestConfFaults(t *testing.T) {
	t.Parallel()
	head := "[Global]\n[VirtualCenter \"" + vc1 + "\"]\n"
	for text, want := range map[string]string{
		handmade:                               "",
		head + "user = \"DOM\\x\"\n":           `key "csi-vsphere.conf", line 3:13: unknown escape sequence`,
		head + "user = DOM\\joe\n":             `key "csi-vsphere.conf", line 3:8: unquoted '\' must be followed by new line or double quote`,
		head + "password = \"s3cret\nuser = a": `key "csi-vsphere.conf", line 3:12: string not terminated`,
		head + "password = x\n@s3cret = y\n":   `key "csi-vsphere.conf", line 4:1: illegal character`,
	} {
		var got string
		for _, fault := range objectOf(in("vmware-system-csi/vsphere-config-secret", openshift.ConfKey+"="+text)).ConfFaults() {
			got += fault.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What others wrote into the driver's configuration stays, where it has every vCenter that is written.
func TestKeepConf(t *testing.T) {
	t.Parallel()
	const csi = "vmware-system-csi/vsphere-config-secret"
	written := func(servers ...string) []openshift.Manifest {
		text := "[Global]\n"
		for _, server := range servers {
			text += "[VirtualCenter \"" + server + "\"]\nuser = \"new@vsphere.local\"\npassword = \"new\"\n"
		}
		s := in(csi, openshift.ConfKey+"="+text)
		return []openshift.Manifest{{Secret: &s}}
	}
	there := Of(in(csi, openshift.ConfKey+"="+handmade))
	if m := written(vc1, vc2); !there.KeepConf(m) {
		t.Error("nothing was kept")
	} else if got := parse(t, string(m[0].Secret.Data[openshift.ConfKey])); got.Snapshot.Max != 5 || got.VirtualCenter[vc1].User != "new@vsphere.local" || got.VirtualCenter[vc2].Password != "new" {
		t.Errorf("%+v", got)
	}
	if m := written(vc1, "vc9.example.com"); there.KeepConf(m) || len(parse(t, string(m[0].Secret.Data[openshift.ConfKey])).VirtualCenter) != 2 {
		t.Error("a vCenter that the cluster lacks was lost")
	}
	if Of().KeepConf(written(vc1)) {
		t.Error("something was kept of a cluster without the secret")
	}
}

func listed(all []serverAccount) (words []string) {
	for _, a := range all {
		words = append(words, a.server+" "+a.User+" "+a.Password.Reveal())
	}
	return words
}

// The secrets of Kubernetes without OpenShift prove that an account may go, as those of OpenShift do.
func TestProofOfKubernetes(t *testing.T) {
	t.Parallel()
	conf := func(user, password string) string {
		return openshift.ConfKey + "=[Global]\n[VirtualCenter \"" + vc1 + "\"]\nuser = " + user + "\npassword = \"" + password + "\"\n"
	}
	const csi, ccm = "vmware-system-csi/vsphere-config-secret", "kube-system/vsphere-cloud-secret"
	q := Question{
		Cluster: "cluster1", Profile: openshift.ProfileKubernetes, Of: func(string) string { return "cluster1" },
		Known: []string{vc1}, Servers: []string{vc1}, Going: []string{"ocp-cluster1-csi-driver@vsphere.local"},
		Readers: []component.Name{component.CSIDriver, component.CloudController},
		Stays:   []Stay{{component.CSIDriver, []string{vc1}, account("ocp-cluster1-csi-driver-2@vsphere.local", "new")}},
	}
	ccmHas := in(ccm, pair("ocp-cluster1-cloud-controller@vsphere.local", "x")...)
	for name, tt := range map[string]struct {
		c    *Cluster
		want []Missing
	}{
		"new":            {Of(ccmHas, in(csi, conf("ocp-cluster1-csi-driver-2@vsphere.local", "new"))), nil},
		"other password": {Of(ccmHas, in(csi, conf("ocp-cluster1-csi-driver-2@vsphere.local", "old"))), []Missing{LacksStaying}},
		"not restarted":  {Of(ccmHas, in(csi, conf("ocp-cluster1-csi-driver@vsphere.local", "x"))), []Missing{LacksStaying, LacksFree}},
		"half a dump":    {Of(ccmHas), []Missing{LacksShown}},
		"elsewhere":      {Of(ccmHas, in("kube-system/other", conf("ocp-cluster1-csi-driver-2@vsphere.local", "new")), in("vmware-system-csi/a", "b=c")), []Missing{LacksStaying}},
	} {
		var got []Missing
		for _, l := range tt.c.Proof(q) {
			got = append(got, l.Missing)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	q.Profile = ""
	if lacks := Of(ccmHas, in(csi, conf("ocp-cluster1-csi-driver-2@vsphere.local", "new"))).Proof(q); len(lacks) == 0 {
		t.Error("it proves the same for a cluster of OpenShift, whose namespaces it does not show")
	}
}
