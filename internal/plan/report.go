package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// failure is one cause that kept changes of a vCenter from being made.
type failure struct {
	server  string
	failed  []*Step // with this cause
	skipped int     // changes that needed those
	cause   error   // with its remedies
}

// Error implements error: one line for all the changes. A single failed one is named.
func (f *failure) Error() string {
	parts := []string{f.server}
	if len(f.failed) == 1 {
		parts = append(parts, f.failed[0].Subject())
	}
	parts = append(parts, strings.TrimPrefix(f.cause.Error(), f.server+": "))
	if n := len(f.failed) + f.skipped; n > 1 || len(f.failed) == 0 {
		parts = append(parts, term.Count(n, "change")+" not made")
	}
	return strings.Join(parts, ": ")
}

// Unwrap gives errors.Is and errors.As the cause.
func (f *failure) Unwrap() error { return f.cause }

// failures are the causes of failed changes. Skipped changes count with theirs, interrupted ones
// not.
func (v *VCenter) failures() []*failure {
	var all []*failure
	for _, c := range v.Changes {
		s := v.Step(c)
		if s == nil || s.Status != Failed && s.Status != Skipped {
			continue
		}
		root := s.root(nil)
		if interrupted(root.cause) {
			continue
		}
		cause := root.cause
		switch inner := errors.Unwrap(cause); {
		case root.on != s.on:
			cause = fmt.Errorf("needs what failed on %s", root.on.server)
		case root.Status == Failed && inner != nil:
			cause = inner // without the change, which stands before it
		}
		i := slices.IndexFunc(all, func(f *failure) bool { return f.cause.Error() == cause.Error() })
		if i < 0 {
			i, all = len(all), append(all, &failure{server: v.Server, cause: cause})
		}
		if s.Status == Failed {
			all[i].failed = append(all[i].failed, s)
		} else {
			all[i].skipped++
		}
	}
	return all
}

// interrupted reports whether an error means only that the run was stopped.
func interrupted(err error) bool {
	return errors.Is(err, ErrInterrupted) || errors.Is(err, term.ErrInterrupted) || errors.Is(err, context.Canceled)
}

// Interrupted reports whether an interrupt kept anything from being read or made.
func (p *Plan) Interrupted() bool {
	return slices.ContainsFunc(p.VCenters, func(v *VCenter) bool {
		return interrupted(v.cause) || slices.ContainsFunc(v.Changes, func(c *Change) bool {
			s := v.Step(c)
			return s != nil && s.cause != nil && interrupted(s.root(nil).cause)
		})
	})
}

// Made counts the changes that were made, and all that were planned.
func (p *Plan) Made() (made, all int) {
	for v, c := range p.Changes() {
		all++
		if v.Status(c) == Done {
			made++
		}
	}
	return made, all
}

// applied is the last line of a report, in a verification's units: what was made, and where.
func (p *Plan) applied() string {
	unread := len(p.Unread())
	var parts []string
	made, _ := p.Made()
	tell := func(verb string, is func(*Change) bool) {
		if made == 0 {
			verb = "nothing was " + verb
		}
		if counts := p.counts(is); len(counts) > 0 {
			parts = append(parts, verb+": "+strings.Join(counts, ", "))
		}
	}
	gives := func(c *Change) bool { return c.Verb != Delete && !c.Restores }
	if !p.Empty() && !p.Any(gives) {
		tell("removed", func(c *Change) bool { return !c.Restores })
		tell("restored", func(c *Change) bool { return c.Restores })
	} else {
		tell("applied", func(*Change) bool { return true })
	}
	if len(parts) == 0 {
		parts = []string{"applied: nothing to change"}
	}
	line := strings.Join(parts, "; ") + " on " + term.Count(len(p.VCenters)-unread, "vCenter")
	if unread > 0 {
		line += fmt.Sprintf("; %d could not be read", unread)
	}
	return line
}

// counts says how many changes of each kind were made: "1 of 3 roles", or "3 roles" if all were.
func (p *Plan) counts(is func(*Change) bool) (counts []string) {
	for _, kind := range []struct {
		Kind
		noun string
	}{{Folder, "folder"}, {Tag, "tag"}, {Role, "role"}, {Group, "group"}, {User, "account"}, {Permission, "permission"}} {
		if made, all := p.made(kind.Kind, is); made < all {
			counts = append(counts, fmt.Sprintf("%d of %s", made, term.Count(all, kind.noun)))
		} else if all > 0 {
			counts = append(counts, term.Count(all, kind.noun))
		}
	}
	return counts
}

// made counts a kind's changes that were made, and all. An account counts once, after all of its.
func (p *Plan) made(kind Kind, is func(*Change) bool) (made, all int) {
	for _, v := range p.VCenters {
		open := map[string]bool{} // by account
		for _, c := range v.Changes {
			switch {
			case c.Kind != kind || !is(c):
			case kind == User:
				name := strings.ToLower(c.Name)
				open[name] = open[name] || v.Status(c) != Done
			default:
				all++
				if v.Status(c) == Done {
					made++
				}
			}
		}
		for _, undone := range open {
			all++
			if !undone {
				made++
			}
		}
	}
	return made, all
}

// Reporter prints what was made; with each, also every other change. [Plan.Err] has the reasons.
func (p *Plan) Reporter(each bool) func(io.Writer) error {
	return func(w io.Writer) error {
		var b strings.Builder
		for v, c := range p.Changes() {
			switch s := v.Step(c); {
			case !each || s == nil:
			case s.Status == Failed: // its error names it
				term.Fprintf(&b, "! %s: failed: %s\n", v.Server, s.Error)
			case s.Status == Skipped:
				term.Fprintf(&b, "! %s: skipped: %s: %s\n", v.Server, s.Subject(), s.Error)
			}
		}
		b.WriteString(p.applied() + "\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
}
