package vcenter_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vmware/govmomi/vapi/tags"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// What is no answer of the REST API is said to be none, without types of Go.
func TestRESTJunk(t *testing.T) {
	t.Parallel()
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	api, err := s.REST(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Automation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, junk := range []string{`"text"`, `[{"items": 1}]`, `{"items": {"a": "b"}}`, `{`, `null x`, `<html>`} {
		v.SetAnswer(func(answer *vcsim.Answer) { answer.Status, answer.Body = http.StatusOK, []byte(junk) })
		_, listed := tags.NewManager(api).GetCategories(t.Context())
		var page struct{ Items []struct{ Info string } }
		posted := a.Post(t.Context(), "/api/vcenter/authorization/permissions?action=list", nil, &page)
		if posted == nil || !strings.Contains(posted.Error(), "the answer cannot be read") {
			t.Errorf("%s: %v", junk, posted)
		}
		for _, err := range []error{s.ExplainREST(listed, "System.Read"), posted} {
			if err != nil && (strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "json")) {
				t.Errorf("%s: %v", junk, err)
			}
		}
	}
}
