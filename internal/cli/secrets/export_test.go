package secrets

// What the tests see that run the whole program.
type RequestsFlags = requestsFlags

var (
	NewCmdEmit    = newCmdEmit
	NewCmdRenew   = newCmdRenew
	NewCmdExplain = newCmdExplain
)
