package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table prints one measurement, aligned.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, title string, columns ...any) table {
	fmt.Fprintf(out, "\n%s\n", title)
	t := table{w: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	t.row(columns...)
	return t
}

// row prints the cells; durations in milliseconds, or seconds when they are long.
func (t table) row(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t.w, "\t")
		}
		if d, ok := c.(time.Duration); ok {
			c = d.Round(time.Millisecond)
		}
		fmt.Fprint(t.w, c)
	}
	fmt.Fprintln(t.w)
}

func (t table) flush() error { return t.w.Flush() }

// atMost says what the target was and whether it was reached. A target of 0 is none.
func atMost(got, want float64) string {
	switch {
	case want == 0:
		return "-"
	case got <= want:
		return fmt.Sprintf("at most %g: reached", want)
	default:
		return fmt.Sprintf("at most %g: MISSED", want)
	}
}

func atLeast(got, want float64) string {
	if got >= want {
		return fmt.Sprintf("at least %gx: reached", want)
	}
	return fmt.Sprintf("at least %gx: MISSED", want)
}

// changesIn counts what a plan would still do.
func changesIn(plan []byte) (int, error) {
	var p planned
	if err := json.Unmarshal(plan, &p); err != nil {
		return 0, fmt.Errorf("plan: %w", err)
	}
	n := 0
	for _, vc := range p.VCenters {
		for _, c := range vc.Changes {
			if c.Verb == "create" || c.Verb == "update" || c.Verb == "delete" {
				n++
			}
		}
	}
	return n, nil
}
