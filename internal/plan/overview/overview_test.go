package overview_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

func role(verb plan.Verb, name string, ids ...string) *plan.Change {
	c := &plan.Change{Verb: verb, Kind: plan.Role, Name: name}
	switch verb {
	case plan.Create:
		c.After = plan.RoleState{Privileges: ids}
	case plan.Update:
		c.Before, c.After = plan.RoleState{Privileges: []string{"Datastore.Browse", "Old.One"}}, plan.RoleState{Privileges: ids}
	default:
		c.Before = plan.RoleState{Privileges: ids}
	}
	return c
}

func user(name string) *plan.Change {
	return &plan.Change{Verb: plan.Create, Kind: plan.User, Name: name, After: plan.UserState{Description: "OpenShift cluster c"}}
}

func grant(principal, object, role string, propagate bool) *plan.Change {
	c := &plan.Change{
		Verb: plan.Create, Kind: plan.Permission, Object: object, Principal: principal,
		After: plan.PermissionState{Role: role, Propagate: propagate},
	}
	if above := strings.Split(object, "/"); len(above) > 2 {
		c.Datacenter = "/" + above[1]
	}
	return c
}

const (
	machines = "ocp-c-machine-api@vsphere.local"
	storage  = "ocp-c-csi-driver@vsphere.local"
	datastor = "openshift-csi-driver-datastore-057cc1"
	folder   = "openshift-machine-api-folder-f065b3"
)

// part is what is planned on one vCenter with the datacenter dc.
func part(dc string) []*plan.Change {
	return []*plan.Change{
		role(plan.Create, datastor, "Datastore.Browse"), role(plan.Create, folder, "A.B", "C.D", "E.F"),
		user(machines), user(storage),
		grant(machines, "/", "openshift-machine-api-vcenter-9d0baf", false), grant(storage, "/", "openshift-csi-driver-vcenter-3bb6d6", false),
		grant(machines, "/"+dc, "ReadOnly", true), grant(storage, "/"+dc, "ReadOnly", false),
		grant(storage, "/"+dc+"/datastore/ds1", datastor, false),
		grant(machines, "/"+dc+"/vm/openshift", "ReadOnly", false),
		grant(machines, "/"+dc+"/vm/openshift/c", folder, true),
	}
}

func drawn(t *testing.T, p *plan.Plan, o overview.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := overview.Renderer(p, o)(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func expect(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, got)
	}
}

// Roles and users are there once, with a column per vCenter; permissions are the inventory tree with a column per account.
func TestMap(t *testing.T) {
	p := plan.New("c")
	second := append(part("DC2"), role(plan.Update, "openshift-shared", "Datastore.Browse", "New.One"))
	p.Findings = tell("vcenter2.example.com", plan.Change{Kind: plan.Permission}, finding.Consequence, "zone-b names no folder")
	p.Add("vcenter1.example.com", part("DC1"), nil)
	p.Add("vcenter2.example.com", second, nil)
	p.Add("vcenter3.example.com", nil, errors.New("vcenter3.example.com: connection refused"))
	expect(t, `c: 4 roles, 4 users, 14 permissions to create; 1 role to update on 2 vCenters

roles                                    vcenter1  vcenter2  vcenter3
+ openshift-csi-driver-datastore-057cc1  +         +         ?         Datastore.Browse
+ openshift-machine-api-folder-f065b3    +         +         ?         3 privileges
~ openshift-shared                       ·         ~         ?         +New.One -Old.One

users                              vcenter1  vcenter2  vcenter3
+ ocp-c-machine-api@vsphere.local  +         +         ?
+ ocp-c-csi-driver@vsphere.local   +         +         ?

permissions of ocp-c-*@vsphere.local
                 machine-api  csi-driver
on vcenter1.example.com
/                + vcenter    + vcenter
/DC1             + read ↓     + read
  datastore/ds1  ·            + datastore
  vm/openshift   + read       ·
    c            + folder ↓   ·

on vcenter2.example.com
/                + vcenter    + vcenter
/DC2             + read ↓     + read
  datastore/ds1  ·            + datastore
  vm/openshift   + read       ·
    c            + folder ↓   ·

+ create  ~ update  · nothing  ? not known  ↓ reaches everything below  read: role ReadOnly

attention
! vcenter3: connection refused
! vcenter2: zone-b names no folder
! vcenter2: role openshift-shared: loses Old.One

plan: 22 to create, 1 to update, 0 to delete on 2 vCenters; 1 could not be read
`, drawn(t, p, overview.Options{Width: 120}))
}

