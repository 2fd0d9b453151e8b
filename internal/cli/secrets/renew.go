package secrets

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

const renewHead = "# Secrets of the cluster with the vSphere accounts that they hold now, for `oc apply -f -`. Everything else in them is as it was.\n"

func newCmdRenew(f *command.Factory, runF func(*EmitOptions) error) *cobra.Command {
	o := &EmitOptions{Factory: f, Renew: true, Format: formatOpenShift}
	cmd := &cobra.Command{
		Use:   "renew",
		Short: "Write the cluster's secrets anew, with the accounts they hold now",
		Long: command.Text(`
			Writes the secrets of the cluster that hold an account of ours, wherever they are, with what the credentials file
			has now: after 'rotate' that is every secret that needs it, in whatever mode the cluster is. The output contains
			passwords, for 'oc apply -f -'.

			Each account that replaces another one, or another password, logs in once first, and nothing is written if one is
			refused; --no-verify leaves that out. With --switch, accounts for a vCenter that the provisioning file does not
			name go out of the secrets, and a secret with the account of another component gets that of its own.`),
		Example: command.Examples(`
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin secrets renew -f provisioning.yaml --against - | oc apply -f -
			ocp-vsphere-admin secrets renew -f provisioning.yaml --kubeconfig kubeconfig --components csi-driver | oc apply -f -`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, emitRun, command.KnownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			if !o.Against.Given() {
				return hint.Errorf("'"+openshift.FromCluster+command.Program+" secrets renew --against -' renews those of a cluster",
					"--against DUMP or --kubeconfig FILE is required: the cluster's secrets")
			}
			return o.CheckOutput(cmd, "secrets are YAML", term.FormatYAML)
		}),
	}
	o.registerAccounts(cmd)
	o.registerWrites(cmd)
	o.registerOutput(cmd)
	return cmd
}

