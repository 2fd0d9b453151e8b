//go:build !windows

package files

// posix says that modes tell who may read a file.
const posix = true
