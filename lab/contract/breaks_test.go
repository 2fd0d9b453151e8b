package contract_test

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// breaker alters answers of a simulated vCenter. It learns the ids of what a run makes, so that an alteration can be about one
// folder or one role of it.
type breaker struct {
	folders, roles map[string]string // by the end of the name
	saved          map[string][]byte // bodies that other answers are made of
	seen           map[string]int
	rules          []breakage
	done           []int // how often each altered something
}

func newBreaker(rules []breakage) *breaker {
	return &breaker{folders: map[string]string{}, roles: map[string]string{}, saved: map[string][]byte{}, seen: map[string]int{}, rules: rules, done: make([]int, len(rules))}
}

// breakage is how the answers to one method are altered. Request lists what a request must hold, folder:NAME and role:NAME
// standing for ids.
type breakage struct {
	method  string
	request []string
	alter   func(b *breaker, a *vcsim.Answer) bool // reports whether it changed anything
}

var (
	madeName = regexp.MustCompile(`<name>` + contract.Prefix(id) + `([^<]*)</name>`)
	madeID   = regexp.MustCompile(`<returnval[^>]*>([^<]+)</returnval>`)
)

func (b *breaker) answer(a *vcsim.Answer) {
	name, made := madeName.FindSubmatch(a.Request), madeID.FindSubmatch(a.Body)
	if name != nil && made != nil && a.Status == http.StatusOK {
		switch a.Method {
		case "CreateFolder":
			b.folders[string(name[1])] = string(made[1])
		case "AddAuthorizationRole":
			b.roles[string(name[1])] = string(made[1])
		}
	}
	if a.Method == "FindPersonUser" && a.Status == http.StatusOK && bytes.Contains(a.Body, []byte("<returnval")) {
		b.saved["person"] = slices.Clone(a.Body)
	}
	b.seen[a.Method]++
	for i, rule := range b.rules {
		if a.Method == rule.method && b.asks(a.Request, rule.request) && rule.alter(b, a) {
			b.done[i]++
		}
	}
}

func (b *breaker) asks(request []byte, wanted []string) bool {
	for _, w := range wanted {
		kind, name, special := strings.Cut(w, ":")
		switch {
		case special && kind == "folder":
			w = b.folders[name]
		case special && kind == "role":
			w = b.roles[name]
		case special && kind == "not":
			if bytes.Contains(request, []byte(name)) {
				return false
			}
			continue
		}
		if special {
			if w == "" {
				return false
			}
			w = ">" + w + "<"
		}
		if !bytes.Contains(request, []byte(w)) {
			return false
		}
	}
	return true
}

func send(a *vcsim.Answer, status int, body string) bool {
	a.Status = status
	a.Body = []byte(`<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<soapenv:Body>` + body + `</soapenv:Body></soapenv:Envelope>`)
	return true
}

// accept turns a refusal into a result.
func accept(namespace, result string) func(*breaker, *vcsim.Answer) bool {
	return func(_ *breaker, a *vcsim.Answer) bool {
		if a.Status == http.StatusOK {
			return false
		}
		name := a.Method + "Response"
		return send(a, http.StatusOK, `<`+name+` xmlns="urn:`+namespace+`">`+result+`</`+name+`>`)
	}
}

// refuse turns a result, or another refusal, into a fault.
func refuse(kind string) func(*breaker, *vcsim.Answer) bool {
	return func(_ *breaker, a *vcsim.Answer) bool {
		return send(a, http.StatusInternalServerError, `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>no</faultstring>`+
			`<detail><`+kind+`Fault xmlns="urn:vim25" xsi:type="`+kind+`"></`+kind+`Fault></detail></soapenv:Fault>`)
	}
}

// empty answers with a result that holds nothing.
func empty(namespace string) func(*breaker, *vcsim.Answer) bool {
	return func(_ *breaker, a *vcsim.Answer) bool {
		name := a.Method + "Response"
		return send(a, http.StatusOK, `<`+name+` xmlns="urn:`+namespace+`"></`+name+`>`)
	}
}

// replace changes every place in an answer.
func replace(pattern, with string) func(*breaker, *vcsim.Answer) bool {
	re := regexp.MustCompile(pattern)
	return func(_ *breaker, a *vcsim.Answer) bool {
		before := a.Body
		a.Body = re.ReplaceAll(a.Body, []byte(with))
		return !bytes.Equal(before, a.Body)
	}
}

// after changes the first place behind another.
func after(anchor, pattern, with string) func(*breaker, *vcsim.Answer) bool {
	from, re := regexp.MustCompile(anchor), regexp.MustCompile(pattern)
	return func(_ *breaker, a *vcsim.Answer) bool {
		at := from.FindIndex(a.Body)
		if at == nil {
			return false
		}
		place := re.FindIndex(a.Body[at[1]:])
		if place == nil {
			return false
		}
		a.Body = slices.Concat(a.Body[:at[1]+place[0]], []byte(with), a.Body[at[1]+place[1]:])
		return true
	}
}

// second alters the second answer alone.
func second(method string, alter func(*breaker, *vcsim.Answer) bool) func(*breaker, *vcsim.Answer) bool {
	return func(b *breaker, a *vcsim.Answer) bool { return b.seen[method] == 2 && alter(b, a) }
}

// status answers with another HTTP status.
func status(code int) func(*breaker, *vcsim.Answer) bool {
	return func(_ *breaker, a *vcsim.Answer) bool {
		a.Status = code
		return true
	}
}

// roleNamed is where the list of roles has one of this run.
func roleNamed(end string) string { return `<name>` + contract.Prefix(id) + end + `</name>` }
