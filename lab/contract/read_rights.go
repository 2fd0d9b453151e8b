package contract

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

type moref = types.ManagedObjectReference

// readRights are the rules about effective rights that reading tries, with the rights of the session's own account.
func readRights() []Rule {
	return []Rule{
		{ID: "R25", Case: "datacenter", Says: "A datacenter and its four folders give the same rights.", try: tryDatacenterFolders},
		{ID: "R25", Case: "cluster", Says: "A cluster and its root pool give the same rights.", try: tryRootPool},
		{ID: "R27", Case: "no entity", Says: "For what is not an inventory object, privileges are checked on the root folder.", try: tryNoEntity},
		{ID: "R28", Case: "login", Says: `The vCenter names an account DOMAIN\name.`, try: trySessionName},
		{ID: "R28", Case: "permissions", Says: `Permissions name principals DOMAIN\name.`, try: tryPrincipals},
		{ID: "R29", Case: "full set", Says: "An account has the privileges of its session, groups included.", try: tryFullSet},
		{ID: "R30", Case: "forms of a name", Says: `name@domain and DOMAIN\name give the same answer.`, try: needSSO(tryForms)},
		{ID: "R30", Case: "unknown name", Says: "An account that does not exist has no privileges. (inferred)", try: needSSO(tryUnknownName)},
		{ID: "R31", Case: "own session", Says: "The key of the own session returns its privileges.", try: tryOwnKey},
		{ID: "R31", Case: "unknown session", Says: "An unknown session key returns no privileges.", try: tryUnknownKey},
	}
}

// datacenter is one of them with its folders.
type datacenter struct {
	ref                          moref
	vm, host, datastore, network moref
}

// datacenter finds the first datacenter that the session sees, in one request. Where there is none, got says so.
func (p *probe) datacenter(ctx context.Context) (dc datacenter, got outcome, ok bool) {
	below := &types.TraversalSpec{
		SelectionSpec: types.SelectionSpec{Name: "below"}, Type: "Folder", Path: "childEntity",
		SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "below"}},
	}
	res, a := send(ctx, p, methods.RetrievePropertiesEx, &types.RetrievePropertiesEx{
		This: p.Content.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{{
			PropSet:   []types.PropertySpec{{Type: "Datacenter", PathSet: []string{"vmFolder", "hostFolder", "datastoreFolder", "networkFolder"}}},
			ObjectSet: []types.ObjectSpec{{Obj: p.Content.RootFolder, SelectSet: []types.BaseSelectionSpec{below}}},
		}},
	})
	if !a.ok() {
		return dc, a.unready(), false
	}
	if res.Returnval != nil {
		for _, o := range res.Returnval.Objects {
			dc.ref = o.Obj
			for name, at := range map[string]*moref{"vmFolder": &dc.vm, "hostFolder": &dc.host, "datastoreFolder": &dc.datastore, "networkFolder": &dc.network} {
				for _, prop := range o.PropSet {
					if prop.Name == name {
						*at, _ = prop.Val.(moref)
					}
				}
			}
			if dc.vm.Value != "" && dc.host.Value != "" && dc.datastore.Value != "" && dc.network.Value != "" {
				return dc, outcome{}, true
			}
		}
	}
	return dc, untried("no datacenter with its folders can be seen"), false
}

// rights are the privileges of a user on objects, in their order.
func (p *probe) rights(ctx context.Context, user string, refs ...moref) ([][]string, answer) {
	res, a := send(ctx, p, methods.FetchUserPrivilegeOnEntities, &types.FetchUserPrivilegeOnEntities{
		This: *p.Content.AuthorizationManager, UserName: user, Entities: refs,
	})
	all := make([][]string, len(refs))
	for _, r := range res.Returnval {
		for i, ref := range refs {
			if r.Entity == ref {
				all[i] = slices.Sorted(slices.Values(r.Privileges))
			}
		}
	}
	return all, a
}

