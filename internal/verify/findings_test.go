package verify

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Whatever makes a verification fail is a finding, with its accounts; remedies are a list, if an empty one.
func TestVerifyFindings(t *testing.T) {
	t.Parallel()
	s, err := spec.FromServers([]string{"vc1"})
	if err != nil {
		t.Fatal(err)
	}
	line := func(name string, own ...string) string { return strings.Join(append([]string{name}, own...), " ") }
	why := func(ids []string, remedy string) []Reason {
		return []Reason{{Privileges: ids, Why: "w", Remedy: remedy}}
	}
	const replaces = "if the cluster works with another password: oc get secrets,infrastructures -A -o yaml | credentials import --secrets - --replace"
	replaced := func(components string) string {
		return "unverified-account: p on vc1 is unverified: it was replaced, and its password is not on this machine: once the cluster works with the account that replaced it: oc get secrets,infrastructures -A -o yaml | rotate finish --secrets - --components " + components + ", to accept it: verify --allow unverified"
	}
	lost := finding.New(finding.LostPassword, "", "lost")
	lost.Accounts = []finding.Account{{Server: "vc1", Component: "installer", Principal: "p"}}
	for name, c := range map[string]struct {
		vc   VCenter
		had  []*finding.Finding
		want []string // code: text: remedies
	}{
		"ok":                 {vc: VCenter{Accounts: []Account{{Login: login.OK}, {Login: LoginDisabled}, {Login: LoginReplaced}, {Login: LoginNext}}}},
		"absent":             {vc: VCenter{Accounts: []Account{{Login: LoginAbsent}}}, want: []string{"absent-account: p on vc1 does not exist: apply"}},
		"locked":             {vc: VCenter{Accounts: []Account{{Login: "password refused", Reason: "the account is locked"}}}, want: []string{"refused-account: p on vc1 cannot be used: password refused: the account is locked: wait until it unlocks, or ask an administrator of the SSO domain to unlock it; each wrong login extends the lock, then: verify"}},
		"refused":            {vc: VCenter{Accounts: []Account{{Login: login.RefusedOrLocked}}}, want: []string{"refused-account: p on vc1 cannot be used: password refused (or the account is locked or disabled): to see whether it is locked or disabled: users list, " + replaces}},
		"disabled":           {vc: VCenter{Accounts: []Account{{Login: login.Refused, Reason: IsDisabled}}}, want: []string{"refused-account: p on vc1 cannot be used: password refused: the account is disabled: to enable it: users enable --components installer"}},
		"expired":            {vc: VCenter{Accounts: []Account{{Login: "password expired", Reason: IsExpired}}}, want: []string{"refused-account: p on vc1 cannot be used: password expired: the password has expired: to replace it, without an outage: rotate --components installer"}},
		"outside":            {vc: VCenter{Accounts: []Account{{Login: LoginOutside + "G"}}}, want: []string{"refused-account: p on vc1 cannot be used: not a member of G: apply"}},
		"to be disabled":     {vc: VCenter{Accounts: []Account{{Login: LoginEnabled}}}, want: []string{"refused-account: p on vc1 is enabled, but disabled in the specification: apply"}},
		"no password":        {vc: VCenter{Accounts: []Account{{Login: LoginUnknown}}}, want: []string{"refused-account: p on vc1 cannot be used: its password is not in the credentials file: to see whether it is locked or disabled: users list, " + replaces}},
		"no password, known": {vc: VCenter{Accounts: []Account{{Login: LoginUnknown}}}, had: []*finding.Finding{lost}},
		"unverified":         {vc: VCenter{Accounts: []Account{{Login: LoginUnverified, Reason: "no password"}}}, want: []string{"unverified-account: p on vc1 is unverified: no password: verify --ask-passwords, to accept it: verify --allow unverified"}},
		"replaced":           {vc: VCenter{Accounts: []Account{{Login: LoginUnverified, Reason: IsReplaced}}}, want: []string{replaced("installer")}},
		"next":               {vc: VCenter{Accounts: []Account{{Login: LoginUnverified, Reason: IsNext}}}, want: []string{"unverified-account: p on vc1 is unverified: it is not in use, and its password is not on this machine: to remove it, unless the cluster holds it: oc get secrets,infrastructures -A -o yaml | rotate undo --secrets - --components installer, to accept it: verify --allow unverified"}},
		"two are replaced, one is next": {
			vc: VCenter{Accounts: []Account{
				{Component: "machine-api", Login: LoginUnverified, Reason: IsReplaced},
				{Component: "auditor", Login: LoginUnverified, Reason: IsNext},
				{Component: "csi-driver", Login: LoginUnverified, Reason: IsReplaced},
			}},
			want: []string{
				replaced("machine-api,csi-driver"),
				"unverified-account: p on vc1 is unverified: it is not in use, and its password is not on this machine: to remove it, unless the cluster holds it: oc get secrets,infrastructures -A -o yaml | rotate undo --secrets - --components auditor, to accept it: verify --allow unverified",
				replaced("machine-api,csi-driver"),
			},
		},
		"rights": {
			vc: VCenter{Accounts: []Account{{Login: login.OK, Objects: []Object{
				{Path: "/a", Missing: []string{"M"}, Excess: []string{"E"}, Reasons: append(why([]string{"M"}, remedyApply), why([]string{"E"}, remedyPrune)...)},
				{Path: "/b", Missing: []string{"M", "N"}, Unknown: []string{"U"}, Reasons: append(why([]string{"M", "N"}, remedyApply), why([]string{"U"}, "use a newer release of vCenter")...)},
			}}}},
			want: []string{"missing-privileges: p on vc1 lacks M, N on /a, /b: apply", "excess-privileges: p on vc1 holds more than it needs: E on /a: apply --prune", "unknown-privileges: p on vc1 needs what its vCenter does not know: U on /b: use a newer release of vCenter"},
		},
		"unable": {
			vc:   VCenter{Accounts: []Account{{Login: login.OK, Cannot: []Cannot{{Does: "attach", Object: "/vm", Missing: []string{"A"}}}}}},
			want: []string{"unable-component: p on vc1 cannot do all of the work of installer: attach (A on /vm): to accept it: verify --allow unable"},
		},
		"preflight": {
			vc:   VCenter{Preflight: []Preflight{{Check: "folder /f", Missing: []string{"A", "B"}}, {Check: "fine"}}},
			want: []string{"failed-preflight: 1 check of openshift-install failed on vc1: folder /f (A, B): "},
		},
	} {
		c.vc.Server = "vc1"
		for i := range c.vc.Accounts {
			c.vc.Accounts[i].Principal = "p"
			if c.vc.Accounts[i].Component == "" {
				c.vc.Accounts[i].Component = "installer"
			}
		}
		var got []string
		for _, f := range (&Result{VCenters: []VCenter{c.vc}, Findings: c.had}).Failings(s, line) {
			got = append(got, string(f.Code)+": "+f.Text+": "+strings.Join(f.Remedies, ", "))
			if f.Remedies == nil || len(f.Accounts) != 1 || f.Accounts[0].Server != "vc1" {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
