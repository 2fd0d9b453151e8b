//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package term

import "golang.org/x/sys/unix"

// hush turns the echo of a terminal off and leaves the rest: lines can be edited, and Ctrl-C still interrupts.
func hush(fd int) error {
	state, err := unix.IoctlGetTermios(fd, readTermios)
	if err != nil {
		return err
	}
	state.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, writeTermios, state)
}
