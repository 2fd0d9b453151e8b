package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Complete derives what takes all vCenters: differences, controls and limits.
func (r *Report) Complete() {
	r.administering()
	r.Differences = r.between()
	r.Findings = slices.Concat(r.unapproved(), r.strangers(), r.lapsed())
	r.Controls = controls(r)
	r.Findings = append(r.Findings, r.unused()...)
	r.Limits = r.limits()
}

// limits are what the report cannot show, so that silence is not taken for proof.
func (r *Report) limits() []string {
	all := []string{
		"It shows what was so when it was made. Between two reports it knows only what the vCenters logged.",
		"Permissions are read of vCenters alone: rights inside guest operating systems, of ESXi hosts, storage and networks are not part of it.",
	}
	if r.Scope.Partial {
		all = append(all, fmt.Sprintf("It is about a part of the cluster: components %s on %s", strings.Join(r.Scope.Components, ", "), strings.Join(r.Scope.VCenters, ", ")))
	}
	all = append(all, "Permissions of others are listed on the objects of the map, on templates of machines and above them, not below: 'permissions list --all' shows whose permissions stand where.")
	var texts []string
	servers := map[string][]string{} // by text
	say := func(server, text string) {
		texts = lists.AppendNew(texts, text)
		servers[text] = lists.AppendNew(servers[text], server)
	}
	for _, v := range r.VCenters {
		if v.Usage != nil && v.Usage.Error != "" {
			say(v.Server, "what was used is not known: "+v.Usage.Error)
		}
		if v.Error != "" {
			say(v.Server, "not read to the end: "+v.Error)
		}
		for _, n := range v.Notes {
			say(v.Server, n)
		}
		switch h := v.History; {
		case h.Unknown != "":
			say(v.Server, "changes of permissions and roles are not known: "+h.Unknown)
		case h.RetentionDays != nil:
			say(v.Server, fmt.Sprintf("events are deleted after %s: what changed before is not known", term.Count(*h.RetentionDays, "day")))
		}
		if v.History.More {
			say(v.Server, "there are more events than were read: the latest are shown")
		}
	}
	if r.Verification != nil {
		for _, server := range r.Verification.Incomplete {
			say(server, "the accounts of its SSO domain were not read, which this administrator's login may not")
		}
	}
	for _, text := range texts {
		all = append(all, strings.Join(servers[text], ", ")+": "+text)
	}
	if r.Verification != nil {
		if n := r.Verification.Summary.Computed; n > 0 {
			all = append(all, fmt.Sprintf("%d of %d accounts did not log in: what they may do was computed by their vCenter, not proved", n, r.Verification.Summary.Accounts))
		}
	}
	if !r.Scope.Secrets {
		all = append(all, "The secrets of the cluster were not looked at: which account a component uses is not known from them (--secrets)")
	}
	return all
}

// fact is something that a report says of a vCenter, in few words. Reports are compared by them.
type fact struct{ server, what, value string }

// facts are all statements that can change: accounts, permissions, roles, findings, administrators.
func (r *Report) facts() []fact {
	all := []fact{{"", "matrix", strings.TrimSpace(r.Scope.Matrix + " " + r.Scope.Digest[:min(len(r.Scope.Digest), 12)])}, {"", "profile", r.Scope.Profile}}
	for _, v := range r.VCenters {
		all = append(all, fact{v.Server, "release", v.Version}, fact{v.Server, "instance UUID", v.InstanceUUID})
		for _, a := range v.Accounts {
			all = append(all, fact{v.Server, "account " + a.Principal, strings.Join(append([]string{a.Stage}, a.States...), ", ")})
			if a.Stage == inspect.StageInUse {
				all = append(all, fact{v.Server, "account of " + a.Component, a.Principal})
			}
			if len(a.Secrets) > 0 {
				all = append(all, fact{v.Server, "secrets with " + a.Principal, strings.Join(a.Secrets, ", ")})
			}
		}
		for _, a := range v.Administrators {
			value := a.How
			if a.Group && a.Unknown == "" {
				value += ": " + strings.Join(a.Members, ", ")
			}
			all = append(all, fact{v.Server, "administrator " + a.Principal, value})
		}
		for _, g := range v.Global {
			all = append(all, fact{v.Server, "global permission of " + g.Principal, g.Role + arrow(g.Propagate)})
		}
		for _, o := range v.Others {
			all = append(all, fact{v.Server, ofOthers + whom(o.Principal, o.Group) + " on " + o.Object, o.Role + arrow(o.Propagate) + ": " + o.Allows})
		}
		all = append(all, v.permissions()...)
	}
	for _, f := range r.foundRows() {
		server := ""
		if len(f.Servers) == 1 {
			server = f.Servers[0]
		}
		if allowing[f.Code] != AllowStrangers { // said above
			all = append(all, fact{server, "finding " + string(f.Code) + " " + f.Subject, f.Text})
		}
	}
	for _, c := range r.Controls {
		all = append(all, fact{"", ofControl + c.name(), c.status()})
	}
	if r.Verification == nil {
		return all
	}
	for _, v := range r.Verification.VCenters {
		for _, a := range v.Accounts {
			all = append(all, fact{v.Server, "verification of " + a.Principal, verdict(a)})
		}
	}
	return all
}

