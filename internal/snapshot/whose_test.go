package snapshot_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// having is a vCenter whose SSO domain has these accounts.
func having(t *testing.T, text string, change func(*snapshot.Request), users ...sso.User) *snapshot.Snapshot {
	t.Helper()
	v := read(t, text, change)
	for _, u := range users {
		v.SSO.Users[strings.ToLower(u.Name)] = u
		if cluster, _, ours := sso.ParseMark(u.Description); ours && cluster == v.Request.Spec.Cluster {
			v.SSO.Marked = append(v.SSO.Marked, u)
		}
	}
	v.Alone()
	return v
}

// A user that the specification names is ours with our mark or if it does not exist; else others'.
func TestWhoseNamedUsersAre(t *testing.T) {
	t.Parallel()
	csi := sso.Mark("c1", component.CSIDriver)
	for name, c := range map[string]struct {
		accounts string // of csi-driver
		second   string // of machine-api
		users    []sso.User
		unread   bool
		ours     bool
	}{
		"missing":                 {accounts: "csi1", ours: true},
		"missing, whole name":     {accounts: "CSI1@VSPHERE.LOCAL", ours: true},
		"with our mark":           {accounts: "csi1", users: []sso.User{{Name: "csi1", Description: csi}}, ours: true},
		"of another component":    {accounts: "csi1", users: []sso.User{{Name: "csi1", Description: sso.Mark("c1", component.MachineAPI)}}},
		"of another cluster":      {accounts: "csi1", users: []sso.User{{Name: "csi1", Description: sso.Mark("c2", component.CSIDriver)}}},
		"a person's":              {accounts: "csi1", users: []sso.User{{Name: "csi1"}}},
		"missing, of two":         {accounts: "csi1", second: "csi1@vsphere.local"},
		"of another directory":    {accounts: `CORP\csi1`},
		"not read":                {accounts: "csi1", unread: true},
		"the run's administrator": {accounts: "Administrator@vsphere.local", users: []sso.User{{Name: "Administrator"}}},
	} {
		text := "components: {csi-driver: {}, machine-api: {}}\n" + domain()
		named := "csi-driver: {user: '" + c.accounts + "'}"
		if c.second != "" {
			named += ", machine-api: {user: '" + c.second + "'}"
		}
		text = strings.Replace(text, "- server: vc1\n", "- server: vc1\n  accounts: {"+named+"}\n", 1)
		v := having(t, text, nil, c.users...)
		if c.unread {
			v.SSO.Users = nil
		}
		v.SettleUsers()
		if got := v.Owns(component.CSIDriver); got != c.ours {
			t.Errorf("%s: ours %v", name, got)
		}
	}
}

// Accounts with our mark that the specification does not use are dropped ones, and with two of a
// component they were dropped during a rotation.
func TestDropped(t *testing.T) {
	t.Parallel()
	mark := func(name string, c component.Name) sso.User {
		return sso.User{Name: name, Description: sso.Mark("c1", c)}
	}
	for name, c := range map[string]struct {
		users         []sso.User
		components    string
		all, rotating string
	}{
		"used":              {users: []sso.User{mark("ocp-c1-csi-driver", component.CSIDriver), mark("ocp-c1-csi-driver-2", component.CSIDriver)}},
		"not used":          {users: []sso.User{mark("ocp-c1-machine-api", component.MachineAPI)}, all: "ocp-c1-machine-api"},
		"under other names": {users: []sso.User{mark("old", component.CSIDriver)}, all: "old"},
		"in a rotation": {
			users: []sso.User{mark("ocp-c1-machine-api", component.MachineAPI), mark("ocp-c1-machine-api-2", component.MachineAPI), mark("old", component.CSIDriver)},
			all:   "ocp-c1-machine-api ocp-c1-machine-api-2 old", rotating: "ocp-c1-machine-api ocp-c1-machine-api-2",
		},
		"adopted now": {users: []sso.User{mark("taken", component.MachineAPI)}, components: "{csi-driver: {principal: taken@vsphere.local}}"},
		"another's":   {users: []sso.User{{Name: "ocp-c1-machine-api", Description: "a person"}, {Name: "x", Description: sso.Mark("c2", component.CSIDriver)}}},
	} {
		if c.components == "" {
			c.components = "{csi-driver: {}}"
		}
		v := having(t, "components: "+c.components+"\n"+domain(), nil, c.users...)
		names := func(all []snapshot.OwnAccount) string {
			var words []string
			for _, a := range all {
				words = append(words, a.Name)
			}
			return strings.Join(words, " ")
		}
		if got := names(v.Dropped()); got != c.all {
			t.Errorf("%s: dropped %q, want %q", name, got, c.all)
		}
		if got := names(v.DroppedWhileRotating()); got != c.rotating {
			t.Errorf("%s: while rotating %q, want %q", name, got, c.rotating)
		}
	}
}

