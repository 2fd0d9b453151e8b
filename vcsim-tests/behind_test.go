package vcsimtests

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// cmdBehind changes a vCenter behind the program's back, as somebody else's hand would.
//
//	behind VC user NAME PASSWORD [DESCRIPTION]     behind VC role NAME ID,ID         (creates or changes it; +ID,-ID)
//	behind VC no-user NAME                         behind VC no-role NAME
//	behind VC password NAME PASSWORD               behind VC permit PATH PRINCIPAL ROLE propagate|here
//	behind VC lock NAME                            behind VC revoke PATH [group:]PRINCIPAL
//	behind VC never-expire NAME                    behind VC no-exemption NAME
//	behind VC disable NAME                         behind VC lockout N
//	behind VC expire NAME
//	behind VC member GROUP NAME                    behind VC min-length N
//	behind VC no-member GROUP NAME                 behind VC group NAME
//	behind VC lifetime DAYS
//	behind VC unreachable DOMAIN                   behind VC reachable DOMAIN
//
// In member and permit group:NAME is a group; the path global is that of global permissions.
func cmdBehind(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: behind VC WHAT NAME...")
	}
	v, what, args := benchOf(ts).vcenter(ts, args[0]), args[1], args[2:]
	dir := v.Directory()
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch what {
	case "user":
		ts.Check(dir.AddUser(arg(0), arg(1), directory.Details{Description: arg(2)}))
	case "no-user":
		ts.Check(dir.RemoveUser(arg(0)))
	case "password":
		ts.Check(dir.SetPassword(arg(0), arg(1)))
	case "lock":
		ts.Check(dir.SetLocked(arg(0), true))
	case "expire":
		ts.Check(dir.Expire(arg(0)))
	case "never-expire":
		ts.Check(dir.NeverExpire(arg(0), true))
	case "no-exemption":
		ts.Check(dir.NeverExpire(arg(0), false))
	case "disable":
		ts.Check(dir.SetDisabled(arg(0), true))
	case "member":
		name, group := strings.CutPrefix(arg(1), "group:")
		ts.Check(dir.AddMember(arg(0), name, group))
	case "no-member":
		ts.Check(dir.RemoveMember(arg(0), arg(1), false))
	case "group":
		ts.Check(dir.AddGroup(arg(0), ""))
	case "reachable", "unreachable":
		ts.Check(dir.SetReachable(arg(0), what == "reachable"))
	case "lifetime":
		n, err := strconv.Atoi(arg(0))
		ts.Check(err)
		p := dir.PasswordPolicy()
		p.LifetimeDays = n
		ts.Check(dir.SetPasswordPolicy(p))
	case "lockout":
		n, err := strconv.Atoi(arg(0))
		ts.Check(err)
		p := dir.LockoutPolicy()
		p.MaxFailed = n
		dir.SetLockoutPolicy(p)
	case "min-length":
		n, err := strconv.Atoi(arg(0))
		ts.Check(err)
		p := dir.PasswordPolicy()
		p.MinLength = n
		ts.Check(dir.SetPasswordPolicy(p))
	default:
		ts.Check(behindAuthorization(v, what, arg))
	}
}

func behindAuthorization(v *vcsim.VCenter, what string, arg func(int) string) error {
	ctx := context.Background()
	c, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		return err
	}
	m := object.NewAuthorizationManager(c)
	roles, err := m.RoleList(ctx)
	if err != nil {
		return err
	}
	at := func() (types.ManagedObjectReference, error) {
		if arg(0) == "/" {
			return c.ServiceContent.RootFolder, nil
		}
		ref, err := object.NewSearchIndex(c).FindByInventoryPath(ctx, arg(0))
		if err != nil || ref == nil {
			return types.ManagedObjectReference{}, fmt.Errorf("no object at %s: %w", arg(0), err)
		}
		return ref.Reference(), nil
	}
	switch what {
	case "role":
		ids := strings.Split(arg(1), ",")
		if r := roles.ByName(arg(0)); r != nil {
			return m.UpdateRole(ctx, r.RoleId, arg(0), changed(r.Privilege, ids))
		}
		_, err := m.AddRole(ctx, arg(0), ids)
		return err
	case "no-role":
		r := roles.ByName(arg(0))
		if r == nil {
			return fmt.Errorf("no role %s", arg(0))
		}
		return m.RemoveRole(ctx, r.RoleId, false)
	case "permit":
		r := roles.ByName(arg(2))
		if r == nil {
			return fmt.Errorf("no role %s", arg(2))
		}
		name, group := strings.CutPrefix(arg(1), "group:")
		if arg(0) == vcsim.GlobalPath {
			return v.GrantGlobally(vcsim.Permission{Principal: name, Group: group, Role: arg(2), Propagate: arg(3) == "propagate"})
		}
		ref, err := at()
		if err != nil {
			return err
		}
		return m.SetEntityPermissions(ctx, ref, []types.Permission{{Principal: name, Group: group, RoleId: r.RoleId, Propagate: arg(3) == "propagate"}})
	case "revoke":
		ref, err := at()
		if err != nil {
			return err
		}
		name, group := strings.CutPrefix(arg(1), "group:")
		return m.RemoveEntityPermission(ctx, ref, name, group)
	}
	return fmt.Errorf("behind: nobody does %q", what)
}

