package overview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// names are how the map calls vCenters and roles.
type names struct {
	servers []string                        // in full, safe for a terminal
	short   []string                        // without the domain that all of them share, or in full
	read    []int                           // vCenters whose state is known
	roles   map[string][]ours               // roles of the plan, as readings of their names as ours
	prefix  map[string]bool                 // prefixes of our roles' names before the component
	called  map[account]map[string][]string // the roles that a short name of an account may mean
	own     func(sign string) string        // a sign of ours as it is shown
}

// namesOf calls vCenters by the shortest names that tell them apart.
func namesOf(p *plan.Plan) *names {
	n := namesInFull(p)
	n.short = withoutDomain(n.servers)
	return n
}

// namesInFull calls vCenters by their whole names, for readers who know others of the same name.
func namesInFull(p *plan.Plan) *names {
	n := &names{roles: map[string][]ours{}, prefix: map[string]bool{}, called: map[account]map[string][]string{}}
	n.own = func(sign string) string { return sign }
	for i, v := range p.VCenters {
		n.servers = append(n.servers, label(v.Server))
		if v.Error == "" {
			n.read = append(n.read, i)
		}
	}
	n.short = n.servers
	n.learn(p)
	return n
}

// withoutDomain omits the domain that all host names share.
func withoutDomain(servers []string) []string {
	short := make([]string, len(servers))
	for i, s := range servers {
		host, domain, _ := strings.Cut(s, ".")
		_, first, _ := strings.Cut(servers[0], ".")
		if domain == "" || domain != first || strings.Trim(host, "0123456789") == "" || slices.Contains(short, host) {
			return servers
		}
		short[i] = host
	}
	return short
}

// idle are the vCenters that are read and need no change.
func (n *names) idle(p *plan.Plan) []string {
	var all []string
	for _, i := range n.read {
		if n.idleAt(p, i) {
			all = append(all, n.servers[i])
		}
	}
	return all
}

func (n *names) idleAt(p *plan.Plan, vcenter int) bool {
	return len(p.VCenters[vcenter].Changes) == 0
}

// where says on which vCenters something is, as unbroken words; nothing if there is only one.
func (n *names) where(on []int) []string {
	others := slices.DeleteFunc(slices.Clone(n.read), func(i int) bool { return slices.Contains(on, i) })
	switch all := len(n.read); {
	case len(n.servers) == 1:
		return nil
	case len(others) == 0 && len(on) == all && all > 1:
		return []string{fmt.Sprintf("all %d", all)}
	case len(others) > 0 && len(others) <= 3 && len(on)+len(others) == all && len(on) > 2*len(others):
		return append([]string{fmt.Sprintf("all %d but", all)}, listed(n.shorts(others))...)
	}
	return listed(n.shorts(on))
}

func (n *names) shorts(on []int) []string {
	out := make([]string, len(on))
	for i, v := range on {
		out[i] = n.short[v]
	}
	return out
}

// generated matches the number that a rotation adds to a component's name.
var generated = pattern.Of(`^-[0-9]+\b`)

// frame is the part of an account's name around the component.
type frame struct{ before, after string }

// frames are the ways to read a name as a component's, with what is in each frame.
func frames(name string) map[frame]string {
	all := map[frame]string{}
	for _, c := range component.Names() {
		for tail, at := name, 0; ; {
			i := strings.Index(tail, string(c))
			if i < 0 {
				break
			}
			at += i
			tail = tail[i+len(c):]
			end := at + len(c)
			end += len(generated().FindString(tail))
			if isWord(name, at, end) {
				all[frame{name[:at], name[end:]}] = name[at:end]
			}
			at += len(c)
		}
	}
	return all
}

// isWord reports whether a part of a name is a word of its own.
func isWord(name string, from, to int) bool {
	letter := func(b byte) bool {
		return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
	}
	return (from == 0 || !letter(name[from-1])) && (to == len(name) || !letter(name[to]))
}

// account is a principal; a user and a group may have one name.
type account struct {
	principal string
	group     bool
}

func (a account) String() string {
	if a.group {
		return "group " + label(a.principal)
	}
	return label(a.principal)
}

// heads are the short names of a matrix's accounts, and the omitted frame; "" if none.
func heads(accounts []account) (called map[account]string, around string) {
	times, order := map[frame]int{}, []frame{}
	for _, a := range accounts {
		found := frames(a.principal)
		for _, c := range component.Names() {
			for f, in := range found {
				if a.group || !strings.HasPrefix(in, string(c)) {
					continue
				}
				if times[f]++; times[f] == 1 {
					order = append(order, f)
				}
			}
		}
	}
	slices.SortFunc(order, func(a, b frame) int {
		if d := times[b] - times[a]; d != 0 {
			return d
		}
		return strings.Compare(a.before+"\x00"+a.after, b.before+"\x00"+b.after)
	})
	called = map[account]string{}
	for _, a := range accounts {
		called[a] = a.String()
		if len(order) == 0 || times[order[0]] < 2 || a.group {
			continue
		}
		if in, ok := frames(a.principal)[order[0]]; ok {
			called[a], around = in, label(order[0].before+"*"+order[0].after)
		}
	}
	return called, around
}
