package permissions

// What the tests see that run the whole program.
var (
	NewCmdList  = newCmdList
	NewCmdCheck = newCmdCheck
)
