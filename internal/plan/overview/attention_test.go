package overview_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// attention is the lines of that part of a map.
func attention(t *testing.T, p *plan.Plan) string {
	t.Helper()
	_, found, _ := strings.Cut(drawn(t, p, overview.Options{}), "attention\n")
	found, _, _ = strings.Cut(found, "\n\n")
	return found
}

// A permission that reaches everything below a datacenter or more deserves attention, whatever objects are called and other
// notes say.
func TestWhatReachesEverything(t *testing.T) {
	const cluster = "openshift-machine-api-cluster-aaaaaa"
	below := func(object, datacenter string) *plan.Change {
		c := grant(machines, object, cluster, true)
		c.Datacenter = datacenter
		return c
	}
	for name, c := range map[string]struct {
		changes []*plan.Change
		want    bool
	}{
		"a datacenter":                       {[]*plan.Change{below("/DC1", "")}, true},
		"a datacenter in a folder network":   {[]*plan.Change{below("/network/DC1", "")}, true},
		"a datacenter of that name":          {[]*plan.Change{below("/vm", "")}, true},
		"a datacenter that a note speaks of": {[]*plan.Change{below("/DC1", "")}, true},
		"the root":                           {[]*plan.Change{below("/", "")}, true},
		"a folder of virtual machines":       {[]*plan.Change{below("/DC1/vm/f", "/DC1")}, false},
		"an object that is not seen whole":   {[]*plan.Change{below("Folder:group-v3/f", "")}, true},
	} {
		p := plan.New("c")
		p.Add("vc1", c.changes, nil)
		if name == "a datacenter that a note speaks of" {
			p.Findings = tell("vc1", plan.Change{Kind: plan.Permission}, finding.Consequence, "the pool of /DC1 is full")
		}
		if got := attention(t, p); strings.Contains(got, "reaches everything below") != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What was decoded is as safe for a terminal as what was planned.
func TestAttentionOfAHostilePlan(t *testing.T) {
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{role(plan.Create, folder, "A.B")}, nil)
	p.Add("vc2", nil, errors.New("x"))
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(`"error":"x"`), []byte(`"error":"vc2: gone\u001b[2K\r\u202eevil\nsecond"`))
	hostile := &plan.Plan{}
	if err := json.Unmarshal(data, hostile); err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{drawn(t, hostile, overview.Options{}), string(overview.Markdown(hostile, overview.Request{Apply: "apply"}))} {
		if strings.ContainsAny(got, "\x1b\r\u202e") || !strings.Contains(got, "! vc2: gone") || !strings.Contains(got, "second") {
			t.Errorf("%q", got)
		}
	}
}

// noFolder adds a vCenter to a plan with failure domains without a folder, a name and a datacenter each, with the permissions that
// reach the datacenters for them.
func noFolder(p *plan.Plan, server string, domains ...string) {
	var changes []*plan.Change
	for i := 0; i < len(domains); i += 2 {
		changes = append(changes, grant(machines, domains[i+1], folder, true))
		p.Findings = append(p.Findings, tell(server, plan.Change{Kind: plan.FailureDomain, Name: domains[i], Object: domains[i+1]}, finding.WholeDatacenter, "no folder is set")...)
	}
	p.Add(server, changes, nil)
}

// tell is a finding about an object of a vCenter.
func tell(server string, of plan.Change, code finding.Code, text string) []*finding.Finding {
	f := of.Tell(code, text)
	f.Server = server
	return []*finding.Finding{f}
}

// What is the same of many failure domains is one item. Few are named, of many it is their number; objects that are numbered as
// their vCenters are told by the first and the last. The permissions for which the note is there are not said once more.
func TestAttentionOfManyFailureDomains(t *testing.T) {
	t.Parallel()
	sites := func(n int, domain func(i int) string, datacenter func(i int) string) *plan.Plan {
		p := plan.New("c")
		for i := 1; i <= n; i++ {
			noFolder(p, fmt.Sprintf("vc%d.example.com", i), domain(i), datacenter(i))
		}
		return p
	}
	same := func(name string) func(int) string { return func(int) string { return name } }
	count := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }
	several := plan.New("c")
	noFolder(several, "vc1", "a", "/DC1", "b", "/DC1", "c", "/DC2", "d", "/DC2")
	two := plan.New("c")
	noFolder(two, "vc1", "a", "/DC1", "b", "/DC2")
	other := sites(2, same("a"), count("/DC%d"))
	other.VCenters[1].Changes = append(other.VCenters[1].Changes, grant(storage, "/", folder, true))
	for want, p := range map[string]*plan.Plan{
		"! failure domain a on /DC1: no folder is set":                                                                          sites(1, same("a"), same("/DC1")),
		"! failure domain a on /DC1; failure domain b on /DC2: no folder is set":                                                two,
		"! 4 failure domains on /DC1, /DC2: no folder is set":                                                                   several,
		"! failure domain a on /DC1 (vc1), /DC2 (vc2), /DC3 (vc3): no folder is set":                                            sites(3, same("a"), count("/DC%d")),
		"! all 12 vCenters: 12 failure domains on /DC1: no folder is set":                                                       sites(12, same("a"), same("/DC1")),
		"! 12 failure domains on /DC1 to /DC12 (vc1 to vc12): no folder is set":                                                 sites(12, count("zone-%d"), count("/DC%d")),
		"! 4 failure domains on /x/DC01-b7 to /x/DC04-b7 (vc1 to vc4): no folder is set":                                        sites(4, count("zone-%d"), count("/x/DC%02d-b7")),
		"! failure domain a on /DC1 (vc1), /DC2 (vc2): no folder is set\n! vc2: " + storage + " on /: reaches everything below": other,
	} {
		expect(t, want, strings.TrimSpace(attention(t, p)))
	}
	odd := sites(6, count("zone-%d"), func(i int) string { return []string{"", "/DC1", "/DC2", "/X", "/DC4", "/DC5", "/DC6"}[i] })
	expect(t, "! 6 failure domains on /DC1 (vc1), /DC2 (vc2), /X (vc3), /DC4 (vc4), /DC5 (vc5), /DC6 (vc6): no folder is set", strings.TrimSpace(attention(t, odd)))
}
