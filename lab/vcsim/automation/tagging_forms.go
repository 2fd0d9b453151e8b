package automation

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// listForCategory names its category in the path below /rest, and in the body below /api.
const listForCategory = "list-tags-for-category"

// inBothForms adds to operations below /rest those below /api, which say what was made by their
// status.
func inBothForms(operations []operation) []operation {
	all := slices.Clone(operations)
	for _, o := range operations {
		o.path = strings.Replace(o.path, taggingPath, bare+"/cis/tagging/", 1)
		switch {
		case o.action == listForCategory:
			o.path = strings.TrimSuffix(o.path, "/{}")
		case o.action == "" && o.method == http.MethodPost:
			o.status = http.StatusCreated
		}
		all = append(all, o)
	}
	return all
}

// The names of what creates and updates below /rest.
const createSpec, updateSpec = "create_spec", "update_spec"

// specOf reads what creates or updates: the whole body below /api, one of its fields below /rest.
func specOf[T any](c *call, field string) (*T, *failure) {
	body := c.body
	if !isBare(c.r.URL) {
		var in map[string]json.RawMessage
		if f := decode(c, &in); f != nil {
			return nil, f
		}
		body = in[field]
	}
	var spec *T
	if err := json.Unmarshal(body, &spec); err != nil || spec == nil {
		return nil, failed(invalidArgument, "The request is not what this operation takes.")
	}
	return spec, nil
}

// idOf is the id of what is made: the one that its maker chose, else a new one.
func idOf(what, chosen string, taken bool) (string, *failure) {
	const end = ":GLOBAL"
	begin := "urn:vmomi:InventoryService" + what + ":"
	switch {
	case chosen == "":
		return begin + uuid.NewString() + end, nil
	case !strings.HasPrefix(chosen, begin) || !strings.HasSuffix(chosen, end):
		return "", failed(invalidArgument, "The id "+chosen+" is not of the form "+begin+"..."+end+".")
	case taken:
		return "", failed(alreadyExists, "The id "+chosen+" is taken.")
	}
	return chosen, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func given(now *string, before string) string {
	if now == nil {
		return before
	}
	return *now
}
