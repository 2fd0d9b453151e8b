package vcsim

var rulesOfStorage = []Rule{
	{"R27", Recording, "PBM: without StorageProfile.View on the root folder, NoPermission names that privilege and group-d1", "vmware/terraform-provider-vsphere#1216", "policy/profiles.go", by("TestR27PolicyPrivileges")},
	{"R27", Reference, "PBM: creating, changing and deleting policies needs StorageProfile.Update, queries StorageProfile.View", policyReference, "policy/profiles.go", by("TestR27PolicyPrivileges")},
	{"R27", Inference, "PBM: StorageProfile.Update is checked on the root folder, as StorageProfile.View was seen to be", "", "policy/profiles.go", by("TestR27PolicyPrivileges")},
	{"R27", Recording, "CNS: queries need Cns.Searchable; without it the call is NoPermission", "kubernetes-sigs/vsphere-csi-driver#292, #530", "volumes/query.go", by("TestVolumePrivileges")},
	{"R27", Reference, "CNS: Cns.Searchable is checked on the root folder", volumeReference, "volumes/volumes.go", by("TestVolumePrivileges")},
	{"storage", Reference, "CNS: of the datastores of a request those that the caller may not work on are left out; where no other is left, the creation is refused. One of 2019 was refused whole (kubernetes-sigs/vsphere-csi-driver#114)", volumeReference + ", CnsCreateVolume", "volumes/life.go", by("TestVolumePrivileges")},
	{"storage", Inference, "CNS: creating, deleting and extending a volume, and making and deleting its snapshots, needs Datastore.FileManagement on its datastores, System.Read on their datacenters and, where a policy is named, StorageProfile.View on the root folder", "", "volumes/volumes.go", by("TestVolumePrivileges")},
	{"storage", Reference, "CNS: attaching a volume needs Datastore.FileManagement on its datastore, and VirtualMachine.Config.AddExistingDisk and AddRemoveDevice on the machine; changing what a cluster says of it, Datastore.FileManagement alone", volumeReference, "volumes/attach.go", by("TestVolumePrivileges")},
	{"storage", Reference, "CNS: detaching a volume needs Datastore.FileManagement on its datastore and VirtualMachine.Config.RemoveDisk on the machine. Sources contradict each other: the roles in the documentation of the CSI driver and of OpenShift lack RemoveDisk, and clusters with them detach volumes", volumeReference, "volumes/attach.go", by("TestVolumePrivileges")},
	{"storage", Inference, "CNS: missing privileges refuse the call; everything else that is wrong with a volume is a fault of that volume in the result of the task", "", "volumes/volumes.go", by("TestVolumePrivileges", "TestVolumeLife")},
	{"storage", Inference, "CNS: a volume that is attached is not deleted and not attached again (ResourceInUse); one that is not there is NotFound", "", "volumes/attach.go", by("TestVolumeLife")},
	{"storage", Reference, "CNS: a volume is detached as often as somebody likes from a machine that had it; from one that never had it, it is InvalidArgument, never NotFound", volumeReference + ", CnsDetachVolume", "volumes/attach.go", by("TestVolumeLife")},
	{"storage", Reference, "CNS: a volume with snapshots is in use: it is not deleted", volumeReference + ", CnsDeleteVolume", "volumes/snapshots.go", by("TestVolumeSnapshots")},
	{"storage", Unknown, "CNS: file volumes, and volumes from snapshots: each is refused with a CnsFault that says that they are not simulated", "", "volumes/life.go", by("TestVolumesThatAreNotSimulated")},
	{"storage", Reference, "CNS: a machine that is destroyed leaves the volumes that it has, which keep their disks", apiReference + ", VslmCreateSpec.keepAfterDeleteVm", "volumes/attach.go", by("TestVolumeOutlivesItsMachine")},
	{"storage", Inference, "CNS: a volume goes to the first of the given datastores that satisfies its policy, or of those that the caller sees", "", "volumes/life.go", by("TestVolumePolicies")},
	{"storage", Reference, "PBM: everybody is told what the service consists of; else the cookie of a vim25 session is in the header of each request", policyReference + "; govmomi", "storage_policies.go", by("TestR27PolicyPrivileges")},
	{"storage", Reference, "PBM: a name is there once (PbmDuplicateName); an unknown id is InvalidArgument; deleting says of each id what became of it", policyReference + "; vsphere-problem-detector and the operator of the CSI driver depend on it", "policy/profiles.go", by("TestPolicyProfiles")},
	{"storage", Inference, "PBM: a datastore satisfies a rule by tags when it has one of the tags in that category, and a policy when it satisfies all rules of one of its sets; of the datastores that are asked about each is answered, and one that the caller does not see is PbmNonExistentHubs", "", "policy/placement.go", by("TestPolicyFollowsTags")},
	{"storage", Unknown, "PBM: which datastores satisfy rules by other things than tags, vSAN and encryption: none", "", "policy/placement.go", by("TestPolicyFollowsTags")},
	{"storage", Inference, "PBM: no policy has I/O filters (PbmQueryIOFiltersFromProfileId of the internal API); one that is not there has a fault of its own in the answer", "", "policy/profiles.go", by("TestPolicyIOFilters")},
	{
		"storage", Reference, "VSLM: changing a first class disk needs Datastore.FileManagement on its datastore",
		diskReference + " (the privilege is in the prose of its methods); " + apiReference + ", VcenterVStorageObjectManager",
		"volumes/disks.go", by("TestDiskPrivileges"),
	},
	{
		"storage", Inference, "VSLM: registering a file as a disk needs Datastore.FileManagement on the datastore that its URL names, " +
			"in vim25 too; a disk is read by who sees its datastore, and lists have no others",
		"", "volumes/disks.go", by("TestDiskPrivileges"),
	},
	{
		"storage", Reference, "VSLM: the cookie of a vim25 session is in the header of each request; everybody is told what the service consists of",
		"vmware/govmomi v0.56.0, vslm", "storage_volumes.go", by("TestDiskPrivileges"),
	},
	{
		"storage", Recording, "VSLM: a file that is a disk already is AlreadyExists, which names the disk",
		"kubernetes-sigs/vsphere-csi-driver#701", "volumes/disks.go", by("TestStaticVolumes"),
	},
	{
		"storage", Recording, "CNS: a disk that is a volume already is CnsAlreadyRegisteredFault, which names it: the driver takes that for success",
		"vmware/govmomi#1943; kubernetes-sigs/vsphere-csi-driver#450", "volumes/life.go", by("TestStaticVolumes"),
	},
	{
		"storage", Recording, "CNS: the URL of a file whose datacenter or datastore is not there is InvalidArgument (dsDiskUrl) of the call",
		"kubernetes-sigs/vsphere-csi-driver#3093", "volumes/life.go", by("TestStaticVolumes"),
	},
	{
		"storage", Inference, "CNS: a volume of a disk or of a file that is there asks for Datastore.FileManagement on its datastore, " +
			"whatever datastores the request lists, and the call is refused without it",
		"", "volumes/life.go", by("TestDiskPrivileges"),
	},
	{
		"storage", Unknown, "SMS answers 501: no component of OpenShift and neither the CSI driver nor its operator calls it",
		"", "not_served.go", by("TestNotServed"),
	},
	{"storage", Unknown, "Methods of PBM, VSLM and CNS that are not simulated (compliance, capabilities, relocation, access lists, snapshots and changed blocks of disks): MethodNotFound, which a vCenter that has them never returns", "", "storage_volumes.go", by("TestStorageMethodsThatAreNotSimulated")},
}
