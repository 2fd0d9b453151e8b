package vcenter

import (
	"sync"
	"testing"
)

// Sessions of a run share connections only where they trust the same certificates and reach the same place, and the last
// one closes them.
func TestSessionsShareALine(t *testing.T) {
	t.Parallel()
	run := &Run{}
	base := Config{Server: "vcenter1.example.com", Run: run}
	get := func(change func(*Config)) *line {
		c := base
		change(&c)
		c = c.withDefaults()
		l, err := run.line(c, c.soapClient().DefaultTransport())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first, second := get(func(*Config) {}), get(func(*Config) {})
	if first != second {
		t.Error("two sessions of one vCenter have lines of their own")
	}
	for name, change := range map[string]func(*Config){
		"another server":         func(c *Config) { c.Server = "vcenter2.example.com" },
		"another address":        func(c *Config) { c.Address = "192.0.2.1:443" },
		"another port":           func(c *Config) { c.Port = 8443 },
		"a thumbprint":           func(c *Config) { c.Thumbprint = "AA:BB" },
		"no check":               func(c *Config) { c.Insecure = true },
		"another run altogether": func(c *Config) { c.Run = &Run{} },
	} {
		c := base
		change(&c)
		c = c.withDefaults()
		l, err := c.Run.line(c, c.soapClient().DefaultTransport())
		if err != nil {
			t.Fatal(err)
		}
		if l.transport == first.transport {
			t.Errorf("%s: the line is shared", name)
		}
		l.leave()
	}
	if _, err := run.line(Config{Server: "vcenter1.example.com", RootCAs: []byte("none"), Run: run}.withDefaults(), base.soapClient().DefaultTransport()); err == nil {
		t.Error("a CA file without a certificate is taken, as if another session's had been its own")
	}
	once := sync.OnceFunc(first.leave)
	once()
	once()
	if len(run.lines) != 1 || second.sessions != 1 {
		t.Errorf("%d lines, %d sessions after one left twice", len(run.lines), second.sessions)
	}
	second.leave()
	if len(run.lines) != 0 {
		t.Error("nobody is left, but the line is kept")
	}
}

// Many vCenters share the requests that go at once; one alone has as many as it may have.
func TestRequestsAreShared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ vcenters, parallel, want int }{
		{0, 64, 64}, {1, 64, 64}, {4, 64, 64}, {8, 64, 32}, {20, 64, 12}, {32, 64, 8}, {1000, 64, 8}, {1000, 2, 2},
	} {
		if got := (&Run{VCenters: c.vcenters}).requests(c.parallel); got != c.want {
			t.Errorf("%d vCenters, at most %d: %d, want %d", c.vcenters, c.parallel, got, c.want)
		}
		run := &Run{VCenters: c.vcenters}
		base := Config{Server: "vcenter1.example.com", Run: run, Parallel: c.parallel}.withDefaults()
		l, err := run.line(base, base.soapClient().DefaultTransport())
		if err != nil {
			t.Fatal(err)
		}
		if cap(l.slots) != c.want || l.transport.MaxIdleConnsPerHost != c.want+spare || l.transport.MaxConnsPerHost != c.want+spare {
			t.Errorf("%d slots, %d idle connections kept of %d, want %d", cap(l.slots), l.transport.MaxIdleConnsPerHost, l.transport.MaxConnsPerHost, c.want)
		}
	}
}
