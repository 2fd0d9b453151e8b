package command

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// day is one of 24 hours: what passwords live is counted in them.
const day = 24 * time.Hour

// span is a flag that takes a length of time: days, or what Go's durations take, or both ("14d", "36h", "1d12h"). The
// pointer stays nil where the flag was not given, because none at all and 0 are different answers.
type span struct{ value **time.Duration }

// NewSpan is a flag for *to.
func NewSpan(to **time.Duration) pflag.Value { return span{to} }

// String implements pflag.Value.
func (s span) String() string {
	if s.value == nil || *s.value == nil {
		return ""
	}
	return SpanText(**s.value)
}

// Type implements pflag.Value: what help shows as the value.
func (s span) Type() string { return "duration" }

// Set implements pflag.Value.
func (s span) Set(word string) error {
	d, err := parseSpan(word)
	if err == nil {
		*s.value = &d
	}
	return err
}

// spanDays takes the days off a span.
var spanDays = pattern.Of(`^([0-9]+)d(.*)$`)

// parseSpan reads a length of time. There is no negative one.
func parseSpan(word string) (time.Duration, error) {
	wrong := errors.New(`must be days or hours, such as "14d", "36h" or "1d12h"`)
	rest, days := word, int64(0)
	if m := spanDays().FindStringSubmatch(word); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil || n > math.MaxInt64/int64(day) {
			return 0, errors.New("that is longer than 290 years")
		}
		days, rest = n, m[2]
		if rest == "" {
			return time.Duration(days) * day, nil
		}
	}
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") || rest == "0" {
		return 0, wrong
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return 0, wrong
	}
	if d > math.MaxInt64-time.Duration(days)*day {
		return 0, errors.New("that is longer than 290 years")
	}
	return time.Duration(days)*day + d, nil
}

// SpanText is a span as parseSpan takes it: whole days as days.
func SpanText(d time.Duration) string {
	days, rest := d/day, (d % day).String()
	if strings.HasSuffix(rest, "m0s") {
		rest = strings.TrimSuffix(rest, "0s")
	}
	if strings.HasSuffix(rest, "h0m") {
		rest = strings.TrimSuffix(rest, "0m")
	}
	switch {
	case d%day == 0:
		return strconv.FormatInt(int64(days), 10) + "d"
	case days == 0:
		return rest
	}
	return strconv.FormatInt(int64(days), 10) + "d" + rest
}
