package provision_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/consumers"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// trio is three linked vCenters, all of the specification.
func trio(t *testing.T) (*house, *consumers.Clock) {
	t.Helper()
	clock := consumers.NewClock()
	text := demoSpec + strings.NewReplacer("vcenter2", "vcenter3", "zone-b", "zone-c", "DC2", "DC3", "C2", "C3", "ds2", "ds3").Replace("- server: vcenter2"+strings.SplitN(demoSpec, "- server: vcenter2", 2)[1])
	h := open(t, start(t, vcsim.Options{VCenters: 3, Linked: true, Now: clock.Now}), t.TempDir(), parse(t, text))
	h.mustApply(t)
	return h, clock
}

// logins counts those that were sent to each vCenter while something was done, and how many of an account are refused.
func (h *house) logins(what func()) (each []int) {
	for _, v := range h.lab.VCenters {
		v.ResetRequests()
	}
	what()
	for _, v := range h.lab.VCenters {
		each = append(each, v.Requests()["RequestSecurityToken"])
	}
	return each
}

// failuresOf tells after how many more failed logins an account is locked: what the run has added to.
func (h *house) failuresOf(t *testing.T, user string) int {
	t.Helper()
	dir := h.lab.VCenters[0].Directory()
	for n := range 6 {
		if u, _ := dir.User(user); u.Locked {
			if err := dir.SetLocked(user, false); err != nil {
				t.Fatal(err)
			}
			return dir.LockoutPolicy().MaxFailed - n
		}
		_, _ = dir.Authenticate(user, "wrong")
	}
	t.Fatalf("%s is never locked", user)
	return 0
}

// A new password is proved at each linked vCenter with one login. One that has not heard of it is named: without a login where
// the day of the password shows it, after one refused login in all where it does not.
func TestInPlaceProvesLinkedVCenters(t *testing.T) {
	t.Parallel()
	const user = "ocp-cluster1-csi-driver"
	yesterday := directory.Details{Description: "OpenShift cluster cluster1, component csi-driver; made by ocp-vsphere-admin; password set 2020-01-02"}
	for name, c := range map[string]struct {
		late         bool // the others have not heard of the new password
		sameDay      bool
		elsewhere    []int // logins at the second and the third, beside the administrator's
		refused      int
		first, third string // what is said of the second and of the third
	}{
		"replicated":            {elsewhere: []int{1, 1}},
		"late, on another day":  {late: true, elsewhere: []int{0, 0}, first: "it is not replicated yet: linked vCenters take up to a minute", third: "it is not replicated yet: linked vCenters take up to a minute"},
		"late, on the same day": {late: true, sameDay: true, elsewhere: []int{1, 0}, refused: 1, first: "it refused it; perhaps", third: "not tested after vcenter2.example.com refused one"},
		"replicated, same day":  {sameDay: true, elsewhere: []int{1, 1}},
	} {
		h, clock := trio(t)
		dir := h.lab.VCenters[0].Directory()
		if !c.sameDay {
			if err := dir.SetDetails(user, yesterday); err != nil {
				t.Fatal(err)
			}
		}
		clock.Advance(2 * time.Hour)
		if c.late {
			h.lab.VCenters[1].Directory().SetReplication(time.Hour)
		}
		var warnings []string
		each := h.logins(func() {
			var err error
			if _, warnings, err = h.rotate(t, "csi-driver"); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		})
		if got := []int{each[1] - 1, each[2] - 1}; !slices.Equal(got, c.elsewhere) || each[0] != 2 {
			t.Errorf("%s: logins %v, want the administrator's, one more at the first and %v", name, each, c.elsewhere)
		}
		want := 0
		for i, text := range []string{c.first, c.third} {
			if text == "" {
				continue
			}
			if line := fmt.Sprintf("vcenter%d.example.com: the new password of %s@vsphere.local is not tested: %s", i+2, user, text); want >= len(warnings) || !strings.HasPrefix(warnings[want], line) {
				t.Errorf("%s: %q, want %q", name, warnings, line)
			}
			want++
		}
		if len(warnings) != want {
			t.Errorf("%s: %d warnings: %q", name, len(warnings), warnings)
		}
		if n := h.failuresOf(t, user); n != c.refused {
			t.Errorf("%s: %d failed logins of the account", name, n)
		}
		h.resting(t)
	}
}

// vCenters of the SSO domain that the run does not reach are named: the accounts exist there too.
func TestInPlaceNamesUnreachedVCenters(t *testing.T) {
	t.Parallel()
	h, _ := trio(t)
	others := *h.spec
	others.VCenters = h.spec.VCenters[1:]
	h.o.Request.Spec = &others
	if _, err := h.destroy(t); err != nil { // permissions and entries go, the accounts stay
		t.Fatal(err)
	}
	narrow := *h.spec
	narrow.VCenters = h.spec.VCenters[:1]
	h.o.Request.Spec = &narrow
	p, warnings, err := h.rotate(t, "csi-driver", "machine-api")
	if err != nil || len(warnings) != 2 {
		t.Fatalf("%v %q", err, warnings)
	}
	for i, server := range []string{"vcenter2.example.com", "vcenter3.example.com"} {
		want := server + ": the new password of ocp-cluster1-machine-api@vsphere.local, ocp-cluster1-csi-driver@vsphere.local is not tested: it is not part of this run"
		if warnings[i] != want || !strings.Contains(text(p), "not tested at "+server) {
			t.Errorf("%q, want %q\n%s", warnings[i], want, text(p))
		}
	}
}

