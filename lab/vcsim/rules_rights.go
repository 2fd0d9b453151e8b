package vcsim

var rulesOfRights = []Rule{
	{"R21", Reference, "On one object a user's permission overrides those of groups; without one, those of groups add up", secGuide, "effective.go", by("TestR21UserBeatsGroups", "TestEngineAgreesWithTheRules")},
	{"R22", Recording, "The nearest object with a permission for the user or a group of theirs decides", secGuide + "; " + pyvmomi, "effective.go", by("TestR22NearestDecides", "TestEngineAgreesWithTheRules")},
	{"R22", Inference, "A group's permission on a child overrides a user's on a parent", "", "effective.go", by("TestR22NearestDecides")},
	{"R23", Reference, "A permission that does not propagate applies only to its object, and to those that R25 treats as one with it", secGuide, "effective.go", by("TestR23WithoutPropagate")},
	{"R24", Recording, "A virtual machine inherits along its folder and along host, cluster or pool; both are added", secGuide + "; " + pyvmomi, "effective_inventory.go", by("TestR24TwoPathsOfAVM")},
	{"R24", Inference, "A template inherits only along its folder", "", "effective_inventory.go", by("TestR24TwoPathsOfAVM")},
	{"R25", Reference, "A datacenter and its four child folders have the same permissions, whatever propagates; so have a cluster and its root pool, a standalone compute resource and its host and pool", apiReference + " (8.0.2)", "effective_inventory.go", by("TestR25ComplexEntities")},
	{"R26", Reference, "Chains of inheritance: datastore, network, host, pool up to the root folder", secGuide, "effective_inventory.go", by("TestR26Chains")},
	{"R26", Inference, "A distributed port group inherits from its folder, not from its switch", "", "effective_inventory.go", by("TestR26Chains")},
	{"R27", Reference, "For what is not a managed entity, privileges are checked on the root folder", apiReference, "enforce.go", by("TestR27NonEntities")},
	{"R27", Reference, "SessionIsActive needs Sessions.ValidateSession on the root folder, for a session of one's own, too", apiReference + "; openshift/machine-api-operator#921", "enforce.go", by("TestR27SessionIsActive")},
	{"R28", Recording, "Principals are stored and listed as DOMAIN\\name, and taken as name@domain and bare as well, in any case", pyvmomi, "directory/directory.go", by("TestR28PrincipalForms", "TestR28NameForms", "TestR28LoginForms", "TestR28AnySpellingIsTheSamePrincipal")},
	{"R29", Recording, "FetchUserPrivilegeOnEntities gives all privileges of a user, through groups too; a bare name gets none", "openshift/installer#6596; " + pyvmomi, "authz_reads.go", by("TestR29FetchPrivileges")},
	{"R30", Reference, "HasUserPrivilegeOnEntities takes name@domain and DOMAIN\\name", apiReference, "authz_reads.go", by("TestR30HasUserPrivilege")},
	{"R30", Unknown, "What HasUserPrivilegeOnEntities answers for an unknown user: no privileges", "", "authz_reads.go", by("TestR30HasUserPrivilege")},
	{"R31", Reference, "HasPrivilegeOnEntities takes a session key; for an unknown one, everything is false", apiReference, "authz_reads.go", by("TestR31SessionPrivileges")},
	{"R32", Reference, "UserNotFound.unresolved distinguishes a directory that cannot be reached from a user that does not exist", apiReference, "directory/directory.go", by("TestR32Unresolved", "TestR15Unresolved")},
	{"R32", Inference, "A new account can be unknown to permissions for a while (Options.UserDelay)", "", "directory/directory.go", by("TestR32UserDelay")},
	{"R32", Inference, "A search in an identity source that cannot be reached is refused with SsoFaultRuntimeServiceFault; the WSDL lets searches answer runtime faults alone", "", "sso_sources_reach.go", by("TestR32SearchInASourceThatIsDown", "TestSSOAnswersOnlyWhatItsWSDLDeclares")},
}
