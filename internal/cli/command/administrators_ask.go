package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

var errNoAnswer = errors.New("no answer")

type loginQuestion struct {
	servers []string
	apart   bool  // for each on its own
	refusal error // why it is asked again; nil = it is the first time
}

// askFor asks once for all vCenters of a question, or for each if the person prefers that.
func (a *Administrators) askFor(ctx context.Context, q loginQuestion) error {
	if len(q.servers) > 1 && !q.apart {
		if err := a.askOnce(ctx, q, q.why()); !errors.Is(err, errNoAnswer) {
			return err
		}
	}
	why := q.why()
	for _, server := range q.servers {
		one := loginQuestion{servers: []string{server}, refusal: q.refusal}
		if len(q.servers) > 1 {
			why = nil // it was read above, and may be another vCenter's
		}
		switch err := a.askOnce(ctx, one, why); {
		case errors.Is(err, errNoAnswer):
			a.mu.Lock()
			a.answers[server] = nil // there is no other
			a.mu.Unlock()
		case err != nil:
			return err
		}
	}
	return nil
}

func (l loginQuestion) why() []string {
	if l.refusal == nil {
		return nil
	}
	lines := strings.Split(term.ErrorText(l.refusal), "\n")
	for _, h := range term.Hints(l.refusal) {
		lines = append(lines, "hint: "+h)
	}
	return lines
}

// whom names the vCenters within a line.
func (l loginQuestion) whom() string {
	if len(l.servers) == 1 {
		return l.servers[0]
	}
	return fmt.Sprintf("these %d vCenters", len(l.servers))
}

// empty says what an empty answer means; "" = an error.
func (l loginQuestion) empty() string {
	switch {
	case len(l.servers) > 1:
		return " [empty: ask for each]"
	case l.refusal != nil:
		return " [empty: give up]"
	}
	return ""
}

// askOnce asks until there is a login that no vCenter has refused. It names all receivers.
func (a *Administrators) askOnce(ctx context.Context, q loginQuestion, above []string) error {
	if len(q.servers) > 1 {
		above = append(above, "one login for "+q.whom()+":", strings.Join(q.servers, ", "))
	}
	for {
		l, err := a.prompt(ctx, q, above)
		if err != nil {
			return err
		}
		refuser := a.refuser(l, q.servers)
		if refuser == "" {
			a.keep(l, q.servers, q.refusal != nil && len(q.servers) == 1)
			return nil
		}
		above = []string{refuser + " has already refused this user and password: they are not sent again"}
	}
}

// prompt asks for a user, unless that is given, and for the password.
func (a *Administrators) prompt(ctx context.Context, q loginQuestion, above []string) (AdminLogin, error) {
	last, good := a.newest()
	user := a.login.User
	if user == "" {
		label := "administrator of " + q.whom()
		if last.User == "" {
			label += q.empty()
		}
		var err error
		if user, err = a.Streams.Prompt(ctx, label, last.User, above...); err != nil {
			return AdminLogin{}, a.requireLogin(err, q.servers[0], "user", "--admin-user or "+EnvAdminUser)
		}
		if user == "" {
			return AdminLogin{}, q.unanswered("%s: no administrator is set", q.whom())
		}
		above = nil
	}
	again := good && user == last.User && a.refuser(last, q.servers) == ""
	label := fmt.Sprintf("password of %s on %s", user, q.whom())
	if again {
		label += " [the same]"
	} else {
		label += q.empty()
	}
	password, err := a.Streams.Password(ctx, label, above...)
	switch {
	case err != nil:
		return AdminLogin{},
			a.requireLogin(err, q.servers[0], "password", "--admin-password-file or "+EnvAdminPassword)
	case !password.Empty():
		return AdminLogin{user, password}, nil
	case again:
		return last, nil
	}
	return AdminLogin{}, q.unanswered("%s: the password of %s is empty", q.whom(), user)
}

// newest is the last answer. good = its password may be used again: not refused, or accepted once.
func (a *Administrators) newest() (l AdminLogin, good bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		return AdminLogin{}, false
	}
	for _, refused := range a.refused {
		if !a.last.opened && slices.ContainsFunc(refused, a.last.same) {
			return a.last.AdminLogin, false
		}
	}
	return a.last.AdminLogin, true
}

// unanswered is the error of a question without an answer.
func (l loginQuestion) unanswered(format string, args ...any) error {
	if l.empty() != "" {
		return errNoAnswer
	}
	return fmt.Errorf(format, args...)
}
