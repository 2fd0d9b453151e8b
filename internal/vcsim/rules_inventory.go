package vcsim

var rulesOfInventory = []Rule{
	{"inventory", Inference, "UUIDs of machines, hosts and switches follow from their names and the name of their vCenter: they differ between vCenters, and are the same in every run", "", "estate_identity.go", by("TestUUIDsOfVCentersDiffer")},
	{"inventory", Reference, "The option disk.enableUUID of a machine and its flag diskUuidEnabled say the same. Machines of an estate have both", apiReference, "estate_identity.go", by("TestHardwareOfMachines")},
	{"inventory", Inference, "A new machine has hardware version 19 where none is asked for, which all simulated releases have", "", "estate_identity.go", by("TestHardwareOfMachines")},
}
