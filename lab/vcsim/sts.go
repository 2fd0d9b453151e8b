package vcsim

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const (
	wsTrust = "http://docs.oasis-open.org/ws-sx/ws-trust/200512"
	wsu     = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
	samlNow = "2006-01-02T15:04:05.000Z"

	maxTokenLifetime = 30 * 24 * time.Hour // a request for more is cut down
)

// trustRequest is what an Issue or Renew of WS-Trust says, without what only a signed request needs.
type trustRequest struct {
	User     string `xml:"Header>Security>UsernameToken>Username"`
	Password string `xml:"Header>Security>UsernameToken>Password"`
	Created  string `xml:"Body>RequestSecurityToken>Lifetime>Created"`
	Expires  string `xml:"Body>RequestSecurityToken>Lifetime>Expires"`
	Type     string `xml:"Body>RequestSecurityToken>RequestType"`
	Renewed  struct {
		ID string `xml:",attr"`
	} `xml:"Body>RequestSecurityToken>RenewTarget>Assertion"`
}

// tokenService is the Secure Token Service: it turns a password into a bearer token. Tokens for certificates
// (holder of key) are not given out.
type tokenService struct {
	dir     *directory.Directory
	server  string
	journal journal
}

func (s *tokenService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	var req trustRequest
	if err := xml.Unmarshal(body, &req); err != nil {
		stsFault(w, "InvalidRequest", "the request is not a WS-Trust envelope")
		return
	}
	var p directory.Principal
	renew := strings.HasSuffix(req.Type, "/Renew")
	switch {
	case strings.HasSuffix(req.Type, "/Issue"):
		p, err = s.dir.Authenticate(req.User, req.Password)
	case renew:
		p, err = s.dir.TokenOwner(req.Renewed.ID)
	default:
		stsFault(w, "UnsupportedRequest", "request type "+req.Type+" is not supported")
		return
	}
	if err != nil {
		s.journal.call("sts", "RequestSecurityToken", req.User, &soapError{kind: "FailedAuthentication"})
		stsFault(w, "FailedAuthentication", stsReason(err))
		return
	}
	s.journal.call("sts", "RequestSecurityToken", p.String(), nil)
	s.answer(w, p, lifetime(req), renew)
}

// lifetime is what the client asked for, whatever its clock says.
func lifetime(req trustRequest) time.Duration {
	from, err1 := time.Parse(time.RFC3339, req.Created)
	till, err2 := time.Parse(time.RFC3339, req.Expires)
	if err1 != nil || err2 != nil || !till.After(from) {
		return 5 * time.Minute
	}
	return min(till.Sub(from), maxTokenLifetime)
}

// stsReason tells an expired password and a locked account apart from everything else, in the words of vCenter SSO, which were recorded
// of an expired one. A
// disabled account is not told from a wrong password.
func stsReason(err error) string {
	if refused, ok := errors.AsType[*directory.RefusedLogin](err); ok {
		who := fmt.Sprintf("{Name: %s, Domain: %s}", refused.Principal.Name, refused.Principal.Domain)
		switch {
		case errors.Is(err, directory.ErrLocked):
			const text = "The account of the user trying to authenticate is locked. :: "
			return text + text + "User account locked: " + who
		case errors.Is(err, directory.ErrExpired):
			const text = "Password of the user logging on is expired. :: "
			return text + text + "User account expired: " + who
		}
	}
	return "Invalid credentials"
}

func stsFault(w http.ResponseWriter, code, text string) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprintf(w, `%s<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>`+
		`<faultcode xmlns:ns0="%s">ns0:%s</faultcode><faultstring>%s</faultstring>`+
		`</S:Fault></S:Body></S:Envelope>`, xml.Header, wsTrust, code, escape(text))
}

func (s *tokenService) answer(w http.ResponseWriter, p directory.Principal, life time.Duration, renew bool) {
	id, from := s.dir.Issue(p, life)
	token := fmt.Sprintf(`<RequestSecurityTokenResponse xmlns="%s"><RequestedSecurityToken>%s</RequestedSecurityToken>`+
		`<Lifetime><wsu:Created xmlns:wsu="%s">%s</wsu:Created><wsu:Expires xmlns:wsu="%s">%s</wsu:Expires></Lifetime>`+
		`</RequestSecurityTokenResponse>`,
		wsTrust, s.assertion(id, p, from, from.Add(life)),
		wsu, from.UTC().Format(samlNow), wsu, from.Add(life).UTC().Format(samlNow))
	if !renew {
		token = `<RequestSecurityTokenResponseCollection xmlns="` + wsTrust + `">` + token + `</RequestSecurityTokenResponseCollection>`
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = fmt.Fprintf(w, `%s<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>%s</S:Body></S:Envelope>`, xml.Header, token)
}

// assertion is the token itself. It bears no signature: the STS remembers what it gave out.
func (s *tokenService) assertion(id string, p directory.Principal, from, till time.Time) string {
	var groups strings.Builder
	for _, g := range s.dir.GroupsOf(p) {
		groups.WriteString(`<saml2:AttributeValue>` + escape(g.Domain+`\`+g.Name) + `</saml2:AttributeValue>`)
	}
	return fmt.Sprintf(`<saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="%s" IssueInstant="%s" Version="2.0">`+
		`<saml2:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">https://%s/websso/SAML2/Metadata/%s</saml2:Issuer>`+
		`<saml2:Subject><saml2:NameID Format="http://schemas.xmlsoap.org/claims/UPN">%s</saml2:NameID>`+
		`<saml2:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml2:SubjectConfirmationData NotOnOrAfter="%s"/></saml2:SubjectConfirmation></saml2:Subject>`+
		`<saml2:Conditions NotBefore="%s" NotOnOrAfter="%s"/>`+
		`<saml2:AttributeStatement><saml2:Attribute FriendlyName="Groups" Name="http://rsa.com/schemas/attr-names/2009/01/GroupIdentity"`+
		` NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri">%s</saml2:Attribute></saml2:AttributeStatement></saml2:Assertion>`,
		id, from.UTC().Format(samlNow), s.server, escape(s.dir.Domain()), escape(p.UPN()),
		till.UTC().Format(samlNow), from.UTC().Format(samlNow), till.UTC().Format(samlNow), groups.String())
}

func escape(s string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(s))
	return out.String()
}
