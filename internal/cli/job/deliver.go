package job

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Advice makes commands for this run.
func (w *Run) Advice() advice.Advice {
	return advice.Advice{Factory: w.Factory, Source: &w.Connection.Source, Wanted: w.Wanted, Said: w.Invocation}
}

// PrintDeliveries prints the commands that deliver the accounts of a plan.
func (w *Run) PrintDeliveries(p *plan.Plan, inv command.Invocation) {
	w.PrintElsewhere(p, inv)
	if line := w.Advice().Delivery(w.Wanted.ComponentNames(), inv); line != "" {
		w.Next(line)
	} else {
		w.Command("whoever installs needs the account of the installer:", w.exports(inv))
	}
}

// PrintRenewal says how a running cluster gets the accounts of a plan, because it may hold earlier
// passwords. It prints nothing before an installation, or for first accounts of a single step.
func (w *Run) PrintRenewal(p *plan.Plan) {
	made := slices.DeleteFunc(w.Wanted.ComponentNames(), func(c component.Name) bool {
		return !p.Any(func(x *plan.Change) bool {
			return x.Kind == plan.User && x.Verb == plan.Create && w.Wanted.Account(c).Generation(x.Name) > 0
		})
	})
	first := len(w.Invocation["install-config"]) > 0 || p.Kind == plan.KindPlan || w.Only != ""
	if len(made) == 0 || first && !w.Job.HasAccounts() {
		return
	}
	if line := w.Advice().Delivery(made, w.Invocation); line != "" {
		w.Command("then, if the cluster runs already, its secrets need the new passwords:", line)
	}
}

// Delivery is the command that gives the cluster the accounts of this run; "" = none.
func (w *Run) Delivery() string {
	return w.Advice().Delivery(w.Wanted.ComponentNames(), w.Invocation)
}

// PrintElsewhere says once where else the accounts of a plan may be.
func (w *Run) PrintElsewhere(p *plan.Plan, inv command.Invocation) {
	if w.saidWhere {
		return
	}
	w.saidWhere = true
	if w.gives(p, component.Installer) { // a hub has no other account of the cluster
		installer := w.Wanted.Account(component.Installer).Component
		hub := inv.With("components", string(installer))
		w.Command("if Hive removes this cluster, run this on its hub:",
			w.Advice().Secrets([]component.Name{installer}, hub))
	}
	if slices.Contains(w.Wanted.ComponentNames(), component.ClusterAPI) {
		w.Infof("if Cluster API is managed in another cluster, run this there too")
	}
}

// gives reports whether a plan makes or changes an account of ours for a component.
func (w *Run) gives(p *plan.Plan, c component.Name) bool {
	account := w.Wanted.Account(c)
	return account.Ours() &&
		p.Any(func(c *plan.Change) bool { return c.Kind == plan.User && account.Generation(c.Name) > 0 })
}

// NextRender prints the step that puts accounts of the credentials file into the run's
// install-config if they differ, or a new main account. It returns the invocation for later steps.
func (w *Run) NextRender(p *plan.Plan) command.Invocation {
	what := "openshift-install reads the main account from the install-config alone; to put it into a copy:"
	if len(w.Invocation["install-config"]) == 0 {
		if profile, _ := openshift.FindProfile(w.Wanted.Profile); profile.Main && w.gives(p, component.Installer) {
			w.Command(what, w.Renders(w.Invocation.With("install-config", "install-config.yaml"), false))
		}
		return w.Invocation
	}
	if lacks, components := w.given.Lacks(w.Job.Credentials, w.Wanted); lacks {
		if renders := w.Renders(w.Invocation, components); renders != "" {
			if components {
				what = "openshift-install uses the accounts that the install-config names; to put those of the credentials file into a copy:"
			}
			w.Command(what, renders)
			if components {
				return w.Invocation.With("install-config", command.Rendered(w.Invocation["install-config"][0]))
			}
		}
	}
	return w.Invocation
}

func (w *Run) exports(inv command.Invocation) string {
	return w.CommandLine("credentials export", inv.With("components", string(component.Installer)),
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
func (w *Run) OldPasswords() string {
	text := "until then components use the old passwords"
	if w.Job.Locks() {
		text += ", and SSO may lock their accounts"
	}
	return text
}

// PrintRestarts names workloads that keep an old password despite new secrets, and their restart.
func (w *Run) PrintRestarts() {
	profile, _ := openshift.FindProfile(w.Wanted.Profile)
	for _, r := range profile.Readers(w.Wanted.ComponentNames()) {
		switch {
		case !r.Password.Restart:
		case !profile.Shared() && (r.Root() || r.Component.OptIn()): // a restart before this secret is new locks the account
			w.Infof("then, once %s holds the new password of %s: %s", r.Secret, profile.AccountOf(r.Component), r.Restart)
		default:
			w.Command("then:", r.Restart)
		}
	}
}
