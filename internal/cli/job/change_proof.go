package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/identity"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// proven is the error of a cluster that does not prove that accounts may be removed, with remedies.
func (r *Run) proven(p *plan.Plan, c Change) error {
	removed := c.removed(p)
	if len(removed) == 0 {
		return nil
	}
	there := r.local(r.used.Cluster.Cluster)
	var errs []error
	hints := []string{}
	lacking := there.Proof(r.question(c, removed))
	for _, lack := range lacking {
		found, remedies := r.lacks(there, lack, c)
		errs, hints = append(errs, found...), lists.AppendNew(hints, remedies...)
	}
	if errs == nil {
		return nil
	}
	if c.Replaced != nil && lacking[0].Missing > cluster.LacksShown { // else a hint has the dump
		hints = append(hints, "nothing was removed; once that is done: "+r.proving(c, r.everywhere()))
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}

func (r *Run) question(c Change, removed []string) cluster.Question {
	whole := r.Wanted.Whole()
	q := command.IsItThis(whole)
	q.Known, q.Servers, q.Going, q.Readers = lists.Union(q.Known, r.here), r.here, removed, r.Wanted.ComponentNames()
	if c.Replaced == nil {
		return q
	}
	q.Going, q.Readers, q.Apart = nil, nil, true
	profile, _ := openshift.FindProfile(r.Wanted.Profile)
	former := lists.Without(r.here, command.Servers(whole))
	for _, x := range c.Replaced() {
		q.Going, q.Readers = lists.AppendNew(q.Going, x.From), lists.AppendNew(q.Readers, x.Component)
		q.Apart = q.Apart && x.Component == component.Installer && !profile.Shared()
		if x.Component.InCluster() || profile.Shared() {
			q.Stays = append(q.Stays, cluster.Stay{Component: x.Component, Servers: append([]string{x.Server}, former...), Account: x.Stays})
		}
	}
	return q
}

// local leaves out secrets without a vCenter that hold accounts of vCenters outside this run: on
// vCenters that are not linked, accounts of one name differ in their passwords.
func (r *Run) local(c *cluster.Cluster) *cluster.Cluster {
	here := command.Servers(r.Wanted)
	there := lists.Without(command.Servers(r.Wanted.Whole()), here)
	if r.Job.Request.Credentials == nil {
		return c
	}
	return c.Without(func(a credfile.Account) bool {
		has := func(server string) bool {
			return slices.ContainsFunc(r.files().Know(server, a), cluster.Known.IsCurrent)
		}
		return slices.ContainsFunc(there, has) && !slices.ContainsFunc(here, has)
	})
}

func (r *Run) files() cluster.Files {
	return cluster.Files{Spec: r.Wanted, File: r.Job.Request.Credentials, Journal: r.Job.Request.Journal}
}

// lacks are the lacks of a proof as errors with hints.
func (r *Run) lacks(there *cluster.Cluster, l cluster.Lack, c Change) (errs []error, hints []string) {
	other := func(what string, args ...any) ([]error, []string) {
		return []error{fmt.Errorf("%s: %s; nothing was done", c.Subject, fmt.Sprintf(what, args...))},
			[]string{"give those of " + r.Wanted.Cluster + ": " + r.proving(c, openshift.From(r.Wanted.Profile))}
	}
	switch l.Missing {
	case cluster.LacksIdentity:
		return other("nothing in these secrets says that they are those of %s: they have no Infrastructure and hold no account of it", r.Wanted.Cluster)
	case cluster.LacksPlatform:
		return other("the secrets are those of a cluster on %s: they prove nothing of %s", l.Words[0],
			r.Wanted.Cluster)
	case cluster.LacksName:
		errs, hints = other("the secrets are those of cluster %s: they prove nothing of %s", l.Words[0],
			r.Wanted.Cluster)
		return errs, append(hints, "if that is a former name, and no cluster works with its accounts any more: "+
			r.CommandLine(c.Command, r.Invocation.Without(c.Within...), append(slices.Clone(c.Own), "--applied")...))
	case cluster.LacksVCenter:
		return other("the secrets are those of a cluster on %s, which is none of the vCenters of %s: they prove nothing of it",
			command.Some(strings.Join(l.Words, ", ")), r.Wanted.Cluster)
	case cluster.LacksShown:
		if slices.ContainsFunc(l.Words, func(namespace string) bool { return !there.Lists(namespace) }) {
			hints = []string{"give those of all namespaces: " + r.proving(c, r.everywhere())}
		}
		return []error{fmt.Errorf("%s: the secrets show nothing of %s, where an account may be in use; nothing was done",
				c.Subject, strings.Join(l.Words, ", "))},
			append(hints, "only the cluster shows that a namespace has no secret: --kubeconfig FILE in place of --secrets")
	case cluster.LacksStaying:
		return []error{r.unfound(l)}, []string{r.applying()}
	}
	if c.Replaced != nil {
		return r.replacedHeld(there, l.Held)
	}
	return r.held(there, l.Held)
}

// unfound is the error of a remaining account that its readers do not find.
func (r *Run) unfound(l cluster.Lack) error {
	server := l.Stay.Servers[0]
	if len(l.Held) > 0 {
		return fmt.Errorf("%s: %s has %s with another password than the credentials file", server,
			places(l.Held), l.Stay.Account.User)
	}
	return fmt.Errorf("%s: no secret in which %s finds its account has %s", server, l.Stay.Component,
		l.Stay.Account.User)
}

// everywhere pipes a dump of all that may be proof.
func (r *Run) everywhere() string { return openshift.Prints(r.Wanted.Profile, true) + " | " }

func (r *Run) applying() string {
	return "apply the secrets: " + r.Advice().Secrets(r.Wanted.ComponentNames(), r.Invocation)
}

func (r *Run) replacedHeld(there *cluster.Cluster, held []cluster.Holding) (errs []error, hints []string) {
	by := map[string][]cluster.Holding{}
	ours := false // a command of ours writes one of them
	for _, h := range held {
		what := at(h) + h.User + " is still in"
		by[what] = append(by[what], h)
		if writer := unwritten(there, h); writer != "" {
			hints = lists.AppendNew(hints, writer)
		} else {
			ours = true
		}
	}
	for _, what := range command.SortedKeys(by) {
		errs = append(errs, fmt.Errorf("%s %s", what, places(by[what])))
	}
	if ours {
		hints = append([]string{r.applying()}, hints...)
	}
	return errs, hints
}

// at is the vCenter of a secret's account, before a sentence.
func at(h cluster.Holding) string {
	if h.Server == "" {
		return ""
	}
	return h.Server + ": "
}

// unwritten says who writes a secret that no command of ours writes; "" = one does.
func unwritten(there *cluster.Cluster, h cluster.Holding) string {
	switch {
	case h.Copied():
		i := slices.IndexFunc(openshift.Readers(), func(r openshift.Reader) bool {
			return r.Hold == openshift.HoldsCopy
		})
		r := openshift.Readers()[i]
		return fmt.Sprintf("%s %s; once %s has the new account, this makes it copy again: %s", r.Name,
			r.Account.Does, r.Secret, r.Restart)
	case h.At == openshift.DriverConfig():
		return h.At.String() + ": vmware-vsphere-csi-driver-operator writes it from its own secret while it is healthy: 'oc get clustercsidrivers,clusteroperator/storage' shows why it has not"
	case !there.Renews(h):
		return h.At.String() + ": this tool does not write it: put the other account there by hand, or delete the secret once nothing reads it"
	}
	return ""
}

func places(held []cluster.Holding) string {
	var all []string
	for _, at := range cluster.Places(held) {
		all = append(all, at.String())
	}
	return strings.Join(all, ", ")
}

// held names the secrets that still hold accounts and their readers, and how they get others.
func (r *Run) held(c *cluster.Cluster, holdings []cluster.Holding) (errs []error, hints []string) {
	identities := false
	var servers []string
	for _, h := range holdings {
		servers = lists.AppendNew(servers, h.Server)
	}
	resolved := c.Resolve(servers)
	for _, h := range holdings {
		if readers := gets(resolved, h); len(readers) > 0 {
			errs = append(errs, readers...)
			continue
		}
		identities = identities || h.Form == cluster.FormFlat || h.Form == cluster.FormCAPV
		errs = append(errs, fmt.Errorf("%s%s still holds %s", at(h), h.At, h.User))
	}
	hints = []string{
		"nothing was done: the cluster's secrets still contain these accounts",
		"replace them first: '" + openshift.From(r.Wanted.Profile) + command.Program + " secrets explain -f -' shows who gets what",
	}
	if some := command.Servers(r.Wanted); len(some) < len(command.Servers(r.Wanted.Whole())) {
		hints = append(hints, "if the cluster leaves "+strings.Join(some, ", ")+": take that out of the cluster first, and then out of its secrets: 'secrets renew' with a provisioning file that does not name it")
	}
	hints = append(hints, r.replacing(c, holdings)...)
	if identities {
		hints = append(hints, "'"+identity.Dump+" | "+command.Program+" identity check --dump -' shows which clusters of Cluster API do")
	}
	return errs, append(hints, "if the cluster is gone or is being removed too: --applied in place of --secrets")
}

// gets says who gets an account from a secret, and in whose view if not every cluster's.
func gets(resolved []cluster.Resolution, h cluster.Holding) (errs []error) {
	by := map[string]string{}
	var order []string
	for _, r := range resolved {
		if r.Server == h.Server && r.From == h.At.String() && r.Gets() == h.User {
			text := fmt.Sprintf("%s: %s still gets %s from %s", r.Server, r.Consumer, r.User, r.From)
			order = lists.AppendNew(order, text)
			by[text] = strings.TrimSpace(by[text] + " " + r.By)
		}
	}
	for _, text := range order {
		errs = append(errs, errors.New(text+views[by[text]]))
	}
	return errs
}

// views name the cloud-credential-operator, which secrets do not show, that gives an account.
var views = map[string]string{
	cluster.ByEnhancement: " (with the per-component cloud-credential-operator of the enhancement; a released one does not read this secret)",
	cluster.ByRelease:     " (with a released cloud-credential-operator, which reads this secret alone; the per-component one of the enhancement takes another)",
}

// replacing are hints how secrets with removed accounts get others, if this tool has one.
func (r *Run) replacing(there *cluster.Cluster, holdings []cluster.Holding) (hints []string) {
	profile, _ := openshift.FindProfile(r.Wanted.Profile)
	stays := func(a credfile.Account) bool {
		return a.User != "" && !slices.ContainsFunc(holdings, func(h cluster.Holding) bool {
			return cluster.SameAccount(a.User, h.User)
		})
	}
	some := func(h cluster.Holding, on func(server string) bool) bool { // on the vCenters of the account
		return r.Job.Request.Credentials != nil && slices.ContainsFunc(command.Servers(r.Wanted),
			func(server string) bool { return h.For(server) && on(server) })
	}
	var order []string
	of := map[string][]cluster.Holding{}
	say := func(h cluster.Holding, text string) {
		order, of[text] = lists.AppendNew(order, text), append(of[text], h)
	}
	var others []string
	for _, h := range holdings {
		switch writer := unwritten(there, h); {
		case writer != "":
			others = lists.AppendNew(others, writer)
		case some(h, func(server string) bool {
			return slices.ContainsFunc(r.files().Know(server, h.Account), func(k cluster.Known) bool {
				return k.Generation > 0 && stays(k.Now)
			})
		}):
			say(h, "put the account there that replaced it: "+r.Advice().Secrets(component.Names(), r.Invocation))
		case h.Form == cluster.FormHive:
			say(h, "Hive removes the cluster with this account: put another one there, or have the cluster removed first")
		case h.At == component.RootSecret() && !profile.Manual && !profile.Shared() && some(h, func(server string) bool {
			a, _ := r.Job.Request.Credentials.Get(server, component.MachineAPI)
			return stays(a)
		}):
			inv := r.Invocation.Without("components", "vcenters")
			field := ""
			if !r.Wanted.Whole().Secrets.RootSecret {
				field = "write 'secrets: {rootSecret: true}' into the provisioning file, then: "
			}
			say(h, "put the account of machine-api there: "+field+r.CommandLine("secrets emit", inv, r.Tested(inv)...)+openshift.Applies(r.Wanted.Profile))
		default:
			say(h, "whoever reads it stops working without this account: put another account there, or delete the secret once nothing reads it")
		}
	}
	for _, text := range order {
		hints = append(hints, places(of[text])+": "+text)
	}
	return append(hints, others...)
}