// One line per change replaces the map, and nothing else: what deserves attention is at the end as it is below the map, but for
// what is good to know and in a line.
func TestFull(t *testing.T) {
	p := plan.New("cluster1")
	p.Findings = []*finding.Finding{{Severity: finding.Error, Code: finding.LostPassword, Text: "the password of x is lost", Remedies: []string{"ocp-vsphere-admin rotate"}, Accounts: []finding.Account{{Server: "vc3"}}}}
	reached := grant("a@d", "/DC1", "q", true)
	shared := role(plan.Update, "q", "Datastore.Browse", "New.One")
	shared.Note = `affects D\x`
	known := grant("a@d", "/DC1/vm/VM Network", "r", false)
	known.Note = "folder and template privileges share one permission"
	p.Add("vc1", []*plan.Change{
		role(plan.Create, "r", "A"), reached, known,
		{
			Verb: plan.Update, Kind: plan.Permission, Object: "/DC1", Principal: "b@d", Displaces: true, Note: "displaces ReadOnly, propagates",
			Before: plan.PermissionState{Role: "ReadOnly", Propagate: true}, After: plan.PermissionState{Role: "r"},
		},
		shared,
		{Verb: plan.Delete, Kind: plan.Permission, Object: "/DC2", Principal: "a@d", Before: plan.PermissionState{Role: "r"}},
	}, nil)
	p.Findings = append(p.Findings, tell("vc1", plan.Change{Kind: plan.Permission}, finding.Consequence, "zone-a names no folder")...)
	p.Findings = append(p.Findings, tell("vc1", plan.Change{Kind: plan.User, Name: "a@d"}, finding.PlanNote, "kept")...)
	p.Add("vc2", nil, errors.New("vc2: cannot be reached"))
	p.Add("vc3", nil, nil)
	p.Add("vc4", nil, nil)
	const last = `
vc2
  could not be read

vc3
  nothing else to change

vc4
  nothing to change

`
	expect(t, `vc1
  + role r: 1 privilege
  + permission of a@d on /DC1: q, propagates
  + permission of a@d on /DC1/vm/VM Network: r (folder and template privileges share one permission)
  ~ permission of b@d on /DC1: ReadOnly, propagates -> r (displaces ReadOnly, propagates)
  ~ role q: +New.One -Old.One (affects D\x)
  - permission of a@d on /DC2: r
`+last+`attention
! vc2: cannot be reached
! the password of x is lost
  hint: ocp-vsphere-admin rotate
! vc1: changes permissions or roles that this tool does not own; requires --displace:
    ~ permission of b@d on /DC1: ReadOnly, propagates -> r (displaces ReadOnly, propagates)
! vc1: zone-a names no folder
! vc1: a@d on /DC1: reaches everything below
! vc1: role q: affects D\x
! vc1: role q: loses Old.One
! vc1: b@d on /DC1: loses its permission (ReadOnly) below it
i vc1: a@d: kept

plan: 3 to create, 2 to update, 1 to delete on 3 vCenters; 1 could not be read; 1 account lacks its password, see above
`, drawn(t, p, overview.Options{Full: true}))
	expect(t, `vc1
  + role r: 1 privilege
  + permission of a@d on /DC1: q,
      propagates
  + permission of a@d on
      /DC1/vm/VM Network: r (folder
      and template privileges share
      one permission)
  ~ permission of b@d on /DC1:
      ReadOnly, propagates -> r
      (displaces ReadOnly, propagates)
  ~ role q: +New.One -Old.One (affects
      D\x)
  - permission of a@d on /DC2: r
`, upTo(drawn(t, p, overview.Options{Full: true, Width: 38}), "\n\nvc2"))
}

// What is the same on all vCenters is said once, and a plan that was saved looks as it did.
func TestMapOfManyVCenters(t *testing.T) {
	p := plan.New("c")
	for i := range 40 {
		all := part("DC1")
		if i == 6 {
			all = all[1:]
		}
		p.Add("vc"+string(rune('a'+i/10))+string(rune('0'+i%10))+".example.com", all, nil)
	}
	want := `c: 79 roles, 80 users, 280 permissions to create on 40 vCenters

roles
+ openshift-csi-driver-datastore-057cc1  Datastore.Browse  all 40 but vca6
+ openshift-machine-api-folder-f065b3    3 privileges      all 40

users
+ ocp-c-machine-api@vsphere.local  all 40
+ ocp-c-csi-driver@vsphere.local   all 40

permissions of ocp-c-*@vsphere.local on all 40 vCenters
                 machine-api  csi-driver
/                + vcenter    + vcenter
/DC1             + read ↓     + read
  datastore/ds1  ·            + datastore
  vm/openshift   + read       ·
    c            + folder ↓   ·

+ create  · nothing  ↓ reaches everything below  read: role ReadOnly

plan: 439 to create, 0 to update, 0 to delete on 40 vCenters
`
	expect(t, want, drawn(t, p, overview.Options{Width: 80}))
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	saved := &plan.Plan{}
	if err := json.Unmarshal(data, saved); err != nil {
		t.Fatal(err)
	}
	expect(t, want, drawn(t, saved, overview.Options{Width: 80}))
}

