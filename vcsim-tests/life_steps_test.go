package vcsimtests

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// paste is the step of whoever pastes the next command that the last output advised.
const paste = "hint"

// again is the step of whoever types the last command of her own once more.
const again = "again"

// typed are the commands that people type, on the machine where they are. SPEC is the provisioning file there, EMIT what
// they know of their cluster.
var typed = map[string]string{
	"apply":                      program + " apply -f SPEC",
	"apply unasked":              program + " apply --yes -f SPEC",
	"prune unasked":              program + " apply --prune --yes -f SPEC",
	"apply at their word":        program + " apply --yes --applied -f SPEC",
	"plan":                       program + " plan --exit-code -f SPEC",
	"verify":                     program + " verify -f SPEC",
	"prune":                      program + " apply --prune -f SPEC",
	"prune with dump":            "oc get secrets,infrastructures -A -o yaml | " + program + " apply --prune --secrets - -f SPEC",
	"rotate":                     program + " rotate -f SPEC",
	"rotate csi":                 program + " rotate --components csi-driver -f SPEC",
	"rotate installer":           program + " rotate --components installer -f SPEC",
	"rotate two":                 program + " rotate --components machine-api,installer -f SPEC",
	"in place":                   program + " rotate --in-place -f SPEC",
	"in place csi":               program + " rotate --in-place --components csi-driver -f SPEC",
	"undo":                       program + " rotate undo -f SPEC",
	"undo with dump":             "oc get secrets,infrastructures -A -o yaml | " + program + " rotate undo --secrets - -f SPEC",
	"finish":                     program + " rotate finish -f SPEC",
	"finish with dump":           "oc get secrets,infrastructures -A -o yaml | " + program + " rotate finish --secrets - -f SPEC",
	"finish at their word":       program + " rotate finish --applied -f SPEC",
	"status":                     "oc get secrets,infrastructures -A -o yaml | " + program + " rotate status --secrets - -f SPEC",
	"move to the shared account": "oc get secrets,infrastructures -A -o yaml | " + program + " secrets emit EMIT --against - --switch machine-api,csi-driver,cloud-controller,diagnostics,machine-config-operator,cluster-capi-operator --verify -f SPEC | oc apply -f -",
	"deliver":                    program + " secrets emit EMIT -f SPEC | oc apply -f -",
	"prune at their word":        program + " apply --prune --applied -f SPEC",
	"disable csi":                program + " users disable --components csi-driver -f SPEC",
	"disable with dump":          "oc get secrets,infrastructures -A -o yaml | " + program + " users disable --components csi-driver --secrets - -f SPEC",
	"disable installer":          program + " users disable --components installer -f SPEC",
	"enable both":                program + " users enable --components csi-driver,installer -f SPEC",
	"destroy":                    program + " destroy -f SPEC",
	"destroy with dump":          "oc get secrets,infrastructures -A -o yaml | " + program + " destroy --secrets - -f SPEC",
	"destroy at their word":      program + " destroy --applied -f SPEC",
	"reconcile":                  program + " reconcile --from NOW --to NEXT --release 4.23.0 -f SPEC",
	"reconcile prune":            "oc get secrets,infrastructures -A -o yaml | " + program + " reconcile prune --from NOW --to NEXT --secrets - -f SPEC",
	"reconcile back":             "oc get secrets,infrastructures -A -o yaml | " + program + " reconcile prune --from NEXT --to NOW --secrets - -f SPEC",
	"reconcile to fewer":         "oc get secrets,infrastructures -A -o yaml | " + program + " reconcile prune --from NOW --to FEWER --secrets - -f SPEC",
	"import dump":                "oc get secrets,infrastructures -A -o yaml | " + program + " credentials import --secrets - -f SPEC",
}

