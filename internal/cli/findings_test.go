package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// The way out names what is lost and nothing else: an account that is well would be refused everywhere until its cluster
// has the new secrets.
func TestRemediesAreAsNarrowAsTheCause(t *testing.T) {
	t.Parallel()
	lost := func(pairs ...string) []*plan.Finding {
		f := &plan.Finding{Kind: plan.LostPassword}
		for _, p := range pairs {
			server, c, _ := strings.Cut(p, " ")
			f.Accounts = append(f.Accounts, plan.FoundAccount{Server: server, Component: component.Name(c)})
		}
		return []*plan.Finding{f}
	}
	for name, c := range map[string]struct {
		findings []*plan.Finding
		asked    []string // --vcenters
		want     []string
	}{
		"everywhere": {
			findings: lost("vc1 csi-driver", "vc1 machine-api", "vc2 machine-api", "vc2 csi-driver"),
			want:     []string{"ocp-vsphere-admin rotate --in-place --components machine-api,csi-driver -f spec.yaml"},
		},
		"on one of two": {
			findings: lost("vc2 csi-driver"),
			want:     []string{"ocp-vsphere-admin rotate --in-place --components csi-driver --vcenters vc2 -f spec.yaml"},
		},
		"others on each": {
			findings: lost("vc1 csi-driver", "vc2 diagnostics"),
			want: []string{
				"ocp-vsphere-admin rotate --in-place --components csi-driver --vcenters vc1 -f spec.yaml",
				"ocp-vsphere-admin rotate --in-place --components diagnostics --vcenters vc2 -f spec.yaml",
			},
		},
		"of those that were asked for": {
			findings: lost("vc1 csi-driver", "vc2 csi-driver"), asked: []string{"vc1", "vc2"},
			want: []string{"ocp-vsphere-admin rotate --in-place --components csi-driver --vcenters vc1,vc2 -f spec.yaml"},
		},
	} {
		o := &JobOptions{}
		o.Connection.Source.VCenters = c.asked
		o.remedyWith(c.findings, []string{"vc1", "vc2"}, "-f spec.yaml")
		if diff := cmp.Diff(c.want, c.findings[0].Remedies); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, line := range c.findings[0].Remedies {
			parses(t, line)
		}
	}
}

// A flag about another vCenter than the hint is about would be refused.
func TestRemedyKeepsFlagsOfItsVCenters(t *testing.T) {
	t.Parallel()
	const flags = "-f spec.yaml --connect-to vc1=127.0.0.1:1 --connect-to 'vc2=[::1]:2' --thumbprint vc1=AA:BB --thumbprint vc2=CC:DD --timeout 5s"
	if got, want := flagsFor([]string{"vc2"}, flags), "-f spec.yaml --connect-to 'vc2=[::1]:2' --thumbprint vc2=CC:DD --timeout 5s"; got != want {
		t.Errorf("%s", got)
	}
	if got := flagsFor([]string{"vc1", "vc2"}, flags); got != flags {
		t.Errorf("%s", got)
	}
}

func TestLostWordsParse(t *testing.T) {
	t.Parallel()
	for _, source := range []sourceFlags{{}, {File: "a b.yaml"}, {InstallConfig: "install-config.yaml"}, {File: "-"}} {
		text := lostWords(&source, credentialsFlag{Path: "my file"}, "csi-driver", []string{"vc1"})
		_, line, found := strings.Cut(text, ": ")
		if !found || !strings.HasPrefix(line, program+" rotate --in-place --components csi-driver ") {
			t.Errorf("%s", text)
		}
		parses(t, line)
	}
}
