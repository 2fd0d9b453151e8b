package vcsimtests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
)

// outcome is what a command line did.
type outcome struct {
	line   string
	code   int    // of the tool
	before string // what it had printed when it asked the first question, or all of it where it asked none
	out    string // all of it, what goes into a pipe left out

	unasked bool // nobody was asked
}

// person sits before the terminal and agrees to everything, as somebody does who trusts the tool. What was said before
// the first question is what she could know.
type person struct {
	fake   *termtest.Fake
	before string
	asked  bool

	meanwhile func() // happens before the first answer; nil = nothing
}

// Line implements term.Console.
func (p *person) Line(_ context.Context, prompt string) (string, error) {
	if !p.asked {
		p.asked, p.before = true, p.fake.Stdout.String()+p.fake.Stderr.String()+prompt
		if p.meanwhile != nil {
			p.meanwhile()
		}
	}
	if strings.Contains(prompt, "type the cluster's name") {
		return "cluster1", nil
	}
	return "yes", nil
}

// Ready implements term.Console.
func (p *person) Ready() error { return nil }

// Secret implements term.Console: all the passwords that a run needs are in files.
func (p *person) Secret(context.Context, string) (string, error) {
	return "", errors.New("nobody knows")
}

// tool runs a command of ours.
func (l *life) tool(stdin string, words []string) (o outcome, stdout string) {
	fake := termtest.NewFake()
	p := &person{fake: fake, meanwhile: l.meanwhile}
	l.meanwhile = nil
	fake.Console, fake.Home, fake.Env = p, l.home(), l.environ()
	fake.Stdin.WriteString(stdin)
	o.unasked = slices.Contains(words, "--yes")
	o.code = cli.Run(context.Background(), fake.Streams, words)
	stdout = fake.Stdout.String()
	o.out = fake.Stderr.String()
	if !slices.Contains(words, "emit") {
		o.out = stdout + o.out
	}
	if o.before = p.before; !p.asked {
		o.before = o.out
	}
	return o, stdout
}

func (l *life) environ() map[string]string {
	env := map[string]string{"HOME": l.home(), "OCP_VSPHERE_ADMIN_CONFIG": l.at("config.yaml"), "OCP_VSPHERE_ADMIN_GRACE": "0s"}
	if !l.unset {
		env["VSPHERE_CREDENTIALS_FILE"] = l.credentials()
	}
	return env
}

// errNotTyped is for a line that nobody could paste as it is: a word is left to fill in, or it is more shell than this test has.
var errNotTyped = errors.New("cannot be typed as it is")

// placeholder is a word that only a person can fill in.
var placeholder = regexp.MustCompile(`^[A-Z][A-Z_]+(\.[a-z]+)?$|\$|^<.*>$`)

// pasted runs a line as it was printed: our commands and oc, in a pipe.
func (l *life) pasted(line string) (all outcome, err error) {
	pipe, err := split(line)
	if err != nil {
		return outcome{}, err
	}
	for _, words := range pipe {
		for i, w := range words {
			switch { // what whoever runs the cluster knows
			case i > 0 && words[i-1] == "--credentials-requests" && w == "DIR":
				words[i] = l.requests()
			case w == "-f" || w == "--secrets":
			case i > 0 && words[i-1] == "--secrets" && w == "DUMP":
				words[i] = l.writeDump()
			case i > 0 && words[i-1] == "-f" && w == "FILE":
				words[i] = l.spec()
			case i > 0 && words[i-1] == "import" && w == "FILE" && l.setElsewhere():
				words[i] = l.on(3-l.machine, "credentials")
			case placeholder.MatchString(w):
				return outcome{}, fmt.Errorf("%q: %w", w, errNotTyped)
			}
		}
		if !slices.Contains([]string{program, "oc"}, words[0]) || len(words) < 2 {
			return outcome{}, fmt.Errorf("%q: %w", words[0], errNotTyped)
		}
	}
	all.line = line
	var between string
	for _, words := range pipe {
		var o outcome
		switch {
		case words[0] == program && l.kill != nil:
			o = l.struck(*l.kill, between, words[1:])
		case words[0] == program:
			o, between = l.tool(between, words[1:])
		default:
			o, between, err = l.oc(between, words[1:])
			if err != nil {
				return outcome{}, err
			}
		}
		if all.code == 0 {
			all.code = o.code
		}
		all.unasked = all.unasked || o.unasked
		all.before += o.before
		all.out += o.out
	}
	return all, nil
}

