package vcsimtests

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var named = regexp.MustCompile(`(?m)^- server: .*$`)

// servers are the vCenters of this world as the provisioning file names them.
func (l *life) servers() (all []string) {
	for _, v := range l.lab.VCenters {
		all = append(all, "- server: "+v.Server())
	}
	return all
}

var namedComponents = regexp.MustCompile(`--components ([^ ]+)`)

// judgeCode is the third check: what exit code 0 of a command means.
func (l *life) judgeCode(o outcome, users map[string]ssoAccount, add finding) {
	_, line, ours := strings.Cut(o.line, program+" ")
	if !ours || o.code != 0 || strings.Contains(line, "--dry-run") || strings.Contains(line, "--vcenters") {
		return
	}
	about := func(key string) bool {
		m := namedComponents.FindStringSubmatch(line)
		return m == nil || slices.ContainsFunc(strings.Split(m[1], ","), func(c string) bool { return strings.Contains(key, "-"+c+"@") || strings.Contains(key, "-"+c+"-") })
	}
	switch {
	case strings.HasPrefix(line, "destroy"):
		if len(without(l.servers(), named.FindAllString(registered(l.read(l.spec())), -1))) > 0 {
			return // of the vCenters that the file does not name nothing was asked
		}
		for _, user := range slices.Sorted(maps.Keys(users)) {
			dropped := regexp.MustCompile(regexp.QuoteMeta(users[user].upn) + `[^:]*: (no longer in the specification|not in the specification|kept: the specification does not name it)`).MatchString(o.out)
			if about(user) && !dropped { // of what the file does not name nothing was asked
				add(3, "exit code 0, and %s is still there", user)
			}
		}
	case strings.HasPrefix(line, "rotate finish"):
		for _, user := range slices.Sorted(maps.Keys(users)) {
			base, n := generationOf(user)
			for other := range users {
				if b, m := generationOf(other); b == base && m > n && about(user) {
					add(3, "exit code 0, and %s is still there beside %s", user, other)
				}
			}
		}
	case strings.HasPrefix(line, "apply"), strings.HasPrefix(line, "plan") && strings.Contains(line, "--exit-code"), strings.HasPrefix(line, "verify"):
		l.judgeFile(o, about, users, add)
	}
}

// judgeFile holds what a run calls complete against the credentials file: it opens the accounts.
func (l *life) judgeFile(o outcome, about func(string) bool, users map[string]ssoAccount, add finding) {
	in := l.entries(l.found())
	disabled := strings.Contains(l.read(l.recorded()), "disabled: true")
	for _, key := range slices.Sorted(maps.Keys(users)) {
		u := users[key]
		e, named := in[key]
		switch {
		case !named || !about(key):
		case u.disabled && !disabled:
			add(3, "exit code 0, and the account of the file, %s, is disabled", u.upn)
		case u.disabled:
		default:
			if _, err := u.v.Directory().CheckPassword(u.upn, e); err != nil {
				add(3, "exit code 0, and the password of the file does not open %s", u.upn)
			}
		}
	}
}

// found is the credentials file that the commands find.
func (l *life) found() string {
	if l.unset {
		return l.at("home/.vsphere/credentials")
	}
	return l.credentials()
}

// setElsewhere reports whether the other machine has the password of an account that this one has not, and of none that was replaced.
func (l *life) setElsewhere() bool {
	here, users := l.entries(l.found()), l.ours()
	for key, password := range l.entries(l.on(3-l.machine, "credentials")) {
		base, n := generationOf(key)
		later := func(other string) bool { b, m := generationOf(other); return b == base && m > n }
		if u, exists := users[key]; exists && here[key] != password && !slices.ContainsFunc(keysOf(users), later) {
			if _, err := u.v.Directory().CheckPassword(u.upn, password); err == nil {
				return true
			}
		}
	}
	return false
}

// entries are the accounts of a credentials file, as [life.ours] names them, with their passwords.
func (l *life) entries(path string) map[string]string {
	all, server, user := map[string]string{}, "", ""
	for _, line := range strings.Split(l.read(path), "\n") {
		key, value, _ := strings.Cut(line, " = ")
		value = strings.Trim(value, "`")
		switch {
		case strings.HasPrefix(line, "["):
			if server = registered(strings.Trim(line, "[]")); l.world.Linked {
				server = l.lab.VCenters[0].Server()
			}
		case strings.HasSuffix(key, "user"):
			user = value
		case strings.HasSuffix(key, "password"):
			all[server+" "+user] = value
		}
	}
	return all
}
