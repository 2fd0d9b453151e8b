package decision

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// renamed are a request and a vCenter whose account the credentials file has under another name of it, which answers or not.
func renamed(t *testing.T, answers bool, here string) (*snapshot.Request, []*snapshot.Snapshot) {
	t.Helper()
	q, found := values(t)
	name := q.Spec.Account(component.Diagnostics).Name
	set := func(server, password string) {
		if err := q.Credentials.Set(server, component.Diagnostics, credfile.Account{User: name + "@vsphere.local", Password: secret.New(password)}); err != nil {
			t.Fatal(err)
		}
	}
	set("ip", "Passw0rd!")
	if here != "" {
		set("vc1", here)
	}
	user := sso.User{Name: name, Description: sso.Mark("c1", component.Diagnostics)}
	found[0].SSO.Users[name] = user
	found = found[:1]
	q.Generate(found[0].Domain, found)
	ids := map[string]string{}
	if answers {
		ids["ip"] = found[0].Instance
	}
	if err := q.Name(found, ids); err != nil {
		t.Fatal(err)
	}
	return q, found
}

// Passwords under another name of a vCenter are not lost: the finding names that section and renames it, and nothing sets them anew.
func TestPasswordsUnderAnotherName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		answers  bool
		here     string
		severity finding.Severity
		text     string
		remedies []string
	}{
		{"only there", true, "", finding.Error, "ip and vc1 are two names of one vCenter (", []string{"ocp-vsphere-admin credentials rename ip vc1"}},
		{"in both", true, "Passw0rd!", finding.Warning, "ip and vc1 are two names of one vCenter (", []string{"ocp-vsphere-admin credentials rename ip vc1"}},
		{"only there, and no answer", false, "", finding.Error, "ip does not answer, and may be an earlier name of vc1 (", []string{
			"if it is: ocp-vsphere-admin credentials rename ip vc1", "if it was another vCenter, which no longer exists: remove section [ip] from ",
		}},
		{"another password, and no answer", false, "0ther!Pass", "", "", nil},
	} {
		q, found := renamed(t, tt.answers, tt.here)
		e := removing(q, found)
		var f *finding.Finding
		for _, one := range e.Findings() {
			switch one.Code {
			case finding.RenamedVCenter:
				f = one
			case finding.LostPassword:
				t.Errorf("%s: %s", tt.name, one.Text)
			}
		}
		if f == nil || tt.remedies == nil {
			if f != nil || tt.remedies != nil {
				t.Errorf("%s: %+v", tt.name, f)
			}
			continue
		}
		if f.Severity != tt.severity || !strings.HasPrefix(f.Text, tt.text) || strings.HasSuffix(f.Text, "only there") != (tt.severity == finding.Error) ||
			!slices.EqualFunc(f.Remedies, tt.remedies, strings.HasPrefix) {
			t.Errorf("%s: %+v", tt.name, f)
		}
		if left := e.Left(); len(left) > 0 {
			t.Errorf("%s: %s", tt.name, left[0].Text)
		}
	}
}

// Whatever removes, disables or resets accounts stops where the credentials file has them for another name of their vCenter, too.
func TestNothingGoesUnderTwoNames(t *testing.T) {
	t.Parallel()
	does := map[string]func(*snapshot.Request, []*snapshot.Snapshot) *Decision{
		"plan": func(q *snapshot.Request, all []*snapshot.Snapshot) *Decision {
			return removing(q, all).Decide((*Decision).Change)
		},
		"apply --prune": func(q *snapshot.Request, all []*snapshot.Snapshot) *Decision {
			pruning := *q
			pruning.Prune = true
			return removing(&pruning, all).Decide((*Decision).Change)
		},
		"destroy": func(q *snapshot.Request, all []*snapshot.Snapshot) *Decision {
			return removing(q.Undo(), all).Decide((*Decision).Undo)
		},
		"rotate": func(q *snapshot.Request, all []*snapshot.Snapshot) *Decision {
			return removing(q.Doing(accounts.Replace, false), all).Decide((*Decision).ChangeGenerations)
		},
		"rotate --in-place": func(q *snapshot.Request, all []*snapshot.Snapshot) *Decision {
			return removing(q, all).Decide((*Decision).PlanRotations)
		},
		"users disable": func(q *snapshot.Request, all []*snapshot.Snapshot) *Decision {
			return removing(q, all).Decide(func(dec *Decision, p *VCenterPlan) ([]*plan.Change, error) { return dec.SetDisabled(p, true) })
		},
		"users enable": func(q *snapshot.Request, all []*snapshot.Snapshot) *Decision {
			return removing(q, all).Decide(func(dec *Decision, p *VCenterPlan) ([]*plan.Change, error) { return dec.SetDisabled(p, false) })
		},
	}
	for name, decide := range does {
		for _, answers := range []bool{true, false} {
			q, found := renamed(t, answers, "Passw0rd!")
			err := decide(q, found).Plans[0].Err
			refused := err != nil && strings.Contains(err.Error(), "has accounts for ip: the cluster may use them under either name; nothing was done")
			want := answers && name != "plan" && name != "users enable" || !answers && name == "destroy"
			if refused != want {
				t.Errorf("%s, answers %v: %v", name, answers, err)
			}
		}
	}
}
