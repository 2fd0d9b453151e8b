package vcsim

import (
	"crypto/rand"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// equip puts into a new session's registry the services whose answers depend on who asks.
// The simulator looks there before it looks among the objects that all sessions share.
func (a *authorization) equip(session *simulator.Registry, key string) {
	content := a.content
	session.Put(&sessionManager{SessionManager: a.reg.SessionManager(), a: a, key: key})
	pc := &propertyCollector{a: a}
	pc.Self = content.PropertyCollector
	session.Put(pc)
	if ref := content.SearchIndex; ref != nil {
		index := &searchIndex{a: a}
		index.Self = *ref
		session.Put(index)
	}
	if ref := content.UserDirectory; ref != nil {
		users := &userDirectory{a: a}
		users.Self = *ref
		session.Put(users)
	}
}

// propertyCollector shows a session what its user may see: objects with System.View, properties with the
// privilege that the reference gives. It chooses the objects itself and lets the simulator read them.
//
// A hidden object that a request names is ManagedObjectNotFound, as if it had been deleted: with NoPermission
// anybody could find out which objects exist.
type propertyCollector struct {
	simulator.PropertyCollector
	a *authorization

	pageLock sync.Mutex
	pages    map[string]*pages
}

// pages is what a client has still to fetch with ContinueRetrievePropertiesEx.
type pages struct {
	props []types.PropertySpec
	refs  []moref
	size  int // objects per page, 0 = all
}

// CreatePropertyCollector keeps further collectors of the session as careful as the first.
func (pc *propertyCollector) CreatePropertyCollector(ctx *simulator.Context, _ *types.CreatePropertyCollector) soap.HasFault {
	another := &propertyCollector{a: pc.a}
	another.Self.Type = "PropertyCollector"
	return &methods.CreatePropertyCollectorBody{Res: &types.CreatePropertyCollectorResponse{
		Returnval: ctx.Session.Put(another).Reference(),
	}}
}

// RetrieveProperties answers in one go.
func (pc *propertyCollector) RetrieveProperties(ctx *simulator.Context, r *types.RetrieveProperties) soap.HasFault {
	body := &methods.RetrievePropertiesBody{}
	res, fault := pc.retrieve(ctx, r.SpecSet, 0)
	if fault != nil {
		body.Fault_ = fault
		return body
	}
	body.Res = &types.RetrievePropertiesResponse{Returnval: res.Objects}
	return body
}

// RetrievePropertiesEx answers page by page when the client wants that.
func (pc *propertyCollector) RetrievePropertiesEx(ctx *simulator.Context, r *types.RetrievePropertiesEx) soap.HasFault {
	body := &methods.RetrievePropertiesExBody{}
	res, fault := pc.retrieve(ctx, r.SpecSet, int(r.Options.MaxObjects))
	if fault != nil {
		body.Fault_ = fault
		return body
	}
	body.Res = &types.RetrievePropertiesExResponse{Returnval: res}
	return body
}

// ContinueRetrievePropertiesEx reads the next page as it is now, with the rights that hold now.
func (pc *propertyCollector) ContinueRetrievePropertiesEx(ctx *simulator.Context, r *types.ContinueRetrievePropertiesEx) soap.HasFault {
	body := &methods.ContinueRetrievePropertiesExBody{}
	rest := pc.take(r.Token)
	if rest == nil {
		body.Fault_ = soapFault(&types.InvalidArgument{InvalidProperty: "token"})
		return body
	}
	res, fault := pc.page(pc.a.caller(ctx), rest)
	if fault != nil {
		body.Fault_ = fault
		return body
	}
	body.Res = &types.ContinueRetrievePropertiesExResponse{Returnval: *res}
	return body
}

// CancelRetrievePropertiesEx drops what was not fetched.
func (pc *propertyCollector) CancelRetrievePropertiesEx(_ *simulator.Context, r *types.CancelRetrievePropertiesEx) soap.HasFault {
	body := &methods.CancelRetrievePropertiesExBody{}
	if pc.take(r.Token) == nil {
		body.Fault_ = soapFault(&types.InvalidArgument{InvalidProperty: "token"})
		return body
	}
	body.Res = &types.CancelRetrievePropertiesExResponse{}
	return body
}

func (pc *propertyCollector) take(token string) *pages {
	pc.pageLock.Lock()
	defer pc.pageLock.Unlock()
	p := pc.pages[token]
	delete(pc.pages, token)
	return p
}

func (pc *propertyCollector) retrieve(ctx *simulator.Context, specs []types.PropertyFilterSpec,
	size int,
) (*types.RetrieveResult, *soap.Fault) {
	x := pc.a.caller(ctx)
	refs, fault := x.selectObjects(specs)
	if fault != nil {
		return nil, soapFault(fault)
	}
	p := &pages{refs: refs, size: size}
	for _, spec := range specs {
		p.props = append(p.props, spec.PropSet...)
	}
	return pc.page(x, p)
}

// page reads objects until the page is full or none is left, and remembers the rest under a token.
func (pc *propertyCollector) page(x *access, p *pages) (*types.RetrieveResult, *soap.Fault) {
	res := &types.RetrieveResult{}
	for len(p.refs) > 0 && (p.size <= 0 || len(res.Objects) < p.size) {
		n := len(p.refs)
		if p.size > 0 {
			n = min(n, p.size-len(res.Objects))
		}
		objects, fault := pc.read(x, p.props, p.refs[:n])
		if fault != nil {
			return nil, fault
		}
		p.refs = p.refs[n:]
		res.Objects = append(res.Objects, objects...)
	}
	if len(p.refs) > 0 {
		res.Token = rand.Text()
		pc.pageLock.Lock()
		if pc.pages == nil {
			pc.pages = map[string]*pages{}
		}
		pc.pages[res.Token] = p
		pc.pageLock.Unlock()
	}
	return res, nil
}

// read lets the simulator collect properties of given objects and takes out what the caller may not read.
// An object that goes away meanwhile is left out.
func (pc *propertyCollector) read(x *access, props []types.PropertySpec, refs []moref) ([]types.ObjectContent, *soap.Fault) {
	var out []types.ObjectContent
	spec := types.PropertyFilterSpec{PropSet: props, ReportMissingObjectsInResults: new(true)}
	for _, ref := range refs {
		if content, ok := pc.a.roles(props, ref); ok {
			out = append(out, content)
			continue
		}
		pc.a.guard(x.ctx.Session, ref)
		spec.ObjectSet = append(spec.ObjectSet, types.ObjectSpec{Obj: ref})
	}
	if len(spec.ObjectSet) == 0 {
		return out, nil
	}
	body := pc.PropertyCollector.RetrievePropertiesEx(x.ctx, &types.RetrievePropertiesEx{
		This: pc.Self, SpecSet: []types.PropertyFilterSpec{spec},
	})
	if fault := body.Fault(); fault != nil {
		return nil, fault
	}
	ex, ok := body.(*methods.RetrievePropertiesExBody)
	if !ok || ex.Res == nil || ex.Res.Returnval == nil {
		return out, nil
	}
	objects := ex.Res.Returnval.Objects
	for i := range objects {
		x.censor(&objects[i])
	}
	return append(out, objects...), nil
}

// roles answers for the role list and the privilege list, which every login may read and most clients do read,
// without the deep copy that the simulator makes. ok is false when other properties are asked for too.
func (a *authorization) roles(props []types.PropertySpec, ref moref) (content types.ObjectContent, ok bool) {
	if ref != a.self {
		return content, false
	}
	content.Obj = ref
	done := map[string]bool{}
	for _, p := range props {
		if p.Type != ref.Type {
			continue
		}
		if isTrue(p.All) {
			return content, false
		}
		for _, path := range p.PathSet {
			if done[path] {
				continue
			}
			done[path] = true
			switch path {
			case "roleList":
				content.PropSet = append(content.PropSet, types.DynamicProperty{
					Name: path,
					Val:  types.ArrayOfAuthorizationRole{AuthorizationRole: a.roleList()},
				})
			case "privilegeList":
				content.PropSet = append(content.PropSet, types.DynamicProperty{
					Name: path,
					Val:  types.ArrayOfAuthorizationPrivilege{AuthorizationPrivilege: a.catalog.vim()},
				})
			default:
				return content, false
			}
		}
	}
	return content, len(done) > 0
}
