package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Advice makes commands for this run.
func (r *Run) Advice() advice.Advice {
	return advice.Advice{Factory: r.Factory, Source: &r.Connection.Source, Wanted: r.Wanted, Said: r.Invocation, Reached: r.reached}
}

// Following is the command called name for the vCenters that this run reached.
func (r *Run) Following(name string, own ...string) string {
	return r.CommandLine(name, r.Invocation.At(r.reached), own...)
}

// PrintDeliveries prints the commands that deliver the accounts of a plan.
func (r *Run) PrintDeliveries(p *plan.Plan, inv command.Invocation) {
	r.PrintElsewhere(p, inv)
	if line := r.Advice().Delivery(r.Wanted.ComponentNames(), inv); line != "" {
		r.Due(line)
	} else {
		r.Command("whoever installs needs the account of the installer:", r.exports(inv))
	}
}

// PrintRenewal says how a running cluster gets the accounts of a plan, because it may hold earlier
// passwords. It prints nothing before an installation, or for first accounts of a single step.
func (r *Run) PrintRenewal(p *plan.Plan) {
	made := slices.DeleteFunc(r.Wanted.ComponentNames(), func(c component.Name) bool {
		for v, x := range p.Changes() {
			after, _ := x.After.(plan.UserState)
			if x.Kind == plan.User && x.Verb == plan.Create && after.InsteadOf == "" &&
				(p.Kind == plan.KindPlan || v.Status(x) == plan.Done) && r.Wanted.Account(c).Generation(x.Name) > 0 {
				return false
			}
		}
		return true
	})
	first := len(r.Invocation["install-config"]) > 0 || p.Kind == plan.KindPlan || r.Only != ""
	if len(made) == 0 || first && !r.Job.HasAccounts() && len(p.Unread()) == 0 {
		return
	}
	profile, _ := openshift.FindProfile(r.Wanted.Profile)
	added := slices.DeleteFunc(slices.Clone(made), func(c component.Name) bool {
		return !r.Job.HasAccounts() || r.Job.HasAccounts(c) || len(p.Unread()) > 0 || !profile.Writes(c)
	})
	if len(added) > 0 {
		made = lists.Without(made, added)
		inv := r.Invocation.Without("vcenters").With("components", component.Words(added)...)
		r.Command("then, if the cluster runs already, this writes the first secrets of "+strings.Join(component.Words(added), ", ")+":",
			r.FirstSecrets(profile.Name, inv, nil, nil))
	}
	if line := r.Advice().Delivery(made, r.Invocation); line != "" {
		r.Command("then, if the cluster runs already, its secrets need the new passwords:", line)
	}
}

// Delivery is the command that gives the cluster the accounts of this run; "" = none.
func (r *Run) Delivery() string {
	return r.Advice().Delivery(r.Wanted.ComponentNames(), r.Invocation)
}

// DeliveryLater is Delivery for all vCenters, where this run did not reach them; "" = it did.
func (r *Run) DeliveryLater() string {
	if r.reached == nil {
		return ""
	}
	a := r.Advice()
	a.Reached = nil
	return a.Delivery(r.Wanted.ComponentNames(), r.Invocation)
}

// PrintElsewhere says once where else the accounts of a plan may be.
func (r *Run) PrintElsewhere(p *plan.Plan, inv command.Invocation) {
	if r.saidWhere {
		return
	}
	r.saidWhere = true
	if r.gives(p, component.Installer) { // a hub has no other account of the cluster
		installer := r.Wanted.Account(component.Installer).Component
		hub := inv.With("components", string(installer))
		r.Command("if Hive removes this cluster, run this on its hub:",
			r.Advice().Secrets([]component.Name{installer}, hub))
	}
	if line := r.rendersAgain(p, inv); line != "" {
		r.Command("if openshift-install has not run yet: an install-config written before, as by "+
			"create-all, has the earlier account or password; to write it again:", line)
	}
	if slices.Contains(r.Wanted.ComponentNames(), component.ClusterAPI) {
		r.Todof("if Cluster API is managed in another cluster, run this there too")
	}
}

