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

// apart gives a program its own session, without a terminal, and a process group.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	endWithUs(cmd.SysProcAttr)
}

func interrupt(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }

// killRest kills a program's group and, with /proc, processes with the mark, in a few passes.
func killRest(p *os.Process, mark string) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	for found, passes := true, 20; found && passes > 0; passes-- {
		found = false
		processes, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range processes {
			environ, _ := os.ReadFile(path)
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil &&
				bytes.Contains(environ, []byte(mark+"\x00")) {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
	}
}