// Where roles do not fit into the columns, rows name them and columns hold signs; where that does not fit, it is a list.
func TestMapThatIsTooWide(t *testing.T) {
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{
		grant(machines, "/DC1", "ReadOnly", false), grant(storage, "/DC1", "ReadOnly", true),
		grant(storage, "/DC1/vm/f", "openshift-csi-driver-folder-resource-pool-template-40e7f8", true),
	}, nil)
	expect(t, `c: 3 permissions to create on vc1

permissions of ocp-c-*@vsphere.local on vc1
                                       machine-api
                                       │   csi-driver
/DC1    read                           +   +↓
  vm/f  folder-resource-pool-template  ·   +↓
`, upTo(drawn(t, p, overview.Options{Width: 53}), "\n\n+ create"))
	expect(t, `c: 3 permissions to create on vc1

permissions of ocp-c-*@vsphere.local on vc1
/DC1
  + read: machine-api
  + read ↓: csi-driver
/DC1/vm/f
  + folder-resource-pool-template ↓:
    csi-driver
`, upTo(drawn(t, p, overview.Options{Width: 44}), "\n\n+ create"))
}

// upTo is a text before a mark.
func upTo(text, mark string) string {
	before, _, _ := bytes.Cut([]byte(text), []byte(mark))
	return string(before) + "\n"
}

// An update says what there was, a removal what goes; a short name that two roles could have is longer.
func TestMapOfUpdatesAndRemovals(t *testing.T) {
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{
		{
			Verb: plan.Update, Kind: plan.Permission, Object: "/DC1/vm/f", Principal: machines, Note: "displaces " + folder + ", propagates", Displaced: &plan.PermissionState{Role: folder, Propagate: true},
			Before: plan.PermissionState{Role: folder, Propagate: true}, After: plan.PermissionState{Role: "openshift-machine-api-folder-aaaaaa"},
		},
		{
			Verb: plan.Update, Kind: plan.Permission, Object: "/DC1", Principal: storage, Displaces: true, Note: "displaces Backup",
			Before: plan.PermissionState{Role: "Backup"}, After: plan.PermissionState{Role: "ReadOnly"},
		},
		{Verb: plan.Delete, Kind: plan.Permission, Object: "/DC1", Principal: machines, Before: plan.PermissionState{Role: "ReadOnly"}},
		{Verb: plan.Delete, Kind: plan.Permission, Object: "/DC1", Principal: machines, Group: true, Before: plan.PermissionState{Role: "ReadOnly"}},
		role(plan.Delete, folder, "A.B"),
	}, nil)
	expect(t, `c: 2 permissions to update; 1 role, 2 permissions to delete on vc1

roles
- openshift-machine-api-folder-f065b3
    A.B

permissions of ocp-c-*@vsphere.local on vc1
        machine-api                        csi-driver       group ocp-c-machine-api@vsphere.local
/DC1    - read                             ~ Backup → read  - read
  vm/f  ~ folder-f065b3 ↓ → folder-aaaaaa  ·                ·

~ update  - delete  · nothing  ↓ reaches everything below  read: role ReadOnly

attention
! changes permissions or roles that this tool does not own; requires --displace:
    ~ permission of ocp-c-csi-driver@vsphere.local on /DC1: Backup -> ReadOnly (displaces Backup)
! ocp-c-machine-api@vsphere.local on /DC1/vm/f: loses its permission (openshift-machine-api-folder-f065b3) below it

plan: 0 to create, 2 to update, 3 to delete on 1 vCenter
`, drawn(t, p, overview.Options{Privileges: true}))
}

// The title counts the vCenters that change, and names the only one; the rest is said to need nothing.
func TestTitleOfSomeVCenters(t *testing.T) {
	for want, changing := range map[string]int{"c: 1 user to create on vc0\n": 1, "c: 2 users to create on 2 vCenters\n": 2} {
		p := plan.New("c")
		for i := range 3 {
			var changes []*plan.Change
			if i < changing {
				changes = []*plan.Change{user(machines)}
			}
			p.Add(fmt.Sprintf("vc%d", i), changes, nil)
		}
		if got := drawn(t, p, overview.Options{}); !strings.HasPrefix(got, want) || !strings.Contains(got, "nothing to change on") {
			t.Errorf("not %q:\n%s", want, got)
		}
	}
}