// ofControl begins the fact that says whether a control is met.
const ofControl = "control "

// ofOthers begins the fact that says what somebody who is not of the cluster holds.
const ofOthers = "others' permission: "

// permissions are the facts of the permission map: what is set on objects.
func (v VCenter) permissions() (all []fact) {
	for _, n := range v.Map {
		for i, c := range n.Cells {
			for _, e := range c.Entries {
				if e.From == "" && e.Through == "" {
					all = append(all, fact{v.Server, "permission of " + v.Columns[i].Principal + " on " + n.Path, held(e)})
				}
			}
		}
	}
	return all
}

// held is a permission in few words, with what was changed about its role.
func held(e Entry) string {
	text := e.Role + arrow(e.Propagate)
	if e.Drift != nil {
		text += ", changed: " + strings.Join(e.Drift, " ")
	}
	return text
}

// administering gives accounts that may do everything that state.
func (r *Report) administering() {
	for _, v := range r.VCenters {
		for i, a := range v.Accounts {
			if r.verified(v.Server, a.Principal).Administrator != "" {
				v.Accounts[i].States = lists.AppendNew(a.States, everything)
			}
		}
	}
}

// everything is the state of an account in a group that administers its vCenter.
const everything = "may do everything"

func verdict(a verify.Account) string {
	var parts []string
	if a.Login != login.OK {
		parts = append(parts, a.Login)
	}
	missing, excess := a.Count()
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d missing", missing))
	}
	if excess > 0 {
		parts = append(parts, fmt.Sprintf("%d in excess", excess))
	}
	if a.Administrator != "" {
		parts = append(parts, everything)
	}
	if len(a.Cannot) > 0 {
		parts = append(parts, fmt.Sprintf("%d duties that it cannot do", len(a.Cannot)))
	}
	if parts == nil {
		return "as the matrix asks"
	}
	return strings.Join(parts, ", ")
}

// Compare says what changed since an earlier report of the same cluster.
func (r *Report) Compare(earlier *Report) {
	r.Since = &Since{Made: earlier.Made, Matrix: earlier.Scope.Matrix, Changes: []Change{}}
	was, is := earlier.facts(), r.facts()
	unread, unseen, unlisted := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, of := range []*Report{r, earlier} {
		for _, v := range of.VCenters {
			unread[v.Server] = unread[v.Server] || v.Error != ""
			unlisted[v.Server] = unlisted[v.Server] || v.Others == nil
		}
		if of.Verification != nil {
			for _, server := range of.Verification.Incomplete {
				unseen[server] = true
			}
		}
	}
	index := func(all []fact) map[[2]string]string {
		values := map[[2]string]string{}
		for _, f := range all {
			values[[2]string{f.server, f.what}] = f.value
		}
		return values
	}
	wasBy, isBy := index(was), index(is)
	unknown := func(f fact) bool { // what one of the two does not know is no change
		at := [2]string{f.server, f.what}
		if strings.HasPrefix(f.what, ofControl) && (wasBy[at] == "" || isBy[at] == "") { // another version of the tool
			return true
		}
		return unread[f.server] || unlisted[f.server] && strings.HasPrefix(f.what, ofOthers) ||
			unseen[f.server] && slices.ContainsFunc([]string{"account ", "secrets ", "administrator ", "verification "},
				func(kind string) bool { return strings.HasPrefix(f.what, kind) })
	}
	for _, f := range is {
		if before, there := wasBy[[2]string{f.server, f.what}]; (!there || before != f.value) && !unknown(f) {
			r.Since.Changes = append(r.Since.Changes, Change{f.server, f.what, before, f.value})
		}
	}
	for _, f := range was {
		if _, there := isBy[[2]string{f.server, f.what}]; !there && !unknown(f) {
			r.Since.Changes = append(r.Since.Changes, Change{f.server, f.what, f.value, ""})
		}
	}
}