// A linked vCenter that fails while it is asked is named, and the rotation is done all the same.
func TestInPlaceLinkedVCenterFails(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"RequestSecurityToken", "FindPersonUser"} {
		h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
		h.mustApply(t)
		job := h.job(t)
		p := job.PlanRotation(t.Context(), true, sso.Limits{})
		h.lab.VCenters[1].SetFault(func(_ int, called string) vcsim.Fault {
			if called == method {
				return vcsim.Fault{Kind: vcsim.Unavailable}
			}
			return vcsim.Fault{}
		})
		err := job.Rotate(t.Context(), p)
		warnings := textsOf(p, finding.UntestedPassword)
		h.lab.VCenters[1].SetFault(nil)
		job.Close(t.Context())
		if err != nil || failures(p) != nil || len(warnings) == 0 || !strings.HasPrefix(warnings[0], "vcenter2.example.com: the new password of ") || !strings.Contains(strings.Join(warnings, "\n"), "503") {
			t.Errorf("%s: %v %v %q", method, err, failures(p), warnings)
		}
		h.resting(t)
		h.opens(t, method)
	}
}

// The plan tells the policy of this vCenter, and by it who locks an account.
func TestInPlacePlanSaysWhoLocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec   string
		policy directory.LockoutPolicy
		want   []string
		absent []string
	}{
		"the default": {demoSpec, directory.LockoutPolicy{MaxFailed: 5, Within: 3 * time.Minute, UnlockAfter: 5 * time.Minute}, []string{
			"5 failed logins within 3m0s lock an account for 5m0s",
			"! machine-api-controllers: keeps its session, and is refused when that ends before its secret is applied; it locks the account within a second of its first failed login",
			"! vmware-vsphere-csi-driver-controller: keeps its session, and is refused when that ends before its secret is applied; it locks the account within 30s of its first failed login\n",
			"! vsphere-cloud-controller-manager: keeps its session, and is refused when that ends before its secret is applied; it locks the account within 2s of its first failed login; it reads its secret again only after a refused login: oc rollout restart deployment/vsphere-cloud-controller-manager -n openshift-cloud-controller-manager\n",
			"! vsphere-problem-detector-operator: logs in every 1h, and is refused until its secret is applied; it retries too rarely to lock the account\n",
			"! machine-config-controller (if kube-system/vsphere-creds holds this account): logs in every 10m, ",
		}, nil},
		"a strict one": {demoSpec, directory.LockoutPolicy{MaxFailed: 3, Within: time.Hour}, []string{
			"3 failed logins within 1h0m0s lock an account until an administrator unlocks it",
			"! vsphere-problem-detector-operator: logs in every 1h, and is refused until its secret is applied; it locks the account within 3m of its first failed login\n",
			"! vmware-vsphere-csi-driver-operator: logs in every 20m, and is refused until its secret is applied; it locks the account within 3m of its first failed login\n",
		}, []string{"it retries too rarely to lock the account"}},
		"none": {demoSpec, directory.LockoutPolicy{}, []string{"this SSO domain never locks accounts"}, []string{"locks the account", "it retries too rarely to lock the account"}},
		"one component": {
			demoSpec + "components: {diagnostics: {}}\n",
			directory.LockoutPolicy{MaxFailed: 5, Within: 3 * time.Minute},
			[]string{"! vsphere-problem-detector-operator: "},
			[]string{"machine-api", "csi", "cloud-controller", "machine-config"},
		},
		"one account for all": {demoSpec + "profile: passthrough\n", directory.LockoutPolicy{MaxFailed: 5, Within: 3 * time.Minute}, []string{
			"! machine-api-controllers: ", "! machine-config-controller: logs in", "! vsphere-problem-detector-operator: ",
		}, []string{"if kube-system"}},
	} {
		h := open(t, start(t, vcsim.Options{VCenters: 2}), t.TempDir(), parse(t, c.spec))
		h.mustApply(t)
		for _, v := range h.lab.VCenters {
			v.Directory().SetLockoutPolicy(c.policy)
		}
		job := h.job(t)
		p := job.PlanRotation(t.Context(), false, sso.Limits{})
		job.Close(t.Context())
		got := text(p)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: not said: %s\n%s", name, want, got)
			}
		}
		for _, line := range c.absent {
			if strings.Contains(got, line) {
				t.Errorf("%s: said: %s\n%s", name, line, got)
			}
		}
		n := 0
		for _, f := range p.Findings {
			if strings.HasPrefix(f.Text, "vsphere-problem-detector-operator: ") {
				n++
			}
		}
		if n != 2 {
			t.Errorf("%s: told of %d vCenters\n%s", name, n, got)
		}
	}
}