// A permission is ours by its account, or for an adopted one by its role.
func TestWhosePermissionsAre(t *testing.T) {
	t.Parallel()
	text := "components: {csi-driver: {}, machine-api: {principal: 'CORP\\mapi'}}\n" + domain()
	v := having(t, text, nil, sso.User{Name: "old", Description: sso.Mark("c1", component.Diagnostics)})
	d, err := v.Bind()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(d.Wanted.All, func(p *access.Permission) bool {
		return p.Account.Adopted && p.At == v.Inventory.At("/DC/vm/f")
	})
	wanted := d.Wanted.All[i]
	v.Roles = roles.Of("vc1", append(v.Roles.All(), roles.Role{ID: 20, Name: wanted.Role, Privileges: wanted.Holds}), v.Roles.Catalogue())
	v.Facts = v.Request.Classify(v.Roles)
	for name, c := range map[string]struct {
		p             perms.Permission
		ours, unnamed bool
	}{
		"an account of ours":          {perms.Permission{Principal: "ocp-c1-csi-driver@vsphere.local", RoleID: 7}, true, false},
		"a dropped account":           {perms.Permission{Principal: "old@vsphere.local", RoleID: 7}, true, false},
		"adopted, as wanted":          {perms.Permission{Principal: `CORP\mapi`, RoleID: 20}, true, false},
		"adopted, with their role":    {perms.Permission{Principal: `CORP\mapi`, RoleID: 7}, false, false},
		"adopted, with a system role": {perms.Permission{Principal: `CORP\mapi`, RoleID: -2}, false, false},
		"adopted once":                {perms.Permission{Principal: `CORP\before`, RoleID: 20}, false, true},
		"another's":                   {perms.Permission{Principal: `CORP\bob`, RoleID: 7}, false, false},
	} {
		c.p.Entity, c.p.Propagate = on(v, "/DC/vm/f"), true
		v.Perms = perms.Of("vc1", []perms.Permission{c.p}, v.KeyOf)
		if got := v.OursIn(d)(v.Perms.All[0]); got != c.ours {
			t.Errorf("%s: ours %v", name, got)
		}
		adopted := strings.HasPrefix(name, "adopted,")
		if got := v.Made(d, v.Perms.All[0]); got != (adopted && c.ours) {
			t.Errorf("%s: made %v", name, got)
		}
		if got := len(v.Unnamed()) == 1; got != c.unnamed {
			t.Errorf("%s: unnamed %v", name, got)
		}
		if refs := v.Concerned(); slices.Contains(refs, on(v, "/DC/vm/f")) != (c.ours || c.unnamed || strings.HasPrefix(name, "adopted")) {
			t.Errorf("%s: concerned %v", name, refs)
		}
	}
}

// A folder or datacenter with rights of a component that removes machines is left when no failure
// domain names it; runs that take nothing away do not ask.
func TestLeftFolders(t *testing.T) {
	t.Parallel()
	at := func(path string, role int32, propagate bool) func(*snapshot.Snapshot) perms.Permission {
		return func(v *snapshot.Snapshot) perms.Permission {
			return perms.Permission{Entity: on(v, path), Principal: v.Principal(component.MachineAPI), RoleID: role, Propagate: propagate}
		}
	}
	for name, c := range map[string]struct {
		held    func(*snapshot.Snapshot) perms.Permission
		request func(*snapshot.Request)
		below   string
	}{
		"the folder of a failure domain": {held: at("/DC/vm/f", 7, true)},
		"another folder":                 {held: at("/DC/vm/old", 7, true), below: "/DC/vm/old false"},
		"another folder, to clone from":  {held: at("/DC/vm/old", 8, true)},
		"another folder, not below":      {held: at("/DC/vm/old", 7, false)},
		"the datacenter":                 {held: at("/DC", 7, true), below: "/DC true"},
		"the datacenter, to read":        {held: at("/DC", -2, true)},
		"the root":                       {held: at("/", 7, true)},
		"a datastore":                    {held: at("/DC/datastore/ds", 7, true)},
		"only roles":                     {held: at("/DC/vm/old", 7, true), request: func(r *snapshot.Request) { r.Only = plan.Role }},
		"additive":                       {held: at("/DC/vm/old", 7, true), request: func(r *snapshot.Request) { r.Additive = true }},
		"undone":                         {held: at("/DC/vm/old", 7, true), request: func(r *snapshot.Request) { r.Undoing = true }},
	} {
		v := read(t, "components: {machine-api: {}}\n"+domain(), c.request)
		place(v, "Folder", "/DC/vm/old")
		v.Roles = rolesWith(v, 8, "clones", privileges.Cloning())
		v.Perms = perms.Of("vc1", []perms.Permission{c.held(v)}, v.KeyOf)
		below, refs := v.LeftFolders()
		var got []string
		for _, m := range below {
			got = append(got, fmt.Sprint(v.Path(m.Ref), " ", m.Whole))
		}
		if strings.Join(got, ", ") != c.below || len(below) > 0 && !slices.Contains(refs, on(v, "/DC/vm/f")) {
			t.Errorf("%s: %v of %v, want %q", name, got, refs, c.below)
		}
	}
}

