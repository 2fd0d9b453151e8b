package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Diagnosis says whether the job can be done from here by this administrator.
type Diagnosis struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	VCenters   []DoctorVCenter `json:"vcenters"`
	Findings   finding.List    `json:"findings,omitempty"`   // of a plan, without notes: see Add
	Notes      []string        `json:"notes,omitempty"`      // what is unknown of vCenters, each once
	Incomplete []string        `json:"incomplete,omitempty"` // vCenters with an administrator who only reads, or no accounts
}

// DoctorVCenter is the checks of one vCenter, in order of dependency.
type DoctorVCenter struct {
	Server string        `json:"server"`
	Checks []DoctorCheck `json:"checks"`

	cause  error // why the examination stopped
	ended  bool  // by the failure of its last check: nothing more is asked
	global perms.Global
}

// DoctorCheck is one check, its result, and the next command if it failed.
type DoctorCheck struct {
	Check   string `json:"check"`
	OK      bool   `json:"ok"`                // it did not fail
	Skipped bool   `json:"skipped,omitempty"` // by a flag, or because the login only reads
	Detail  string `json:"detail"`
	Next    string `json:"next,omitempty"`

	Steps []string `json:"-"` // Next, one by one
}

// NoDiagnosis returns a diagnosis without vCenters.
func NoDiagnosis() *Diagnosis {
	return &Diagnosis{APIVersion: plan.APIVersion, Kind: "Diagnosis", VCenters: []DoctorVCenter{}}
}

// OK reports whether every check passed.
func (d *Diagnosis) OK() bool {
	for _, v := range d.VCenters {
		for _, c := range v.Checks {
			if !c.OK {
				return false
			}
		}
	}
	return true
}

// Err joins failures of the examination itself, which say nothing about a vCenter.
func (d *Diagnosis) Err() error {
	var errs []error
	for _, v := range d.VCenters {
		errs = append(errs, v.cause)
	}
	return errors.Join(errs...)
}

// maxSkew is the largest difference of clocks; vCenters refuse tokens beyond a few minutes.
const maxSkew = 2 * time.Minute

// Doctor checks every vCenter: connection, certificate, version, clock, login, SSO administration
// and the administrator's privileges. It needs no credentials file.
func (j *Job) Doctor(ctx context.Context) *Diagnosis {
	all := make([]DoctorVCenter, len(j.targets))
	var wg crash.Group
	for i, t := range j.targets {
		wg.Go(func() {
			var c checks
			var global perms.Global
			err := crash.TryOn(t.at.VCenter.Server, func() error {
				global = j.diagnose(ctx, t, &c)
				return nil
			})
			if err != nil {
				c.add("examination", err, "")
			}
			t.lost = !c[len(c)-1].OK
			all[i] = DoctorVCenter{Server: t.at.VCenter.Server, Checks: c, cause: err, ended: t.lost, global: global}
		})
	}
	wg.Wait()
	if err := j.Request.Name(j.all(), map[string]string{}); err != nil {
		(*checks)(&all[0].Checks).add("one name", err, "")
		for i, t := range j.targets {
			t.lost, all[i].ended = true, true
		}
	}
	d := NoDiagnosis()
	d.VCenters = all
	servers, why := make([]string, len(all)), make([]string, len(all))
	for i, v := range all {
		if v.global.Unseen != perms.UnseenRelease { // which is irrelevant for the job
			servers[i], why[i] = v.Server, v.global.Unseen
		}
	}
	if note := perms.NotKnownOn(servers, why); note != "" {
		d.Notes = append(d.Notes, note)
	}
	for _, t := range j.targets {
		if t.at.Reads {
			d.Incomplete = append(d.Incomplete, t.at.VCenter.Server)
		}
	}
	return d
}

// Add adds what a plan of the same job found: why it cannot be made where no check has ended the
// examination, and its errors and warnings, each with a remedy. The plan itself is thrown away.
func (d *Diagnosis) Add(p *plan.Plan) {
	for i, v := range p.VCenters {
		if d.VCenters[i].ended {
			continue
		}
		c := (*checks)(&d.VCenters[i].Checks)
		for _, cause := range v.Causes() {
			c.add("objects, names and roles", hint.Wrap(errors.New(cause.Text), cause.Hints...), "")
		}
		if v.Error == "" {
			c.add("objects, names and roles", nil, "as the specification needs them")
		}
	}
	d.Findings = finding.Remedied(slices.DeleteFunc(slices.Concat(p.Findings, p.Displacing()),
		func(f *finding.Finding) bool { return f.Severity == finding.Note }))
}

// checks collects results; the first failure of a chain ends it.
type checks []DoctorCheck

func (c *checks) add(name string, err error, detail string) bool {
	check := DoctorCheck{Check: name, OK: err == nil, Detail: detail}
	if err != nil {
		check.Detail, check.Steps = term.Sprintf("%v", err), term.Hints(err)
		check.Next = strings.Join(check.Steps, "; ")
	}
	*c = append(*c, check)
	return err == nil
}

// skip says what a login that only reads cannot check.
func (c *checks) skip(name, detail, next string) {
	*c = append(*c, DoctorCheck{Check: name, OK: true, Skipped: true, Detail: detail, Next: next, Steps: []string{next}})
}