func tryDatacenterFolders(ctx context.Context, p *probe) outcome {
	dc, got, ok := p.datacenter(ctx)
	if !ok {
		return got
	}
	all, a := p.rights(ctx, p.User, dc.ref, dc.vm, dc.host, dc.datastore, dc.network)
	if !a.ok() {
		return a.unready()
	}
	for i, kind := range []string{"VM", "host", "datastore", "network"} {
		if !slices.Equal(all[0], all[i+1]) {
			return differs("the %s folder gives %d privileges, the datacenter %d", kind, len(all[i+1]), len(all[0]))
		}
	}
	return when(len(all[0]) > 0, "the account has no privilege on a datacenter that it sees")
}

func tryRootPool(ctx context.Context, p *probe) outcome {
	dc, got, ok := p.datacenter(ctx)
	if !ok {
		return got
	}
	below := &types.TraversalSpec{
		SelectionSpec: types.SelectionSpec{Name: "below"}, Type: "Folder", Path: "childEntity",
		SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "below"}},
	}
	res, a := send(ctx, p, methods.RetrievePropertiesEx, &types.RetrievePropertiesEx{
		This: p.Content.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{{
			PropSet:   []types.PropertySpec{{Type: "ClusterComputeResource", PathSet: []string{"resourcePool"}}},
			ObjectSet: []types.ObjectSpec{{Obj: dc.host, SelectSet: []types.BaseSelectionSpec{below}}},
		}},
	})
	if !a.ok() {
		return a.unready()
	}
	if res.Returnval == nil || len(res.Returnval.Objects) == 0 || len(res.Returnval.Objects[0].PropSet) == 0 {
		return untried("no cluster can be seen in the first datacenter")
	}
	cluster := res.Returnval.Objects[0].Obj
	pool, _ := res.Returnval.Objects[0].PropSet[0].Val.(moref)
	all, a := p.rights(ctx, p.User, cluster, pool)
	if !a.ok() {
		return a.unready()
	}
	return when(slices.Equal(all[0], all[1]), "the root pool gives %d privileges, the cluster %d", len(all[1]), len(all[0]))
}

// sample are privileges that every release has.
var sample = []string{"System.Read", "Datastore.AllocateSpace", "Folder.Create", "Global.Settings", "Sessions.TerminateSession", "VirtualMachine.Inventory.Create"}

// has asks which of these privileges a user has on an object.
func (p *probe) has(ctx context.Context, user string, ref moref, ids []string) ([]string, answer) {
	res, a := send(ctx, p, methods.HasUserPrivilegeOnEntities, &types.HasUserPrivilegeOnEntities{
		This: *p.Content.AuthorizationManager, Entities: []moref{ref}, UserName: user, PrivId: ids,
	})
	return granted(res.Returnval), a
}

// hasSession asks the same for the owner of a session.
func (p *probe) hasSession(ctx context.Context, key string, ref moref, ids []string) ([]string, answer) {
	res, a := send(ctx, p, methods.HasPrivilegeOnEntities, &types.HasPrivilegeOnEntities{
		This: *p.Content.AuthorizationManager, Entity: []moref{ref}, SessionId: key, PrivId: ids,
	})
	return granted(res.Returnval), a
}

