package credfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Words to replace by a value: those of the enhancement's script (REPLACE_WITH_...) and examples
// (<machine-api-password>, <password-vc1>), similar ones, and ours (...). They are narrow, because
// a real password that looks like one cannot be used: text in angle brackets has to be one of a few
// words, or several words, each in one case.
var (
	upperPlaceholder = pattern.Of(`^(?:REPLACE_WITH_[A-Z0-9_]+|(?:REPLACE|CHANGE|FILL)_(?:ME|THIS|IN|ME_IN|THIS_IN)|TODO|TBD|FIXME)$`)
	anglePlaceholder = pattern.Of(`^<(?:(?i:password|passwd|user|username|secret|redacted)|` + angleWord + `(?:[-_ .]` + angleWord + `)+)>$`)
	userPlaceholder  = pattern.Of(`<[A-Za-z][^<>]*>`) // directories allow no angle brackets

	// openshift/assisted-service, internal/provider/vsphere, until the connection is configured
	assistedPlaceholder = pattern.Of(`^(?:vcenter|username|password|datacenter|cluster|defaultdatastore|network|folder)placeholder$`)
)

const angleWord = `(?:[a-z]?[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+)`

// Placeholder reports whether a password or a part of a user name is to be replaced.
func Placeholder(value string) bool {
	return value == toFill || Assisted(value) || upperPlaceholder().MatchString(value) ||
		anglePlaceholder().MatchString(value)
}

// Assisted reports whether a value, or a vCenter's name, is an Assisted Installer's placeholder.
func Assisted(value string) bool { return assistedPlaceholder().MatchString(value) }

// ErrNotConnected says that a cluster has only placeholders of the Assisted Installer, and
// [Connects] what to do (openshift-docs, Configuring the vSphere connection settings).
var ErrNotConnected = hint.Errorf(Connects, "the vSphere connection of this cluster is not configured yet (placeholders of the Assisted Installer)")

// Connects is the remedy of [ErrNotConnected].
const Connects = "configure it first, in the cluster's web console (Home, Overview, vSphere connection): that fills in the Infrastructure and kube-system/vsphere-creds"

// unfilledErr says of a part of an account, as it is called, that it is a placeholder.
func (a Account) unfilledErr(part string) error {
	if Assisted(a.User) || Assisted(a.Password.Reveal()) {
		return ErrNotConnected
	}
	return fmt.Errorf("%s %w: fill it in", part, ErrPlaceholder)
}

// Unfilled names the parts of an account that are placeholders: "user", "password". No file and no
// Secret may get such an account.
func (a Account) Unfilled() (parts []string) {
	name := a.User
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	} else if i := strings.LastIndexByte(name, '@'); i >= 0 {
		name = name[:i]
	}
	if Placeholder(name) || Placeholder(a.User) || userPlaceholder().MatchString(a.User) {
		parts = append(parts, "user")
	}
	if Placeholder(a.Password.Reveal()) {
		parts = append(parts, "password")
	}
	return parts
}

// ErrPlaceholder says that an account is still to be filled in.
var ErrPlaceholder = errors.New("is a placeholder")

// CheckFilled refuses an account with a placeholder, if its line is unknown.
func (a Account) CheckFilled() error {
	for _, part := range a.Unfilled() {
		return a.unfilledErr("the " + strings.Replace(part, "user", "user name", 1))
	}
	return nil
}

// Where tells the file and line, and the field, of an account's "user" or "password".
type Where func(server string, c component.Name, part string) (place, field string)

// CheckFilled refuses accounts with placeholders and tells where. The error holds no password.
func CheckFilled(accounts map[string]map[component.Name]Account, where Where) error {
	var errs []error
	seen := map[string]bool{}
	for _, server := range slices.Sorted(maps.Keys(accounts)) {
		for _, c := range component.Names() {
			for _, part := range accounts[server][c].Unfilled() {
				place, field := where(server, c, part)
				err := fmt.Errorf("%s: %w", place, accounts[server][c].unfilledErr(field))
				if !seen[err.Error()] { // several components fall back to the main account
					seen[err.Error()] = true
					errs = append(errs, err)
				}
			}
		}
	}
	return errors.Join(errs...)
}

// CheckFilled refuses the accounts that components get from this file by [File.Get], if one has a
// placeholder.
func (f *File) CheckFilled(accounts map[string]map[component.Name]Account) error {
	written := map[string]map[component.Name]Account{}
	for server, own := range accounts {
		written[server] = map[component.Name]Account{}
		for c := range own {
			written[server][c] = f.written(server, c)
		}
	}
	return CheckFilled(written, func(server string, c component.Name, part string) (place, field string) {
		line, section, key := f.line(server, c, part)
		return fmt.Sprintf("%s:%d", f.path, line), fmt.Sprintf("[%s] %s", section, key)
	})
}

// holder is the component whose account c gets on server: its own, else the main one.
func (f *File) holder(server string, c component.Name) component.Name {
	if _, _, own := f.before.account(server, c); !own {
		return component.Installer
	}
	return c
}

// written is the account that c gets on server as the file has it, placeholders included.
func (f *File) written(server string, c component.Name) Account {
	f.mu.Lock()
	defer f.mu.Unlock()
	user, password, _ := f.before.account(server, f.holder(server, c))
	return Account{user.effective, secret.New(password.effective)}
}

// line is where the file on disk has a part of the account that c gets on server.
func (f *File) line(server string, c component.Name, part string) (line int, section, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key = prefix(f.holder(server, c)) + part
	section = cmp.Or(f.before.values[ref{server, key}].from, server)
	if d, err := scan(f.saved); err == nil {
		if i := d.lastSetting(section, key); i >= 0 {
			line = d.entries[i].first + 1
		}
	}
	return line, section, key
}