// deeds are what people do without a command of the tool.
var deeds = map[string]func(*life){
	"unset the variable":  func(l *life) { l.unset = true },
	"set the variable":    func(l *life) { l.unset = false },
	"keep a copy":         func(l *life) { l.copy(l.credentials(), l.at("kept/credentials")) },
	"copy it back":        func(l *life) { l.copy(l.at("kept/credentials"), l.credentials()) },
	"lose the file":       func(l *life) { _ = os.Remove(l.credentials()) },
	"mount the file":      (*life).mount,
	"mount its directory": (*life).unmount,
	"older provisioning file": func(l *life) {
		l.copy(l.on(1, "kept/provisioning.yaml"), l.spec())
		_ = os.Remove(l.recorded())
		clear(l.left)
	},
	"another cluster's dump":       func(l *life) { l.cluster.shows = anotherCluster },
	"another platform's dump":      func(l *life) { l.cluster.shows = anotherPlatform },
	"a dump without kube-system":   func(l *life) { l.cluster.shows = withoutSystem },
	"a dump of the name elsewhere": func(l *life) { l.cluster.shows = anotherOfTheName },
	"other machine":                func(l *life) { l.machine = 3 - l.machine },
	"copy to other": func(l *life) {
		l.hand(l.machine, 3-l.machine, "credentials", "credentials.rotation", "provisioning.yaml", "provisioning.state.yaml")
	},
	"copy from other": func(l *life) { l.hand(3-l.machine, l.machine, "credentials", "credentials.rotation") },
	"drop the second vCenter": func(l *life) {
		if text := l.read(l.spec()); l.world.VCenters > 1 {
			at := strings.Index(text, "- server: vcenter2")
			if at > 0 {
				l.write(l.spec(), text[:at])
				l.left["vcenter2.example.com"] = true
			}
		}
	},
	"a program holds an account":       func(l *life) { l.hold(holders[0]) },
	"the programs are told":            (*life).tell,
	"a configuration holds an account": func(l *life) { l.hold(holders[1]) },
	"another name for a vCenter":       (*life).rename,
	"drop the second failure domain": func(l *life) {
		l.write(l.spec(), strings.Replace(l.read(l.spec()), secondDomain, "", 1))
	},
	"other profile": func(l *life) {
		if l.world.Mode == proposal || l.world.Mode == shared { // the others are in Manual mode
			l.setting("profile: ", proposal, shared)
		}
	},
	"give the own secrets up": func(l *life) { // docs/migration.md, the way back
		root := l.cluster.secrets[rootOfAll]
		if strings.Contains(l.read(l.spec()), "profile: "+shared) && root != nil && strings.Contains(fmt.Sprint(root.Data), "-installer") {
			for _, k := range consumersOf(l.world) {
				delete(l.cluster.secrets, "kube-system/"+k.copied)
			}
			l.cluster.copyToTargets()
		}
	},
	"upgrade the cluster": func(l *life) { // to the release that the specification is reconciled with
		for _, k := range consumersOf(l.world) {
			if !l.specifies(k.name) && k.name == "diagnostics" {
				delete(l.cluster.secrets, k.secret)
				delete(l.cluster.secrets, "kube-system/"+k.copied)
				l.world.Fewer, l.cluster.world.Fewer = true, true
			}
		}
	},
	"matrix: default":          func(l *life) { l.setting("  matrix: ", "default", "default") },
	"matrix: component-scoped": func(l *life) { l.setting("  matrix: ", "component-scoped", "component-scoped") },
	"other matrix":             func(l *life) { l.setting("  matrix: ", "default", "component-scoped") },
	"a group":                  func(l *life) { l.group("ocp csi") },
	"another group":            func(l *life) { l.group("ocp storage") },
	"no group":                 func(l *life) { l.group("") },
	"write the profile down": func(l *life) {
		l.world.ByFlag = false
		l.write(l.spec(), l.specification())
	},
	"write it all again": func(l *life) {
		l.write(l.spec(), l.specification())
		clear(l.left)
	},
}

// kinds are all steps, in an order that stays.
func kinds() []string {
	all := slices.Concat(slices.Sorted(maps.Keys(typed)), slices.Sorted(maps.Keys(deeds)))
	return without(all, []string{"give the own secrets up", "upgrade the cluster", "move to the shared account", "write the profile down", "copy from other", "mount its directory", "matrix: default", "matrix: component-scoped"}) // done for a reason
}