// renewed are the cluster's secrets with an account of these components, with those of the file.
func (o *EmitOptions) renewed(file *credfile.File, asked *spec.Spec, there *command.ClusterDump) (*emission, error) {
	components := component.Of(o.Components)
	emit := openshift.EmitOptions{Profile: o.Profile, Head: renewHead, Components: components, MainFor: component.Of(o.MainFor)}
	var from []string
	if asked != nil {
		from = o.ofSpec(asked, &emit)
		lacking := openshift.Lacking(emit.Shares(from, openshift.FromFile(file, from)))
		if err := advice.Of(o.Factory, &o.Source, asked).CheckLacking(emit.Profile, file, from, lacking); err != nil {
			return nil, hint.Wrap(err, o.othersOnly(asked, lacking)...)
		}
	} else if narrowed, err := command.NarrowServers(file.Servers(), o.Source.VCenters); err == nil {
		from = narrowed
	} else {
		return nil, err
	}
	switch {
	case len(components) == 0:
		components = component.Names()
	case len(emit.MainFor) > 0: // whose secrets hold the main account
		components = append(components, component.Installer)
	}
	if err := o.checkSwitch(there.Requests); err != nil {
		return nil, err
	}
	e := &emission{asked: asked, file: file, emit: emit, cluster: there}
	if err := o.outdated(e); err != nil {
		return nil, hint.Wrap(err, "nothing was written; other components can be renewed alone, with --components", "if the later account no longer exists, --switch takes the one of the file")
	}
	files, err := e.files()
	if err != nil {
		return nil, err
	}
	r := &renewing{cluster: there.Cluster, servers: from, components: components, files: files, moves: o.Switch}
	var others []component.Ref
	e.manifests, others = there.Renew(r.now, r.also)
	if err := file.CheckFilled(e.used(from)); err != nil {
		return nil, err
	}
	for _, at := range others {
		o.Warnf("%s holds one of these accounts too, and is not written: it is no secret of OpenShift, Hive or Cluster API", at)
	}
	for _, user := range r.unknown {
		var places, servers []string
		for _, h := range there.Holding(cluster.Meant{Servers: from, User: func(held string) bool { return held == user }}) {
			places = lists.AppendNew(places, h.At.String())
			servers = lists.AppendNew(servers, cmp.Or(h.Server, "a vCenter that it does not name"))
		}
		o.Warnf("%s: %s for %s is not in %s, and stays as it is: if it exists, import its password (%s); if not, create it with apply, and run this again",
			strings.Join(places, ", "), user, strings.Join(servers, " and "), file.Path(),
			openshift.From(emit.Profile)+o.CommandLine("credentials import", o.Said, "--secrets", "-"))
	}
	stays := func(server string) bool {
		return there.Topology != nil && slices.Contains(command.Servers(there.Topology), server)
	}
	switch {
	case len(r.stale) == 0:
	case slices.ContainsFunc(r.stale, stays):
		o.Warnf("the specification does not name %s, which the cluster has, and whose accounts stay in its secrets", strings.Join(slices.DeleteFunc(r.stale, func(s string) bool { return !stays(s) }), ", "))
	default:
		o.Warnf("the specification does not name %s, for which secrets still hold accounts: --switch %s takes them out", strings.Join(r.stale, ", "), strings.Join(r.losing(), ","))
	}
	if len(r.added) > 0 {
		o.Infof("added: accounts for %s, which these secrets did not have", strings.Join(r.added, ", "))
	}
	for _, user := range r.undecided {
		o.Warnf("a secret without a vCenter holds %s, which %s have: which one is meant is unknown, so it is not written", user, strings.Join(from, " and "))
	}
	if len(e.manifests) == 0 {
		return nil, hint.Wrap(errors.New("no secret of the cluster holds an account of "+command.Some(strings.Join(component.Words(components), ", "))),
			o.firstTime(e.emit.Profile, o.Components)...)
	}
	without, unread := r.without(asked, emit, e.after())
	if len(o.Components) > 0 && len(unread) > 0 {
		o.Infof("no secret is written for %s: it has none of its own", strings.Join(unread, ", "))
	}
	lacks := "no secret of the cluster holds an account of " + strings.Join(without, ", ") + ", so none is written"
	switch first := o.firstTime(emit.Profile, without); {
	case len(without) == 0:
	case len(o.Components) > 0:
		e.left = hint.Wrap(errors.New(lacks), first...)
	case asked != nil:
		o.Warnf("%s", lacks)
		o.Hint(first...)
	}
	return e, nil
}

// renewing finds the account that replaces one of a secret.
type renewing struct {
	cluster    *cluster.Cluster
	servers    []string
	components []component.Name
	files      cluster.Files
	undecided  []string // users of secrets without a vCenter that several vCenters have
	unknown    []string // users of the specification without an account in the file
	moves      []string // --switch: components to remove from other vCenters' secrets
	stale      []string // such vCenters, where it stays
	added      []string // vCenters that secrets did not have
	kept       []string // and its components
}

// without are the components that no secret has an account of afterwards: all for which the profile
// has a secret, and unread, for which it has none.
func (r *renewing) without(asked *spec.Spec, emit openshift.EmitOptions, after *cluster.Cluster) (all, unread []string) {
	profile, _ := openshift.FindProfile(emit.Profile)
	for _, c := range r.components {
		if asked != nil && !asked.Has(c) || profile.Shared() || slices.Contains(emit.MainFor, c) {
			continue
		}
		has := func(user string) bool {
			return slices.ContainsFunc(r.servers, func(server string) bool {
				known := r.known(server, credfile.Account{User: user})
				return slices.ContainsFunc(known, func(k cluster.Known) bool { return k.Component == c })
			})
		}
		switch {
		case len(after.Holding(cluster.Meant{Servers: r.servers, User: has})) > 0:
		case profile.Writes(c):
			all = append(all, string(c))
		default:
			unread = append(unread, string(c))
		}
	}
	return all, unread
}

