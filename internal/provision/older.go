package provision

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// replacedElsewhere is an account of the credentials file that a later one has replaced, with our mark, whose password no file here has.
type replacedElsewhere struct {
	now, next ownAccount
	exists    bool // now does
}

// older are the accounts for which the credentials file is older than a vCenter.
func (s *snapshot) older() []replacedElsewhere {
	var all []replacedElsewhere
	for _, c := range s.request.Spec.ComponentNames() {
		l := s.accounts[c]
		if later := l.Elsewhere(); l.Stored && len(later) > 0 {
			now := s.request.ownAccount(c, l.Current)
			_, exists := s.ours(now)
			all = append(all, replacedElsewhere{now, s.request.ownAccount(c, later[len(later)-1]), exists})
		}
	}
	return all
}

// olderText says of one account that the credentials file is older.
func (s *snapshot) olderText(r replacedElsewhere) string {
	return fmt.Sprintf("%s is older than %s, which replaced %s", s.request.Credentials.Path(), r.next.principal(s), r.now.principal(s))
}

// checkOlder refuses to work with a credentials file that is older than an account of ours: what this file has was removed, or is about
// to be, and must not come back. To remove the later account again is the way out, as long as there is the one before to go back to, and
// the cluster's secrets prove that it works with that one.
func (s *snapshot) checkOlder() error {
	var errs []error
	var nexts, keys, gone, there []string
	for _, r := range s.older() {
		c := string(r.now.component)
		switch user, password := credfile.Keys(r.now.component); {
		case r.exists && s.request.op == accounts.Withdraw && s.request.proved:
			continue
		case r.exists:
			there = append(there, c)
		default:
			gone, keys = append(gone, c), append(keys, user, password)
		}
		errs, nexts = append(errs, fmt.Errorf("%s: %s", s.spec.Server, s.olderText(r))), append(nexts, r.next.principal(s))
	}
	if errs == nil {
		return nil
	}
	const dump = "oc get secrets -A -o yaml | "
	hints := []string{
		"use the credentials file that has " + lists.Few(nexts) + ": --credentials-file FILE",
		"or import the accounts that the cluster uses: " + dump + s.request.line("credentials import", "--secrets", "-", "--replace"),
	}
	if there != nil {
		hints = append(hints, "if nobody has their passwords, remove them, which is refused while the cluster holds one: "+
			dump+s.request.line("rotate undo", "--secrets", "-", "--components", strings.Join(there, ",")))
	}
	if gone != nil {
		hints = append(hints, "if nobody has their passwords, remove "+strings.Join(keys, ", ")+" from "+s.request.Credentials.Path()+
			"; then set new ones, with an outage of "+strings.Join(gone, ", ")+" until the new secrets are applied: "+
			s.request.line("rotate", "--in-place", "--components", strings.Join(gone, ",")))
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}

// line is a command with the flags of this run.
func (q *Request) line(name string, own ...string) string {
	if q.Line == nil {
		return strings.Join(append([]string{"ocp-vsphere-admin", name}, own...), " ")
	}
	return q.Line(name, own...)
}
