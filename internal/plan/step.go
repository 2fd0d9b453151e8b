package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Status is what became of a Change.
type Status string

// The statuses; a planned Change has none.
const (
	Done    Status = "done"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// Step does a Change, and has its status afterwards.
type Step struct {
	*Change
	Do    func(context.Context) error `json:"-"`
	Waits []string                    `json:"-"` // provided by others; unlike Needs, their failure stops nothing

	Status Status `json:"status"`
	Error  string `json:"error"`

	cause      error
	providers  map[string][]*Step // of the plan that is executed
	on         *executing         // where it is executed
	dependents []*Step            // those that wait for it
	open       int                // how many it waits for
}

// Steps do the changes of a plan.
type Steps map[*Change]*Step

// Do sets what a change does.
func (s Steps) Do(c *Change, do func(context.Context) error) *Step {
	s[c] = &Step{Change: c, Do: do}
	return s[c]
}

// Status is what became of a change; "" if nothing has yet.
func (s Steps) Status(c *Change) Status {
	if step := s[c]; step != nil {
		return step.Status
	}
	return ""
}

// Err is the error of a failed step, else nil.
func (s *Step) Err() error { return s.cause }

// Blocked is why s was not done; nil if nothing kept it. Call it once all that s needs has ended.
func (s *Step) Blocked() error {
	for _, need := range s.Needs {
		for _, p := range s.providers[need] {
			if p != s && p.Status != Done {
				return fmt.Errorf("skipped, because it needs %s", p.Subject())
			}
		}
	}
	return nil
}

func (s *Step) run(ctx context.Context) {
	call, cancel := detach(ctx)
	defer cancel()
	if err := crash.Try(func() error { return s.Do(call) }); err != nil {
		s.end(Failed, fmt.Errorf("%s: %w", s.Subject(), err))
		return
	}
	s.end(Done, nil)
}

func (s *Step) end(status Status, err error) {
	s.Status, s.cause, s.Error = status, err, ""
	if err != nil {
		s.Error = term.ErrorText(err)
	}
}

// root is the step whose end is why s was not done.
func (s *Step) root(passed []*Step) *Step {
	if s.Status != Skipped || interrupted(s.cause) {
		return s
	}
	passed = append(passed, s)
	for _, need := range s.Needs {
		for _, p := range s.providers[need] {
			if p.cause != nil && !slices.Contains(passed, p) {
				return p.root(passed)
			}
		}
	}
	return s
}

// Step is what did a change of the vCenter; nil in a plan.
func (v *VCenter) Step(c *Change) *Step { return v.steps[c] }

// Status is what became of a change of the vCenter; "" in a plan.
func (v *VCenter) Status(c *Change) Status { return v.steps.Status(c) }

// MarshalJSON adds to the changes of a report what became of them.
func (v *VCenter) MarshalJSON() ([]byte, error) {
	type bare VCenter
	changes := make([]any, len(v.Changes))
	for i, c := range v.Changes {
		if changes[i] = c; v.Status(c) != "" {
			changes[i] = v.steps[c]
		}
	}
	return json.Marshal(struct {
		*bare
		Changes []any `json:"changes"`
	}{(*bare)(v), changes})
}
