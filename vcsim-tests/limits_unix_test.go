//go:build unix

package vcsimtests

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
)

// leaveTerminal gives up the controlling terminal. A script that wants one (ttyin) has made this process the leader of
// its own session already, and the call fails, as it should.
func leaveTerminal() { _, _ = syscall.Setsid() }

// fillDisk makes every write to a file fail, as on a full disk.
func fillDisk() {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 0, Max: 0}); err != nil {
		fatal("limit of file sizes: %v", err)
	}
}

// execWithoutRoot runs the program so that the modes of files count for it, whoever runs the tests.
func execWithoutRoot() {
	runtime.LockOSThread() // capabilities belong to a thread
	if os.Geteuid() == 0 {
		if err := dropFileCapabilities(); err != nil {
			fatal("give up root's rights on files: %v", err)
		}
	}
	path, err := exec.LookPath(program)
	if err == nil {
		err = syscall.Exec(path, append([]string{program}, os.Args[1:]...), os.Environ())
	}
	fatal("run %s: %v", program, err)
}
