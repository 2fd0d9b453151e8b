package reconcile

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func checkHeld(h *command.HeldFlags, r *releaseFlags) error {
	switch {
	case h.Recipients.Given() && h.Dir == "":
		return hint.Errorf("add --held DIR", "--recipient: --held is required, because it encrypts held secrets")
	case len(h.Identity.Files) > 0 && h.Dir == "":
		return hint.Errorf("add --held DIR", "--identity: --held is required, because it decrypts held secrets")
	case h.Dir != "" && !r.compares():
		return hint.Errorf("add --from DIR --to DIR: only secrets of the next release are held",
			"--held: --from and --to are required")
	}
	return nil
}

// fresh are the requests that the running release may lack, one for each secret.
func (r *reconciling) fresh() (all []release.Request) {
	for _, n := range r.next {
		for _, q := range held.New(r.from.List, n.to.List) {
			if !slices.ContainsFunc(all, func(had release.Request) bool { return had.SecretRef == q.SecretRef }) {
				all = append(all, q)
			}
		}
	}
	return all
}

// hold keeps the secrets that the cluster may not need yet ([held.New]). credentials is a path.
func (r *reconciling) hold(d held.Dir, credentials string) error {
	fresh := r.fresh()
	file, err := r.OpenAt(credentials, false)
	if err != nil {
		return err
	}
	from := command.Servers(r.Spec.Whole())
	list, warnings, err := held.Make(from, r.Spec.Shared(openshift.FromFile(file, from)), fresh)
	if err != nil {
		return hint.Wrap(err, "'"+command.Program+" apply', or this run without --vcenters and --components, creates the accounts; --assign assigns another one to a request")
	}
	r.Warn(warnings...)
	if len(list) == 0 {
		r.Infof("no secret is held: no CredentialsRequest with an account is new in the next release")
		return nil
	}
	unlock, err := d.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, h := range list {
		outcome, err := d.Put(h)
		if err != nil {
			return command.BadFlag("held", "%w", err)
		}
		r.Infof("secret %s of CredentialsRequest %s is %s in %s", h.At(), h.Request.Name, outcome, d.Path)
	}
	r.Todof("after the upgrade, when their namespaces exist:")
	words := []string{"--held", d.Path}
	if slices.ContainsFunc(list, func(h held.Secret) bool { return h.Check(nil, nil) != nil }) {
		words = append(words, "--requests",
			cmp.Or(slices.Concat([]string{"DIR"}, r.Releases.To)[len(r.Releases.To):]...))
		for _, a := range r.Releases.Assign {
			words = append(words, "--assign", a)
		}
	}
	if d.Seal != nil {
		words = append(words, "--"+command.IdentityFlag, "KEY")
	}
	r.Due("oc get namespaces -o yaml | " + r.CommandLine("secrets release", r.Said.Only(append(command.Sources(), command.CredentialsFileFlag)...), append(words, "--namespaces", "-")...) + " | oc apply -f -")
	return nil
}

// after follows a successful run: it holds secrets and records the prepared releases.
func (r *reconciling) after(d held.Dir) error {
	credentials := r.work.Credentials
	switch {
	case r.Held.Dir != "":
		if err := r.hold(d, credentials); err != nil {
			return r.leaves(err, "not all secrets are held: settle the error", r.unrecorded())
		}
	case r.from != nil && !r.Prune:
		if fresh := r.fresh(); len(fresh) > 0 && r.Output == term.FormatTable {
			var names []string
			for _, q := range fresh {
				names = append(names, q.SecretRef.String())
			}
			slices.Sort(names)
			r.Todof("%s may not exist yet: %s; --held DIR creates what is missing now, and holds it until its namespace exists", term.Count(len(names), "secret"), strings.Join(names, ", "))
		}
	}
	if r.Prune { // it was written before the vCenters
		return nil
	}
	return r.record(r.updates())
}

// incomplete prints before an error what the run did not get to; nil stays nil.
func (r *reconciling) incomplete(err error) error {
	why := "the run did not complete: settle the error"
	var coded *command.ExitError
	if errors.As(err, &coded) && coded.Code == command.ExitDifferent {
		why = "the verification found differences: settle them"
	}
	var remaining []string
	if r.Held.Dir != "" {
		remaining = append(remaining, "no secret was written to "+r.Held.Dir)
	}
	return r.leaves(err, why, append(remaining, r.unrecorded()...))
}

// unrecorded are the releases that a failed run does not record, as a sentence; nil = none.
func (r *reconciling) unrecorded() []string {
	u := r.updates()
	if len(u.add) == 0 || u.part != "" {
		return nil
	}
	return []string{u.subject("was", "were") + " not recorded as reconciled"}
}

// leaves warns before an error of what is not done, and why.
func (r *reconciling) leaves(err error, why string, remaining []string) error {
	if err != nil && len(remaining) > 0 {
		r.Warnf("%s, because %s, then %s", strings.Join(remaining, " and "), why, job.SameCommand)
	}
	return err
}
