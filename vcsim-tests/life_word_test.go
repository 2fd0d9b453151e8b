package vcsimtests

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// narrowing is said before somebody agrees, and where nobody is asked in a refusal; unchecked of
// what all components shared.
var (
	narrowing = regexp.MustCompile(`takes privileges from \S+.*, which components work with`)
	unchecked = regexp.MustCompile(`not all of the cluster.s secrets were checked`)
)

// judgeWord is the seventh check. A turn of generations has its own word, and --prune is the word
// for what no failure domain needs any more, which a plain apply keeps.
func (l *life) judgeWord(o outcome, was map[login]standing, add finding) {
	_, line, ours := strings.Cut(o.line, program+" ")
	if !ours || !strings.HasPrefix(line, "apply") && !strings.HasPrefix(line, "reconcile --") && !strings.HasPrefix(line, "permissions grant") {
		return
	}
	word, asked := strings.Contains(line, "--applied"), !o.unasked
	refused := narrowing.MatchString(o.out) && strings.Contains(o.out, "; nothing was done")
	if word && refused {
		add(7, "the word is given, and it refuses to narrow")
	}
	told := asked && (narrowing.MatchString(o.before) || unchecked.MatchString(o.before))
	if word || told || strings.Contains(line, "--prune") && (asked || l.dropped() || strings.Contains(l.read(l.spec()), "matrix: default")) {
		return
	}
	for _, at := range slices.SortedFunc(maps.Keys(was), compareLogins) {
		before, now := was[at], l.memory.logins[at]
		if !before.ok || !now.ok || before.user != now.user || l.left[at.server] {
			continue
		}
		for object, rights := range before.rights {
			if lost := without(rights, now.rights[object]); len(lost) > 0 {
				add(7, "%s (%s) has fewer rights at %s on %s, and nobody gave the word: %s", at.name, now.user, at.server, object, strings.Join(lost, " "))
				return
			}
		}
	}
}

// dropped reports whether something of this world is no more in the provisioning file.
func (l *life) dropped() bool {
	text := l.read(l.spec())
	return l.world.Machines && !strings.Contains(text, secondDomain) || strings.Count(text, "- server: ") < l.world.VCenters
}
