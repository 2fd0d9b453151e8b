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
func (q *asked) older(s *snapshot) []replacedElsewhere {
	var all []replacedElsewhere
	for _, c := range q.Spec.ComponentNames() {
		l := s.accounts[c]
		if later := l.Elsewhere(); l.Stored && len(later) > 0 {
			now := q.ownAccount(c, l.Current)
			_, exists := q.ours(s, now)
			all = append(all, replacedElsewhere{now, q.ownAccount(c, later[len(later)-1]), exists})
		}
	}
	return all
}

// olderText says of one account that the credentials file is older.
func (q *asked) olderText(s *snapshot, r replacedElsewhere) string {
	return fmt.Sprintf("%s is older than %s, which replaced %s", q.Credentials.Path(), r.next.principal(s), r.now.principal(s))
}

// checkOlder refuses to work with a credentials file that is older than an account of ours: what this file has was removed, or is about
// to be, and must not come back. To remove the later account again is the way out, as long as there is the one before to go back to, and
// the cluster's secrets prove that it works with that one.
func (q *asked) checkOlder(s *snapshot) error {
	var errs []error
	var nexts, keys, gone, there []string
	for _, r := range q.older(s) {
		c := string(r.now.component)
		switch user, password := credfile.Keys(r.now.component); {
		case r.exists && q.op == accounts.Withdraw && q.proved:
			continue
		case r.exists:
			there = append(there, c)
		default:
			gone, keys = append(gone, c), append(keys, user, password)
		}
		errs, nexts = append(errs, fmt.Errorf("%s: %s", s.spec.Server, q.olderText(s, r))), append(nexts, r.next.principal(s))
	}
	if errs == nil {
		return nil
	}
	const dump = "oc get secrets -A -o yaml | "
	hints := []string{
		"use the credentials file that has " + lists.Few(nexts) + ": --credentials-file FILE",
		"or import the accounts that the cluster uses: " + dump + q.line("credentials import", "--secrets", "-", "--replace"),
	}
	if there != nil {
		hints = append(hints, "if nobody has their passwords, remove them, which is refused while the cluster holds one: "+
			dump+q.line("rotate undo", "--secrets", "-", "--components", strings.Join(there, ",")))
	}
	if gone != nil {
		hints = append(hints, "if nobody has their passwords, remove "+strings.Join(keys, ", ")+" from "+q.Credentials.Path()+
			"; then set new ones, with an outage of "+strings.Join(gone, ", ")+" until the new secrets are applied: "+
			q.line("rotate", "--in-place", "--components", strings.Join(gone, ",")))
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}

// line is a command with the flags of this run.
func (q *asked) line(name string, own ...string) string {
	if q.Line == nil {
		return strings.Join(append([]string{"ocp-vsphere-admin", name}, own...), " ")
	}
	return q.Line(name, own...)
}
