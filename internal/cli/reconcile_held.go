package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// heldFlags say what becomes of the secrets of a reconciliation: held until the upgrade, handed out after it, or written for
// an installation.
type heldFlags struct {
	Dir        string // --held
	Release    bool   // --release-held
	Namespaces string // --namespaces, - for stdin
	Secrets    string // --secrets, - for stdin; also of --prune
	Applied    bool   // --applied
	OutputDir  string // --output-dir; empty = stdout
	Manifests  string // --manifests
	Recipients recipientFlags
	Identity   identityFlags
}

// Register adds the flags to cmd.
func (h *heldFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&h.Dir, "held", "", "directory that holds the secrets of new requests until their namespaces exist")
	p.BoolVar(&h.Release, "release-held", false, "only print the held secrets whose namespaces exist; no vCenter is contacted")
	p.StringVar(&h.Namespaces, "namespaces", "", "with --release-held: the cluster's namespaces as 'oc get namespaces -o yaml' prints them (- for stdin)")
	p.StringVar(&h.Secrets, "secrets", "", "the cluster's secrets as 'oc get secrets -A -o yaml' prints them (- for stdin): with --release-held, applied secrets are released; with --prune, refuse if one of them still holds an account that goes, and with 'oc get secrets,pv' the volumes are named as well")
	p.BoolVar(&h.Applied, "applied", false, "with --release-held: confirm that the printed secrets are applied, and release them; with --prune: confirm that no cluster uses what goes, which --yes requires, or the secrets (help proof)")
	p.StringVar(&h.OutputDir, "output-dir", "", "with --release-held: write a file per secret, with ccoctl's names and mode 0600, instead of stdout")
	p.StringVar(&h.Manifests, "manifests", "", "with --requests: write the secrets of all requests to this manifests directory of openshift-install, and the config map that disables the cloud-credential-operator")
	for _, dir := range []string{"held", "output-dir", "manifests"} {
		_ = cmd.MarkFlagDirname(dir)
	}
	for _, file := range []string{"namespaces", "secrets"} {
		_ = cmd.MarkFlagFilename(file, "yaml", "yml", "json")
	}
	markCommandLineOnly(cmd, "held", "release-held", "namespaces", "secrets", "applied", "output-dir", "manifests")
	for _, dump := range []string{"namespaces", "secrets"} {
		cmd.MarkFlagsMutuallyExclusive(kubeconfigFlag, dump)
		cmd.MarkFlagsMutuallyExclusive(contextFlag, dump)
	}
	h.Recipients.Register(cmd, "encrypt held secrets")
	h.Identity.Register(cmd)
}

// check looks whether the words go together; r and prune are those of the reconciliation beside them.
func (h *heldFlags) check(r *releaseFlags, prune bool) error {
	live := r.Cluster.given()
	named := r.From != "" || r.To != "" || r.Dir != "" || r.MatrixTo != "" || prune
	switch {
	case !h.Release && (h.Namespaces != "" || h.OutputDir != ""):
		return hint.Errorf("add --release-held", "--namespaces and --output-dir require --release-held")
	case !h.Release && h.Applied && !prune:
		return hint.Errorf("add one of them", "--applied: --release-held or --prune is required")
	case !h.Release && h.Applied && (h.Secrets != "" || live):
		return hint.Errorf("the secrets prove what --applied only says", "--applied cannot be combined with --secrets or --kubeconfig")
	case !h.Release && h.Secrets != "" && !prune:
		return hint.Errorf("add one of them", "--secrets: --release-held or --prune is required")
	case h.Release && h.Dir == "":
		return hint.Errorf("set --held DIR to the directory of the run before the upgrade", "--release-held: --held is required")
	case h.Release && (named || h.Manifests != ""):
		return hint.Errorf("run it alone", "--release-held only prints held secrets and cannot be combined with a reconciliation")
	case h.Release && h.Applied && (live || h.Namespaces != "" || h.OutputDir != "" || h.Secrets != ""):
		return hint.Errorf("--release-held --held DIR --applied is enough", "--applied prints nothing, so these flags have no effect")
	case h.Release && !h.Applied && h.Namespaces == "" && !live:
		return hint.Errorf("'oc get namespaces -o yaml | "+program+" reconcile --release-held --held DIR --namespaces -' reads them from a cluster", "--release-held: --namespaces FILE or --kubeconfig FILE is required, to know which secrets are due")
	case h.Recipients.given() && h.Dir == "":
		return hint.Errorf("add --held DIR", "--recipient: --held is required, because it encrypts held secrets")
	case len(h.Identity.Files) > 0 && h.Dir == "":
		return hint.Errorf("add --held DIR", "--identity: --held is required, because it decrypts held secrets")
	case !h.Release && h.Dir != "" && prune:
		return badFlag("held", "cannot be combined with --prune: it is for the run before the upgrade")
	case !h.Release && h.Dir != "" && !r.compares():
		return hint.Errorf("add --from DIR --to DIR: only secrets of the next release are held", "--held: --from and --to are required")
	case h.Manifests != "" && (r.Dir == "" || prune):
		return hint.Errorf("add --requests DIR, the CredentialsRequests of the release that is installed", "--manifests: --requests is required")
	}
	return nil
}

