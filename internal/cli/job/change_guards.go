package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/identity"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// going are the accounts, name@domain, that nobody can work with after a plan: it removes or disables them, or takes what they may do,
// as a changed profile does to the account that all components shared.
func (c *Change) going(p *plan.Plan) []string {
	var all []string
	for _, x := range p.Changes() {
		before, _ := x.Before.(plan.UserState)
		after, _ := x.After.(plan.UserState)
		name := x.Name
		switch {
		case x.Kind == plan.User && x.Verb == plan.Delete:
		case x.Kind == plan.User && x.Verb == plan.Update && after.Disabled && !before.Disabled:
		case x.Kind == plan.Permission && (c.Revokes || x.Strips) && (x.Verb == plan.Delete || x.Verb == plan.Update):
			name = x.Principal
		default:
			continue
		}
		if !slices.ContainsFunc(all, func(other string) bool { return strings.EqualFold(other, name) }) {
			all = append(all, name)
		}
	}
	return all
}

// unproven are the accounts that go while nobody has proved, nor said, that no cluster uses them.
func (w *Run) unproven(p *plan.Plan, c Change) []string {
	if c.Used.Secrets != nil && len(c.Used.Unseen) == 0 || c.Used.Applied {
		return nil
	}
	return c.going(p)
}

// guarded refuses to take away what a cluster still uses, and what it may use where nobody is asked.
func (w *Run) guarded(p *plan.Plan, c Change) error {
	if err := w.stillUsed(p, c); err != nil {
		return err
	}
	applied := "--applied"
	if c.Used.Secrets != nil {
		applied += " in place of the secrets, which do not prove it"
	}
	asks := w.Yes && !c.Used.Applied
	if narrows := narrows(p); narrows != "" && asks {
		return hint.Wrap(fmt.Errorf("%s: %s; nothing was done", c.Subject, narrows),
			"see which: "+w.CommandLine("plan", w.Invocation, "--full"),
			"if no component needs them: "+applied)
	}
	if needed := needed(p); len(needed) > 0 && asks {
		return hint.Wrap(fmt.Errorf("%s: virtual machines still need %s; nothing was done", c.Subject, strings.Join(needed, ", ")),
			"first remove the machine sets that make them, and wait until the machines are gone",
			"or confirm that they are not the cluster's: "+applied)
	}
	going := w.unproven(p, c)
	if len(going) == 0 || !w.Yes && c.Replaced == nil {
		if c.Replaced != nil && !p.Empty() {
			w.switching(c)
		}
		return nil
	}
	if c.Replaced != nil {
		return w.unswitched(c)
	}
	return hint.Wrap(fmt.Errorf("%s: a cluster may still use %s; nothing was done", c.Subject, firstOf(going)), w.proofs(c, "that none does")...)
}

// proofs are the ways to prove something before a change, and to assert it. Who gave secrets that prove too little is asked for the others
// and not for an assertion: those secrets may hold what goes.
func (w *Run) proofs(c Change, what string) []string {
	if c.Used.Secrets != nil {
		return []string{"prove " + what + ", with the secrets of all namespaces: " + w.proving(c)}
	}
	return []string{"prove " + what + ": " + w.proving(c), "or confirm it: --applied"}
}

// firstOf names the first of some accounts, and how many more there are.
func firstOf(accounts []string) string {
	if n := len(accounts) - 1; n > 0 {
		return accounts[0] + " and " + term.Count(n, "more account")
	}
	return accounts[0]
}

// needed are the permissions that a plan takes away while virtual machines need them: "name@domain on /DC1/vm/left".
func needed(p *plan.Plan) []string {
	var all []string
	for _, x := range p.Changes() {
		if x.Needed {
			all = append(all, x.Principal+" on "+x.Object)
		}
	}
	return all
}

// narrows says what a changed profile or matrix takes from accounts that stay in use, which no secret shows to be needed or not.
// "" = nothing.
func narrows(p *plan.Plan) string {
	var by string
	var from []string
	p.Any(func(x *plan.Change) bool {
		if x.TakenBy != "" {
			by = x.TakenBy
			if !slices.Contains(from, x.Principal) {
				from = append(from, x.Principal)
			}
		}
		return false
	})
	if from == nil {
		return ""
	}
	return by + " takes privileges from " + firstOf(from) + ", which components work with"
}

// proving is the command of a change with the proof that the cluster does not use what goes.
func (w *Run) proving(c Change) string {
	return openshift.FromCluster + w.CommandLine(c.Command, w.Invocation.Without(c.Within...), append(slices.Clone(c.Own), "--secrets", "-")...)
}

