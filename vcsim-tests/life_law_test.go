package vcsimtests

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// memory is what the law remembers of the steps before.
type memory struct {
	logins  map[login]standing
	lost    map[string]bool            // accounts whose password the person lost, or a run said to be lost
	opens   map[string]string          // the password that opens an account now
	dead    map[string]map[string]bool // passwords that opened it before it had another one, or went
	told    string                     // what rotations said that a new account lacks, in the words of what the one before it loses
	gone    map[string][]string        // accounts that were removed, with the later generations that remained
	present map[string]bool
}

// judge looks at the estate after a step, and tells what the law has against it.
func (l *life) judge(o outcome) string {
	was := l.memory
	if strings.Contains(o.line, "oc apply") {
		l.follow()
	}
	l.memory.logins = l.logIn()
	users := l.ours()
	l.memory.present = map[string]bool{}
	for user := range users {
		l.memory.present[user] = true
	}
	var said []string
	add := func(check int, format string, args ...any) {
		said = append(said, fmt.Sprintf("law %d: %s: ", check, o.line)+fmt.Sprintf(format, args...))
	}
	l.memory.told += lossesTold(o.before)
	opened := maps.Clone(l.memory.opens)
	l.judgeLogins(o, was.logins, add)
	l.judgePasswords(o, users, add)
	l.judgeRemoved(was, users, add)
	l.judgeAdvice(o, users, opened, add)
	l.judgeWord(o, was.logins, add)
	l.judgeCode(o, users, add)
	if o.code == 0 || o.plan() && !l.looked {
		l.looked = l.looked || o.plan()
		l.judgeData(o, add)
	}
	return strings.Join(said, "\n")
}

type finding func(check int, format string, args ...any)

// judgeLogins is the first check.
func (l *life) judgeLogins(o outcome, was map[login]standing, add finding) {
	for _, at := range slices.SortedFunc(maps.Keys(was), compareLogins) {
		before, now := was[at], l.memory.logins[at]
		switch {
		case !before.ok, l.left[at.server], l.world.Fewer && at.name == "diagnostics", l.announced(o, at, before.user):
		case !now.ok:
			add(1, "%s is refused at %s, as %s; before it logged in as %s", at.name, at.server, now.user, before.user)
		case ofAll.MatchString(before.user) && !ofAll.MatchString(now.user):
			l.judgeParting(at, now.user, add)
		default:
			for _, object := range slices.Sorted(maps.Keys(before.rights)) {
				lost := l.unsaidLosses(o, at, before.user, object, without(before.rights[object], now.rights[object]))
				if len(lost) > 0 {
					add(1, "%s (%s) loses rights at %s on %s: %s", at.name, now.user, at.server, object, strings.Join(lost, " "))
					break // one object shows it
				}
			}
		}
	}
}

// ofAll is the account that all components share in profile passthrough.
var ofAll = regexp.MustCompile(`^ocp-cluster1-installer(-\d+)?@`)

// judgeParting is about a component that goes from the account of all to its own: it has fewer
// rights by intent, and all that it needs.
func (l *life) judgeParting(at login, user string, add finding) {
	_, c, _ := strings.Cut(generation.FindStringSubmatch(user)[1], "-cluster1-")
	if o, _ := l.tool("", []string{"verify", "--components", c, "-f", l.spec()}); o.code != 0 {
		add(1, "%s goes to its own account at %s, and verify of it has exit code %d: %s", at.name, at.server, o.code, o.out)
	}
}

func compareLogins(a, b login) int { return strings.Compare(a.name+a.server, b.name+b.server) }

