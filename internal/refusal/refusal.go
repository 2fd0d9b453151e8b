// Package refusal reads what a component or tool logged when a vCenter refused it something: which
// privilege it lacks on which object, for what, and which row of a matrix grants it. It hands on
// names only, because a log may hold anything.
package refusal

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// Refusal is what a log says of one privilege, or of a call whose privilege it does not name.
type Refusal struct {
	Lines     []int          `json:"lines"`     // from 1, in which it is said
	Component component.Name `json:"component"` // who was refused; "" = the text does not tell
	Object    string         `json:"object"`    // as the text names it; "" = it does not
	Call      string         `json:"call"`      // "" = none that is known is named
	// the named one; else those of the call, one of which is missing
	Privileges []string           `json:"privileges"`
	Named      bool               `json:"named"`
	Duties     []*privileges.Duty `json:"-"` // of the component that need it, or make the call
	Rows       []privileges.Row   `json:"-"` // for the component, or for any if it is unknown

	xml bool // it is part of a fault as it goes over the wire
}

// Known is something else that a component says, and what it means.
type Known struct {
	Lines []int `json:"lines"`
	*Saying
}

// refused are the words of an answer that refuses a privilege.
var refused = pattern.Of(`(?i)NoPermission|permission to perform this operation was denied|do not (?:hold|have) (?:the )?privilege|privileges? missing|missing privileges?|missing required privileges?|required privilege|privilegeIds?\b|\b403 forbidden|std\.errors\.unauthorized`)

// entity is an object in a fault's list of missing privileges.
var entity = pattern.Of(`\bentity = `)

// token is a word that may be the id of a privilege, an object or a call.
var (
	idToken     = pattern.Of(`\b[A-Z][A-Za-z]+(?:\.[A-Z][A-Za-z0-9]+)+\b`)
	objectToken = pattern.Of(`\b(Folder|Datacenter|ClusterComputeResource|ComputeResource|ResourcePool|Datastore|StoragePod|Network|DistributedVirtualPortgroup|DistributedVirtualSwitch|VmwareDistributedVirtualSwitch|HostSystem|VirtualMachine|VirtualApp)(?::(?:[0-9a-f-]{36}:)?|" ?>|" value="|\b.{0,3}Value:"?)((?:group-[dhnsv]|datacenter-|domain-[cs]|resgroup-|datastore-|network-|dvportgroup-|dvs-|host-|vm-)[0-9]+)`)
	objectWords = pattern.Of(`(?i)(?:privileges? missing|missing(?: required)? privileges?) (?:for|on|in) ((?:vSphere )?[A-Za-z][A-Za-z -]{2,40}?(?: "?[^":,]{1,80}"?)?)\s*:`)
	objectID    = pattern.Of(`(?i)managed object (?:with )?id:? ?['"]?(?:[a-z]+-)?((?:group-[dhnsv]|datacenter-|domain-[cs]|resgroup-|datastore-|network-|dvportgroup-|dvs-|host-|vm-)[0-9]+)\b`)
	xmlObject   = pattern.Of(`<(?:\w+:)?(?:object|entity)\b[^>]*\btype="(\w+)"[^>]*>([\w-]+)<`)
)

// logged are the words by which a line tells who wrote it.
var logged = []struct {
	component component.Name
	words     func() *regexp.Regexp
}{
	{component.Diagnostics, pattern.Of(`(?i)vsphere-problem-detector|\bCheck(?:AccountPermissions|DefaultDatastore|StorageClasses|ResourcePoolPermissions|ComputeClusterPermissions|FolderPermissions|TaskPermissions|ZoneTags)\b|VSphereOpenshift(?:Cluster|Node)HealthFail`)},
	{component.CSIDriver, pattern.Of(`(?i)csi[-.]vsphere|vsphere[-.]csi|vsphere-syncer|\bcns ?[A-Z]\w+|storageclass_?controller|failed to (?:create|attach|detach|delete|expand) (?:cns )?volume`)},
	{component.CloudController, pattern.Of(`(?i)cloud-controller-manager|nodemanager|cloudprovider|instances\.go|zones\.go`)},
	{component.ClusterAPI, pattern.Of(`(?i)\bcapv\b|VSphereMachine\b|VSphereVM\b|VSphereCluster\b|cluster-api-provider-vsphere`)},
	{component.MachineAPI, pattern.Of(`(?i)machine-controller|machine-api|machine_controller|machineAPIvSphereProvider|performing SOAP session check|reconciler failed to|\bMachineSet\b|Failed(?:Create|Update|Delete)\b|machine-config|boot ?image`)},
	{component.Installer, pattern.Of(`(?i)openshift-install|platform\.vsphere|level=(?:error|fatal)|terraform|^(?:ERROR|FATAL) `)},
}

