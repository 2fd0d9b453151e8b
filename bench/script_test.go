package main

import (
	"slices"
	"strings"
	"testing"
)

func TestScriptIsThePlanInGovcCommands(t *testing.T) {
	t.Parallel()
	commands, err := script([]byte(`{"vcenters":[{"server":"vc1","changes":[
		{"verb":"create","kind":"permission","object":"/DC1/network/VM Network","principal":"ocp-c-machine-api@vsphere.local","after":{"role":"r1","propagate":false}},
		{"verb":"create","kind":"role","name":"r1","after":{"privileges":["Network.Assign","System.Read"]}},
		{"verb":"delete","kind":"role","name":"r2"},
		{"verb":"create","kind":"user","name":"ocp-c-machine-api@vsphere.local","after":{"description":"ours"}},
		{"verb":"update","kind":"permission","object":"/","principal":"ocp-c-machine-api@vsphere.local","after":{"role":"r1","propagate":true}}]}]}`), "pw")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"role.create r1 Network.Assign System.Read",
		"sso.user.create -d ours -p pw ocp-c-machine-api",
		"permissions.set -principal ocp-c-machine-api@vsphere.local -role r1 -propagate=false /DC1/network/VM Network",
		"permissions.set -principal ocp-c-machine-api@vsphere.local -role r1 -propagate=true",
	}
	var got []string
	for _, args := range commands["vc1"] {
		got = append(got, strings.Join(args, " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestScriptNeedsWork(t *testing.T) {
	t.Parallel()
	for _, plan := range []string{`{`, `{"vcenters":[{"server":"vc1","error":"unreachable"}]}`, `{"vcenters":[{"server":"vc1","changes":[]}]}`} {
		if commands, err := script([]byte(plan), "pw"); err == nil {
			t.Errorf("%s gave %v", plan, commands)
		}
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		atMost(14, 14):   "at most 14: reached",
		atMost(14.1, 14): "at most 14: MISSED",
		atMost(3, 0):     "-",
		atLeast(20, 20):  "at least 20x: reached",
		atLeast(19, 20):  "at least 20x: MISSED",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
