package provision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/workorder"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// order plans for others and gives the plan and the work order.
func (h *house) order(t fatalT) (*plan.Plan, string) {
	t.Helper()
	h.o.Request.Ordering = true
	defer func() { h.o.Request.Ordering = false }()
	job := h.job(t)
	defer job.Close(context.Background())
	p := job.Plan(context.Background())
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	order, err := job.WorkOrder(p, workorder.Again{Same: []string{"plan -f old.yaml"}, Adopting: []string{"plan -f provisioning.yaml --cacert ca.pem"}}).Markdown()
	if err != nil {
		t.Fatal(err)
	}
	return p, string(order)
}

// blocks are the fenced blocks of a language.
func blocks(markdown, language string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^(```+)"+language+"\n(.*?)^```+$").FindAllStringSubmatch(markdown, -1) {
		all = append(all, m[2])
	}
	return all
}

// govc builds govmomi's own command line from the module that the bench pins it in.
func govc(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-C", "../../bench", "-o", filepath.Join(dir, "govc"), "./govc")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("govc cannot be built here: %v\n%s", err, out)
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here")
	}
	return dir
}

// othersDo runs the govc commands of a work order as the other teams do: each with the administrator's login, typing
// memberPassword for every new account.
func (h *house) othersDo(t *testing.T, dir, order string) {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, h.lab.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks(order, "bash") {
		if !strings.Contains(block, "govc ") {
			continue
		}
		var v *vcsim.VCenter
		for _, one := range h.lab.VCenters {
			if url := "'https://" + one.Server() + "'"; strings.Contains(block, url) {
				v, block = one, strings.ReplaceAll(block, url, "'https://"+one.Addr()+"'")
			}
		}
		if v == nil {
			t.Fatalf("for which vCenter is this?\n%s", block)
		}
		cmd := exec.Command("bash", "-c", block)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "GOVC_USERNAME="+v.AdminUser(), "GOVC_PASSWORD="+v.AdminPassword(),
			"GOVC_TLS_CA_CERTS="+ca, "GOVMOMI_HOME="+filepath.Join(dir, v.Server()))
		cmd.Stdin = strings.NewReader(strings.Repeat(memberPassword+"\n", 10))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, block, out)
		}
	}
}

// adopt takes the provisioning file of a work order, and its entries with the password that was handed over.
func (h *house) adopt(t *testing.T, order string) {
	t.Helper()
	files := blocks(order, "yaml")
	if len(files) != 1 {
		t.Fatalf("%d provisioning files in\n%s", len(files), order)
	}
	s, err := spec.Parse("adopted.yaml", []byte(files[0]))
	if err != nil {
		t.Fatal(err)
	}
	path := h.path
	*h = *open(t, h.lab, t.TempDir(), s)
	entries := strings.ReplaceAll(blocks(order, "ini")[0], "password = `...`", "password = `"+memberPassword+"`")
	entries = strings.ReplaceAll(entries, "csi-driver.user = `...`", `csi-driver.user = CORP\svc-csi`)
	if _, err := os.Stat(path); err == nil {
		h.path = path
		return
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.path), 0o700), os.WriteFile(h.path, []byte(entries), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A work order is enough: another team runs its govc lines, the provisioning file in it adopts what they made, and then
// the plan is empty and every account is verified. destroy takes back what was granted, and leaves their accounts. A plain
// run takes linked vCenters and one generated estate; LONG=1 takes all, each of whose lines is a process.
func TestWorkOrderDoneByOthers(t *testing.T) {
	notShort(t, "commands of others, one after the other")
	t.Parallel()
	dir := govc(t)
	for name, o := range map[string]vcsim.Options{
		"apart": {VCenters: 2}, "linked": {VCenters: 2, Linked: true, Domain: "sso.example.com"},
		"replicating": {VCenters: 2, Linked: true, RoleReplication: time.Nanosecond},
	} {
		if name != "linked" && !long() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, start(t, o), t.TempDir(), parse(t, demoSpec))
			h.done(t, dir)
		})
	}
	for _, seed := range sample([]int{0, 1, 2, 3}, 4) {
		t.Run(fmt.Sprint("generated ", seed), func(t *testing.T) {
			t.Parallel()
			lab := start(t, vcsim.Options{Estate: vcsim.EstateOptions{Seed: uint64(seed + 7), Foreign: true}})
			text := rapid.Custom(func(t *rapid.T) string { return drawSpec(t, lab, "c") }).Example(seed)
			h := open(t, lab, t.TempDir(), parse(t, text))
			h.supply(lawMembers("c"))
			h.done(t, dir)
		})
	}
}