// othersOnly is the command that renews only components that lack nothing.
func (o *EmitOptions) othersOnly(asked *spec.Spec, lacking map[string][]component.Name) []string {
	others := slices.DeleteFunc(command.NamedComponents(o.Components, nil), func(c component.Name) bool {
		return !asked.Has(c) || slices.Contains(slices.Concat(slices.Collect(maps.Values(lacking))...), c)
	})
	if len(others) == 0 {
		return nil
	}
	return []string{"to renew the secrets of the others alone: " + o.Renews(asked.Profile, o.Said.With("components", component.Words(others)...))}
}

func (e *emission) places() string {
	var all []string
	for _, m := range e.manifests {
		all = append(all, component.At(m.Secret.Namespace, m.Secret.Name).String())
	}
	return strings.Join(all, ", ")
}

// formerly is the vCenter of a former name in secrets, which alone has this password; "" = none.
func (r *renewing) formerly(server string, held credfile.Account) string {
	if server == "" || r.files.Spec == nil || command.OneOf(server, command.Servers(r.files.Spec.Whole())) == nil {
		return ""
	}
	of := slices.DeleteFunc(slices.Clone(r.servers), func(s string) bool {
		return r.cluster.Serves(s) || !r.has(s, held)
	})
	if len(of) != 1 {
		return ""
	}
	return of[0]
}

// now is the new account for one that a secret holds for a vCenter; server "" = the account tells.
// --switch gives a component its own account in place of another's.
func (r *renewing) now(of component.Name, server string, held credfile.Account) (credfile.Account, bool) {
	var all, known []credfile.Account
	server = cmp.Or(r.formerly(server, held), server)
	own, ok := r.files.File.Get(server, of)
	asked := slices.Contains(r.moves, string(of)) && slices.Contains(r.components, of)
	if ok && asked && slices.Contains(r.servers, server) && len(r.files.Know(server, held)) > 0 {
		return own, true
	}
	for _, s := range r.servers {
		if server != "" && !strings.EqualFold(s, server) {
			continue
		}
		whose := r.known(s, held)
		i := slices.IndexFunc(whose, r.takes)
		if i < 0 {
			continue
		}
		all = append(all, whose[i].Now)
		if slices.ContainsFunc(whose, cluster.Known.IsCurrent) {
			known = append(known, whose[i].Now)
		}
	}
	switch {
	case len(all) == 1:
		return all[0], true
	case len(known) == 1: // others have an account of the same name with another password
		return known[0], true
	case len(all) > 1:
		r.undecided = lists.AppendNew(r.undecided, held.User)
	case r.files.Spec != nil:
		return credfile.Account{}, r.leaves(server, held.User)
	}
	return credfile.Account{}, false
}

// also are the accounts that a secret gets for vCenters of the specification that it lacks: those
// of the component whose accounts it holds, if that is unambiguous.
func (r *renewing) also(held map[string]credfile.Account) map[string]credfile.Account {
	if r.files.Spec == nil {
		return nil
	}
	at := func(server string, formerly bool) string { // its name in the secret; "" = none
		for has, a := range held {
			if strings.EqualFold(has, server) || formerly && r.formerly(has, a) == server {
				return has
			}
		}
		return ""
	}
	of := slices.DeleteFunc(slices.Clone(r.components), func(c component.Name) bool {
		has := false
		for _, server := range r.servers {
			if spelled := at(server, true); spelled != "" {
				if !slices.ContainsFunc(r.known(server, held[spelled]), func(k cluster.Known) bool { return k.Component == c && r.takes(k) }) {
					return true
				}
				has = true
			}
		}
		return !has
	})
	more := map[string]credfile.Account{}
	for _, server := range r.servers {
		if at(server, false) != "" {
			continue
		}
		var there []credfile.Account
		for _, c := range of {
			if a, ok := r.files.File.Get(server, c); ok && !slices.ContainsFunc(there, a.Same) {
				there = append(there, a)
			}
		}
		if len(there) == 1 {
			more[server], r.added = there[0], lists.AppendNew(r.added, server)
		}
	}
	return more
}