// Options steer Read.
type Options struct {
	Matrix     *privileges.Matrix
	Components []component.Name // who may have logged it; empty = anybody
}

// Read finds the refusals of a text, each once, in order, and other known messages.
func Read(text []byte, o Options) (all []*Refusal, known []Known) {
	objects := ""
	at := -9
	for n, line := range records(text) {
		object := objectOf(line)
		if object != "" {
			objects, at = object, n
		}
		for i := range sayings {
			if sayings[i].words().MatchString(line) {
				k := slices.IndexFunc(known, func(k Known) bool { return k.Saying == &sayings[i] })
				if k < 0 {
					k, known = len(known), append(known, Known{Saying: &sayings[i]})
				}
				known[k].Lines = append(known[k].Lines, n)
			}
		}
		if !refused().MatchString(line) {
			continue
		}
		if object == "" && ofFault().MatchString(line) && n-at <= near {
			object = objects
		}
		for _, r := range o.refusals(line, object) {
			i := slices.IndexFunc(all, func(other *Refusal) bool {
				return other.Component == r.Component && slices.Equal(other.Privileges, r.Privileges) &&
					other.Object == r.Object && other.Call == r.Call
			})
			if i < 0 {
				all, i = append(all, r), len(all)
			}
			all[i].Lines = append(all[i].Lines, n)
		}
	}
	return named(all), known
}

// near is how many lines one fault has at most, as it is written over several.
const near = 6

// ofFault is a line that stands in the middle of a fault, whose object and kind other lines have.
var ofFault = pattern.Of(`(?i)privilegeIds?\b`)

// named drops refusals without details that a next line has.
func named(all []*Refusal) []*Refusal {
	follows := func(n int) bool {
		return slices.ContainsFunc(all, func(r *Refusal) bool {
			return r.Named && slices.ContainsFunc(r.Lines, func(line int) bool { return line > n && line <= n+near })
		})
	}
	for _, r := range all {
		if !r.Named && r.Call == "" && r.xml {
			r.Lines = slices.DeleteFunc(r.Lines, follows)
		}
	}
	return slices.DeleteFunc(all, func(r *Refusal) bool { return len(r.Lines) == 0 })
}