// stillUsed refuses to take accounts away on a vCenter that the cluster still has, and those that its secrets still give to somebody,
// as far as either is named.
func (w *Run) stillUsed(p *plan.Plan, c Change) error {
	if err := w.stillPlaced(p, c); err != nil {
		return err
	}
	going := c.going(p)
	if c.Used.Secrets == nil || len(going) == 0 {
		return nil
	}
	if other := w.ofAnother(c.Used.Secrets); other != "" {
		return hint.Errorf("give the secrets of "+w.Wanted.Cluster, "%s: the secrets are those of cluster %s, and hold no account of %s: they prove nothing of it; nothing was done", c.Subject, other, w.Wanted.Cluster)
	}
	if c.Replaced != nil {
		return w.switched(c.Used.Secrets, c.Replaced())
	}
	return w.held(c.Used.Secrets, func(user string) bool {
		return slices.ContainsFunc(going, func(account string) bool { return sameAccount(account, user) })
	})
}

// ofAnother is the cluster whose secrets these are, by the names of the accounts that they hold; "" = they hold one of this cluster, or
// no name tells.
func (w *Run) ofAnother(secrets []corev1.Secret) (other string) {
	whole := w.Wanted.Whole()
	if !whole.OfCluster() {
		return "" // a management cluster has the identities of many
	}
	own := false
	openshift.HoldersOn(secrets, command.Servers(whole), func(user string) bool {
		switch of := whole.ClusterOf(user); {
		case strings.EqualFold(of, whole.Cluster):
			own = true
		case of != "":
			other = of
		}
		return false
	})
	if own {
		return ""
	}
	return other
}

