package contract_test

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

const (
	properties  = "RetrievePropertiesEx"
	permissions = "RetrieveEntityPermissions"
	rights      = "FetchUserPrivilegeOnEntities"
	setting     = "SetEntityPermissions"
	person      = "CreateLocalPersonUser"
	noRename    = `<privileges>Folder\.Rename</privileges>`
	noCreate    = `<privileges>Folder\.Create</privileges>`
	withCreate  = `<privileges>Folder.Create</privileges>`
)

// breaks has, for each rule that is tried, an alteration of one answer that breaks it.
func breaks() map[string]breakage {
	nothing := accept("vim25", "")
	return map[string]breakage{
		"R1 existing roles":         {properties, []string{"roleList"}, after(`<system>false</system>`, `<privilege>System\.Read</privilege>`, "")},
		"R1 new role":               {properties, []string{"roleList"}, after(roleNamed("r1"), `<privilege>System\.View</privilege>`, "")},
		"R2 new role":               {"AddAuthorizationRole", []string{"-r2-add<"}, accept("vim25", "<returnval>4711</returnval>")},
		"R2 update":                 {"UpdateAuthorizationRole", []string{"-r2-update<"}, nothing},
		"R3 taken name":             {"AddAuthorizationRole", []string{"-r3<"}, accept("vim25", "<returnval>4711</returnval>")},
		"R3 case":                   {"AddAuthorizationRole", []string{"-R3-CASE<"}, accept("vim25", "<returnval>4711</returnval>")},
		"R4 update":                 {properties, []string{"roleList"}, after(roleNamed("r4-renamed"), `Folder\.Move`, "Folder.Rename")},
		"R6 system roles":           {properties, []string{"roleList"}, replace(`<name>NoCryptoAdmin</name>`, `<name>NoCrypto</name>`)},
		"R7 in use":                 {"RemoveAuthorizationRole", []string{"role:r7"}, nothing},
		"R7 unknown role":           {"RemoveAuthorizationRole", []string{"role:r7-gone"}, nothing},
		"R8 delay":                  {rights, []string{"folder:r8"}, replace(`Folder\.Rename`, "Folder.Create")},
		"R9 catalogue":              {properties, []string{"privilegeList", "roleList"}, replace(`<privId>Zone\.Manage</privId>`, `<privId>Zone.Other</privId>`)},
		"R10 escalation":            {setting, []string{"folder:r10"}, nothing},
		"R11 others":                {permissions, []string{"folder:r11-others"}, after(`Response[^>]*>`, `(?s)<returnval>.*?</returnval>`, "")},
		"R11 again":                 {permissions, []string{"folder:r11-again"}, replace(`(?s)(<returnval>.*</returnval>)`, "$1$1")},
		"R11 twice":                 {setting, []string{"folder:r11-twice"}, refuse("InvalidArgument")},
		"R12 order":                 {permissions, []string{"folder:r12"}, empty("vim25")},
		"R15 unknown role":          {setting, []string{"folder:r15-role"}, nothing},
		"R15 role View":             {setting, []string{"folder:r15-view"}, nothing},
		"R15 no object":             {setting, []string{"folder:r15-gone"}, nothing},
		"R18 absent":                {"RemoveEntityPermission", []string{"folder:r18-absent"}, nothing},
		"R18 present":               {"RemoveEntityPermission", []string{"folder:r18"}, refuse("NotFound")},
		"R20 own permissions":       {permissions, []string{">group-d1<", "<inherited>false"}, replace(`>group-d1</entity>`, `>group-d2</entity>`)},
		"R20 inherited permissions": {permissions, []string{`type="Datacenter"`, "<inherited>true"}, replace(`<propagate>true`, `<propagate>false`)},
		"R20 unknown role":          {"RetrieveRolePermissions", nil, nothing},
		"R20 below":                 {permissions, []string{"folder:r20"}, empty("vim25")},
		"R21 groups unite":          {rights, []string{"folder:r21-groups"}, replace(noRename, "")},
		"R21 user first":            {rights, []string{"folder:r21-user"}, replace(noRename, withCreate)},
		"R22 nearest":               {rights, []string{"folder:r22-near"}, replace(noRename, withCreate)},
		"R22 no access":             {rights, []string{"folder:r22-none"}, replace(`</entity>`, `</entity>`+withCreate)},
		"R22 group below":           {rights, []string{"folder:r22-group"}, replace(noRename, withCreate)},
		"R23 propagates":            {rights, []string{"folder:r23-down"}, replace(noCreate, "")},
		"R23 does not propagate":    {rights, []string{"folder:r23-here"}, replace(`</entity>`, `</entity>`+withCreate)},
		"R25 datacenter":            {rights, []string{`type="Datacenter"`}, after(`<privileges>`, `<privileges>System\.Read</privileges>`, "")},
		"R25 cluster":               {rights, []string{`type="ClusterComputeResource"`}, after(`<privileges>`, `<privileges>System\.Read</privileges>`, "")},
		"R27 no entity":             {"HasUserPrivilegeOnEntities", []string{`type="SessionManager"`}, replace(`<isGranted>true`, `<isGranted>false`)},
		"R28 login":                 {properties, []string{"currentSession"}, replace(`<userName>[^<\\]*\\`, `<userName>`)},
		"R28 permissions":           {permissions, []string{">group-d1<", "<inherited>false"}, replace(`<principal>[^<\\]*\\`, `<principal>`)},
		"R29 full set":              {rights, []string{">group-d1<"}, after(`<privileges>`, `<privileges>System\.Read</privileges>`, "")},
		"R30 forms of a name":       {"HasUserPrivilegeOnEntities", []string{"@"}, replace(`<isGranted>true`, `<isGranted>false`)},
		"R30 unknown name":          {"HasUserPrivilegeOnEntities", []string{"-nobody-"}, replace(`<isGranted>false`, `<isGranted>true`)},
		"R31 own session":           {"HasPrivilegeOnEntities", []string{"not:Folder.Create"}, replace(`<isGranted>true`, `<isGranted>false`)},
		"R31 unknown session":       {"HasPrivilegeOnEntities", []string{"-nobody-"}, replace(`<isGranted>false`, `<isGranted>true`)},
		"R32 unknown principal":     {setting, []string{"folder:r32-nobody"}, replace(`<unresolved>false`, `<unresolved>true`)},
		"R32 delay":                 {setting, []string{"folder:settle-r32"}, refuse("UserNotFound")},
		"R33 domain":                {"Get", nil, replace(`(?i)>vsphere\.local<`, ">other.local<")},
		"R34 administrators":        {"CreateLocalGroup", []string{"-r34<"}, accept("sso", "")},
		// the first answer is for the passwords of the scratch accounts
		"R35 policy":                   {"GetLocalPasswordPolicy", nil, second("GetLocalPasswordPolicy", replace(`<minLength>\d+`, `<minLength>1`))},
		"R35 violation":                {person, []string{"-r35-short<"}, accept("sso", "")},
		"R35 history":                  {"ResetLocalPersonUserPassword", nil, refuse("SsoAdminFaultPasswordPolicyViolationFault")},
		"R36 lockout":                  {"GetLockoutPolicy", nil, replace(`<maxFailedAttempts>\d+`, `<maxFailedAttempts>-1`)},
		"R37 account":                  {"FindPersonUser", []string{"-r37<"}, replace(`<disabled>false`, `<disabled>true`)},
		"R37 days left":                {"GetDaysRemainingUntilPasswordExpiration", nil, replace(`<returnval>\d+`, `<returnval>4000`)},
		"R38 exact":                    {"FindPersonUser", []string{">ADMINISTRATOR<"}, empty("sso")},
		"R38 part of a name":           {"FindPersonUser", []string{">Administrato<"}, again("person")},
		"R38 search":                   {"FindPersonUsers", []string{">dministrato<"}, empty("sso")},
		"names signs":                  {person, []string{"-signs-", "-bad<"}, accept("sso", "")},
		"groups Everyone":              {"FindDirectParentGroups", nil, replace(`>Everyone<`, `>Nobody<`)},
		"groups nested":                {"FindNestedParentGroups", []string{"-g1<"}, accept("sso", "")},
		"R39 taken name":               {person, []string{"-r39<"}, accept("sso", "")},
		"R39 case":                     {person, []string{"-R39-CASE<"}, accept("sso", "")},
		"R39 absent":                   {"DeleteLocalPrincipal", []string{"-r39-absent<"}, accept("sso", "")},
		"R40 registrations":            {"List", nil, replace(`>vcenterserver<`, `>somethingelse<`)},
		"R42 no permission":            {"Login", []string{"-bare@"}, refuse("InvalidLogin")},
		"R43 sessions":                 {properties, []string{"sessionList"}, replace(`<key>[^<]*</key>`, `<key>x</key>`)},
		"R44 missing privileges":       {"CreateFolder", []string{"-r44-refused<"}, replace(`Folder\.Create`, `Folder.Move`)},
		"R46 global permissions":       {"POST /api/vcenter/authorization/permissions", nil, status(401)},
		"R46 older service":            {"GET /rest/com/vmware/cis/authz/permission", nil, status(404)},
		"R47 version":                  {"RetrieveServiceContent", nil, replace(`<apiVersion>8\.0\.3\.0`, `<apiVersion>8.1.0.0`)},
		"R47 privilege checks":         {"GET /api/vcenter/authorization/privilege-checks/latest", nil, status(500)},
		"R47 inventory lists":          {"GET /api/vcenter/datacenter", nil, status(404)},
		"R47 tagging":                  {"GET /api/cis/tagging/category", nil, status(404)},
		"R48 privileges on the parent": {properties, []string{"privilegeList"}, after(`<privId>Folder\.Delete</privId>`, `<onParent>true`, `<onParent>false`)},
		"sight hidden":                 {"FindByInventoryPath", []string{"-sight<"}, found},
		"R48 delete":                   {"Destroy_Task", []string{"folder:r48"}, accept("vim25", `<returnval type="Task">task-0</returnval>`)},
	}
}

