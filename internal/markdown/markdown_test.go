package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// Names with whatever Markdown or a terminal could take for its own.
var awkward = rapid.StringOfN(rapid.RuneFrom([]rune("`|\\*_~#<>[]()!\"'$ \n\r\t\x1b\u2028\u202eaé漢")), 0, 20, -1)

// A name never closes its code span, its table cell or its block.
func TestNamesStayInTheirPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := awkward.Draw(t, "name")
		for _, text := range []string{Code(name), Cell(name)} {
			if !visible.Plain(text) || strings.Contains(strings.ReplaceAll(text, `\|`, ""), "|") {
				t.Errorf("%q breaks a table", text)
			}
		}
		ticks := len(Code(name)) - len(strings.TrimLeft(Code(name), "`"))
		if strings.Contains(strings.Trim(Code(name), "`"), strings.Repeat("`", ticks)) {
			t.Errorf("%q closes itself", Code(name))
		}
		var p Page
		p.Block("", "bash", []string{name, "```", name})
		if fence, _, _ := strings.Cut(p.String(), "bash\n"); strings.Count(p.String(), fence) != 2 {
			t.Errorf("%q closes itself", p.String())
		}
	})
}

// Names are text in a page for browsers, too.
func TestHTMLShowsNamesAsText(t *testing.T) {
	t.Parallel()
	var p Page
	p.Say("# Plan for %s", Code("<b>`x`</b>"))
	p.Block("below [a](javascript:x) <img src=x>", "text", []string{"<script>1</script> & more"})
	out, err := HTML("a <title>", []byte(p.String()))
	if err != nil {
		t.Fatal(err)
	}
	page := string(out)
	for _, want := range []string{"<title>a &lt;title&gt;</title>", "<code>&lt;b&gt;`x`&lt;/b&gt;</code>", "&lt;script&gt;1&lt;/script&gt; &amp; more", "default-src 'none'"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	for _, never := range []string{"<script", "<img", "javascript:"} {
		if strings.Contains(page, never) {
			t.Errorf("%q is in\n%s", never, page)
		}
	}
}