// objectOf is the object that a line names; "" = none.
func objectOf(line string) string {
	if m := xmlObject().FindStringSubmatch(line); m != nil {
		return m[1] + ":" + m[2]
	}
	if m := objectToken().FindStringSubmatch(line); m != nil {
		return m[1] + ":" + m[2]
	}
	if m := objectWords().FindStringSubmatch(line); m != nil && visible.Plain(m[1]) {
		return strings.TrimSpace(m[1])
	}
	if m := objectID().FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// refusals are those of one line: one for each privilege that it names, else one for the call.
func (o Options) refusals(line, object string) (all []*Refusal) {
	r := Refusal{Component: o.whoLogged(line), Object: object, Call: callOf(line), xml: strings.Contains(line, "<")}
	if parts := groups(line); parts != nil {
		for _, part := range parts {
			one := o
			if r.Component != "" {
				one.Components = []component.Name{r.Component}
			}
			all = append(all, one.refusals(part, objectOf(part))...)
		}
		return all
	}
	named := privilegesOf(line)
	if len(named) == 0 {
		r.Duties = o.duties(r.Component,
			func(d *privileges.Duty) bool { return r.Call != "" && slices.Contains(d.Calls(), r.Call) })
		needing := r.Duties
		if len(needing) == 0 && r.Call != "" { // what a call needs, it needs of anybody
			needing = Options{}.duties("", func(d *privileges.Duty) bool { return slices.Contains(d.Calls(), r.Call) })
		}
		for _, d := range needing {
			r.Privileges = lists.AppendNew(r.Privileges, d.Privileges(r.Call)...)
		}
		if len(needing) == 0 {
			r.Privileges = ofNoDuty[r.Call]
		}
		r.Rows = o.rows(&r)
		return []*Refusal{&r}
	}
	for _, id := range named {
		one := r
		one.Privileges, one.Named = []string{id}, true
		needing := func(call string) []*privileges.Duty {
			return o.duties(r.Component,
				func(d *privileges.Duty) bool { return slices.Contains(d.Privileges(call), id) })
		}
		one.Duties = needing(r.Call)
		if len(one.Duties) == 0 { // the line names another call than the one that was refused
			one.Duties = needing("")
		}
		one.Rows = o.rows(&one)
		all = append(all, &one)
	}
	return all
}

// groups are the parts of a record that each name an object and its missing privileges, as in
// openshift-install and in a fault of several objects; nil = at most one.
func groups(line string) (parts []string) {
	for _, words := range []*regexp.Regexp{objectWords(), entity()} {
		at := words.FindAllStringIndex(line, -1)
		for i, from := range at {
			to := len(line)
			if i+1 < len(at) {
				to = at[i+1][0]
			}
			if len(at) > 1 {
				parts = append(parts, line[from[0]:to])
			}
		}
	}
	return parts
}

// duties are some of those of the components that a refusal may be of.
func (o Options) duties(logged component.Name, are func(*privileges.Duty) bool) (all []*privileges.Duty) {
	for _, c := range o.who(logged) {
		for _, d := range privileges.Duties(c) {
			if are(d) {
				all = append(all, d)
			}
		}
	}
	return all
}

// rows grant the privileges of a refusal to the components that it may be of.
func (o Options) rows(r *Refusal) (rows []privileges.Row) {
	for _, row := range o.Matrix.Rows {
		if slices.Contains(r.Privileges, row.Privilege) && slices.Contains(o.who(r.Component), row.Component) {
			rows = append(rows, row)
		}
	}
	return rows
}

// who are the components that a refusal may be of.
func (o Options) who(logged component.Name) []component.Name {
	if logged != "" {
		return []component.Name{logged}
	}
	if len(o.Components) > 0 {
		return o.Components
	}
	return component.Names()
}

// whoLogged is the component that a line is of; "" = it does not tell.
func (o Options) whoLogged(line string) component.Name {
	if len(o.Components) == 1 {
		return o.Components[0]
	}
	for _, l := range logged {
		if l.words().MatchString(line) && (len(o.Components) == 0 || slices.Contains(o.Components, l.component)) {
			return l.component
		}
	}
	name, _, _ := strings.Cut(loggedFrom().FindString(line), ":")
	if c := cited()[name]; len(o.Components) == 0 || slices.Contains(o.Components, c) {
		return c
	}
	return ""
}

// spelled are the known privileges by the ways in which a text may spell them, the longest first.
var spelled = sync.OnceValue(func() []struct{ text, id string } {
	var all []struct{ text, id string }
	ids := privileges.Catalogue()
	if more, err := privileges.EmbeddedIDs(); err == nil {
		ids = lists.AppendNew(ids, more...)
	}
	for _, id := range ids {
		if label := privileges.UIName(id); label != "" {
			all = append(all, struct{ text, id string }{normal(label), id})
		}
	}
	slices.SortStableFunc(all,
		func(a, b struct{ text, id string }) int { return cmp.Compare(len(b.text), len(a.text)) })
	return all
})

var separators = pattern.Of(`\s*[>.]\s*|\s+`)

// normal is a text for comparing labels, which the vSphere Client joins by > or dots.
func normal(text string) string { return strings.ToLower(separators().ReplaceAllString(text, " ")) }

// privilegesOf are those that a line names, by id or as the vSphere Client calls them.
func privilegesOf(line string) (ids []string) {
	for _, word := range idToken().FindAllString(line, -1) {
		if slices.Contains(privileges.Catalogue(), word) || privileges.UIName(word) != "" {
			ids = lists.AppendNew(ids, word)
		}
	}
	if len(ids) > 0 {
		return ids
	}
	text := normal(line)
	for _, s := range spelled() {
		if i := strings.Index(text, s.text); i >= 0 {
			ids = lists.AppendNew(ids, s.id)
			text = text[:i] + text[i+len(s.text):] // a longer label holds a shorter one
		}
	}
	return ids
}
