package vcenter

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/soap"
)

// A REST API that hangs, or drips, has the deadline that SOAP has.
func TestRESTEnds(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drips": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
			}
		},
	} {
		server := httptest.NewTLSServer(serve)
		t.Cleanup(server.Close)
		at, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		s := &Session{
			Server: "vc1", config: Config{Server: "vc1", Timeout: 50 * time.Millisecond}.withDefaults(), soap: soap.NewClient(at, true), hidden: &hidden{},
			line: &line{transport: server.Client().Transport.(*http.Transport)},
		}
		_, err = tags.NewManager(s.restClient("token")).GetCategories(t.Context())
		err = s.ExplainREST(err, "System.Read")
		if err == nil || !strings.Contains(err.Error(), "vc1: did not answer within 50ms") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
