package files

// posix is false: Go makes up 0666 for every file here; the access lists say who may read it.
const posix = false
