package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The kinds of text that accounts are read from.
const (
	kindConfig  = "install-config"
	kindSecrets = "secrets"
	kindINI     = "credentials file"
)

// readText reads a file, or stdin for "-"; the name is what errors call it.
func (f *Factory) readText(path string) (name string, data []byte, err error) {
	if name = path; path == "-" {
		name = "stdin"
		data, err = files.ReadFrom(f.In, name, files.Dump)
	} else {
		data, err = files.Read(path, files.Dump)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return name, nil, err
	case len(bytes.TrimSpace(data)) == 0:
		return name, nil, hint.Errorf("give an install-config.yaml, secrets as 'oc get secrets -o yaml' prints them, or a credentials file", "%s is empty", name)
	}
	return name, data, nil
}

// readConfig reads an install-config.
func (f *Factory) readConfig(path string) (*installconfig.File, error) {
	name, data, err := f.readText(path)
	if err != nil {
		return nil, err
	}
	return installconfig.Parse(name, data)
}

var (
	iniLine    = regexp.MustCompile(`(?m)^(?:\x{FEFF})?\s*\[[^\]\n,"{]+\]\s*(?:[#;].*)?$`)
	secretLine = regexp.MustCompile(`(?m)^[\s{]*"?kind"?: *"?(?:Secret|SecretList|List)"?[,\s]*$`)
	secretJSON = regexp.MustCompile(`"kind"\s*:\s*"Secret(?:List)?"`) // wherever it stands in a line
)

// kindOf guesses what a text is from the lines that only one kind has.
func kindOf(data []byte) string {
	switch {
	case iniLine.Match(data) && !bytes.Contains(data, []byte("\nplatform:")):
		return kindINI
	case secretLine.Match(data) || secretJSON.Match(data):
		return kindSecrets
	}
	return kindConfig
}

// asUTF8 converts UTF-16 with a byte order mark, which `oc ... > FILE` makes in Windows PowerShell.
func asUTF8(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return data
	}
	var units []uint16
	for data = data[2:]; len(data) > 1; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}

// readAccounts takes the accounts out of a text of a kind; "" = look at it. An encrypted one is opened in memory.
func (f *Factory) readAccounts(ctx context.Context, path, kind string, identities *identityFlags) (openshift.Accounts, string, error) {
	name, data, err := f.readText(path)
	if err != nil {
		return nil, "", err
	}
	if data, err = identities.open(ctx, f, name, asUTF8(data)); err != nil {
		return nil, "", err
	}
	data = asUTF8(data)
	if kind == "" {
		kind = kindOf(data)
	}
	var accounts openshift.Accounts
	switch kind {
	case kindSecrets:
		var warnings []string
		accounts, warnings, err = openshift.ReadAccounts(name, data)
		f.warn(warnings...)
	case kindINI:
		var file *credfile.File
		if file, err = credfile.Parse(name, data); err == nil {
			f.misread(file)
			accounts = openshift.FromFile(file, file.Servers())
		}
	default:
		var config *installconfig.File
		if config, err = installconfig.Parse(name, data); err == nil {
			f.refusals(config)
			accounts = config.Accounts()
		}
	}
	if err != nil {
		return nil, kind, err
	}
	return accounts, kind, nil
}

// misread warns of what ini.v1 reads otherwise than it looks.
func (f *Factory) misread(file *credfile.File) {
	for _, m := range file.Misread() {
		if m.Severity == finding.Error {
			f.Warnf("%s:%d: %s %s", file.Path(), m.Line, m.Subject, m.Text)
		}
	}
}

// refusals warns of what the installer would refuse: its accounts can be taken out all the same.
func (f *Factory) refusals(config *installconfig.File) {
	if err := config.Check(); err != nil {
		for _, line := range errorLines(err) {
			f.Warnf("%s", line)
		}
	}
}

func errorLines(err error) []string {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, errorLines(e)...)
		}
		return all
	}
	return []string{err.Error()}
}

// mergedView is what became of accounts that were merged into the credentials file.
type mergedView struct {
	header
	File     string       `json:"file"`
	Former   string       `json:"former,omitempty"` // the file that has the accounts which were replaced
	Source   string       `json:"source"`
	From     string       `json:"from"` // install-config, secrets, credentials file
	DryRun   bool         `json:"dryRun"`
	Accounts []mergedLine `json:"accounts"`
}

