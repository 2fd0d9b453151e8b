package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// releaseHeld hands out what is held, as far as its namespaces exist. What is printed stays held, because nobody here knows
// whether the cluster took it, until a dump of secrets shows it or somebody says so.
func (o *ReconcileOptions) releaseHeld(ctx context.Context) error {
	s, err := o.Connection.Source.ResolveFile(o.In)
	if err != nil {
		return err
	}
	open, err := o.opener(ctx)
	if err != nil {
		return err
	}
	d, err := o.holding(s, open)
	if err != nil {
		return err
	}
	if !d.Exists() {
		return badFlag("held", "%s does not exist", d.Path)
	}
	var namespaces openshift.Namespaces
	if !o.Held.Applied {
		if namespaces, err = o.namespaces(ctx); err != nil {
			return err
		}
	}
	dump, err := o.secrets().read(ctx, o.Factory)
	if err != nil {
		return err
	}
	unlock, err := d.Lock()
	if err != nil {
		return badFlag("held", "%w", err)
	}
	defer unlock()
	list, err := d.Read()
	if held.Closed(err) {
		return hint.Wrap(badFlag("held", "%w", err), "set --identity to the file of the private key that it was encrypted for")
	}
	if err != nil {
		return badFlag("held", "%w", err)
	}
	if len(list) == 0 {
		o.Infof("%s contains no secret", d.Path)
		return nil
	}
	return o.handOut(d, list, s, namespaces, dump)
}

// namespaces are those of the cluster.
func (o *ReconcileOptions) namespaces(ctx context.Context) (openshift.Namespaces, error) {
	name, data, err := o.objects(ctx, o.Held.Namespaces, o.Releases.Cluster, kube.Objects{Resource: "namespaces"})
	if err == nil {
		var found openshift.Namespaces
		if found, err = openshift.ParseNamespaces(name, data); err == nil {
			return found, nil
		}
	}
	if o.Held.Namespaces != "" {
		err = badFlag("namespaces", "%w", err)
	}
	return nil, err
}

// opener decrypts with the keys that are named; nil where none are. A passphrase is asked for once.
func (o *ReconcileOptions) opener(ctx context.Context) (func(string, []byte) ([]byte, error), error) {
	keys, err := o.Held.Identity.keys(ctx, o.Factory)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	return func(name string, data []byte) ([]byte, error) { return sealed.Open(name, data, keys) }, nil
}

// handOut says of each held secret what becomes of it, and does that.
func (o *ReconcileOptions) handOut(d held.Dir, list []held.Secret, s *spec.Spec, namespaces openshift.Namespaces, dump []corev1.Secret) error {
	path, _, err := o.CredentialsFile.Resolve(o.Streams, s)
	var file *credfile.File
	if err == nil {
		file, err = o.openAt(path, false)
	}
	if err != nil {
		return err
	}
	was, today := list, todayOf(s, file, list)
	list, stale, unchecked := held.Present(list, today)
	lost := lostAccounts(list, s, today.Accounts, unchecked, path)
	for i, h := range list {
		switch from, to := was[i].Servers(), h.Servers(); {
		case !slices.Equal(from, to):
			o.Infof("secret %s was held for %s: it is for %s now, as in the specification, with the accounts in %s", h.At(), strings.Join(from, ", "), strings.Join(to, ", "), path)
		case stale[h.At()]:
			o.Infof("secret %s: the account of %s changed since it was held: its current password is read from %s", h.At(), h.Component, path)
		}
	}
	if o.Held.Applied {
		return o.applied(d, list, stale, lost)
	}
	r := held.Decide(list, namespaces, dump, lost)
	for _, h := range r.Applied {
		if err := d.Remove(h); err != nil {
			return err
		}
		o.Infof("secret %s is in the cluster: it is no longer held", h.At())
		if why := lost[h.At()]; why != nil {
			o.Warnf("secret %s: %v", h.At(), why)
		}
	}
	for _, h := range r.Due {
		switch why := unchecked[h.At()]; {
		case errors.Is(why, held.ErrOtherAccount) && s == nil:
			o.Warnf("secret %s is printed as held, without a check: %v; if the account was rotated, set -f to the cluster's provisioning file", h.At(), why)
		case why != nil:
			o.Warnf("secret %s is printed as held and may be out of date: %v", h.At(), why)
		}
		lacks := slices.DeleteFunc(slices.Clone(today.Servers), func(server string) bool { return slices.Contains(h.Servers(), server) })
		if len(lacks) > 0 {
			o.Warnf("secret %s has no account on %s, which the specification names: set --credentials-file, or run the reconciliation with --held again", h.At(), strings.Join(lacks, ", "))
		}
	}
	errs := []error{nil}
	if o.Held.OutputDir != "" {
		errs[0] = o.deliver(d, r.Due)
	} else {
		errs[0] = o.printHeld(d, r.Due)
	}
	for _, h := range r.Waiting {
		why := r.Why[h.At()]
		if lost[h.At()] == nil {
			o.Infof("secret %s is held: %v", h.At(), why)
			continue
		}
		remedy := "run the reconciliation with --held again"
		if s.Whole().Has(h.Component) {
			remedy = "'" + program + " apply' creates the account; or set --credentials-file to the file that has it"
		}
		errs = append(errs, hint.Errorf(remedy+"; or remove "+d.Where(h), "secret %s stays held: %w", h.At(), why))
	}
	return errors.Join(errs...)
}

