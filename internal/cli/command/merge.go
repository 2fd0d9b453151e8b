package command

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

type mergedView struct {
	Header
	File     string       `json:"file"`
	Former   string       `json:"former,omitempty"` // the file with replaced accounts
	Source   string       `json:"source"`
	From     string       `json:"from"` // install-config, secrets, credentials file
	DryRun   bool         `json:"dryRun"`
	Accounts []mergedLine `json:"accounts"`
}

type mergedLine struct {
	Server    string           `json:"server"`
	Component component.Name   `json:"component"`
	User      string           `json:"user"`
	Was       string           `json:"was,omitempty"` // the file's spelling of the user, if different
	Outcome   credfile.Outcome `json:"outcome"`       // added, changed, kept, conflict
}

// The kinds of files with accounts.
const (
	KindInstallConfig = "install-config"
	KindSecrets       = "secrets"
	KindCredentials   = "credentials file"
)

// Merge is what to merge into the credentials file.
type Merge struct {
	To         string // path of the credentials file
	From, Kind string // the file that has the accounts, and what it is
	Accounts   openshift.Accounts
	Leave      credfile.Leave
	DryRun     bool
	Quiet      bool // stdout has something else to hold
}

// Merge merges accounts into the credentials file, saves it and prints the outcome of each. An error
// leaves out what would have been written.
func (f *Factory) Merge(m Merge) error {
	view, err := m.save(f)
	if err != nil {
		view.Accounts = slices.DeleteFunc(view.Accounts, func(l mergedLine) bool {
			return l.Outcome == credfile.Added || l.Outcome == credfile.Changed
		})
	}
	if len(view.Accounts) > 0 && !m.Quiet {
		if printErr := f.Table(view, func() *term.Table { return mergedTable(view) }); printErr != nil {
			return printErr
		}
	}
	if err == nil {
		mergedSummary(f, view)
	}
	return err
}

// save puts accounts into the file and writes it, unless in a dry run. The view is complete with an error, too.
func (m Merge) save(f *Factory) (mergedView, error) {
	view := mergedView{Header: NewHeader("CredentialImport"), File: m.To, Source: m.From, From: m.Kind, DryRun: m.DryRun, Accounts: []mergedLine{}}
	if !m.DryRun {
		unlock, err := credfile.Lock(m.To, credfile.Elsewhere)
		if err != nil {
			return view, err
		}
		defer unlock()
	}
	file, err := credfile.Open(m.To)
	if err != nil {
		return view, err
	}
	merged, err := file.Merge(m.Accounts, m.Leave)
	for _, a := range merged {
		line := mergedLine{a.Server, a.Component, a.User, "", a.Outcome}
		if a.Was.User != a.User {
			line.Was = a.Was.User
		}
		view.Accounts = append(view.Accounts, line)
	}
	order := component.Names()
	slices.SortStableFunc(view.Accounts, func(a, b mergedLine) int {
		return cmp.Or(strings.Compare(a.Server, b.Server),
			slices.Index(order, a.Component)-slices.Index(order, b.Component))
	})
	f.Warn(file.Warnings()...)
	switch {
	case errors.Is(err, credfile.ErrForeign):
		return view, hint.Wrap(err, "nothing was written: the same with -f FILE --replace puts the account that a provisioning file names in place of another one")
	case slices.ContainsFunc(view.Accounts, func(l mergedLine) bool { return l.Outcome == credfile.Conflicting }):
		return view, hint.Wrap(err, "nothing was written: --replace overwrites the password of the same user")
	case err != nil || m.DryRun:
		return view, err
	}
	if view.Former, err = credfile.KeepFormer(m.To, merged); err != nil {
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

func mergedSummary(f *Factory, v mergedView) {
	n := map[credfile.Outcome]int{}
	for _, a := range v.Accounts {
		n[a.Outcome]++
	}
	done := ""
	if v.DryRun {
		done = " (dry run: nothing is written)"
	}
	f.Infof("%s: %d added, %d changed, %d kept, %s%s", v.File, n[credfile.Added], n[credfile.Changed],
		n[credfile.Kept],
		term.Count(n[credfile.Conflicting], "conflict"), done)
	if v.Former != "" {
		f.Todof("%s has what was replaced: remove it when the new accounts have logged in, or import it with --replace to go back", v.Former)
	}
}

// ReadInstallConfig reads an install-config.
func (f *Factory) ReadInstallConfig(path string) (*installconfig.File, error) {
	name, data, err := f.ReadText(path)
	if err != nil {
		return nil, err
	}
	return installconfig.Parse(name, data)
}

// WarnRefusals warns of what the installer would refuse. Accounts can be extracted all the same.
func (f *Factory) WarnRefusals(config *installconfig.File) {
	if err := config.Check(); err != nil {
		for _, line := range ErrorLines(err) {
			f.Warnf("%s", line)
		}
	}
}
