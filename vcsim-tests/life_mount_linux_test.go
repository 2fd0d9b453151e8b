package vcsimtests

import "syscall"

// mount puts the credentials file on a mount of its own, as a container may have it: it can be written, and not be replaced. Only root
// can.
func (l *life) mount() {
	path := l.credentials()
	if l.mounted == "" && l.read(path) != "" && syscall.Mount(path, path, "", syscall.MS_BIND, "") == nil {
		l.mounted = path
	}
}

// unmount has its directory mounted instead.
func (l *life) unmount() {
	if l.mounted != "" {
		l.must(syscall.Unmount(l.mounted, syscall.MNT_DETACH))
		l.mounted = ""
	}
}
