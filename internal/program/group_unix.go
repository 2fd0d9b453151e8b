//go:build unix

package program

import (
	"os"
	"os/exec"
	"syscall"
)

// apart gives a program a session of its own: it has no terminal, and what it starts belongs to one group.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	endWithUs(cmd.SysProcAttr)
}

func interrupt(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }

// killRest ends what is left of a program's group.
func killRest(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
