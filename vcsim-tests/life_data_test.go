package vcsimtests

import (
	"encoding/json"
	"slices"
	"strings"
)

// planData is what a script reads of a plan.
type planData struct {
	Kind     string
	Findings []struct {
		Severity, Code, Subject, Text string
		Object                        *struct{ Kind string }
	}
	VCenters []struct {
		Error   string
		Changes []struct {
			Verb, Kind, Name, Object, Principal string
		}
	}
	Errors []struct{ Text string }
}

// left is what the plan still finds to do, or to tell. differs: with what it leaves as it is, although the specification says
// something else.
func (p planData) left(differs bool, severities ...string) (all []string) {
	for _, f := range p.Findings {
		told := f.Object == nil || f.Code == "stays"
		meant := f.Code == "unable-component" || f.Code == "missing-tags" // what another matrix leaves, and what openshift-install alone needs
		if told && slices.Contains(severities, f.Severity) && !meant ||
			differs && f.Code == "not-as-specified" {
			all = append(all, strings.TrimSpace(f.Subject+" "+f.Text))
		}
	}
	for _, v := range p.VCenters {
		if v.Error != "" {
			all = append(all, v.Error)
		}
		for _, c := range v.Changes {
			all = append(all, strings.Join(strings.Fields(c.Verb+" "+c.Kind+" "+c.Name+" "+c.Object+" "+c.Principal), " "))
		}
	}
	for _, e := range p.Errors {
		all = append(all, e.Text)
	}
	return all
}

// planned is the plan as data, of the same words as a command of apply or plan; ok is false where it was another command.
func (l *life) planned(o outcome) (code int, data planData, ok bool) {
	pipe, err := split(o.line)
	if err != nil || len(pipe) > 1 || !slices.Contains([]string{"apply", "plan"}, pipe[0][1]) {
		return 0, data, false
	}
	words := []string{"plan", "--exit-code", "-o", "json"}
	for _, w := range pipe[0][2:] {
		switch w {
		case "--yes", "--exit-code":
		case "--additive", "--displace", "--plan", "--digest", "--secrets", "--applied", "-o":
			return 0, data, false
		default:
			words = append(words, w)
		}
	}
	as, text := l.tool("", words)
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		l.t.Fatalf("%q prints no JSON: %v\n%s\n%s", words, err, text, as.out)
	}
	return as.code, data, true
}

// judgeData holds exit code 0 against what a script reads: nothing is left, or else it is there, and the exit code says so.
func (l *life) judgeData(o outcome, add finding) {
	code, data, ok := l.planned(o)
	left := data.left(true, "error")
	switch {
	case !ok:
	case code == 0 && len(left) > 0:
		add(3, "as data its plan has exit code 0, and there is %q", left)
	case code != 0 && len(left) == 0:
		add(3, "as data its plan has exit code %d, and nothing is left in it", code)
	case o.code == 0 && !o.plan() && len(data.left(false, "error")) > 0:
		add(3, "exit code 0, and the plan of the same words has %q", data.left(false, "error"))
	case o.code == 0 && code != 0 && strings.Contains(o.line, "--exit-code"):
		add(3, "exit code 0, and as data its plan has exit code %d: %q", code, left)
	}
}
