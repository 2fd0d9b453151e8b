package overview_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// aName draws names: short ones, ones of 80 characters, of East Asian scripts, with blanks. None has a sign of the map in it.
func aName() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,8}[0-9]{2}`),
		rapid.StringMatching(`[a-z][0-9]{79}`),
		rapid.StringMatching(`[管理者データ]{2,30}[0-9]{2}`),
		rapid.StringMatching(`[A-Z][a-z]{1,6} [a-z]{1,6}[0-9]`),
	)
}

func aRole() *rapid.Generator[string] {
	return rapid.OneOf(rapid.Just("ReadOnly"), aName(), rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("openshift-%s-%s-%s", rapid.SampledFrom(component.Names()).Draw(t, "of"),
			rapid.SampledFrom([]string{"read", "folder", "cluster-resource-pool"}).Draw(t, "for"), rapid.SampledFrom([]string{"aaaaaa", "123abc"}).Draw(t, "digest"))
	}))
}

func aPrincipal() *rapid.Generator[string] {
	return rapid.OneOf(aName(), rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("ocp-c-%s%s@%s", rapid.SampledFrom(component.Names()).Draw(t, "of"), rapid.SampledFrom([]string{"", "-2"}).Draw(t, "generation"),
			rapid.SampledFrom([]string{"vsphere.local", "lab.local"}).Draw(t, "domain"))
	}))
}

func aPath() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{"DC1", "DC1", "DC2", "vm", "host"}), aName()), 0, 4).Draw(t, "path"), "/")
	})
}

func anID() *rapid.Generator[string] {
	return rapid.StringMatching(`[A-Z][a-z]{3,12}\.[A-Z][a-z]{3,20}[0-9]`)
}

func aState(t *rapid.T, kind plan.Kind) plan.State {
	switch kind {
	case plan.Role:
		return plan.RoleState{Privileges: rapid.SliceOfNDistinct(anID(), 0, 5, rapid.ID).Draw(t, "ids")}
	case plan.User:
		u := plan.UserState{Description: "d", Disabled: rapid.Bool().Draw(t, "disabled"), NewPassword: rapid.Bool().Draw(t, "password")}
		if rapid.Bool().Draw(t, "replaces") {
			u = plan.UserState{Description: "d", InsteadOf: aPrincipal().Draw(t, "replaced")}
		}
		return u
	case plan.Permission:
		return plan.PermissionState{Role: aRole().Draw(t, "role"), Propagate: rapid.Bool().Draw(t, "propagate")}
	}
	return nil
}

func aChange(i int) *rapid.Generator[*plan.Change] {
	return rapid.Custom(func(t *rapid.T) *plan.Change {
		c := &plan.Change{
			Kind: rapid.SampledFrom([]plan.Kind{plan.Folder, plan.Role, plan.User, plan.Permission, plan.Permission, plan.Permission}).Draw(t, "kind"),
			Verb: rapid.SampledFrom([]plan.Verb{plan.Create, plan.Update, plan.Delete}).Draw(t, "verb"),
		}
		if rapid.Bool().Draw(t, "noted") {
			c.Note = fmt.Sprintf("because%d of so", i)
		}
		switch c.Kind {
		case plan.Permission:
			c.Object, c.Principal, c.Group = aPath().Draw(t, "object"), aPrincipal().Draw(t, "principal"), rapid.Bool().Draw(t, "group")
			if parts := strings.SplitN(c.Object, "/", 3); len(parts) == 3 && strings.HasPrefix(parts[1], "DC") && rapid.Bool().Draw(t, "below a datacenter") {
				c.Datacenter = "/" + parts[1]
			}
		case plan.User:
			c.Name = aPrincipal().Draw(t, "name")
		default:
			c.Name = aRole().Draw(t, "name")
		}
		if c.Verb == plan.Update || c.Verb == plan.Delete {
			c.Before = aState(t, c.Kind)
		}
		if c.Verb == plan.Create || c.Verb == plan.Update {
			c.After = aState(t, c.Kind)
		}
		if c.Kind == plan.Permission && c.Before != nil {
			ids := rapid.SliceOfNDistinct(anID(), 0, 5, rapid.ID).Draw(t, "changed")
			c.Gains, c.Loses = ids[:len(ids)/2], ids[len(ids)/2:]
		}
		c.Displaces = c.Verb == plan.Update && rapid.Bool().Draw(t, "displaces")
		return c
	})
}

// aPlan draws plans in which vCenters share changes; each object has one change of a verb on a vCenter.
func aPlan(t *rapid.T) *plan.Plan {
	var pool []*plan.Change
	seen := map[string]bool{}
	for i := range rapid.IntRange(1, 25).Draw(t, "changes") {
		c := aChange(i).Draw(t, "change")
		if key := fmt.Sprint(c.Verb, c.Kind, c.Name, c.Object, c.Principal, c.Group); !seen[key] {
			seen[key] = true
			pool = append(pool, c)
		}
	}
	p := plan.New(rapid.SampledFrom([]string{"c", "", "クラスタ"}).Draw(t, "cluster"))
	codes := rapid.SampledFrom([]finding.Code{finding.StaysBehind, finding.WholeDatacenter, finding.PlanNote})
	n := rapid.OneOf(rapid.IntRange(1, 6), rapid.IntRange(7, 40)).Draw(t, "vCenters")
	numbered := rapid.Bool().Draw(t, "numbered")
	renamed := rapid.SampledFrom([]string{"", "/DC1", "/DC2"}).Draw(t, "renamed")
	suffix := rapid.SampledFrom([]string{"", ".example.com", "." + strings.Repeat("long", 18)}).Draw(t, "domain")
	for i := range n {
		server := fmt.Sprintf("vc%d%s", i, suffix)
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
			p.Add(server, nil, errors.New(server+": down"))
		case 1:
			p.Add(server, rapid.Permutation(pool).Draw(t, "order")[:rapid.IntRange(0, len(pool)).Draw(t, "some")], nil)
		default:
			datacenter := fmt.Sprintf("DC%d", i+5)
			if !numbered {
				datacenter = rapid.OneOf(rapid.SampledFrom([]string{"DC1", "DC5", "DC6"}), aName()).Draw(t, "datacenter")
			}
			p.Add(server, withName(pool, renamed, "/"+datacenter), nil)
		}
		if p.VCenters[i].Error == "" && rapid.Bool().Draw(t, "told") {
			p.Findings = append(p.Findings, tell(server, *aChange(i).Draw(t, "of"), codes.Draw(t, "code"), fmt.Sprintf("so%d it is", i))...)
		}
	}
	return p
}

// withName is changes on a vCenter that calls a datacenter something else; "" = none.
func withName(changes []*plan.Change, from, to string) []*plan.Change {
	out := slices.Clone(changes)
	if from == "" || slices.ContainsFunc(out, func(c *plan.Change) bool { return (c.Object + "/")[:min(len(to)+1, len(c.Object)+1)] == to+"/" }) {
		return out
	}
	for i, c := range out {
		if rest, ok := strings.CutPrefix(c.Object, from); ok && (rest == "" || rest[0] == '/') {
			renamed := *c
			renamed.Object = to + rest
			if c.Datacenter != "" {
				renamed.Datacenter = to
			}
			out[i] = &renamed
		}
	}
	return out
}

// Nothing of a plan is lost in its map: each change is there by name and sign, whole, and each note; no line is longer than it
// has to be for one name.
func TestMapHasAllOfThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := aPlan(t)
		width := rapid.SampledFrom([]int{80, 120, 200, 0}).Draw(t, "width")
		var out strings.Builder
		if err := overview.Renderer(p, overview.Options{Width: width, Privileges: rapid.Bool().Draw(t, "privileges")})(&out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		all := strings.Split(text, "\n")
		holds := func(what string) bool {
			return slices.ContainsFunc(all, func(line string) bool { return strings.Contains(line, what) })
		}
		var long []string
		for _, v := range p.VCenters {
			long = append(long, v.Server)
			if short, _, _ := strings.Cut(v.Server, "."); v.Error != "" && !holds(short) {
				t.Fatalf("%s, which could not be read, is not in\n%s", v.Server, text)
			}
			for _, c := range v.Changes {
				long = append(long, c.Name, c.Object, c.Principal, c.Datacenter)
				for _, s := range []plan.State{c.Before, c.After} {
					if s, ok := s.(plan.PermissionState); ok {
						long = append(long, s.Role)
					}
				}
				name := c.Name
				if u, ok := c.After.(plan.UserState); ok && u.InsteadOf != "" {
					name = u.InsteadOf
					long = append(long, name)
				}
				switch {
				case name != c.Name && !holds(c.Name):
					t.Fatalf("%s, in the place of %s, is not in\n%s", c.Name, name, text)
				case c.Kind != plan.Permission && !slices.ContainsFunc(all, func(line string) bool {
					return line == c.Sign()+" "+name || strings.HasPrefix(line, c.Sign()+" "+name+"  ")
				}):
					t.Fatalf("%s is not in\n%s", c.Line(), text)
				case c.Kind == plan.Permission && !holds(lastOf(c.Object)) && !inRun(text, c.Object, v.Server):
					t.Fatalf("%s is not in\n%s", c.Object, text)
				}
				if first, _, _ := strings.Cut(c.Note, " "); !holds(first) {
					t.Fatalf("%q is not in\n%s", c.Note, text)
				}
			}
		}
		for _, f := range p.Findings {
			if long = append(long, f.Object.Name, f.Object.Path, f.Object.Principal); !holds(f.Object.Name) || !holds(f.Object.Principal) {
				t.Fatalf("what %q is about is not in\n%s", f.Text, text)
			}
			if first, _, _ := strings.Cut(f.Text, " "); !holds(first) {
				t.Fatalf("%q is not in\n%s", f.Text, text)
			}
		}
		if got, want := marksIn(text), permissionsOf(p); got != want {
			t.Fatalf("%d changes of permissions are shown as %d:\n%s", want, got, text)
		}
		if v := unplaced(p, text); v != "" {
			t.Fatalf("the datacenters of %s are not in\n%s", v, text)
		}
		for _, line := range all {
			if width > 0 && term.Width(line) > width && !slices.ContainsFunc(long, func(name string) bool {
				return term.Width(name)+40 > width && strings.Contains(line, lastOf(name))
			}) {
				t.Fatalf("%d columns, although no name of it is so long: %q in\n%s", term.Width(line), line, text)
			}
		}
	})
}

var (
	aRun   = regexp.MustCompile(`^(/.*) to (/.*) \((\S+) to (\S+)\)`)
	digits = regexp.MustCompile(`[0-9]+`)
)

// inRun reports whether an object on a vCenter is among those that the attention part names by the first and the last of them, or a
// datacenter among those that stand-ins are for.
func inRun(text, object, server string) bool {
	host, _, _ := strings.Cut(server, ".")
	for _, m := range datacenterRun.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
		if within(m[1], lastOf(object), m[2]) && (within(m[3], host, m[4]) || within(m[3], server, m[4])) {
			return true
		}
	}
	_, text, _ = strings.Cut(text, "\nattention\n")
	for _, on := range strings.Split(strings.Join(strings.Fields(text), " "), " on ") {
		for _, entry := range strings.Split(on, ", ") {
			m := aRun.FindStringSubmatch(entry)
			if len(m) == 5 && within(m[1], object, m[2]) && (within(m[3], host, m[4]) || within(m[3], server, m[4])) {
				return true
			}
		}
	}
	return false
}

// within reports whether a name is another one with numbers from those of first to those of last.
func within(first, name, last string) bool {
	a, b, c := digits.FindAllString(first, -1), digits.FindAllString(name, -1), digits.FindAllString(last, -1)
	low := func(x, y string) bool { return len(x) < len(y) || len(x) == len(y) && x <= y }
	for i := range b {
		if len(a) != len(b) || len(c) != len(b) || !low(a[i], b[i]) || !low(b[i], c[i]) {
			return false
		}
	}
	return digits.ReplaceAllString(first, "") == digits.ReplaceAllString(name, "") && digits.ReplaceAllString(last, "") == digits.ReplaceAllString(name, "")
}

// lastOf is what the map has of a path in any case.
func lastOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

var (
	datacenterRun = regexp.MustCompile(`(?:<datacenter[^>]*>:|;) (\S+) to (\S+) on (\S+) to ([^\s;]+)`)

	aCell  = regexp.MustCompile(`  ([+~-]↓?)+( |$)`)
	anItem = regexp.MustCompile(`^  [+~-] `)
)

// marksIn counts the signs of the sheets: cells of a matrix, accounts of a list.
func marksIn(text string) int {
	total, inside, item := 0, false, ""
	flush := func() {
		if item != "" {
			total += strings.Count(item, ",") + 1
		}
		item = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "permissions" || strings.HasPrefix(line, "permissions "):
			inside = true
		case strings.HasPrefix(line, "+ create") || strings.HasPrefix(line, "~ update") || strings.HasPrefix(line, "- delete"):
			flush()
			inside = false
		case !inside:
		case anItem.MatchString(line):
			flush()
			item = line
		case item != "" && strings.HasPrefix(line, "    "):
			item += line
		default:
			flush()
			for _, cell := range aCell.FindAllString(strings.ReplaceAll(line, "  ", "    "), -1) {
				total += strings.Count(cell, "+") + strings.Count(cell, "~") + strings.Count(cell, "-")
			}
		}
	}
	return total
}
