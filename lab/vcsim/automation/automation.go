// Package automation simulates the vSphere Automation API of a vCenter, over REST in both of its forms: below /rest, where answers
// are wrapped and errors have a type, and below /api, where they are bare. It has sessions,
// tagging, lists of the inventory, cluster modules, privilege checks and the reading of
// permissions. Of what a vCenter serves besides, it answers 501 in the form of the API, which a
// vCenter never does.
package automation

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Need is a privilege that a call looks for.
type Need struct {
	On        types.ManagedObjectReference // the zero value is the root folder, which stands for what is not in the inventory (R27)
	Privilege string
}

// read is what it takes to be told of an object.
const read = "System.Read"

// Inventory is what the API sees of a vCenter's inventory and of what accounts may do there.
type Inventory interface {
	// Missing looks for privileges on behalf of an operation, records it, and gives those that an account has not.
	Missing(p directory.Principal, operation string, needs ...Need) []Need
	// Exists reports whether there is such an object.
	Exists(ref types.ManagedObjectReference) bool
	// ClusterOf is the cluster that a virtual machine runs in.
	ClusterOf(vm types.ManagedObjectReference) (types.ManagedObjectReference, bool)
	// Permissions are all permissions, also global ones.
	Permissions() []Permission
	// Objects are all of some types, in a stable order.
	Objects(types ...string) []Listed
}

// Options are what the service is made of.
type Options struct {
	Directory *directory.Directory
	Inventory Inventory
	Now       func() time.Time

	// Note is told of calls by which no privilege was looked for; kind is that of the error, "" = served. May be nil.
	Note func(operation, principal, kind string)

	// Paths are those of [dated] parts that exist on this release, beside what all releases have (R47).
	Paths []string

	Checks *Checks // what the vCenter looked for
}

// Service is the API of one vCenter.
type Service struct {
	Options
	sessions sessions
	tagging  *tagging
	modules  modules
}

// New makes the service.
func New(o Options) *Service {
	if o.Note == nil {
		o.Note = func(string, string, string) {}
	}
	return &Service{Options: o, sessions: newSessions(o.Directory, o.Now), tagging: newTagging()}
}

// Serves reports whether a path is one of this API's.
func Serves(path string) bool {
	return path == bare || strings.HasPrefix(path, bare+"/") || strings.HasPrefix(path, wrapped+"/")
}

// The two forms of the API, by the beginning of a path.
const (
	bare    = "/api"
	wrapped = "/rest"
)

// most is how much of a request is read, in bytes.
const most = 1 << 20

// operation is one that is simulated.
type operation struct {
	method, path string // {} stands for one part of the path, which may begin with id:
	action       string // of the query, ~action below /rest/com and action elsewhere; "" = none
	id           string // as the API calls it
	anybody      bool   // needs no session
	status       int    // of its answer; 0 = 200
	serve        func(*Service, *call) (any, *failure)
}

// operations are all that are simulated.
var operations = slices.Concat(
	sessionOperations, inBothForms(taggingOperations), inBothForms(associationOperations),
	checksOperations, permissionsOperations, olderOperations, modulesOperations, inventoryOperations,
)

// Served lists the operations that are simulated: method and path.
func Served() (all []string) {
	for _, o := range operations {
		line := o.method + " " + strings.ReplaceAll(o.path, "{}", "ID")
		switch {
		case o.action != "" && strings.HasPrefix(o.path, wrapped+"/com/"):
			line += "?~action=" + o.action
		case o.action != "":
			line += "?action=" + o.action
		}
		all = append(all, line)
	}
	slices.SortStableFunc(all, func(a, b string) int {
		_, one, _ := strings.Cut(a, " ")
		_, other, _ := strings.Cut(b, " ")
		return strings.Compare(one, other)
	})
	return all
}

