package job

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// State is what a command records in the state file; nil records nothing.
type State struct {
	*command.Factory
	spec.Edit
	Why    string                      // why no file is written; "" = one is
	Change func(*spec.Spec) *spec.Spec // what is recorded
	Tell   func(done bool)             // says what the file says now, or has to say

	file string
}

// State is the record of a command; the caller fills in the rest.
func (o *Options) State(change func(*spec.Spec) *spec.Spec) *State {
	s := &State{Factory: o.Factory, Change: change, file: o.Connection.Source.File}
	switch s.file {
	case "":
		s.Why = "no provisioning file is given (-f)"
	case "-":
		s.Why = "the provisioning file is standard input"
	}
	return s
}

// Look finds out whether the file will change.
func (s *State) Look() (err error) {
	if s.Why == "" {
		s.Edit, err = spec.NewEdit(s.file, s.Change)
	}
	return err
}

// Write writes the file atomically, unless either file has changed since, or another run writes it.
func (s *State) Write() error {
	if s == nil || !s.Changes {
		return nil
	}
	unlock, err := credfile.Lock(s.Path, "copy "+s.file+" into one that is")
	if err != nil {
		return err
	}
	defer unlock()
	if s.Stale() {
		return hint.Errorf("run it again", "%s or %s changed meanwhile; nothing was done", s.file, s.Path)
	}
	err = command.Rewrite(s.Path, s.file, s.Text)
	if errors.Is(err, syscall.EBUSY) {
		err = hint.Wrap(err, "it is mounted alone, so it cannot be replaced: mount its directory")
	}
	return err
}

// Record looks, writes and tells.
func (s *State) Record() error {
	if s == nil {
		return nil
	}
	err := s.Look()
	if err == nil {
		err = s.Write()
	}
	if err == nil {
		s.Tell(true)
	}
	return err
}

func (s *State) tell(done bool) {
	if s != nil {
		s.Tell(done)
	}
}

// Paste prints what the provisioning file must say if there is no state file, whole and from column
// one, and reports whether there is anything. wanted is the specification so far.
func (s *State) Paste(wanted *spec.Spec, what string) bool {
	text := s.Change(wanted).Beside(wanted)
	if s.Why == "" || text == "" {
		return false
	}
	s.Todof("%s%s", s.Why, what)
	_, err := io.WriteString(s.Err, text) // which is safe to print
	if line, _ := s.Files(wanted.Cluster, s.Said); line != "" {
		s.Command("to make a provisioning file of what is given:", line)
	}
	return err == nil
}

// clearing removes the prepared releases from the specification before permissions are removed. If
// another write has removed them already, it only reports that.
func (r *Run) clearing() *State {
	s := r.State((*spec.Spec).Unprepared)
	var recorded []string // as far as is known: without a file the list may be kept elsewhere
	for _, u := range r.Wanted.ReconciledUpdates {
		recorded = append(recorded, u.Version)
	}
	versions := strings.Join(recorded, ", ")
	s.Tell = func(done bool) {
		switch {
		case versions == "" && (s.Why == "" || !done):
			return
		case !done:
			s.Infof("the specification would no longer record %s as reconciled", versions)
			return
		case s.Why == "":
			s.Infof("%s no longer records %s as reconciled", s.Path, versions)
		case versions != "":
			s.Todof("%s: remove reconciledAvailableUpdates (%s) from your provisioning file", s.Why, versions)
		default:
			s.Todof("%s: remove reconciledAvailableUpdates from your provisioning file", s.Why)
		}
		s.Todof("if the cluster was told that it may upgrade, take that back too:")
		s.Due(release.NoUpgradeableTo())
		s.Due(release.ReconciledPatch(nil))
	}
	return s
}

// StepOptions are the flags of commands that narrow apply or destroy to one kind: roles create and
// delete, users create and delete, permissions grant and revoke.
type StepOptions struct {
	Options
	Topology command.TopologyFlags // roles: what is assumed where no failure domain says it
	ExitCode bool                  // --exit-code
}

// Step is one of these commands.
type Step struct {
	Purpose
	What  string // what is asked to be confirmed
	After string // the command that usually comes next, "" if none
}

// NewCmdStep makes cmd one of these commands. Its own flags and checks come with the options.
func NewCmdStep(f *command.Factory, p Step, cmd *cobra.Command, runF func(*StepOptions) error) (*cobra.Command, *StepOptions) {
	o := &StepOptions{Options: Options{Factory: f, Purpose: p.Purpose}}
	cmd.Args = command.NoWords
	cmd.RunE = command.Action(o, runF, func(ctx context.Context, o *StepOptions) error {
		return stepRun(ctx, o, command.Spoken(cmd), p)
	})
	o.RegisterChange(cmd)
	o.Connection.Source.NamesOnly = o.Only == plan.User
	flags := cmd.Flags()
	flags.BoolVar(&o.ExitCode, "exit-code", false, "with --dry-run: exit with 2 if anything would change")
	if p.Only != plan.Role {
		o.RegisterCluster(cmd)
		o.Used.RegisterInUse(cmd, "")
	}
	if !p.Undo && p.Only != plan.User {
		registerAdditive(cmd, &o.Additive)
		o.RegisterDisplace(cmd)
	}
	return cmd, o
}

func stepRun(ctx context.Context, o *StepOptions, name string, p Step) error {
	if o.ExitCode && !o.DryRun {
		return command.BadFlag("exit-code", "add --dry-run, or omit this")
	}
	writes := p.Only != plan.Role && !o.DryRun
	w, err := o.Begin(ctx, Params{Writes: writes, Assumed: o.Topology.Assumed()})
	if err != nil {
		return err
	}
	c := Change{
		Command: name, Subject: p.What, Question: p.What + ": continue?",
		Plan: w.Plan, Do: w.Job.Apply,
		ExitCode: o.ExitCode, Revokes: p.Undo,
		Next: func(changes *plan.Plan) error {
			w.ForPeople(func() { w.told(p, changes) })
			return nil
		},
	}
	if p.Undo {
		c.Plan, c.Do = w.Job.PlanDestroy, w.Job.Destroy
	}
	return w.Change(ctx, c)
}

func (r *Run) told(p Step, changes *plan.Plan) {
	if p.Only == plan.User && changes.Summary.Create > 0 {
		r.Infof("the passwords are in %s", r.Credentials)
	}
	if p.Only == plan.User && p.Undo {
		r.PrintFormers()
	}
	switch source := &r.Connection.Source; {
	case p.After == "":
	case source.NamesCluster():
		r.Next(r.CommandLine(p.After, r.Invocation))
	case p.Only == plan.Role:
		r.Infof("a file with failure domains may need other roles than these, which are for the topology that --folder, --pool, --host-groups and --template describe")
		r.Next(r.CommandLine(p.After, r.Invocation, "--cluster", "NAME"))
	case p.Only == plan.User:
		r.Command("then, from a file with the failure domains, whose objects get the permissions:",
			r.CommandLine(p.After, source.OfFile(r.Invocation)))
	}
	r.PrintRenewal(changes)
}