func (h *house) done(t *testing.T, dir string) {
	t.Helper()
	_, order := h.order(t)
	h.othersDo(t, dir, order)
	before := h.snapshot()
	h.othersDo(t, dir, order) // as somebody does whose run ended at a refused line
	accounts := h.o.Accounts
	h.adopt(t, order)
	h.o.Accounts = accounts
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Fatalf("the plan after it is not empty (%v):\n%s\n%s", p.Err(), text(p), order)
	}
	if v := h.verify(t); !v.Meets(asAsked) || v.Summary.Accounts == 0 {
		t.Errorf("%+v\n%s", v, order)
	}
	if diff := cmp.Diff(before, h.snapshot()); diff != "" {
		t.Error(diff)
	}
	if _, again := h.order(t); !strings.Contains(again, "Nothing to do: accounts, roles and permissions match the specification.") || strings.Contains(again, "govc") {
		t.Errorf("what is done is ordered again:\n%s", again)
	}
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	if s := h.snapshot(); strings.Contains(s, `role "openshift-csi-driver-`) || !strings.Contains(s, `account `) {
		t.Errorf("after destroy:\n%s", s)
	}
}

// What is never sent to a vCenter is no reason for a grant: the enhancement's table has such ids.
func TestWorkOrderGivesNoReasonThatNothingIsGrantedFor(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	reasons := 0
	for _, r := range h.o.Request.Matrix.Rows {
		if r.Unknown && r.Why != "" {
			_, order := h.order(t)
			if strings.Contains(order, r.Why) {
				t.Errorf("%s is never sent, and the work order says: %s", r.Privilege, r.Why)
			}
			reasons++
		}
	}
	if reasons == 0 {
		t.Error("no such id: nothing was tested")
	}
}

