package installconfig

// What the tests see that run the whole program.
type Output = output

var (
	NewCmdExtract = newCmdExtract
	NewCmdRender  = newCmdRender
)
