package credentials

// What the tests see that run the whole program.
var (
	KindOf         = kindOf
	NewCmdExport   = newCmdExport
	NewCmdImport   = newCmdImport
	NewCmdResolve  = newCmdResolve
	NewCmdShow     = newCmdShow
	NewCmdValidate = newCmdValidate
)
