package simulate

// What the tests see that run the whole program.
type (
	FaultFlag      = faultFlag
	LockoutFlag    = lockoutFlag
	RulesView      = rulesView
	SimulationView = simulationView
)

var (
	Contents         = contents
	Explanation      = explanation
	InfrastructureOf = infrastructureOf
	InstallConfigOf  = installConfigOf
	NearestRelease   = nearestRelease
	NewCmdExport     = newCmdExport
	SpecOf           = specOf
)

const DemoConfig = demoConfig
