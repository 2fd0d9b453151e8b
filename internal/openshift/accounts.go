package openshift

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// root is the secret with the one account that releases share among all components.
var root = component.RootSecret()

// The ends of a secret's keys: <server>.username and <server>.password.
const (
	UserKey     = ".username"
	PasswordKey = ".password"
)

// Accounts holds the accounts by server and component; "installer" is the main account.
type Accounts map[string]map[component.Name]credfile.Account

// Count is how many accounts there are.
func (a Accounts) Count() (n int) {
	for _, own := range a {
		n += len(own)
	}
	return n
}

// FromFile collects the accounts of servers from a credentials file. A server without any has an empty entry.
func FromFile(f *credfile.File, servers []string) Accounts {
	a := Accounts{}
	for _, server := range servers {
		a[server] = map[component.Name]credfile.Account{}
		for _, c := range component.Names() {
			if account, ok := f.Get(server, c); ok {
				a[server][c] = account
			}
		}
	}
	return a
}

// Only are the accounts of these components, without those that others fall back to.
func (a Accounts) Only(list []component.Name) Accounts {
	only := Accounts{}
	for server, own := range a {
		only[server] = maps.Clone(own)
		maps.DeleteFunc(only[server], func(c component.Name, _ credfile.Account) bool { return !slices.Contains(list, c) })
	}
	return only
}

// CheckFilled refuses accounts that were read from secrets, as file, and of which a part is a placeholder.
func (a Accounts) CheckFilled(file string) error {
	return credfile.CheckFilled(a, func(server string, c component.Name, part string) (place, field string) {
		return file, fmt.Sprintf("%s: %s of %s", server, part, c)
	})
}
