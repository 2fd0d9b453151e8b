package provision

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// unproved is a vCenter at which a new password was not proved, and why.
type unproved struct{ server, why string }

// proveElsewhere proves the new passwords at the other vCenters of their SSO domains, with one login each. A vCenter that has
// not heard of a password yet would refuse it, and the refusal would count as a failed login: one whose account does not bear
// the day yet is not asked, and after a refusal no further one is. Nobody waits: the cluster waits for its secrets.
func (j *Job) proveElsewhere(ctx context.Context) {
	var wg crash.Group
	for _, r := range j.decided.rotations {
		if r.accepted && r.warning == "" {
			wg.Go(func() { r.unproved = j.unprovedOf(ctx, r) })
		}
	}
	wg.Wait()
}

// unprovedOf logs in with one password, and gives the vCenters at which that did not come about.
func (j *Job) unprovedOf(ctx context.Context, r *rotation) (all []unproved) {
	known := map[string]bool{strings.ToLower(r.At.VCenter.Server): true}
	refused := ""
	for _, s := range j.decided.Sharing(r.At.DomainKey) {
		if s == r.At {
			continue
		}
		known[strings.ToLower(s.VCenter.Server)] = true
		if refused != "" {
			all = append(all, unproved{s.VCenter.Server, "not tested after " + refused + " refused one"})
			continue
		}
		j.progress(s.VCenter.Server, "testing the password of "+r.To.User)
		why, counted := j.target(s.VCenter.Server).unproved(ctx, r)
		if why != "" {
			all = append(all, unproved{s.VCenter.Server, why})
		}
		if counted {
			refused = s.VCenter.Server
		}
	}
	for _, server := range r.At.PeerServers {
		if !known[strings.ToLower(server)] {
			all = append(all, unproved{server, "it is not part of this run"})
		}
	}
	return all
}

// unproved says why a password is not proved at a vCenter, "" when it is. refused: the login that said so counts as a failure.
func (t *target) unproved(ctx context.Context, r *rotation) (why string, refused bool) {
	const late = "it is not replicated yet: linked vCenters take up to a minute"
	u, err := t.directory.Person(ctx, r.To.User)
	switch {
	case err != nil:
		return err.Error(), false
	case u == nil || !r.day.IsZero() && u.PasswordSet.Format(time.DateOnly) != r.day.UTC().Format(time.DateOnly):
		return late, false
	case u.Locked:
		return "the account is locked there", false
	}
	opened, err := t.session.ProvePassword(ctx, r.To.User, r.To.Password)
	switch {
	case err != nil:
		return err.Error(), false
	case !opened:
		return "it refused it; perhaps it is not replicated yet: linked vCenters take up to a minute", true
	}
	return "", false
}

// warnings are about accounts that are done; those of linked vCenters are told by vCenter.
func (dec *execution) warnings() (all []string) {
	users := map[unproved][]string{}
	var order []unproved
	for _, r := range dec.rotations {
		if r.warning != "" {
			all = append(all, r.At.VCenter.Server+": "+r.warning)
			r.say(r.warning)
		}
		for _, u := range r.unproved {
			if users[u] == nil {
				order = append(order, u)
			}
			users[u] = append(users[u], r.To.User)
			r.say("not tested at " + u.server)
		}
	}
	for _, u := range order {
		all = append(all, fmt.Sprintf("%s: the new password of %s is not tested: %s", u.server, lists.Few(users[u]), u.why))
	}
	return all
}

// say adds to what the report says of an account.
func (r *rotation) say(text string) {
	r.Change.Note = strings.TrimPrefix(r.Change.Note+"; "+text, "; ")
}