// rendersAgain is the command that writes accounts of a plan into a copy of the install-config; "" =
// none of them stands there, or the cluster runs.
func (r *Run) rendersAgain(p *plan.Plan, inv command.Invocation) string {
	profile, _ := openshift.FindProfile(r.Wanted.Profile)
	all := r.NamesComponents()
	if r.Job.Request.Installed || !all && (!profile.Main || !r.gives(p, component.Installer)) {
		return ""
	}
	return r.Renders(inv.With("install-config", r.config(inv)), all)
}

func (r *Run) config(inv command.Invocation) string {
	return cmp.Or(inv.Value("install-config"), r.InstallConfig, "install-config.yaml")
}

// gives reports whether a plan makes or changes an account of ours for a component.
func (r *Run) gives(p *plan.Plan, c component.Name) bool {
	account := r.Wanted.Account(c)
	return p.Any(func(c *plan.Change) bool { return c.Kind == plan.User && account.Makes(c.Name) })
}

// NextRender prints the step that puts accounts of the credentials file into the run's
// install-config if they differ, or a new main account that is not disabled. It returns the
// invocation for later steps.
func (r *Run) NextRender(p *plan.Plan) command.Invocation {
	what := "openshift-install reads the main account from the install-config alone; to put it into a copy:"
	if len(r.Invocation["install-config"]) == 0 {
		profile, _ := openshift.FindProfile(r.Wanted.Profile)
		if profile.Main && r.gives(p, component.Installer) && !r.Wanted.Disabled(component.Installer) {
			r.Command(what, r.Renders(r.Invocation.With("install-config", r.config(r.Invocation)), false))
		}
		return r.Invocation
	}
	if lacks, components := r.given.Lacks(r.Job.Request.Credentials, r.Wanted); lacks {
		if renders := r.Renders(r.Invocation, components); renders != "" {
			if components {
				what = "openshift-install uses the accounts that the install-config names; to put those of the credentials file into a copy:"
			}
			r.Command(what, renders)
			if components {
				return r.Invocation.With("install-config", command.Rendered(r.Invocation["install-config"][0]))
			}
		}
	}
	return r.Invocation
}

// NamesComponents reports whether the run's install-config has accounts of components.
func (r *Run) NamesComponents() bool {
	_, components := r.given.Lacks(r.Job.Request.Credentials, r.Wanted)
	return components
}

func (r *Run) exports(inv command.Invocation) string {
	return r.CommandLine("credentials export", inv.With("components", string(component.Installer)),
		"--recipients-file", "FILE", "--out", "FILE.age")
}

// LocksOut reports whether a plan gives a new password to an account that may be in use.
func LocksOut(p *plan.Plan) bool {
	return p.Any(func(c *plan.Change) bool {
		after, ok := c.After.(plan.UserState)
		return ok && after.NewPassword && !after.Disabled
	})
}

// OldPasswords says what components do until they have the new passwords.
func (r *Run) OldPasswords() string {
	text := "until then components use the old passwords"
	if r.Job.Locks() {
		text += ", and SSO may lock their accounts"
	}
	return text
}

// PrintRestarts names workloads that keep an old password despite new secrets, and their restart.
func (r *Run) PrintRestarts() {
	profile, _ := openshift.FindProfile(r.Wanted.Profile)
	for _, x := range profile.Readers(r.Wanted.ComponentNames()) {
		switch {
		case !x.Password.Restart:
		case !profile.Shared() && (x.Root() || x.Component.OptIn()): // a restart before this secret is new locks the account
			r.Command(fmt.Sprintf("then, once %s holds the new password of %s:", x.Secret,
				profile.AccountOf(x.Component)), x.Restart)
		default:
			r.Command("then:", x.Restart)
		}
	}
}