// hand copies files from one machine to another.
func (l *life) hand(from, to int, names ...string) {
	for _, name := range names {
		l.copy(l.on(from, name), l.on(to, name))
	}
}

func (l *life) copy(from, to string) {
	if text := l.read(from); text != "" {
		l.write(to, text)
	}
}

// setting changes a line of the provisioning file from one value to another, or back.
func (l *life) setting(key, one, other string) {
	lines := strings.Split(l.read(l.spec()), "\n")
	for i, line := range lines {
		if value, is := strings.CutPrefix(line, key); is {
			if value == other {
				one, other = other, one
			}
			lines[i] = key + other
		}
	}
	l.write(l.spec(), strings.Join(lines, "\n"))
}

// group names the group of csi-driver, or none; an account that several components share has none.
func (l *life) group(name string) {
	text := l.read(l.spec())
	if strings.Contains(text, "profile: "+shared) || l.world.Mode == shared {
		return
	}
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "components: {") })
	of := ""
	if name != "" {
		of = "memberOf: " + name
	}
	at := slices.Index(lines, "vcenters:")
	if at < 0 {
		return
	}
	l.write(l.spec(), strings.Join(slices.Insert(lines, at,
		"components: {machine-api: {}, csi-driver: {"+of+"}, cloud-controller: {}, diagnostics: {}, installer: {}}"), "\n"))
}

// secondDomain is that of the first vCenter, in whose folder machines are.
const secondDomain = `  - name: zone-legacy
    datacenter: DC1
    computeCluster: /DC1/host/C1
    datastore: /DC1/datastore/other
    networks: ["/DC1/network/VM Network"]
    folder: /DC1/vm/legacy
`

// specification is the provisioning file of this world.
func (l *life) specification() string {
	head := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: cluster1\n"
	if !l.world.ByFlag {
		head += "profile: " + l.world.Mode + "\n"
	}
	if l.world.Root && l.world.Mode == proposal {
		head += "secrets:\n  rootSecret: true\n"
	}
	head += "privileges:\n  matrix: default\nvcenters:\n"
	all := domains(l.lab)
	for i := range all {
		all[i].server = l.called(all[i].server)
	}
	_, vcenters, _ := strings.Cut(provisioning(all), "vcenters:\n")
	if l.world.Machines {
		at := strings.Index(vcenters+"- server: vcenter2", "- server: vcenter2")
		vcenters = vcenters[:at] + secondDomain + vcenters[at:]
	}
	return head + vcenters
}

// settle makes the two machines, the accounts, and a cluster that works with them.
func (l *life) settle() {
	var admins, addresses, prints strings.Builder
	for _, v := range l.lab.VCenters {
		for _, name := range []string{v.Server(), secondName(v.Server())} {
			fmt.Fprintf(&admins, "[%s]\nuser = %s\npassword = `%s`\n", name, v.AdminUser(), v.AdminPassword())
			fmt.Fprintf(&addresses, "- %s=%s\n", name, v.Addr())
			fmt.Fprintf(&prints, "- %s=%s\n", name, v.Thumbprint())
		}
	}
	for _, l.machine = range []int{2, 1} {
		l.write(l.at("home/.keep"), "")
		l.write(l.at("admin.ini"), admins.String())
		l.write(l.at("config.yaml"), fmt.Sprintf("admin-credentials: %s\nconnect-to:\n%sthumbprint:\n%s", l.at("admin.ini"), addresses.String(), prints.String()))
		l.write(l.spec(), l.specification())
	}
	l.copy(l.spec(), l.at("kept/provisioning.yaml"))
	l.writeRequests()
	l.memory = memory{lost: map[string]bool{}, opens: map[string]string{}, dead: map[string]map[string]bool{}, gone: map[string][]string{}}
	install := program + " apply -f SPEC"
	if l.world.ByFlag {
		install += " --profile " + l.world.Mode
	}
	if l.world.Race { // the second machine is faster
		l.meanwhile = func() { l.elsewhere(func() { l.begins(install, typed["deliver"]) }) }
		o, err := l.pasted(l.filled(install))
		l.note(o, err)
		if said := l.judge(o); err != nil || said != "" || o.code == 0 {
			l.t.Fatalf("the second of two first applies: %v %s\n%s", err, said, l.log.String())
		}
		l.last, l.pending = o, adviceIn(o.out)
		return
	}
	l.begins(install, typed["deliver"])
	deeds["keep a copy"](l)
	deeds["copy to other"](l)
}