// Roles that drifted and permissions that are left over are ordered as changes; what another directory lacks is asked for.
func TestWorkOrderOfChanges(t *testing.T) {
	notShort(t, "commands of others, one after the other")
	t.Parallel()
	dir := govc(t)
	h := one(t, vcsim.Options{})
	d := populate(t, h.lab)
	h.mustApply(t)
	ctx, c := t.Context(), h.admin(t)
	role := h.liveRole(t, 0, "openshift-csi-driver-datastore")
	if err := authz(c).UpdateRole(ctx, role.RoleId, role.Name, []string{"Datastore.Browse", "Datastore.Delete"}); err != nil {
		t.Fatal(err)
	}
	h.spec.VCenters[0].FailureDomains[0].Template = ""
	h.o.Request.Prune = true
	_, order := h.order(t)
	for _, want := range []string{
		"**Change role `" + role.Name + "`**", "~~`Datastore.Delete`~~", "**new** `Datastore.FileManagement`",
		"Remove, because this cluster no longer needs it:", "govc permissions.remove -f -principal",
	} {
		if !strings.Contains(order, want) {
			t.Errorf("no %s in\n%s", want, order)
		}
	}
	h.othersDo(t, dir, order)
	h.othersDo(t, dir, order)
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	// An account and a group that their directory does not have yet.
	if err := errors.Join(d.RemoveGroup(`CORP\OCP storage`), d.RemoveUser(`CORP\svc-diag`)); err != nil {
		t.Fatal(err)
	}
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver": {Principal: `CORP\OCP storage`, Group: new(true)}, "diagnostics": {Principal: "svc-diag@corp.example.com"},
	}
	if p := h.plan(t); p.Err() == nil {
		t.Error("without a work order a missing principal is no error")
	}
	p, order := h.order(t)
	if note := toldOf(t, p, "does not exist yet"); note == nil {
		t.Error(note)
	}
	for _, want := range []string{"### Identity source `corp.example.com`, alias `CORP` (vcenter1.example.com)\n", "| `OCP storage` | group |", "| `svc-diag` | account |", "-principal 'CORP\\OCP storage' -group"} {
		if !strings.Contains(order, want) {
			t.Errorf("no %s in\n%s", want, order)
		}
	}
	if n := strings.Count(order, "### Identity source"); n != 1 {
		t.Errorf("the identity source is named %d times:\n%s", n, order)
	}
	if strings.Contains(order, "sso.user.create") {
		t.Errorf("an account of another directory would be made in the SSO domain:\n%s", order)
	}
	// One of the SSO domain is made there, whoever it belongs to; the order has no commands for a group.
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver": {Principal: "svc-csi@vsphere.local"}, "diagnostics": {Principal: "storage@vsphere.local", Group: new(true)}, "machine-api": {},
	}
	_, order = h.order(t)
	for want, n := range map[string]int{"### SSO domain `vsphere.local`": 2, "Identity source": 0, "external directory": 0, "sso.user.create": 1, "sso.group.create": 0, "| `storage` | group |": 1} {
		if got := strings.Count(order, want); got != n {
			t.Errorf("%q is there %d times, not %d:\n%s", want, got, n, order)
		}
	}
}

// A block of PowerCLI stops at its first error and ends its session. Functions of a script module, which those of
// VMware.vSphere.SsoAdmin are, do not read the preference of whoever calls them.
func TestWorkOrderPowerShellStopsAndDisconnects(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	_, order := h.order(t)
	sso, vi := 0, 0
	for _, block := range blocks(order, "powershell") {
		connect, disconnect := "Connect-VIServer", "Disconnect-VIServer -Server $vc -Confirm:$false"
		if strings.Contains(block, "Sso") {
			connect, disconnect = "Connect-SsoAdminServer", "Disconnect-SsoAdminServer -Server $sso"
			sso++
		} else {
			vi++
		}
		before, work, ok := strings.Cut(block, "\ntry {\n")
		if !ok || !strings.Contains(before, connect) || !strings.HasSuffix(work, "\n} finally {\n"+disconnect+"\n}\n}\n") {
			t.Errorf("the session of this block does not end with it:\n%s", block)
		}
		for line := range strings.Lines(block) {
			if (strings.Contains(line, " Connect-Sso") || strings.HasPrefix(line, "  New-Sso")) && !strings.HasSuffix(line, " -ErrorAction Stop\n") {
				t.Errorf("an error does not stop: %s", line)
			}
		}
	}
	if sso == 0 || vi == 0 {
		t.Errorf("%d blocks for SSO, %d for the inventory", sso, vi)
	}
}

// No password gets into a work order, whatever is known.
func TestWorkOrderHoldsNoPassword(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	const canary = "Canary-Secret-77x"
	if err := errors.Join(file.Set("vcenter1.example.com", "csi-driver", credfile.Account{User: "ocp-cluster1-csi-driver@vsphere.local", Password: secret.New(canary)}), file.Save()); err != nil {
		t.Fatal(err)
	}
	if err := h.lab.VCenters[0].Directory().RemoveUser("ocp-cluster1-csi-driver@vsphere.local"); err != nil {
		t.Fatal(err)
	}
	if _, order := h.order(t); strings.Contains(order, canary) || strings.Contains(order, h.lab.VCenters[0].AdminPassword()) || !strings.Contains(order, "ocp-cluster1-csi-driver") {
		t.Errorf("%s", order)
	}
}
