package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	contractcmd "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// readContract reads the report that --like names and gives the first vCenter in it that was asked.
func readContract(path string) (*contract.Report, error) {
	data, err := files.Read(path, files.Text)
	if err != nil {
		return nil, command.BadFlag("like", "%w", err)
	}
	var view contractcmd.View
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&view); err != nil || view.Header != command.NewHeader("Contract") {
		return nil, hint.Wrap(command.BadFlag("like", "%s is not a contract report", path), "write one with 'vcenter-lab contract --out FILE'")
	}
	for _, r := range view.VCenters {
		if r != nil && r.Error == "" {
			return r, nil
		}
	}
	return nil, command.BadFlag("like", "%s: no vCenter in it could be reached", path)
}

// like takes over what the report says and the simulation can be told before it starts. A flag of the command line counts more.
func (o *Options) like(cmd *cobra.Command) error {
	if o.Like == "" {
		return nil
	}
	r, err := readContract(o.Like)
	if err != nil {
		return err
	}
	o.Resembled = r
	said := func(flag string) bool { return cmd.Flags().Changed(flag) }
	if ms := r.Delays.NewAccount; ms != nil && !said("user-delay") {
		o.Lab.UserDelay = time.Duration(*ms) * time.Millisecond
	}
	if ms := r.Delays.Role; ms != nil {
		o.Lab.RoleDelay = time.Duration(*ms) * time.Millisecond
	}
	if name := nearestRelease(r.Product.Version); name != "" && !said("release") {
		o.Lab.Releases = []string{name}
	}
	if !said("without") {
		o.Lab.Without = slices.DeleteFunc(slices.Clone(r.Privileges.Lacks), func(id string) bool { return strings.HasPrefix(id, "System.") })
	}
	return nil
}

// nearestRelease is the latest simulated release of the same major version that is no later than a version of vCenter, else
// the first of that major version; "" where none of it is simulated.
func nearestRelease(version string) string {
	best := ""
	for _, name := range vcsim.Releases() { // the oldest first
		if strings.SplitN(name, ".", 2)[0] == strings.SplitN(version, ".", 2)[0] && (best == "" || !contract.Later(name, version)) {
			best = name
		}
	}
	return best
}

// Resemble gives a lab that serves the policies of the report, and says what the simulation cannot take over.
func (o *Options) Resemble(lab *vcsim.Lab) {
	r := o.Resembled
	for _, v := range lab.VCenters {
		if w := r.Passwords; w != nil {
			err := v.Directory().SetPasswordPolicy(directory.PasswordPolicy{
				Description: "The password policy of a report",
				MinLength:   w.MinLength, MaxLength: w.MaxLength, MinAlphabetic: w.MinAlphabetic, MinUpper: w.MinUpper, MinLower: w.MinLower,
				MinNumeric: w.MinNumeric, MinSpecial: w.MinSpecial, MaxIdenticalAdjacent: w.MaxIdenticalAdjacent,
				ProhibitedPrevious: w.ProhibitedPrevious, LifetimeDays: w.LifetimeDays,
			})
			if err != nil {
				o.Warnf("the password policy of the report is not simulated: %v", err)
			}
		}
		if l := r.Lockout; l != nil {
			v.Directory().SetLockoutPolicy(directory.LockoutPolicy{
				Description: "The lockout policy of a report", MaxFailed: l.MaxFailed,
				Within: time.Duration(l.WithinSeconds) * time.Second, UnlockAfter: time.Duration(l.UnlockAfterSeconds) * time.Second,
			})
		}
	}
	for _, said := range o.unlike(lab) {
		o.Warnf("not simulated: %s", said)
	}
}

// unlike is what the simulation does not take over from the report.
func (o *Options) unlike(lab *vcsim.Lab) []string {
	r := o.Resembled
	var out []string
	if is := lab.VCenters[0].Version(); is != r.Product.Version {
		out = append(out, fmt.Sprintf("version %s (the simulation is a %s)", r.Product.Version, is))
	}
	if n := r.Privileges.Unrecorded; n > 0 {
		out = append(out, term.Count(n, "privilege")+" unknown to the simulation")
	}
	for _, f := range r.Rules {
		if f.Verdict == contract.Differs {
			out = append(out, fmt.Sprintf("%s %s: %s", f.Rule, f.Case, f.Detail))
		}
	}
	return out
}
