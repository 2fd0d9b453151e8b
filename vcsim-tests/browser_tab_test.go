package vcsimtests

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// browser is a headless Chromium that is steered through two pipes, by the Chrome DevTools Protocol.
type browser struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int
	tab  *tab // that is open
}

// tab is a page of it, with what it said that it should not have to.
type tab struct {
	b       *browser
	session string
	loaded  bool
	said    []string
}

// message is one of the protocol, in either direction.
type message struct {
	ID        int            `json:"id,omitempty"`
	Method    string         `json:"method,omitempty"`
	Params    map[string]any `json:"params,omitempty"`
	SessionID string         `json:"sessionId,omitempty"`
	Result    map[string]any `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

func openBrowser(path, profile string) (*browser, error) {
	fromUs, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, toUs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &browser{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, errors.Join(fromUs.Close(), toUs.Close())
}

func (b *browser) close() {
	_ = b.in.Close()
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait()
}

// call sends a command and waits for its answer; what the page says meanwhile is noted.
func (b *browser) call(session, method string, params map[string]any) (map[string]any, error) {
	b.last++
	id := b.last
	data, err := json.Marshal(message{ID: id, Method: method, Params: params, SessionID: session})
	if err != nil {
		return nil, err
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		return nil, err
	}
	for {
		m, err := b.next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return m.Result, nil
	}
}

// next reads a message and notes what it says of the page.
func (b *browser) next() (m message, err error) {
	data, err := b.out.ReadBytes(0)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
		return m, err
	}
	if b.tab == nil || m.SessionID != b.tab.session {
		return m, nil
	}
	switch m.Method {
	case "Page.loadEventFired":
		b.tab.loaded = true
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
		text, _ := json.Marshal(m.Params)
		b.tab.said = append(b.tab.said, m.Method+" "+string(text))
	}
	return m, nil
}

// open shows a page in a window of a size.
func (b *browser) open(url string, width, height int, media, scheme string) (*tab, error) {
	made, err := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"})
	if err != nil {
		return nil, err
	}
	at, err := b.call("", "Target.attachToTarget", map[string]any{"targetId": made["targetId"], "flatten": true})
	if err != nil {
		return nil, err
	}
	session, _ := at["sessionId"].(string)
	p := &tab{b: b, session: session}
	b.tab = p
	for _, c := range []struct {
		method string
		params map[string]any
	}{
		{"Page.enable", nil},
		{"Runtime.enable", nil},
		{"Log.enable", nil},
		{"Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}},
		{"Emulation.setEmulatedMedia", map[string]any{"media": media, "features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}},
		{"Page.navigate", map[string]any{"url": url}},
	} {
		if _, err := p.call(c.method, c.params); err != nil {
			return nil, err
		}
	}
	for !p.loaded {
		if _, err := b.next(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *tab) call(method string, params map[string]any) (map[string]any, error) {
	return p.b.call(p.session, method, params)
}

// eval is what a script in the page comes to.
func (p *tab) eval(script string) (any, error) {
	res, err := p.call("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true})
	if err != nil {
		return nil, err
	}
	if thrown, ok := res["exceptionDetails"]; ok {
		text, _ := json.Marshal(thrown)
		return nil, fmt.Errorf("the script threw: %s", text)
	}
	result, _ := res["result"].(map[string]any)
	return result["value"], nil
}