// call is one request under way.
type call struct {
	*operation
	w    http.ResponseWriter
	r    *http.Request
	who  session
	args []string // what stands in the place of {}
	body []byte
}

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readAll(r)
	if err != nil {
		failed(invalidArgument, "The request is longer than the simulation reads.").write(w, r)
		return
	}
	c := &call{w: w, r: r, body: body}
	var found bool
	if c.operation, c.args, found = find(r); !found || !s.exists(c.path) {
		s.other(w, r)
		return
	}
	if !c.anybody {
		if c.who, found = s.sessions.of(r); !found {
			s.Note(c.id, "", string(unauthenticated))
			failed(unauthenticated, "This method requires authentication.").write(w, r)
			return
		}
	}
	value, failure := c.serve(s, c)
	if failure != nil {
		failure.write(w, r)
		return
	}
	answer(w, r, c.status, value)
}

// find is the operation of a request, with its arguments.
func find(r *http.Request) (*operation, []string, bool) {
	action := r.URL.Query().Get(map[bool]string{true: "~action", false: "action"}[strings.HasPrefix(r.URL.Path, wrapped+"/com/")])
	for i := range operations {
		o := &operations[i]
		if o.method != r.Method || o.action != action {
			continue
		}
		if args, ok := match(o.path, r.URL.Path); ok {
			return o, args, true
		}
	}
	return nil, nil, false
}

// match compares a path with that of an operation.
func match(pattern, path string) (args []string, ok bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	for i := range want {
		switch {
		case want[i] == "{}" && have[i] != "":
			args = append(args, strings.TrimPrefix(have[i], "id:"))
		case !strings.EqualFold(want[i], have[i]):
			return nil, false
		}
	}
	return args, true
}

// served are the parts of the API that every release has, by the beginning of their paths.
var served = []string{
	"/api/appliance/", "/api/cis/", "/api/content/", "/api/esx/", "/api/session",
	"/api/stats/", "/api/vcenter/", "/api/vapi/",
	"/rest/appliance/", "/rest/com/vmware/", "/rest/vcenter/",
}

// dated are those that only some releases have, which say so by their paths.
var dated = []string{"/api/vcenter/authorization/", olderPath}

// exists reports whether this release has a path.
func (s *Service) exists(path string) bool {
	below := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
	if slices.ContainsFunc(dated, below) {
		return slices.ContainsFunc(s.Paths, func(p string) bool { _, ok := match(p, path); return ok })
	}
	return slices.ContainsFunc(served, below)
}

// other answers a request for what is not simulated.
func (s *Service) other(w http.ResponseWriter, r *http.Request) {
	what := r.Method + " " + r.URL.Path
	if r.URL.Path == bare { // the same API over JSON-RPC: its sessions are in the body
		s.Note(what, "", string(unimplemented))
		failed(unimplemented, "The API is simulated over REST only, below /api/ and /rest/.").write(w, r)
		return
	}
	if !s.exists(strings.ToLower(r.URL.Path)) {
		s.Note(what, "", string(notFound))
		failed(notFound, "There is no such operation.").write(w, r)
		return
	}
	who, in := s.sessions.of(r)
	if !in {
		s.Note(what, "", string(unauthenticated))
		failed(unauthenticated, "This method requires authentication.").write(w, r)
		return
	}
	s.Note(what, who.User, string(unimplemented))
	failed(unimplemented, "The simulation knows that this path exists, not what it answers.").write(w, r)
}

// answer writes what an operation comes to, in the form of its path.
func answer(w http.ResponseWriter, r *http.Request, status int, value any) {
	switch {
	case status != 0:
	case value == nil && isBare(r.URL):
		status = http.StatusNoContent
	default:
		status = http.StatusOK
	}
	if value == nil { // an operation without a result
		w.WriteHeader(status)
		return
	}
	if !isBare(r.URL) {
		value = map[string]any{"value": value}
	}
	writeJSON(w, status, value)
}

func isBare(u *url.URL) bool { return !strings.HasPrefix(u.Path, wrapped+"/") }

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) //nolint:errchkjson // a caller who is gone gets no answer
}
