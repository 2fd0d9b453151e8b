package provision_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// mutation is one way in which an answer can be wrong.
type mutation struct {
	name string
	do   func(r *rand.Rand, a *vcsim.Answer)
}

// refuses reports whether the answer says that nothing was done. Then nothing is.
func (m mutation) refuses() bool { return strings.HasPrefix(m.name, "fault") }

// wrong are mutations of answers, from nothing at all to what is nearly right.
var wrong = []mutation{
	{"empty SOAP body", func(_ *rand.Rand, a *vcsim.Answer) { a.Status, a.Body = http.StatusOK, []byte(vcsim.EmptyEnvelope) }},
	{"nothing", func(_ *rand.Rand, a *vcsim.Answer) { a.Body = nil }},
	{"no content", func(_ *rand.Rand, a *vcsim.Answer) { a.Status, a.Body = http.StatusNoContent, nil }},
	{"web page", func(_ *rand.Rand, a *vcsim.Answer) {
		a.Header.Set("Content-Type", "text/html")
		a.Status, a.Body = http.StatusOK, []byte("<html><body><p>Sign in<br></body></html>")
	}},
	{"truncated", func(r *rand.Rand, a *vcsim.Answer) { a.Body = a.Body[:r.IntN(len(a.Body)+1)] }},
	{"too short for its length", func(_ *rand.Rand, a *vcsim.Answer) { a.Header.Set("Content-Length", fmt.Sprint(len(a.Body)+100)) }},
	{"too long for its length", func(_ *rand.Rand, a *vcsim.Answer) { a.Header.Set("Content-Length", fmt.Sprint(len(a.Body)/2)) }},
	{"said to be compressed", func(_ *rand.Rand, a *vcsim.Answer) { a.Header.Set("Content-Encoding", "gzip") }},
	{"status", func(r *rand.Rand, a *vcsim.Answer) {
		a.Status = []int{500, 404, 401, 403, 429, 302, 307}[r.IntN(7)]
		a.Header.Set("Location", "https://127.0.0.1:1/")
	}},
	{"fault of nothing", func(_ *rand.Rand, a *vcsim.Answer) {
		a.Status, a.Body = 500, soapBody("<soapenv:Fault></soapenv:Fault>")
	}},
	{"fault of an unknown kind", func(_ *rand.Rand, a *vcsim.Answer) {
		a.Status, a.Body = 500, soapBody(`<soapenv:Fault><faultcode>x</faultcode><faultstring/><detail><NoSuchFault xmlns="urn:vim25" xsi:type="NoSuch"/></detail></soapenv:Fault>`)
	}},
	{"fault that is a number", func(_ *rand.Rand, a *vcsim.Answer) {
		a.Status, a.Body = 500, soapBody(`<soapenv:Fault><faultcode>x</faultcode><faultstring>y</faultstring><detail><f xsi:type="xsd:int">7</f></detail></soapenv:Fault>`)
	}},
	{"other namespace", func(_ *rand.Rand, a *vcsim.Answer) {
		a.Body = namespace.ReplaceAll(a.Body, []byte(`xmlns="urn:nobody"`))
	}},
	{"no namespace", func(_ *rand.Rand, a *vcsim.Answer) { a.Body = namespace.ReplaceAll(a.Body, nil) }},
	{"other method", func(_ *rand.Rand, a *vcsim.Answer) {
		a.Body = bytes.ReplaceAll(a.Body, []byte(a.Method+"Response"), []byte("DestroyResponse"))
	}},
	{"other types", func(r *rand.Rand, a *vcsim.Answer) {
		kind := []string{"xsd:int", "xsd:string", "xsd:boolean", "ArrayOfString", "ManagedObjectReference", "NoSuchType", "ArrayOfAuthorizationRole", "xsd:dateTime", ""}[r.IntN(9)]
		a.Body = typed.ReplaceAll(a.Body, []byte(`type="`+kind+`"`))
	}},
	{"an element gone", func(r *rand.Rand, a *vcsim.Answer) { edit(r, a, func([]byte) []byte { return nil }) }},
	{"all elements of a name gone", func(r *rand.Rand, a *vcsim.Answer) {
		if e, ok := pick(r, elements(a.Body)); ok {
			name := regexp.QuoteMeta(e.name)
			a.Body = regexp.MustCompile(`(?s)<(?:\w+:)?`+name+`(?: [^>]*)?(?:/>|>.*?</(?:\w+:)?`+name+`>)`).ReplaceAll(a.Body, nil)
		}
	}},
	{"an element twice", func(r *rand.Rand, a *vcsim.Answer) {
		edit(r, a, func(e []byte) []byte { return bytes.Repeat(e, 2) })
	}},
	{"an element a thousand times", func(r *rand.Rand, a *vcsim.Answer) {
		edit(r, a, func(e []byte) []byte { return bytes.Repeat(e, 1+min(999, (4<<20)/len(e))) })
	}},
	{"an element empty", func(r *rand.Rand, a *vcsim.Answer) {
		edit(r, a, func(e []byte) []byte {
			begin, end := bytes.IndexByte(e, '>'), bytes.LastIndex(e, []byte("</"))
			if end < begin {
				return e
			}
			return append(append([]byte{}, e[:begin+1]...), e[end:]...)
		})
	}},
	{"other text", func(r *rand.Rand, a *vcsim.Answer) {
		text := []string{
			"2147483647", "-2147483648", "99999999999999999999", "0", "NaN", "-", "true", "", " ", "1e400", strings.Repeat("9", 4000),
			"9999-99-99T99:99:99Z", "https://[::1", "https://127.0.0.1:1/", "%zz", "/", "@", `\`, "\u202e\n", strings.Repeat("x", 1<<20),
		}[r.IntN(20)]
		leaves := elements(a.Body)
		for range 50 {
			if e, ok := pick(r, leaves); ok && e.leaf {
				a.Body = e.replace(a.Body, func(old []byte) []byte {
					begin, end := bytes.IndexByte(old, '>'), bytes.LastIndex(old, []byte("</"))
					if end < begin {
						return old
					}
					return append(append(append([]byte{}, old[:begin+1]...), text...), old[end:]...)
				})
				return
			}
		}
	}},
	{"nested deeply", func(r *rand.Rand, a *vcsim.Answer) {
		edit(r, a, func(e []byte) []byte {
			return []byte(strings.Repeat("<x>", 20000) + string(e) + strings.Repeat("</x>", 20000))
		})
	}},
	{"an element in another's place", func(r *rand.Rand, a *vcsim.Answer) {
		all := elements(a.Body)
		other, ok := pick(r, all)
		if ok {
			text := append([]byte{}, a.Body[other.from:other.to]...)
			edit(r, a, func([]byte) []byte { return text })
		}
	}},
}

var (
	namespace = regexp.MustCompile(`xmlns="[^"]*"`)
	typed     = regexp.MustCompile(`\btype="[^"]*"`)
)

func soapBody(text string) []byte {
	return []byte(`<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>` + text + `</soapenv:Body></soapenv:Envelope>`)
}

// element is one of those below the SOAP body.
type element struct {
	name     string
	from, to int
	leaf     bool
}

func (e element) replace(body []byte, with func([]byte) []byte) []byte {
	out := append([]byte{}, body[:e.from]...)
	out = append(out, with(body[e.from:e.to])...)
	return append(out, body[e.to:]...)
}

func elements(body []byte) []element {
	const wrapped = 2 // envelope and body
	d := xml.NewDecoder(bytes.NewReader(body))
	var open, all []element
	for {
		from := int(d.InputOffset())
		token, err := d.Token()
		if err != nil {
			return all
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > 0 {
				open[len(open)-1].leaf = false
			}
			open = append(open, element{name: t.Name.Local, from: from, leaf: true})
		case xml.EndElement:
			e := open[len(open)-1]
			open = open[:len(open)-1]
			if e.to = int(d.InputOffset()); len(open) >= wrapped {
				all = append(all, e)
			}
		}
	}
}

func pick(r *rand.Rand, all []element) (element, bool) {
	if len(all) == 0 {
		return element{}, false
	}
	return all[r.IntN(len(all))], true
}

func edit(r *rand.Rand, a *vcsim.Answer, with func([]byte) []byte) {
	if e, ok := pick(r, elements(a.Body)); ok {
		a.Body = e.replace(a.Body, with)
	}
}
