// Package credfile reads and edits ~/.vsphere/credentials, the installer's file of the enhancement
// "vSphere multi-account credential management" (openshift/enhancements#1931): INI with a section
// for each vCenter and `<component>.user` and `<component>.password` in it.
//
// The file belongs to the administrator: only lines of accounts that we set or remove change, all
// other bytes stay. ini.v1 with default options, which the installer uses, checks every new text
// before it replaces the old one.
package credfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// ErrForeign says that an account of another user name stands where one was to be set.
var ErrForeign = errors.New("another account is there already")

// Account is a user name as the consumer types it and its password.
type Account struct {
	User     string
	Password secret.Secret
}

// Same reports whether an account has the same user, as it is spelled, and the same password.
func (a Account) Same(b Account) bool { return a.User == b.User && a.Password.Equal(b.Password) }

// Unusable says why an account cannot be used, "" if it can.
func (a Account) Unusable() string {
	for _, part := range []struct{ name, value string }{{"user name", a.User}, {"password", a.Password.Reveal()}} {
		switch {
		case part.value == "":
			return "the " + part.name + " is empty"
		case strings.ContainsAny(part.value, "\r\n"):
			return "the " + part.name + " holds a line break"
		}
	}
	if err := a.CheckFilled(); err != nil {
		return err.Error()
	}
	return ""
}

// File is the credentials file with the changes since it was read. It is safe for concurrent use.
type File struct {
	path  string
	steps steps
	seal  func(text []byte) ([]byte, error) // encrypts the text for the disk; nil = plain text

	reading bool   // whether the journal is opened to be read, too
	beside  string // where records are kept, if not beside path

	mu       sync.Mutex
	saved    string   // the text on disk
	form     string   // the bytes on disk: saved, or what it was sealed to
	onDisk   bool     // whether there is a file at all
	faulty   bool     // whether saved is less than what is on disk
	before   *reading // of saved
	text     string
	now      *reading // of text
	changes  map[ref]change
	empty    map[string]bool // sections without accounts when read: their header stays
	warnings []string
	over     map[string]map[component.Name]Account // see Overlay
}

var componentName = pattern.Of(`^[a-z][a-z0-9-]*$`)

// Open reads the file at path. A missing file is empty, as for the installer. It refuses modes that
// let others in, symbolic links, directories and the like, and files that ini.v1 does not parse.
func Open(path string) (*File, error) { return open(path, load) }

func newFile(path, text string) (*File, error) {
	f := &File{path: path, steps: realSteps(), empty: map[string]bool{}}
	if err := f.settle(text); err != nil {
		return nil, fmt.Errorf("%s: %w", called(path), err)
	}
	for _, s := range f.now.sections {
		f.empty[s] = true
	}
	for at, v := range f.now.values {
		if v.from == "" && accountKey().MatchString(at.key) {
			delete(f.empty, at.section)
		}
	}
	return f, nil
}

// judge reads text, and refuses what ini.v1 does not read or survive.
func judge(text string) (*reading, error) {
	d, err := scan(text)
	if err != nil {
		return nil, err
	}
	r, err := read(text)
	if err != nil {
		return nil, err
	}
	for _, e := range d.entries {
		if e.kind == setting && accountKey().MatchString(e.key) && r.values[ref{e.section, e.key}].broken {
			return nil, &syntaxError{e.first + 1, e.key + " refers to itself by %(...)s, which ini.v1 cannot resolve: replace the reference by its value"}
		}
	}
	return r, nil
}

// settle takes text as what is on disk.
func (f *File) settle(text string) error {
	r, err := judge(text)
	if err != nil {
		return err
	}
	f.saved, f.form, f.before, f.text, f.now, f.changes = text, text, r, text, r, map[ref]change{}
	return nil
}

// Format implements fmt.Formatter: it shows only the path, because the text holds passwords.
func (f *File) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, called(f.path))
}

// Path is the path that the file was opened with.
func (f *File) Path() string { return f.path }

// Get returns the account that the installer reads for c in the section of server: it needs both
// keys, replaces references, and keys of a dotted parent section count. A placeholder is returned
// as an empty password; [File.CheckFilled] reports it.
func (f *File) Get(server string, c component.Name) (Account, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if a, over := f.over[server][c]; over {
		return a, true
	}
	user, password, ok := f.now.account(server, c)
	if !ok {
		return Account{}, false
	}
	a := Account{User: user.effective, Password: secret.New(password.effective)}
	if Placeholder(password.effective) {
		a.Password = secret.Secret{}
	}
	return a, true
}

// Servers lists the sections that hold an account, in the order of the file.
func (f *File) Servers() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	holds := map[string]bool{}
	for at, v := range f.now.values {
		if v.from == "" && accountKey().MatchString(at.key) {
			holds[at.section] = true
		}
	}
	held := slices.DeleteFunc(slices.Clone(f.now.sections), func(s string) bool { return !holds[s] })
	for _, s := range slices.Sorted(maps.Keys(f.over)) {
		if len(f.over[s]) > 0 {
			held = lists.AppendNew(held, s)
		}
	}
	return held
}

// Overlay has Get and Servers answer with these accounts, by server, before those of the file. Save
// does not write them.
func (f *File) Overlay(accounts map[string]map[component.Name]Account) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = accounts
}