func granted(all []types.EntityPrivilege) []string {
	var ids []string
	for _, e := range all {
		for _, p := range e.PrivAvailability {
			if p.IsGranted {
				ids = append(ids, p.PrivId)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

func tryNoEntity(ctx context.Context, p *probe) outcome {
	root, a := p.has(ctx, p.User, p.Content.RootFolder, sample)
	if !a.ok() {
		return a.unready()
	}
	other, a := p.has(ctx, p.User, *p.Content.SessionManager, sample)
	if !a.ok() {
		return a.unexpected()
	}
	return when(slices.Equal(root, other), "on the session manager the account has %s, on the root folder %s", listed(other), listed(root))
}

// domainAndName splits the form in which a vCenter names accounts.
func domainAndName(s string) (domain, name string, ok bool) {
	domain, name, ok = strings.Cut(s, `\`)
	return domain, name, ok && domain != "" && name != ""
}

func trySessionName(ctx context.Context, p *probe) outcome {
	s, got, ok := p.currentSession(ctx)
	if !ok {
		return got
	}
	_, _, ok = domainAndName(s.UserName)
	return when(ok, "the session's user name has another form")
}

func (p *probe) currentSession(ctx context.Context) (types.UserSession, outcome, bool) {
	found, a := p.read(ctx, *p.Content.SessionManager, "currentSession")
	if !a.ok() {
		return types.UserSession{}, a.unready(), false
	}
	s, ok := found["currentSession"].(types.UserSession)
	return s, untried("the vCenter does not show the current session"), ok
}

func tryPrincipals(ctx context.Context, p *probe) outcome {
	list, a := p.permissions(ctx, p.Content.RootFolder, false)
	if !a.ok() {
		return a.unready()
	}
	if len(list) == 0 {
		return untried("no permission on the root folder can be seen")
	}
	for _, perm := range list {
		if _, _, ok := domainAndName(perm.Principal); !ok {
			return differs("a principal has another form")
		}
	}
	return holds()
}

func tryFullSet(ctx context.Context, p *probe) outcome {
	s, got, ok := p.currentSession(ctx)
	if !ok {
		return got
	}
	found, a := p.read(ctx, *p.Content.AuthorizationManager, "privilegeList")
	if !a.ok() {
		return a.unready()
	}
	list, _ := found["privilegeList"].(types.ArrayOfAuthorizationPrivilege)
	var ids []string
	for _, priv := range list.AuthorizationPrivilege {
		ids = append(ids, priv.PrivId)
	}
	all, a := p.rights(ctx, p.User, p.Content.RootFolder)
	if !a.ok() {
		return a.unready()
	}
	session, a := p.hasSession(ctx, s.Key, p.Content.RootFolder, ids)
	if !a.ok() {
		return a.unready()
	}
	return when(slices.Equal(all[0], session), "the account has %d privileges on the root folder, its session %d", len(all[0]), len(session))
}

func tryForms(ctx context.Context, p *probe) outcome {
	domain, name, ok := domainAndName(p.User)
	if !ok || !strings.EqualFold(domain, p.sso.Domain) {
		return untried("the account is not one of the SSO domain")
	}
	backslash, a := p.has(ctx, domain+`\`+name, p.Content.RootFolder, sample)
	if !a.ok() {
		return a.unready()
	}
	at, a := p.has(ctx, name+"@"+domain, p.Content.RootFolder, sample)
	if !a.ok() {
		return a.unexpected()
	}
	return when(slices.Equal(backslash, at), `name@domain has %s, DOMAIN\name has %s`, listed(at), listed(backslash))
}

func tryUnknownName(ctx context.Context, p *probe) outcome {
	nobody := p.sso.Domain + `\ocp-contract-nobody-` + NewID()
	has, a := p.has(ctx, nobody, p.Content.RootFolder, sample)
	if !a.ok() {
		return a.unexpected()
	}
	return when(len(has) == 0, "it has %s", listed(has))
}

func tryOwnKey(ctx context.Context, p *probe) outcome {
	s, got, ok := p.currentSession(ctx)
	if !ok {
		return got
	}
	has, a := p.hasSession(ctx, s.Key, p.Content.RootFolder, []string{"System.Read"})
	if !a.ok() {
		return a.unready()
	}
	return when(len(has) == 1, "the session has no System.Read on the root folder")
}

func tryUnknownKey(ctx context.Context, p *probe) outcome {
	has, a := p.hasSession(ctx, "ocp-contract-nobody-"+NewID(), p.Content.RootFolder, sample)
	if !a.ok() {
		return a.unexpected()
	}
	return when(len(has) == 0, "it has %s", listed(has))
}
