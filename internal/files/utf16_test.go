package files

import (
	"strings"
	"testing"
)

// What > makes in PowerShell is the same text: UTF-16 in both orders, and UTF-8 with a byte order mark. Any other text stays.
func TestWhatPowerShellWrites(t *testing.T) {
	t.Parallel()
	const text = "clé: 𝄞\r\n"
	units := []byte("c\x00l\x00\xe9\x00:\x00 \x00\x34\xd8\x1e\xdd\r\x00\n\x00")
	swapped := make([]byte, len(units))
	for i := range units {
		swapped[i^1] = units[i]
	}
	for name, written := range map[string]string{
		"UTF-8": text, "with a mark": "\xef\xbb\xbf" + text,
		"little": "\xff\xfe" + string(units), "big": "\xfe\xff" + string(swapped),
	} {
		data, err := UTF8(ReadFrom(strings.NewReader(written), "stdin", Line))
		if err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if got := string(AsUTF8([]byte("\xff"))); got != "\xff" {
		t.Errorf("%q", got)
	}
}
