package overview

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// datacenters are the inventory paths of those of one vCenter, sorted. None is below another one.
type datacenters []string

// datacentersOf are those that objects of changes are below; none where one of them, or an object, could be taken for another
// one under the names that standIn gives.
func datacentersOf(changes []*plan.Change) datacenters {
	var all datacenters
	for _, c := range changes {
		if strings.Contains(c.Object, standInMark) {
			return nil
		}
		if c.Datacenter != "" && strings.HasPrefix(c.Object, c.Datacenter+"/") {
			all = append(all, c.Datacenter)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, d := range all {
		if slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, d+"/") }) {
			return nil
		}
	}
	return all
}

const standInMark = "<datacenter"

// standIn is what stands for the name of the i-th where vCenters differ in it.
func (d datacenters) standIn(i int) string {
	if len(d) == 1 {
		return standInMark + ">"
	}
	return fmt.Sprintf("%s %d>", standInMark, i+1)
}

// general is an object's path with the names of datacenters left open.
func (d datacenters) general(object string) string {
	for i, path := range d {
		if rest, ok := strings.CutPrefix(object, path); ok && (rest == "" || rest[0] == '/') {
			return path[:strings.LastIndex(path, "/")+1] + d.standIn(i) + rest
		}
	}
	return object
}

// names are what standIn stands for.
func (d datacenters) names() []string {
	out := make([]string, len(d))
	for i, path := range d {
		out[i] = label(path[strings.LastIndex(path, "/")+1:])
	}
	return listed(out)
}

// differ tells whether the vCenters of a block have datacenters of different names.
func (b *block) differ() bool {
	return slices.ContainsFunc(b.datacenters, func(d datacenters) bool { return !slices.Equal(d, b.datacenters[0]) })
}

// path is what an object of the block's changes is called on all of its vCenters.
func (b *block) path(object string) string {
	if b.differ() {
		return b.datacenters[0].general(object)
	}
	return object
}

// drawDatacenters says which vCenter has which datacenter, where they differ.
func (b *block) drawDatacenters(c *canvas, n *names) {
	if !b.differ() {
		return
	}
	var all []*placed
	for i, d := range b.datacenters {
		at := slices.IndexFunc(all, func(p *placed) bool { return slices.Equal(p.datacenters, d) })
		if at < 0 {
			at, all = len(all), append(all, &placed{datacenters: d})
		}
		all[at].on = append(all[at].on, b.on[i])
	}
	first := b.datacenters[0]
	var line []string
	for i := range first {
		line = append(line, first.standIn(i))
	}
	line = listed(line)
	line[len(line)-1] += ":"
	for len(all) > 0 {
		entry, run := all[0].words(n), runOf(all, n)
		if run > 1 {
			last := all[run-1].words(n)
			entry = []string{entry[0], "to", last[0], "on", entry[2], "to", last[2]}
		}
		if all = all[run:]; len(all) > 0 {
			entry[len(entry)-1] += ";"
		}
		if whole := strings.Join(entry, " "); c.fits(2 + term.Width(whole)) {
			entry = []string{whole}
		}
		line = append(line, entry...)
	}
	c.fill(0, 2, line...)
}

// placed is datacenters and the vCenters that have them.
type placed struct {
	datacenters datacenters
	on          []int
}

func (p *placed) words(n *names) []string {
	return append(append(p.datacenters.names(), "on"), n.where(p.on)...)
}

// single tells whether it is one datacenter on one vCenter.
func (p *placed) single() bool { return len(p.datacenters) == 1 && len(p.on) == 1 }

// leastRun is how many names are told by the first and the last of them.
const leastRun = 4

// runOf is how many of the first are numbered alike, one after the other: DC8 on vc8, DC9 on vc9. It is 1 where they are few.
func runOf(all []*placed, n *names) int {
	longest := 1
	for of := range numbers(all[0].datacenters[0]) {
		for on := range numbers(n.short[all[0].on[0]]) {
			i := 1
			for i < len(all) && all[i-1].single() && all[i].single() &&
				follows(all[i-1].datacenters[0], all[i].datacenters[0], of) && follows(n.short[all[i-1].on[0]], n.short[all[i].on[0]], on) {
				i++
			}
			longest = max(longest, i)
		}
	}
	if longest < leastRun {
		return 1
	}
	return longest
}

var aNumber = regexp.MustCompile(`[0-9]+`)

// numbers are where those of a name are.
func numbers(name string) [][]int { return aNumber.FindAllStringIndex(name, -1) }

// follows tells whether a name is another one with its i-th number, which may have zeros before it, one higher.
func follows(before, name string, i int) bool {
	all := numbers(before)
	if i >= len(all) {
		return false
	}
	from, to := all[i][0], all[i][1]
	value, err := strconv.Atoi(before[from:to])
	return err == nil && name == before[:from]+fmt.Sprintf("%0*d", to-from, value+1)+before[to:]
}
