package contract

import (
	"context"
	"slices"
)

// Rule is one part of a rule of the simulation, and how it is tried.
type Rule struct {
	ID      string // R1 to R48, or a word, as the simulation names its rules
	Case    string // which part; ID and Case together are unique
	Says    string // the rule in a plain sentence
	Scratch bool   // trying it writes below a scratch folder
	Why     string // why it is never tried; "" = it is

	try func(context.Context, *probe) outcome
}

// Name is ID and Case.
func (r Rule) Name() string { return r.ID + " " + r.Case }

// Rules are all of them, in the order of their numbers.
func Rules() []Rule {
	all := slices.Concat(readRoles(), readRights(), readSSO(), readProduct(), writeRoles(), writePermissions(),
		writeRights(), writeAccounts(), never())
	slices.SortStableFunc(all, func(a, b Rule) int { return number(a.ID) - number(b.ID) })
	return all
}

// number is that of a rule. Rules with a word instead come last.
func number(id string) int {
	n := 0
	if id[0] != 'R' {
		return 1000
	}
	for _, c := range id[1:] {
		n = n*10 + int(c-'0')
	}
	return n
}

// never are the rules that nobody should try on a vCenter that is in use.
func never() []Rule {
	rule := func(id, part, says, why string) Rule { return Rule{ID: id, Case: part, Says: says, Why: why} }
	return []Rule{
		rule("R3", "empty name", "A role cannot have an empty name.", "a role without a name could not be found again and removed"),
		rule("R4", "empty list", "The effect of an update with an empty list of privileges is not documented.", "the tool never sends one"),
		rule("R5", "system roles", "System roles cannot be changed or removed.", "system roles are never touched"),
		rule("R7", "in use, by force", "A role that is in use can be removed by force.", "the tool never removes a role by force"),
		rule("R13", "reset", "ResetEntityPermissions replaces all permissions of an object.", "the tool never calls it"),
		rule("R14", "shared objects", "Two permissions of one account on one object become one role.", "the rule is about the tool, not about vCenter"),
		rule("R16", "fixed folders", "Permissions cannot be set on the four folders of a datacenter and the root pool of a cluster.", "they are outside the scratch folder"),
		rule("R17", "switches", "A permission on a distributed switch is accepted and has no effect.", "switches are outside the scratch folder"),
		rule("R19", "last administrator", "The last permission with the Administrator role on the root folder cannot be removed.", "permissions of administrators are never touched"),
		rule("R24", "two paths", "A virtual machine inherits from its folder and from its host or pool.", "no virtual machine is created"),
		rule("R26", "chains", "Datastores, networks, hosts and pools inherit along their own chains.", "they are outside the scratch folder"),
		rule("R36", "locking", "Too many failed logins lock an account.", "wrong passwords are never sent"),
		rule("R41", "network", "SSO administration and token service answer on port 443.", "it depends on the network: use doctor"),
		rule("R42", "wrong password", "A wrong password is refused with InvalidLogin.", "wrong passwords are never sent"),
		rule("daily", "vanished principals", "Every 24 hours, permissions of principals that no longer exist are removed.", "it takes a day"),
		rule("methods", "each", "Each call requires the privileges that the API reference lists.", "it would need every call: R10, R44 and R48 try some"),
		rule("storage", "volumes",
			"Creating a container volume requires Datastore.FileManagement on a datastore of the request.",
			"no volume is created"),
		rule("storage", "detach",
			"Detaching a container volume requires VirtualMachine.Config.RemoveDisk on the machine.",
			"no volume is attached: detach one as an account that has AddExistingDisk and AddRemoveDevice alone"),
		rule("storage", "detached volumes",
			"Detaching a volume again is no error, from a machine that never had it InvalidArgument.",
			"no volume is created"),
		rule("storage", "disks",
			"Making a first class disk, or a container volume, of a file requires Datastore.FileManagement on its datastore.",
			"no disk is registered"),
		rule("storage", "registered disks",
			"A file that is a first class disk already is AlreadyExists, and names it; a disk that is a container volume already "+
				"is CnsAlreadyRegisteredFault.",
			"no disk is registered"),
		rule("methods", "encrypted machines", "Cloning an encrypted machine requires Cryptographer.Clone on it.",
			"no machine is ever made"),
		rule("tasks", "history", "Tasks are listed with who began them and their object.",
			"no task is begun"),
		rule("tls", "curves", "TLS agrees on its keys by X25519, P-256, P-384 or P-521.", "the tool's own connection agrees on one: set GODEBUG=fips140=on to connect by the others alone"),
		rule("tokens", "forged", "A token that the token service did not sign is rejected.", "forged tokens are never sent"),
		rule("inventory", "machines", "A clone has its own disks, addresses and UUIDs.", "no machine is ever made"),
		rule("events", "permissions", "Changes of roles and permissions post events.", "the event manager is never read"),
		rule("R45", "texts", "The texts of faults vary.", "fault texts may contain names, so they are not read"),
	}
}
