package program

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endWithUs has the kernel kill the program when we are killed.
func endWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// killMarked kills the processes that have a variable in their environment, until there are none, or few passes were enough for nobody
// who starts new ones.
func killMarked(mark string) {
	const passes = 20
	for range passes {
		processes, _ := filepath.Glob("/proc/[0-9]*/environ")
		found := false
		for _, path := range processes {
			environ, _ := os.ReadFile(path) //nolint:gosec // of a process; empty for one that has ended or is another user's
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err == nil && strings.Contains("\x00"+string(environ), "\x00"+mark+"\x00") {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