// between are the facts in which vCenters differ that should be equal.
func (r *Report) between() []Difference {
	all := []Difference{}
	read := []string{}
	for _, v := range r.VCenters {
		if v.Error == "" {
			read = append(read, v.Server)
		}
	}
	if len(read) < 2 {
		return all
	}
	byWhat := map[string]map[string][]string{} // what → value → servers
	var order []string
	note := func(server, what, value string) {
		if byWhat[what] == nil {
			byWhat[what] = map[string][]string{}
			order = append(order, what)
		}
		byWhat[what][value] = lists.AppendNew(byWhat[what][value], server)
	}
	for _, v := range r.VCenters {
		if v.Error != "" {
			continue
		}
		note(v.Server, "release", v.Version)
		for what, value := range v.roles() {
			note(v.Server, what, value)
		}
		for component, states := range v.states() {
			note(v.Server, "permissions of "+component, states)
		}
		for _, a := range v.Accounts {
			if a.Stage == inspect.StageInUse { // of one that is not known nothing can differ
				name, _, _ := strings.Cut(a.Principal, "@") // domains of SSO may have different names
				note(v.Server, "account of "+a.Component, strings.Join(append([]string{name}, a.States...), ", "))
			}
		}
	}
	for _, d := range r.Domains {
		for _, server := range d.VCenters {
			note(server, "days that a password lasts", fmt.Sprint(d.Password.LifetimeDays))
			note(server, "failed logins that lock", fmt.Sprint(d.Lockout.MaxFailedAttempts))
		}
	}
	if r.Verification != nil {
		for _, v := range r.Verification.VCenters {
			for _, a := range v.Accounts {
				note(v.Server, "verification of "+a.Component, verdict(a))
			}
		}
	}
	slices.Sort(order)
	for _, what := range order {
		d := Difference{What: what}
		missing := slices.Clone(read)
		var values []string
		for value, servers := range byWhat[what] {
			values = append(values, value)
			missing = lists.Without(missing, servers)
		}
		if strings.HasPrefix(what, roleOf) {
			missing = nil // one has a resource pool, the other has none: that is their topology
		}
		if len(values) < 2 && len(missing) == 0 {
			continue
		}
		slices.Sort(values)
		for _, value := range values {
			d.Values = append(d.Values, Value{value, byWhat[what][value]})
		}
		if len(missing) > 0 {
			d.Values = append(d.Values, Value{"none", missing})
		}
		all = append(all, d)
	}
	return all
}

// roleOf begins the fact that says by which role a component holds a scope.
const roleOf = "role of "

// roles are the roles by which components hold a scope, by "role of COMPONENT for SCOPE".
func (v VCenter) roles() map[string]string {
	out := map[string]string{}
	for _, n := range v.Map {
		for i, c := range n.Cells {
			for _, e := range c.Entries {
				if e.From != "" || e.Through != "" ||
					c.State != inspect.PermissionWanted && c.State != inspect.PermissionDiffers {
					continue
				}
				for _, component := range v.Columns[i].Components {
					out[roleOf+component+" for "+cmp.Or(e.Word, e.Role)] = held(Entry{Role: e.Role, Drift: e.Drift})
				}
			}
		}
	}
	return out
}

// states are in which states the permissions of each component are that are not as wanted.
func (v VCenter) states() map[string]string {
	counts := map[string]map[string]int{}
	for _, n := range v.Map {
		for i, c := range n.Cells {
			for _, component := range v.Columns[i].Components {
				if counts[component] == nil {
					counts[component] = map[string]int{}
				}
				if c.State != "" && c.State != inspect.PermissionWanted {
					counts[component][c.State]++
				}
			}
		}
	}
	out := map[string]string{}
	for component, by := range counts {
		var parts []string
		for _, state := range slices.Sorted(maps.Keys(by)) {
			parts = append(parts, fmt.Sprintf("%d %s", by[state], state))
		}
		if out[component] = strings.Join(parts, ", "); parts == nil {
			out[component] = "as wanted"
		}
	}
	return out
}
