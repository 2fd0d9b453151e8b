package files

import "io/fs"

// posix is false: Go makes up 0666 for every file here, the access lists say who may read it, and nothing that is open can
// be renamed.
const posix = false

const nonblocking = 0

// isRoots is never asked: isOwn says yes.
func isRoots(fs.FileInfo) bool { return false }

// isOwn leaves the owner to the name: nothing here says whose a file is, and the access lists say who may remove it.
func isOwn(fs.FileInfo) bool { return true }