// found answers a search for a folder of a run with that folder.
func found(b *breaker, a *vcsim.Answer) bool {
	if bytes.Contains(a.Body, []byte("<returnval")) {
		return false
	}
	return send(a, http.StatusOK, `<FindByInventoryPathResponse xmlns="urn:vim25"><returnval type="Folder">`+b.folders["sight"]+`</returnval></FindByInventoryPathResponse>`)
}

// again answers with what an earlier answer was.
func again(saved string) func(*breaker, *vcsim.Answer) bool {
	return func(b *breaker, a *vcsim.Answer) bool {
		a.Body = slices.Clone(b.saved[saved])
		return a.Body != nil
	}
}

// A rule that a vCenter breaks differs, and no other. The short run breaks several at once, far from each other in the list;
// the long one each alone.
func TestBroken(t *testing.T) {
	t.Parallel()
	table := breaks()
	var tried []string
	for _, rule := range contract.Rules() {
		if rule.Why != "" {
			continue
		}
		if _, ok := table[rule.Name()]; !ok {
			t.Errorf("%s: nothing breaks it here", rule.Name())
			continue
		}
		tried = append(tried, rule.Name())
	}
	if len(table) != len(tried) {
		t.Errorf("%d alterations for %d rules", len(table), len(tried))
	}
	groups := 8
	if os.Getenv("LONG") != "" {
		groups = len(tried)
	}
	r := newRig(t, vcsim.Options{})
	scratch, before := r.folder(t), r.Snapshot()
	for g := range groups {
		var broken []string
		var rules []breakage
		for i := g; i < len(tried); i += groups {
			broken, rules = append(broken, tried[i]), append(rules, table[tried[i]])
		}
		b := newBreaker(rules)
		r.SetAnswer(b.answer)
		report := r.run(t, scratch)
		r.SetAnswer(nil)
		want := slices.Sorted(slices.Values(broken))
		var got []string
		for _, f := range report.Different() {
			got = append(got, f.Rule+" "+f.Case)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rules that differ (-broken +found):\n%s", diff)
			for _, f := range report.Rules {
				if slices.Contains(broken, f.Rule+" "+f.Case) {
					t.Logf("%s %s: %s (%s)", f.Rule, f.Case, f.Verdict, f.Detail)
				}
			}
		}
		for i, n := range b.done {
			if n == 0 {
				t.Errorf("%s: the alteration never happened", broken[i])
			}
		}
		if err := report.CleanErr(); err != nil {
			t.Errorf("left: %v", err)
		}
	}
	if diff := cmp.Diff(before, r.Snapshot()); diff != "" {
		t.Errorf("the vCenter changed:\n%s", diff)
	}
}
