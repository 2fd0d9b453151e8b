package vcsimtests

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// TestLife is the law of life: whatever people do in whatever order, with older files, lost files and other machines, and
// every command followed that an output advises,
//
//  1. no component that could log in is refused, and none loses a right, unless the command said so before it asked;
//  2. the password of every enabled account of ours is in a file or a secret that exists, or the run said that it is lost;
//  3. exit code 0 means that nothing that was asked for is left, and what is left is in the plan as data;
//  4. no removed account is there again, and no old password opens anything again;
//  5. the advice followed from anywhere ends in "nothing to change", no finding, components that work, and a verify that says so; it
//     does not come back to where the same advice was given before;
//  6. advice is a whole command or a sentence, what it gives new passwords to has none in the files here, and a run that could not replace
//     the credentials file has set no password;
//  7. an account that components go on with has fewer rights only where somebody was told so and agreed, or gave the word; with the word
//     it is done.
//
// A walk that fails is printed as a row for lifeWalks. LONG=1 walks longer, and more often; -rapid.seed=0 other walks.
func TestLife(t *testing.T) {
	t.Parallel()
	checks, steps, seed := "14", 6, "20"
	if os.Getenv("LONG") != "" {
		checks, steps, seed = "100", 12, "7"
	}
	setRapid(t, "rapid.checks", checks)
	setRapid(t, "rapid.seed", seed)
	tmp, walks := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		walks++
		w := drawWorld(rt)
		var walk []string
		for range rapid.IntRange(1, steps).Draw(rt, "steps") {
			if rapid.IntRange(0, 7).Draw(rt, "whether it comes to its end") == 7 {
				k := kill{rapid.IntRange(1, 12).Draw(rt, "change"), rapid.Bool().Draw(rt, "late")}
				walk = append(walk, killedStep(rapid.SampledFrom(killable()).Draw(rt, "killed"), k), again)
			} else {
				walk = append(walk, rapid.SampledFrom(kinds()).Draw(rt, "step"))
			}
			for range rapid.IntRange(0, 2).Draw(rt, "hints that are followed") {
				walk = append(walk, paste)
			}
		}
		live(rt, filepath.Join(tmp, fmt.Sprint(walks)), w, walk)
	})
}

// setRapid sets a flag of rapid, unless the command line does.
func setRapid(t *testing.T, name, value string) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given {
		return
	}
	if err := flag.Lookup(name).Value.Set(value); err != nil {
		t.Fatal(err)
	}
}

// Walks that failed once.
func TestLifeWalks(t *testing.T) {
	t.Parallel()
	for name, r := range lifeWalks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, t.TempDir(), r.world, r.steps)
		})
	}
}

// world is what a walk begins with: a cluster that works.
type world struct {
	VCenters int    // one or two
	Linked   bool   // both in one SSO domain
	Mode     string // how the cluster gets at its accounts
	ByFlag   bool   // the profile was given to commands once, and the provisioning file says nothing of it
	Root     bool   // machine-config reads the root secret
	Machines bool   // a second failure domain, in whose folder machines remain
	Race     bool   // two machines applied first at once; the walk begins at the one that was too late

	Fewer bool // the cluster was upgraded to the release without diagnostics, in the course of the walk
}

func drawWorld(t *rapid.T) world {
	return world{
		VCenters: rapid.IntRange(1, 2).Draw(t, "vcenters"),
		Linked:   rapid.Bool().Draw(t, "linked"),
		Mode:     rapid.SampledFrom([]string{proposal, byHand, shared, scoped}).Draw(t, "mode"),
		ByFlag:   rapid.Bool().Draw(t, "profile by flag"),
		Root:     rapid.Bool().Draw(t, "root secret"),
		Machines: rapid.Bool().Draw(t, "second failure domain"),
		Race:     rapid.IntRange(0, 3).Draw(t, "race") == 3,
	}
}

// failing is *testing.T and *rapid.T.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// life is a walk under way.
type life struct {
	t        failing
	world    world
	lab      *vcsim.Lab
	dir      string
	cluster  *lifeCluster
	left     map[string]bool // vCenters that the cluster uses no more
	machines []string        // virtual machines and templates: rights come to them by way of their hosts and pools, too

	machine int    // where the commands are typed: 1 or 2
	unset   bool   // VSPHERE_CREDENTIALS_FILE
	mounted string // a credentials file on a mount of its own; "" = none
	typed   string // the last command of the person's own
	kill    *kill  // what becomes of the next command; nil = it comes to its end

	meanwhile func() // happens while the next command asks; nil = nothing

	own      bool     // the command is the person's own, not advice
	foremost bool     // the advice was the first of its output
	pending  []advice // of the last output, and of the one before where it said what comes then
	last     outcome
	looked   bool // a plan was looked at as data
	log      strings.Builder
	skipped  int // advice that nobody can paste

	memory memory
}

// live lives a walk to its end.
func live(t failing, dir string, w world, walk []string) {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{VCenters: w.VCenters, Linked: w.Linked})
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer lab.Close()
	l := &life{t: t, world: w, lab: lab, dir: dir, machine: 1, own: true, left: map[string]bool{}}
	l.cluster = &lifeCluster{world: w, secrets: map[string]*clusterSecret{}, names: map[string]string{}}
	defer func() { l.unmount() }()
	l.settle()
	said := l.walk(walk)
	if said == "" {
		return
	}
	t.Fatalf("%s\n{%#v, %#v},\n%s", said, w, walk, l.log.String())
}

// walk does steps, and ends with the advice that leads to rest. It returns what the law has against it.
func (l *life) walk(steps []string) string {
	for _, step := range steps {
		if said := l.step(step); said != "" {
			return said
		}
	}
	return l.rest()
}

func (l *life) on(machine int, name string) string {
	return filepath.Join(l.dir, fmt.Sprintf("machine%d", machine), name)
}
func (l *life) at(name string) string { return l.on(l.machine, name) }
func (l *life) home() string          { return l.at("home") }
func (l *life) spec() string          { return l.at("provisioning.yaml") }
func (l *life) recorded() string      { return l.at("provisioning.state.yaml") }
func (l *life) credentials() string   { return l.at("credentials") }
func (l *life) requests() string      { return filepath.Join(l.dir, "requests") }

func (l *life) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("%v", err)
	}
}

func (l *life) read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		l.t.Fatalf("%v", err)
	}
	return string(text)
}

func (l *life) write(path, text string) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(path), 0o700))
	l.must(os.WriteFile(path, []byte(text), 0o600))
}
