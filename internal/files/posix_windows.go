package files

import "io/fs"

// posix is false: Go reports 0666 for all files, whose readers access lists decide.
const posix = false

const nonblocking = 0

// isRoots is never asked: isOwn says yes.
func isRoots(fs.FileInfo) bool { return false }

// isOwn relies on the name: Windows access lists decide who may remove the file.
func isOwn(fs.FileInfo) bool { return true }
