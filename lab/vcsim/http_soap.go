package vcsim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// soapEndpoint serves one SOAP service beside vim25. govmomi's simulator could dispatch it as well, but it
// refuses most calls without a vim25 session, and an SSO session is a matter of its own (R34, R42).
type soapEndpoint struct {
	namespace string
	methods   map[string]soapMethod       // by "Type.Method"
	admit     func(*soapCall) error       // called before each method; an error is the answer
	note      func(*soapCall) func(error) // told of each call, and what became of it; nil = nobody wants to know
	requests  map[string]reflect.Type     // of methods that govmomi has no types for, by name
}

// elementer is a response whose element is not called as its Go type.
type elementer interface{ element() string }

// internal is a response in the internal namespace of its service.
type internal interface{ internal() }

// soapCall is one request.
type soapCall struct {
	*simulator.Method
	request *http.Request
	header  http.Header // of the response
}

// soapMethod answers with a pointer to a response struct of the service's types, or with an error,
// which may be a *soapError.
type soapMethod func(*soapCall) (any, error)

// soapError is a fault with a type of its own.
type soapError struct {
	kind  string // xsi:type
	fault any    // its fields
	text  string
}

func (e *soapError) Error() string { return e.text }

// vimFault is a fault whose type is vim25's, in an answer of another service.
type vimFault struct{ *soapError }

func (e vimFault) Unwrap() error { return e.soapError }

// method makes a soapMethod of a function with typed request and response.
func method[Req, Res any](f func(*soapCall, *Req) (*Res, error)) soapMethod {
	return func(c *soapCall) (any, error) {
		req, ok := c.Body.(*Req)
		if !ok {
			return nil, &soapError{"InvalidRequest", &types.InvalidRequest{}, "unexpected request " + c.Name}
		}
		res, err := f(c, req)
		if err != nil {
			return nil, err
		}
		return res, nil
	}
}

func (e *soapEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	call := &soapCall{request: r, header: w.Header()}
	if call.Method, err = e.decode(body); err != nil {
		e.answer(w, nil, &soapError{"InvalidRequest", &types.InvalidRequest{}, err.Error()})
		return
	}
	done := func(error) {}
	if e.note != nil {
		done = e.note(call)
	}
	res, err := e.call(call)
	done(err)
	e.answer(w, res, err)
}

func (e *soapEndpoint) call(c *soapCall) (any, error) {
	f := e.methods[c.This.Type+"."+c.Name]
	if f == nil {
		fault := &types.MethodNotFound{Receiver: c.This, Method: c.Name}
		return nil, &soapError{"MethodNotFound", fault, notSimulatedText(c.This.Type + "." + c.Name)}
	}
	if e.admit != nil {
		if err := e.admit(c); err != nil {
			return nil, err
		}
	}
	return f(c)
}

// decode reads an envelope. Requests without a _this are none of the SOAP services here.
func (e *soapEndpoint) decode(body []byte) (m *simulator.Method, err error) {
	vim := types.TypeFunc()
	lookup := func(name string) (reflect.Type, bool) {
		name = name[strings.LastIndex(name, ":")+1:]
		if t, ok := e.requests[name]; ok {
			return t, true
		}
		if t, ok := vim(e.namespace + ":" + name); ok {
			return t, true
		}
		return vim(name)
	}
	defer func() { // UnmarshalBody assumes a _this in every request
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("not a request to a managed object: %v", p)
		}
	}()
	return simulator.UnmarshalBody(lookup, body)
}

const envelopeStart = xml.Header + `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"` +
	` xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>`

const envelopeEnd = `</soapenv:Body></soapenv:Envelope>`

func (e *soapEndpoint) answer(w http.ResponseWriter, res any, err error) {
	var out bytes.Buffer
	out.WriteString(envelopeStart)
	enc := xml.NewEncoder(&out)
	status := http.StatusOK
	if err == nil {
		name, space := reflect.TypeOf(res).Elem().Name(), "urn:"+e.namespace
		if _, ok := res.(internal); ok {
			space = "urn:internal" + e.namespace
		}
		if named, ok := res.(elementer); ok {
			name = named.element()
		}
		err = enc.EncodeElement(res, xml.StartElement{Name: xml.Name{Space: space, Local: name}})
	} else {
		status = http.StatusInternalServerError
		var fault *soapError
		if !errors.As(err, &fault) {
			fault = &soapError{"SystemError", &types.SystemError{}, err.Error()}
		}
		var foreign vimFault
		err = writeFault(&out, enc, e.namespace, fault, errors.As(err, &foreign))
	}
	if err == nil {
		err = enc.Flush()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out.WriteString(envelopeEnd)
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}

// writeFault names a type of vim25 with its namespace, as PBM was recorded to (vmware/terraform-provider-vsphere#1216).
func writeFault(out *bytes.Buffer, enc *xml.Encoder, namespace string, fault *soapError, foreign bool) error {
	out.WriteString("<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>")
	if err := xml.EscapeText(out, []byte(fault.text)); err != nil {
		return err
	}
	out.WriteString("</faultstring><detail>")
	start := xml.StartElement{
		Name: xml.Name{Local: fault.kind + "Fault"},
		Attr: []xml.Attr{
			{Name: xml.Name{Local: "xmlns"}, Value: "urn:" + namespace},
			{Name: xml.Name{Local: "xsi:type"}, Value: fault.kind},
		},
	}
	if foreign {
		start.Attr[1].Value = "vim25:" + fault.kind
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: "xmlns:vim25"}, Value: "urn:vim25"})
	}
	err := enc.EncodeElement(fault.fault, start)
	if err != nil {
		return err
	}
	if err := enc.Flush(); err != nil {
		return err
	}
	out.WriteString("</detail></soapenv:Fault>")
	return nil
}
