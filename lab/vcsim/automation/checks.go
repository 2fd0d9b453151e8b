package automation

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const (
	checksPath = "/api/vcenter/authorization/privilege-checks"
	checksID   = "com.vmware.vcenter.authorization.privilege_checks."

	// collectChecks is what reading the checks needs, on the root folder.
	collectChecks = "Sessions.CollectPrivilegeChecks"
)

// How much is kept and told, where nobody says otherwise. The options config.vpxd.privilegeChecks.bufferSize and pageSize of a vCenter
// decide both; their defaults are not known.
const (
	keptChecks = 20_000
	pageChecks = 1_000
)

// checksOperations are those of vCenter 8.0 and later (R47).
var checksOperations = []operation{
	{method: http.MethodPost, path: checksPath, action: "list", id: checksID + "list", serve: (*Service).listChecks},
	{method: http.MethodGet, path: checksPath + "/latest", id: checksID + "latest.get", serve: (*Service).latestCheck},
}

// Check is a privilege that a vCenter looked for. What it found is not recorded.
type Check struct {
	Object    types.ManagedObjectReference
	Principal directory.Principal
	Privilege string
	Session   string // key of the session; "" = none of the SOAP API
}

// Checks are the privileges that a vCenter looked for, each once, as many as it keeps.
type Checks struct {
	mu    sync.Mutex
	seen  map[string]bool
	list  []Check // the oldest first
	first int     // number of the oldest, from 1
	most  int
}

// NewChecks makes a buffer for so many; 0 = as many as a vCenter keeps.
func NewChecks(most int) *Checks {
	if most == 0 {
		most = keptChecks
	}
	return &Checks{seen: map[string]bool{}, first: 1, most: most}
}

func (c *Check) key() string {
	return strings.Join([]string{c.Object.Type, c.Object.Value, c.Principal.Key(), c.Privilege}, "\x00")
}

// Add records a check, unless it is there already. The oldest goes when there is no room: it is recorded anew when it is made again.
func (c *Checks) Add(one Check) {
	key := one.key()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[key] {
		return
	}
	if len(c.list) == c.most {
		delete(c.seen, c.list[0].key())
		c.list = c.list[1:]
		c.first++
	}
	c.seen[key] = true
	c.list = append(c.list, one)
}

// latest is the marker of the newest; "" = there is none.
func (c *Checks) latest() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.list) == 0 {
		return ""
	}
	return strconv.Itoa(c.first + len(c.list) - 1)
}

// checkFilter says which are told: those that match each of its fields that are given.
type checkFilter struct {
	Objects    []object         `json:"objects"`
	Principals []*checkedPerson `json:"principals"`
	Privileges []string         `json:"privileges"`
	Sessions   []string         `json:"sessions"`
	Requests   []string         `json:"op_ids"` // ids of requests, which the simulation does not record
}

type checkedPerson struct {
	Name   string `json:"name"`
	Domain string `json:"domain"`
}

func (f *checkFilter) matches(one Check) bool {
	is := func(p *checkedPerson) bool {
		return p != nil && strings.EqualFold(p.Name, one.Principal.Name) && strings.EqualFold(p.Domain, one.Principal.Domain)
	}
	return (f.Objects == nil || slices.ContainsFunc(f.Objects,
		func(o object) bool { return o.Type == one.Object.Type && o.ID == one.Object.Value })) &&
		(f.Principals == nil || slices.ContainsFunc(f.Principals, is)) &&
		(f.Privileges == nil || slices.Contains(f.Privileges, one.Privilege)) &&
		(f.Sessions == nil || one.Session != "" && slices.Contains(f.Sessions, one.Session)) &&
		f.Requests == nil
}

// checksPage is a page of checks.
type checksPage struct {
	Items     []checkItem `json:"items"`
	Marker    string      `json:"marker"`    // of the last one that was looked at
	Truncated bool        `json:"truncated"` // what the given marker named is not kept any more, so that some may be missing
}

type checkItem struct {
	Object    object        `json:"object"`
	Principal checkedPerson `json:"principal"`
	Privilege string        `json:"privilege"`
}

// page gives those behind after, at most size, and not behind end; 0 = no end.
func (c *Checks) page(f *checkFilter, after, end, size int) checksPage {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := checksPage{Items: []checkItem{}, Truncated: after > 0 && after < c.first-1}
	last := after
	for i, one := range c.list {
		n := c.first + i
		if n <= after {
			continue
		}
		if end > 0 && n > end || len(out.Items) == size {
			break
		}
		last = n
		if f.matches(one) {
			out.Items = append(out.Items, checkItem{
				object{one.Object.Type, one.Object.Value}, checkedPerson{one.Principal.Name, strings.ToUpper(one.Principal.Domain)}, one.Privilege,
			})
		}
	}
	if last > 0 {
		out.Marker = strconv.Itoa(last)
	}
	return out
}

// listChecks tells them, in pages. Waiting for more (timeout_ms) is not simulated: what is there is answered.
func (s *Service) listChecks(c *call) (any, *failure) {
	var in struct {
		Filter *checkFilter `json:"filter"`
	}
	if len(c.body) > 0 {
		if f := decode(c, &in); f != nil {
			return nil, f
		}
	}
	if in.Filter == nil {
		in.Filter = &checkFilter{}
	}
	query := c.r.URL.Query()
	number := func(name string) (n int, ok bool) {
		text := query.Get(name)
		if text == "" {
			return 0, true
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && n > 0
	}
	after, ok := number("marker")
	end, fine := number("end_marker")
	size, good := number("size")
	if !ok || !fine || !good || after >= s.Checks.next() || end >= s.Checks.next() {
		return nil, failed(invalidArgument, "A marker is one that was answered, and a size is a number.")
	}
	if size == 0 {
		size = pageChecks
	}
	if f := s.need(c, onRoot(collectChecks)...); f != nil {
		return nil, f
	}
	return s.Checks.page(in.Filter, after, end, size), nil
}

// next is the number of the check that comes.
func (c *Checks) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first + len(c.list)
}

func (s *Service) latestCheck(c *call) (any, *failure) {
	if f := s.need(c, onRoot(collectChecks)...); f != nil {
		return nil, f
	}
	return s.Checks.latest(), nil
}
