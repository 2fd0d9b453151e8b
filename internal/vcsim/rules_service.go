package vcsim

var rulesOfService = []Rule{
	{"R41", Recording, "A firewall answers with an HTML page (FaultKind Blocked)", "vmware/govmomi#2129", "http.go", by("TestR41FirewallPage")},
	{"R42", Recording, "Login: a wrong password is InvalidLogin; a right one without a permission anywhere is NoPermission on group-d1, System.View", pyvmomi + "; vmware/pyvmomi#513", "authz_login.go", by("TestR42LoginNeedsAPermission")},
	{"R42", Reference, "Login: an expired password is PasswordExpired, which extends InvalidLogin", apiReference + " 6.7.2", "authz_login.go", by("TestR45RefusalsDifferInType")},
	{"R42", Unknown, "Login of a locked or disabled account: InvalidLogin", "", "authz_login.go", by("TestR36LockedUsers")},
	{"R43", Reference, "sessionList needs Sessions.TerminateSession", apiReference, "enforce.go", by("TestR43SessionList")},
	{"R44", Reference, "NoPermission names object and privilegeId; since 7.0.3.2, missingPrivileges lists all that is missing", apiReference, "authz_faults.go", by("TestR44NoPermission", "TestR47Releases")},
	{"R44", Inference, "8.0 and later still fill object and privilegeId, which are deprecated", "", "authz_faults.go", by("TestR44NoPermission")},
	{"R45", Inference, "Refusals differ in type; their texts are English and those of one release", "", "authz_faults.go", by("TestR45RefusalsDifferInType")},
	{"R46", Recording, "There is no API for global permissions through 8.0.3", "vmware/PowerCLI-Example-Scripts#473", "authz_reads.go", by("TestR46NoGlobalPermissions")},
	{"R46", Unknown, "How global permissions appear in inventory lists: there are none", "", "authz_reads.go", by("TestR46NoGlobalPermissions")},
	{"R47", Reference, "REST: sessions on all releases, privilege-checks since 8.0, permissions, roles and privileges in 9.0", "vSphere Automation API reference", "rest.go", by("TestR47RESTPaths", "TestRESTSession")},
	{"R47", Unknown, "What those paths return after login: 501, which a vCenter never returns", "", "rest.go", by("TestRESTSession")},
	{"R47", Unknown, "What else differs between releases: nothing does. Builds are those of a first release", "", "release.go", by("TestR47Releases")},
	{"R47", Unknown, "When an idle session ends: never. It ends by the fault ExpiredSession or by TerminateSession", "", "http.go", by("TestR47ExpiredSessionLogsInAgain", "TestTerminatedSession")},
	{"R48", Reference, "Some privileges are also required on the parent of the object that is removed", apiReference, "enforce.go", by("TestR48OnParent")},
	{"methods", Reference, "Each call and each property needs the privileges of the API reference of 8.0.2, on arguments too where the reference says so", apiReference + " 8.0.2", "enforce.go", by("TestEnforcement", "TestPropertyPrivileges")},
	{"methods", Inference, "A call that the reference does not list needs System.Read", "", "enforce.go", by("TestUnlistedMethod")},
	{"methods", Unknown, "Methods of the SSO administration that are not simulated: MethodNotFound or InvalidRequest, which a vCenter that has them never returns", "", "http_soap.go", by("TestSSOMethodsThatAreNotSimulated")},
	{"sight", Reference, "Without System.View an object does not exist for a caller: searches, views and property collectors leave it out", apiReference, "visibility.go", by("TestHiddenObjects", "TestViewsAndTraversals")},
	{"tokens", Unknown, "Signatures of SAML tokens: none. The STS remembers the tokens that it issued", "", "sts.go", by("TestForgedTokensAreRefused")},
}
