package initcmd

import (
	"context"
	"testing"
)

// Interview is init under way, for the tests that run the whole program.
type Interview = interview

// What they see of it.
var (
	WizardOptions = (*interview).options
	InvocationFor = (*interview).nextInvocation
	Apply         = (*interview).apply
	Verify        = (*interview).verify
	GoesOn        = (*interview).goesOn
	Unwritten     = unwritten
)

// NewInterview is an interview that has asked nothing yet.
func NewInterview(t *testing.T, o *Options) *Interview {
	t.Helper()
	k, err := o.known(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return &interview{Options: o, known: k}
}