// oc does to the cluster what the command of this name would.
func (l *life) oc(stdin string, words []string) (o outcome, stdout string, err error) {
	switch line := strings.Join(words, " "); {
	case line == "get secrets -A -o yaml", line == "get secrets,infrastructures -A -o yaml": // what it says of the vCenters is left out
		return o, l.cluster.dump(), nil
	case line == "apply -f -":
		if err := l.cluster.apply(stdin); err != nil {
			o.out = "error: " + err.Error() + "\n"
		}
		return o, "", nil
	case strings.HasPrefix(line, "delete secret "):
		namespace := ""
		for i, w := range words {
			if w == "-n" {
				namespace = words[i+1]
				words = slices.Delete(words, i, i+2)
				break
			}
		}
		for _, name := range words[2:] {
			delete(l.cluster.secrets, namespace+"/"+name)
		}
		l.cluster.copyToTargets()
		return o, "", nil
	case strings.HasPrefix(line, "rollout restart "), strings.HasPrefix(line, "patch cloudcredential"):
		return o, "", nil // everybody here reads its secret again each time
	default:
		return o, "", fmt.Errorf("oc %s: %w", line, errNotTyped)
	}
}

// split takes a line apart into the words of the commands of a pipe.
func split(line string) (pipe [][]string, err error) {
	var words []string
	word, begun, quote := "", false, rune(0)
	end := func() {
		if begun {
			words = append(words, word)
		}
		word, begun = "", false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ':
			end()
		case r == '|':
			end()
			if len(words) == 0 {
				return nil, fmt.Errorf("%s: %w", line, errNotTyped)
			}
			pipe, words = append(pipe, words), nil
		case strings.ContainsRune("<>;&()`\\", r):
			return nil, fmt.Errorf("%s: %w", line, errNotTyped)
		default:
			word, begun = word+string(r), true
		}
	}
	end()
	if quote != 0 || len(words) == 0 {
		return nil, fmt.Errorf("%s: %w", line, errNotTyped)
	}
	return append(pipe, words), nil
}

// advice is a command that an output tells somebody to run.
type advice struct {
	label    string // hint, next, then
	line     string
	foremost bool // the first of its output
}

var (
	advised    = regexp.MustCompile(`^\s*(hint|next|then):\s+(.*)$`)
	keepMatrix = regexp.MustCompile(`^to keep the matrix that they were made with, write (matrix: (?:default|component-scoped) )?`)
	quoted     = regexp.MustCompile(`'((?:oc|` + program + `) [^']*)'`)
	bare       = regexp.MustCompile(`(?:^|: )((?:oc|` + program + `) .*)$`)
)

// adviceIn finds the commands that an output advises, in their order. How a command stands in a hint, hint.Error says.
func adviceIn(output string) (all []advice) {
	for _, line := range strings.Split(output, "\n") {
		m := advised.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if k := keepMatrix.FindStringSubmatch(m[2]); k != nil { // each is advice of its own
			all = append(all, advice{m[1], "# " + cmp.Or(strings.TrimSpace(k[1]), "other matrix"), len(all) == 0})
			continue
		}
		if b := bare.FindStringSubmatch(m[2]); b != nil {
			all = append(all, advice{m[1], b[1], len(all) == 0})
			continue
		}
		for _, q := range quoted.FindAllStringSubmatch(m[2], -1) {
			all = append(all, advice{m[1], q[1], len(all) == 0})
		}
	}
	return all
}

func (l *life) writeDump() string {
	path := l.at("dump.yaml")
	l.must(os.WriteFile(path, []byte(l.cluster.dump()), 0o600))
	return path
}
