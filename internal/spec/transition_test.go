package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What comes, what stays, what differs, and what the API server refuses; a specification that is narrowed is compared whole.
func TestTowards(t *testing.T) {
	t.Parallel()
	of := func(cluster string, vcenters ...string) *Spec { // vc1:a,b
		s := &Spec{Cluster: cluster}
		for _, vc := range vcenters {
			server, domains, _ := strings.Cut(vc, ":")
			v := VCenter{Server: server}
			for d := range strings.SplitSeq(domains, ",") {
				name, store, _ := strings.Cut(d, "=")
				v.FailureDomains = append(v.FailureDomains, FailureDomain{Name: name, Datacenter: "/DC", Datastore: store})
			}
			s.VCenters = append(s.VCenters, v)
		}
		return s
	}
	for name, c := range map[string]struct {
		file, cluster         []string
		coming, staying       string
		other                 int
		tooMany, comingAndOut bool
	}{
		"alike":              {file: []string{"vc1:a", "vc2:b"}, cluster: []string{"vc2:b", "vc1:a"}},
		"a vCenter comes":    {file: []string{"vc1:a", "vc2:b"}, cluster: []string{"vc1:a"}, coming: "[vCenter vc2]"},
		"a vCenter goes":     {file: []string{"vc1:a"}, cluster: []string{"vc1:a", "vc2:b"}, staying: "[vCenter vc2]"},
		"a domain comes":     {file: []string{"vc1:a,b"}, cluster: []string{"vc1:a"}, coming: "[failure domain b of vc1]"},
		"a domain goes":      {file: []string{"vc1:a"}, cluster: []string{"vc1:a,b"}, staying: "[failure domain b of vc1]"},
		"another datastore":  {file: []string{"vc1:a=x"}, cluster: []string{"vc1:a=y"}, other: 1},
		"in one update":      {file: []string{"vc1:a", "vc2:b"}, cluster: []string{"vc1:a", "vc3:c"}, coming: "[vCenter vc2]", staying: "[vCenter vc3]", comingAndOut: true},
		"domain for vCenter": {file: []string{"vc1:a,c"}, cluster: []string{"vc1:a", "vc2:b"}, coming: "[failure domain c of vc1]", staying: "[vCenter vc2]"},
		"a fourth": {
			file: []string{"vc1:a", "vc2:b", "vc3:c", "vc4:d"}, cluster: []string{"vc1:a", "vc2:b", "vc3:c"},
			coming: "[vCenter vc4]", tooMany: true,
		},
	} {
		file := of("c", c.file...)
		transition, err := file.Towards(of("c", c.cluster...))
		if err != nil {
			t.Fatal(name, err)
		}
		text := func(parts []Part) string {
			if len(parts) == 0 {
				return ""
			}
			return fmt.Sprint(parts)
		}
		tooMany, both := transition.Refused(file)
		if text(transition.Coming) != c.coming || text(transition.Staying) != c.staying || len(transition.Other) != c.other || tooMany != c.tooMany || both != c.comingAndOut {
			t.Errorf("%s: %+v, %v, %v", name, transition, tooMany, both)
		}
	}
	whole := of("c", "vc1:a", "vc2:b")
	narrowed := *whole
	narrowed.Before, narrowed.VCenters = whole, slices.Clone(whole.VCenters[:1])
	if transition, err := narrowed.Towards(whole); err != nil || len(transition.Staying) > 0 {
		t.Errorf("narrowed: %+v, %v", transition, err)
	}
	if _, err := whole.Towards(of("d", "vc1:a")); err == nil {
		t.Error("compared with another cluster")
	}
}
