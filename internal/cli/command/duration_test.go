package command

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// Spans are days, hours or both; what cannot be one is refused with words that say what can.
func TestSpan(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]time.Duration{
		"14d": 14 * day, "36h": 36 * time.Hour, "0d": 0, "1d12h": 36 * time.Hour, "90m": 90 * time.Minute, "007d": 7 * day, "1.5h": 90 * time.Minute,
		"106751d": 106751 * day,
	} {
		if got, err := parseSpan(word); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", word, got, err, want)
		}
	}
	for word, want := range map[string]string{
		"": "14d", "14": "14d", "d": "14d", "-1d": "14d", "1d-1h": "14d", "1d+1h": "14d", "14 d": "14d", "2w": "14d", "-36h": "14d", "1d0": "14d", "0": "14d", "14days": "14d",
		"106752d": "290 years", "99999999999999999999d": "290 years", "106751d48h": "290 years",
	} {
		if got, err := parseSpan(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", word, got, err)
		}
	}
}

// What a span prints is the same span.
func TestSpanRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Min(0).Draw(t, "span"))
		if got, err := parseSpan(SpanText(d)); err != nil || got != d {
			t.Fatalf("%d: %s is %d, %v", d, SpanText(d), got, err)
		}
	})
}

// A flag that was not given is nil, and not 0.
func TestSpanFlag(t *testing.T) {
	t.Parallel()
	var within *time.Duration
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.Var(NewSpan(&within), "expiring-within", "")
	if err := flags.Parse(nil); err != nil || within != nil || flags.Lookup("expiring-within").DefValue != "" {
		t.Fatalf("%v, %v", within, err)
	}
	if err := flags.Parse([]string{"--expiring-within", "0d"}); err != nil || within == nil || *within != 0 {
		t.Fatalf("%v, %v", within, err)
	}
}
