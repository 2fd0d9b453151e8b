package vcsim

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// What belongs to other people. The names are close to ours on purpose: nobody may take them for ours.
var (
	foreignRoles = []struct {
		name       string
		privileges []string
	}{
		{"openshift-legacy", []string{"VirtualMachine.Interact.PowerOn", "VirtualMachine.Interact.PowerOff", "VirtualMachine.Inventory.Create"}},
		{"openshift-backup", []string{"VirtualMachine.State.CreateSnapshot", "VirtualMachine.State.RemoveSnapshot", "Datastore.Browse"}},
		{"VM console user", []string{"VirtualMachine.Interact.ConsoleInteract"}},
		{"ocp-storage (old)", []string{"Datastore.AllocateSpace", "Datastore.FileManagement"}},
	}
	foreignUsers = []struct{ name, description string }{
		{"backup-svc", "nightly backups, see ticket 4711"},
		{"ocp-legacy-machine-api", "made by hand for the old cluster"},
		{"openshift", ""},
	}
)

const foreignDomain = "corp.example.com"

// foreign adds roles, accounts, groups and permissions of other people. Linked vCenters share the accounts.
func (b *builder) foreign(v *VCenter) error {
	if b.o.Seed != 0 && !b.o.Foreign {
		return nil
	}
	if err := b.foreignAccounts(v.dir); err != nil {
		return fmt.Errorf("add foreign accounts: %w", err)
	}
	roles := []int32{-1, -2, -5} // Administrator, Read-only, No access (R6)
	for _, r := range foreignRoles {
		var known []string
		for _, id := range r.privileges {
			if b.known(id) {
				known = append(known, id)
			}
		}
		id, err := v.authz.addRole(r.name, known)
		if err != nil {
			return fmt.Errorf("add foreign role %s: %w", r.name, err)
		}
		roles = append(roles, id)
	}
	return b.foreignPermissions(v, roles)
}

func (b *builder) foreignAccounts(d *directory.Directory) error {
	err := d.AddIdentitySource(directory.IdentitySource{Name: foreignDomain, Alias: "CORP", Type: "ActiveDirectory", URL: "ldaps://dc1." + foreignDomain})
	if errors.Is(err, directory.ErrDuplicate) {
		return nil // a linked vCenter did it
	}
	for _, u := range foreignUsers {
		err = errors.Join(err, d.AddUser(u.name+"@"+d.Domain(), "F0reign!pass", directory.Details{Description: u.description}))
	}
	for _, name := range []string{"alice", "bob"} {
		err = errors.Join(err, d.AddUser(name+"@"+foreignDomain, "F0reign!pass", directory.Details{}))
	}
	return errors.Join(err,
		d.AddGroup("Infra Team@"+foreignDomain, ""),
		d.AddMember("Infra Team@"+foreignDomain, "alice@"+foreignDomain, false),
		d.AddGroup("vm-admins@"+d.Domain(), "everybody who runs machines"),
		d.AddMember("vm-admins@"+d.Domain(), "Infra Team@"+foreignDomain, true),
		d.AddMember("vm-admins@"+d.Domain(), "backup-svc@"+d.Domain(), false))
}

// foreignPermissions sets some on the very objects that a cluster is provisioned on.
func (b *builder) foreignPermissions(v *VCenter, roles []int32) error {
	var who []directory.Principal
	for _, u := range foreignUsers {
		who = append(who, directory.Principal{Domain: v.dir.Domain(), Name: u.name})
	}
	who = append(who,
		directory.Principal{Domain: v.dir.Domain(), Name: "vm-admins", Group: true},
		directory.Principal{Domain: foreignDomain, Name: "alice"},
		directory.Principal{Domain: foreignDomain, Name: "bob"},
		directory.Principal{Domain: foreignDomain, Name: "Infra Team", Group: true})
	rng := rand.New(rand.NewPCG(b.o.Seed, uint64(b.number)<<32|0xf0))
	for i, path := range v.estate.grantable() {
		if i > 0 && rng.IntN(3) == 0 {
			continue
		}
		ref, ok := v.find(path)
		if !ok {
			return fmt.Errorf("foreign permission: no object at %s", path)
		}
		for range 1 + rng.IntN(2) {
			p := who[rng.IntN(len(who))]
			if err := v.authz.setPermission(ref, p, roles[rng.IntN(len(roles))], rng.IntN(2) == 0); err != nil {
				return fmt.Errorf("foreign permission of %s on %s: %w", p, path, err)
			}
		}
	}
	return nil
}

// grantable lists objects of each kind that a permission can be set on, at most a few of each.
func (e Estate) grantable() []string {
	var out []string
	few := func(paths []string) { out = append(out, paths[:min(3, len(paths))]...) }
	for _, dc := range e.Datacenters {
		out = append(out, dc.Path)
		for _, c := range dc.Clusters {
			out = append(out, c.Path)
			few(c.Pools)
		}
		few(dc.Folders)
		few(dc.Datastores)
		few(dc.Templates)
		few(dc.VMs)
		for _, n := range dc.Networks[:min(3, len(dc.Networks))] {
			out = append(out, n.Path)
		}
	}
	return out
}
