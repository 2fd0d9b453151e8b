package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Verification is the proof that the accounts can do their work and nothing else.
type Verification struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Findings   []*plan.Finding   `json:"findings,omitempty"` // lost passwords, unfinished rotations
	VCenters   []VerifiedVCenter `json:"vcenters"`
	Summary    VerifySummary     `json:"summary"`
}

// VerifiedVCenter is what was found on one vCenter.
type VerifiedVCenter struct {
	Server    string            `json:"server"`
	Error     string            `json:"error"`
	Accounts  []VerifiedAccount `json:"accounts"`
	Preflight []PreflightCheck  `json:"preflight"`

	cause error
}

// Login results of an account.
const (
	LoginOK         = "ok"
	LoginUnverified = "unverified" // an adopted account whose password is not known here
	LoginAbsent     = "there is no such account"
	LoginUnknown    = "its password is not in the credentials file"
)

// VerifiedAccount is one account: whether it could log in ("ok", "unverified", else the reason) and its rights.
type VerifiedAccount struct {
	Component string           `json:"component"`
	Principal string           `json:"principal"`
	Member    string           `json:"member,omitempty"` // who logged in, where Principal is a group
	Login     string           `json:"login"`
	Reason    string           `json:"reason,omitempty"` // why it is unverified
	Objects   []VerifiedObject `json:"objects"`
}

// VerifiedObject compares the rights on one object: what is missing, and what is there beyond the matrix.
type VerifiedObject struct {
	Path    string   `json:"path"`
	Scope   string   `json:"scope"`
	Missing []string `json:"missing"`
	Excess  []string `json:"excess"`
}

// PreflightCheck is one check of the installer's own, with its group's name.
type PreflightCheck struct {
	Check   string   `json:"check"`
	Missing []string `json:"missing"`
}

// VerifySummary counts accounts per vCenter; Failed are those with a refused login, a missing or an excess privilege.
type VerifySummary struct {
	Accounts        int `json:"accounts"`
	Failed          int `json:"failed"`
	Unverified      int `json:"unverified"`
	Missing         int `json:"missing"`
	Excess          int `json:"excess"`
	PreflightFailed int `json:"preflightFailed"`
}

// Failed tells whether the account is not as it shall be.
func (a VerifiedAccount) Failed() bool {
	return (a.Login != LoginOK && a.Login != LoginUnverified) ||
		slices.ContainsFunc(a.Objects, func(o VerifiedObject) bool { return len(o.Missing)+len(o.Excess) > 0 })
}

// OK tells whether everything that could be verified is as it shall be.
func (v *Verification) OK() bool {
	return v.Summary.Failed == 0 && v.Summary.PreflightFailed == 0 && len(v.Findings) == 0 && v.Err() == nil
}

// Err joins what kept vCenters from being verified.
func (v *Verification) Err() error {
	var errs []error
	for _, s := range v.VCenters {
		errs = append(errs, s.cause)
	}
	return errors.Join(errs...)
}

// Verify logs in as each account, once, and compares its effective rights with the matrix on each object and one level
// below, where the grant does or does not propagate. It then replays the installer's own checks as the installer's
// account. Call it once per Job.
func (j *Job) Verify(ctx context.Context) *Verification {
	found := make([]VerifiedVCenter, len(j.sites))
	index := map[*site]int{}
	for i, s := range j.sites {
		index[s] = i
		found[i] = VerifiedVCenter{Server: s.spec.Server, Accounts: []VerifiedAccount{}, Preflight: []PreflightCheck{}}
	}
	j.each(ctx, func(ctx context.Context, s *site) error {
		defer s.close(ctx) // nothing is asked afterwards, and there may be a thousand of them
		return j.verify(ctx, s, &found[index[s]])
	})
	v := &Verification{APIVersion: plan.APIVersion, Kind: "Verification", VCenters: found}
	for i, s := range j.sites {
		if s.err != nil {
			found[i].Error, found[i].cause = s.err.Error(), s.err
		}
		v.Summary.add(found[i])
	}
	v.Findings = j.findings()
	return v
}

func (s *VerifySummary) add(v VerifiedVCenter) {
	for _, a := range v.Accounts {
		s.Accounts++
		if a.Failed() {
			s.Failed++
		}
		if a.Login == LoginUnverified {
			s.Unverified++
		}
		for _, o := range a.Objects {
			s.Missing += len(o.Missing)
			s.Excess += len(o.Excess)
		}
	}
	for _, p := range v.Preflight {
		if len(p.Missing) > 0 {
			s.PreflightFailed++
		}
	}
}

func (j *Job) verify(ctx context.Context, s *site, out *VerifiedVCenter) error {
	// The accounts log in while the administrator's session reads: neither needs the other.
	var wg crash.Group
	logins := j.stored(s)
	for _, l := range logins {
		wg.Go(func() { l.try(ctx, j.o.Config(s.spec)) })
	}
	err := j.gather(ctx, s)
	wg.Wait()
	for _, l := range logins {
		s.keep(l)
	}
	if err != nil {
		return err
	}
	d, err := j.bind(s)
	if err != nil {
		return s.nearby(ctx, err)
	}
	if len(d.folders) > 0 {
		return fmt.Errorf("%s: folder %s does not exist yet", s.spec.Server, d.folders[0].Name)
	}
	j.progress(s.spec.Server, "comparing")
	j.late(ctx, s, logins)
	accounts := j.accounts(s, logins)
	wg.Go(func() { s.members(ctx, accounts) })
	below, err := j.below(ctx, s, d)
	wg.Wait()
	if err != nil {
		return err
	}
	out.Accounts = make([]VerifiedAccount, len(accounts))
	for i, a := range accounts {
		wg.Go(func() { out.Accounts[i] = j.compare(ctx, d, a, below) })
	}
	wg.Go(func() { out.Preflight = j.preflight(ctx, s, accounts) })
	wg.Wait()
	return nil
}