// leaves reports whether an account without a password in the file leaves a secret, and notes why.
func (r *renewing) leaves(server, user string) bool {
	of := r.owners(user)
	named := func(all []string) bool {
		return server == "" || slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, server) })
	}
	switch {
	case len(of) == 0:
	case named(r.servers):
		r.unknown = lists.AppendNew(r.unknown, user)
	case named(command.Servers(r.files.Spec.Whole())):
	case slices.Contains(r.moves, string(of[0].Component)):
		return true
	default:
		r.stale, r.kept = lists.AppendNew(r.stale, server), lists.AppendNew(r.kept, string(of[0].Component))
	}
	return false
}

// owners are the components whose account, of any generation, a user is by the specification.
func (r *renewing) owners(user string) []cluster.Known {
	return r.known("", credfile.Account{User: user})
}

// losing are the components of --switch so that accounts for removed vCenters leave secrets.
func (r *renewing) losing() []string {
	all := slices.Concat(r.moves, r.kept)
	for _, gets := range r.cluster.Resolve(r.stale) {
		if user := gets.Gets(); user != "" && len(r.owners(user)) > 0 {
			all = lists.AppendNew(all, gets.Consumer)
		}
	}
	return all
}

// known are the possible owners of an account on a vCenter among the renewed components.
func (r *renewing) known(server string, held credfile.Account) []cluster.Known {
	return slices.DeleteFunc(r.files.Know(server, held), func(k cluster.Known) bool {
		return !slices.Contains(r.components, k.Component)
	})
}

// has reports whether an account with this password is, or was, one of the vCenter's.
func (r *renewing) has(server string, held credfile.Account) bool {
	return slices.ContainsFunc(r.known(server, held), cluster.Known.IsCurrent)
}

func (r *renewing) takes(k cluster.Known) bool { return k.Takes(r.moves) }

// uncopied warns if no component reads a profile's secrets in kube-system, and reports that.
func (o *EmitOptions) uncopied(e *emission) bool {
	profile, _ := openshift.FindProfile(e.emit.Profile)
	if e.cluster == nil || o.Renew || profile.Manual {
		return false
	}
	stale := e.cluster.Uncopied()
	if len(stale) == 0 {
		return false
	}
	var places []string
	for _, at := range stale {
		places = append(places, at.String())
	}
	why := "in Manual mode no component reads what profile " + profile.Name + " writes; in other modes cloud-credential-operator has not copied it yet"
	switch {
	case e.cluster.IsManual():
		why = "the cluster is in Manual mode, and no component reads what profile " + profile.Name + " writes"
	case e.cluster.Copies():
		why = "cloud-credential-operator has not copied it yet"
	}
	o.Warnf("%s: the account there is not the one of kube-system: %s", strings.Join(places, ", "), why)
	o.Todof("this writes the secrets that hold the accounts, in whatever mode:")
	o.Due(o.Renews(e.emit.Profile, o.Said))
	return true
}

// preferred warns if all components are to share one account while some have a secret of their own
// in the cluster, as after another profile, and reports whether it is so.
func (o *EmitOptions) preferred(e *emission) bool {
	profile, _ := openshift.FindProfile(e.emit.Profile)
	if e.cluster == nil || o.Renew || !profile.Shared() {
		return false
	}
	all := e.cluster.Preferred(e.manifests)
	if len(all) == 0 {
		return false
	}
	var places, names []string
	for _, at := range all {
		places, names = append(places, at.String()), append(names, at.Name)
	}
	o.Warnf("%s: components work with the accounts in these secrets and not with that of %s, as long as they exist", strings.Join(places, ", "), component.RootSecret())
	o.Command("once the secret of all components is applied and '"+o.CommandLine("verify", o.Said)+"' has proved its account:", "oc delete secret -n "+all[0].Namespace+" "+strings.Join(names, " "))
	return true
}
