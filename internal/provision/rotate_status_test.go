package provision_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

func (h *house) status(t *testing.T, holders func(server, user string) []component.Ref) map[string]inspect.RotatedAccount {
	t.Helper()
	job := h.job(t)
	defer job.Close(context.Background())
	l := job.RotationStatus(t.Context(), holders)
	if err := l.Results().Err(); err != nil {
		t.Fatal(err)
	}
	found := map[string]inspect.RotatedAccount{}
	for _, a := range l.VCenters[0].Accounts {
		found[a.Principal] = a
	}
	return found
}

// rotate status tells the stage of each generation, who is logged in with it, and which secrets hold it.
func TestRotationStatus(t *testing.T) {
	t.Parallel()
	const first, second = "ocp-cluster1-csi-driver@vsphere.local", "ocp-cluster1-csi-driver-2@vsphere.local"
	h := oneComponent(t, vcsim.Options{})
	if got := h.status(t, nil); len(got) != 1 || got[first].Stage != inspect.StageInUse || got[first].Secrets != nil || *got[first].Sessions != 0 || got[first].LastUse != nil || *got[first].DaysLeft != 90 {
		t.Errorf("before: %+v", got)
	}
	v := h.lab.VCenters[0]
	session, err := vcenter.Connect(t.Context(), h.o.Config(h.spec.VCenters[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close(context.Background())
	if err := session.Login(t.Context(), first, secret.New(password(t, h.path, v.Server(), component.CSIDriver))); err != nil {
		t.Fatal(err)
	}
	h.mustTurn(t, "replace")
	got := h.status(t, func(server, user string) []component.Ref {
		if server == v.Server() && user == first {
			return []component.Ref{component.At("kube-system", "vsphere-creds-csi-driver")}
		}
		return nil
	})
	if a := got[first]; a.Stage != inspect.StageReplaced || a.Generation != 1 || *a.Sessions != 1 || a.LastUse == nil || len(a.Secrets) != 1 || !a.PasswordKnown {
		t.Errorf("replaced: %+v", a)
	}
	if a := got[second]; a.Stage != inspect.StageInUse || a.Generation != 2 || *a.Sessions != 0 || a.Secrets == nil || len(a.Secrets) > 0 || !a.PasswordKnown {
		t.Errorf("in use: %+v", a)
	}
	h.mustTurn(t, "revert")
	got = h.status(t, nil)
	if got[first].Stage != inspect.StageInUse || got[second].Stage != inspect.StageNext || !got[second].PasswordKnown {
		t.Errorf("taken back: %+v", got)
	}
	h.mustTurn(t, "replace")
	h.mustTurn(t, "finish")
	if _, err := session.Time(t.Context()); err == nil {
		t.Error("the session of the account that was replaced goes on")
	}
}

// A rotation that was open when its component left the specification is not lost sight of: status lists its accounts, and finish and
// undo say that they stay.
func TestRotationOfDroppedComponent(t *testing.T) {
	t.Parallel()
	const first, second = "ocp-cluster1-csi-driver@vsphere.local", "ocp-cluster1-csi-driver-2@vsphere.local"
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {}, "machine-api": {}}
	h.mustApply(t)
	h.mustTurn(t, "replace", "csi-driver")
	delete(h.spec.Components, "csi-driver")
	got := h.status(t, nil)
	if len(got) != 3 || got[first].Stage != inspect.StageDropped || got[second].Stage != inspect.StageDropped || got["ocp-cluster1-machine-api@vsphere.local"].Stage != inspect.StageInUse {
		t.Errorf("%+v", got)
	}
	for _, turn := range []string{"finish", "revert", "withdraw"} {
		p := h.mustTurn(t, turn)
		if want := "users " + first + ", " + second + ": unchanged: csi-driver left the specification while a rotation of its account was unfinished"; len(staying(p)) != 1 || !strings.HasPrefix(staying(p)[0].String(), want) {
			t.Errorf("%s:\n%s", turn, text(p))
		}
	}
	h.spec.Components["diagnostics"] = spec.Component{}
	h.mustApply(t)
	if p := h.mustTurn(t, "finish", "diagnostics"); len(staying(p)) != 0 {
		t.Errorf("of another one alone:\n%s", text(p))
	}
	h.spec.Components["csi-driver"] = spec.Component{}
	h.mustTurn(t, "finish")
	h.atRest(t, "once it is named again")
}