// changed are the privileges of a role with +ID and without -ID, or else those that are given.
func changed(held, ids []string) []string {
	if strings.Trim(ids[0][:1], "+-") != "" {
		return ids
	}
	held = slices.DeleteFunc(slices.Clone(held), func(id string) bool {
		return strings.HasPrefix(id, "System.") || slices.Contains(ids, "-"+id)
	})
	for _, id := range ids {
		if more, is := strings.CutPrefix(id, "+"); is {
			held = append(held, more)
		}
	}
	return held
}

// cmdFault has requests of a method go wrong from now on: fault VC KIND [METHOD [FIRST]]; fault VC none ends it. FIRST
// is how many of them fail, all by default.
func cmdFault(ts *testscript.TestScript, neg bool, args []string) {
	kinds := map[string]vcsim.FaultKind{
		"unavailable": vcsim.Unavailable, "dropped": vcsim.Dropped, "lost-reply": vcsim.LostReply,
		"expired-session": vcsim.ExpiredSession, "refused": vcsim.Refused, "blocked": vcsim.Blocked,
		"served-502": vcsim.ServedBadGateway, "served-503": vcsim.ServedUnavailable,
	}
	v := benchOf(ts).vcenter(ts, args[0])
	if args[1] == "none" {
		v.SetFault(nil)
		return
	}
	kind, ok := kinds[args[1]]
	if !ok {
		ts.Fatalf("no fault is called %s", args[1])
	}
	method, first := "", int64(1<<62)
	if len(args) > 2 {
		method = args[2]
	}
	if len(args) > 3 {
		n, err := strconv.ParseInt(args[3], 10, 64)
		ts.Check(err)
		first = n
	}
	var hits atomic.Int64
	v.SetFault(func(_ int, m string) vcsim.Fault {
		if method != "" && m != method || hits.Add(1) > first {
			return vcsim.Fault{}
		}
		return vcsim.Fault{Kind: kind}
	})
}

// cmdRequests counts: requests VC METHOD N; requests VC total N; requests VC reset. A word of several methods joined by
// + counts their sum. Without a count it prints all.
func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	v := benchOf(ts).vcenter(ts, args[0])
	if len(args) == 2 && args[1] == "reset" {
		v.ResetRequests()
		return
	}
	counts := v.Requests()
	if len(args) < 3 {
		var lines []string
		for name, n := range counts {
			lines = append(lines, fmt.Sprintf("%4d %s\n", n, name))
		}
		sort.Strings(lines)
		_, _ = io.WriteString(ts.Stdout(), strings.Join(lines, ""))
		return
	}
	want, err := strconv.Atoi(args[2])
	ts.Check(err)
	got := 0
	for _, method := range strings.Split(args[1], "+") {
		got += counts[method]
	}
	if args[1] == "total" {
		got = v.Total()
	}
	if (got == want) == neg {
		ts.Fatalf("%d requests of %s, want %d", got, args[1], want)
	}
}

// cmdRights prints what a principal may do on an object: rights VC PRINCIPAL PATH.
func cmdRights(ts *testscript.TestScript, neg bool, args []string) {
	ids, err := benchOf(ts).vcenter(ts, args[0]).EffectivePrivileges(args[1], args[2])
	ts.Check(err)
	_, _ = io.WriteString(ts.Stdout(), strings.Join(append(ids, ""), "\n"))
}

// cmdEstate prints a vCenter's state, a fact per line: estate VC.
func cmdEstate(ts *testscript.TestScript, neg bool, args []string) {
	_, _ = io.WriteString(ts.Stdout(), benchOf(ts).vcenter(ts, args[0]).Snapshot())
}
