package overview_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// A change request has the map, what deserves attention, the digest and the command; nothing that cannot be approved has one.
func TestMarkdown(t *testing.T) {
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{user(machines)}, nil)
	p.Findings = tell("vc1", plan.Change{Kind: plan.Permission}, finding.Consequence, "zone-a names no folder")
	p.Seal("decided")
	expect(t, "# vSphere change request for OpenShift cluster `c`"+`

Nothing has been changed yet. This is what BTapplyBT would change.

## Changes

FENCEtext
c: 1 user to create on vc1

users
+ ocp-c-machine-api@vsphere.local
FENCE

## Attention

FENCEtext
! zone-a names no folder
FENCE

OpenShift documents one account with all privileges as supported, and accounts with fewer privileges only as reference.

## Approval

In all: 1 to create, 0 to update, 0 to delete. The digest of the changes, the vCenters, the specification and the options is

FENCEtext
DIGEST
FENCE

Whoever may apply this plan runs the command below. It refuses to do anything if the vCenters or the specification have changed since. No terminal is needed.

FENCEbash
apply --digest DIGEST
FENCE
`, plainly(string(overview.Markdown(p, overview.Request{Apply: "apply --digest " + p.Digest})), p.Digest))

	p.Add("vc2", nil, errors.New("down"))
	p.Seal("decided")
	text := string(overview.Markdown(p, overview.Request{Apply: "apply"}))
	if !strings.Contains(text, "cannot be approved: not every vCenter could be read") || strings.Contains(text, "```bash") {
		t.Error(text)
	}
}

// plainly is a page without what a literal of Go cannot hold, or what differs.
func plainly(page, digest string) string {
	page = strings.Replace(page, "`ocp-vsphere-admin apply`", "BTapplyBT", 1)
	return strings.NewReplacer("```", "FENCE", digest, "DIGEST").Replace(page)
}

// Names cannot end a fence, begin a line or steer a terminal, on a page or on the screen.
func TestHostileNames(t *testing.T) {
	const hostile = "x\n```\n# Approved\n\x1b[2J\u202e  + forged  ````"
	p := plan.New(hostile)
	c := grant(hostile, "/"+hostile, hostile, true)
	c.Note, c.Displaces, c.Verb, c.Before = hostile, true, plan.Update, plan.PermissionState{Role: hostile}
	p.Add(hostile, []*plan.Change{
		c, role(plan.Create, hostile, hostile), user(hostile),
		{Verb: plan.Create, Kind: plan.Folder, Name: hostile},
	}, nil)
	p.Findings = []*finding.Finding{plan.Change{Kind: plan.Privilege, Name: hostile}.Tell(finding.OmittedPrivilege, hostile), {Severity: finding.Error, Code: finding.LostPassword, Text: hostile, Remedies: []string{hostile}}}
	p.Add("vc2", nil, errors.New(hostile))
	for _, text := range []string{
		string(overview.Markdown(p, overview.Request{Apply: "apply", Tool: hostile, Date: hostile})),
		drawn(t, p, overview.Options{Width: 80}), drawn(t, p, overview.Options{}), drawn(t, p, overview.Options{Full: true}),
	} {
		fence := ""
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case strings.ContainsAny(line, "\x1b\u202e") || strings.HasPrefix(line, "# Approved") || strings.HasPrefix(line, "+ forged"):
				t.Errorf("%q in\n%s", line, text)
			case fence == "" && strings.HasPrefix(line, "```"):
				fence = strings.TrimRight(line, "abcdefghijklmnopqrstuvwxyz")
			case fence != "" && line == fence:
				fence = ""
			case strings.HasPrefix(line, "```") && len(line) >= len(fence):
				t.Errorf("%q ends a fence in\n%s", line, text)
			}
		}
		if fence != "" {
			t.Errorf("a fence is open at the end of\n%s", text)
		}
	}
}
