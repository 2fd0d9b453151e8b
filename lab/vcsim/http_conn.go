package vcsim

import (
	"bytes"
	"crypto/tls"
	"encoding/xml"
	"maps"
	"net"
	"net/http"
	"time"
)

// hangUp closes the connection of a request without an answer; a reset is what a client sees of a
// refused connection once it has one.
func hangUp(w http.ResponseWriter, reset bool) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	raw := conn
	if t, ok := conn.(*tls.Conn); ok {
		raw = t.NetConn()
	}
	if tcp, ok := raw.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = raw.Close()
}

// answerRaw writes an answer byte by byte as it is, which net/http would not let anybody do, and closes the connection.
func answerRaw(w http.ResponseWriter, answer string) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	_, _ = buffered.WriteString(answer)
	_ = buffered.Flush()
	_ = conn.Close()
}

// wordedFault is a fault of no type of its own, with a text as it comes from wherever it went wrong.
func wordedFault(text string) string {
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text))
	return `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">` +
		`<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>` + escaped.String() +
		`</faultstring></soapenv:Fault></soapenv:Body></soapenv:Envelope>`
}

// Requests counts what arrived since the start or ResetRequests, by SOAP method ("RequestSecurityToken" is
// the STS's) or, for anything else, by "METHOD path".
func (v *VCenter) Requests() map[string]int {
	v.front.mu.Lock()
	defer v.front.mu.Unlock()
	return maps.Clone(v.front.counts)
}

// Total is the number of all requests that Requests counts.
func (v *VCenter) Total() int {
	v.front.mu.Lock()
	defer v.front.mu.Unlock()
	return v.front.total
}

// ResetRequests starts counting anew.
func (v *VCenter) ResetRequests() {
	v.front.mu.Lock()
	defer v.front.mu.Unlock()
	v.front.counts, v.front.total = map[string]int{}, 0
}

// SetLatency makes every request wait so long before it is served.
func (v *VCenter) SetLatency(d time.Duration) { v.front.latency.Store(int64(d)) }

// SetFault has f decide for each request what goes wrong; n counts requests from 1 since SetFault. f is called
// before serving, one call at a time, and may do anything but wait for other requests. Nil clears.
func (v *VCenter) SetFault(f func(n int, method string) Fault) {
	v.front.mu.Lock()
	defer v.front.mu.Unlock()
	v.front.fault, v.front.n = f, 0
}
