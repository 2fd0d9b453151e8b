package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// accountsFunc gives an account of others that the credentials file does not hold.
type accountsFunc func(server string, c component.Name) (credfile.Account, bool)

// AccountFlags give passwords of others' accounts for one run. They are not stored.
type AccountFlags struct {
	File string // --account-passwords
	Ask  bool   // --ask-passwords
}

// Register adds the flags to cmd.
func (a *AccountFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&a.File, "account-passwords", "", "credentials file of accounts of others (- for stdin)")
	p.BoolVar(&a.Ask, "ask-passwords", false, "prompt for passwords of accounts of others")
	_ = cmd.MarkFlagFilename("account-passwords")
}

// supply reads the file and asks, before there is progress on the screen.
func (a *AccountFlags) supply(ctx context.Context, s *term.Streams, wanted *spec.Spec,
	reach func(spec.VCenter) vcenter.Config, stored *credfile.File,
) (accountsFunc, error) {
	given, err := command.OpenNamed(s, "account-passwords", a.File)
	if err != nil {
		return nil, err
	}
	if err := checkFilled(wanted, given); err != nil {
		return nil, command.BadFlag("account-passwords", "%w", err)
	}
	get := func(server string, c component.Name) (credfile.Account, bool) {
		if given == nil {
			return credfile.Account{}, false
		}
		return given.Get(server, c)
	}
	if !a.Ask {
		return get, nil
	}
	unreached := map[string]bool{}
	if s.CanAsk() {
		unreached = unreachable(ctx, wanted, reach)
	}
	asked, err := ask(ctx, s, wanted, func(server string, c component.Name) bool {
		_, there := stored.Get(server, c)
		_, supplied := get(server, c)
		return there || supplied || unreached[server]
	})
	if err != nil {
		return nil, err
	}
	return func(server string, c component.Name) (credfile.Account, bool) {
		if account, ok := get(server, c); ok {
			return account, true
		}
		account, ok := asked[strings.ToLower(wanted.Account(c).Principal)]
		return account, ok
	}, nil
}

// checkFilled refuses placeholders among accounts that a specification uses; file may be nil.
func checkFilled(wanted *spec.Spec, file *credfile.File) error {
	if file == nil {
		return nil
	}
	components := slices.DeleteFunc(wanted.ComponentNames(), wanted.Disabled)
	return file.CheckFilled(openshift.FromFile(file, command.Servers(wanted)).Only(components))
}

// unreachable are vCenters that no password can be sent to, so that none is asked for them alone.
func unreachable(ctx context.Context, wanted *spec.Spec, reach func(spec.VCenter) vcenter.Config) map[string]bool {
	errs := make([]error, len(wanted.VCenters))
	var all crash.Group
	for i, v := range wanted.VCenters {
		all.Go(func() { errs[i] = command.CheckReachable(ctx, reach(v)) })
	}
	all.Wait()
	servers := map[string]bool{}
	for i, v := range wanted.VCenters {
		servers[v.Server] = errs[i] != nil
	}
	return servers
}

// ask asks once for each principal of others without a known account on every vCenter; empty =
// leave it unverified. A name may be a group, so it asks for the user too, unless the file has it.
func ask(ctx context.Context, s *term.Streams, wanted *spec.Spec,
	known func(server string, c component.Name) bool,
) (map[string]credfile.Account, error) {
	answers := map[string]credfile.Account{}
	done := map[string]bool{}
	for _, c := range wanted.ComponentNames() {
		of := wanted.Account(c)
		key := strings.ToLower(of.Principal)
		everywhere := !slices.ContainsFunc(wanted.VCenters, func(v spec.VCenter) bool { return !known(v.Server, c) })
		if of.Ours() || done[key] || everywhere {
			continue
		}
		done[key] = true
		account, err := askOne(ctx, s, of)
		if errors.Is(err, term.ErrNoInput) {
			return nil, hint.Wrap(fmt.Errorf("--ask-passwords: %w", err), "set --account-passwords FILE")
		}
		if err != nil {
			return nil, err
		}
		if !account.Password.Empty() {
			answers[key] = account
		}
	}
	return answers, nil
}

func askOne(ctx context.Context, s *term.Streams, of spec.Account) (credfile.Account, error) {
	user := of.Principal
	if of.Group == nil || *of.Group {
		label, preset := "account of "+string(of.Component), of.Principal
		if of.Group != nil {
			label, preset = "account of "+string(of.Component)+" in group "+of.Principal, ""
		}
		var err error
		if user, err = s.Prompt(ctx, label, preset); err != nil || user == "" {
			return credfile.Account{}, err
		}
	}
	password, err := s.Password(ctx, "password of "+user)
	return credfile.Account{User: user, Password: password}, err
}
