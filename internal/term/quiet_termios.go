//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package term

import "golang.org/x/sys/unix"

// hush turns off a terminal's echo and line editing, so that early keys reach the next question as
// typed. Ctrl-C still interrupts.
func hush(fd int) error {
	state, err := unix.IoctlGetTermios(fd, readTermios)
	if err != nil {
		return err
	}
	state.Lflag &^= unix.ECHO | unix.ICANON | unix.IEXTEN
	state.Cc[unix.VMIN], state.Cc[unix.VTIME] = 1, 0
	return unix.IoctlSetTermios(fd, writeTermios, state)
}
