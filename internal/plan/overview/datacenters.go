package overview

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// datacenters are the paths of a vCenter's datacenters, sorted. None is below another.
type datacenters []string

// datacentersOf returns those above objects of changes; none if a path is like a stand-in.
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

// standIn replaces the name of the i-th datacenter where vCenters differ in it.
func (d datacenters) standIn(i int) string {
	if len(d) == 1 {
		return standInMark + ">"
	}
	return fmt.Sprintf("%s %d>", standInMark, i+1)
}

// general is an object's path with stand-ins for datacenters.
func (d datacenters) general(object string) string {
	for i, path := range d {
		if tail, ok := strings.CutPrefix(object, path); ok && (tail == "" || tail[0] == '/') {
			return path[:strings.LastIndex(path, "/")+1] + d.standIn(i) + tail
		}
	}
	return object
}

func (d datacenters) names() []string {
	out := make([]string, len(d))
	for i, path := range d {
		out[i] = label(path[strings.LastIndex(path, "/")+1:])
	}
	return listed(out)
}

// differ reports whether the vCenters of a block have datacenters of different names.
func (b *block) differ() bool {
	return slices.ContainsFunc(b.datacenters, func(d datacenters) bool { return !slices.Equal(d, b.datacenters[0]) })
}

// path is the path of an object of the block on all of its vCenters.
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
	var all []*placedDatacenters
	for i, d := range b.datacenters {
		at := slices.IndexFunc(all, func(p *placedDatacenters) bool { return slices.Equal(p.datacenters, d) })
		if at < 0 {
			at, all = len(all), append(all, &placedDatacenters{datacenters: d})
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
		entry := all[0].words(n)
		run := runOf(len(all), func(i int) (string, string, bool) {
			return all[i].datacenters[0], n.short[all[i].on[0]], all[i].single()
		})
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

// placedDatacenters is datacenters and the vCenters that have them.
type placedDatacenters struct {
	datacenters datacenters
	on          []int
}

func (p *placedDatacenters) words(n *names) []string {
	return append(append(p.datacenters.names(), "on"), n.where(p.on)...)
}

func (p *placedDatacenters) single() bool { return len(p.datacenters) == 1 && len(p.on) == 1 }

// leastRun is how many names are shortened to the first and the last.
const leastRun = 4

// runOf counts how many of the first are numbered alike, one after the other: DC8 on vc8, DC9 on
// vc9; 1 if they are few. at returns the names of the i-th, and false if it has others.
func runOf(all int, at func(i int) (object, on string, single bool)) int {
	var steps [2]string
	run := 1
	for ; run < all; run++ {
		object, on, single := at(run - 1)
		next, nextOn, nextSingle := at(run)
		step := [2]string{stepOf(object, next), stepOf(on, nextOn)}
		if run == 1 {
			steps = step
		}
		if !single || !nextSingle || step != steps || step[0] == "" || step[1] == "" {
			break
		}
	}
	if run < leastRun {
		return 1
	}
	return run
}

var aNumber = pattern.Of(`[0-9]+`)

// stepOf returns the numbers of a name, with leading zeros, that are one higher than before: "01"
// is the second of two; empty if none is, or the names differ otherwise.
func stepOf(before, name string) string {
	was, is := aNumber().FindAllString(before, -1), aNumber().FindAllString(name, -1)
	if len(was) != len(is) || before == name ||
		aNumber().ReplaceAllString(before, "0") != aNumber().ReplaceAllString(name, "0") {
		return ""
	}
	var step strings.Builder
	for i := range was {
		value, err := strconv.Atoi(was[i])
		switch {
		case is[i] == was[i]:
			step.WriteByte('0')
		case err == nil && is[i] == fmt.Sprintf("%0*d", len(was[i]), value+1):
			step.WriteByte('1')
		default:
			return ""
		}
	}
	return step.String()
}
