package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Difference is a place where two plans differ. A side that says nothing there is empty.
type Difference struct {
	Server     string
	File, Live string // a change in one line, without control characters
}

// Differences compares a file's plan with one made now: every vCenter with its instance UUID and
// error, what every change does, and their order; nil if both do the same. Findings may differ.
func Differences(file, live *Plan) []Difference {
	var all []Difference
	if file.Cluster != live.Cluster {
		all = append(all, Difference{File: term.Line("cluster " + file.Cluster), Live: term.Line("cluster " + live.Cluster)})
	}
	for i := range max(len(file.VCenters), len(live.VCenters)) {
		f, l := at(file.VCenters, i), at(live.VCenters, i)
		switch {
		case f == nil:
			all = append(all, Difference{Server: term.Line(l.Server), Live: "this vCenter"})
		case l == nil || f.Server != l.Server:
			all = append(all, Difference{Server: term.Line(f.Server), File: "this vCenter"})
		default:
			all = append(all, f.differences(l)...)
		}
	}
	return all
}

func at(vcenters []*VCenter, i int) *VCenter {
	if i < len(vcenters) {
		return vcenters[i]
	}
	return nil
}

func (v *VCenter) differences(live *VCenter) []Difference {
	var all []Difference
	differ := func(file, live string) {
		all = append(all, Difference{Server: term.Line(v.Server), File: term.Line(file), Live: term.Line(live)})
	}
	if v.InstanceUUID != live.InstanceUUID {
		differ("instance UUID "+v.InstanceUUID, "instance UUID "+live.InstanceUUID)
	}
	if v.Error != live.Error {
		differ("error "+v.Error, "error "+live.Error)
	}
	deeds, others, otherDeeds := deedsOf(v.Changes), slices.Clone(live.Changes), deedsOf(live.Changes)
	if slices.Equal(deeds, otherDeeds) {
		return all
	}
	for i, c := range v.Changes {
		at := slices.Index(otherDeeds, deeds[i])
		if at < 0 {
			at = slices.IndexFunc(others, func(l *Change) bool { return c.Subject() == l.Subject() })
		}
		if at < 0 {
			differ(c.text(), "")
			continue
		}
		if deeds[i] != otherDeeds[at] {
			differ(tellDifference(c, others[at]))
		}
		others, otherDeeds = slices.Delete(others, at, at+1), slices.Delete(otherDeeds, at, at+1)
	}
	for _, l := range others {
		differ("", l.text())
	}
	if len(all) == 0 { // the same changes: their order differs
		i, other := 0, deedsOf(live.Changes)
		for deeds[i] == other[i] {
			i++
		}
		differ("first "+v.Changes[i].text(), "first "+live.Changes[i].text())
	}
	return all
}

func deedsOf(changes []*Change) []string {
	deeds := make([]string, len(changes))
	for i, c := range changes {
		deeds[i] = c.deed()
	}
	return deeds
}

func (c *Change) text() string { return c.Sign() + " " + c.Line() }

// tellDifference describes two changes of one object by their lines, and where these are alike by what
// the others hide.
func tellDifference(file, live *Change) (string, string) {
	f, l := file.text(), live.text()
	if f != l {
		return f, l
	}
	values, valuesLive := file.values(), live.values()
	onlyFile, onlyLive := lists.Without(values, valuesLive), lists.Without(valuesLive, values)
	if len(onlyFile)+len(onlyLive) == 0 { // the same values in other places
		return file.deed(), live.deed()
	}
	return f + with(onlyFile), l + with(onlyLive)
}

func with(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return ", with " + strings.Join(values, ", ")
}

// values are those of a deed: privileges, and others with their names.
func (c *Change) values() (all []string) {
	var add func(name string, v any)
	add = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, v := range v {
				add(name+key+" ", v)
			}
		case []any:
			for _, v := range v {
				add("", v)
			}
		default:
			all = lists.AppendNew(all, name+fmt.Sprint(v))
		}
	}
	var deed any
	if err := json.Unmarshal([]byte(c.deed()), &deed); err != nil { // it was written just now
		panic(fmt.Sprintf("plan: compare: %v", err))
	}
	add("", deed)
	slices.Sort(all)
	return all
}

// deed is all that a change does, without remarks.
func (c *Change) deed() string {
	plain := *c
	plain.Note, plain.Displaced, plain.Remark = "", nil, ""
	data, err := json.Marshal(&plain)
	if err != nil { // only unmarshalable types in Before or After fail
		panic(fmt.Sprintf("plan: compare: %v", err))
	}
	return string(data)
}

// afterDisabling is the deed without whether an account that goes is disabled: the plan disables it
// before.
func (c *Change) afterDisabling() string {
	before, is := c.Before.(UserState)
	if !is || c.Verb != Delete {
		return c.deed()
	}
	plain := *c
	before.Disabled = false
	plain.Before = before
	return plain.deed()
}

// Made returns the changes of a file's plan, by server, that a plan made now lacks. ok is false if
// the live one is not the rest of the file's: it has other changes or order.
func Made(file, live *Plan) (made map[string][]*Change, ok bool) {
	if len(file.VCenters) != len(live.VCenters) || file.Cluster != live.Cluster {
		return nil, false
	}
	made = map[string][]*Change{}
	for i, f := range file.VCenters {
		l := live.VCenters[i]
		if f.Server != l.Server {
			return nil, false
		}
		if l.Error != "" {
			continue
		}
		if f.InstanceUUID != l.InstanceUUID {
			return nil, false
		}
		remaining := slices.DeleteFunc(slices.Clone(l.Changes), func(c *Change) bool { return file.handedOn(c, f, live) })
		for _, c := range f.Changes {
			if len(remaining) > 0 && remaining[0].afterDisabling() == c.afterDisabling() {
				remaining = remaining[1:]
			} else {
				made[f.Server] = append(made[f.Server], c)
			}
		}
		if len(remaining) > 0 {
			return nil, false
		}
	}
	return made, true
}

// handedOn reports whether the vCenter where the file has the domain's change could not be read now.
func (p *Plan) handedOn(c *Change, at *VCenter, live *Plan) bool {
	if !c.Kind.OfDomain() {
		return false
	}
	for i, v := range p.VCenters {
		if live.VCenters[i].Error != "" && p.sharing(v.Server, at.Server) &&
			slices.ContainsFunc(v.Changes, func(first *Change) bool { return first.deed() == c.deed() }) {
			return true
		}
	}
	return false
}

// sharing reports whether two vCenters are of one SSO domain.
func (p *Plan) sharing(a, b string) bool {
	return slices.ContainsFunc(p.Domains,
		func(d Domain) bool { return slices.Contains(d.VCenters, a) && slices.Contains(d.VCenters, b) })
}
