//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package term

// hush does nothing: what is typed between two questions is shown.
func hush(int) error { return nil }
