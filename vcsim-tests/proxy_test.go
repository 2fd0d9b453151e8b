package vcsimtests

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdProxy starts an HTTP proxy on the way to the lab, which alone knows where the vCenters' names lead, and sets HTTPS_PROXY.
// With a status it answers that to everybody.
func cmdProxy(ts *testscript.TestScript, neg bool, args []string) {
	addresses := map[string]string{}
	for _, v := range benchOf(ts).lab.VCenters {
		addresses[v.Server()] = v.Addr()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(args) > 0 {
			status, _ := strconv.Atoi(args[0])
			w.WriteHeader(status)
			return
		}
		host, _, _ := net.SplitHostPort(r.Host)
		to, err := net.Dial("tcp", addresses[host])
		if r.Method != http.MethodConnect || err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer to.Close()
		w.WriteHeader(http.StatusOK)
		from, read, err := http.NewResponseController(w).Hijack() // what the client sent at once may be read already
		if err != nil {
			return
		}
		defer from.Close()
		var both sync.WaitGroup
		both.Go(func() { _, _ = io.Copy(to, read); _ = to.(*net.TCPConn).CloseWrite() })
		_, _ = io.Copy(from, to)
		_ = from.(*net.TCPConn).CloseWrite()
		both.Wait()
	})}
	ts.Defer(func() { _ = s.Close() })
	go func() { _ = s.Serve(l) }()
	ts.Setenv("HTTPS_PROXY", "http://"+l.Addr().String())
}
