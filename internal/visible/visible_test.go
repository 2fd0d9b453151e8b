package visible_test

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "DC1": true, "Zürich": true, "❤️": true, "1️⃣": true, "می\u200cخواهم": true,
		"\x00": false, "a\nb": false, "\x1b[2J": false, "a\u202eb": false, "a\u200db": false, "\xff": false, "\ufdd0": false,
	} {
		if got := visible.Plain(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	got := visible.Replace("a\tb\x00\xff\u202ec", "\t", func(_ rune, size int, at string) string { return "<" + at[:0] + string(rune('0'+size)) + ">" })
	if want := "a\tb<1><1><3>c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
