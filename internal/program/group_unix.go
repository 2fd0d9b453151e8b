//go:build unix

package program

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// apart gives a program a session of its own: it has no terminal, and what it starts belongs to one group.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	endWithUs(cmd.SysProcAttr)
}

func interrupt(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }

// killRest ends what is left of a program's group and, where there is /proc, what has the mark in its environment; a few passes end who
// starts others meanwhile.
func killRest(p *os.Process, mark string) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	for found, passes := true, 20; found && passes > 0; passes-- {
		found = false
		processes, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range processes {
			environ, _ := os.ReadFile(path) //nolint:gosec // empty for a process that has ended, or is another user's
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && bytes.Contains(environ, []byte(mark+"\x00")) {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
	}
}
