package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Verification is the proof that the accounts can do their work and nothing else.
type Verification struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Findings   []*finding.Finding `json:"findings,omitempty"` // lost passwords, unfinished rotations, passwords that expire; in a document with [Verification.Failings]
	VCenters   []VerifiedVCenter  `json:"vcenters"`
	Summary    VerifySummary      `json:"summary"`
}

// VerifiedVCenter is what was found on one vCenter.
type VerifiedVCenter struct {
	Server    string            `json:"server"`
	Error     string            `json:"error"`
	Accounts  []VerifiedAccount `json:"accounts"`
	Preflight []PreflightCheck  `json:"preflight"`
	MadeWith  string            `json:"madeWith,omitempty"` // another matrix, which the accounts were made with: apply refuses to take what only that one gives

	cause error
}

// Login results of an account.
const (
	LoginUnverified = "unverified" // an adopted account whose password is not known here
	LoginAbsent     = "the account does not exist"
	LoginUnknown    = "its password is not in the credentials file"
	LoginDisabled   = "disabled, as specified" // its password is not tried
	LoginReplaced   = "disabled: it was replaced; remove it with rotate finish"
	LoginEnabled    = "enabled, but disabled in the specification: run apply"
)

// VerifiedAccount is one account: whether it could log in ([login.OK], [LoginUnverified], [LoginDisabled], [LoginReplaced], else the reason) and
// its rights.
type VerifiedAccount struct {
	Component string           `json:"component"`
	Principal string           `json:"principal"`
	Member    string           `json:"member,omitempty"` // who logged in, where Principal is a group
	Login     string           `json:"login"`
	Reason    string           `json:"reason,omitempty"` // why it is unverified, or was refused
	Objects   []VerifiedObject `json:"objects"`

	Administrator string `json:"administrator,omitempty"` // the group that makes it one: it may do everything, which is not listed

	Cannot []Cannot `json:"cannot,omitempty"` // what the component cannot do with it, whatever the matrix asks for

	Permissions int `json:"permissions"` // that give it what its component needs; 0 where it did not log in
}

// VerifiedObject compares what an account holds on one object, by the vCenter's own answer to the account, with what its
// component needs there.
type VerifiedObject struct {
	Path    string   `json:"path"`
	Scope   string   `json:"scope"`   // what it is for the component; [ScopeBelow] or [ScopeLeftover] where it is nothing
	Missing []string `json:"missing"` // needed and not held, or of no use because the account cannot find the object
	Excess  []string `json:"excess"`  // held, and neither needed nor unavoidable

	Unknown     []string `json:"unknown,omitempty"`     // needed, and unknown to this vCenter
	Unavoidable []string `json:"unavoidable,omitempty"` // held beyond the needs, because vSphere, the topology or the layout of roles brings it along
	HiddenBy    string   `json:"hiddenBy,omitempty"`    // the object, or one above it, that the account does not see: it cannot find Path
	Reasons     []Reason `json:"reasons,omitempty"`
}

// Scopes of objects that no component needs for itself.
const (
	ScopeBelow    = "below"    // one level below an object that somebody needs
	ScopeLeftover = "leftover" // an account of ours has a permission there that nothing needs
)

// Reason says why something is missing, in excess, unknown or unavoidable, and what mends it.
type Reason struct {
	Privileges []string `json:"privileges"`
	Why        string   `json:"why"`
	Remedy     string   `json:"remedy,omitempty"` // empty where nothing is to be mended
}

// PreflightCheck is one check of the installer's own, with its group's name.
type PreflightCheck struct {
	Check   string   `json:"check"`
	Missing []string `json:"missing"`
}

// VerifySummary counts accounts per vCenter, the permissions of those that are as they must be, and privileges. Failed are accounts that did not log in, or with a missing or an
// excess privilege; Unable are others that are as the matrix asks and whose component cannot do all of its work; Unverified those whose login was not possible, Disabled those whose login was not tried because they are disabled.
type VerifySummary struct {
	Accounts        int `json:"accounts"`
	Failed          int `json:"failed"`
	Unverified      int `json:"unverified"`
	Unable          int `json:"unable"`
	Disabled        int `json:"disabled,omitempty"`
	Permissions     int `json:"permissions"`
	Missing         int `json:"missing"`
	Unknown         int `json:"unknown"`
	Excess          int `json:"excess"`
	Unavoidable     int `json:"unavoidable"`
	PreflightFailed int `json:"preflightFailed"`
}

// Failed reports whether the account is not as it must be.
func (a VerifiedAccount) Failed() bool {
	return !slices.Contains([]string{login.OK, LoginUnverified, LoginDisabled, LoginReplaced}, a.Login) || a.Administrator != "" ||
		slices.ContainsFunc(a.Objects, func(o VerifiedObject) bool { return len(o.Missing)+len(o.Excess) > 0 })
}

// ToMend are the reasons that somebody can mend, each once.
func (a VerifiedAccount) ToMend() []Reason {
	var all []Reason
	for _, o := range a.Objects {
		for _, r := range o.Reasons {
			if r.Remedy != "" && !slices.ContainsFunc(all, func(s Reason) bool { return s.Why == r.Why && s.Remedy == r.Remedy }) {
				all = append(all, r)
			}
		}
	}
	return all
}

