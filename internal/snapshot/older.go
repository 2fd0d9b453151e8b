package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// ReplacedElsewhere is an account of the credentials file that a later one has replaced, with our mark, whose password no file here has.
type ReplacedElsewhere struct {
	Next   OwnAccount // the later one
	now    OwnAccount
	exists bool // now does
}

// Older are the accounts for which the credentials file is older than a vCenter.
func (s *Snapshot) Older() []ReplacedElsewhere {
	var all []ReplacedElsewhere
	for _, c := range s.Request.Spec.ComponentNames() {
		l := s.Accounts[c]
		if later := l.Elsewhere(); l.Stored && len(later) > 0 {
			now := s.Request.OwnAccount(c, l.Current)
			_, exists := s.Ours(now)
			all = append(all, ReplacedElsewhere{Next: s.Request.OwnAccount(c, later[len(later)-1]), now: now, exists: exists})
		}
	}
	return all
}

// CheckOlder refuses to work with a credentials file that is older than an account of ours: what this file has was removed, or is about
// to be, and must not come back. To remove the later account again is the way out, as long as there is the one before to go back to, and
// the cluster's secrets prove that it works with that one.
func (s *Snapshot) CheckOlder() error {
	var errs []error
	var nexts, keys, gone, there []string
	for _, r := range s.Older() {
		c := string(r.now.Component)
		switch user, password := credfile.Keys(r.now.Component); {
		case r.exists && s.Request.Op == accounts.Withdraw && s.Request.Proved:
			continue
		case r.exists:
			there = append(there, c)
		default:
			gone, keys = append(gone, c), append(keys, user, password)
		}
		errs, nexts = append(errs, fmt.Errorf("%s: %s is older than %s, which replaced %s",
			s.VCenter.Server, s.Request.Credentials.Path(), r.Next.Principal(s), r.now.Principal(s))), append(nexts, r.Next.Principal(s))
	}
	if errs == nil {
		return nil
	}
	hints := []string{"import the credentials file that has " + lists.Few(nexts) + ": " + s.Request.Command("credentials import", "FILE", "--replace")}
	if there != nil { // first: to import what the cluster has ends where it began as long as that is what this file has
		hints = append(hints, "if nobody has their passwords, remove them, which is refused while the cluster holds one: "+
			openshift.FromCluster+s.Request.Command("rotate undo", "--secrets", "-", "--components", strings.Join(there, ",")))
	}
	hints = append(hints, "or import the accounts that the cluster uses: "+
		openshift.FromCluster+s.Request.Command("credentials import", "--secrets", "-", "--replace", "--components", strings.Join(slices.Concat(gone, there), ",")))
	if gone != nil {
		hints = append(hints, "if nobody has their passwords, remove "+strings.Join(keys, ", ")+" from "+s.Request.Credentials.Path()+
			"; then set new ones, with an outage of "+strings.Join(gone, ", ")+" until the new secrets are applied: "+
			s.Request.Command("rotate", "--in-place", "--components", strings.Join(gone, ",")))
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}

// Command is a command with the flags of this run.
func (q *Request) Command(name string, own ...string) string {
	if q.Line == nil {
		return strings.Join(append([]string{"ocp-vsphere-admin", name}, own...), " ")
	}
	return q.Line(name, own...)
}
