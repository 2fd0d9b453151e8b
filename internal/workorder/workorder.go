// Package workorder writes what other teams must do in vCenters, with reasons and commands, as
// Markdown from page/*.tmpl, without passwords. They run the commands with their own logins and
// type passwords of new accounts. Names come from inventories and are quoted for the shell that
// reads them.
package workorder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// Order is what other teams must do: the changes of a plan, cut by who does them.
type Order struct {
	Spec     *spec.Spec
	Plan     *plan.Plan
	VCenters []*VCenter // that could be read
	Accounts []*Account // that are to be created
	Renewals []*Renewal
	Again    Again
	Unread   bool // no vCenter was asked, so it has all that is needed
}

// VCenter is what is to be done on one vCenter.
type VCenter struct {
	spec.VCenter                       // each failure domain names its folder
	Domain                      string // SSO domain
	Folders, Roles, Permissions []*plan.Change
	Unused                      []*plan.Change // roles that go, once the permissions have moved
	Gone                        []*plan.Change // accounts that go, in the end
	Tags                        []tags.Step
	Notes                       []string
	Apart                       map[string]string // references of objects that no path finds, by what is shown
}

// Account is an account or a group that is wanted.
type Account struct {
	Name       string // without domain
	Principal  string // as permissions name it
	Group      bool
	Domain     string // SSO domain or identity source, by its own name
	Within     bool   // it is the SSO domain
	Alias      string // of the identity source, "" = none
	Components []component.Name
	Servers    []string
	Policy     *sso.Policy // of its SSO domain; nil for directories and groups
}

// Renewal is an account of others whose password expires soon, or has expired.
type Renewal struct {
	Principal  string
	Components []component.Name
	Servers    []string
	When       string // "expires in 3 days"
}

// Again are the sender's commands for a final check: Same with what was planned, Adopting with the
// order's provisioning file, called provisioning.yaml.
type Again struct{ Same, Adopting []string }

// Markdown is the whole order. An empty one has one sentence.
func (o *Order) Markdown() ([]byte, error) {
	text, err := o.page("order.md.tmpl", o)
	if !o.Empty() {
		text = trimmed(text)
	}
	return []byte(text), err
}

// Files is the order as files by name: one for each team and vCenter, and one for the sender, each
// complete.
func (o *Order) Files() (map[string][]byte, error) {
	if o.Empty() {
		text, err := o.Markdown()
		return map[string][]byte{"sender.md": text}, err
	}
	data := struct {
		*Order
		Group   Group
		VCenter *VCenter
		Sent    []string
	}{Order: o}
	files := map[string][]byte{}
	add := func(page, whose string) error {
		text, err := o.page(page, data)
		name := fileName(page+whose, files)
		files[name] = []byte(trimmed(text))
		data.Sent = append(data.Sent, name)
		return err
	}
	if len(o.Renewals) > 0 {
		if err := add("new-passwords", ""); err != nil {
			return nil, err
		}
	}
	for _, data.Group = range o.Groups() {
		where := data.Group.Domain
		if data.Group.Policy != nil { // SSO domains of several vCenters may have one name
			where = data.Group.Servers[0]
		}
		if err := add("accounts-", where); err != nil {
			return nil, err
		}
	}
	for _, data.VCenter = range o.VCenters {
		if v := data.VCenter; len(v.Roles) > 0 || v.Permits() {
			if err := add("vcenter-", v.Server); err != nil {
				return nil, err
			}
		}
	}
	return files, add("sender", "")
}

func trimmed(text string) string { return strings.TrimRight(text, "\n") + "\n" }

// fileName is the name of a file that is not taken, of signs that every system allows.
func fileName(wanted string, taken map[string][]byte) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", r) {
			return r
		}
		return '-'
	}, wanted)
	name := plain + ".md"
	for n := 2; taken[name] != nil; n++ {
		name = fmt.Sprintf("%s-%d.md", plain, n)
	}
	return name
}

// Empty reports whether there is nothing to do.
func (o *Order) Empty() bool {
	return len(o.Accounts)+len(o.Renewals)+len(o.WithRoles())+len(o.WithPermissions()) == 0
}

// Overview is the drawing of the plan.
func (o *Order) Overview() string { return strings.Join(overview.Lines(o.Plan), "\n") }

// WithRoles are the vCenters on which roles change.
func (o *Order) WithRoles() []*VCenter {
	return o.where(func(v *VCenter) bool { return len(v.Roles) > 0 })
}

// WithPermissions are those on which permissions, folders or tags do.
func (o *Order) WithPermissions() []*VCenter {
	return o.where((*VCenter).Permits)
}

func (o *Order) where(keep func(*VCenter) bool) []*VCenter {
	return slices.DeleteFunc(slices.Clone(o.VCenters), func(v *VCenter) bool { return !keep(v) })
}

// Permits reports whether permissions, folders or tags change, or accounts go once they have.
func (v *VCenter) Permits() bool {
	return len(v.Permissions)+len(v.Folders)+len(v.Tags)+len(v.Gone) > 0
}

// Granted are the permissions that are set.
func (v *VCenter) Granted() []*plan.Change {
	return slices.DeleteFunc(slices.Clone(v.Permissions), func(c *plan.Change) bool { return c.After == nil })
}

// Removed are those that are removed.
func (v *VCenter) Removed() []*plan.Change {
	return slices.DeleteFunc(slices.Clone(v.Permissions), func(c *plan.Change) bool { return c.After != nil })
}

// OtherPort is the port, where it is not the usual one.
func (v *VCenter) OtherPort() int {
	if v.Port == 443 {
		return 0
	}
	return v.Port
}

// Finds is what govc and PowerCLI find an object by: its path, or its reference.
func (v *VCenter) Finds(path string) string { return cmp.Or(v.Apart[path], path) }

// URL is where govc finds the vCenter.
func (v *VCenter) URL() string {
	if port := v.OtherPort(); port != 0 {
		return fmt.Sprintf("https://%s:%d", v.Server, port)
	}
	return "https://" + v.Server
}