// Who administers is told by groups and permissions, in every spelling, and a hint never takes the
// rights of an administrator.
func TestAdministrators(t *testing.T) {
	t.Parallel()
	v := having(t, "components: {csi-driver: {}}\n"+domain(), nil, sso.User{Name: "bob", Groups: []string{"ops@vsphere.local"}})
	v.LoginGroups = []string{"admins@corp.example.com"}
	v.Perms = perms.Of("vc1", []perms.Permission{
		{Entity: v.Root, Principal: `VSPHERE.LOCAL\ops`, Group: true, RoleID: roles.AdminID},
		{Entity: on(v, "/DC"), Principal: `VSPHERE.LOCAL\some`, Group: true, RoleID: roles.AdminID},
		{Entity: v.Root, Principal: `VSPHERE.LOCAL\readers`, Group: true, RoleID: -2},
	}, v.KeyOf)
	for groups, want := range map[string]string{
		"":                                       "",
		"readers@vsphere.local":                  "",
		"some@vsphere.local":                     "",
		"OPS@VSPHERE.LOCAL":                      "OPS@VSPHERE.LOCAL",
		"x@vsphere.local ops@vsphere.local":      "ops@vsphere.local",
		"Administrators@vsphere.local":           "Administrators@vsphere.local",
		"Administrators@corp.example.com":        "",
		"CAAdmins@vsphere.local":                 "! CAAdmins@vsphere.local",
		"caadmins@VSPHERE.LOCAL x@vsphere.local": "! caadmins@VSPHERE.LOCAL",
	} {
		all := strings.Fields(groups)
		got := v.Administrating(all)
		if e := v.Empowering(all); e != "" {
			got = "! " + e
		}
		if got != want {
			t.Errorf("%s: %q, want %q", groups, got, want)
		}
	}
	for who, c := range map[access.Principal]struct {
		administers bool
		leaves      string
	}{
		{Name: "administrator@vsphere.local"}:          {true, "give csi-driver an account of its own"},
		{Name: `VSPHERE.LOCAL\Administrator`}:          {true, "give csi-driver an account of its own"},
		{Name: "admins@corp.example.com", Group: true}: {true, "give csi-driver an account of its own"},
		{Name: "admins@corp.example.com"}:              {false, "take it out of the group: govc sso.group.update -r admins@corp.example.com ops"},
		{Name: "bob@vsphere.local"}:                    {false, "take it out of the group: govc sso.group.update -r bob ops"},
		{Name: "team@vsphere.local", Group: true}:      {false, "take it out of the group: govc sso.group.update -g -r team ops"},
	} {
		if got := v.IsAdministrator(who); got != c.administers {
			t.Errorf("%s administers: %v", who, got)
		}
		if got := v.Leaving(component.CSIDriver, who, "ops@vsphere.local"); got != c.leaves {
			t.Errorf("%s: %q, want %q", who, got, c.leaves)
		}
	}
	if got := v.Leaving(component.CSIDriver, access.Principal{Name: "bob@vsphere.local"}, "g@corp.example.com"); got != "take it out of the group g@corp.example.com in its own directory" {
		t.Error(got)
	}
	if got := v.GroupsOf(access.Principal{Name: "BOB@vsphere.local"}); !slices.Equal(got, []string{"ops@vsphere.local"}) {
		t.Errorf("groups %v", got)
	}
	if got := v.GroupsOf(access.Principal{Name: "bob@corp.example.com"}); got != nil {
		t.Errorf("of another directory: %v", got)
	}
}