func without(list, minus []string) (rest []string) {
	for _, s := range list {
		if !slices.Contains(minus, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// nextHand is what a person wants to have at hand before she agrees; where nobody is asked, it comes at the end alone.
const nextHand = `run this as soon as the passwords are set`

// outages are the commands that may take a login away, with what each must have said before it asked; {user} and
// {vcenter} stand for whom it is about. own: only where a person typed it, because its words are hers. What the first advice
// of an output, or the only one, does is never announced.
var outages = []struct {
	command *regexp.Regexp
	own     bool
	says    []string
}{
	{regexp.MustCompile(`rotate .*--in-place`), false, []string{`~ {user} [^\n]*(\n +)?[^\n]*new password`, `{vcenter}`, `lock an account for`, nextHand}},
	{regexp.MustCompile(`rotate (finish|undo) .*--applied`), true, []string{`- {user}`, `{vcenter}`}},
	{regexp.MustCompile(`(destroy|--prune|users disable) .*--applied`), true, []string{`[-~] {user}`, `{vcenter}`}},
	// An account that another vCenter uses stays, and has no permission left on this one.
	{regexp.MustCompile(`destroy .*--applied`), true, []string{`\d+ permissions? to delete on`, `{vcenter}`}},
	{regexp.MustCompile(`destroy `), true, []string{`\d+ permissions? to delete on`, `{vcenter}`, `not all of the cluster.s secrets were checked .* is locked out`}},
	{regexp.MustCompile(`(destroy|--prune|users disable) `), true, []string{`[-~] {user}`, `{vcenter}`, `not all of the cluster.s secrets were checked .* is locked out`}},
}

// announced reports whether a command said that a login would be refused.
func (l *life) announced(o outcome, at login, user string) bool {
	for _, a := range outages {
		if !a.command.MatchString(o.line) || !l.own && (a.own || l.foremost) {
			continue
		}
		says := without(a.says, []string{nextHand})
		if !o.unasked {
			says = a.says
		}
		if slices.IndexFunc(says, func(says string) bool { return !mentions(o.before, says, at, user) }) < 0 {
			return true
		}
	}
	return false
}

func mentions(text, says string, at login, user string) bool {
	short, _, _ := strings.Cut(at.server, ".")
	says = strings.NewReplacer("{user}", regexp.QuoteMeta(user), "{vcenter}", regexp.QuoteMeta(short)).Replace(says)
	return regexp.MustCompile(says).MatchString(text)
}

var (
	loses  = regexp.MustCompile(`^. (?:(vcenter\d)\S*: |both vCenters: )?(\S+@.* on /.*): loses (.*)$`)
	behind = regexp.MustCompile(` \((?:vcenter\d\S*|all \d+)\)`)
)

// unsaidLosses are the rights that an account has lost on an object although no line of attention names it, the object or one
// above it, and the right.
func (l *life) unsaidLosses(o outcome, at login, user, object string, lost []string) []string {
	for _, line := range strings.Split(o.before+"\n"+l.memory.told, "\n") {
		m := loses.FindStringSubmatch(line)
		if m == nil || m[1] != "" && !strings.HasPrefix(at.server, m[1]) {
			continue
		}
		for _, who := range strings.Split(behind.ReplaceAllString(m[2], ""), "; ") {
			users, objects, _ := strings.Cut(who, " on ")
			for _, said := range strings.Split(objects, ", ") {
				switch {
				case !slices.Contains(strings.Split(users, ", "), user):
				case !below(object, said) && !(strings.Contains(said, "/host/") && slices.Contains(l.machines, object)):
				case strings.Contains(m[3], "privileges of role"), strings.Contains(m[3], "no longer sees it"), strings.Contains(m[3], "below it") && object != said:
					return nil
				default:
					lost = without(lost, strings.Split(m[3], ", "))
				}
			}
		}
	}
	return lost
}

func below(object, above string) bool {
	return object == above || strings.HasPrefix(object, strings.TrimSuffix(above, "/")+"/")
}

// ssoAccount is one of ours in an SSO domain.
type ssoAccount struct {
	v        *vcsim.VCenter // one of those that know it
	upn      string
	disabled bool
}

// ours are the accounts that the tool made, by domain and name.
func (l *life) ours() map[string]ssoAccount {
	all := map[string]ssoAccount{}
	for i, v := range l.lab.VCenters {
		if l.world.Linked && i > 0 {
			break
		}
		for _, u := range v.Directory().Users() {
			if strings.Contains(u.Description, "made by ocp-vsphere-admin") {
				all[v.Server()+" "+u.UPN()] = ssoAccount{v, u.UPN(), u.Disabled}
			}
		}
	}
	return all
}

var savedPassword = regexp.MustCompile("(?m)^\\S*password *= *`?(.*?)`?$")

// passwords are all that are in files and secrets that exist.
func (l *life) passwords() []string {
	all := map[string]bool{}
	l.must(filepath.WalkDir(l.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Base(file) == "admin.ini" {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range savedPassword.FindAllSubmatch(text, -1) {
			all[string(m[1])] = true
		}
		return err
	}))
	for _, s := range l.cluster.secrets {
		for k, v := range s.Data {
			if strings.HasSuffix(k, ".password") {
				all[v] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// judgePasswords is the second check, and of the fourth what is about passwords.
func (l *life) judgePasswords(o outcome, users map[string]ssoAccount, add finding) {
	m := &l.memory
	known := l.passwords()
	for _, key := range slices.Sorted(maps.Keys(users)) {
		u := users[key]
		if u.disabled {
			continue
		}
		opens := ""
		for _, p := range known {
			if _, err := u.v.Directory().CheckPassword(u.upn, p); err == nil {
				opens = p
			}
		}
		switch {
		case opens != "" && m.dead[key][opens]:
			add(4, "an old password opens %s again", key)
		case opens == "" && !m.lost[key] && strings.HasPrefix(o.line, program) && !saysLost(o, u.upn):
			add(2, "nobody has the password of %s", key)
		}
		if m.lost[key] = opens == ""; opens == "" {
			continue
		}
		if old := m.opens[key]; old != "" && old != opens {
			m.bury(key)
		}
		m.opens[key] = opens
	}
	for key := range m.opens {
		if _, exists := users[key]; !exists {
			m.bury(key)
		}
	}
}

func (m *memory) bury(key string) {
	if m.dead[key] == nil {
		m.dead[key] = map[string]bool{}
	}
	m.dead[key][m.opens[key]] = true
	delete(m.opens, key)
}

// saysLost reports whether a run said that nobody has the password of an account.
func saysLost(o outcome, upn string) bool {
	return regexp.MustCompile(`(?s)(passwords? of .* not in|is lost).*` + regexp.QuoteMeta(upn)).MatchString(o.out)
}

// generation takes the number off a user name.
var generation = regexp.MustCompile(`^(.*?)(?:-(\d+))?@(.*)$`)

func generationOf(key string) (base string, n int) {
	m := generation.FindStringSubmatch(key)
	n = 1
	if m[2] != "" {
		_, _ = fmt.Sscan(m[2], &n)
	}
	return m[1] + "@" + m[3], n
}

// judgeRemoved is of the fourth check what is about accounts: one of a generation that was replaced and removed stays away.
func (l *life) judgeRemoved(was memory, users map[string]ssoAccount, add finding) {
	for user := range was.present {
		if _, exists := users[user]; exists {
			continue
		}
		var later []string
		for other := range users {
			base, n := generationOf(user)
			if otherBase, m := generationOf(other); base == otherBase && m > n {
				later = append(later, other)
			}
		}
		l.memory.gone[user] = later
	}
	for _, user := range slices.Sorted(maps.Keys(l.memory.gone)) {
		if _, back := users[user]; !back {
			continue
		}
		for _, other := range l.memory.gone[user] {
			if _, there := users[other]; there {
				add(4, "%s is there again, beside %s", user, other)
			}
		}
		delete(l.memory.gone, user)
	}
}
