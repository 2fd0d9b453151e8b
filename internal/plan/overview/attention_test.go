package overview_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

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
	note := &plan.Change{Verb: plan.Note, Kind: plan.Permission, Note: "the pool of /DC1 is full"}
	for name, c := range map[string]struct {
		changes []*plan.Change
		want    bool
	}{
		"a datacenter":                       {[]*plan.Change{below("/DC1", "")}, true},
		"a datacenter in a folder network":   {[]*plan.Change{below("/network/DC1", "")}, true},
		"a datacenter of that name":          {[]*plan.Change{below("/vm", "")}, true},
		"a datacenter that a note speaks of": {[]*plan.Change{note, below("/DC1", "")}, true},
		"the root":                           {[]*plan.Change{below("/", "")}, true},
		"a folder of virtual machines":       {[]*plan.Change{below("/DC1/vm/f", "/DC1")}, false},
		"an object that is not seen whole":   {[]*plan.Change{below("Folder:group-v3/f", "")}, true},
	} {
		p := plan.New("c")
		p.Add("vc1", c.changes, nil)
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