// Set puts the account of c into the section of server. It changes the password of the same user;
// another user name (compared without case) is [ErrForeign]; an [Entry] can replace it. It refuses
// what ini.v1 would not read back. No error holds a password.
func (f *File) Set(server string, c component.Name, a Account) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.put(Entry{Server: server, Component: c, Account: a})
}

// put writes an account where its own is, or where the replaced one is, or where none is.
func (f *File) put(e Entry) error {
	server, c, pairs := e.Server, e.Component, e.pairs()
	if err := checkServer(server); err != nil {
		return err
	}
	if !componentName().MatchString(string(c)) {
		return fmt.Errorf("%s: %q is not a component", server, c)
	}
	if err := f.checkOwner(e); err != nil {
		return err
	}
	for _, p := range pairs {
		if err := checkValue(p.value, f.resolves(server)); err != nil {
			return fmt.Errorf("%s: %s %w", server, p.key, err)
		}
	}
	if f.now.same(e) {
		return nil
	}
	fresh := !slices.Contains(f.now.sections, server)
	var after *reading
	text, ok, err := withPairs(f.text, server, pairs, func(text string) bool {
		r, err := read(text)
		if err != nil {
			return false
		}
		after = r
		return !slices.ContainsFunc(pairs, func(p pair) bool { return !r.has(server, p) })
	})
	if err != nil {
		return fmt.Errorf("%s: the account of %s %w", server, c, err)
	}
	if !ok {
		return fmt.Errorf("%s: %s: the account of %s cannot be written so that ini.v1 reads it back: "+
			"check for a line that ends in a backslash or an open quote near [%s]", f.path, server, c, server)
	}
	if fits(f.path, text) != nil {
		return fmt.Errorf("%s: the account of %s does not fit into %s, which would be larger than %d bytes or %d lines",
			server, c, called(f.path), maxBytes, maxLines)
	}
	if fresh {
		f.warnOfCase(server)
	}
	f.text, f.now = text, after
	f.noteChange(e)
	return nil
}

func (f *File) noteChange(e Entry) {
	if e.Component == component.Installer {
		f.warnOfMain()
	}
	for _, p := range e.pairs() {
		f.changes[ref{e.Server, p.key}] = change{set: true, value: p.value}
	}
}

// same reports whether an account is there as it is to be.
func (r *reading) same(e Entry) bool {
	return !slices.ContainsFunc(e.pairs(), func(p pair) bool {
		v, ok := r.values[ref{e.Server, p.key}]
		return !ok || v.from != "" || v.raw != p.value
	})
}

// checkOwner refuses to replace what may be the only copy of another account's password.
func (f *File) checkOwner(e Entry) error {
	userKey, passwordKey := Keys(e.Component)
	was, password := f.now.values[ref{e.Server, userKey}], f.now.values[ref{e.Server, passwordKey}]
	switch unfilled := (Account{was.effective, secret.New(password.effective)}).Unfilled(); {
	case len(unfilled) > 0: // no copy of anything
	case was.from == "" && was.effective != "" && !strings.EqualFold(was.effective, e.Account.User) &&
		!strings.EqualFold(was.effective, e.From):
		return fmt.Errorf("%s: [%s] %s is %s, not %s: %w: remove that account, or set it as the principal of %s",
			f.path, e.Server, userKey, was.effective, e.Account.User, ErrForeign, e.Component)
	case was.effective == "" && password.from == "" && password.effective != "":
		return fmt.Errorf("%s: [%s] %s is set without %s: %w: complete or remove it", f.path, e.Server,
			passwordKey, userKey, ErrForeign)
	}
	return nil
}

// resolves reports whether ini.v1 replaces a reference to a key in a value of section.
func (f *File) resolves(section string) func(key string) bool {
	own := table{}
	for at, v := range f.now.values {
		if v.from != "" {
			continue
		}
		if own[at.section] == nil {
			own[at.section] = map[string]string{}
		}
		own[at.section][at.key] = v.raw
	}
	return func(key string) bool { return own.resolves(section, key) }
}

func (f *File) warnOfCase(server string) {
	for _, s := range f.now.sections {
		if strings.EqualFold(s, server) {
			f.warnOnce(fmt.Sprintf("%s: [%s] is kept beside the new [%s]: the installer is case-sensitive "+
				"and reads the one with the same spelling as the vCenter in install-config.yaml", f.path, s, server))
		}
	}
}

func (f *File) warnOfMain() {
	f.warnOnce(f.path + ": " + MainAccount)
}

func (f *File) warnOnce(text string) {
	f.warnings = lists.AppendNew(f.warnings, text)
}

// Remove takes the account of c out of the section of server. A section that this empties goes too.
func (f *File) Remove(server string, c component.Name) {
	f.RemoveAll([]Entry{{Server: server, Component: c}})
}

// Check reports whether Save would accept the changes, without touching the disk: what was set
// reads back, and the installer reads every other key as before.
func (f *File) Check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.check(f.now)
}

func (f *File) check(after *reading) error {
	if err := compare(f.before, after, f.changes); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// Warnings names what is accepted but may be wrong: a directory open to others, a section that
// differs from ours in case only, an account that the installer does not read.
func (f *File) Warnings() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.warnings)
}
