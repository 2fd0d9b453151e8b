package vcsimtests

import (
	"regexp"
	"slices"
	"strings"
)

// half is advice that names a command of ours and is none.
var half = regexp.MustCompile(`(?:^|[:;,] |, or )(?:apply|plan|rotate|verify|destroy|users|credentials|secrets|reconcile|permissions|roles)(?: [a-z]+)* --[a-z]`)

// judgeAdvice is the sixth check. opened are the passwords that opened accounts before.
func (l *life) judgeAdvice(o outcome, users map[string]ssoAccount, opened map[string]string, add finding) {
	for _, line := range strings.Split(o.out, "\n") {
		if m := advised.FindStringSubmatch(line); m != nil && !strings.Contains(line, program) && half.MatchString(m[2]) {
			add(6, "half of a command: %s", m[2])
		}
	}
	if mountedAlone.MatchString(o.out) {
		for key, password := range l.memory.opens {
			if opened[key] != password {
				add(6, "the credentials file cannot be replaced, and %s has another password", key)
			}
		}
	}
	if !strings.HasPrefix(o.line, program) {
		return
	}
	file, journal := l.entries(l.found()), l.entries(l.found()+".rotation")
	for i, a := range adviceIn(o.out) {
		m := namedComponents.FindStringSubmatch(a.line)
		if !strings.Contains(a.line, "rotate --in-place") || m == nil {
			continue
		}
		for key := range users {
			base, n := generationOf(key)
			later := func(other string) bool { b, m := generationOf(other); return b == base && m > n }
			ofIt := func(c string) bool { return strings.HasSuffix(strings.Split(base, "@")[0], "-"+c) }
			pending := journal[key] != "" && journal[key] != file[key]
			if slices.ContainsFunc(keysOf(users), later) || !slices.ContainsFunc(strings.Split(m[1], ","), ofIt) || pending && i > 0 {
				continue
			}
			if opens := l.memory.opens[key]; opens != "" && (opens == file[key] || opens == journal[key]) {
				add(6, "%s gives %s a new password, and the files here have the one that opens it", a.line, key)
			}
		}
	}
}

func keysOf[V any](m map[string]V) (all []string) {
	for key := range m {
		all = append(all, key)
	}
	return all
}
