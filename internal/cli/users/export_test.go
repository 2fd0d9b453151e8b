package users

// NewCmdList is what the tests see that run the whole program.
var NewCmdList = newCmdList