// sameAccount reports whether a user of a secret may be an account, name@domain: domains have several spellings.
func sameAccount(account, user string) bool {
	if strings.Contains(user, "@") {
		return strings.EqualFold(account, user)
	}
	name, _, _ := strings.Cut(account, "@")
	return strings.EqualFold(name, user[strings.Index(user, `\`)+1:])
}

// held is the error of secrets that still give accounts to somebody. goes reports of a user whether it is one of the accounts.
func (w *Run) held(secrets []corev1.Secret, goes func(user string) bool) error {
	secrets = w.secretsHere(secrets)
	var said []string
	named := map[openshift.Holder]bool{}
	by := map[string][]string{}
	for _, r := range openshift.Resolve(secrets, openshift.ExplainOptions{Servers: command.Servers(w.Wanted)}) {
		text := fmt.Sprintf("%s: %s still gets %s from %s", r.Server, r.Consumer, r.User, r.From)
		if goes(r.Gets()) {
			said, by[text] = lists.AppendNew(said, text), append(by[text], r.By)
			named[openshift.Holder{Secret: r.From, Server: r.Server, User: r.User}] = true // none of them is Hive's, or a copy
		}
	}
	for i, text := range said {
		said[i] += views[strings.Join(by[text], " ")]
	}
	// Who resolves to an account is not all who work with it: a cluster identity is read by its controller alone.
	identities := false
	holders := openshift.HoldersOn(secrets, command.Servers(w.Wanted), goes)
	for _, h := range holders {
		if named[h] {
			continue
		}
		text := fmt.Sprintf("%s still holds %s", h.Secret, h.User)
		if h.Server != "" {
			text = h.Server + ": " + text
		}
		identities = identities || h.Server == ""
		said = append(said, text)
	}
	if len(said) == 0 {
		return nil
	}
	hints := []string{
		"nothing was done: the cluster's secrets still contain these accounts",
		"replace them first: '" + openshift.FromCluster + command.Program + " secrets explain -f -' shows who gets what",
	}
	if some := command.Servers(w.Wanted); len(some) < len(command.Servers(w.Wanted.Whole())) {
		hints = append(hints, "if the cluster leaves "+strings.Join(some, ", ")+": take that out of the cluster first, and then out of its secrets: 'secrets emit --renew' with a provisioning file that does not name it")
	}
	hints = append(hints, w.replacing(holders, goes)...)
	if identities {
		hints = append(hints, "'"+identity.Dump+" | "+command.Program+" identity check --dump -' shows which clusters of Cluster API do")
	}
	errs := make([]error, len(said))
	for i, text := range said {
		errs[i] = errors.New(text)
	}
	return hint.Wrap(errors.Join(errs...), append(hints, "if the cluster is gone or is being removed too: --applied in place of --secrets")...)
}

// views say whose view it is that somebody gets an account, where it is not that of every cluster with these secrets: they do not say
// which cloud-credential-operator it has.
var views = map[string]string{
	openshift.ByEnhancement: " (with the per-component cloud-credential-operator of the enhancement; a released one does not read this secret)",
	openshift.ByRelease:     " (with a released cloud-credential-operator, which reads this secret alone; the per-component one of the enhancement takes another)",
}

// replacing says of the secrets that hold accounts that go how they get others: by this tool, where it has one for them.
func (w *Run) replacing(holders []openshift.Holder, goes func(user string) bool) (hints []string) {
	profile, _ := openshift.FindProfile(w.Wanted.Profile)
	stays := func(h openshift.Holder, of func(c component.Name) bool) bool { // whether the file has another account in the place of this one
		return w.Job.Credentials != nil && slices.ContainsFunc(command.Servers(w.Wanted), func(server string) bool {
			return (h.Server == "" || h.Server == server) && slices.ContainsFunc(component.Names(), func(c component.Name) bool {
				a, ok := w.Job.Credentials.Get(server, c)
				return ok && of(c) && !goes(a.User)
			})
		})
	}
	var order []string
	of := map[string][]string{}
	for _, h := range holders {
		says := "whoever reads it stops working without this account: put another account there, or delete the secret once nothing reads it"
		switch {
		case stays(h, func(c component.Name) bool {
			a := w.Wanted.Whole().Account(c)
			return a.Ours() && a.Generation(h.User) > 0
		}):
			says = "put the account there that replaced it: " + w.renews(component.Names(), w.Invocation, w.Tested(w.Invocation)...)
		case h.Kind == openshift.HolderHive:
			says = "Hive removes the cluster with this account: put another one there, or have the cluster removed first"
		case h.Kind == openshift.HolderCopied:
			says = "cluster-capi-operator copied this account once: delete the copy when kube-system/vsphere-creds has another one"
		case h.Secret == component.RootSecret().String() && !profile.Manual && !profile.Shared() && stays(h, func(c component.Name) bool { return c == component.MachineAPI }):
			said := w.Invocation.Without("components", "vcenters")
			says = "put the account of machine-api there: " + w.CommandLine("secrets emit", said, append([]string{"--with-root-secret"}, w.Tested(said)...)...) + command.Applies
		}
		if of[says] == nil {
			order = append(order, says)
		}
		if !slices.Contains(of[says], h.Secret) {
			of[says] = append(of[says], h.Secret)
		}
	}
	for _, says := range order {
		hints = append(hints, strings.Join(of[says], ", ")+": "+says)
	}
	return hints
}

// secretsHere leaves out of a cluster's secrets those without a vCenter that hold an account of another one than this run is about:
// accounts of one name on vCenters that are not linked differ in their passwords.
func (w *Run) secretsHere(secrets []corev1.Secret) []corev1.Secret {
	here := command.Servers(w.Wanted)
	there := slices.DeleteFunc(command.Servers(w.Wanted.Whole()), func(server string) bool { return slices.Contains(here, server) })
	file := w.Job.Credentials
	if file == nil || secrets == nil {
		return secrets
	}
	return openshift.Without(secrets, func(a credfile.Account) bool {
		has := func(server string) bool {
			return slices.ContainsFunc(component.Names(), func(c component.Name) bool {
				known, ok := file.Get(server, c)
				return ok && strings.EqualFold(known.User, a.User) && known.Password.Equal(a.Password)
			})
		}
		return slices.ContainsFunc(there, has) && !slices.ContainsFunc(here, has)
	})
}

// agreeDisplacing asks for the changes that alter what others gave, apart from all the others: --yes does not confirm them.
func (w *Run) agreeDisplacing(ctx context.Context, p *plan.Plan) error {
	what := p.Alters()
	if what == "" || w.Displace {
		return nil
	}
	const confirms = "review them in the plan; confirm them with --displace"
	if w.Yes {
		return hint.Errorf(confirms, "%s, which --yes does not confirm; nothing was done", what)
	}
	w.progress.Pause()
	ask := func() (bool, error) { return w.Confirm(ctx, what+": change these too?") }
	return w.confirmed("changing permissions and roles of others", ask, func(err error) error {
		return hint.Errorf(confirms, "%s: %w; nothing was done", what, err)
	})
}

// undoing is the clearing of a change that takes accounts away, or what they may do. It is nil, which does nothing, where the plan
// has no such change or no release is recorded. Roles alone are nobody's rights: one that is in use stays; an account that was
// replaced leaves its rights to the other.
func (w *Run) undoing(p *plan.Plan, c Change) *clearing {
	takes := p.Any(func(x *plan.Change) bool {
		switch {
		case c.Replaced != nil:
			return false
		case x.Kind == plan.User:
			return x.Verb == plan.Delete
		case x.Kind == plan.Permission && c.Revokes:
			return x.Verb == plan.Delete || x.Verb == plan.Update
		}
		return x.Kind == plan.Permission && w.steering.Prune && x.Verb == plan.Delete
	})
	if len(w.Wanted.ReconciledUpdates) == 0 && !(c.ClearsReleases && p.Any((*plan.Change).Acts)) || !c.ClearsReleases && !takes {
		return nil
	}
	return w.clearing()
}
