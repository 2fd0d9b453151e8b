package provision_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// passwordElement is where requests hold a password, those to the STS too.
var passwordElement = regexp.MustCompile(`<(?:\w+:)?[pP]assword(?: [^>]*)?>([^<]+)</`)

// repeated is a text with a password in all the ways in which somebody could write it down.
func repeated(password string) string {
	quoted, err := json.Marshal(password)
	if err != nil {
		panic(err) // of a string: never
	}
	return strings.Join([]string{
		"user administrator password " + password, strconv.Quote(password), string(quoted), url.QueryEscape(password), url.PathEscape(password),
		html.EscapeString(password), hex.EncodeToString([]byte(password)),
		base64.StdEncoding.EncodeToString([]byte("administrator@vsphere.local:" + password)),
		base64.StdEncoding.EncodeToString([]byte("x:" + password)), base64.URLEncoding.EncodeToString([]byte("xy:" + password)),
	}, " | ")
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// parrots repeat a password in an answer.
var parrots = map[string]func(a *vcsim.Answer, password string){
	"fault": func(a *vcsim.Answer, password string) {
		a.Status = http.StatusInternalServerError
		a.Body = []byte(`<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><soapenv:Fault><faultcode>` +
			escaped(password) + `</faultcode><faultstring>` + escaped(repeated(password)) +
			`</faultstring><detail><InvalidArgumentFault xmlns="urn:vim25" xsi:type="InvalidArgument"><faultMessage><key>k</key><message>` + escaped(repeated(password)) +
			`</message></faultMessage><invalidProperty>` + escaped(password) + `</invalidProperty></InvalidArgumentFault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`)
	},
	"reason": func(a *vcsim.Answer, password string) {
		a.Status, a.Reason = http.StatusForbidden, repeated(password)
	},
	"no SOAP": func(a *vcsim.Answer, password string) { // govmomi repeats the name of the element
		a.Status, a.Body = http.StatusOK, []byte("<"+password+"/>")
	},
	"result": func(a *vcsim.Answer, password string) { // a time that is none is repeated by Go
		a.Status = http.StatusOK
		a.Body = []byte(`<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><RequestSecurityTokenResponseCollection xmlns="http://docs.oasis-open.org/ws-sx/ws-trust/200512"><RequestSecurityTokenResponse><RequestedSecurityToken><Assertion/></RequestedSecurityToken><Lifetime><Created xmlns="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd">` +
			escaped(repeated(password)) + `</Created></Lifetime></RequestSecurityTokenResponse></RequestSecurityTokenResponseCollection></soapenv:Body></soapenv:Envelope>`)
	},
}

// A vCenter, or what stands before it, repeats the passwords that it gets: in faults, in reason phrases, in answers that
// are no SOAP, and later too. None is printed, by no command, with --debug.
func TestCanaryEchoed(t *testing.T) {
	notShort(t, "about what is printed and stored")
	t.Parallel()
	c := newCage(t)
	var mu sync.Mutex
	var heard []string
	repeats := 0
	listen := func(how string, methods ...string) {
		parrot := parrots[how]
		for _, v := range c.lab.VCenters {
			v.SetFault(func(_ int, method string) vcsim.Fault { // such a request is not served
				if slices.Contains(methods, method) {
					return vcsim.Fault{Kind: vcsim.Empty}
				}
				return vcsim.Fault{}
			})
			v.SetAnswer(func(a *vcsim.Answer) {
				mu.Lock()
				defer mu.Unlock()
				password := adminCanary
				if m := passwordElement.FindSubmatch(a.Request); m != nil {
					password = html.UnescapeString(string(m[1]))
					heard = append(heard, password)
				}
				if slices.Contains(methods, a.Method) {
					parrot(a, password)
					repeats++
				}
			})
		}
	}
	shown := func(name string) {
		t.Helper()
		c.passwords = append(c.passwords, heard...)
		slices.Sort(c.passwords)
		c.passwords = slices.Compact(c.passwords)
		all := string(c.outputs[name+" stderr"]) + string(c.outputs[name+" stdout"])
		if repeats == 0 || !strings.Contains(all, secret.Redacted) {
			t.Errorf("%s: %d answers repeat a password, and nothing shows that one was hidden:\n%s", name, repeats, all)
		}
		repeats = 0
	}
	for _, o := range []struct{ how, method, command string }{
		{"fault", "Login", "plan"},
		{"reason", "Login", "plan"},
		{"fault", "RequestSecurityToken", "plan"},
		{"reason", "RequestSecurityToken", "plan"},
		{"result", "RequestSecurityToken", "plan"},
		{"fault", "RetrieveAllPermissions", "plan"}, // the administrator's, remembered from the login
		{"reason", "RetrieveAllPermissions", "plan"},
		{"fault", "FindByInventoryPath", "plan"},
		{"fault", "CreateLocalPersonUser", "apply"},
		{"reason", "CreateLocalPersonUser", "apply"},
		{"no SOAP", "CreateLocalPersonUser", "apply"},
		{"fault", "SetEntityPermissions", "apply"},
	} {
		listen(o.how, o.method)
		c.command(command.ExitFailed, c.words(o.command)...)
		shown(fmt.Sprintf("run %d (%s)", c.runs, o.command))
		listen(o.how, o.method)
		c.command(command.ExitFailed, c.words(o.command, "-o", "json")...)
		shown(fmt.Sprintf("run %d (%s)", c.runs, o.command))
	}
	listen("fault", "Login")
	c.command(command.ExitDifferent, c.words("doctor")...)
	shown(fmt.Sprintf("run %d (doctor)", c.runs))
	c.command(command.ExitFailed, c.words("verify")...)
	for _, v := range c.lab.VCenters {
		v.SetAnswer(nil)
		v.SetFault(nil)
	}
	c.command(command.ExitDone, c.words("apply")...)
	listen("fault", "Login", "DeleteLocalPrincipal", "FetchUserPrivilegeOnEntities")
	c.command(command.ExitFailed, c.words("verify", "-o", "json")...)
	login := []string{"credentials", "validate", "--login", "--cacert", c.ca}
	for _, v := range c.lab.VCenters {
		login = append(login, "--connect-to", v.Server()+"="+v.Addr())
	}
	c.command(command.ExitDifferent, login...)
	shown(fmt.Sprintf("run %d (credentials)", c.runs))
	c.check()
}
