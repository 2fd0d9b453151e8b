package vcenter

import (
	gobytes "bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	lookupmethods "github.com/vmware/govmomi/lookup/methods"
	lookuptypes "github.com/vmware/govmomi/lookup/types"
	"github.com/vmware/govmomi/ssoadmin"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// said is a server that says one thing to everybody.
type said struct {
	status int
	reason string
	body   []byte
}

func (s said) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: s.status, Status: s.reason, Header: http.Header{"Content-Type": {"text/xml"}},
		Body: io.NopCloser(gobytes.NewReader(s.body)), ContentLength: -1, Request: req,
	}, nil
}

// hear is a session on such a server.
func hear(s said) *Session {
	u := &url.URL{Scheme: "https", Host: "vcenter1.example.com", Path: "/sdk"}
	session := &Session{
		line:   &line{transport: &http.Transport{}},
		Server: u.Host, config: Config{Server: u.Host, Timeout: time.Hour, Retries: []time.Duration{}}.withDefaults(),
		soap: soap.NewClient(u, true), slots: make(chan struct{}, 1), hidden: &hidden{},
	}
	session.user, session.password = "administrator@vsphere.local", secret.New(parroted)
	session.hidden.Learn(parroted)
	session.transport = session.newTransport(hears(session, s, session.soap), nil)
	return session
}

// hears has a client hear s.
func hears(session *Session, s said, c *soap.Client) *soap.Client {
	c.Transport = &wire{inner: s, limit: limitAnswer, config: session.config.withDefaults(), hidden: session.hidden, answers: &session.config.Run.answers}
	return c
}

const parroted = `Kanarie&<vogel>7"geel`

// Whatever a server says: no panic, no password in an error, and no success without the element that says so.
func FuzzAnswer(f *testing.F) {
	const begin, end = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><e:Body>`, `</e:Body></e:Envelope>`
	for _, body := range []string{
		"", begin + end, "<html>", begin + `<SetEntityPermissionsResponse xmlns="urn:vim25"/>` + end,
		begin + `<LoginResponse xmlns="urn:vim25"><returnval><key>x</key><userName>u</userName></returnval></LoginResponse>` + end,
		begin + `<e:Fault><faultcode>c</faultcode><faultstring>Kanarie&amp;&lt;vogel&gt;7"geel</faultstring><detail><InvalidLoginFault xmlns="urn:vim25" xsi:type="InvalidLogin"/></detail></e:Fault>` + end,
		begin + `<e:Fault><detail><x xsi:type="xsd:int">7</x></detail></e:Fault>` + end,
		begin + `<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval><token>t</token><objects><obj type="Folder">group-d1</obj><propSet><name>name</name><val xsi:type="xsd:string">Datacenters</val></propSet><propSet><name>parent</name><val xsi:type="ManagedObjectReference" type="Folder">group-d1</val></propSet><missingSet><path>p</path><fault><fault xsi:type="NotAuthenticated"/><localizedMessage>Kanarie&amp;&lt;vogel&gt;7"geel</localizedMessage></fault></missingSet></objects></returnval></RetrievePropertiesExResponse>` + end,
		begin + `<RequestSecurityTokenResponseCollection xmlns="http://docs.oasis-open.org/ws-sx/ws-trust/200512"><RequestSecurityTokenResponse><RequestedSecurityToken><Assertion/></RequestedSecurityToken><Lifetime><Created xmlns="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd">x</Created></Lifetime></RequestSecurityTokenResponse></RequestSecurityTokenResponseCollection>` + end,
		begin + `<ListResponse xmlns="urn:lookup"><returnval><serviceId>x</serviceId></returnval></ListResponse>` + end,
		begin + `<CreateLocalPersonUserResponse xmlns="urn:sso"/>` + end,
	} {
		f.Add(200, "200 OK", []byte(body))
		f.Add(500, "500 "+parroted, []byte(body))
	}
	right := hear(said{200, "200 OK", []byte(begin + `<SetEntityPermissionsResponse xmlns="urn:vim25"/>` + end)})
	ref := types.ManagedObjectReference{Type: "A", Value: "b"}
	if _, err := methods.SetEntityPermissions(f.Context(), right, &types.SetEntityPermissions{This: ref}); err != nil {
		f.Fatalf("a right answer, so that not everything below fails: %v", err)
	}
	f.Fuzz(func(t *testing.T, status int, reason string, body []byte) {
		server := said{status, reason, body}
		s := hear(server)
		s.Content = types.ServiceContent{SessionManager: &ref, AuthorizationManager: &ref, SearchIndex: &ref, PropertyCollector: ref, RootFolder: ref}
		o := &SSO{session: s, transport: s.newTransport(hears(s, server, s.service("/sso", ssoadmin.Namespace, ssoadmin.Version, limitAnswer)), nil)}
		issuer := hears(s, server, s.service("/sts", sts.Namespace, "", limitToken))
		o.issuer = &sts.Client{Client: issuer, RoundTripper: s.newTransport(issuer, nil)}
		ctx := t.Context()
		for element, ask := range map[string]func() error{
			"LoginResponse": func() error { return s.Login(ctx, "administrator@vsphere.local", secret.New(parroted)) },
			"RetrievePropertiesExResponse": func() error {
				objects, err := s.Retrieve(ctx, types.PropertyFilterSpec{})
				if err == nil {
					err = add(inventory.NewTree(), objects)
				}
				return err
			},
			"SetEntityPermissionsResponse": func() error {
				_, err := methods.SetEntityPermissions(ctx, s, &types.SetEntityPermissions{This: ref})
				return err
			},
			"CreateLocalPersonUserResponse": func() error {
				_, err := ssomethods.CreateLocalPersonUser(ctx, o, &ssotypes.CreateLocalPersonUser{This: ref, Password: parroted})
				return err
			},
			"ListResponse": func() error {
				_, err := lookupmethods.List(ctx, s, &lookuptypes.List{This: ref})
				return err
			},
			"RequestSecurityTokenResponseCollection": func() error {
				_, err := o.token(ctx, false)
				return err
			},
		} {
			err := ask()
			if err == nil && (status != http.StatusOK || !gobytes.Contains(body, []byte(element))) {
				t.Errorf("%s was not said, and the request counts as served", element)
			}
			if err != nil && (strings.Contains(err.Error(), parroted) || strings.Contains(s.explain(errors.Join(err)).Error(), parroted)) {
				t.Errorf("%s: the password is in: %v", element, err)
			}
		}
	})
}
