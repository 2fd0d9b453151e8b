package overview_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// permissionsPart is that part of a map, with the legend.
func permissionsPart(text string) string {
	_, part, _ := strings.Cut(text, "\npermissions")
	part, _, _ = strings.Cut(part, "\n\n+ create")
	return "permissions" + part + "\n"
}

// manyDatacenters is a plan on n vCenters whose datacenters have different names, but for the third, which has that of the second.
func manyDatacenters(n int) *plan.Plan {
	p := plan.New("c")
	for i := range n {
		dc := fmt.Sprintf("DC%d", i+1)
		if i == 2 {
			dc = "DC2"
		}
		p.Add(fmt.Sprintf("vc%d.example.com", i+1), part(dc), nil)
	}
	return p
}

// Permissions that differ in nothing but the name of the datacenter are one block on many vCenters; which vCenter has which is
// said above it. Few vCenters are shown as they are.
func TestMapLeavesNamesOfDatacentersOpen(t *testing.T) {
	expect(t, `permissions of ocp-c-*@vsphere.local on all 12 vCenters
<datacenter>: DC1 on vc1; DC2 on vc2, vc3; DC4 to DC12 on vc4 to vc12
                 machine-api  csi-driver
/                + vcenter    + vcenter
/<datacenter>    + read ↓     + read
  datastore/ds1  ·            + datastore
  vm/openshift   + read       ·
    c            + folder ↓   ·
`, permissionsPart(drawn(t, manyDatacenters(12), overview.Options{Width: 80})))
	few := drawn(t, manyDatacenters(4), overview.Options{Width: 80})
	if strings.Contains(few, "<datacenter") || !strings.Contains(few, "\n/DC4 ") {
		t.Error(few)
	}
	full := drawn(t, manyDatacenters(12), overview.Options{Width: 80, Full: true})
	if strings.Contains(full, "<datacenter") || !strings.Contains(full, "on /DC12/datastore/ds1:") {
		t.Error(full)
	}
	page := string(overview.Markdown(manyDatacenters(12), overview.Request{Apply: "apply"}))
	for _, want := range []string{"\n<datacenter>: DC1 on vc1.example.com; DC2 on vc2.example.com, vc3.example.com;\n  DC4 to DC12 on vc4.example.com to vc12.example.com\n", "\n/<datacenter> "} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
}

// A vCenter whose permissions differ otherwise has a block of its own, and its datacenter by name.
func TestMapOfDatacentersThatDiffer(t *testing.T) {
	p := manyDatacenters(6)
	p.VCenters[4].Changes = p.VCenters[4].Changes[:len(p.VCenters[4].Changes)-1]
	expect(t, `permissions of ocp-c-*@vsphere.local
                 machine-api  csi-driver
on 5 vCenters
<datacenter>: DC1 on vc1; DC2 on vc2, vc3; DC4 on vc4; DC6 on vc6
/                + vcenter    + vcenter
/<datacenter>    + read ↓     + read
  datastore/ds1  ·            + datastore
  vm/openshift   + read       ·
    c            + folder ↓   ·

on vc5.example.com
/                + vcenter    + vcenter
/DC5             + read ↓     + read
  datastore/ds1  ·            + datastore
  vm/openshift   + read       ·
`, permissionsPart(drawn(t, p, overview.Options{Width: 80})))
}

