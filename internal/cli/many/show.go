package many

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Run does it for each cluster, publishes metrics and events, and prints the result, once or
// repeatedly, with an exit error.
func (m *Flags) Run(ctx context.Context, does Command) error {
	f := m.job.Factory
	events, err := m.events()
	if err != nil {
		return err
	}
	var found *fleet.Result
	var notPosted error
	err = m.Metrics.Watch(ctx, f, does.Verb, m.shard(), func(ctx context.Context) (*fleet.Result, error) {
		w, err := m.begin(ctx, does)
		if err != nil {
			return nil, err
		}
		found, err = w.run(ctx)
		if found != nil && events != nil {
			notPosted = events.Post(ctx, eventOf(found))
		}
		if found != nil && m.Metrics.Listen != "" {
			f.Infof("%s", Verdict(found))
			f.Warn(command.ErrorLines(notPosted)...)
		}
		return found, err
	})
	if found == nil || m.Metrics.Listen != "" {
		return err
	}
	if err := command.Joined(Show(f, found, does.Own...), err); err != nil {
		return err
	}
	return command.Joined(Judge(f, found, does.Differing), notPosted)
}

// events are where an Event of the run goes; nil = none is wanted.
func (m *Flags) events() (*kube.Events, error) {
	if !m.Event {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	events, err := kube.OpenEvents(m.job.Getenv)
	if err != nil {
		return nil, command.BadFlag(eventFlag, "%w", err)
	}
	events.Talk(m.job.Err)
	if events.Insecure() {
		m.job.Warnf("the certificate of %s is not checked (insecure-skip-tls-verify): the login can be intercepted", events.Server())
	}
	return events, nil
}

func eventOf(r *fleet.Result) kube.Event {
	action, s := strings.ToUpper(r.Command[:1])+r.Command[1:], r.Summary
	reason := "Fleet" + action
	switch {
	case s.Failed > 0:
		reason += "Failed"
	case s.Different > 0:
		reason += "Different"
	default:
		reason += "OK"
	}
	return kube.Event{Warning: s.Failed+s.Different > 0, Reason: reason, Action: action, Note: Verdict(r)}
}

// Show prints a result, with the command that looks at the first cluster that differs; own are options
// of a report with which verify finds nothing.
func Show(f *command.Factory, r *fleet.Result, own ...string) error {
	if err := f.Table(r, func() *term.Table { return table(r) }); err != nil {
		return err
	}
	name, plans := planned(r)
	if f.Output == term.FormatTable {
		messages(f, r)
		f.Infof("%s", Verdict(r))
		if plans && r.PlanDigest != "" && r.Summary.Changes > 0 {
			f.Infof("digest over the plans of all: %s", r.PlanDigest)
		}
	}
	i := slices.IndexFunc(r.Clusters, func(c fleet.Cluster) bool { return c.Outcome == fleet.Different })
	if i >= 0 && (!plans || name == fleet.Plan || name == "apply") { // else [waves.Run] names it
		c := r.Clusters[i]
		verb := fleet.Verify // a report says what differs from before
		var with []string
		switch {
		case plans:
			verb = fleet.Plan
		case r.Command == fleet.Report && own != nil && !slices.ContainsFunc(c.Findings, isError):
			verb, with = fleet.Report, own
		}
		var servers []string
		for _, v := range c.VCenters {
			servers = append(servers, v.Server)
		}
		f.Command("to see what differs, one by one:",
			f.CommandLine(verb, ofCluster(f, c.File, servers, c.Credentials), with...))
	}
	return nil
}

// messages prints those of clusters; common ones once.
func messages(f *command.Factory, r *fleet.Result) {
	var texts []string
	who, hints := map[string][]string{}, map[string][]string{}
	add := func(c fleet.Cluster, text string) {
		who[text] = lists.AppendNew(who[text], c.Name)
		texts = lists.AppendNew(texts, text)
	}
	for _, c := range r.Clusters {
		for _, text := range c.Warnings {
			add(c, text)
		}
		for _, found := range c.Findings {
			if found.Differs() {
				add(c, found.Text)
			}
		}
		for line := range strings.Lines(c.Error) {
			line = strings.TrimRight(line, "\n")
			add(c, line)
			hints[line] = lists.AppendNew(hints[line], c.Hints...)
		}
	}
	for i, text := range texts {
		f.Todof("%s: %s", lists.Few(who[text]), text)
		if i+1 == len(texts) || !slices.Equal(hints[text], hints[texts[i+1]]) {
			f.Hint(hints[text]...)
		}
	}
	unsure := func(c fleet.Cluster) bool { return c.Outcome == fleet.Different && c.Count().Computed > 0 }
	if r.Command == fleet.Verify && slices.ContainsFunc(r.Clusters, unsure) {
		f.Hint("only a login proves what an account may do: name credentials files in the specifications; --allow unverified accepts what vCenter says of the others")
	}
}

// planned is the command whose plan a result is, and whether it is one.
func planned(r *fleet.Result) (name string, is bool) {
	name, dry := strings.CutSuffix(r.Command, dryRun)
	return name, dry || name == fleet.Plan
}

// dryRun ends the command of a result that is the plan of a change.
const dryRun = " --dry-run"

// changes reports whether a result is of a command that changed clusters.
func changes(r *fleet.Result) bool {
	_, plans := planned(r)
	return !plans && r.Command != fleet.Verify && r.Command != fleet.Report
}

func table(r *fleet.Result) *term.Table {
	_, plans := planned(r)
	columns := []string{"cluster", "vcenters"}
	if plans || changes(r) {
		columns = append(columns, "create", "update", "delete")
	}
	if !plans {
		columns = append(columns, "accounts", "logged in", "missing", "excess")
	}
	if changes(r) {
		columns = append(columns, "wave")
	}
	t := term.NewTable(append(columns, "outcome")...)
	for _, c := range r.Clusters {
		n := c.Count()
		row := []any{c.Name, len(c.VCenters)}
		if plans || changes(r) {
			row = append(row, n.Create, n.Update, n.Delete)
		}
		if !plans {
			row = append(row, n.Accounts, n.Tried(), n.Missing, n.Excess)
		}
		if changes(r) {
			row = append(row, c.Wave)
		}
		t.Row(append(row, c.Outcome)...)
	}
	return t
}

// Verdict is a result in a line.
func Verdict(r *fleet.Result) string {
	s := r.Summary
	of := fmt.Sprintf("%s on %s", term.Count(s.Clusters, "cluster"), term.Count(s.VCenters, "vCenter"))
	var text string
	if name, plans := planned(r); plans || changes(r) {
		if name == fleet.Plan {
			name = "planned"
		}
		text = fmt.Sprintf("%s: %s: %s", name, of, term.Count(s.Changes, "change"))
	} else {
		in, told := 0, 0
		for _, c := range r.Clusters {
			n := c.Count()
			in, told = in+n.LoggedIn, told+n.Computed
		}
		how := "verified"
		if in == 0 && told > 0 {
			how = "computed, not verified"
		}
		text = fmt.Sprintf("%s: %s, %s: %s missing, %d excess", how, of,
			term.Count(s.Accounts, "account"), term.Count(s.Missing, "privilege"), s.Excess)
		if in > 0 && told > 0 {
			text += fmt.Sprintf("; %s computed, not verified", term.Count(told, "account"))
		}
		if s.Logins > 0 {
			text += fmt.Sprintf("; %s failed", term.Count(s.Logins, "login"))
		}
	}
	text += fmt.Sprintf("; %d ok, %d different, %d failed", s.OK, s.Different, s.Failed)
	if s.Left > 0 {
		text += fmt.Sprintf(", %d not begun", s.Left)
	}
	if s.Hidden > 0 {
		text += "; the accounts of " + term.Count(s.Hidden, "vCenter") + " could not be read"
	}
	if len(r.MissingShards) > 0 {
		text += "; missing: shard " + strings.Join(r.MissingShards, ", ")
	}
	return text
}

// Judge is the exit error of a result; differing = a difference is one.
func Judge(f *command.Factory, r *fleet.Result, differing bool) error {
	s := r.Summary
	switch {
	case s.Failed > 0 && s.Failed == s.Clusters && len(r.MissingShards) == 0:
		return exit(f, r, command.ExitFailed)
	case len(r.MissingShards) > 0:
		return &command.ExitError{Code: command.ExitPartly, Err: errors.Join(unseen(f, r), hint.Errorf("run it, and merge again",
			"nobody looked at the clusters of shard %s", strings.Join(r.MissingShards, ", ")))}
	case s.Failed+s.Left > 0:
		return exit(f, r, command.ExitPartly)
	case differing && s.Different > 0:
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

// exit is an exit code, with the errors of clusters that nobody has seen.
func exit(f *command.Factory, r *fleet.Result, code int) error {
	return &command.ExitError{Code: code, Err: unseen(f, r)}
}

// unseen are the errors of clusters where no table has shown them.
func unseen(f *command.Factory, r *fleet.Result) error {
	if f.Output == term.FormatTable {
		return nil
	}
	var errs []error
	for _, c := range r.Clusters {
		var of []error
		for line := range strings.Lines(c.Error) {
			of = append(of, errors.New(c.Name+": "+strings.TrimRight(line, "\n")))
		}
		errs = append(errs, hint.Wrap(errors.Join(of...), c.Hints...))
	}
	return errors.Join(errs...)
}

func isError(f fleet.Finding) bool { return f.Severity == finding.Error }
