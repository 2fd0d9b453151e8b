package provision

import (
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// checkOlder refuses to work with a credentials file that is older than an account of ours: SSO has a later generation, with our
// mark, whose password no file here has. What this file has was removed, or is about to be, and must not come back.
func (q *asked) checkOlder(s *snapshot) error {
	var errs []error
	for _, c := range q.Spec.ComponentNames() {
		l := s.accounts[c]
		later := l.Elsewhere()
		if !l.Stored || len(later) == 0 {
			continue
		}
		now, next := q.ownAccount(c, l.Current), q.ownAccount(c, later[len(later)-1])
		user, password := credfile.Keys(c)
		nobody := "remove " + user + " and " + password + " from " + q.Credentials.Path() +
			", then run rotate --in-place: " + string(c) + " is refused from then on until its new secret is applied"
		if _, exists := q.ours(s, now); exists {
			nobody = "rotate undo --secrets DUMP removes it, and refuses while the cluster holds it"
		}
		errs = append(errs, hint.Wrap(
			fmt.Errorf("%s: %s is older than %s, which replaced %s", s.spec.Server, q.Credentials.Path(), next.principal(s), now.principal(s)),
			"use the credentials file that has "+next.principal(s)+": --credentials-file FILE",
			"or import the accounts that the cluster uses: oc get secrets -A -o yaml | ocp-vsphere-admin credentials import --secrets - --replace -f FILE",
			"if nobody has the password of "+next.principal(s)+": "+nobody))
	}
	return errors.Join(errs...)
}