// What unread identity sources alone could tell is refused, and the specification can tell it.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		components string
		read       bool
		only       plan.Kind
		errs       []string
	}{
		"ours":                      {components: "{csi-driver: {}}"},
		"user or group":             {components: "{csi-driver: {principal: x@corp.example.com}}", errs: []string{"whether x@corp.example.com is a user or a group"}},
		"told":                      {components: "{csi-driver: {principal: x@corp.example.com, group: false}}"},
		"told for another":          {components: "{csi-driver: {principal: x@corp.example.com, group: true}, machine-api: {principal: X@corp.example.com}}"},
		"two spellings":             {components: "{csi-driver: {principal: x@corp.example.com, group: false}, machine-api: {principal: 'CORP\\x', group: false}}", errs: []string{"are the same account"}},
		"two domains":               {components: "{csi-driver: {principal: x@corp.example.com, group: false}, machine-api: {principal: x@other.example.com, group: false}}"},
		"the sources were read":     {components: "{csi-driver: {principal: x@corp.example.com}}", read: true},
		"roles alone, unread":       {components: "{csi-driver: {principal: x@corp.example.com}}", only: plan.Role},
		"permissions alone, unread": {components: "{csi-driver: {principal: x@corp.example.com}}", only: plan.Permission, errs: []string{"a user or a group"}},
	} {
		v := read(t, "components: "+c.components+"\n"+domain(), func(r *snapshot.Request) { r.Only = c.only })
		if !c.read {
			v.SSO.Why = errors.New("no right")
		}
		err := v.CheckAmbiguous()
		if (err == nil) != (c.errs == nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, text := range c.errs {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q", name, err, text)
			}
		}
	}
}

// The vCenters of an SSO domain are told by instance UUIDs; what is not read of it is said.
func TestSharedDomain(t *testing.T) {
	t.Parallel()
	registered := func(all ...string) (out []snapshot.Registered) {
		for _, r := range all {
			id, host, _ := strings.Cut(r, " ")
			out = append(out, snapshot.Registered{ID: id, Hosts: []string{host}})
		}
		return out
	}
	for name, c := range map[string]struct {
		registered []snapshot.Registered
		linked     []*snapshot.Linked
		failed     bool // vc2 could not be read
		peers      string
		others     string
		unread     string
	}{
		"by another ID":      {registered: registered("no-uuid vc1.corp"), peers: "vc1"},
		"alone":              {registered: registered("uuid-1 vc1.corp"), peers: "vc1"},
		"one more, unread":   {registered: registered("UUID-1 vc1.corp", "uuid-3 vc3"), peers: "vc1 vc3", others: "vc3", unread: "the SSO domain registers 1 more vCenter without a reachable name"},
		"one more, read":     {registered: registered("uuid-1 vc1.corp", "uuid-3 vc3"), linked: []*snapshot.Linked{{Server: "vc3", Perms: perms.Of("vc3", nil, access.Key)}}, peers: "vc1 vc3", others: "vc3"},
		"one more, refused":  {registered: registered("uuid-1 vc1.corp", "uuid-3 vc3"), linked: []*snapshot.Linked{{Server: "vc3", Err: errors.New("refused")}}, peers: "vc1 vc3", others: "vc3", unread: "vc3, in the same SSO domain, was not read (refused)"},
		"a specified one":    {registered: registered("uuid-1 vc1.corp", "uuid-2 VC2"), peers: "VC2 vc1", failed: true, unread: "vc2, which may be in the same SSO domain, could not be read"},
		"no longer answered": {registered: registered("uuid-1 vc1.corp", "uuid-3 vc3"), linked: []*snapshot.Linked{{Server: "vc3"}}, peers: "vc1 vc3", others: "vc3", unread: "the SSO domain registers 1 more vCenter without a reachable name"},
	} {
		v := read(t, domain()+"- server: vc2\n", nil)
		d := &snapshot.Domain{Key: "sso", Registered: c.registered, Peers: len(c.registered), Linked: c.linked}
		v.Domain = d
		all := []*snapshot.Snapshot{v}
		v.Request.Recognize(d, all)
		if c.failed {
			all = append(all, &snapshot.Snapshot{VCenter: spec.VCenter{Server: "vc2"}, Err: errors.New("no answer")})
		}
		d.Settle(all[:1], all)
		if got := strings.Join(d.PeerServers, " "); got != c.peers {
			t.Errorf("%s: peers %q, want %q", name, got, c.peers)
		}
		if got := strings.Join(d.Others, " "); got != c.others {
			t.Errorf("%s: others %q, want %q", name, got, c.others)
		}
		if got := strings.Join(d.Unread, "; "); got != c.unread {
			t.Errorf("%s: unread %q, want %q", name, got, c.unread)
		}
	}
	key := access.Key("bob@vsphere.local", false)
	held := perms.Of("vc3", []perms.Permission{{Principal: "bob@vsphere.local", RoleID: 5}}, func(string, bool) string { return key })
	d := &snapshot.Domain{Linked: []*snapshot.Linked{
		{Server: "vc3", Perms: held, Roles: roles.Of("vc3", []roles.Role{{ID: 5, Name: "r"}}, nil)},
		{Server: "vc4", Err: errors.New("refused")},
	}}
	if got := d.Holds(key); !slices.Equal(got, []string{"vc3 (1 permission)"}) {
		t.Errorf("holds %q", got)
	}
	if got := d.Holders("r"); !slices.Equal(got, []string{"bob@vsphere.local on vc3"}) {
		t.Errorf("holders %q", got)
	}
}
