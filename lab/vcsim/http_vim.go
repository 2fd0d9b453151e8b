package vcsim

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/wsdl"
)

// worded serves vim25 as a vCenter would have written the simulator's answers: faults have a text, and an older client is
// not given elements that it does not know.
func (v *VCenter) worded(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/sdk/"+wsdl.Service { // some clients send their calls to where they read of them
		r.URL.Path = "/sdk"
	}
	if r.URL.Path != "/sdk" && r.URL.Path != "/sdk/vimService" {
		next.ServeHTTP(w, r)
		return
	}
	out := &answerWriter{ResponseWriter: w, status: http.StatusOK, elements: v.elements}
	if asked := requestVersion(r); asked != nil && asked.before(parseVersion(v.apiVersion())) {
		out.trim = asked
	}
	next.ServeHTTP(out, r)
	if !out.begun {
		w.WriteHeader(out.status)
	}
}

// answerWriter changes an answer on its way. The simulator writes the whole of it at once.
type answerWriter struct {
	http.ResponseWriter
	status   int
	trim     version              // of the client, if it is older than the vCenter
	elements map[[2]string]string // versions of elements by type and name
	begun    bool
}

func (w *answerWriter) WriteHeader(status int) { w.status = status }

func (w *answerWriter) Write(b []byte) (int, error) {
	n := len(b)
	if !w.begun {
		w.begun = true
		if w.status == http.StatusInternalServerError {
			b = withFaultText(b)
		}
		if w.trim != nil {
			b = trimmed(b, w.trim, w.elements)
		}
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		w.ResponseWriter.WriteHeader(w.status)
	}
	if _, err := w.ResponseWriter.Write(b); err != nil {
		return 0, err
	}
	return n, nil
}

const noText = "<faultstring></faultstring>"

// withFaultText gives a fault its text. Clients show it and nothing else, and the simulator leaves it empty in most faults.
func withFaultText(answer []byte) []byte {
	if !bytes.Contains(answer, []byte(noText)) {
		return answer
	}
	var envelope struct {
		Body struct {
			Fault *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault"`
		}
	}
	dec := xml.NewDecoder(bytes.NewReader(answer))
	dec.TypeFunc = types.TypeFunc()
	if err := dec.Decode(&envelope); err != nil || envelope.Body.Fault == nil {
		return answer
	}
	var text bytes.Buffer
	_ = xml.EscapeText(&text, []byte(faultText(pointerTo(envelope.Body.Fault.VimFault()))))
	return bytes.Replace(answer, []byte(noText), []byte("<faultstring>"+text.String()+"</faultstring>"), 1)
}

// apiVersions are the versions of the API from the newest on, as a vCenter 8.0.3 lists them; 9.0 is govmomi's.
var apiVersions = strings.Fields(`9.0.0.0 8.0.3.0 8.0.2.0 8.0.1.0 8.0.0.2 8.0.0.1 8.0.0.0 7.0.3.2 7.0.3.1 7.0.3.0 7.0.2.1 7.0.2.0
	7.0.1.1 7.0.1.0 7.0.0.2 7.0.0.0 6.9.1 6.8.7 6.7.3 6.7.2 6.7.1 6.7 6.5 6.0 5.5 5.1 5.0 4.1 4.0`)

func (v *VCenter) apiVersion() string { return v.authz.content.About.ApiVersion }

// serviceVersions is what clients choose a version by: the vCenter's and all before it. The simulator names two of them.
func (v *VCenter) serviceVersions(w http.ResponseWriter, _ *http.Request) {
	own := v.apiVersion()
	var b strings.Builder
	fmt.Fprintf(&b, "%s<namespaces version=\"1.0\"><namespace><name>urn:vim25</name><version>%s</version><priorVersions>", xml.Header, own)
	for _, prior := range apiVersions {
		if parseVersion(prior).before(parseVersion(own)) {
			fmt.Fprintf(&b, "<version>%s</version>", prior)
		}
	}
	b.WriteString("</priorVersions></namespace></namespaces>")
	w.Header().Set("Content-Type", "text/xml")
	_, _ = w.Write([]byte(b.String()))
}

// described serves a file by which clients know the API without a library. A client finds the API where it found the file.
func (v *VCenter) described(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, _ := wsdl.File(name, "https://"+r.Host+v.model.Map().Path)
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		_, _ = w.Write(data)
	}
}

// version is that of an API, number by number; nil is none.
type version []int

func parseVersion(s string) version {
	var v version
	for part := range strings.SplitSeq(s, ".") {
		digits, _, _ := strings.Cut(part, "u") // 2.5u2
		n, err := strconv.Atoi(digits)
		if err != nil {
			return nil
		}
		v = append(v, n)
	}
	return v
}

func (v version) before(w version) bool {
	for i := range max(len(v), len(w)) {
		var a, b int
		if i < len(v) {
			a = v[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return a < b
		}
	}
	return false
}

// requestVersion is the version that a client asks in: SOAPAction: "urn:vim25/6.7.1". Nil when it names none.
func requestVersion(r *http.Request) version {
	_, v, ok := strings.Cut(strings.Trim(r.Header.Get("SOAPAction"), `"`), "urn:vim25/")
	if !ok {
		return nil
	}
	return parseVersion(v)
}
