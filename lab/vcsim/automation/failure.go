package automation

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// kind is a standard error of the API.
type kind string

// The kinds that the simulation answers with.
const (
	alreadyExists   kind = "already_exists"
	invalidArgument kind = "invalid_argument"
	notFound        kind = "not_found"
	unauthenticated kind = "unauthenticated"
	unauthorized    kind = "unauthorized"
	unimplemented   kind = "unimplemented"

	unableToAllocate kind = "unable_to_allocate_resource"
)

// statuses are those of HTTP (vSphere Automation API, com.vmware.vapi.std.errors; of not_found and already_exists seen on the wire).
var statuses = map[kind]int{
	alreadyExists:   http.StatusBadRequest,
	invalidArgument: http.StatusBadRequest,
	notFound:        http.StatusNotFound,
	unauthenticated: http.StatusUnauthorized,
	unauthorized:    http.StatusForbidden,
	unimplemented:   http.StatusNotImplemented,

	unableToAllocate: http.StatusInternalServerError,
}

// failure is an error of the API.
type failure struct {
	kind kind
	text string
}

func failed(k kind, text string) *failure { return &failure{k, text} }

// write answers with the error, in the form of the path.
func (f *failure) write(w http.ResponseWriter, r *http.Request) {
	messages := []map[string]any{{"args": []string{}, "default_message": f.text, "id": "ocp-vsphere-admin.simulation"}}
	if isBare(r.URL) {
		writeJSON(w, statuses[f.kind], map[string]any{"error_type": strings.ToUpper(string(f.kind)), "messages": messages})
		return
	}
	writeJSON(w, statuses[f.kind], map[string]any{
		"type": "com.vmware.vapi.std.errors." + string(f.kind), "value": map[string]any{"messages": messages},
	})
}

// fail notes an error of an operation for which no privilege was looked for.
func (s *Service) fail(c *call, k kind, text string) *failure {
	s.Note(c.id, c.who.User, string(k))
	return failed(k, text)
}

// need gives the error of a caller who lacks a privilege.
func (s *Service) need(c *call, needs ...Need) *failure {
	if missing := s.Inventory.Missing(c.who.principal, c.id, needs...); len(missing) > 0 {
		return failed(unauthorized, "Permission to perform this operation was denied: "+missing[0].Privilege)
	}
	return nil
}

var errTooLong = errors.New("too long")

func readAll(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err == nil && len(body) > most {
		err = errTooLong
	}
	return body, err
}

// decode reads what a request says.
func decode(c *call, to any) *failure {
	if err := json.Unmarshal(c.body, to); err != nil {
		return failed(invalidArgument, "The request is not what this operation takes.")
	}
	return nil
}
