package vcsim

var rulesOfStorage = []Rule{
	{"R27", Recording, "PBM: without StorageProfile.View on the root folder, NoPermission names that privilege and group-d1", "vmware/terraform-provider-vsphere#1216", "policy/profiles.go", by("TestR27PolicyPrivileges")},
	{"R27", Inference, "PBM: creating, changing and deleting policies needs StorageProfile.Update on the root folder", "", "policy/profiles.go", by("TestR27PolicyPrivileges")},
	{"R27", Recording, "CNS: queries need Cns.Searchable; without it the call is NoPermission", "kubernetes-sigs/vsphere-csi-driver#292, #530", "volumes/query.go", by("TestVolumePrivileges")},
	{"R27", Reference, "CNS: Cns.Searchable is checked on the root folder", volumeReference, "volumes/volumes.go", by("TestVolumePrivileges")},
	{"storage", Recording, "CNS: one datastore of a request that the caller may not work on refuses the creation of a volume, also when that would go to another", "kubernetes-sigs/vsphere-csi-driver#114", "volumes/life.go", by("TestVolumePrivileges")},
	{"storage", Inference, "CNS: creating, deleting and extending a volume, and making and deleting its snapshots, needs Datastore.FileManagement on its datastores, System.Read on their datacenters and, where a policy is named, StorageProfile.View on the root folder", "", "volumes/volumes.go", by("TestVolumePrivileges")},
	{"storage", Reference, "CNS: attaching a volume needs Datastore.FileManagement on its datastore, and VirtualMachine.Config.AddExistingDisk and AddRemoveDevice on the machine; changing what a cluster says of it, Datastore.FileManagement alone", volumeReference, "volumes/attach.go", by("TestVolumePrivileges")},
	{"storage", Reference, "CNS: detaching a volume needs Datastore.FileManagement on its datastore and VirtualMachine.Config.RemoveDisk on the machine. Sources contradict each other: the roles in the documentation of the CSI driver and of OpenShift lack RemoveDisk, and clusters with them detach volumes", volumeReference, "volumes/attach.go", by("TestVolumePrivileges")},
	{"storage", Inference, "CNS: missing privileges refuse the call; everything else that is wrong with a volume is a fault of that volume in the result of the task", "", "volumes/volumes.go", by("TestVolumePrivileges", "TestVolumeLife")},
	{"storage", Inference, "CNS: a volume that is attached is not deleted and not attached again (ResourceInUse); one that is not there, or is not attached, is NotFound", "", "volumes/attach.go", by("TestVolumeLife")},
	{"storage", Inference, "CNS: a volume with snapshots is not deleted", "", "volumes/snapshots.go", by("TestVolumeSnapshots")},
	{"storage", Unknown, "CNS: file volumes, and volumes from snapshots: each is refused with a CnsFault that says that they are not simulated", "", "volumes/life.go", by("TestVolumesThatAreNotSimulated")},
	{"storage", Reference, "CNS: a machine that is destroyed leaves the volumes that it has, which keep their disks", apiReference + ", VslmCreateSpec.keepAfterDeleteVm", "volumes/attach.go", by("TestVolumeOutlivesItsMachine")},
	{"storage", Inference, "CNS: a volume goes to the first of the given datastores that satisfies its policy, or of those that the caller sees", "", "volumes/life.go", by("TestVolumePolicies")},
	{"storage", Reference, "PBM: everybody is told what the service consists of; else the cookie of a vim25 session is in the header of each request", policyReference + "; govmomi", "storage_policies.go", by("TestR27PolicyPrivileges")},
	{"storage", Reference, "PBM: a name is there once (PbmDuplicateName); an unknown id is InvalidArgument; deleting says of each id what became of it", policyReference + "; vsphere-problem-detector and the operator of the CSI driver depend on it", "policy/profiles.go", by("TestPolicyProfiles")},
	{"storage", Inference, "PBM: a datastore satisfies a rule by tags when it has one of the tags in that category, and a policy when it satisfies all rules of one of its sets; of the datastores that are asked about each is answered, and one that the caller does not see is PbmNonExistentHubs", "", "policy/placement.go", by("TestPolicyFollowsTags")},
	{"storage", Unknown, "PBM: which datastores satisfy rules by other things than tags, vSAN and encryption: none", "", "policy/placement.go", by("TestPolicyFollowsTags")},
	{"storage", Unknown, "Methods of PBM and CNS that are not simulated (compliance, capabilities, relocation, access lists): MethodNotFound, which a vCenter that has them never returns", "", "storage_volumes.go", by("TestStorageMethodsThatAreNotSimulated")},
}
