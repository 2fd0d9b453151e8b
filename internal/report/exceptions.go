package report

import (
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// Exception accepts a finding or a control until a day, because its owner says so.
type Exception struct {
	Finding finding.Code `json:"finding,omitempty"`                  // a code; "" = it is of a control
	Control string       `json:"control,omitempty" redact:"word"`    // standard and id
	Cluster string       `json:"cluster,omitempty" redact:"cluster"` // "" = all that the file is given for
	Subject string       `json:"subject,omitempty" redact:"subject"` // of the finding, as a report shows it
	VCenter string       `json:"vcenter,omitempty" redact:"vcenter"` // "" = all

	// A finding is not accepted on other objects, or for other privileges.
	Objects    []string `json:"objects,omitempty" redact:"path"`
	Privileges []string `json:"privileges,omitempty" redact:"word"`

	Owner   string `json:"owner" redact:"text"`
	Reason  string `json:"reason" redact:"text"`
	Expires string `json:"expires" redact:"word"` // its last day, UTC: 2006-01-02
	Expired bool   `json:"expired,omitempty"`     // it accepts nothing any more
}

// String says who accepts what, until when and why; "" for none.
func (e *Exception) String() string {
	if e == nil {
		return ""
	}
	return "accepted by " + e.Owner + " until " + e.Expires + ": " + e.Reason
}

// KindExceptions is that of a file of exceptions.
const KindExceptions = "Exceptions"

// ParseExceptions reads a file of exceptions and reports all that is wrong with it at once.
func ParseExceptions(name string, data []byte) (all []Exception, err error) {
	r := yamldoc.New(name, yamldoc.Rules{Closed: true, Scalars: true})
	doc := r.Document(data)
	if doc == nil {
		return nil, r.Err()
	}
	root := r.Object(doc, yamldoc.Place{}, "apiVersion", "kind", "exceptions")
	for field, want := range map[string]string{"apiVersion": plan.APIVersion, "kind": KindExceptions} {
		if root.Choice(field, "", want) == "" {
			r.At(root.Where(field), "is missing: it is %s", want)
		}
	}
	items, _ := root.List("exceptions")
	for _, item := range items {
		o := item.Object("finding", "control", "cluster", "subject", "vcenter", "objects",
			"privileges", "owner", "reason", "expires")
		text := func(field string, needed bool) string {
			t := o.Text(field)
			if t.Value == "" && !t.Bad && needed {
				r.At(t.Place, "is missing")
			}
			return t.Value
		}
		texts := func(field string) (all []string) {
			list, _ := o.Texts(field)
			for _, t := range list {
				all = append(all, t.Value)
			}
			return all
		}
		code, control := finding.Code(text("finding", false)), text("control", false)
		e := Exception{
			Finding: code, Control: control, Cluster: text("cluster", false),
			Subject: text("subject", code != ""), VCenter: text("vcenter", false),
			Objects: texts("objects"), Privileges: texts("privileges"),
			Owner: text("owner", true), Reason: text("reason", true), Expires: text("expires", true),
		}
		_, known := finding.Explain(code)
		known = known || slices.ContainsFunc(requirements(), func(q requirement) bool {
			return strings.EqualFold(q.framework+" "+q.ID, control)
		})
		switch _, err := time.Parse(time.DateOnly, e.Expires); {
		case (code == "") == (control == ""):
			r.At(item.Place, "must name a finding by its code, or a control")
		case !known:
			r.At(item.Place, "%q is no code of a finding, and no control of a report", string(code)+control)
		case code == finding.ExpiredException, code == finding.UnusedException:
			r.At(o.Where("finding"), "an exception is renewed or removed, not accepted")
		case control != "" && (e.Subject+e.VCenter != "" || e.Objects != nil || e.Privileges != nil):
			r.At(item.Place, "a control has no subject, no vCenter, no objects and no privileges")
		case e.Expires != "" && err != nil:
			r.At(o.Where("expires"), "%q is no day such as 2027-01-31", e.Expires)
		}
		all = append(all, e)
	}
	return all, r.Err()
}

// For are the exceptions of a cluster.
func For(all []Exception, cluster string) []Exception {
	return slices.DeleteFunc(slices.Clone(all),
		func(e Exception) bool { return e.Cluster != "" && e.Cluster != cluster })
}

// Standing are those of some findings that no exception accepts, and the exceptions that expired.
func (r *Report) Standing(of finding.List) (all finding.List) {
	for _, f := range r.foundRows() {
		if f.Exception == nil && (f.Code == finding.ExpiredException || slices.Contains(of, f.Finding)) {
			all = append(all, f.Finding)
		}
	}
	return all
}

// lapsed marks the exceptions that have expired, and returns a finding for each.
func (r *Report) lapsed() (all finding.List) {
	for i := range r.Exceptions {
		e := &r.Exceptions[i]
		last, err := time.Parse(time.DateOnly, e.Expires)
		if e.Expired = err != nil || !r.Made.Before(last.AddDate(0, 0, 1)); !e.Expired {
			continue
		}
		all = append(all, e.found(finding.ExpiredException, "was "))
	}
	return all
}

// unused returns a finding for each exception that accepts nothing: its control is met, or no finding
// is like it where all was looked at.
func (r *Report) unused() (all finding.List) {
	found := r.foundRows()
	open := func(f foundRow) bool {
		return slices.ContainsFunc(requirements(), func(q requirement) bool { return slices.Contains(q.Open, f.Code) })
	}
	whole := r.verifiedWhole() && !r.Scope.Partial && !slices.ContainsFunc(found, open)
	for _, e := range r.Exceptions {
		gone := whole && e.Finding != "" && !slices.ContainsFunc(found, e.accepts) ||
			slices.ContainsFunc(r.Controls, func(c Control) bool { return c.Status == ControlMet && strings.EqualFold(e.Control, c.name()) })
		if gone && !e.Expired {
			all = append(all, e.found(finding.UnusedException, "nothing that was found is "))
		}
	}
	return all
}

// found is a finding about an exception itself.
func (e *Exception) found(code finding.Code, before string) *finding.Finding {
	what := e.Control
	if e.Finding != "" {
		what = string(e.Finding) + " of " + e.Subject
	}
	f := finding.New(code, what, "%s%s", before, e)
	f.Server = e.VCenter
	return f
}

// unapproved is the finding that the approved plan is of another specification.
func (r *Report) unapproved() (all finding.List) {
	if r.Approval != nil && !r.Approval.Same {
		all = append(all, finding.New(finding.OtherSpecification, "plan "+r.Approval.Plan,
			"was made from another specification or matrix"))
	}
	return all
}

// exception is the one that accepts a finding; nil = none.
func (r *Report) exception(f foundRow) *Exception {
	if i := slices.IndexFunc(r.Exceptions, func(e Exception) bool { return e.accepts(f) }); i >= 0 {
		return &r.Exceptions[i]
	}
	return nil
}

func (e *Exception) accepts(f foundRow) bool {
	return !e.Expired && e.Finding == f.Code && strings.EqualFold(e.Subject, f.Subject) &&
		(e.VCenter == "" || len(lists.Without(f.Servers, []string{e.VCenter})) == 0) &&
		lists.Without(f.Objects, e.Objects) == nil && lists.Without(f.Privileges, e.Privileges) == nil
}

// AllowStrangers is the word of --allow for others who may change or administer.
const AllowStrangers = "strangers"

// allowing are the words of --allow for findings that count although they are no errors.
var allowing = map[finding.Code]string{
	finding.UnverifiedAccount:   verify.AllowUnverified,
	finding.ComputedRights:      verify.AllowUnverified,
	finding.UnableComponent:     verify.AllowUnable,
	finding.StrangerAdministers: AllowStrangers,
	finding.StrangerChanges:     AllowStrangers,
}

// Differs reports whether something is not as it must be, and neither an exception nor the standard
// accepts it. verified is the verification, of which all vCenters were read.
func (r *Report) Differs(verified *verify.Result, by verify.Standard) bool {
	accepted, standing := false, false
	for _, f := range r.foundRows() {
		word, counts := allowing[f.Code]
		switch {
		case f.Exception != nil:
			accepted = true
		case counts && by.Allows(word):
		case f.Severity != finding.Note && slices.Contains(r.Findings, f.Finding):
			return true
		default:
			standing = standing || counts || !f.Advice()
		}
	}
	return !verified.Meets(by) && (standing || !accepted)
}