// Several datacenters of a vCenter are told apart, and keep the folders that they are in; an object that is called like what
// stands for a datacenter is itself.
func TestMapOfSeveralDatacenters(t *testing.T) {
	in := func(paths ...string) []*plan.Change {
		var all []*plan.Change
		for _, path := range paths {
			self, below := grant(machines, path, "ReadOnly", false), grant(machines, path+"/vm/f", folder, true)
			self.Datacenter, below.Datacenter = "", path
			all = append(all, self, below)
		}
		return all
	}
	p := plan.New("c")
	for i := range 5 {
		p.Add(fmt.Sprintf("vc%d", i), in(fmt.Sprintf("/east/A%d", i/3), fmt.Sprintf("/west/B %d", i)), nil)
	}
	p.Add("vc5", in("/east/<datacenter 1>", "/west/<datacenter 2>"), nil)
	p.Add("vc6", in("/east/C", "/east/C/vm/D"), nil)
	expect(t, `permissions
                      ocp-c-machine-api@vsphere.local
on 5 vCenters
<datacenter 1>, <datacenter 2>: A0, B 0 on vc0; A0, B 1 on vc1; A0, B 2 on vc2;
  A1, B 3 on vc3; A1, B 4 on vc4
/east/<datacenter 1>  + read
  vm/f                + folder ↓
/west/<datacenter 2>  + read
  vm/f                + folder ↓

on vc5
/east/<datacenter 1>  + read
  vm/f                + folder ↓
/west/<datacenter 2>  + read
  vm/f                + folder ↓

on vc6
/east/C               + read
  vm/D                + read
    vm/f              + folder ↓
  vm/f                + folder ↓
`, permissionsPart(drawn(t, p, overview.Options{Width: 80})))
}

// Where datacenters and vCenters are numbered alike, the first and the last of a run stand for all of it.
func TestMapOfNumberedDatacenters(t *testing.T) {
	for want, all := range map[string][][2]string{
		"DC098 to DC101 on vc8-a to vc11-a; X on y":             {{"DC098", "vc8-a"}, {"DC099", "vc9-a"}, {"DC100", "vc10-a"}, {"DC101", "vc11-a"}, {"X", "y"}},
		"D1 on v1; D2 on v2; D3 on v3; D5 on v4; D6 on v6":      {{"D1", "v1"}, {"D2", "v2"}, {"D3", "v3"}, {"D5", "v4"}, {"D6", "v6"}},
		"D1 on 3v1; D2 on 3v3; D3 on 3v5; D4 on 3v7; D5 on 3v9": {{"D1", "3v1"}, {"D2", "3v3"}, {"D3", "3v5"}, {"D4", "3v7"}, {"D5", "3v9"}},
		"D9 on v1; D8 on v2; D7 on v3; D6 on v4; D5 on v5":      {{"D9", "v1"}, {"D8", "v2"}, {"D7", "v3"}, {"D6", "v4"}, {"D5", "v5"}},
		"D1 to D4 on v1r1 to v1r4; D5 on v2r1":                  {{"D1", "v1r1"}, {"D2", "v1r2"}, {"D3", "v1r3"}, {"D4", "v1r4"}, {"D5", "v2r1"}},
		"x1 to x4 on 1v to 4v; 5x on 5v":                        {{"x1", "1v"}, {"x2", "2v"}, {"x3", "3v"}, {"x4", "4v"}, {"5x", "5v"}},
	} {
		p := plan.New("c")
		for _, one := range all {
			p.Add(one[1], part(one[0]), nil)
		}
		if got := permissionsPart(drawn(t, p, overview.Options{})); !strings.Contains(got, "\n<datacenter>: "+want+"\n") {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// Whatever datacenters are called, each vCenter's is said, whole, and nothing is shown twice.
func TestEveryDatacenterIsSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plan.New("c")
		start, suffix := rapid.IntRange(0, 12).Draw(t, "first"), rapid.SampledFrom([]string{"", ".example.com"}).Draw(t, "domain")
		for i := range rapid.IntRange(1, 40).Draw(t, "vCenters") {
			server := fmt.Sprintf("vc%d%s", i, suffix)
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				p.Add(server, nil, errors.New("down"))
			case 1:
				p.Add(server, part(rapid.OneOf(rapid.Just("DC7"), aName()).Draw(t, "datacenter")), nil)
			default:
				p.Add(server, part(fmt.Sprintf("DC%d", start+i)), nil)
			}
		}
		for _, width := range []int{80, 120, 200} {
			var out strings.Builder
			if err := overview.Renderer(p, overview.Options{Width: width})(&out); err != nil {
				t.Fatal(err)
			}
			if v := unplaced(p, out.String()); v != "" {
				t.Fatalf("the datacenter of %s is not in\n%s", v, out.String())
			}
			if got, want := marksIn(out.String()), permissionsOf(p); got != want {
				t.Fatalf("%d changes of permissions are shown as %d:\n%s", want, got, out.String())
			}
		}
	})
}