// todayOf is what a specification and a credentials file say of the cluster. Without a specification its vCenters are not known.
func todayOf(s *spec.Spec, file *credfile.File, list []held.Secret) held.Today {
	today := held.Today{Ours: generations(s)}
	if s != nil {
		today.Servers = servers(s.Whole())
	}
	from := today.Servers
	for _, h := range list {
		from = append(from, h.Servers()...)
	}
	today.Accounts = shared(s, openshift.FromFile(file, from))
	return today
}

// lostAccounts are the held secrets whose accounts are gone, and why: a prune or a destroy deletes an account, and what is held of it
// fails to log in. Only a specification tells. One that names the component says nothing where the credentials file at path has no
// account of the cluster at all: it is not the one that the secrets come from.
func lostAccounts(list []held.Secret, s *spec.Spec, accounts openshift.Accounts, unchecked map[component.Ref]error, path string) map[component.Ref]error {
	lost := map[component.Ref]error{}
	if s == nil {
		return lost
	}
	some := false
	for _, own := range accounts {
		some = some || len(own) > 0
	}
	for _, h := range list {
		why, named := unchecked[h.At()], s.Whole().Has(h.Component)
		switch {
		case !errors.Is(why, openshift.ErrNoAccount):
		case !named:
			lost[h.At()] = fmt.Errorf("%w in %s, and the specification does not name %s", why, path, h.Component)
		case some:
			lost[h.At()] = fmt.Errorf("%w in %s", why, path)
		}
	}
	return lost
}

// generations tells which users are generations of the accounts of a cluster; nil where no specification says it.
func generations(s *spec.Spec) func(component.Name, string) bool {
	if s == nil {
		return nil
	}
	return func(c component.Name, user string) bool {
		a := s.Whole().Account(c)
		return a.Ours() && a.Generation(user) > 0 || !a.Ours() && strings.EqualFold(a.Principal, user)
	}
}

// applied ends the holding of what was printed.
func (o *ReconcileOptions) applied(d held.Dir, list []held.Secret, stale map[component.Ref]bool, lost map[component.Ref]error) error {
	gone, stay, err := d.Applied(list, stale)
	for _, h := range gone {
		o.Infof("secret %s is no longer held", h.At())
		if why := lost[h.At()]; why != nil {
			o.Warnf("secret %s: %v", h.At(), why)
		}
	}
	for _, h := range stay {
		why := "it has not been printed since it was held"
		if h.Printed {
			why = "what was printed is out of date: print it again"
		}
		o.Infof("secret %s is held: %s", h.At(), why)
	}
	return err
}

// printHeld writes secrets to stdout, all or none, and notes it when the last byte is written.
func (o *ReconcileOptions) printHeld(d held.Dir, due []held.Secret) error {
	if len(due) == 0 {
		o.Infof("no held secret is due")
		return nil
	}
	if err := held.WriteYAML(o.Out, due, d.Seal); err != nil {
		return err
	}
	if err := d.MarkPrinted(due); err != nil {
		return err
	}
	for _, h := range due {
		o.Infof("secret %s is printed, and stays in %s until it is applied", h.At(), d.Path)
		if !d.Notes(h) {
			o.Infof("secret %s is held encrypted with an older password: set --%s or --%s too, to encrypt the current one, or --secrets to find it in the cluster", h.At(), recipientFlag, recipientsFileFlag)
		}
	}
	o.Infof("after you have applied them:")
	o.next(o.command("reconcile", o.said.only("file", "install-config", "credentials-file"), o.heldWords("--release-held", "--held", d.Path, "--applied")...))
	return nil
}

// heldWords are own, and the keys that open what is held.
func (o *ReconcileOptions) heldWords(own ...string) []string {
	for _, key := range o.Held.Identity.Files {
		own = append(own, "--"+identityFlag, key)
	}
	return own
}

// deliver writes secrets to files. Each is complete before it is not held any more.
func (o *ReconcileOptions) deliver(d held.Dir, due []held.Secret) error {
	if len(due) == 0 {
		o.Infof("no held secret is due")
	}
	var paths []string
	var errs []error
	for _, h := range due {
		path, err := d.Deliver(h, o.Held.OutputDir, d.Seal)
		if err != nil {
			errs = append(errs, badFlag("output-dir", "%w", err))
			continue
		}
		paths = append(paths, path)
	}
	written := func(w io.Writer) error {
		for _, path := range paths {
			term.Fprintf(w, "%s\n", path)
		}
		return nil
	}
	return errors.Join(append(errs, o.Print(term.FormatTable, nil, written))...)
}
