package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Stores reports whether a credentials file has an account of the run that apply created.
func (r *Run) Stores(file *credfile.File) bool { return len(stored(file, r.Wanted)) > 0 }

// stored are the accounts of ours in a credentials file.
func stored(file *credfile.File, wanted *spec.Spec) (users []string) {
	for server, of := range openshift.FromFile(file, command.Servers(wanted)) {
		for c, a := range of {
			if wanted.At(server).Account(c).Makes(a.User) {
				users = append(users, strings.ToLower(a.User))
			}
		}
	}
	return users
}

// elsewhere refuses to remove accounts, or their permissions, beside another cluster's file, or one
// without their passwords where another file keeps them.
func (r *Run) elsewhere(p *plan.Plan, c Change) error {
	file, whole := r.Job.Request.Credentials, r.Wanted.Whole()
	if file == nil || !c.Revokes {
		return nil
	}
	users, servers := stored(file, whole), command.Servers(whole)
	removes := func(x *plan.Change) bool {
		return x.Verb == plan.Delete && (x.Kind == plan.User || x.Kind == plan.Permission &&
			(whole.Makes(x.Principal) || x.Group && whole.Through(x.Principal) != ""))
	}
	known := func(x *plan.Change) bool {
		return removes(x) && slices.ContainsFunc(users, func(user string) bool {
			return strings.EqualFold(user, cmp.Or(x.Principal, x.Name)) ||
				x.Group && whole.Account(whole.Through(x.Principal)).Makes(user)
		})
	}
	if !p.Any(removes) || users != nil && (c.Replaced != nil || p.Any(known)) {
		return nil
	}
	what := r.Credentials + " has no entry of cluster " + whole.Cluster
	if users != nil {
		what = r.Credentials + " has only accounts that others replaced"
	}
	ways := r.Advice().Found(r.Credentials, servers)
	if _, of := whole.OfOthers(openshift.FromFile(file, servers)); of != nil {
		what += ", and those of cluster " + strings.Join(of, ", ")
		ways = append(ways, "if no file has their passwords: "+
			r.Repeated("--"+command.CredentialsFileFlag, credfile.Apart(r.Credentials, whole.Cluster)))
	}
	if ways == nil {
		return nil
	}
	return hint.Wrap(fmt.Errorf("%s: %s; nothing was done", c.Subject, what), ways...)
}

// unrecorded refuses to remove permissions of adopted accounts without the record of those that they
// displaced, where it is beside another file.
func (r *Run) unrecorded(p *plan.Plan, c Change) error {
	without := func(f *finding.Finding) bool { return f.Code == finding.UnknownBefore }
	if !slices.ContainsFunc(p.Findings, without) {
		return nil
	}
	var instances []string
	for _, v := range p.VCenters {
		instances = append(instances, v.InstanceUUID)
	}
	file := r.Job.Request.RecordPath()
	at := r.Advice().Recorded(file, instances)
	if at == "" {
		return nil
	}
	here, there, of := credfile.RecordPath(file), credfile.RecordPath(at), " cluster "+r.Wanted.Cluster
	return hint.Wrap(fmt.Errorf("%s: %s does not have what adopted accounts had before; nothing was done",
		c.Subject, here),
		there+" has it for"+of+": "+r.Repeated("--"+command.CredentialsFileFlag, at),
		"or move the entry of"+of+" from "+there+" to "+here)
}

// PrintFormers names the files that still have such accounts because an import replaced them.
func (r *Run) PrintFormers() {
	for _, path := range credfile.Formers(r.Credentials) {
		if file, err := credfile.OpenToRead(path); err == nil && r.Stores(file) {
			r.Command(path+" still has passwords of cluster "+r.Wanted.Cluster+
				" that an import replaced; if nothing else in it is needed:", script.Line("rm", path))
		}
	}
}