// diagnose adds results as it goes, so that an error keeps the earlier ones.
func (j *Job) diagnose(ctx context.Context, t *target, c *checks) (global perms.Global) {
	config := j.o.Config(t.at.VCenter)
	cert, err := vcenter.Certificate(ctx, config)
	if !c.add("reachable on port "+fmt.Sprint(t.at.VCenter.Port), err, "answers") {
		return global
	}
	t.session, err = vcenter.Connect(ctx, config)
	name, detail := "certificate trusted",
		"SHA-256 "+vcenter.Thumbprint(cert)+", valid until "+cert.NotAfter.Format(time.DateOnly)
	if config.Insecure {
		name, detail = "certificate", "not checked (--insecure): "+detail
	}
	if !c.add(name, err, detail) {
		return global
	}
	(*c)[len(*c)-1].Skipped = config.Insecure
	about := t.session.Content.About
	t.at.Instance = about.InstanceUuid
	c.add("version", supported(about.ApiVersion), about.FullName)
	err = t.session.Discover(ctx)
	c.add("lookup service", hint.Wrap(err, "check that the service vmware-lookupsvc is running and /lookupservice is reachable on port 443"), "answers")
	err = j.o.Admin(ctx, t.session)
	if !c.add("administrator logs in", err, "as "+t.session.User) {
		return global
	}
	if global = perms.ReadGlobal(ctx, t.session); global.Unseen == "" {
		c.add("global permissions", nil, term.Count(len(global.All), "permission")+", which permissions list --all shows")
	}
	clock, err := t.session.Time(ctx)
	skew := time.Since(clock).Round(time.Second)
	if err == nil && skew.Abs() > maxSkew {
		err = hint.Errorf("synchronize both clocks with NTP",
			"the vCenter's clock differs by %s from this machine's; tokens will be refused", skew)
	}
	c.add("clock", err, fmt.Sprintf("differs by %s", skew))
	if err := j.mayProvision(ctx, t); t.at.Reads {
		c.skip("administrator's privileges", t.session.User+" may only read, which is enough for plan, verify and the lists: whether apply could do its work is not known", "use an account with the role Administrator to apply")
	} else {
		c.add("administrator's privileges", err, "may change roles and permissions, and has the privileges to grant")
	}
	_, domain, err := sso.Read(ctx, t.session, sso.Query{})
	switch {
	case errors.Is(err, vcenter.ErrCannotSSO) && !j.Request.OwnsAny():
		_, err := t.session.SSODomain(ctx)
		c.add("SSO administration", err, "not needed: every account is somebody else's (principal)")
	case errors.Is(err, vcenter.ErrCannotSSO) && t.at.Reads:
		c.skip("SSO administration", "accounts and groups cannot be read: plan, verify and users list say so, and exit with 3", decision.LetSee)
	case err != nil:
		c.add("SSO administration", err, "")
	case t.at.Reads:
		c.add("SSO administration", nil, "may read domain "+domain.Domain)
	default:
		c.add("SSO administration", nil, "may administer domain "+domain.Domain)
	}
	return global
}

func supported(apiVersion string) error {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(apiVersion, "%d.%d.%d", &major, &minor, &patch); n < 2 {
		return fmt.Errorf("unknown version %q", apiVersion)
	}
	if major > 7 || major == 7 && (minor > 0 || patch >= 2) {
		return nil
	}
	return hint.Errorf("upgrade the vCenter",
		"version %s is older than 7.0.2, which openshift-install requires", apiVersion)
}

// mayProvision checks the right to change permissions and, because a vCenter lets an administrator
// grant only own privileges, every privilege of the matrix. It looks at the root folder and the
// failure domains' objects, where the nearest permission counts. Roles need the root folder alone.
func (j *Job) mayProvision(ctx context.Context, t *target) error {
	var err error
	if t.at.Inventory, err = t.session.Find(ctx, j.Request.Paths(t.at.VCenter)); err != nil {
		return err
	}
	var at []*inventory.Object
	var refs []inventory.Ref
	for _, p := range j.Request.Paths(t.at.VCenter) { // the root first
		if o := t.at.Inventory.At(p); o != nil && !slices.Contains(refs, o.Ref) {
			at, refs = append(at, o), append(refs, o.Ref)
		}
	}
	held, err := t.session.Privileges(ctx, refs...)
	if err != nil {
		return err
	}
	known, err := roles.Read(ctx, t.session)
	if err != nil {
		return err
	}
	need := j.toGrant()
	if t.at.Reads = len(privileges.Strip(held[0])) == 0; t.at.Reads {
		return nil
	}
	lacked := func(i int, need []string) []string {
		lacked := lists.Without(lists.Union(need, nil), held[i])
		return lists.Without(lacked, lists.Without(lacked, known.Catalogue()))
	}
	if missing := lacked(0, append([]string{"Authorization.ModifyRoles"}, need...)); len(missing) > 0 {
		return hint.Errorf("use an account with the role Administrator on the root folder, with propagation",
			"%s lacks on the root folder: %s", t.session.User, strings.Join(missing, ", "))
	}
	var errs []error
	for i, o := range at {
		if missing := lacked(i, need); len(missing) > 0 {
			errs = append(errs, fmt.Errorf("%s lacks on %s: %s", t.session.User, o.Path(), lists.Few(missing)))
		}
	}
	return hint.Wrap(errors.Join(errs...), "a permission on the object or between it and the root folder counts instead of the one there: change it, or use another account")
}

// toGrant is what an administrator must hold on an object to grant any role of the matrix there.
func (j *Job) toGrant() []string {
	holds := j.Request.Spec.Selected()
	for _, c := range privileges.Conditions() { // for any topology
		if c.Topology() {
			holds[c] = true
		}
	}
	need := []string{"Authorization.ModifyPermissions"}
	for _, c := range j.Request.Spec.ComponentNames() {
		for _, g := range j.Request.Matrix.Grants(c, holds) {
			need = append(need, privileges.Strip(g.Privileges)...)
		}
	}
	return need
}
