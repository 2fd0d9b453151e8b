package verify_test

import (
	"errors"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// What a verification found is accepted by the standards that say so, and by no other.
func TestMeets(t *testing.T) {
	t.Parallel()
	var unread verify.VCenter
	unread.Fail(errors.New("refused"))
	all := []verify.Standard{{}, {Strict: true}, {InUse: true}, {Allow: []string{verify.AllowUnverified}}, {Allow: []string{verify.AllowUnable}}, {Allow: []string{verify.AllowUnseen}}}
	for name, tt := range map[string]struct {
		found verify.Result
		met   func(verify.Standard) bool
	}{
		"nothing":    {verify.Result{}, func(verify.Standard) bool { return true }},
		"unseen":     {verify.Result{Incomplete: []string{"vc1"}}, func(verify.Standard) bool { return true }},
		"failed":     {verify.Result{Summary: verify.Summary{Failed: 1}}, func(verify.Standard) bool { return false }},
		"preflight":  {verify.Result{Summary: verify.Summary{PreflightFailed: 1}}, func(verify.Standard) bool { return false }},
		"not read":   {verify.Result{VCenters: []verify.VCenter{unread}}, func(verify.Standard) bool { return false }},
		"unknown":    {verify.Result{Summary: verify.Summary{Unknown: 1}}, func(by verify.Standard) bool { return !by.Strict }},
		"unverified": {verify.Result{Summary: verify.Summary{Unverified: 1}}, func(by verify.Standard) bool { return by.Allows(verify.AllowUnverified) }},
		"unused":     {verify.Result{Summary: verify.Summary{Unverified: 1, Unused: 1}}, func(by verify.Standard) bool { return by.InUse || by.Allows(verify.AllowUnverified) }},
		"unable":     {verify.Result{Summary: verify.Summary{Unable: 1}}, func(by verify.Standard) bool { return by.Allows(verify.AllowUnable) }},
		"advice":     {verify.Result{Findings: []*finding.Finding{{Severity: finding.Warning}}}, func(verify.Standard) bool { return true }},
		"finding":    {verify.Result{Findings: []*finding.Finding{{Severity: finding.Error}}}, func(verify.Standard) bool { return false }},
	} {
		for _, by := range all {
			if got := tt.found.Meets(by); got != tt.met(by) {
				t.Errorf("%s by %+v: %t", name, by, got)
			}
		}
	}
}