type mergedLine struct {
	Server    string           `json:"server"`
	Component component.Name   `json:"component"`
	User      string           `json:"user"`
	Was       string           `json:"was,omitempty"` // the user that the file has, or had, if it is spelt otherwise
	Outcome   credfile.Outcome `json:"outcome"`       // added, changed, kept, conflict
}

// origins are where accounts come from: a file, and what it is.
type origins struct{ path, kind string }

// takeIn merges accounts into the credentials file at path, and shows on stdout, if it may, and in a line what became of them.
func (f *Factory) takeIn(path string, from origins, accounts openshift.Accounts, leave credfile.Leave, dryRun, show bool) error {
	view, err := f.merge(path, accounts, leave, dryRun)
	view.Source, view.From = from.path, from.kind
	if len(view.Accounts) > 0 && show {
		if printErr := f.table(view, func() *term.Table { return mergedTable(view) }); printErr != nil {
			return printErr
		}
	}
	if err == nil {
		f.mergedSummary(view)
	}
	return err
}

// merge puts accounts into the credentials file and saves it, unless it is a dry run. The view is complete even with an
// error about accounts.
func (f *Factory) merge(path string, accounts openshift.Accounts, leave credfile.Leave, dryRun bool) (mergedView, error) {
	view := mergedView{header: newHeader("CredentialImport"), File: path, DryRun: dryRun, Accounts: []mergedLine{}}
	if !dryRun {
		unlock, err := credfile.Lock(path)
		if err != nil {
			return view, err
		}
		defer unlock()
	}
	file, err := credfile.Open(path)
	if err != nil {
		return view, err
	}
	merged, err := file.Merge(accounts, leave)
	for _, m := range merged {
		line := mergedLine{m.Server, m.Component, m.User, "", m.Outcome}
		if m.Was.User != m.User {
			line.Was = m.Was.User
		}
		view.Accounts = append(view.Accounts, line)
	}
	order := component.Names()
	slices.SortStableFunc(view.Accounts, func(a, b mergedLine) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), slices.Index(order, a.Component)-slices.Index(order, b.Component))
	})
	f.warn(file.Warnings()...)
	if err == nil {
		err = checkRotating(file, merged)
	}
	switch {
	case errors.Is(err, credfile.ErrForeign):
		return view, hint.Wrap(err, "nothing was written: '"+program+" credentials import -f FILE --replace' puts the account that a provisioning file names in place of another one")
	case slices.ContainsFunc(view.Accounts, func(l mergedLine) bool { return l.Outcome == credfile.Conflicting }):
		return view, hint.Wrap(err, "nothing was written: --replace overwrites the password of the same user")
	case err != nil || dryRun:
		return view, err
	}
	if view.Former, err = keepFormer(path, merged); err != nil {
		return view, hint.Wrap(err, "nothing was changed")
	}
	return view, file.Save()
}

func mergedTable(v mergedView) *term.Table {
	t := term.NewTable("vcenter", "component", "user", "outcome")
	for _, a := range v.Accounts {
		user := a.User
		switch {
		case a.Was != "" && a.Outcome == credfile.Changed:
			user += " (instead of " + a.Was + ")"
		case a.Was != "":
			user += " (the file has " + a.Was + ")"
		}
		t.Row(a.Server, a.Component, user, string(a.Outcome))
	}
	return t
}

// mergedSummary says in a line what was done.
func (f *Factory) mergedSummary(v mergedView) {
	n := map[credfile.Outcome]int{}
	for _, a := range v.Accounts {
		n[a.Outcome]++
	}
	done := ""
	if v.DryRun {
		done = " (dry run: nothing is written)"
	}
	f.Infof("%s: %d added, %d changed, %d kept, %s%s", v.File, n[credfile.Added], n[credfile.Changed], n[credfile.Kept],
		term.Count(n[credfile.Conflicting], "conflict"), done)
	if v.Former != "" {
		f.Infof("%s has what was replaced: remove it when the new accounts have logged in, or import it with --replace to go back", v.Former)
	}
}

// accountCount is how many accounts there are.
func accountCount(a openshift.Accounts) int {
	n := 0
	for _, own := range a {
		n += len(own)
	}
	return n
}
