package overview

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// sheet is blocks with a column for each account.
type sheet struct {
	blocks  []*block
	columns []account
	heads   map[account]string
	around  string // omitted from the names of accounts
}

// block is the changes of permissions that are the same on some vCenters.
type block struct {
	on          []int
	datacenters []datacenters  // of each of on, which may differ in their names
	changes     []*plan.Change // as they are on the first of on
	objects     []object
}

// object is a row of the tree, with its changes.
type object struct {
	path   string
	label  string // below the nearest parent in the tree
	depth  int
	change map[account][]mark
}

type mark struct {
	sign, role string // role: before and after if both matter
	below      string // the sign that it reaches everything below; "" = it does not
	reached    bool   // before, it did
}

// The signs of tables, as [names.own] shows them.
const (
	down    = "↓"
	to      = " → "
	nothing = "·"
)

func (m mark) String() string { return strings.TrimRight(m.sign+" "+m.role+" "+m.below, " ") }

// drawPermissions draws a sheet for blocks with the same accounts, each once for all its vCenters.
func drawPermissions(c *canvas, p *plan.Plan, n *names) {
	sheets := sheetsOf(p, n)
	layout := (*sheet).wide
	for _, s := range sheets {
		if !s.wideFits(c) {
			layout = (*sheet).narrow
		}
	}
	for _, s := range sheets {
		s.title(c, n)
		if !layout(s, c, n) {
			s.list(c, n)
		}
		c.text("\n")
	}
	legend(c, sheets, n)
}

func blocksOf(p *plan.Plan) []*block {
	var blocks []*block
	known := map[string]*block{}
	for i, v := range p.VCenters {
		mine := slices.DeleteFunc(slices.Clone(v.Changes), func(c *plan.Change) bool { return c.Kind != plan.Permission })
		if len(mine) == 0 {
			continue
		}
		var within datacenters
		if len(p.VCenters) > mostColumns { // few vCenters are shown as they are
			within = datacentersOf(mine)
		}
		key := []string{strconv.Itoa(len(within))}
		for _, c := range mine {
			key = append(key, strings.Join([]string{c.Sign(), within.general(c.Object), c.Principal, c.Detail(), groupWord(c)}, "\x00"))
		}
		slices.Sort(key)
		same := strings.Join(key, "\x01")
		if known[same] == nil {
			known[same] = &block{changes: mine}
			blocks = append(blocks, known[same])
		}
		known[same].on, known[same].datacenters = append(known[same].on, i), append(known[same].datacenters, within)
	}
	return blocks
}

func groupWord(c *plan.Change) string {
	if c.Group {
		return "group"
	}
	return ""
}

func (b *block) accounts() []account {
	var all []account
	for _, c := range b.changes {
		if a := (account{c.Principal, c.Group}); !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// sheetsOf joins the blocks whose accounts have the same short names.
func sheetsOf(p *plan.Plan, n *names) []*sheet {
	var sheets []*sheet
	for _, b := range blocksOf(p) {
		called, around := heads(b.accounts())
		i := slices.IndexFunc(sheets, func(s *sheet) bool {
			return around != "" && s.around == around || around == "" && slices.Equal(s.columns, b.accounts())
		})
		if i < 0 {
			i, sheets = len(sheets), append(sheets, &sheet{heads: map[account]string{}, around: around})
		}
		s := sheets[i]
		s.blocks = append(s.blocks, b)
		for _, a := range b.accounts() {
			if s.heads[a] == "" {
				s.columns, s.heads[a] = append(s.columns, a), called[a]
			}
		}
	}
	for _, s := range sheets {
		slices.SortStableFunc(s.columns, func(x, y account) int { return s.rank(x) - s.rank(y) })
		for _, b := range s.blocks {
			b.grow(n)
		}
	}
	return sheets
}

func (s *sheet) rank(a account) int {
	i := slices.IndexFunc(component.Names(), func(c component.Name) bool { return strings.HasPrefix(s.heads[a], string(c)) })
	if i < 0 {
		return len(component.Names())
	}
	return i
}

func (b *block) grow(n *names) {
	on := map[string]map[account][]mark{}
	for _, c := range b.changes {
		path, a := b.path(c.Object), account{c.Principal, c.Group}
		if on[path] == nil {
			on[path] = map[account][]mark{}
		}
		on[path][a] = append(on[path][a], markOf(c, n))
	}
	paths := slices.SortedFunc(maps.Keys(on), func(a, b string) int {
		return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), strings.Compare)
	})
	var above []string
	for _, p := range paths {
		for len(above) > 0 && !strings.HasPrefix(p, above[len(above)-1]+"/") {
			above = above[:len(above)-1]
		}
		o := object{path: p, label: label(p), depth: len(above), change: on[p]}
		if len(above) > 0 {
			o.label = label(strings.TrimPrefix(p, above[len(above)-1]+"/"))
		}
		b.objects = append(b.objects, o)
		if p != "/" {
			above = append(above, p)
		}
	}
}

func markOf(c *plan.Change, n *names) mark {
	of := account{c.Principal, c.Group}
	before, had := c.Before.(plan.PermissionState)
	after, has := c.After.(plan.PermissionState)
	reaches := map[bool]string{true: n.own(down)}
	m := mark{sign: c.Sign(), below: reaches[after.Propagate]}
	switch {
	case had && has:
		from := mark{role: n.role(before.Role, of), below: reaches[before.Propagate]}
		m.role = strings.TrimLeft(from.String(), " ") + n.own(to) + n.role(after.Role, of)
		m.reached = before.Propagate
	case has:
		m.role = n.role(after.Role, of)
	default:
		m.role, m.below = n.role(before.Role, of), reaches[before.Propagate]
	}
	return m
}
