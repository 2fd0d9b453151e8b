package vcsimtests

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestBrowser opens reports in a real browser: Debian's headless Chromium, which `make browser` unpacks into bin/browser with axe-core
// (BROWSERBIN says otherwise). What a page is for people, and what it does with hostile names, no parser tells. It takes its
// time, so that make test leaves it out: TEST_BROWSER=run runs it where a browser is, TEST_BROWSER=required fails where none is.
// SHOTS names a directory for screenshots.
func TestBrowser(t *testing.T) {
	t.Parallel()
	mode := os.Getenv("TEST_BROWSER")
	if mode == "" {
		t.Skip("'make browser-test' runs it")
	}
	dir := os.Getenv("BROWSERBIN")
	if dir == "" {
		dir = filepath.Join("..", "bin", "browser")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "chromium")); err != nil {
		if mode == "required" {
			t.Fatalf("no browser in %s: 'make browser' puts it there", dir)
		}
		t.Skipf("no browser in %s: 'make browser' puts it there", dir)
	}
	cmds := maps.Clone(commands())
	cmds["browse"] = func(ts *testscript.TestScript, neg bool, args []string) { cmdBrowse(ts, dir, args) }
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "browser"), Setup: setup, Condition: condition, Cmds: cmds, RequireExplicitExec: true, RequireUniqueNames: true,
	})
}

// mostBytes is how large a report may be.
const mostBytes = 5 << 20

// cmdBrowse opens a report as on a phone, on a laptop and on paper, in light and in dark, and fails for what a reader would stumble over.
//
//	browse FILE [VIEW...] [pages=N]
//
// N is how many pages of paper it takes at most (A4, landscape).
func cmdBrowse(ts *testscript.TestScript, dir string, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: browse FILE [VIEW...]")
	}
	paper := 0
	if last, ok := strings.CutPrefix(args[len(args)-1], "pages="); ok {
		var err error
		paper, err = strconv.Atoi(last)
		ts.Check(err)
		args = args[:len(args)-1]
	}
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	if info.Size() > mostBytes {
		ts.Fatalf("%s: %d bytes: a report is to stay under %d", args[0], info.Size(), mostBytes)
	}
	axe, err := os.ReadFile(filepath.Join(dir, "axe.min.js"))
	ts.Check(err)
	b, err := openBrowser(filepath.Join(dir, "chromium"), ts.MkAbs("profile"))
	ts.Check(err)
	defer b.close()
	for _, view := range []struct {
		name          string
		width, height int
		media, scheme string
	}{{"phone", 390, 844, "screen", "light"}, {"laptop", 1280, 800, "screen", "light"}, {"dark", 1280, 800, "screen", "dark"}, {"print", 1063, 734, "print", "light"}} {
		if len(args) > 1 && !slices.Contains(args[1:], view.name) {
			continue
		}
		p, err := b.open("file://"+path, view.width, view.height, view.media, view.scheme)
		ts.Check(err)
		wide, err := p.eval("document.documentElement.scrollWidth - innerWidth")
		ts.Check(err)
		if n, _ := wide.(float64); n > 0 {
			ts.Fatalf("%s: the page is %v pixels wider than the window, or the paper (A4, landscape)", view.name, n)
		}
		_, err = p.eval(string(axe))
		ts.Check(err)
		found, err := p.eval(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.target + " " + n.failureSummary).join("; ")))`)
		ts.Check(err)
		if list, _ := found.([]any); len(list) > 0 {
			ts.Fatalf("%s: axe: %v", view.name, list)
		}
		switch view.name {
		case "laptop":
			filters(ts, p)
		case "print":
			data, err := p.call("Page.printToPDF", map[string]any{"preferCSSPageSize": true, "printBackground": true})
			ts.Check(err)
			text, _ := data["data"].(string)
			pdf, err := base64.StdEncoding.DecodeString(text)
			ts.Check(err)
			n := len(onPaper.FindAll(pdf, -1))
			fmt.Fprintf(ts.Stdout(), "%s: %d pages\n", args[0], n)
			if shots := os.Getenv("SHOTS"); shots != "" {
				ts.Check(os.WriteFile(filepath.Join(shots, filepath.Base(args[0])+".pdf"), pdf, 0o644))
			}
			if n == 0 || paper > 0 && n > paper {
				ts.Fatalf("%s: %d pages of paper, and %d are the most", args[0], n, paper)
			}
		}
		if shots := os.Getenv("SHOTS"); shots != "" {
			data, err := p.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true})
			ts.Check(err)
			text, _ := data["data"].(string)
			image, err := base64.StdEncoding.DecodeString(text)
			ts.Check(err)
			ts.Check(os.WriteFile(filepath.Join(shots, filepath.Base(args[0])+"-"+view.name+".png"), image, 0o644))
		}
		if len(p.said) > 0 {
			ts.Fatalf("%s: the console says: %v", view.name, p.said)
		}
	}
	fmt.Fprintf(ts.Stdout(), "%s: %d KiB\n", args[0], info.Size()>>10)
}

// onPaper is a page of a PDF as Chromium writes one.
var onPaper = regexp.MustCompile(`/Type /Page\b`)

// filters chooses a component and sees that just its lines, and those of no component, are left.
func filters(ts *testscript.TestScript, p *tab) {
	left, err := p.eval(`(() => {
		const s = document.getElementById("f-component"), one = [...s.options].map(o => o.value).find(v => v);
		s.focus(); s.value = one; s.dispatchEvent(new Event("change", {bubbles: true}));
		const shown = [...document.querySelectorAll("[data-row=line]")].filter(e => !e.hidden);
		const others = shown.filter(e => e.dataset.component && !e.dataset.component.split("\u001f").includes(one)).length;
		const hidden = document.querySelectorAll("[data-row=line][hidden]").length;
		const said = document.getElementById("shown").textContent;
		s.value = ""; s.dispatchEvent(new Event("change", {bubbles: true}));
		return [others, hidden, said, document.querySelectorAll("[hidden][data-row]").length];
	})()`)
	ts.Check(err)
	list, _ := left.([]any)
	if len(list) != 4 || list[0] != 0.0 || list[1] == 0.0 || list[2] == "" || list[3] != 0.0 {
		ts.Fatalf("the filter leaves %v (others shown, lines hidden, said, hidden after all)", left)
	}
}