// holding is the directory of held secrets of a cluster, with the keys that were given; s may be nil.
func (o *ReconcileOptions) holding(s *spec.Spec, open func(string, []byte) ([]byte, error)) (held.Dir, error) {
	d := held.Dir{Path: o.Held.Dir, Open: open}
	if s != nil {
		d.Cluster = s.Cluster
	}
	to, err := o.Held.Recipients.Resolve(o.Factory)
	if err != nil {
		return d, err
	}
	if len(to) > 0 {
		d.Seal = func(plain []byte) ([]byte, error) { return sealed.Seal(plain, to) }
		if _, err := d.Seal(nil); err != nil { // keys that do not go together
			return d, badFlag(recipientFlag, "%w", err)
		}
	}
	return d, nil
}

// hold keeps the secrets that a cluster of the running release need not have; see [held.New]. credentials is the path of their accounts.
func (r *reconciling) hold(d held.Dir, credentials string) error {
	fresh := held.New(r.from.List, r.to.List)
	file, err := r.openAt(credentials, false)
	if err != nil {
		return err
	}
	from := servers(r.Spec.Whole())
	list, warnings, err := held.Make(from, shared(r.Spec, openshift.FromFile(file, from)), fresh)
	if err != nil {
		return hint.Wrap(err, "'"+program+" apply', or this run without --vcenters and --components, creates the accounts; --assign assigns another one to a request")
	}
	r.warn(warnings...)
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
			return badFlag("held", "%w", err)
		}
		r.Infof("secret %s of CredentialsRequest %s is %s in %s", h.At(), h.Request.Name, outcome, d.Path)
	}
	r.Infof("after the upgrade, when their namespaces exist:")
	words := []string{"--release-held", "--held", d.Path}
	if d.Seal != nil {
		words = append(words, "--"+identityFlag, "KEY")
	}
	r.next("oc get namespaces -o yaml | " + r.command("reconcile", r.said.only("file", "install-config", "credentials-file"), append(words, "--namespaces", "-")...) + " | oc apply -f -")
	return nil
}

// after is what follows a reconciliation that succeeded: secrets are written or held, and the specification says which release
// the accounts are ready for.
func (r *reconciling) after(d held.Dir, update *updateRecord) error {
	credentials := r.work.credentials
	switch {
	case r.Held.Manifests != "":
		if err := r.manifests(credentials); err != nil {
			return err
		}
	case r.Held.Dir != "":
		if err := r.hold(d, credentials); err != nil {
			return r.leaves(err, "not all secrets are held: settle the error", r.unrecorded())
		}
	case r.from != nil && !r.Prune:
		if fresh := held.New(r.from.List, r.to.List); len(fresh) > 0 && r.Output == term.FormatTable {
			var names []string
			for _, q := range fresh {
				names = append(names, q.SecretRef.String())
			}
			slices.Sort(names)
			r.Infof("%s may not exist yet: %s; --held DIR creates what is missing now, and holds it until its namespace exists", term.Count(len(names), "secret"), strings.Join(names, ", "))
		}
	}
	switch {
	case r.Prune:
		return nil // it was written before the vCenters
	case r.Releases.Version != "" && r.Image != "" && r.record.path == "" && !r.record.silent():
		r.Warnf("%s is not recorded as reconciled: add the lines above to the provisioning file first, or the next apply removes what was added", r.Releases.Version)
		return nil
	}
	return update.write()
}

// incomplete says before an error what the run did not get to: [reconciling.after] follows only on success. nil stays nil.
func (r *reconciling) incomplete(err error) error {
	why := "the run did not complete: settle the error"
	var coded *ExitError
	if errors.As(err, &coded) && coded.Code == ExitDifferent {
		why = "the verification found differences: settle them"
	}
	var left []string
	switch {
	case r.Held.Manifests != "":
		left = append(left, "no manifest was written to "+r.Held.Manifests)
	case r.Held.Dir != "":
		left = append(left, "no secret was written to "+r.Held.Dir)
	}
	return r.leaves(err, why, append(left, r.unrecorded()...))
}

// unrecorded is the release that a run which fails does not record, as a sentence; nil where it would record none.
func (r *reconciling) unrecorded() []string {
	if u := r.update(); u.add == nil || u.part != "" {
		return nil
	}
	return []string{r.Releases.Version + " was not recorded as reconciled"}
}

// leaves warns before an error of what is left undone, and why.
func (r *reconciling) leaves(err error, why string, left []string) error {
	if err != nil && len(left) > 0 {
		r.Warnf("%s, because %s, then %s", strings.Join(left, " and "), why, theSame)
	}
	return err
}
