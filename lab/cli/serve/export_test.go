package serve

// What the tests see that run the whole program.
type (
	FaultFlag      = faultFlag
	LockoutFlag    = lockoutFlag
	SimulationView = simulationView
)

var (
	Contents       = contents
	NearestRelease = nearestRelease
)
