package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const renewFlag = "renew"

// whichSecrets are the flags that say which secrets are written, where the cluster does not say it.
var whichSecrets = []string{"credentials-requests", "assign", "enable-tech-preview", "with-root-secret", "with-extra", "cco-label", "vcenter-ids"}

// checkRenew refuses flags that do not go together with --renew.
func (o *SecretsEmitOptions) checkRenew(cmd *cobra.Command) error {
	if !o.Renew {
		return nil
	}
	if !o.Against.given() {
		return badFlag(renewFlag, "requires --against DUMP or --kubeconfig FILE: the cluster's secrets")
	}
	for _, name := range whichSecrets {
		if levelOf(cmd.Flags(), name) == ofCommandLine {
			return badFlag(name, "cannot be combined with --renew: the secrets are those of the cluster")
		}
	}
	return nil
}

// renewed are the secrets of the cluster that hold an account of these components, with what the credentials file has now.
func (o *SecretsEmitOptions) renewed(file *credfile.File, asked *spec.Spec, dump []corev1.Secret) (*emission, error) {
	emit := openshift.EmitOptions{Profile: o.Profile, Head: openshift.RenewHead}
	components := make([]component.Name, len(o.Components))
	for i, c := range o.Components {
		components[i] = component.Name(c)
	}
	from, err := file.Servers(), error(nil)
	if asked != nil {
		from = o.ofSpec(asked, &emit)
	} else if from, err = narrowServers(from, o.Source.VCenters); err != nil {
		return nil, err
	}
	if len(components) == 0 {
		components = component.Names()
	}
	e := &emission{asked: asked, file: file, emit: emit}
	r, err := e.renewal(from, components)
	if err != nil {
		return nil, err
	}
	var others []string
	e.manifests, others = openshift.Renew(dump, r.now)
	for _, at := range others {
		o.Warnf("%s holds one of these accounts too, and is not written: it is no secret of OpenShift, Hive or Cluster API", at)
	}
	for _, user := range r.undecided {
		o.Warnf("a secret without a vCenter holds %s, which %s have: which one is meant is unknown, so it is not written", user, strings.Join(from, " and "))
	}
	if len(e.manifests) == 0 {
		return nil, hint.Wrap(errors.New("no secret of the cluster holds an account of "+some(strings.Join(component.Words(components), ", "))),
			"the first time, its profile says which secrets there are, and this moves nobody who has another account: "+o.compared(o.said.without(renewFlag)))
	}
	var places []string
	for _, m := range e.manifests {
		places = append(places, component.At(m.Secret.Namespace, m.Secret.Name).String())
	}
	o.Infof("renewed: %s", strings.Join(places, ", "))
	return e, nil
}

// compared is the command that writes the secrets of the profile, unless a consumer of the cluster would get another account or a
// vCenter refuses one.
func (o *SecretsEmitOptions) compared(said invocation, own ...string) string {
	own = append(own, "--"+verifyFlag)
	if !o.Against.Cluster.given() {
		return "oc get secrets -A -o yaml | " + o.command("secrets emit", said, append([]string{"--" + againstFlag, "-"}, own...)...) + applies
	}
	return o.command("secrets emit", said, append(o.Against.Cluster.words(), own...)...) + applies
}

// renewing finds the account that takes the place of one that a secret holds.
type renewing struct {
	servers    []string
	components []component.Name
	file       *credfile.File
	journal    *credfile.File
	rotated    func(server, from, to string) bool
	undecided  []string // users of secrets without a vCenter that several vCenters have
}

func (e *emission) renewal(servers []string, components []component.Name) (*renewing, error) {
	journal, err := e.file.Journal()
	if err != nil {
		return nil, err
	}
	rotated, err := e.rotations()
	return &renewing{servers: servers, components: components, file: e.file, journal: journal, rotated: rotated}, err
}

// now is what a secret that holds an account for a vCenter is to hold; "" = it does not say which, and the account tells.
func (r *renewing) now(server string, held credfile.Account) (credfile.Account, bool) {
	var all, known []credfile.Account
	for _, s := range r.servers {
		if server != "" && !strings.EqualFold(s, server) {
			continue
		}
		next, ok := r.on(s, held.User)
		if !ok {
			continue
		}
		all = append(all, next)
		if r.has(s, held) {
			known = append(known, next)
		}
	}
	switch {
	case len(all) == 1:
		return all[0], true
	case len(known) == 1: // others have an account of the same name with another password
		return known[0], true
	case len(all) > 1 && !slices.Contains(r.undecided, held.User):
		r.undecided = append(r.undecided, held.User)
	}
	return credfile.Account{}, false
}

// on is what the credentials file has for the account of a user on a vCenter, of whatever generation.
func (r *renewing) on(server, user string) (credfile.Account, bool) {
	for _, c := range r.components {
		next, ok := r.file.Get(server, c)
		if ok && (strings.EqualFold(next.User, user) || r.rotated(server, user, next.User)) {
			return next, true
		}
	}
	return credfile.Account{}, false
}

// has reports whether an account with this password is, or was, one of the vCenter's.
func (r *renewing) has(server string, held credfile.Account) bool {
	is := func(a credfile.Account, ok bool) bool {
		return ok && strings.EqualFold(a.User, held.User) && a.Password.Equal(held.Password)
	}
	for _, c := range r.components {
		if is(r.file.Get(server, c)) {
			return true
		}
		for _, slot := range credfile.Slots(c) {
			if is(r.journal.Get(server, slot)) {
				return true
			}
		}
	}
	return false
}

// uncopied warns where what a profile writes to kube-system is read by nobody, and reports whether it is so.
func (o *SecretsEmitOptions) uncopied(e *emission, dump []corev1.Secret) bool {
	profile, _ := openshift.FindProfile(e.emit.Profile)
	stale := openshift.Uncopied(dump)
	if o.Renew || profile.Manual || len(stale) == 0 {
		return false
	}
	var places []string
	for _, at := range stale {
		places = append(places, at.String())
	}
	o.Warnf("%s: the account there is not the one of kube-system, so in Manual mode nobody reads what profile %s writes; else cloud-credential-operator has not copied it yet", strings.Join(places, ", "), profile.Name)
	o.Infof("this writes the secrets that hold the accounts, in whatever mode:")
	o.next(o.renewsAs(o.said, o.tested(o.said)...))
	return true
}
