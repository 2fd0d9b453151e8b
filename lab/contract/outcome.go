package contract

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// outcome is what a try came to.
type outcome struct {
	verdict Verdict
	detail  string
}

func holds() outcome { return outcome{verdict: Holds} }

// measured holds, and says what was measured.
func measured(format string, args ...any) outcome {
	return outcome{Holds, fmt.Sprintf(format, args...)}
}

func differs(format string, args ...any) outcome {
	return outcome{Differs, fmt.Sprintf(format, args...)}
}

func untried(format string, args ...any) outcome {
	return outcome{NotTried, fmt.Sprintf(format, args...)}
}

// when holds if ok is true, and differs otherwise.
func when(ok bool, format string, args ...any) outcome {
	if ok {
		return holds()
	}
	return differs(format, args...)
}

// answer is how a vCenter answered one call.
type answer struct {
	method string
	fault  string // type of the fault; "" with an err = there was no answer, or a fault without a type
	err    error
}

// ok reports whether the call had a result.
func (a answer) ok() bool { return a.err == nil }

// refused reports whether the call was answered with a fault, and no earlier attempt of it can have been served.
func (a answer) refused() bool {
	return a.err != nil && (a.fault != "" || vcenter.Refused(a.err)) && !vcenter.Retried(a.err)
}

// text is the answer in words.
func (a answer) text() string {
	switch {
	case a.ok():
		return a.method + " was accepted"
	case !a.refused():
		return a.method + " had no clear answer"
	}
	return a.method + " was refused with " + a.kind()
}

// forbidden reports whether the account may not make the call: then nothing is learnt.
func (a answer) forbidden() bool {
	return a.refused() && (a.fault == "NoPermission" || a.fault == noSSOPermission)
}

func (a answer) kind() string {
	if a.fault == "" {
		return "a fault without a type"
	}
	return plain(a.fault)
}

// with wants one of these faults.
func (a answer) with(faults ...string) outcome {
	switch {
	case !a.ok() && !a.refused():
		return a.unready()
	case a.refused() && slices.Contains(faults, a.fault):
		return holds()
	case a.forbidden():
		return a.unready()
	}
	want := strings.Join(faults, " or ")
	if a.ok() {
		return differs("%s, not refused with %s", a.text(), want)
	}
	return differs("%s, not with %s", a.text(), want)
}

// unready says that a call which only prepares the try did not work: nothing was learnt about the rule.
func (a answer) unready() outcome { return untried("%s", a.text()) }

// unexpected is what an answer other than the one that a rule promises says about it.
func (a answer) unexpected() outcome {
	if !a.ok() && !a.refused() || a.forbidden() {
		return a.unready()
	}
	return differs("%s", a.text())
}

// accepted wants a result.
func (a answer) accepted() outcome {
	if a.ok() {
		return holds()
	}
	return a.unexpected()
}

// send makes a call and keeps the type of a fault.
func send[Q, R any](ctx context.Context, rt soap.RoundTripper,
	call func(context.Context, soap.RoundTripper, *Q) (*R, error), req *Q,
) (*R, answer) {
	a := answer{method: reflect.TypeFor[Q]().Name()}
	var res *R
	res, a.err = call(vcenter.WithFaultName(ctx, &a.fault), rt, req)
	if a.err != nil {
		res = new(R)
	}
	return res, a
}

// word is what a vCenter may call a fault, a property, a privilege or a version.
var word = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._]{0,79}$`)

// plain is a word of a vCenter that may stand in a report. Anything else might be a name.
func plain(s string) string {
	if !word.MatchString(s) {
		return "(a word that is left out)"
	}
	return s
}

// listed are ids of privileges for a detail, the first few of them.
func listed(ids []string) string {
	const most = 6
	var words []string
	for i, id := range ids {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(ids)-most))
			break
		}
		words = append(words, plain(id))
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// cause is why a vCenter could not be asked, in words that name nothing.
func cause(err error) string {
	switch {
	case errors.Is(err, vcenter.ErrUnreached):
		return "it cannot be reached"
	case errors.Is(err, vcenter.ErrUntrusted):
		return "its certificate is not trusted"
	case errors.Is(err, vcenter.ErrLogin):
		return "the login was refused"
	case errors.Is(err, vcenter.ErrCannotSSO):
		return "the account may not administer the SSO domain"
	case errors.Is(err, vcenter.ErrNoSSO):
		return "the SSO administration cannot be reached"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return "it did not answer like a vCenter"
}