// elsewhere does something on the other machine.
func (l *life) elsewhere(do func()) {
	l.machine = 3 - l.machine
	do()
	l.machine = 3 - l.machine
}

// begins runs what a world begins with.
func (l *life) begins(lines ...string) {
	for _, line := range lines {
		o, err := l.pasted(l.filled(line))
		l.note(o, err)
		if said := l.judge(o); err != nil || said != "" || o.code != 0 {
			l.t.Fatalf("this world does not begin: %v %s\n%s", err, said, l.log.String())
		}
	}
	for at, st := range l.memory.logins {
		if !st.ok {
			l.t.Fatalf("this world does not begin: %v is refused\n%s", at, l.log.String())
		}
	}
}

// filled completes a line of typed.
func (l *life) filled(line string) string {
	var emit []string
	if l.world.ByFlag {
		emit = append(emit, "--profile", l.world.Mode)
	}
	if l.world.Mode == byHand {
		emit = append(emit, "--credentials-requests", l.requests())
	}
	return strings.Join(strings.Fields(strings.NewReplacer("SPEC", l.spec(), "EMIT", strings.Join(emit, " "), "NOW", l.requests(), "NEXT", l.requests()+"-next", "FEWER", l.requests()+"-fewer").Replace(line)), " ")
}

// step does one, and returns what the law has against it.
func (l *life) step(kind string) string {
	kind, l.kill = killOf(kind)
	defer func() { l.kill = nil }()
	if deed := deeds[kind]; deed != nil {
		fmt.Fprintf(&l.log, "# %s\n", kind)
		deed(l)
		return l.judge(outcome{line: kind})
	}
	switch {
	case kind == again && l.typed == "":
		return ""
	case kind == again:
		return l.do(l.typed)
	case kind != paste:
		l.typed = typed[kind]
		return l.do(l.typed)
	}
	for len(l.pending) > 0 {
		next := l.pending[0]
		l.foremost = next.foremost
		others := l.pending[1:]
		if l.pending = others; next.label == "hint" { // one of several ways
			l.pending = nil
		}
		l.own = false
		if deed, is := strings.CutPrefix(next.line, "# "); is {
			l.last = outcome{line: next.line}
			return l.step(deed)
		}
		said, typed := l.try(next.line)
		if typed {
			return said
		}
		l.pending = others
	}
	return ""
}

// do is a command of the person's own.
func (l *life) do(line string) string {
	l.own = true
	said, typed := l.try(l.filled(line))
	if !typed {
		l.t.Fatalf("%s: %v", line, errNotTyped)
	}
	return said
}

// try pastes a line, unless nobody could.
func (l *life) try(line string) (said string, typed bool) {
	o, err := l.pasted(line)
	if err != nil {
		l.skipped++
		return "", false
	}
	l.note(o, nil)
	if l.last = o; l.own {
		l.pending = nil
	}
	l.pending = append(adviceIn(o.out), l.pending...)
	return l.judge(o), true
}

// note keeps what a reader of a failure needs.
func (l *life) note(o outcome, err error) {
	by := "$"
	if !l.own {
		by = "advised $"
	}
	fmt.Fprintf(&l.log, "%s %s\n", by, o.line)
	if err != nil {
		fmt.Fprintf(&l.log, "%v\n", err)
	}
	text := strings.TrimRight(o.out, "\n")
	if lines := strings.Split(text, "\n"); len(lines) > 20 {
		text = strings.Join(slices.Concat([]string{lines[0], "..."}, lines[len(lines)-18:]), "\n")
	}
	fmt.Fprintf(&l.log, "%s\n[%d]\n", text, o.code)
}
