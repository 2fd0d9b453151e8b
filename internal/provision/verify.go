package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Verification is the proof that the accounts can do their work and nothing else.
type Verification struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
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
	LoginUnverified = "unverified" // its password is not known here
)

// VerifiedAccount is one account: whether it could log in ("ok", "unverified", else the reason) and its rights.
type VerifiedAccount struct {
	Component string           `json:"component"`
	Principal string           `json:"principal"`
	Login     string           `json:"login"`
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
	return v.Summary.Failed == 0 && v.Summary.PreflightFailed == 0 && v.Err() == nil
}

// Err joins what kept vCenters from being verified.
func (v *Verification) Err() error {
	var errs []error
	for _, s := range v.VCenters {
		errs = append(errs, s.cause)
	}
	return errors.Join(errs...)
}

// settle is how long a difference is read again before it is believed: changed roles take effect a little later (R8).
var settle = []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second}

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
	j.each(ctx, func(ctx context.Context, s *site) error { return j.verify(ctx, s, &found[index[s]]) })
	v := &Verification{APIVersion: plan.APIVersion, Kind: "Verification", VCenters: found}
	for i, s := range j.sites {
		if s.err != nil {
			found[i].Error, found[i].cause = s.err.Error(), s.err
		}
		v.Summary.add(found[i])
	}
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
	if err := j.gather(ctx, s); err != nil {
		return err
	}
	d, err := j.bind(s)
	if err != nil {
		return s.nearby(ctx, err)
	}
	if len(d.folders) > 0 {
		return fmt.Errorf("%s: folder %s does not exist yet", s.spec.Server, d.folders[0].Name)
	}
	accounts := j.accounts(s)
	sessions := make([]*account, len(accounts))
	var below []*vcenter.Object
	var belowErr error
	j.progress(s.spec.Server, "logging in as "+fmt.Sprint(len(accounts))+" accounts")
	var wg sync.WaitGroup
	for i, a := range accounts {
		wg.Go(func() { sessions[i] = j.login(ctx, s, a) })
	}
	wg.Go(func() { below, belowErr = j.below(ctx, s, d) })
	wg.Wait()
	defer func() {
		var closing sync.WaitGroup
		for _, a := range sessions {
			if a.session != nil {
				closing.Go(func() { a.session.Close(context.WithoutCancel(ctx)) })
			}
		}
		closing.Wait()
	}()
	if belowErr != nil {
		return belowErr
	}
	out.Accounts = make([]VerifiedAccount, len(sessions))
	for i, a := range sessions {
		wg.Go(func() { out.Accounts[i] = j.compare(ctx, s, d, a, below) })
	}
	wg.Go(func() { out.Preflight = j.preflight(ctx, s, d, sessions) })
	wg.Wait()
	return nil
}

// account is an account that is verified: all components that share it together.
type account struct {
	components []privileges.Component
	principal  string
	password   secret.Secret
	session    *vcenter.Session
	result     string
}

func (j *Job) accounts(s *site) []*account {
	var all []*account
	for _, c := range j.o.Spec.ComponentNames() {
		principal := j.principal(s, c)
		if i := slices.IndexFunc(all, func(a *account) bool { return s.sso.Same(a.principal) == s.sso.Same(principal) }); i >= 0 {
			all[i].components = append(all[i].components, c)
			continue
		}
		a := &account{components: []privileges.Component{c}, principal: principal}
		if stored, ok := j.o.Credentials.Get(s.spec.Server, string(c)); ok && s.sso.Same(stored.User) == s.sso.Same(principal) {
			a.password = stored.Password
		}
		all = append(all, a)
	}
	return all
}

// login tries an account's password once, never twice: wrong ones count towards the lock-out.
func (j *Job) login(ctx context.Context, s *site, a *account) *account {
	if a.password.Empty() {
		a.result = LoginUnverified
		return a
	}
	session, err := vcenter.Connect(ctx, j.o.Config(s.spec))
	if err == nil {
		if err = session.Login(ctx, a.principal, a.password); err != nil {
			session.Close(ctx)
		}
	}
	switch {
	case err == nil:
		a.session, a.result = session, LoginOK
	case errors.Is(err, vcenter.ErrLogin):
		a.result = "password refused (or the account is locked or disabled)"
	case len(vcenter.MissingPrivileges(err)) > 0:
		a.result = "no permission anywhere on this vCenter"
	default:
		a.result = err.Error()
	}
	return a
}

