package vcsimtests

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// leftOut is said of a vCenter that the provisioning file does not name and that uses an account.
var leftOut = regexp.MustCompile(`name \S+ too, in the specification`)

// mountedAlone is said of a credentials file that cannot be replaced.
var mountedAlone = regexp.MustCompile(`it is mounted alone, so it cannot be replaced: mount its directory`)

// known are remedies in words, with what they make a person do.
var remedies = []struct {
	says *regexp.Regexp
	do   func(*life, string) string
}{
	{mountedAlone, func(l *life, _ string) string { return l.step("mount its directory") }},
	{leftOut, func(l *life, _ string) string { return l.step("write it all again") }},
	{regexp.MustCompile(`/provisioning.yaml:\d+: `), func(l *life, _ string) string { return l.step("write it all again") }},
	{regexp.MustCompile(`is the account of profile `), func(l *life, _ string) string { return l.step("write the profile down") }},
	{regexp.MustCompile(`ocp-cluster1-(\D+?)(?:-\d+)?@\S+: unchanged: disabled, but not in the specification`), func(l *life, c string) string {
		return l.do(program + " users enable --components " + c + " -f SPEC")
	}},
	{regexp.MustCompile(`until (?:apply )?--prune|: apply --prune takes them|if no component needs these privileges`), func(l *life, _ string) string {
		return cmp.Or(l.do(typed["deliver"]), l.givesUp())
	}},
	{regexp.MustCompile(`\(([\w-]+)\), its password is not in [^\n]*import its password, and then prune it`), func(l *life, c string) string {
		only := " --components " + c
		return cmp.Or(l.do(program+" credentials import "+l.on(3-l.machine, "credentials")+only), l.do(typed["import dump"]+only), l.givesUp())
	}},
	{regexp.MustCompile(`remove (\S*)user, .*; then set new ones`), func(l *life, key string) string { return l.overtaken(key) }},
	{regexp.MustCompile(`rotate undo --secrets DUMP removes it`), func(l *life, _ string) string { return l.step("undo with dump") }},
	{regexp.MustCompile(`VSPHERE_CREDENTIALS_FILE`), func(l *life, _ string) string { return l.step("set the variable") }},
}

// givesUp frees what the specification has no use for, in the cluster first.
func (l *life) givesUp() string {
	return cmp.Or(l.do(typed["move to the shared account"]), l.step("give the own secrets up"), l.step("upgrade the cluster"), l.do(typed["prune with dump"]))
}

// adviceFollowed is how many commands a person runs before she gives up.
const adviceFollowed = 32

// rest is the fifth check: it follows the advice until there is nothing to change.
func (l *life) rest() string {
	fmt.Fprintf(&l.log, "# rest\n")
	followed := map[string]bool{} // nobody does twice what did not help
	helped := map[string]bool{}   // what did, and where
	for range adviceFollowed {
		state := l.state()
		if len(l.pending) > 0 && l.pending[0].label == "hint" && helped[state+l.pending[0].line] {
			return "law 5: advice goes round: " + l.pending[0].line
		}
		l.pending = slices.DeleteFunc(l.pending, func(a advice) bool { return a.label == "hint" && followed[a.line] })
		var said string
		switch {
		case l.last.plan() && l.last.code == 0 && len(l.pending) == 0 && strings.Contains(l.last.out, "nothing to change"):
			return l.works()
		case l.informed():
			l.last = outcome{}
			clear(followed)
		case mountedAlone.MatchString(l.last.out) && l.last.code != 0 && l.remedied(&said):
			l.last = outcome{}
			clear(followed)
		case len(l.pending) > 0:
			said = l.step(paste)
			followed[l.last.line] = true
			helped[state+l.last.line] = l.last.code == 0 && !l.own && !strings.Contains(l.last.line, " secrets explain ") // a look that two refusals name
		case l.last.code != 0 && (l.last.plan() || leftOut.MatchString(l.last.out)) && l.remedied(&said):
			l.last = outcome{}
			clear(followed)
		case l.last.plan() && l.last.code == 2:
			said = l.do(typed["apply"])
		default:
			said = l.do(typed["plan"])
		}
		if said != "" {
			return said
		}
	}
	return fmt.Sprintf("law 5: %d commands do not end in \"nothing to change\"", adviceFollowed)
}

// state is all that advice may change, in short.
func (l *life) state() string {
	text := l.read(l.spec()) + l.read(l.recorded()) + l.read(l.found()) + l.read(l.found()+".rotation") + l.cluster.dump()
	for _, v := range l.lab.VCenters {
		text += v.Snapshot()
	}
	return fmt.Sprintf("%d %x ", l.machine, sha256.Sum256([]byte(text)))
}