// treeOf is the permissions of a vCenter, and the names of its datacenters, which are left open in them where there are many
// vCenters.
func treeOf(p *plan.Plan, v *plan.VCenter) (tree []string, names []string) {
	acting := slices.DeleteFunc(slices.Clone(v.Changes), func(c *plan.Change) bool { return c.Kind != plan.Permission })
	for _, c := range acting {
		if c.Datacenter != "" && len(p.VCenters) > 4 {
			names = append(names, c.Datacenter[1:])
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, c := range acting {
		parts := strings.Split(c.Object, "/")
		if i := slices.Index(names, parts[1]); i >= 0 {
			parts[1] = fmt.Sprintf("<%d of %d>", i, len(names))
		}
		tree = append(tree, c.Sign()+fmt.Sprint(parts, c.Principal, c.Group, c.Before, c.After))
	}
	slices.Sort(tree)
	return tree, names
}

// permissionsOf counts the changes of permissions, once for vCenters on which all of them are the same.
func permissionsOf(p *plan.Plan) int {
	seen, total := map[string]bool{}, 0
	for _, v := range p.VCenters {
		tree, _ := treeOf(p, v)
		if key := strings.Join(tree, "\n"); !seen[key] {
			seen[key] = true
			total += len(tree)
		}
	}
	return total
}

// numbered is "DC8 to DC11" as all that it stands for.
func numbered(run string) []string {
	from, to, _ := strings.Cut(strings.TrimSpace(run), " to ")
	prefix := strings.TrimRight(strings.SplitN(from, ".", 2)[0], "0123456789")
	number := strings.SplitN(from[len(prefix):], ".", 2)
	var all []string
	for i, _ := strconv.Atoi(number[0]); len(all) < 100; i++ {
		all = append(all, strings.Join(append([]string{prefix + strconv.Itoa(i)}, number[1:]...), "."))
		if all[len(all)-1] == to {
			return all
		}
	}
	return nil
}

// unplaced is a vCenter whose datacenters a map leaves open without saying which they are; "" = there is none.
func unplaced(p *plan.Plan, text string) string {
	same := map[string]string{} // by tree, the names of one vCenter that has it
	open := map[string]bool{}   // trees that vCenters have with different names
	for _, v := range p.VCenters {
		tree, names := treeOf(p, v)
		key, said := strings.Join(tree, "\n"), strings.Join(names, ", ")
		if before, ok := same[key]; ok && before != said {
			open[key] = true
		}
		same[key] = said
	}
	var entries []string
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "<datacenter"):
			_, line, _ = strings.Cut(line, ":")
			entries = append(entries, line)
		case len(entries) > 0 && len(line) > 2 && strings.HasPrefix(line, "  ") && line[2] != ' ':
			entries[len(entries)-1] += line[1:]
		case len(entries) > 0 && entries[len(entries)-1] != "":
			entries = append(entries, "")
		}
	}
	entries = strings.Split(strings.Join(entries, ";"), ";")
	for _, v := range p.VCenters {
		tree, names := treeOf(p, v)
		host, _, _ := strings.Cut(v.Server, ".")
		says := func(entry string) bool {
			at := strings.LastIndex(entry, " on ")
			if at >= 0 && strings.Contains(entry, " to ") {
				of, on := numbered(entry[:at]), numbered(entry[at+4:])
				i := slices.IndexFunc(on, func(server string) bool { return server == host || server == v.Server })
				return i >= 0 && i < len(of) && of[i] == strings.Join(names, ", ")
			}
			if at < 0 || strings.TrimSpace(entry[:at]) != strings.Join(names, ", ") {
				return false
			}
			on, but, all := strings.Cut(entry[at+4:], " but ")
			listed := on
			if all {
				listed = but
			}
			return slices.Contains(strings.Split(listed, ", "), host) != all || slices.Contains(strings.Split(listed, ", "), v.Server) != all
		}
		if open[strings.Join(tree, "\n")] && !slices.ContainsFunc(entries, says) {
			return v.Server
		}
	}
	return ""
}
