package wizard

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// lose makes a vCenter refuse everything from the first list of datastores on.
func lose(p *person, v *vcsim.VCenter) {
	p.before = func(_ int, message string) error {
		if strings.HasSuffix(message, ": VM folder") {
			v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
		}
		return nil
	}
}

func TestLostVCenterComesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0]
	_, want := r.run(t, &person{t: t, answers: r.answers()})
	_ = os.Remove(r.out())
	p := &person{t: t, answers: r.answers()}
	tries := 0
	p.before = func(_ int, message string) error {
		switch {
		case strings.HasSuffix(message, ": VM folder") && tries == 0:
			v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
		case message == v.Server()+": what now?":
			if tries++; tries == 3 {
				v.SetFault(nil)
			}
		}
		return nil
	}
	_, got := r.run(t, p)
	if diff := cmp.Diff(want, got); diff != "" || tries != 3 {
		t.Errorf("after %d tries: %s", tries, diff)
	}
}

func TestLostVCenterElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0]
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := free.Addr().String()
	free.Close()
	answers := r.answers()
	answers[v.Server()+": what now?"] = []string{"use another address"}
	answers["address of"] = []string{v.Addr()}
	p := &person{t: t, answers: answers}
	o := r.options(p)
	o.Addresses = map[string]string{v.Server(): nobody}
	done, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := done.Spec.VCenters[0].Address; got != v.Addr() {
		t.Errorf("address %s", got)
	}
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "cannot be reached at "+nobody) || !strings.Contains(said, "hint: ") {
		t.Errorf("said: %s", said)
	}
}

func TestLostVCenterLeftOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{VCenters: 3})
	second := r.lab.VCenters[1]
	answers := r.answers()
	answers["next vCenter"] = []string{second.Server(), r.lab.VCenters[2].Server()}
	answers["another vCenter?"] = []string{"yes", "yes", "no"}
	answers["failure domain"] = []string{"zone-a", "zone-b", "zone-c"}
	answers["zone-b: networks"], answers["zone-c: networks"] = []string{"VM Network"}, []string{"VM Network"}
	answers[second.Server()+": what now?"] = []string{"skip this vCenter"}
	p := &person{t: t, answers: answers}
	p.before = func(_ int, message string) error {
		if message == "zone-b: VM folder" {
			second.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
		}
		return nil
	}
	_, s := r.run(t, p)
	var got []string
	for _, v := range s.VCenters {
		got = append(got, v.Server)
	}
	if diff := cmp.Diff([]string{r.lab.VCenters[0].Server(), r.lab.VCenters[2].Server()}, got); diff != "" {
		t.Error(diff)
	}
}

// One that was left out is offered again, with its answers.
func TestLeftOutVCenterComesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0]
	answers := r.answers()
	answers[v.Server()+": what now?"] = []string{"skip this vCenter"}
	p := &person{t: t, answers: answers}
	lost := false
	p.before = func(_ int, message string) error {
		switch {
		case message == "zone-a: VM folder" && !lost:
			lost = true
			v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
		case message == "vCenter":
			v.SetFault(nil)
		}
		return nil
	}
	p.answers["zone-a: VM folder"] = []string{"openshift/cluster1", ""}
	_, s := r.run(t, p)
	if fd := s.VCenters[0].FailureDomains[0]; fd.Folder != "/DC1/vm/openshift/cluster1" {
		t.Errorf("%+v", fd)
	}
	if n := slices.Index(p.asked, "vCenter"); !slices.Contains(p.asked[n+1:], "vCenter") || p.defaults[n+1+slices.Index(p.asked[n+1:], "vCenter")] != v.Server() {
		t.Errorf("asked %q", p.asked)
	}
}

func TestLostVCenterSaveAndQuit(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	v := r.lab.VCenters[0]
	answers := r.answers()
	answers[v.Server()+": what now?"] = []string{"save and quit"}
	p := &person{t: t, answers: answers}
	lose(p, v)
	_, err := Run(context.Background(), r.options(p))
	var stopped *StoppedError
	if !errors.As(err, &stopped) || stopped.Interrupted || stopped.Draft == "" {
		t.Fatal(err)
	}
	v.SetFault(nil)
	again := &person{t: t, answers: map[string][]string{"password of": {v.AdminPassword()}, "zone-a: networks": {"VM Network"}, "zone-a: datastore": {"ds1"}}}
	_, s := r.run(t, again)
	if fd := s.VCenters[0].FailureDomains[0]; !strings.HasSuffix(fd.Folder, "openshift/cluster1") || s.Cluster != "c9" {
		t.Errorf("resumed: %+v", fd)
	}
}

