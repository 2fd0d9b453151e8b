package fleet

import "testing"

// The log of a pod has what a run says on both streams: a result is found in it.
func TestParseLog(t *testing.T) {
	t.Parallel()
	const result = "{\n  \"apiVersion\": \"ocp-vsphere-admin/v1\",\n  \"kind\": \"FleetResult\",\n  \"clusters\": [\n{\"cluster\": \"a\", \"outcome\": \"ok\"}\n]\n}\n"
	for name, c := range map[string]struct {
		log string
		ok  bool
	}{
		"alone":         {result, true},
		"one line":      {`{"apiVersion": "ocp-vsphere-admin/v1", "kind": "FleetResult", "clusters": [{"cluster": "a", "outcome": "ok"}]}`, true},
		"before, after": {"warning: {certificates are not checked}\n" + result + "the event was not created\n", true},
		"no line break": {"warning\n" + result[:len(result)-1], true},
		"two":           {result + result, false},
		"no end":        {"warning\n" + result[:len(result)-2], false},
		"none":          {"warning\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Parse("log", []byte(c.log))
			if (err == nil) != c.ok || c.ok && len(r.Clusters) != 1 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// Of a cluster whose accounts are all computed nobody reads that 0 logged in.
func TestTried(t *testing.T) {
	t.Parallel()
	for want, logins := range map[string][]Login{
		"0": {LoginFailed}, "1": {LoginOK, LoginComputed}, "not tried": {LoginComputed, LoginUnverified},
	} {
		v := VCenter{}
		for _, l := range logins {
			v.Accounts = append(v.Accounts, Account{Login: l})
		}
		if got := (&Cluster{VCenters: []VCenter{v}}).Count().Tried(); got != want {
			t.Errorf("%v: %q, want %q", logins, got, want)
		}
	}
}