// plan reports whether it was a plan.
func (o outcome) plan() bool { return strings.HasPrefix(o.line, program+" plan ") }

// remedied does what the last output says in words. said is what the law has against it.
func (l *life) remedied(said *string) bool {
	for _, r := range remedies {
		if m := r.says.FindStringSubmatch(l.last.out); m != nil {
			*said = r.do(l, m[len(m)-1])
			return true
		}
	}
	return false
}

// overtaken is what follows where the file is older than the account of a component: the other machine has the file with it,
// or nobody has, and then it goes out of the file and gets a new password.
func (l *life) overtaken(key string) string {
	c := cmp.Or(strings.TrimSuffix(key, "."), "installer")
	newer := regexp.MustCompile(`use the credentials file that has (ocp-cluster1-` + c + `\S*@[^:\s]*)`).FindStringSubmatch(l.last.out)
	if newer != nil && strings.Contains(l.read(l.on(3-l.machine, "credentials")), newer[1]) {
		return l.step("copy from other")
	}
	mine := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(key) + `(user|password) = .*\n`)
	l.write(l.credentials(), mine.ReplaceAllString(l.read(l.credentials()), ""))
	return l.do(program + " rotate --in-place --components " + c + " -f SPEC")
}

// works tells what does not work although nothing is left to do.
func (l *life) works() string {
	plan := l.last
	if said := l.do(typed["deliver"]); said != "" {
		return said
	}
	if strings.Contains(l.last.out, "components that have secrets of their own in the cluster keep their accounts") {
		if said := l.do("oc get secrets,infrastructures -A -o yaml | " + program + " secrets diff EMIT --against - -f SPEC"); said != "" {
			return said
		}
		if m := regexp.MustCompile(`has proved its account: (oc delete secret .*)`).FindStringSubmatch(l.last.out); m != nil {
			if said := l.do(m[1]); said != "" {
				return said
			}
		}
	}
	disabled := strings.Contains(l.read(l.recorded()), "disabled: true")
	for at, st := range l.memory.logins {
		if !st.ok && !disabled && l.specifies(at.name) {
			return fmt.Sprintf("law 5: nothing to change, the secrets are applied, and %s is refused at %s as %s", at.name, at.server, st.user)
		}
	}
	if _, data, _ := l.planned(plan); len(data.left(true, "error", "warning")) > 0 {
		return fmt.Sprintf("law 5: nothing to change, and these are left: %q", data.left(true, "error", "warning"))
	}
	said := l.do(typed["verify"])
	if said == "" && l.last.code != 0 && strings.Contains(l.read(l.spec()), "matrix: default") {
		return fmt.Sprintf("law 5: nothing to change, and verify has exit code %d", l.last.code)
	}
	return said
}

// specifies reports whether the specification has an account for a consumer. After a reconciliation for a release without it the
// cluster of this walk still runs the release before.
func (l *life) specifies(consumer string) bool {
	if slices.ContainsFunc(holders, func(h holder) bool { return h.program == consumer }) {
		return false // nobody tells them
	}
	s, err := spec.Load(l.spec())
	return consumer != "diagnostics" || err != nil || s.Has(component.Diagnostics)
}

var (
	lacks   = regexp.MustCompile(`(?m)^! (.*): (lacks|does not see it)(.*?),? (?:which|that|what|as) (\S+) (?:has|does)$`)
	namedOf = regexp.MustCompile(`\S+@\S+`)
)

// lossesTold are the lines about what new accounts lack, as lines about what those before them lose.
func lossesTold(text string) (all string) {
	for _, m := range lacks.FindAllStringSubmatch(text, -1) {
		what := strings.TrimSpace(m[3])
		switch {
		case m[2] != "lacks":
			what = "its permission and no longer sees it"
		case strings.HasSuffix(what, "privileges"):
			what += " of role"
		}
		all += "! " + namedOf.ReplaceAllString(m[1], m[4]) + ": loses " + what + "\n"
	}
	return all
}