// A signal ends what is being read with its own error: the person is told where the answers are as after Ctrl-C at a question.
func TestInterruptWhileReading(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	ctx, interrupt := context.WithCancelCause(context.Background())
	p := &person{t: t, answers: r.answers(), before: func(_ int, message string) error {
		if strings.HasSuffix(message, ": VM folder") {
			r.lab.VCenters[0].SetFault(func(int, string) vcsim.Fault {
				interrupt(errors.New("a signal"))
				return vcsim.Fault{Kind: vcsim.Dropped}
			})
		}
		return nil
	}}
	_, err := Run(ctx, r.options(p))
	var stopped *StoppedError
	if !errors.As(err, &stopped) || !stopped.Interrupted || stopped.Draft == "" {
		t.Fatal(err)
	}
}

const installConfig = `apiVersion: v1
metadata: {name: c7}
platform:
  vsphere:
    vcenters:
    - {server: vcenter1.example.com, user: u, password: canary-password}
    failureDomains:
    - name: fd1
      server: vcenter1.example.com
      topology: {datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [VM Network]}
    - name: fd2
      server: vcenter1.example.com
      topology: {datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/DATASTORE, networks: [VM Network], folder: /DC1/vm/openshift}
`

func (r *rig) installConfig(t *testing.T, datastore string) string {
	t.Helper()
	file := filepath.Join(r.dir, "install-config.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(installConfig, "DATASTORE", datastore)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// What an install-config or a running cluster says, nobody is asked for.
func TestInstallConfigAnswers(t *testing.T) {
	t.Parallel()
	for name, give := range map[string]func(o *Options, file string, known *spec.Spec){
		"install-config.yaml": func(o *Options, file string, _ *spec.Spec) { o.InstallConfig = file },
		runningCluster:        func(o *Options, _ string, known *spec.Spec) { o.Cluster = known },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, vcsim.Options{})
			file := r.installConfig(t, "other")
			want, _, err := installconfig.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			known, _, err := installconfig.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			want.VCenters[0].Address = r.lab.VCenters[0].Addr()
			p := &person{t: t, answers: r.answers()}
			o := r.options(p)
			give(&o, file, known)
			done, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, done.Spec); diff != "" {
				t.Errorf("(- want): %s", diff)
			}
			if diff := cmp.Diff([]string{
				"is this thumbprint the vCenter's own?", "administrator of vcenter1.example.com", "password of administrator@vsphere.local",
				"profile", "components", "components that use existing accounts", "account names", "privilege matrix", "what the cluster uses", "roles", "what now?",
			}, p.asked); diff != "" {
				t.Errorf("asked (- want): %s", diff)
			}
			if read := name + ": cluster c7, 1 vCenter, 2 failure domains"; !slices.Contains(p.said, read) {
				t.Errorf("%q is not said: %q", read, p.said)
			}
		})
	}
}

func TestInstallConfigThatIsWrongIsAskedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	file := r.installConfig(t, "gone")
	answers := r.answers()
	answers["fd2: datastore"] = []string{"other"}
	p := &person{t: t, answers: answers}
	o := r.options(p)
	o.InstallConfig = file
	done, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	fd := done.Spec.VCenters[0].FailureDomains[1]
	if fd.Datastore != "/DC1/datastore/other" || fd.Folder != "/DC1/vm/openshift" || fd.Name != "fd2" {
		t.Errorf("%+v", fd)
	}
	if slices.ContainsFunc(p.asked, func(m string) bool { return strings.HasPrefix(m, "fd1") }) {
		t.Errorf("asked for what is there: %q", p.asked)
	}
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "there is no /DC1/datastore/gone") {
		t.Errorf("said: %s", said)
	}
}

// What an install-config lacks is said, and asked for; what it has is not.
func TestIncompleteInstallConfigIsGoneOnFrom(t *testing.T) {
	t.Parallel()
	r := newRig(t, vcsim.Options{})
	file := filepath.Join(r.dir, "install-config.yaml")
	text, _, _ := strings.Cut(installConfig, "    failureDomains:")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, answers: r.answers()}
	o := r.options(p)
	o.InstallConfig = file
	done, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if v := done.Spec.VCenters; done.Spec.Cluster != "c7" || len(v) != 1 || v[0].Server != "vcenter1.example.com" || len(v[0].FailureDomains) == 0 {
		t.Errorf("%s: %+v", done.Spec.Cluster, v)
	}
	said := strings.Join(p.said, "\n")
	for _, want := range []string{"platform.vsphere.failureDomains is missing", "install-config.yaml: cluster c7, 1 vCenter, 0 failure domains"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said: %s", want, said)
		}
	}
	if slices.ContainsFunc(p.asked, func(m string) bool { return m == "cluster name" || strings.HasPrefix(m, "vCenter") }) {
		t.Errorf("asked for what is there: %q", p.asked)
	}
}
