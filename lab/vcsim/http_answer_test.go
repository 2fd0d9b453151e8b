package vcsim

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Answers can be changed on their way, with or without the request having been served.
func TestAnswersCanBeChanged(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	client := &http.Client{Transport: &http.Transport{DialTLSContext: v.lab.DialTLSContext}}
	const request = `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><RetrieveServiceContent xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></RetrieveServiceContent></Body></Envelope>`
	ask := func() (status, body string) {
		res, err := client.Post("https://"+v.Server()+"/sdk", "text/xml", strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.Status, string(text)
	}
	_, usual := ask()
	if !strings.Contains(usual, "<rootFolder") {
		t.Fatalf("no service content: %s", usual)
	}
	var seen []string
	v.SetAnswer(func(a *Answer) {
		seen = append(seen, a.Method)
		if string(a.Request) != request {
			t.Errorf("the request is %s", a.Request)
		}
		a.Body = bytes.ToUpper(a.Body)
	})
	if status, body := ask(); status != "200 OK" || body != strings.ToUpper(usual) || //nolint:gocritic // in upper case, not in any
		len(seen) != 1 || seen[0] != "RetrieveServiceContent" {
		t.Errorf("%s, %v: %s", status, seen, body)
	}
	v.SetAnswer(func(a *Answer) { a.Status, a.Reason, a.Body = 403, "Forbidden for you", []byte("no") })
	if status, body := ask(); status != "403 Forbidden for you" || body != "no" {
		t.Errorf("%s: %s", status, body)
	}
	v.SetAnswer(nil)
	v.SetFault(func(int, string) Fault { return Fault{Kind: Empty} })
	if status, body := ask(); status != "200 OK" || body != EmptyEnvelope {
		t.Errorf("%s: %s", status, body)
	}
}
