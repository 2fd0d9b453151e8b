package vcsim

import (
	"reflect"
	"slices"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// The requests of methods that vCenters serve to extensions, and that govmomi's types do not have.
type (
	// DisableMethods takes methods from objects.
	DisableMethods struct {
		This    moref           `xml:"_this"`
		Entity  []moref         `xml:"entity"`
		Method  []methodToClose `xml:"method"`
		Source  string          `xml:"sourceId"`
		Session bool            `xml:"sessionScope,omitempty"`
	}
	// EnableMethods gives them back.
	EnableMethods struct {
		This   moref    `xml:"_this"`
		Entity []moref  `xml:"entity"`
		Method []string `xml:"method"`
		Source string   `xml:"sourceId"`
	}
	methodToClose struct {
		Method string `xml:"method"`
		Reason string `xml:"reasonId"`
	}
	nothing             struct{}
	disabledMethodsBody struct {
		Res    *nothing    `xml:"DisableMethodsResponse,omitempty"`
		Fault_ *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
	}
	enabledMethodsBody struct {
		Res    *nothing    `xml:"EnableMethodsResponse,omitempty"`
		Fault_ *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
	}
)

func (b *disabledMethodsBody) Fault() *soap.Fault { return b.Fault_ }
func (b *enabledMethodsBody) Fault() *soap.Fault  { return b.Fault_ }

// internalMethods makes the requests known to the simulator.
var _ = func() bool {
	types.Add("DisableMethods", reflect.TypeFor[DisableMethods]())
	types.Add("EnableMethods", reflect.TypeFor[EnableMethods]())
	return true
}()

// closedMethods are the methods of objects that are disabled, with who did it: each has to enable
// his own.
type closedMethods struct {
	mu sync.Mutex
	by map[moref]map[string][]string
}

// change closes or opens methods, and gives those of an object that are closed now.
func (c *closedMethods) change(
	on moref, methods []string, source string, closing bool,
) (closed []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[moref]map[string][]string{}
	}
	if c.by[on] == nil {
		c.by[on] = map[string][]string{}
	}
	for _, m := range methods {
		left := slices.DeleteFunc(c.by[on][m], func(s string) bool { return s == source })
		if closing {
			left = append(left, source)
		}
		if c.by[on][m] = left; len(left) == 0 {
			delete(c.by[on], m)
		}
	}
	for m := range c.by[on] {
		closed = append(closed, m)
	}
	slices.Sort(closed)
	return closed
}

// source is who disabled a method of an object; "" = nobody.
func (c *closedMethods) source(on moref, method string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if by := c.by[on][method]; len(by) > 0 {
		return by[0]
	}
	return ""
}

// DisableMethods makes calls of methods fail with MethodDisabled.
func (m *authorizationManager) DisableMethods(
	ctx *simulator.Context, req *DisableMethods,
) soap.HasFault {
	var names []string
	for _, one := range req.Method {
		names = append(names, one.Method)
	}
	m.setMethods(ctx, req.Entity, names, req.Source, true)
	return &disabledMethodsBody{Res: &nothing{}}
}

// EnableMethods takes back what the same source disabled.
func (m *authorizationManager) EnableMethods(
	ctx *simulator.Context, req *EnableMethods,
) soap.HasFault {
	m.setMethods(ctx, req.Entity, req.Method, req.Source, false)
	return &enabledMethodsBody{Res: &nothing{}}
}

func (m *authorizationManager) setMethods(
	ctx *simulator.Context, on []moref, methods []string, source string, closing bool,
) {
	for _, ref := range on {
		e, ok := ctx.Map.Get(ref).(mo.Entity)
		if !ok {
			continue
		}
		closed := m.a.closed.change(ref, methods, source, closing)
		ctx.Map.AtomicUpdate(ctx, e, []types.PropertyChange{{Name: "disabledMethod", Val: closed}})
	}
}
