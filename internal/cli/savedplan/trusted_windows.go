package savedplan

import "io/fs"

// modesTell is false: Go makes up modes here; access lists decide who may write.
const modesTell = false

func foreignOwner(fs.FileInfo) (uid uint32, foreign bool) { return 0, false }
