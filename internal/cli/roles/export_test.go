package roles

// What the tests see that run the whole program.
var (
	NewCmdList = newCmdList
	NewCmdDiff = newCmdDiff
)