// lifeWalks are walks that failed once.
func lifeWalks() map[string]struct {
	world world
	steps []string
} {
	type row = struct {
		world world
		steps []string
	}
	return map[string]row{
		"all day": {world{VCenters: 1, Mode: proposal}, []string{"apply", "rotate csi", paste, "finish with dump", "plan"}},
		"a matrix with which components cannot work is no reason for new passwords": {world{VCenters: 1, Mode: proposal}, []string{"other matrix", "plan", paste, paste}},
		"an older file brings no removed account back":                              {world{VCenters: 1, Mode: proposal}, []string{"rotate csi", paste, "finish with dump", "copy it back", "plan", "apply"}},
		"an older file brings nothing back after destroy":                           {world{VCenters: 2, Linked: true, Mode: byHand}, []string{"in place", paste, "destroy", "copy it back", "apply"}},
		"new passwords of another machine are seen":                                 {world{VCenters: 1, Mode: scoped}, []string{"in place", "deliver", "other machine", "plan", paste}},
		"a variable that is not set":                                                {world{VCenters: 1, Mode: byHand}, []string{"unset the variable", "plan", paste, paste}},
		"a lost file":                                                               {world{VCenters: 2, Mode: proposal}, []string{"lose the file", "plan", paste, paste}},
		"another profile takes no rights from a shared account":                     {world{VCenters: 1, Mode: shared, ByFlag: true}, []string{"apply"}},
		"a failure domain that is gone keeps its rights":                            {world{VCenters: 1, Mode: proposal, Machines: true}, []string{"drop the second failure domain", "apply", "prune"}},
		"a vCenter that is gone":                                                    {world{VCenters: 2, Linked: true, Mode: proposal}, []string{"drop the second vCenter", "plan", paste, paste}},
		"an account in use is not disabled":                                         {world{VCenters: 1, Mode: proposal}, []string{"disable csi", "plan", "deliver"}},
		"rights that another matrix takes are said":                                 {world{VCenters: 1, Mode: proposal}, []string{"other matrix", "apply"}},
		"an older file without another":                                             {world{VCenters: 1, Mode: proposal}, []string{"rotate two", paste, "finish with dump", "copy it back", "plan", paste}},
		"a disabled account that an older file does not know":                       {world{VCenters: 1, Mode: byHand}, []string{"rotate", "unset the variable", "import dump", "disable installer", "plan"}},
		"a rotation takes no rights that another profile gave":                      {world{VCenters: 2, Mode: scoped, ByFlag: true, Machines: true}, []string{"rotate csi", paste}},
		"a changed profile moves nobody before its account has the rights":          {world{VCenters: 1, Mode: proposal, Root: true}, []string{"other profile", "deliver"}},
		"a first delivery moves nobody":                                             {world{VCenters: 1, Mode: proposal, Root: true}, []string{"unset the variable", "lose the file", "other profile"}},
		"a rotation that was killed":                                                {world{VCenters: 2, Linked: true, Mode: proposal}, []string{killedStep("rotate", kill{7, true}), again, paste, killedStep("finish with dump", kill{3, false}), again}},
		"a release and back":                                                        {world{VCenters: 1, Mode: byHand}, []string{"reconcile", killedStep("reconcile to fewer", kill{1, true}), again, "reconcile back"}},
		"the second of two first applies":                                           {world{VCenters: 1, Mode: proposal, Race: true}, nil},
		"a credentials file that is mounted alone":                                  {world{VCenters: 1, Mode: proposal}, []string{"mount the file", "rotate", "in place"}},
		"another cluster's dump is no proof":                                        {world{VCenters: 1, Mode: proposal}, []string{"another cluster's dump", "destroy with dump"}},
		"another platform's dump is no proof":                                       {world{VCenters: 1, Mode: proposal}, []string{"another platform's dump", "disable with dump"}},
		"a cluster of the same name elsewhere is no proof":                          {world{VCenters: 2, Mode: byHand}, []string{"a dump of the name elsewhere", "destroy with dump"}},
		"an older provisioning file":                                                {world{VCenters: 1, Mode: proposal}, []string{"reconcile", "older provisioning file", "apply"}},
		"a lost file in an open rotation":                                           {world{VCenters: 1, Mode: proposal}, []string{"lose the file", "rotate", "copy it back", "rotate", "lose the file"}},
		"new passwords in place that were not set yet":                              {world{VCenters: 1, Mode: proposal}, []string{killedStep("in place", kill{1, false})}},
		"an older file and a vCenter left out":                                      {world{VCenters: 2, Linked: true, Mode: proposal}, []string{"rotate", "deliver", "copy it back", "drop the second vCenter"}},
		"a component goes from the account of all to its own":                       {world{VCenters: 1, Mode: shared}, []string{"other profile", "prune"}},
		"the second of two first applies and another profile":                       {world{VCenters: 1, Mode: shared, Race: true}, []string{paste, "other profile", "prune", "deliver"}},
		"the matrix that the accounts were made with":                               {world{VCenters: 2, Mode: byHand, Root: true, Machines: true}, []string{"other matrix", paste, "destroy at their word", paste, "apply", paste, "unset the variable", paste}},
		"a destroy leaves what the file does not name":                              {world{VCenters: 2, Linked: true, Mode: proposal, Root: true, Race: true}, []string{"reconcile to fewer", paste, paste, killedStep("destroy at their word", kill{6, false}), again}},
		"another name beside a file that is mounted alone":                          {world{VCenters: 1, Mode: scoped, Root: true, Machines: true}, []string{"mount the file", "another name for a vCenter"}},
		"one look for two refusals":                                                 {world{VCenters: 2, Mode: shared, ByFlag: true, Root: true}, []string{"another platform's dump", "apply", paste, paste, "destroy with dump"}},
		"another name of a vCenter":                                                 {world{VCenters: 1, Mode: proposal}, []string{"another name for a vCenter", "in place", "deliver", "verify"}},
		"another name in an open rotation":                                          {world{VCenters: 2, Linked: true, Mode: byHand}, []string{"rotate csi", "another name for a vCenter", "finish with dump"}},
		"another name takes nothing away":                                           {world{VCenters: 2, Mode: shared}, []string{"another name for a vCenter", "destroy with dump", "prune with dump"}},
		"two machines with two names":                                               {world{VCenters: 1, Mode: scoped}, []string{"another name for a vCenter", "other machine", "disable with dump", "other machine", "deliver", "in place", "other machine"}},
		"the new name here and the cluster with the old one":                        {world{VCenters: 1, Mode: proposal}, []string{"another name for a vCenter", paste, "plan", paste, paste, "rotate", "finish with dump", "destroy with dump"}},
		"an account in a text":                                                      {world{VCenters: 1, Mode: proposal}, []string{"a program holds an account", "rotate", "deliver", "finish with dump", "the programs are told", "finish with dump"}},
		"an account in a configuration":                                             {world{VCenters: 1, Mode: byHand}, []string{"a configuration holds an account", "rotate csi", "deliver", "finish with dump", "the programs are told", "finish with dump"}},
		"nothing goes that a program holds":                                         {world{VCenters: 2, Linked: true, Mode: scoped}, []string{"a program holds an account", "a configuration holds an account", "rotate", paste, paste, "finish with dump", "destroy with dump", "disable with dump"}},
		"the account of all in a text":                                              {world{VCenters: 1, Mode: shared}, []string{"a program holds an account", "a configuration holds an account", "other profile", "prune with dump", "rotate", "undo with dump"}},
		"an older provisioning file wants the word":                                 {world{VCenters: 1, Mode: proposal}, []string{"reconcile", "older provisioning file", "apply unasked", "apply at their word"}},
		"a refusal to narrow leads out":                                             {world{VCenters: 1, Mode: byHand}, []string{"reconcile", "older provisioning file", "apply unasked", paste, paste}},
		"another matrix wants the word":                                             {world{VCenters: 1, Mode: byHand}, []string{"other matrix", "apply unasked", "prune unasked", "prune at their word"}},
		"a group, another one, and none":                                            {world{VCenters: 1, Mode: proposal}, []string{"a group", "apply", "deliver", "another group", "apply", "prune at their word", "no group", "apply", "prune at their word"}},
		"a rotation inside a group":                                                 {world{VCenters: 2, Linked: true, Mode: byHand}, []string{"a group", "apply", "rotate csi", paste, "deliver", "finish with dump", "destroy at their word"}},
		"a group of an account that was moved by a killed run":                      {world{VCenters: 2, Mode: proposal}, []string{"a group", killedStep("apply", kill{1, true}), again, "another group", killedStep("prune at their word", kill{3, false}), again}},
		"another machine does not know of the group":                                {world{VCenters: 1, Mode: scoped}, []string{"a group", "apply", "other machine", "plan", "apply", paste}},
		"a group in an open rotation of which the file knows one half":              {world{VCenters: 2, Linked: true, Mode: scoped, Root: true}, []string{"another cluster's dump", "apply", paste, paste, "rotate", paste, "a program holds an account", paste, "unset the variable", killedStep("destroy at their word", kill{10, false}), again, paste, "apply at their word", paste, paste, "another group", paste, paste}},
		"what another machine finished":                                             {world{VCenters: 1, Mode: proposal}, []string{"rotate", paste, "finish with dump", "other machine", "finish at their word", "plan", paste}},
	}
}