// below picks one or two objects directly below each granted one, which show whether grants propagate as they shall.
func (j *Job) below(ctx context.Context, s *site, d *desired) ([]*vcenter.Object, error) {
	var parents []*vcenter.Object
	for _, e := range d.entries {
		if o := e.place.Object; o != nil && !slices.Contains(parents, o) {
			parents = append(parents, o)
		}
	}
	children := make([][]*vcenter.Object, len(parents))
	errs := make([]error, len(parents))
	var wg sync.WaitGroup
	for i, o := range parents {
		wg.Go(func() { children[i], errs[i] = s.session.Below(ctx, o, 4) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var refs []types.ManagedObjectReference
	for _, c := range children {
		for _, o := range c {
			if s.inventory.Object(o.Ref) == nil {
				refs = append(refs, o.Ref)
			}
		}
	}
	if err := s.session.Include(ctx, s.inventory, refs); err != nil {
		return nil, err
	}
	var all []*vcenter.Object
	for _, c := range children {
		for _, o := range c {
			if known := s.inventory.Object(o.Ref); known != nil {
				all = appendNew(all, known)
			}
		}
	}
	return all, nil
}

// compare reads an account's effective rights as the account itself and holds them against what shall be.
func (j *Job) compare(ctx context.Context, s *site, d *desired, a *account, below []*vcenter.Object) VerifiedAccount {
	names := make([]string, len(a.components))
	for i, c := range a.components {
		names[i] = string(c)
	}
	v := VerifiedAccount{Component: strings.Join(names, ","), Principal: a.principal, Login: a.result, Objects: []VerifiedObject{}}
	if a.session == nil {
		return v
	}
	objects, labels := d.examined(s, a.principal, below)
	for n := 0; ; n++ {
		v.Objects = v.Objects[:0]
		actual, err := effective(ctx, a.session, objects)
		if err != nil {
			v.Login = err.Error()
			return v
		}
		for i, o := range objects {
			want, _ := d.rights(s, a.principal, o)
			v.Objects = append(v.Objects, VerifiedObject{
				Path: o.Path(), Scope: labels[i], Missing: without(want, actual[i]), Excess: without(actual[i], want),
			})
		}
		if !v.Failed() || n == len(settle) {
			return v
		}
		select {
		case <-time.After(settle[n]):
		case <-ctx.Done():
			return v
		}
	}
}

// examined are the objects on which an account is compared: those with a permission of its own, and those one level
// below any granted object. Objects one level below somebody else's grant count too: it shall have nothing there.
func (d *desired) examined(s *site, principal string, below []*vcenter.Object) ([]*vcenter.Object, []string) {
	var objects []*vcenter.Object
	var labels []string
	for _, e := range d.entries {
		if e.place.Object != nil && s.sso.Same(e.principal) == s.sso.Same(principal) {
			scopes := make([]string, len(e.scopes))
			for i, sc := range e.scopes {
				scopes[i] = string(sc)
			}
			objects, labels = append(objects, e.place.Object), append(labels, strings.Join(scopes, "+"))
		}
	}
	for _, o := range below {
		if !slices.Contains(objects, o) {
			objects, labels = append(objects, o), append(labels, "below")
		}
	}
	return objects, labels
}

// effective asks for the rights of the session's own account, with the name that the vCenter calls it: short names
// give wrong answers. Objects that it cannot see are those on which it has no rights.
func effective(ctx context.Context, s *vcenter.Session, objects []*vcenter.Object) ([][]string, error) {
	rights := make([][]string, len(objects))
	errs := make([]error, len(objects))
	refs := make([]types.ManagedObjectReference, len(objects))
	for i, o := range objects {
		refs[i] = o.Ref
	}
	if all, err := s.Privileges(ctx, refs...); err == nil {
		return all, nil
	}
	var wg sync.WaitGroup
	for i, o := range objects {
		wg.Go(func() {
			one, err := s.Privileges(ctx, o.Ref)
			switch {
			case err == nil:
				rights[i] = one[0]
			case !invisible(err):
				errs[i] = fmt.Errorf("%s: %s: %w", s.Server, o.Path(), err)
			}
		})
	}
	wg.Wait()
	return rights, errors.Join(errs...)
}
