package sealed

import (
	"strings"
	"testing"
)

// Whatever stands in a file of recipients: it is taken as keys that something can be encrypted to, or refused in words that
// are not its own.
func FuzzRecipients(f *testing.F) {
	for _, p := range pairs() {
		f.Add("# comment\n" + p.recipient + "\n")
		f.Add(p.identity)
	}
	for _, text := range badKeys() {
		f.Add(text)
	}
	f.Add("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY= x\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, warnings, err := ParseRecipients("keys", []byte(text))
		if (err == nil) != (len(all) > 0) {
			t.Fatalf("%d recipients, %v", len(all), err)
		}
		if err != nil {
			for _, word := range strings.Fields(text) {
				if len(word) > 16 && strings.Contains(err.Error(), word) {
					t.Fatalf("repeats what it was given: %v", err)
				}
			}
			return
		}
		if lines := strings.Count(text, "\n") + 1; len(all)+len(warnings) > lines {
			t.Fatalf("%d recipients and %d warnings in %d lines", len(all), len(warnings), lines)
		}
		for _, r := range all {
			if out, err := Seal([]byte("x"), []Recipient{r}); err != nil || !Is(out) {
				t.Fatalf("taken, but nothing can be encrypted to it: %v", err)
			}
		}
	})
}

// Whatever a file for us holds, it is opened whole or not at all, and no private key is in an error.
func FuzzOpen(f *testing.F) {
	p := pairs()[0]
	to, _, err := ParseRecipients("keys", []byte(p.recipient))
	if err != nil {
		f.Fatal(err)
	}
	text, err := Seal([]byte(plain), to)
	if err != nil {
		f.Fatal(err)
	}
	with, err := parseIdentities("key", []byte(p.identity), ask)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(header + "-> X25519 abc\n")
	f.Add(p.identity)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := Open("f", []byte(text), with); err == nil && string(got) != plain {
			t.Fatalf("opened to what nobody encrypted: %q", got)
		}
		if _, err := parseIdentities("f", []byte(text), ask); err != nil {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); len(line) > 16 && strings.Contains(err.Error(), line) {
					t.Fatalf("repeats what it was given: %v", err)
				}
			}
		}
	})
}
