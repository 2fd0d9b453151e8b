package vcsimtests

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// kill is where a command ends in its middle: at its n-th change of a vCenter, before it arrives or, late, after it was served.
type kill struct {
	n    int
	late bool
}

var killed = regexp.MustCompile(`^(.*), killed (before|after) change (\d+)$`)

// killedStep is a step that ends so, as [life.step] reads it.
func killedStep(step string, k kill) string {
	when := "before"
	if k.late {
		when = "after"
	}
	return fmt.Sprintf("%s, killed %s change %d", step, when, k.n)
}

func killOf(step string) (string, *kill) {
	m := killed.FindStringSubmatch(step)
	if m == nil {
		return step, nil
	}
	n, _ := strconv.Atoi(m[3])
	return m[1], &kill{n, m[2] == "after"}
}

// changing are the calls that change a vCenter or an SSO domain.
var changing = regexp.MustCompile(`^(Add|Update|Remove)AuthorizationRole$|^(Set|Remove)EntityPermissions?$|^(Create|Update|Reset)LocalPersonUser|^DeleteLocalPrincipal$|^(Dis|En)ableUserAccount$|^(Create|AddUserTo|RemovePrincipalsFrom)LocalGroup$`)

// killable are the commands of typed that change a vCenter.
func killable() []string {
	return slices.DeleteFunc(kinds(), func(kind string) bool {
		line := typed[kind]
		return !slices.ContainsFunc([]string{" apply", " rotate", " destroy", " users ", " reconcile "}, func(w string) bool { return strings.Contains(line, program+w) })
	})
}

// struck is [life.tool] as a process of the program, killed on the way. It says yes to everything, because nobody is there to ask.
// Where there are fewer changes it comes to its end.
func (l *life) struck(k kill, stdin string, words []string) (o outcome) {
	path, err := exec.LookPath(program)
	l.must(err)
	cmd := exec.Command(path, append(words, "--yes")...)
	var stdout, stderr strings.Builder
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = []string{}, strings.NewReader(stdin), &stdout, &stderr
	for name, value := range l.environ() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	started, gone := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	n, dead := 0, false
	for _, v := range l.lab.VCenters {
		v.SetFault(func(_ int, method string) vcsim.Fault {
			mu.Lock()
			defer mu.Unlock()
			if changing.MatchString(method) {
				n++
			}
			switch {
			case dead:
				return vcsim.Fault{Kind: vcsim.Dropped}
			case n < k.n:
				return vcsim.Fault{}
			}
			dead = true
			<-started
			_ = cmd.Process.Kill()
			<-gone // nothing of the process runs any more when this request is served, or is not
			if k.late {
				return vcsim.Fault{Kind: vcsim.LostReply}
			}
			return vcsim.Fault{Kind: vcsim.Dropped}
		})
	}
	l.must(cmd.Start())
	close(started)
	var exited *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exited) {
		l.must(err)
	}
	close(gone)
	for _, v := range l.lab.VCenters {
		v.SetFault(nil)
	}
	o.code, o.out = cmd.ProcessState.ExitCode(), stdout.String()+stderr.String()
	o.before, o.unasked = o.out, true
	return o
}
