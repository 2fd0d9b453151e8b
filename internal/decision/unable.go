package decision

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Unable finds components that cannot do all their work with the matrix, unseen objects first.
func (d *Decision) Unable() []*finding.Finding {
	if d.Request.Undoing || !d.Request.Does(plan.Permission) {
		return nil
	}
	var all []*finding.Finding
	at := map[string]*finding.Finding{} // by text
	blind, useless, places, sees := finding.New(finding.UnableComponent, "", ""), 0, []string(nil), ""
	for _, p := range d.Plans {
		if p.Err != nil || p.Wanted == nil {
			continue
		}
		account := func(c component.Name) finding.Account {
			return finding.Account{Server: p.At.VCenter.Server, Component: c, Principal: p.At.Holder(c).Name}
		}
		var unseen []verify.Unseen
		e := p.At.Expected(p.Wanted)
		for _, c := range d.Request.Spec.ComponentNames() {
			who := p.At.Holder(c)
			subject, alone := access.Subject{Key: p.At.Key(who), Group: who.Group}, []component.Name{c}
			mine := e.Unseen(alone, subject)
			if len(mine) > 0 {
				blind.Accounts, unseen = append(blind.Accounts, account(c)), append(unseen, mine...)
			}
			list := verify.Unexplained(e.Cannot(alone, p.Wanted.Wanted.Rights(subject)), mine)
			if len(list) == 0 {
				continue
			}
			text := fmt.Sprintf("with matrix %s, component %s cannot: %s", d.Request.Matrix.Name,
				c, verify.Cannots(list))
			if at[text] == nil {
				at[text] = finding.New(finding.UnableComponent, "", "%s", text)
				at[text].Remedies = d.enabling(list)
				all = append(all, at[text])
			}
			at[text].Accounts = append(at[text].Accounts, account(c))
		}
		for _, u := range verify.Together(unseen) {
			useless, sees = useless+u.Privileges, cmp.Or(sees, u.Matrix)
			places = lists.AppendNew(places, fmt.Sprintf("%s (%s)", u.Path, strings.Join(u.Components, ", ")))
		}
	}
	if useless == 0 {
		return all
	}
	blind.Text = fmt.Sprintf("with matrix %s, %s are of no use: no ReadOnly lets the accounts see what is above the objects: %s",
		d.Request.Matrix.Name, term.Count(useless, "privilege"), lists.Few(places))
	if sees != "" {
		blind.Remedies = []string{"matrix " + sees + " has a rule for ancestors: " + d.Request.Command("plan", "--matrix", sees)}
	}
	return append([]*finding.Finding{blind}, all...)
}

// enabling is what lets components do what they cannot; nil if only a condition is missing.
func (d *Decision) enabling(all []verify.Cannot) []string {
	if slices.Contains([]string{"default", "minimal"}, d.Request.Matrix.Name) {
		return nil
	}
	return append([]string{"matrix default grants what the calls of components need: " +
		d.Request.Command("plan", "--matrix", "default")}, verify.Remedies(all)...)
}

// Consumer is what a component will report about its account on a vCenter with what the matrix
// grants: what it cannot do, and false alarms of the problem detector.
type Consumer struct {
	Server    string          `json:"server"`
	Component component.Name  `json:"component"`
	Cannot    []verify.Cannot `json:"cannot"`
	Alarms    []verify.Alarm  `json:"alarms"`
}

// Consumers returns all components on all read vCenters. The error joins why others were not.
func (e *Snapshots) Consumers() ([]Consumer, error) {
	all, errs := []Consumer{}, []error(nil)
	for _, s := range e.All {
		if s.Err != nil {
			errs = append(errs, s.Err)
			continue
		}
		wanted, err := s.Desired()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		expected := s.Expected(wanted)
		for _, c := range e.Request.Spec.ComponentNames() {
			who, alone := s.Holder(c), []component.Name{c}
			rights := wanted.Wanted.Rights(access.Subject{Key: s.Key(who), Group: who.Group})
			all = append(all, Consumer{
				s.VCenter.Server, c, append([]verify.Cannot{}, expected.Cannot(alone, rights)...),
				append([]verify.Alarm{}, expected.Alarms(alone, rights)...),
			})
		}
	}
	return all, errors.Join(errs...)
}
