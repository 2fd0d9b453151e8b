package sso_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	mark := sso.Mark("prod", "csi-driver")
	for _, c := range []struct {
		name   string
		user   *sso.User
		ours   bool
		due    bool
		states []string
	}{
		{"missing", nil, false, false, []string{sso.StateMissing}},
		{"as wanted", &sso.User{Description: mark, DaysLeft: new(80)}, true, false, []string{sso.StateOK}},
		{"about to expire", &sso.User{Description: mark, DaysLeft: new(5)}, true, true, []string{sso.StateOK}},
		{"foreign", &sso.User{Description: "a person", DaysLeft: new(5)}, false, false, []string{sso.StateForeign}},
		{
			"everything", &sso.User{Description: "a person", Disabled: true, Locked: true, DaysLeft: new(0)}, false, false,
			[]string{sso.StateForeign, sso.StateDisabled, sso.StateLocked, sso.StateExpired},
		},
		{"expired by the record", &sso.User{Description: mark, PasswordSet: now.AddDate(0, 0, -91)}, true, true, []string{sso.StateExpired}},
	} {
		state := &sso.State{Names: sso.Names{Domain: "vsphere.local"}, Policy: sso.Policy{LifetimeDays: 90}, Users: map[string]sso.User{}}
		if c.user != nil {
			c.user.Name = "csi"
			state.Users["csi"] = *c.user
		}
		got := sso.Compare(sso.Want{Name: "CSI", Description: mark}, state)
		due, _ := got.Due(sso.Limits{ExpiringWithin: new(14 * 24 * time.Hour)}, now)
		if states := got.States(now); got.Ours() != c.ours || due != c.due || !slices.Equal(states, c.states) {
			t.Errorf("%s: ours %v, due %v, %v", c.name, got.Ours(), due, states)
		}
		other := state.Of("csi@corp.example.com", c.user) // what another directory has does not obey this domain's policy
		if due, _ := other.Due(sso.Limits{ExpiringWithin: new(14 * 24 * time.Hour)}, now); due || other.Life(now) != (sso.Life{}) {
			t.Errorf("%s, of another directory: due %v, %v", c.name, due, other.Life(now))
		}
	}
}