// OK reports whether everything that could be verified is as it must be; strictly, whether there is also nothing that a vCenter
// does not know. What could not be verified, and components that the matrix leaves unable, are counted in the summary.
func (v *Verification) OK(strict bool) bool {
	s := v.Summary
	if strict && s.Unknown > 0 {
		return false
	}
	return s.Failed == 0 && s.PreflightFailed == 0 && !finding.Differing(v.Findings) && v.Err() == nil
}

// Err joins what kept vCenters from being verified.
func (v *Verification) Err() error {
	var errs []error
	for _, s := range v.VCenters {
		errs = append(errs, s.cause)
	}
	return errors.Join(errs...)
}

// Verify logs in as each account, once, and compares what it holds with what its component needs: on each object that it
// needs, found by the account's own look-up, one level below these, and wherever an account of ours has a permission. It then
// replays the installer's own checks as the installer's account.
func (j *Job) Verify(ctx context.Context) *Verification {
	found := make([]VerifiedVCenter, len(j.targets))
	index := map[*target]int{}
	for i, t := range j.targets {
		index[t] = i
		found[i] = VerifiedVCenter{Server: t.spec.Server, Accounts: []VerifiedAccount{}, Preflight: []PreflightCheck{}}
	}
	by := checkedBy(j.Spec.Profile)
	j.each(ctx, func(ctx context.Context, t *target) error {
		defer t.close(ctx) // nothing is asked afterwards, and there may be a thousand of them
		return j.verify(ctx, t, by, &found[index[t]])
	})
	v := &Verification{APIVersion: plan.APIVersion, Kind: "Verification", VCenters: found}
	e := j.estate(j.asked)
	for i, s := range e.all {
		if s.err != nil {
			found[i].Error, found[i].cause = s.err.Error(), s.err
		} else {
			s.opened(found[i].Accounts)
			found[i].Accounts = append(found[i].Accounts, e.unspecified(s)...)
		}
		v.Summary.add(found[i])
	}
	v.Findings = e.findings()
	return v
}

// opened takes back that passwords are outdated that open their accounts: somebody may have set them without this tool.
func (s *snapshot) opened(accounts []VerifiedAccount) {
	for c, l := range s.accounts {
		if slices.ContainsFunc(accounts, func(a VerifiedAccount) bool { return a.Component == string(c) && a.Login == login.OK }) {
			l.Outdated = false
			s.accounts[c] = l
		}
	}
}

func (s *VerifySummary) add(v VerifiedVCenter) {
	for _, a := range v.Accounts {
		s.Accounts++
		switch {
		case a.Failed():
			s.Failed++
		case a.Login == LoginUnverified:
			s.Unverified++
		case a.Login == LoginDisabled, a.Login == LoginReplaced:
			s.Disabled++
		default:
			s.Permissions += a.Permissions
			if len(a.Cannot) > 0 {
				s.Unable++
			}
		}
		for _, o := range a.Objects {
			s.Missing += len(o.Missing)
			s.Unknown += len(o.Unknown)
			s.Excess += len(o.Excess)
			s.Unavoidable += len(o.Unavoidable)
		}
	}
	for _, p := range v.Preflight {
		if len(p.Missing) > 0 {
			s.PreflightFailed++
		}
	}
}

func (j *Job) verify(ctx context.Context, t *target, by checked, out *VerifiedVCenter) error {
	// The accounts log in while the administrator's session reads: neither needs the other.
	var wg crash.Group
	config := j.o.Config(t.spec)
	logins := j.stored(t.spec.Server)
	for _, l := range logins {
		wg.Go(func() { l.try(ctx, config) })
	}
	err := j.gather(ctx, j.aging(), t)
	wg.Wait()
	t.keep(logins)
	if err != nil {
		return err
	}
	if err := j.checkOlder(t.snapshot); err != nil {
		return err
	}
	d, err := j.bind(t.snapshot)
	if err != nil {
		return t.nearby(ctx, err)
	}
	if len(d.folders) > 0 {
		return fmt.Errorf("%s: folder %s does not exist yet", t.spec.Server, d.folders[0].Name)
	}
	j.progress(t.spec.Server, "comparing")
	supplied := j.supplied(t.spec.Server)
	late := j.late(t.snapshot, supplied, logins)
	for _, l := range late {
		wg.Go(func() { l.try(ctx, config) })
	}
	wg.Wait()
	t.keep(late)
	if err := t.session.Join(unanswered(append(logins, late...))...); err != nil {
		return err
	}
	accounts := j.accounts(t.snapshot, supplied, append(logins, late...))
	wg.Go(func() { t.members(ctx, accounts) })
	ours := j.oursIn(t.snapshot, d)
	objects, err := t.examined(ctx, d, ours)
	wg.Wait()
	if err != nil {
		return err
	}
	checks := j.checks(t.snapshot, by, accounts)
	proved, replayed := make([]VerifiedAccount, len(accounts)), make([]PreflightCheck, len(checks))
	errs := make([]error, len(accounts))
	var done atomic.Int32
	for i, a := range accounts {
		wg.Go(func() {
			proved[i], errs[i] = t.prove(ctx, d, a, objects, ours, checks, replayed)
			j.progress(t.spec.Server, fmt.Sprintf("%d of %d accounts compared", done.Add(1), len(accounts)))
		})
	}
	wg.Wait()
	for i, a := range proved {
		if errs[i] == nil { // what is found out about one stands, whatever became of the others
			out.Accounts = append(out.Accounts, a)
		}
	}
	if err := t.session.Join(errs...); err != nil {
		return err
	}
	out.Preflight = replayed
	return out.rematrixed(j.asked, t.snapshot, d)
}
