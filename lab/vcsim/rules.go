package vcsim

import "slices"

// Basis says what a rule of the simulation rests on.
type Basis string

// What a rule can rest on. A reader may trust them in this order.
const (
	Recording Basis = "recording" // what a real server answered, as somebody published it
	Reference Basis = "reference" // API reference, manuals, the WSDL of a vCenter, the open source of vCenter SSO
	Inference Basis = "inference" // a conclusion; nothing says so
	Unknown   Basis = "unknown"   // not known; the rule says what the simulation does
)

// Rule is one thing that the simulation holds about vCenters, and what our word for it is worth.
type Rule struct {
	ID       string   `json:"id"` // R1 to R48, or a word; several rules share one where parts of it rest on different things
	Basis    Basis    `json:"basis"`
	Text     string   `json:"text"`
	Source   string   `json:"source"`   // "" of inferences, and of what is not known
	Enforced string   `json:"enforced"` // file below lab/vcsim
	Tests    []string `json:"tests"`    // of that package and of those below it
}

// Rules lists everything that the simulation holds, in the order of the rules' numbers.
func Rules() []Rule {
	return slices.Concat(rulesOfRoles, rulesOfRights, rulesOfSSO, rulesOfService, rulesOfInventory, rulesOfStorage)
}

// by names tests.
func by(tests ...string) []string { return tests }

// Sources that several rules name.
const (
	apiReference = "vSphere Web Services API reference"
	// automationReference is that of the REST API.
	automationReference = "vSphere Automation API reference"
	// policyReference is that of PBM.
	policyReference = "VMware Storage Policy API reference"
	// volumeReference is that of CNS.
	volumeReference = "vSAN Management API reference, CnsVolumeManager"
	// diskReference is that of VSLM.
	diskReference = "Virtual Storage Lifecycle Management API reference, VslmVStorageObjectManager"
	cryptography  = "VMware vSphere 8.0 Security, Cryptographic Operations Privileges"
	secGuide      = "vSphere Security / Authentication guides"
	lightwave     = "vmware/lightwave@1ff3bea, source of vCenter SSO"
	ssoWSDL       = "WSDL: vmware/PowerCLI-Example-Scripts@9f98501"
	pyvmomi       = "vmware/pyvmomi@debb051, tests/fixtures"
)