// A role without privileges of its own is none that was forgotten.
func TestRolesThatOnlyRead(t *testing.T) {
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{role(plan.Create, "openshift-c-csi-driver-read-b9267a")}, nil)
	p.Add("vc2", []*plan.Change{role(plan.Create, "openshift-c-csi-driver-read-b9267a"), role(plan.Create, "r", "A.B")}, nil)
	for want, o := range map[string]overview.Options{
		`roles                                 vc1  vc2
+ openshift-c-csi-driver-read-b9267a  +    +    read only (System.Anonymous, System.Read, System.View)
+ r                                   ·    +    A.B
`: {},
		`roles                                 vc1  vc2
+ openshift-c-csi-driver-read-b9267a  +    +    read only
+ r                                   ·    +    A.B
`: {Width: 80},
		`roles                                 vc1  vc2
+ openshift-c-csi-driver-read-b9267a  +    +    read only
    System.Anonymous System.Read System.View
+ r                                   ·    +    1 privilege
    A.B
`: {Privileges: true},
	} {
		_, got, _ := strings.Cut(drawn(t, p, o), "\n\n")
		expect(t, want, upTo(got, "\n\n"))
	}
}

// The account that takes another one's place in the credentials file is told from the one that is created.
func TestMapOfReplacedAccounts(t *testing.T) {
	p := plan.New("c")
	const second = "ocp-c-csi-driver-2@vsphere.local"
	for _, server := range []string{"vc1.example.com", "vc2.example.com"} {
		p.Add(server, []*plan.Change{user(second), {
			Verb: plan.Update, Kind: plan.User, Name: second, Note: "when it can do its work on every vCenter of the SSO domain",
			Before: plan.UserState{Description: "d"}, After: plan.UserState{Description: "d", InsteadOf: storage},
		}}, nil)
	}
	expect(t, `c: 2 users to create; 2 accounts to replace in the credentials file on
  2 vCenters

users                               vc1  vc2
+ ocp-c-csi-driver-2@vsphere.local  +    +

credentials file                  vc1  vc2
~ ocp-c-csi-driver@vsphere.local  ~    ~
    replaced by ocp-c-csi-driver-2@vsphere.local (when it can do its work on
    every vCenter of the SSO domain)

+ create  ~ update

plan: 2 to create, 2 to update, 0 to delete on 2 vCenters
`, drawn(t, p, overview.Options{Width: 80}))
	full := drawn(t, p, overview.Options{Full: true})
	if !strings.Contains(full, "\n  ~ user "+second+": replaces "+storage+" in the credentials file (when it can do its work on every vCenter of the SSO domain)\n") {
		t.Error(full)
	}
}

// Two changes of one account on one object stand below each other, or in one cell.
func TestTwoChangesOfOneAccount(t *testing.T) {
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{
		{Verb: plan.Delete, Kind: plan.Permission, Object: "/DC1", Principal: "a@d", Before: plan.PermissionState{Role: "one", Propagate: true}},
		grant("a@d", "/DC1", "two", false), grant("b@d", "/DC1", "two", false),
	}, nil)
	expect(t, `c: 2 permissions to create; 1 permission to delete on vc1

permissions on vc1
      a@d      b@d
/DC1  - one ↓  + two
      + two
`, upTo(drawn(t, p, overview.Options{}), "\n\n+ create"))
	_, narrow, _ := strings.Cut(drawn(t, p, overview.Options{Width: 19}), "permissions on vc1\n")
	expect(t, `           a@d
           │   b@d
/DC1  one  -↓  ·
      two  +   +
`, upTo(narrow, "\n\n+ create"))
}

// A pipe has no width: the names of privileges leave their place to a number where a page would be too narrow for them, and
// sentences stay whole lines.
func TestMapInAPipe(t *testing.T) {
	p := plan.New("c")
	long := []string{"VirtualMachine.Config.AddExistingDisk", "VirtualMachine.Config.AddRemoveDevice"}
	for _, server := range []string{"vcenter1.example.com", "vcenter2.example.com"} {
		p.Add(server, []*plan.Change{role(plan.Create, "openshift-csi-driver-folder-285b6a", long...)}, nil)
	}
	p.Findings = tell("vcenter1.example.com", plan.Change{Kind: plan.Permission}, finding.Consequence, strings.Repeat("a word ", 40)+"end")
	text := drawn(t, p, overview.Options{})
	for line := range strings.Lines(text) {
		if len(line) > 120 && !strings.HasPrefix(line, "! ") {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if !strings.Contains(text, "  2 privileges\n") || !strings.Contains(text, "a word end\n") {
		t.Error(text)
	}
}