// Whom a new password locks out is said of every vCenter where that happens, once where it is the same: linked vCenters share the
// account. Nobody is locked out of a disabled account, and its secrets have time.
func TestInPlaceSaysWhere(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{true, false} {
		d := newDesk(t, start(t, vcsim.Options{VCenters: 2, Linked: linked}), demoSpec)
		d.must(t, d.words("apply", "--components", "diagnostics,csi-driver")...)
		words := d.words("rotate", "--in-place", "--components", "diagnostics,csi-driver", "--dry-run")
		_, stdout, _ := d.run(words...)
		for _, want := range []string{"! both vCenters: running components use", "! both vCenters: vmware-vsphere-csi-driver-controller: ", "! both vCenters: vsphere-problem-detector-operator: "} {
			if strings.Count(stdout, want) != 1 {
				t.Errorf("linked %t: not said once: %s\n%s", linked, want, stdout)
			}
		}
		for i, v := range d.lab.VCenters {
			if i > 0 && linked {
				continue
			}
			if err := v.Directory().SetDisabled("ocp-cluster1-diagnostics", true); err != nil {
				t.Fatal(err)
			}
		}
		if _, stdout, _ = d.run(words...); !strings.Contains(stdout, "vmware-vsphere-csi-driver-controller: ") || strings.Contains(stdout, "vsphere-problem-detector-operator: ") {
			t.Errorf("linked %t:\n%s", linked, stdout)
		}
		_, stdout, stderr := d.run(d.words("rotate", "--in-place", "--components", "diagnostics")...)
		if all := stdout + stderr; strings.Contains(all, "old password") || strings.Contains(all, "rollout") || strings.Contains(all, "apply the new secrets now") ||
			!strings.Contains(all, "the accounts are disabled: apply the new secrets before you enable them\nnext: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin secrets renew ") {
			t.Errorf("linked %t:\n%s", linked, all)
		}
	}
}

// What is to be run is said before and after, with the words of this run; what has to let go is said with its command.
func TestInPlaceSaysWhatToRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t, start(t, vcsim.Options{VCenters: 2}), demoSpec)
	d.must(t, d.words("apply")...)
	line := "oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin secrets renew --against - -f " + d.file + " --verify "
	_, _, stderr := d.run(d.words("rotate", "--in-place", "--dry-run")...)
	if !strings.Contains(stderr, "run this as soon as the passwords are set: "+line) || strings.Contains(stderr, "oc rollout") {
		t.Errorf("the dry run says:\n%s", stderr)
	}
	_, _, stderr = d.run(d.words("rotate", "--in-place")...)
	for _, want := range []string{
		"next: " + line,
		"then: oc rollout restart deployment/machine-api-controllers -n openshift-machine-api\n" +
			"then: oc rollout restart deployment/vsphere-cloud-controller-manager -n openshift-cloud-controller-manager\n" +
			"then, once kube-system/vsphere-creds holds the new password of machine-api: oc delete secret -n openshift-cluster-api ",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the rotation says:\n%s\nwant:\n%s", stderr, want)
		}
	}
	_, _, stderr = d.run(d.words("rotate", "--in-place", "--components", "installer", "--dry-run")...)
	if !strings.HasPrefix(stderr, "if Hive removes this cluster, run this on its hub: ") || strings.Count(stderr, "secrets renew") != 1 {
		t.Errorf("no secret of the cluster holds the installer's account:\n%s", stderr)
	}
}

// A disk on which the journal or the credentials file has no room stops the rotation before any password is changed, and the same
// command again comes to the end.
func TestRotateDiskFull(t *testing.T) {
	t.Parallel()
	if os.Getenv("OS") == "Windows_NT" {
		t.Skip("a limit of file sizes stands for the full disk")
	}
	d := newDesk(t, start(t, vcsim.Options{}), strings.Split(demoSpec, "- server: vcenter2")[0])
	d.must(t, d.words("apply")...)
	if err := appendTo(d.path, strings.Repeat("# a note that is much longer than a journal\n", 2000)); err != nil {
		t.Fatal(err)
	}
	v := d.lab.VCenters[0]
	for _, c := range []struct {
		blocks string // of 512 or 1024 bytes: the largest file that can be written
		resets int
		want   string
	}{
		{"0", 0, "credentials file "},
		{"20", 0, "credentials file "}, // the journal would fit
	} {
		v.ResetRequests()
		cmd, stdout, stderr, err := d.process(d.words("rotate", "--in-place")...)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Args = append([]string{"sh", "-c", `trap '' XFSZ; ulimit -f "$0"; exec "$@"`, c.blocks, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() < 0 || !strings.Contains(stderr.String(), c.want) || !strings.Contains(stderr.String(), "make room") {
			t.Errorf("%s blocks: %v\n%s%s", c.blocks, err, stdout, stderr)
		}
		if n := v.Requests()["ResetLocalPersonUserPassword"]; n != c.resets {
			t.Errorf("%s blocks: %d resets", c.blocks, n)
		}
		d.opens(t, c.blocks+" blocks")
	}
	d.must(t, d.words("rotate", "--in-place")...)
	d.resting(t)
	d.opens(t, "with room")
	d.must(t, d.words("verify")...)
}
