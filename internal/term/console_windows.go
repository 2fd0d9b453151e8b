package term

import (
	"os"

	"golang.org/x/sys/windows"
)

// The console, whatever stdin and stdout are: each half is a file of its own.
const (
	consoleIn  = "CONIN$"
	consoleOut = "CONOUT$"
)

// steer has a console take the signs of colours and cursor, as every Windows does that Go runs on.
func steer(f *os.File) {
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil {
		_ = windows.SetConsoleMode(windows.Handle(f.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
}
