package decision

import (
	"fmt"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// TellInPlace tells what becomes of those who log in to a vCenter with the accounts whose passwords change in their place. Nobody
// logs in with a disabled account.
func (dec *Decision) TellInPlace(p *VCenterPlan) {
	s := p.Snapshot
	var components []component.Name
	for _, r := range dec.Rotations {
		if u, _ := r.At.SSO.Own(r.At.Account(r.Component).Name); r.At.DomainKey == s.DomainKey && !u.Disabled {
			components = append(components, r.Component)
		}
	}
	if components == nil {
		return
	}
	note := func(text string) { p.tell(ofUser("").Tell(finding.Consequence, text)) }
	l := s.SSO.Lockout
	note(lockoutText(l))
	if s.Peers > 1 {
		note("linked vCenters get a new password within a minute and refuse it until then")
	}
	profile, _ := openshift.FindProfile(dec.Spec.Profile)
	for _, r := range profile.Readers(components) {
		note(readerText(r, l, r.Root() && !profile.Shared()))
	}
}

// readerText says what a reader does between the new password and its secret, and after it. perhaps: it has the account only
// where the root secret holds it.
func readerText(r openshift.Reader, l sso.Lockout, perhaps bool) string {
	text := r.Name
	if perhaps {
		text += " (if " + r.Secret.String() + " holds this account)"
	}
	if r.Hold == openshift.HoldsNothing {
		text += fmt.Sprintf(": logs in every %s, and is refused until its secret is applied", short(r.Every))
	} else {
		text += ": keeps its session, and is refused when that ends before its secret is applied"
	}
	if after, locks := r.Retry.Locks(l.MaxFailed, l.Within); locks {
		text += fmt.Sprintf("; it locks the account within %s of its first failed login", short(after))
	} else if l.MaxFailed > 0 {
		text += "; it retries too rarely to lock the account"
	}
	if r.Password.Restart {
		text += fmt.Sprintf("; it %s: %s", r.Password.Does, r.Restart)
	}
	return text
}

// short leaves out what is zero: 3m, not 3m0s.
func short(d time.Duration) string {
	if d < time.Second {
		return "a second"
	}
	text := strings.TrimSuffix(d.Round(time.Second).String(), "m0s")
	if text != d.Round(time.Second).String() {
		text += "m"
	}
	if hours, ok := strings.CutSuffix(text, "h0m"); ok {
		text = hours + "h"
	}
	return text
}
