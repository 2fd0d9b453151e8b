package job

import (
	"io"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// State is what a command records in the state file of its provisioning file. nil records nothing.
type State struct {
	*command.Factory
	spec.Edit
	Why    string                      // why no file is written; "" = one is
	Change func(*spec.Spec) *spec.Spec // what is recorded
	Tell   func(done bool)             // says what the file says now, or has to say

	file string
}

// State is that of a command; the rest is left to it.
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

// Write puts it into the file, whole or not at all, unless one of the two files has changed since
// they were read, or another run writes it.
func (s *State) Write() error {
	if s == nil || !s.Changes {
		return nil
	}
	unlock, err := credfile.Lock(s.Path)
	if err != nil {
		return err
	}
	defer unlock()
	if s.Stale() {
		return hint.Errorf("run it again", "%s or %s changed meanwhile; nothing was done", s.file, s.Path)
	}
	return command.Rewrite(s.Path, s.file, s.Text)
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

// Paste prints what the provisioning file has to say where no state file says it, whole and at the
// beginning of the line, and reports whether there is anything. wanted is the specification so far.
func (s *State) Paste(wanted *spec.Spec, what string) bool {
	text := s.Change(wanted).Beside(wanted)
	if s.Why == "" || text == "" {
		return false
	}
	s.Infof("%s%s", s.Why, what)
	_, err := io.WriteString(s.Err, text) // which is safe to print
	return err == nil
}
